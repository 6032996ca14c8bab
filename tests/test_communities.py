"""Girvan and Newman's communities are NetworkX's, and igraph's, level by level."""

import itertools

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import MEDIUM, matrix
from hypothesis import assume, given
from hypothesis import strategies as st

from sparsebc.communities import girvan_newman, modularity, partition
from sparsebc.testing import matrices


def sets(labels):
    """Communities as sets of nodes."""
    return {frozenset(np.flatnonzero(labels == one).tolist()) for one in range(labels.max() + 1)}


def test_directions_do_not_count():
    """An entry is an edge both ways, as with the other one."""
    A = MEDIUM["digraph"]
    both = sp.csr_array(A + A.T)
    for one, other in itertools.islice(
        zip(girvan_newman(A, device="cpu"), girvan_newman(both, device="cpu"), strict=True), 3
    ):
        np.testing.assert_array_equal(one, other)


@given(matrices(max_nodes=6))
def test_directions_count_if_asked(A):
    """The edge of highest betweenness along directions goes, and weak components are left."""
    graph = nx.from_scipy_sparse_array(A, create_using=nx.DiGraph)
    graph.remove_edges_from([*nx.selfloop_edges(graph)])
    want, parts = [], nx.number_weakly_connected_components(graph)
    while graph.edges:
        scores = nx.edge_betweenness_centrality(graph)
        highest = [
            edge for edge, score in scores.items() if score > 0.999999 * max(scores.values())
        ]
        graph.remove_edge(*min(highest))
        if nx.number_weakly_connected_components(graph) > parts:
            want.append({*map(frozenset, nx.weakly_connected_components(graph))})
            parts = len(want[-1])
    assert [sets(labels) for labels in girvan_newman(A, directed=True, device="cpu")] == want


@given(matrices(), st.booleans(), st.booleans(), st.data())
def test_modularity_is_networkxs(A, directed, weighted, data):
    """By edges and by strengths, with loops; an entry that is stored twice is one edge.

    An undirected edge may be stored once, and strengths may be close to the largest floats.
    """
    n, ends = A.shape[0], sp.coo_array(A).coords
    edges = sorted(set(zip(*(end.tolist() for end in ends), strict=True)))
    assume(edges)
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    strengths = data.draw(st.lists(st.floats(0.01, 1), min_size=len(graph.edges)))
    for edge, strength in zip(graph.edges, strengths, strict=False):
        graph.edges[edge]["weight"] = strength
    labels = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
    parts = [np.flatnonzero(labels == one).tolist() for one in np.unique(labels)]
    want = nx.community.modularity(graph, parts, weight="weight" if weighted else None)
    asked = {"directed": directed, "weighted": weighted}
    B = nx.to_scipy_sparse_array(graph, nodelist=range(n))
    found = modularity(B, labels, **asked)
    assert found == pytest.approx(want, abs=1e-12)
    assert modularity(B * 2.0**1017, labels, **asked) == found
    if not directed:
        assert modularity(sp.triu(B), labels, **asked) == pytest.approx(want, abs=1e-12)
    if not weighted:
        assert modularity(A, labels, **asked) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("directed", [False, True])
def test_the_best_level_is_that_of_highest_modularity(directed):
    """Of NetworkX's levels by length, from the components on, that of its largest modularity."""
    rng = np.random.default_rng(5)
    graph = nx.disjoint_union(nx.karate_club_graph(), nx.cycle_graph(5))
    for _, _, edge in graph.edges(data=True):
        edge["weight"] = rng.random() + 0.5
    lengths = nx.to_scipy_sparse_array(graph)
    strengths = lengths.copy()
    strengths.data = rng.random(lengths.nnz) if directed else 1 / lengths.data
    strong = nx.from_scipy_sparse_array(strengths, create_using=nx.DiGraph if directed else None)

    def highest(left):
        scores = nx.edge_betweenness_centrality(left, weight="weight")
        return max(scores, key=scores.get)

    levels = list(itertools.islice(nx.community.girvan_newman(graph, highest), 7))
    levels = [tuple(nx.connected_components(graph)), *levels]
    want = [nx.community.modularity(strong, level) for level in levels]
    run = {"directed": directed, "weighted": True, "strengths": strengths, "device": "cpu"}
    found = partition(lengths, len(levels) + 1, **run)
    assert found.parts.tolist() == [len(level) for level in levels]
    np.testing.assert_allclose(found.modularity, want, rtol=0, atol=1e-12)
    assert sets(found.labels) == {*map(frozenset, levels[-1])}
    best = partition(lengths, **run)
    assert sets(best.labels) == {*map(frozenset, levels[int(np.argmax(want))])}


def test_the_best_level_of_the_karate_club_is_igraphs():
    """The karate club by edges: five parts, as Newman and Girvan found."""
    graph = nx.karate_club_graph()
    theirs = igraph.Graph.from_networkx(graph).community_edge_betweenness()
    steps = []
    found = partition(matrix(graph), device="cpu", progress=lambda *step: steps.append(step))
    assert steps[-1] == (78, 78)
    assert found.labels.max() + 1 == theirs.optimal_count == 5
    assert found.modularity.max() == pytest.approx(theirs.as_clustering().modularity, abs=1e-12)
    assert found.parts.tolist() == list(range(1, 35))


def test_graphs_without_edges_or_cuts_are_left_whole():
    """No modularity without edges; a clique is best left whole."""
    assert list(girvan_newman(sp.csr_array((3, 3)), device="cpu")) == []
    found = partition(sp.csr_array((3, 3)), device="cpu")
    assert found.labels.tolist() == [0, 1, 2]
    assert np.isnan(found.modularity).all()
    assert np.isnan(modularity(sp.csr_array((3, 3)), [0, 0, 1]))
    found = partition(matrix(nx.complete_graph(5)), device="cpu")
    assert found.labels.tolist() == [0] * 5
    assert found.modularity[0] == 0
    found = partition(matrix(nx.cycle_graph(4)), device="cpu")
    assert found.labels.tolist() == [0] * 4  # of equal levels the first
    assert found.modularity[:2].tolist() == [0, 0]
