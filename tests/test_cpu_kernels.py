"""Which kernel of the CPU engine runs when: its table, held to what runs; and 64-bit places."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, matrix, with_lengths
from numba.core.dispatcher import Dispatcher
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import (
    betweenness,
    bfs,
    connected_components,
    group_betweenness,
    harmonic,
    shortest_paths,
)
from sparsebc.engines.cpu.brandes import brandes_batch, brandes_source
from sparsebc.engines.cpu.brandes import workspace as betweenness_by_edges
from sparsebc.engines.cpu.brandes_weighted import brandes_clustered, brandes_weighted
from sparsebc.engines.cpu.brandes_weighted import workspace as betweenness_weighted
from sparsebc.engines.cpu.chains import brandes_chains, chains_weighted
from sparsebc.engines.cpu.chains import workspace as betweenness_chains
from sparsebc.engines.cpu.kernel_table import KERNELS
from sparsebc.engines.cpu.msbfs import msbfs
from sparsebc.engines.cpu.msbfs import search as searches
from sparsebc.engines.cpu.node_sets import met_paths as groups
from sparsebc.engines.cpu.node_sets import workspace as of_groups
from sparsebc.engines.cpu.sssp import distance_sums, rows, sssp_buckets, sssp_paths, sssp_sums
from sparsebc.graph import csr

TOGETHER, ALONE, BY_LENGTH = "sources together", "sources alone", "by length"
NEAR = "by length, near sources of a deep graph"
FLOATS, ALL_COUNTS = ("float32", "float64"), ("float32", "float64", "extended")
# What runs when, by task, graph and path counts. Counts beyond floats come after those for floats.
CASES = (
    ("betweenness", TOGETHER, FLOATS, "brandes_batch.py"),
    ("betweenness", ALONE, ALL_COUNTS, "brandes_source.py"),
    ("betweenness", NEAR, FLOATS, "brandes_clustered.py"),
    ("betweenness", BY_LENGTH, ALL_COUNTS, "brandes_weighted.py"),
    ("chains", "by edges", ALL_COUNTS, "brandes_chains.py"),
    ("chains", BY_LENGTH, ALL_COUNTS, "chains_weighted.py"),
    ("groups", "by edges", ("float64", "extended"), "met_paths.py"),
    ("distance sums", "by edges", ("",), "msbfs.py"),
    ("distance sums", BY_LENGTH, ("",), "sssp_sums.py"),
    ("bfs", "by edges", ("",), "msbfs.py"),
    ("shortest paths", "by edges", ("",), "msbfs.py"),
    ("shortest paths", BY_LENGTH, ("",), "sssp_paths.py"),
)

MODULES = (
    *(brandes_batch, brandes_source, brandes_clustered, brandes_weighted, groups),
    *(msbfs, sssp_paths, sssp_sums, brandes_chains, chains_weighted),
)
COMPLETE = matrix(nx.complete_graph(20))
RING = matrix(nx.cycle_graph(900))
STREETS = with_lengths(matrix(nx.grid_2d_graph(12, 12)), range(1, 10))
LAYERS = sp.csr_array(sp.kron(sp.eye_array(330, k=1), np.ones((10, 10))))  # 10**328 paths


def case(task, graph, counts):
    """A call that a row of the table is about."""
    A = {TOGETHER: COMPLETE, ALONE: RING, "by edges": COMPLETE}.get(graph, STREETS)
    weighted = graph in (NEAR, BY_LENGTH)
    if task == "chains":
        A, sources = RING, None
        if counts == "extended":
            n, m = LAYERS.shape[0], 400
            i, j = np.r_[0, n : n + m], np.r_[n : n + m, n - 1]
            meshed = LAYERS.tocoo()
            A = sp.coo_array(
                (np.ones(meshed.nnz + i.size), (np.r_[meshed.row, i], np.r_[meshed.col, j])),
                shape=(n + m, n + m),
            ).tocsr()
            sources = range(n, n + m)
        if weighted:
            A = with_lengths(A, [1, 2])
        dtype = np.float32 if counts == "float32" else np.float64
        return lambda: betweenness(
            *(A,),
            directed=False,
            weighted=weighted,
            sources=sources,
            dtype=dtype,
            device="cpu",
            workers=1,
        )
    if task == "betweenness":
        # On a ring, sources that are far apart; by length, too few to be near.
        sources = {ALONE: range(0, A.shape[0], 100), BY_LENGTH: range(9)}.get(graph)
        dtype = np.float32 if counts == "float32" else np.float64
        if counts == "extended":
            A, sources = with_lengths(LAYERS, [1, 2]) if weighted else LAYERS, range(2)
        return lambda: betweenness(
            A, weighted=weighted, sources=sources, dtype=dtype, device="cpu", workers=1
        )
    if task == "groups":
        A = LAYERS if counts == "extended" else A
        return lambda: group_betweenness(A, [[0]], device="cpu")
    if task == "distance sums":
        return lambda: harmonic(A, weighted=weighted, device="cpu")
    if task == "bfs":
        return lambda: bfs(A, [0, 1], device="cpu")
    return lambda: shortest_paths(A, [0], weighted=weighted, device="cpu")


class Listening:
    """A module of kernels, whose name is noted whenever one of them is called."""

    def __init__(self, module, ran):
        self._module, self._ran = module, ran

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if not isinstance(found, Dispatcher):
            return found
        self._ran.add(Path(self._module.__file__).name)
        return found


def cases():
    """Each row with each of its counts; what no other quick test compiles is slow."""
    for task, graph, all_counts, file in CASES:
        for counts in all_counts:
            rare = (("chains", BY_LENGTH), ("betweenness", NEAR))
            own = counts == "float32" and (task, graph) in rare
            own |= (task, counts) == ("chains", "extended")
            marks = [pytest.mark.slow] if own else []
            yield pytest.param(task, graph, counts, file, marks=marks)


@pytest.mark.parametrize(("task", "graph", "counts", "file"), list(cases()))
def test_what_runs(task, graph, counts, file, monkeypatch):
    """The kernel of a case, and no other; before counts beyond floats, those for floats."""
    ran = set()
    for host in (
        *(betweenness_by_edges, betweenness_chains, betweenness_weighted),
        *(distance_sums, of_groups, rows, searches),
    ):
        for name, module in list(vars(host).items()):
            if module in MODULES:
                monkeypatch.setattr(host, name, Listening(module, ran))
    case(task, graph, counts)()
    if counts == "extended":
        ran -= {other for *_, all_counts, other in CASES if all_counts == FLOATS}
    assert ran == {file}


def test_the_table_names_what_runs():
    entries = {Path(module.__file__).name for module in MODULES}
    assert {Path(file).name for kernel in KERNELS for file in kernel.files} == entries
    assert entries == {file for *_, file in CASES}


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
    queue = sssp_buckets.queue
    monkeypatch.setattr(sssp_buckets, "SMALL", 100)
    monkeypatch.setattr(sssp_buckets, "queue", lambda *a: made.append(queue(*a)) or made[-1])
    for call, expected in zip(calls, want, strict=True):
        assert_array_equal(call(), expected)
    assert made
    assert all(q.heads.dtype == q.following.dtype == np.int64 for q in made)


@pytest.mark.parametrize("name", LARGE)
def test_more_edges_than_scipy_takes(name, monkeypatch):
    """Folding, weak components and renumbering do without SciPy's searches."""
    A = LARGE[name]
    want = betweenness(A, device="cpu")
    count, labels = connected_components(A, device="cpu")
    monkeypatch.setattr(csr, "CSGRAPH_ENTRIES", A.nnz // 2)
    assert_allclose(betweenness(A, device="cpu"), want, rtol=1e-11, atol=1e-13)
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
