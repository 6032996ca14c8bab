"""Edges that a triangle rules out go, and no others: distances and ties stay what they were."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, with_lengths
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import betweenness
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_weights import weighted
from sparsebc.reduce.prune import backbone
from sparsebc.testing import matrices

WHOLE = np.arange(1, 30)
TENTHS = WHOLE / 10


def graph_of(A, *, directed=True, tie_rtol=1e-10):
    return weighted(A, directed=directed, tie_rtol=tie_rtol)


def lengths_of(graph):
    """Dense matrix of lengths, 0 where there is no edge."""
    return graph.outgoing.matrix(graph.lengths.outgoing).toarray()


def assert_same_paths(A, directed):
    """Same distances; and what is gone is longer than a way by one other node."""
    before = graph_of(A, directed=directed)
    after, kept = backbone(before, sources=10**9)
    if before.lengths is None:
        assert after is before
        return before, after
    if kept is not None:
        np.testing.assert_array_equal(before.outgoing.indices[kept], after.outgoing.indices)
        np.testing.assert_array_equal(before.outgoing.rows[kept], after.outgoing.rows)
    old, new = lengths_of(before), lengths_of(after)
    np.testing.assert_array_equal(
        csgraph.dijkstra(sp.csr_array(old)), csgraph.dijkstra(sp.csr_array(new))
    )
    assert ((new == old) | (new == 0)).all()
    steps = np.where(old > 0, old, np.inf)
    around = (steps[:, :, np.newaxis] + steps[np.newaxis]).min(axis=1, initial=np.inf)
    gone = (old > 0) & (new == 0)
    assert (old[gone] > around[gone]).all()
    kept = new > 0
    assert (new[kept] <= around[kept] * (1 + 1e-6)).all()
    if after.lengths.incoming is not after.lengths.outgoing:
        incoming = after.incoming.matrix(after.lengths.incoming).toarray()
        np.testing.assert_array_equal(incoming, new.T)
    assert after.symmetric >= before.symmetric
    return before, after


@given(A=matrices(explicit_zeros=False, self_loops=False), directed=st.booleans())
def test_paths_stay_on_small_matrices(A, directed):
    assert_same_paths(A, directed)


@pytest.mark.parametrize("lengths", [WHOLE, TENTHS], ids=["whole", "tenths"])
@pytest.mark.parametrize("name", ["dense digraph", "dense graph", "communities", "tournament"])
def test_paths_stay_and_edges_go(name, lengths):
    before, after = assert_same_paths(with_lengths(MEDIUM[name], lengths), directed=True)
    assert after.arcs < before.arcs


def test_what_ties_stays():
    """3 = 1 + 2 is one of two shortest ways; 0.3 is, too, within the tolerance and without."""
    A = sp.csr_array(np.array([[0, 1, 3], [0, 0, 2], [0, 0, 0]]))
    for unit in (1, 0.1):
        for tie_rtol in (0, 1e-10):
            graph = graph_of(A * unit, tie_rtol=tie_rtol)
            assert backbone(graph, sources=10**9) == (graph, None)
    longer = A.copy()
    longer[0, 2] = 4
    assert backbone(graph_of(longer), sources=10**9)[0].arcs == 2


def test_a_search_must_pay():
    """With few sources, looking for triangles costs more than the edges it finds."""
    graph = graph_of(with_lengths(LARGE["dense"], WHOLE))
    assert backbone(graph, sources=1) == (graph, None)
    assert backbone(graph, sources=graph.n)[0].arcs < graph.arcs


@pytest.mark.parametrize("lengths", [WHOLE, TENTHS], ids=["whole", "tenths"])
@pytest.mark.parametrize("name", ["dense digraph", "dense graph", "communities", "tournament"])
def test_ways_through_the_busiest_node_rule_edges_out(name, lengths, monkeypatch):
    """Distances stay, ties too: what is gone is longer than the distance between its ends."""
    monkeypatch.setattr("sparsebc.reduce.prune.HUB_WORK", 0)
    monkeypatch.setattr(GraphOps, "needed", lambda self, A, *_: np.ones(A.values.size, bool))
    before = graph_of(with_lengths(MEDIUM[name], lengths))
    after, _ = backbone(before, sources=before.n)
    old, new = lengths_of(before), lengths_of(after)
    distance = csgraph.dijkstra(sp.csr_array(old))
    np.testing.assert_array_equal(distance, csgraph.dijkstra(sp.csr_array(new)))
    assert ((new == old) | (new == 0)).all()
    gone = (old > 0) & (new == 0)
    assert gone.any()
    assert (old[gone] > distance[gone]).all()
    assert after.symmetric == before.symmetric


@pytest.mark.parametrize("k", [None, 5])
def test_ends_of_a_graph_that_is_symmetric_but_for_detours(fast_device, k):
    """A tree both ways, and one-way edges longer than two others: pairs at their ends all count."""
    tree = nx.DiGraph(nx.path_graph(5))
    nx.set_edge_attributes(tree, 1.0, "weight")
    tree.add_weighted_edges_from([(0, 2, 9.0), (4, 2, 2.5)])
    found = betweenness(
        nx.to_scipy_sparse_array(tree),
        weighted=True,
        endpoints=True,
        k=k,
        rng=None if k is None else 1,
        device=fast_device,
    )
    want = nx.betweenness_centrality(tree, weight="weight", endpoints=True)
    np.testing.assert_allclose(found, list(want.values()))
