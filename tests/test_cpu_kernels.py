"""Which kernel of the CPU engine runs when: its table, held to what runs."""

from pathlib import Path
from unittest import mock

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import close, matrix, with_lengths
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import (
    accessibility,
    approximate_betweenness,
    betweenness,
    bfs,
    connected_components,
    group_betweenness,
    harmonic,
    jit,
    nearest,
    shortest_paths,
)
from sparsebc.engines.common import batching
from sparsebc.engines.cpu.engine import KERNELS
from sparsebc.matrix import csr
from sparsebc.testing import by_definition, graphs
from sparsebc.testing import options as some_options

COMPLETE = matrix(nx.complete_graph(20))
RING = matrix(nx.cycle_graph(900))
STREETS = with_lengths(matrix(nx.grid_2d_graph(12, 12)), range(1, 10))
BY_LENGTH = {"weighted": True}
UNDIRECTED = {"directed": False}
BY_PATHS = {"samples": "paths", "epsilon": 0.1, "rng": 1}
# The file of the kernel, and a call that runs it and no other, but for one that orders the sources.
CASES = (
    ("brandes_batch.py", betweenness, COMPLETE, {}),
    ("brandes_source.py", betweenness, RING, {"sources": range(0, 900, 100)}),
    ("brandes_weighted_high_diameter.py", betweenness, STREETS, BY_LENGTH),
    ("brandes_weighted.py", betweenness, STREETS, BY_LENGTH | {"sources": range(9)}),
    ("brandes_chains.py", betweenness, RING, UNDIRECTED),
    ("chains_weighted.py", betweenness, with_lengths(RING, [1, 2]), UNDIRECTED | BY_LENGTH),
    ("node_sets.py", group_betweenness, COMPLETE, {"groups": [[0]]}),
    ("msbfs.py", harmonic, COMPLETE, {}),
    ("msbfs.py", bfs, COMPLETE, {"sources": [0, 1]}),
    ("msbfs.py", shortest_paths, COMPLETE, {"sources": [0]}),
    ("bfs_high_diameter.py", bfs, RING, {"sources": [0, 1]}),
    ("distance_sums.py", harmonic, STREETS, BY_LENGTH),
    ("msbfs.py", accessibility, COMPLETE, {}),
    ("distance_sums.py", accessibility, STREETS, BY_LENGTH),
    ("nearest.py", nearest, STREETS, BY_LENGTH | {"places": np.ones(144)}),
    ("nearest.py", nearest, COMPLETE, {"places": np.ones(20)}),
    ("shortest_paths.py", shortest_paths, STREETS, BY_LENGTH | {"sources": [0]}),
    ("path_samples.py", approximate_betweenness, COMPLETE, BY_PATHS),
    ("path_samples_weighted.py", approximate_betweenness, STREETS, BY_LENGTH | BY_PATHS),
)


@pytest.mark.parametrize(("file", "function", "A", "options"), CASES)
def test_what_runs(file, function, A, options, monkeypatch):
    """The kernel of a case, and no other."""
    run = kernels_run(monkeypatch, lambda: function(A, **options, device="cpu"))
    assert run - {"sssp.py"} == {file}


@pytest.mark.parametrize(
    ("A", "sources", "others"),
    [(COMPLETE, range(16), set()), (RING, range(4), {"brandes_source.py"})],
)
def test_few_sources_of_a_large_graph(A, sources, others, monkeypatch):
    """All rows pull, unless levels are many."""
    monkeypatch.setattr(batching, "BRIEF_ARCS", 0)
    run = kernels_run(monkeypatch, lambda: betweenness(A, sources=sources, device="cpu"))
    assert run == {"brandes_rows.py"} | others


PAIRS = ("directed", "sources", "targets", "source_weights", "target_weights")


@given(graphs(), st.data())
def test_scores_of_few_sources_are_those_of_the_definition(A, data):
    """Where all rows pull, which the questions of the conformance suite rarely ask for."""
    call = data.draw(some_options(A.shape[0], *PAIRS))
    with mock.patch.multiple(batching, BRIEF_ARCS=0, BRIEF_SOURCES_HIGH_DIAMETER=9):
        close(betweenness(A, **call, device="cpu"), by_definition(A, **call))


def kernels_run(monkeypatch, function):
    """The files of kernels that a call runs."""
    ran, call = set(), jit._Kernel.__call__

    def called(kernel, *arguments):
        place = Path(kernel.py_func.__code__.co_filename)
        if "engines" in place.parts and place.parent.name != "common":
            ran.add(place.name)
        return call(kernel, *arguments)

    monkeypatch.setattr(jit._Kernel, "__call__", called)
    function()
    return ran


def test_the_table_names_what_runs():
    listed = {Path(file).name for kernel in KERNELS for file in kernel.files}
    assert listed == {"brandes_rows.py", *(file for file, *_ in CASES)}


def test_strong_components_of_more_are_refused(monkeypatch):
    """With the number of edges, and the device that takes them."""
    monkeypatch.setattr(csr, "CSGRAPH_ENTRIES", 2)
    A = sp.csr_array(np.triu(np.ones((3, 3)), k=1))
    with pytest.raises(ValueError, match=r"A has 3 edges.*takes at most 2: use device='cuda'"):
        connected_components(A, connection="strong", device="cpu")
    assert connected_components(A, device="cpu")[0] == 1
