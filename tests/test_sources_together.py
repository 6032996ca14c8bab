"""Sources swept together or alone on the CPU: the same scores, and workers from two sources on."""

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import close, matrix, square, with_lengths
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from questions import questions

from sparsebc import betweenness, centralities, harmonic
from sparsebc.engines import batching, devices
from sparsebc.graph import read_weights
from sparsebc.reduce import reduce
from sparsebc.run import sweep_plan
from sparsebc.run.options import Run

ALL = ("betweenness", "edge_betweenness", "stress")


@pytest.fixture(params=["together", "alone"], scope="module")
def way(request):
    """How all sources are swept, whatever the engine would choose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "ALONE", 1 if request.param == "together" else 10**9)
        patch.setattr(batching, "SHARED_GROUPS", 1)
        patch.setattr(batching, "SPARSE", 0)
        yield request.param


def assert_exact(A, options, *, directed, normalized=False, endpoints=False):
    """All three measures at once, against paths enumerated one by one."""
    n, coo = A.shape[0], A.tocoo()
    edges = list(zip(coo.row.tolist(), coo.col.tolist(), strict=True))
    raw = oracle.raw(n, edges, endpoints=endpoints, directed=directed, **options)
    arcs = oracle.raw_edges(n, edges, directed=directed, **options)
    paths = oracle.raw_stress(n, edges, directed=directed, **options)
    want = {
        "betweenness": oracle.scaled(
            raw, directed=directed, normalized=normalized, endpoints=endpoints
        ),
        "stress": oracle.scaled(paths, directed=directed, normalized=False),
    }
    scores = {"normalized": normalized, "endpoints": endpoints, "directed": directed}
    got = centralities(A, ALL, **scores, **options, device="cpu")
    for name, exact in want.items():
        assert_allclose(got[name], np.array(exact, dtype=float), rtol=1e-11, atol=1e-13)
    found = got["edge_betweenness"].todok()
    for arc, exact in oracle.scaled_edges(
        arcs, n, directed=directed, normalized=normalized
    ).items():
        assert found.get(arc, 0.0) == pytest.approx(float(exact), rel=1e-11, abs=1e-13)


@settings(max_examples=40)
@given(questions())
def test_equals_the_definition(way, question):
    """Small matrices of any kind, and every option."""
    A, options = question
    if "k" in options:
        rng = np.random.default_rng(options.pop("rng"))
        options["sources"] = rng.choice(A.shape[0], options.pop("k"), replace=False).tolist()
    flags = {name: options.pop(name) for name in ("directed", "normalized", "endpoints")}
    assert_exact(A, options, **flags)


def rope(squares, length):
    """Squares in a row, a path, and squares again: deep, without leaves."""
    graph, node = nx.Graph(), 0
    for span in [2] * squares + [1] * length + [2] * squares:
        if span == 2:
            nx.add_path(graph, [node, node + 1, node + 3])
            nx.add_path(graph, [node, node + 2, node + 3])
            node += 3
        else:
            graph.add_edge(node, node + 1)
            node += 1
    return matrix(graph)


def one_way(A):
    """Every third arc alone, the others both ways."""
    both = A.tocoo()
    kept = (both.row < both.col) | ((both.row + both.col) % 3 > 0)
    return sp.csr_array((both.data[kept], (both.row[kept], both.col[kept])), shape=A.shape)


DEEP = {
    "rope": (rope(1, 13), None),
    "ends of a rope": (rope(2, 14), [0, 26]),
    "ring": (matrix(nx.cycle_graph(27)), [0, 1, 13]),
    "two ropes": (sp.csr_array(sp.block_diag([rope(1, 12), rope(1, 3)])), None),
    "one way": (one_way(rope(2, 13)), None),
    "ladder": (matrix(nx.ladder_graph(9)), [0, 8, 17]),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_graphs_equal_the_definition(way, name):
    """Sources at both ends of long paths, in components apart, and along arcs."""
    A, sources = DEEP[name]
    assert_exact(A, {"sources": sources}, directed=name == "one way")


@pytest.mark.parametrize("name", ["rope", "one way"])
def test_cutoffs_on_deep_graphs(way, name):
    """Each column ends on a level of its own."""
    A, directed = DEEP[name][0], name == "one way"
    coo = A.tocoo()
    edges = list(zip(coo.row.tolist(), coo.col.tolist(), strict=True))
    cutoff = [1, 3, 8, 30]
    got = betweenness(A, directed=directed, cutoff=cutoff, normalized=False, device="cpu")
    for column, most in enumerate(cutoff):
        raw = oracle.raw(A.shape[0], edges, directed=directed, cutoff=most)
        want = np.array(oracle.scaled(raw, directed=directed, normalized=False), dtype=float)
        close(got[:, column], want)


GRAPHS = {
    "shallow": (matrix(nx.complete_bipartite_graph(60, 60)), False),
    "deep": (square(30), False),
    "deep and dense": (sp.csr_array(sp.kron(matrix(nx.path_graph(30)), np.ones((9, 9)))), False),
    "by length": (with_lengths(square(15), range(1, 9)), True),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_workers_from_two_sources_on(name):
    """Few sources are batches enough for several workers; how many there are changes no bit."""
    A, weighted = GRAPHS[name]
    graph = read_weights.weighted(A, directed=False, tie_rtol=0)
    assert bool(graph.lengths) == weighted
    everyone = np.ones(graph.n, dtype=bool)
    for count in (2, 5, 64, 100):
        some = np.isin(np.arange(graph.n), np.random.default_rng(1).permutation(graph.n)[:count])
        problem = reduce.reduced(graph, some, everyone)
        batches = sweep_plan.planned(devices.select("cpu"), problem, frozenset(), Run()).batches
        assert len(batches) >= min(count, 4)
        assert sum(batch.sources.size for batch in batches) == problem.sources.size
    ways = {"weighted": weighted, "directed": False, "sources": np.flatnonzero(some)}
    alone = betweenness(A, **ways, workers=1, device="cpu")
    assert_array_equal(betweenness(A, **ways, workers=3, device="cpu"), alone)


def test_workers_from_two_searches_on(monkeypatch):
    """Few searches of a deep graph are batches enough as well, and no worker changes a bit."""
    made, cut = [], batching.cut
    monkeypatch.setattr(batching, "cut", lambda *a, **b: made.append(cut(*a, **b)) or made[-1])
    A, sources = square(30), [0, 450, 899]
    want = harmonic(A, directed=False, sources=sources, workers=1, device="cpu")
    assert len(made[-1]) == len(sources)
    got = harmonic(A, directed=False, sources=sources, workers=3, device="cpu")
    assert_array_equal(got, want)


def test_workers_from_many_searches_on(monkeypatch):
    """Sources that lie apart go alone where levels are many, and in masks where they are few."""
    made, cut = [], batching.cut
    monkeypatch.setattr(batching, "cut", lambda *a, **b: made.append(cut(*a, **b)) or made[-1])
    monkeypatch.setattr(batching, "VISITS", 1)
    for graph, alone in ((nx.grid_2d_graph(3, 400), True), (nx.grid_2d_graph(35, 35), False)):
        A = matrix(graph)
        sources = np.random.default_rng(1).permutation(A.shape[0])[:600]
        got = harmonic(A, directed=False, sources=sources, workers=3, device="cpu")
        assert (len(made[-1]) >= 16) == alone
        distance = sp.csgraph.shortest_path(A, unweighted=True, indices=sources)
        want = np.sum(1 / np.where(distance, distance, np.inf), axis=0)
        assert_allclose(got / got.sum(), want / want.sum(), rtol=1e-12)
