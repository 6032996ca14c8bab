"""Girvan and Newman's communities are NetworkX's, and igraph's, level by level."""

import itertools

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import MEDIUM, matrix, with_lengths

from sparsebc.communities import girvan_newman


def sets(labels):
    """Communities as sets of nodes."""
    return {frozenset(np.flatnonzero(labels == one).tolist()) for one in range(labels.max() + 1)}


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_networkx(weighted):
    """By random lengths and by edges, where no two edges tie on the way."""
    A = with_lengths(matrix(nx.karate_club_graph()), np.random.default_rng(3).random(40) + 0.5)
    graph = nx.from_scipy_sparse_array(A)

    def highest(left):
        scores = nx.edge_betweenness_centrality(left, weight="weight" if weighted else None)
        most = max(scores.values())
        return min(edge for edge, score in scores.items() if score >= most * (1 - 1e-9))

    theirs = nx.community.girvan_newman(graph, highest)
    for level, (ours, want) in enumerate(
        zip(girvan_newman(A, weighted=weighted, device="cpu"), theirs, strict=True)
    ):
        assert sets(ours) == {frozenset(part) for part in want}
        assert ours.max() + 1 == len(want)
        if level == 6:
            break


def test_two_sides_of_igraph():
    """The karate club, cut in two."""
    A = matrix(nx.karate_club_graph())
    tree = igraph.Graph.from_networkx(nx.karate_club_graph()).community_edge_betweenness()
    assert sets(next(girvan_newman(A, device="cpu"))) == set(map(frozenset, tree.as_clustering(2)))


def test_to_the_last_node():
    """Levels grow by one part, from one more than there were; the last are the nodes alone."""
    A = MEDIUM["communities"]
    n = A.shape[0]
    levels = list(girvan_newman(A, device="cpu"))
    assert [labels.max() + 1 for labels in levels] == list(range(3, n + 1))
    for coarse, fine in itertools.pairwise(levels):
        assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == fine.max() + 1
    assert list(girvan_newman(sp.csr_array((3, 3)), device="cpu")) == []


def test_directions_do_not_count():
    """An entry is an edge both ways, as with the other one."""
    A = MEDIUM["digraph"]
    both = sp.csr_array(A + A.T)
    for one, other in itertools.islice(
        zip(girvan_newman(A, device="cpu"), girvan_newman(both, device="cpu"), strict=True), 3
    ):
        np.testing.assert_array_equal(one, other)
