"""Few sources are batches enough for several workers on the CPU, and no worker changes a bit."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, square, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, harmonic
from sparsebc.engines import devices
from sparsebc.engines.common import batching
from sparsebc.graph import read_weights
from sparsebc.reduce import reduce
from sparsebc.run import sweep_plan
from sparsebc.run.options import Run

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
