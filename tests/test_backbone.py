"""Edges that a triangle rules out go, and no others: distances and ties stay what they were."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, with_lengths
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import betweenness
from sparsebc.matrix.ops import GraphOps
from sparsebc.matrix.read_matrix import weighted
from sparsebc.reduce.prune import backbone

WHOLE = np.arange(1, 30)


def graph_of(A):
    return weighted(A, directed=True)


def lengths_of(graph):
    """Dense matrix of lengths, 0 where there is no edge."""
    return graph.outgoing.matrix(graph.lengths.outgoing).toarray()


@pytest.mark.parametrize("by_hub", [False, True])
@pytest.mark.parametrize("unit", [1, 0.1])
@pytest.mark.parametrize("name", ["dense digraph", "dense graph", "communities", "tournament"])
def test_distances_stay_and_edges_go(name, unit, by_hub, monkeypatch):
    """What is gone is longer than a way by one other node, or by the busiest; ties stay."""
    if by_hub:
        monkeypatch.setattr("sparsebc.reduce.prune.HUB_WORK", 0)
        monkeypatch.setattr(GraphOps, "needed", lambda self, A, *_: np.ones(A.values.size, bool))
    before = graph_of(with_lengths(MEDIUM[name], WHOLE * unit))
    after = backbone(before, sources=before.n if by_hub else 10**9)
    old, new = lengths_of(before), lengths_of(after)
    distance = csgraph.dijkstra(sp.csr_array(old))
    np.testing.assert_array_equal(distance, csgraph.dijkstra(sp.csr_array(new)))
    assert ((new == old) | (new == 0)).all()
    gone = (old > 0) & (new == 0)
    assert gone.any()
    assert (old[gone] > distance[gone]).all()
    if not by_hub:  # all that a triangle rules out
        steps = np.where(old > 0, old, np.inf)
        around = (steps[:, :, np.newaxis] + steps[np.newaxis]).min(axis=1)
        assert (old[gone] > around[gone]).all()
        assert (new[new > 0] <= around[new > 0] * (1 + 1e-6)).all()
    incoming = after.incoming.matrix(after.lengths.incoming).toarray()
    np.testing.assert_array_equal(incoming, new.T)
    assert after.symmetric >= before.symmetric


def test_what_ties_stays():
    """3 = 1 + 2 is one of two shortest ways; 0.3 is, too, within the tolerance and without."""
    A = sp.csr_array(np.array([[0, 1, 3], [0, 0, 2], [0, 0, 0]]))
    for unit in (1, 0.1):
        for tau in (0, 1e-10 * unit):
            graph = graph_of(A * unit).tied(tau)
            assert backbone(graph, sources=10**9) is graph


EDGES = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda edge: edge[0] < edge[1])


@given(st.dictionaries(EDGES, st.integers(1, 9), min_size=1))
@example({(0, 1): 7, (1, 2): 1, (0, 2): 8, (1, 3): 50, (1, 4): 50})  # .7 + .1 < .8
def test_ways_through_the_hub_tie_as_whole_numbers_do(edges):
    """Tenths have the scores of the whole numbers that they are tenths of."""
    lengths = np.array([*edges.values()], dtype=float)
    A = sp.csr_array((lengths, tuple(zip(*edges, strict=True))), shape=(7, 7))
    ways = {"weighted": True, "directed": False, "normalized": False, "device": "cpu"}
    want = betweenness(A, reduce="none", **ways)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparsebc.reduce.prune.HUB_WORK", 0)
        patch.setattr(GraphOps, "needed", lambda self, A, *_: np.ones(A.values.size, bool))
        np.testing.assert_allclose(betweenness(A * 0.1, reduce={"prune"}, **ways), want, atol=1e-12)


def test_an_edge_longer_by_up_to_tau_stays():
    A = sp.csr_array(np.array([[0, 1.5, 4], [0, 0, 2], [0, 0, 0]]))
    assert backbone(graph_of(A).tied(0.5), sources=10**9).arcs == 3
    assert backbone(graph_of(A).tied(0.499), sources=10**9).arcs == 2


def test_a_search_must_pay():
    """With few sources, looking for triangles costs more than the edges it finds."""
    graph = graph_of(with_lengths(LARGE["dense"], WHOLE))
    assert backbone(graph, sources=1) is graph
    assert backbone(graph, sources=graph.n).arcs < graph.arcs
