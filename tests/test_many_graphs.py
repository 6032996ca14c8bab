"""Many small graphs in a block-diagonal matrix: the scores of each, at the cost of its rows."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from sparsebc import betweenness

COUNT = 300


def one(seed, directed=False):
    """Adjacency of a graph of a few nodes, trees and cut nodes in it, and its peer's scores."""
    G = nx.gnm_random_graph(12 + seed % 9, 20 + seed % 7, seed=seed, directed=directed)
    return nx.to_scipy_sparse_array(G, dtype=float), G


def side_by_side(graphs):
    """The matrices in one, their rows mixed; and where each row of the parts went."""
    whole = sparse.csr_array(sparse.block_diag(graphs))
    order = np.random.default_rng(5).permutation(whole.shape[0])
    return whole[order][:, order], np.argsort(order)


@pytest.mark.parametrize("directed", [False, True])
def test_each_has_its_own_scores(directed):
    """Pairs in different graphs have no path; edges too."""
    parts, peers = zip(*(one(seed, directed) for seed in range(COUNT)), strict=True)
    A, place = side_by_side(parts)
    got = betweenness(A, directed=directed, normalized=False)
    want = [
        list(nx.betweenness_centrality(peer, normalized=False).values()) for peer in peers[::10]
    ]
    each = np.split(got[place], np.cumsum([part.shape[0] for part in parts])[:-1])
    np.testing.assert_allclose(np.concatenate(each[::10]), np.concatenate(want), atol=1e-12)
    np.testing.assert_array_equal(
        got, betweenness(A, directed=directed, normalized=False, workers=1, memory_budget=1 << 27)
    )
