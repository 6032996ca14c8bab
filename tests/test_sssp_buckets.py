"""Nodes that an arc too short for a bucket leads to are settled in order among themselves."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import harmonic, shortest_paths
from sparsebc.engines.cpu.sssp import sssp

SCALES = np.append(np.linspace(1, 4, 40), [0.01, 0.02, 0.3])
STREETS = with_lengths(matrix(nx.grid_2d_graph(17, 16)), SCALES)
RANDOM = with_lengths(matrix(nx.gnm_random_graph(300, 900, seed=4)), SCALES)
GRAPHS = {
    "streets": STREETS,
    "random": RANDOM,
    "one way": sp.csr_array(sp.triu(RANDOM, k=1)),
    # A hundred nodes that lie together, in a bucket or two.
    "campus": sp.block_array(
        [
            [STREETS, sp.csr_array(([2.0], ([5], [9])), shape=(272, 100))],
            [sp.csr_array(([2.0], ([9], [5])), shape=(100, 272)), STREETS[:100, :100] / 200],
        ],
        format="csr",
    ),
}


@pytest.fixture(params=[0.1, 0.5, 0.9])
def made(request, monkeypatch):
    """Queues that are made while so many of the arcs count as short."""
    queues = []
    queue = sssp.queue
    monkeypatch.setattr(sssp, "SHORT", request.param)
    monkeypatch.setattr(sssp, "queue", lambda *a: queues.append(queue(*a)) or queues[-1])
    return queues


def mixed(queues):
    """Whether buckets hold nodes of both kinds."""
    return [0 < q.short.sum() and not q.distances.size for q in queues]


@pytest.mark.parametrize("name", GRAPHS)
def test_distances_are_dijkstras(name, made):
    """To the last bit; each node's predecessor is the last on a shortest path."""
    A = GRAPHS[name]
    n = A.shape[0]
    sources = np.arange(0, n, 7)
    D, tree = shortest_paths(A, sources, weighted=True, directed=True, device="cpu")
    assert all(mixed(made)), made
    assert_array_equal(D, csgraph.dijkstra(A, indices=sources))
    i, v = np.nonzero(np.isfinite(D) & (D > 0))
    u = tree[i, v]
    assert_array_equal(D[i, u] + A[u, v], D[i, v])
    sums = np.divide(1, D, out=np.zeros_like(D), where=D > 0).sum(axis=0)
    ways = {"weighted": True, "directed": True, "device": "cpu"}
    assert_allclose(harmonic(A, sources=sources, **ways), sums, rtol=1e-12)
