"""Distances from many near sources at once on the CPU, and the order of nodes that they give."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, peer, with_lengths
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import betweenness, harmonic
from sparsebc.engines.cpu.kernels import radix_sort, sssp_batch, sssp_buckets

NO_STOP = np.zeros(1, dtype=np.uint8)
relaxed = njit(sssp_batch.relax)
arranged = njit(radix_sort.sort_by_distance)
taken = njit(radix_sort.take_columns)

STREETS = matrix(nx.grid_2d_graph(30, 30))
KARATE = matrix(nx.karate_club_graph())
GRAPHS = {
    "streets": with_lengths(STREETS, range(1, 10)),
    "uneven streets": with_lengths(STREETS, np.geomspace(0.1, 1e3, 50)),
    "one way": sp.csr_array(sp.triu(with_lengths(STREETS, range(1, 4)), k=1)),
    "components": with_lengths(sp.block_diag([STREETS, KARATE], "csr"), [1, 2, 5]),
    "shallow": with_lengths(KARATE, np.linspace(0.3, 3, 11)),
}


def search(A, sources):
    """What `relax` finds in the order of the first source: whether it did, and its state."""
    n = A.shape[0]
    first = csgraph.dijkstra(A, indices=sources[0])
    batch = sssp_batch.empty_batch(n)
    arrays = A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data.astype(float)
    state = sssp_buckets.search(*arrays, NO_STOP)
    state.order[:] = np.argsort(first, kind="stable")
    return relaxed(state, np.array(sources, dtype=np.int32), batch), batch


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("count", [1, 8, 29])
def test_distances_are_dijkstras(name, count):
    """To the last bit, for whatever part of the 64 columns has a source; the others stay clear."""
    A = sp.csr_array(GRAPHS[name])
    sources = np.arange(count)
    done, rows = search(A, sources)
    assert done
    found = rows.distance.reshape(-1, sssp_batch.WIDTH)
    assert_array_equal(found[:, :count].T, csgraph.dijkstra(A, indices=sources))
    assert np.isinf(found[:, count:]).all()
    assert not rows.fallen.any()


def zigzag(m):
    """Node 0 has edges to all of a path that starts from node 1, in an order that turns at each."""
    path = np.arange(m)
    far = 10 * m
    from_hub = far + np.where(path % 2, path, 2 * m - path)
    tails = np.concatenate([np.zeros(m + 1), [1], path[:-1] + 2])
    heads = np.concatenate([[1], path + 2, [2], path[1:] + 2])
    lengths = np.concatenate([[2 * far], from_hub, np.full(m, 2 * m + 1)])
    return sp.csr_array((lengths, (tails.astype(int), heads)), shape=(m + 2, m + 2))


def test_an_order_that_is_of_no_use_is_given_up():
    """The rows are as they were, and each source searches alone."""
    A = zigzag(1000)
    done, rows = search(A, [0, 1])
    assert not done
    assert np.isinf(rows.distance).all()
    assert not rows.fallen.any()
    D = csgraph.dijkstra(A, indices=[0, 1])
    expected = np.where(np.isfinite(D) & (D > 0), 1 / np.where(D > 0, D, 1), 0).sum(axis=0)
    got = harmonic(A, weighted=True, sources=[0, 1], device="cpu")
    assert_allclose(got, expected, rtol=1e-12)
    graph = peer(A, directed=True)
    by_pairs = nx.betweenness_centrality_subset(graph, [0, 1], list(graph), weight="weight")
    got = betweenness(A, weighted=True, sources=[0, 1], normalized=False, device="cpu")
    assert_allclose(got, list(by_pairs.values()))


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
def test_nodes_are_sorted_by_bucket(width):
    """By number within one; one to four digits, and what is out of reach is left out."""
    n = 300
    D = np.random.default_rng(5).uniform(0, 1000, (n, radix_sort.LANES))
    D[::7] = np.inf
    D[3] = 0
    rows = np.full((n, sssp_batch.WIDTH), np.inf)
    rows[:, 8:16] = D
    memory = radix_sort.sorting(n, width)
    taken(rows.ravel(), 8, memory.columns)
    distance, order = np.empty(n), np.empty(n, dtype=np.int32)
    for column in range(radix_sort.LANES):
        count, farthest = arranged(memory, column, distance, order)
        here = D[:, column]
        assert_array_equal(distance, here)
        assert farthest == here[np.isfinite(here)].max()
        reached = np.flatnonzero(np.isfinite(here))
        buckets = (here[reached] * (1 / width)).astype(np.int64)
        assert_array_equal(order[:count], reached[np.argsort(buckets, kind="stable")])
