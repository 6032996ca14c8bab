"""Which kernel of the CPU engine runs when: its table, held to what runs; and 64-bit places."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, layered, matrix, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

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
    temporal,
)
from sparsebc.engines.common import batching
from sparsebc.engines.cpu.kernel_table import KERNELS
from sparsebc.engines.cpu.sssp import sssp
from sparsebc.graph import csr, csr_kernels

COMPLETE = matrix(nx.complete_graph(20))
RING = matrix(nx.cycle_graph(900))
STREETS = with_lengths(matrix(nx.grid_2d_graph(12, 12)), range(1, 10))
LAYERS = sp.csr_array(layered(10, 330))  # 10**328 paths
# The same, and 400 chains of one node from the first to the last.
INNER = range(3300, 3700)
JOINED = nx.from_scipy_sparse_array(LAYERS)
JOINED.add_edges_from((v, end) for v in INNER for end in (0, 3299))
JOINED = matrix(JOINED)
CONTACTS = temporal.Contacts([0, 1], [1, 2], [1, 2])
BY_LENGTH = {"weighted": True}
UNDIRECTED = {"directed": False}
BY_PATHS = {"samples": "paths", "epsilon": 0.1, "rng": 1}
# The file of the kernel, a call that runs it and no other, and one of counts beyond floats.
CASES = (
    ("brandes_batch.py", betweenness, COMPLETE, {}, None),
    ("brandes_source.py", betweenness, RING, {"sources": range(0, 900, 100)}, LAYERS),
    ("brandes_weighted_high_diameter.py", betweenness, STREETS, BY_LENGTH, None),
    ("brandes_weighted.py", betweenness, STREETS, BY_LENGTH | {"sources": range(9)}, LAYERS),
    ("brandes_chains.py", betweenness, RING, UNDIRECTED, JOINED),
    ("chains_weighted.py", betweenness, with_lengths(RING, [1, 2]), UNDIRECTED | BY_LENGTH, JOINED),
    ("met_paths.py", group_betweenness, COMPLETE, {"groups": [[0]]}, LAYERS),
    ("msbfs.py", harmonic, COMPLETE, {}, None),
    ("msbfs.py", bfs, COMPLETE, {"sources": [0, 1]}, None),
    ("msbfs.py", shortest_paths, COMPLETE, {"sources": [0]}, None),
    ("bfs_high_diameter.py", bfs, RING, {"sources": [0, 1]}, None),
    ("distance_sums.py", harmonic, STREETS, BY_LENGTH, None),
    ("msbfs.py", accessibility, COMPLETE, {}, None),
    ("distance_sums.py", accessibility, STREETS, BY_LENGTH, None),
    ("nearest.py", nearest, STREETS, BY_LENGTH | {"places": np.ones(144)}, None),
    ("nearest.py", nearest, COMPLETE, {"places": np.ones(20)}, None),
    ("shortest_paths.py", shortest_paths, STREETS, BY_LENGTH | {"sources": [0]}, None),
    (
        "temporal_walks.py",
        temporal.betweenness,
        temporal.Contacts([0, 1], [1, 2], [1, 2]),
        {},
        None,
    ),
    ("path_samples.py", approximate_betweenness, COMPLETE, BY_PATHS, None),
    ("path_samples_weighted.py", approximate_betweenness, STREETS, BY_LENGTH | BY_PATHS, None),
)


def cases():
    """Each with both types of counts, and with those beyond; rare ones are slow."""
    for file, function, A, options, beyond in CASES:
        rare = "chains" in file or file in (
            "brandes_weighted_high_diameter.py",
            "brandes_weighted.py",
        )
        counted = ("float32", "float64") if function is betweenness else (None,)
        for dtype in counted:
            marks = [pytest.mark.slow] if rare and dtype == "float32" else []
            given = options | ({"dtype": dtype} if dtype else {})
            name = f"{file} {function.__name__} {dtype or ''}"
            yield pytest.param(file, function, A, given, marks=marks, id=name)
        if beyond is not None:
            given = dict(options)
            if function is betweenness:
                given["sources"] = range(2) if beyond is LAYERS else INNER
            if "weighted" in given:
                beyond = with_lengths(beyond, [1, 2])
            marks = [pytest.mark.slow] if "chains" in file else []
            yield pytest.param(file, function, beyond, given, marks=marks, id=f"{file} extended")


@pytest.mark.parametrize(("file", "function", "A", "options"), list(cases()))
def test_what_runs(file, function, A, options, monkeypatch):
    """The kernel of a case, and no other."""
    assert kernels_run(monkeypatch, lambda: function(A, **options, device="cpu")) == {file}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("A", "sources", "file"),
    [(COMPLETE, range(16), "brandes_rows.py"), (RING, range(4), "brandes_source.py")],
)
def test_few_sources_of_a_large_graph(A, sources, file, dtype, monkeypatch):
    """All rows pull, unless levels are many; scores are those of the same graph were it small."""
    options = {"sources": sources, "dtype": dtype, "device": "cpu"}
    want = betweenness(A, **options)
    monkeypatch.setattr(batching, "BRIEF_ARCS", 0)
    monkeypatch.setattr(csr_kernels, "PIECE", 1)
    found = []
    run = kernels_run(monkeypatch, lambda: found.append(betweenness(A, **options)))
    assert run == {"brandes_rows.py", file}
    assert_allclose(found[0], want, rtol=1e-5 if dtype == "float32" else 1e-12)
    assert_array_equal(found[0], betweenness(A, **options, workers=1))


def kernels_run(monkeypatch, function):
    """The files of kernels that a call runs."""
    ran, call = set(), jit._Kernel.__call__

    def called(kernel, *arguments):
        place = Path(kernel.py_func.__code__.co_filename)
        if place.parents[1].name == "cpu" and place.parent.name != "common":
            ran.add(place.name)
        return call(kernel, *arguments)

    monkeypatch.setattr(jit._Kernel, "__call__", called)
    function()
    return ran


def test_the_table_names_what_runs():
    listed = {Path(file).name for kernel in KERNELS for file in kernel.files}
    assert listed == {"brandes_rows.py", *(file for file, *_ in CASES)}


@pytest.mark.slow  # kernels of their own
@pytest.mark.parametrize("name", ["streets", "uneven"])
def test_queues_of_64_bits(name, monkeypatch):
    """Entries beyond 2**31 - 1 are told apart: the same distances and scores."""
    lengths = range(1, 10) if name == "streets" else np.geomspace(1e-3, 1e4, 60)
    A = with_lengths(matrix(nx.grid_2d_graph(9, 9)), lengths)
    sources = range(A.shape[0])
    calls = [
        lambda: shortest_paths(A, sources, weighted=True, device="cpu")[0],
        lambda: betweenness(A, weighted=True, device="cpu"),
        lambda: harmonic(A, weighted=True, device="cpu"),
    ]
    want = [call() for call in calls]
    made = []
    queue = sssp.queue
    monkeypatch.setattr(sssp, "SMALL", 100)
    monkeypatch.setattr(sssp, "queue", lambda *a: made.append(queue(*a)) or made[-1])
    for call, expected in zip(calls, want, strict=True):
        assert_array_equal(call(), expected)
    assert made
    assert all(q.heads.dtype == q.following.dtype == np.int64 for q in made)


@pytest.mark.parametrize("name", LARGE)
def test_more_edges_than_scipy_takes(name, monkeypatch):
    """Folding, weak components, renumbering and batches of trips do without SciPy's searches."""
    A = LARGE[name]
    want = betweenness(A, device="cpu")
    lengths = sp.csr_array((1.0 + np.arange(A.nnz) % 3, A.indices, A.indptr), shape=A.shape)
    trips = {"weighted": True, "demand": A, "device": "cpu"}
    of_trips = betweenness(lengths, **trips)
    count, labels = connected_components(A, device="cpu")
    monkeypatch.setattr(csr, "CSGRAPH_ENTRIES", A.nnz // 2)
    assert_allclose(betweenness(A, device="cpu"), want, rtol=1e-11, atol=1e-13)
    assert_allclose(betweenness(lengths, **trips), of_trips, rtol=1e-11, atol=1e-13)
    got = connected_components(A, device="cpu")
    assert got[0] == count == csgraph.connected_components(A)[0]
    assert_array_equal(got[1], labels)
    assert_array_equal(labels, csgraph.connected_components(A)[1])


def test_strong_components_of_more_are_refused(monkeypatch):
    """With the number of edges, and the device that takes them."""
    monkeypatch.setattr(csr, "CSGRAPH_ENTRIES", 2)
    A = sp.csr_array(np.triu(np.ones((3, 3)), k=1))
    with pytest.raises(ValueError, match=r"A has 3 edges.*number 2: use device='cuda'"):
        connected_components(A, connection="strong", device="cpu")
    assert connected_components(A, device="cpu")[0] == 1
