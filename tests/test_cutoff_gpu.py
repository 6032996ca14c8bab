"""Cutoffs on a GPU: every kernel beside the literal algebra, and the same bits in any memory."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources
from conftest import NEEDS_GPU
from graphs import LARGE, LARGEST, MEDIUM, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import betweenness, centralities, closeness, edge_betweenness, harmonic
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table
from sparsebc.graph.csr import CSR
from sparsebc.graph.edge_weights import Lengths
from sparsebc.graph.graph import Graph
from sparsebc.graph.ops import GraphOps

pytestmark = list(NEEDS_GPU)

GRAPHS = MEDIUM | LARGE
PATHS = ["betweenness", "edge_betweenness", "stress"]
SOME_PATHS = [PATHS, PATHS[:2], PATHS[::2], PATHS[2:], PATHS[:1]]
DISTANCES = ["closeness", "harmonic", "eccentricity"]
NAMES = ["large hubs", "grid", "dense", "streets", "forest", "large digraph", "directed cycle"]
# Buckets of whole numbers and of floats, and waves of both; the last is farther than all.
LENGTHS = {
    "whole": [1, 2, 3, 7],
    "floats": [0.1, 0.2, 0.3, 0.7],
    "far whole": [1, 40, 100],
    "far floats": [0.1, 4.7, 10.3],
}
BY_LENGTH = {"whole": 1, "floats": 0.1, "far whole": 12, "far floats": 1.3}
FAR = np.array([0, 1, 3, 6, 20, 10**6])


def numbers(found):
    """All scores, one after the other, of one cutoff or several."""
    each = []
    for scores in found.values():
        parts = scores if isinstance(scores, list) else [scores]
        each += [(part.data if sp.issparse(part) else part).ravel() for part in parts]
    return np.concatenate(each)


def assert_close(got, want, tolerance=1e-11):
    """Up to the order of the additions, by measure."""
    for name, expected in want.items():
        pair = numbers({name: got[name]}), numbers({name: expected})
        finite = np.isfinite(pair[1])
        most = np.abs(pair[1][finite]).max(initial=1)
        assert_allclose(*pair, rtol=tolerance, atol=tolerance * most)


@pytest.fixture
def width(monkeypatch):
    """Sweep batches of a width, whatever the graph is."""

    def choose(name):
        is_alone = name == "THIN"
        monkeypatch.setattr(table, "goes_alone", lambda *_: is_alone)

    return choose


@pytest.fixture
def few_workers(monkeypatch):
    """Each takes many sources, so that what one leaves behind would show in the next."""
    from sparsebc.engines.cuda.common import per_source

    begin = per_source.PerSource.__init__

    def few(self, graph, plan, workers, *rest):
        begin(self, graph, plan, 3, *rest)

    monkeypatch.setattr(per_source.PerSource, "__init__", few)


@pytest.mark.parametrize("names", SOME_PATHS, ids="+".join)
@pytest.mark.parametrize("way", ["THIN", "WIDE"])
@pytest.mark.parametrize("name", NAMES)
def test_both_kernels_by_edges(name, way, names, width, few_workers):
    """A block to a source and many batches in step, on several cutoffs, one, and none but pairs."""
    width(way)
    n = GRAPHS[name].shape[0]
    options = {"sources": range(0, n, 2), "targets": range(9, n - 9), "normalized": False}
    for cutoff in (FAR, 4, 100, 0):
        want = centralities(GRAPHS[name], names, cutoff=cutoff, device="reference", **options)
        for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-5)):
            run = {"device": "cuda", "dtype": dtype}
            got = centralities(GRAPHS[name], names, cutoff=cutoff, **run, **options)
            assert_close(got, want, tolerance)


@pytest.mark.parametrize("hub", [0, 1])
@pytest.mark.parametrize("dense", ["0", "(1ull << 40)"])
@pytest.mark.parametrize("name", ["dense", "large digraph", "leaves on hubs"])
def test_hubs_and_dense_levels(name, dense, hub, width, monkeypatch):
    """Rows that a block shares, lists alone, and all rows alone."""
    from sparsebc.engines.cuda.brandes_batch import brandes_batch

    width("WIDE")
    options = {"cutoff": [1, 2, 4], "device": "cuda"}
    want = centralities(GRAPHS[name], PATHS, **options)
    assert_close(want, centralities(GRAPHS[name], PATHS, cutoff=[1, 2, 4], device="reference"))
    monkeypatch.setattr(brandes_batch, "HUB", hub)
    change = "brandes_batch/brandes_batch.cu", "DENSE = 4;", f"DENSE = {dense};"
    with changed_sources(monkeypatch, *change):
        assert_close(centralities(GRAPHS[name], PATHS, **options), want, 1e-13)


@pytest.mark.parametrize("marks", ["near", "Phases", "Bytes<true>", "Bytes<false>"])
@pytest.mark.parametrize("name", ["streets", "grid", "large digraph"])
def test_marks_of_any_kind(name, marks, width, few_workers, monkeypatch):
    """Blocks of any size, with short queues and marks that begin again after three levels."""
    from sparsebc.engines.cuda.brandes_source import brandes_source as brandes
    from sparsebc.engines.cuda.common import per_source

    width("THIN")
    options = {"cutoff": [2, 3, 9, 30], "directed": name != "grid"}
    want = centralities(GRAPHS[name], PATHS, device="reference", **options)
    if marks != "near":
        monkeypatch.setattr(per_source, "BALL", 0)
        monkeypatch.setattr(brandes, "SHARING", brandes.SHARING if marks == "Phases" else ())
        if marks == "Bytes<false>":
            monkeypatch.setattr(brandes, "STATIC_BYTES", 1 << 30)
    file = "brandes_source/brandes_source.cu"
    for text, other in (("QUEUE = 1024;", "QUEUE = 4;"), ("LEVELS = 255;", "LEVELS = 3;")):
        with changed_sources(monkeypatch, file, text, other):
            assert_close(centralities(GRAPHS[name], PATHS, device="cuda", **options), want)


@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("name", NAMES)
def test_paths_by_length(name, kind, few_workers):
    """Buckets and waves, near cutoffs and far ones."""
    A = with_lengths(GRAPHS[name], LENGTHS[kind], seed=5)
    n = A.shape[0]
    options = {"sources": range(0, n, 3), "targets": range(9, n - 9), "normalized": False}
    for cutoff in (FAR[:5] * BY_LENGTH[kind], FAR * BY_LENGTH[kind], 4 * BY_LENGTH[kind]):
        ways = {"cutoff": cutoff, "weighted": True, **options}
        want = centralities(A, PATHS, device="reference", **ways)
        for dtype, tolerance in (("float64", 1e-11), ("float32", 1e-5)):
            got = centralities(A, PATHS, device="cuda", dtype=dtype, **ways)
            assert_close(got, want, tolerance)
        for names in SOME_PATHS[1:]:
            got = centralities(A, names, device="cuda", **ways)
            assert_close(got, {name: want[name] for name in names})


@pytest.mark.parametrize("kind", ["edges", *LENGTHS])
@pytest.mark.parametrize("name", NAMES)
def test_distances(name, kind, few_workers):
    """Closeness, harmonic centrality and eccentricity, of all nodes and from some."""
    weighted = kind != "edges"
    A = with_lengths(GRAPHS[name], LENGTHS[kind], seed=5) if weighted else GRAPHS[name]
    unit = BY_LENGTH.get(kind, 1)
    for cutoff in (FAR[:5] * unit, FAR * unit, 4 * unit, 0):
        for sources in (None, range(0, A.shape[0], 3)):
            ways = {"cutoff": cutoff, "weighted": weighted, "sources": sources}
            want = centralities(A, DISTANCES, device="cpu", **ways)
            assert_close(centralities(A, DISTANCES, device="cuda", **ways), want)


@pytest.mark.parametrize("name", ["hubs", "streets"])
def test_distances_of_many_batches(name):
    """More sources than a batch of searches has."""
    A = LARGEST[name]
    D = csgraph.shortest_path(A, unweighted=True)
    cutoff = [1, 3, 4, 12]
    got = harmonic(A, cutoff=cutoff, device="cuda")
    for column, most in enumerate(cutoff):
        near = (D > 0) & (D <= most)
        want = np.where(near, 1 / np.where(near, D, 1), 0).sum(axis=0)
        assert_allclose(got[:, column], want, rtol=1e-12)


@pytest.mark.parametrize("endpoints", [False, True])
@pytest.mark.parametrize("way", ["THIN", "WIDE"])
@pytest.mark.parametrize("kind", ["edges", "whole"])
@pytest.mark.parametrize("name", ["grid", "large digraph", "forest"])
def test_pairs_at_their_ends(name, kind, way, endpoints, width, few_workers):
    """Counted within each cutoff, of undirected graphs too."""
    if kind == "edges":
        width(way)
    A = with_lengths(GRAPHS[name], LENGTHS[kind]) if kind != "edges" else GRAPHS[name]
    ways = {"weighted": kind != "edges", "endpoints": endpoints, "targets": range(0, 90, 2)}
    for cutoff in ([1, 2, 7], 3):
        got, want = (
            betweenness(A, cutoff=cutoff, device=device, **ways) for device in ("cuda", "reference")
        )
        assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["edges", *LENGTHS])
@pytest.mark.parametrize("way", ["THIN", "WIDE"])
@pytest.mark.parametrize("name", ["large hubs", "streets", "grid"])
def test_weighted_pairs_at_their_ends(name, way, kind, width):
    """At the target its weight, at the source what all its targets weigh."""
    if kind == "edges":
        width(way)
    A = with_lengths(GRAPHS[name], LENGTHS[kind]) if kind != "edges" else GRAPHS[name]
    n = A.shape[0]
    weights = {"source_weights": np.linspace(0.5, 2, n), "target_weights": np.arange(n) % 7 / 3}
    for ways in ({"cutoff": [2, 5]}, {"cutoff": [2, 5], "directed": False}, {}):
        got, want = (
            betweenness(
                A, weighted=kind != "edges", endpoints=True, device=device, **weights, **ways
            )
            for device in ("cuda", "cpu")
        )
        assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("way", ["THIN", "WIDE"])
@pytest.mark.parametrize("directed", [True, False])
def test_ends_within_any_cutoff_around_the_last_level(way, directed, width):
    """A cutoff may lie any number of levels beyond the last one."""
    width(way)
    A = sp.triu(GRAPHS["grid"], format="csr") if directed else GRAPHS["grid"]
    ways = {"directed": directed, "endpoints": True, "sources": [0]}
    last = csgraph.dijkstra(A, directed=directed, unweighted=True, indices=0)
    last = int(last[np.isfinite(last)].max())
    for cutoff in range(last - 2, last + 5):
        got, want = (
            betweenness(A, cutoff=cutoff, device=device, **ways) for device in ("cuda", "cpu")
        )
        assert_allclose(got, want, rtol=1e-12, atol=1e-12, err_msg=f"cutoff {cutoff}")


@pytest.mark.parametrize("kind", ["edges", *LENGTHS])
@pytest.mark.parametrize("way", ["THIN", "WIDE"])
@pytest.mark.parametrize("name", ["large hubs", "streets", "grid"])
def test_a_budget_changes_no_bit(name, way, kind, width):
    """As many batches or sources at once as fit, or one after the other."""
    weighted = kind != "edges"
    if not weighted:
        width(way)
    A = with_lengths(GRAPHS[name], LENGTHS[kind]) if weighted else GRAPHS[name]
    cutoff = FAR[1:4] * BY_LENGTH.get(kind, 1)
    for names in (PATHS, DISTANCES):
        ways = {"cutoff": cutoff, "weighted": weighted, "device": "cuda"}
        want, *others = (
            numbers(centralities(A, names, memory_budget=budget, **ways))
            for budget in (None, 2**25, 2**27)
        )
        for got in others:
            assert_array_equal(got, want)


def test_level_lists_that_run_out_of_room(width, monkeypatch):
    """The block is repeated with longer lists, and the bits are the same."""
    from sparsebc.engines.cuda.brandes_batch import brandes_batch

    width("WIDE")
    ways = {"cutoff": [3, 9, 20], "device": "cuda"}
    want = numbers(centralities(GRAPHS["grid"], PATHS, **ways))
    monkeypatch.setattr(brandes_batch, "SPREAD", 1)
    assert_array_equal(numbers(centralities(GRAPHS["grid"], PATHS, **ways)), want)


@pytest.mark.parametrize("weighted", [False, True])
def test_state_of_a_worker_is_in_the_plan(weighted, width, worker_bytes):
    """What is allocated for one is what `memory_budget` was divided by."""
    width("THIN")
    planned, taken = worker_bytes
    A = with_lengths(GRAPHS["streets"], LENGTHS["whole"]) if weighted else GRAPHS["streets"]
    for names in (PATHS, PATHS[:1], DISTANCES if weighted else PATHS[2:]):
        for cutoff in (3, [3, 5]):
            centralities(A, names, weighted=weighted, cutoff=cutoff, device="cuda")
    assert len(taken) == len(planned) >= 6
    assert all(held <= least for held, least in zip(taken, planned, strict=True))


def test_a_matrix_that_lives_there():
    """Scores are where it is, a column each, and edges a list of matrices."""
    import cupy
    import cupyx.scipy.sparse

    for A in (GRAPHS["hubs"], GRAPHS["grid"]):
        there = cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(A.astype(np.float64)))
        for measure in (betweenness, closeness):
            got = measure(there, cutoff=[2, 3])
            assert isinstance(got, cupy.ndarray)
            assert_allclose(got.get(), measure(A, cutoff=[2, 3], device="cpu"), rtol=1e-12)
        one, two = edge_betweenness(there, cutoff=[2, 3])
        assert isinstance(one, cupyx.scipy.sparse.csr_matrix)
        want = edge_betweenness(A, cutoff=3, device="cpu")
        assert_allclose(two.get().toarray(), want.toarray(), rtol=1e-12)


def test_a_graph_that_is_read_there(monkeypatch):
    """However small, with a device of its own for the patterns."""
    from sparsebc.engines.cuda import engine

    monkeypatch.setattr(engine, "SMALL", 0)
    for name in ("streets", "grid"):
        for cutoff in ([2, 9], 4):
            ways = {"cutoff": cutoff}
            want = centralities(GRAPHS[name], PATHS + DISTANCES, device="cpu", **ways)
            got = centralities(GRAPHS[name], PATHS + DISTANCES, device="cuda", **ways)
            assert_close(got, want)


def test_which_cutoffs_are_near():
    """By edges, by mean lengths, and where there is no edge; a farther one among several counts."""
    from sparsebc.engines.cuda.common.per_source import has_small_balls

    pattern = CSR(np.array([0, 1, 1]), np.array([1], np.int32))
    back = CSR(np.array([0, 0, 1]), np.array([0], np.int32))
    by_edges = Graph(2, pattern, back, GraphOps())
    long = Lengths(np.array([5.0]), np.array([5.0]), True, 0.0)
    for graph, unit in ((by_edges, 1), (replace(by_edges, lengths=long), 5)):
        assert not has_small_balls(graph)
        assert has_small_balls(replace(graph, cutoffs=(0, 64 * unit)))
        assert not has_small_balls(replace(graph, cutoffs=(1, 65 * unit)))
    none = CSR(np.zeros(3, int), np.zeros(0, np.int32))
    assert has_small_balls(Graph(2, none, none, GraphOps(), cutoffs=(1,)))


@pytest.mark.skipif(len(devices.gpus()) < 2, reason="no second GPU")
@pytest.mark.parametrize("kind", ["edges", "floats"])
def test_two_devices_change_no_bit(kind):
    """Blocks of either are added up in their order."""
    A = with_lengths(LARGEST["streets"], LENGTHS[kind]) if kind != "edges" else LARGEST["streets"]
    for names in (PATHS, DISTANCES):
        ways = {"cutoff": [1, 2, 3], "weighted": kind != "edges"}
        want, got = (
            numbers(centralities(A, names, device=on, **ways))
            for on in ("cuda", ["cuda:0", "cuda:1"])
        )
        assert_array_equal(got, want)
