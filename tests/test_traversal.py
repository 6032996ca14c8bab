"""Levels, distances, predecessors and components: size, memory, progress, and what is refused.

The conformance suite asks for their numbers.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csgraph

from sparsebc import bfs, connected_components, shortest_paths
from sparsebc.matrix import csr
from sparsebc.testing import matrices

NONE = -9999


def check_lengths(A, sources, device):
    """SciPy's distances to the last bit; predecessors make them up, and lead to the source."""
    distances, predecessors = shortest_paths(A, sources, weighted=True, device=device)
    want = csgraph.dijkstra(A, indices=sources)
    assert_array_equal(distances, want)
    own = np.arange(A.shape[0]) == np.array(sources)[:, np.newaxis]
    assert_array_equal(predecessors == NONE, np.isinf(want) | own)
    rows, nodes = np.nonzero(predecessors != NONE)
    before = predecessors[rows, nodes]
    assert_array_equal(want[rows, before] + A.toarray()[before, nodes], want[rows, nodes])
    back = np.where(predecessors == NONE, np.arange(A.shape[0]), predecessors)
    for _ in range(A.shape[0].bit_length()):  # twice as far each time
        back = np.take_along_axis(back, back, axis=1)
    assert_array_equal(back[np.isfinite(want)], np.repeat(sources, np.isfinite(want).sum(axis=1)))


def test_lengths_that_rounding_swallows_lead_back_to_the_source(device):
    """Nodes at one distance, in a ring, still lead back to the source."""
    edges = {(0, 4): 1, (4, 2): 1e-20, (2, 1): 1e-20, (1, 2): 1e-20, (2, 3): 1e-20, (3, 4): 1e-20}
    rows, columns = zip(*edges, strict=True)
    A = sp.csr_array((list(edges.values()), (rows, columns)), shape=(5, 5))
    check_lengths(A, [0], device)


def test_of_nodes_before_it_the_nearer_is_told(device):
    """Though a node at its own distance, which rounding makes a way to it, has a lower number."""
    A = sp.csr_array(([1, 1e-20, 1e-20], ([2, 0, 1], [0, 1, 0])), shape=(3, 3))
    check_lengths(A, [2], device)


def test_a_hub_of_many_lengths_has_the_distances_of_scipy(fast_device):
    """A row of more edges than one block of threads takes."""
    n, rng = 3000, np.random.default_rng(18)
    star = np.zeros(n - 1, dtype=int), np.arange(1, n)
    ring = np.arange(1, n), np.append(np.arange(2, n), 0)
    rows, columns = np.concatenate((star, ring), axis=1)
    for lengths in (rng.integers(1, 1000, rows.size) / 8, 10.0 ** rng.uniform(-6, 6, rows.size)):
        A = sp.csr_array((lengths, (rows, columns)), shape=(n, n))
        check_lengths(A, [0, 1, n // 2], fast_device)


@pytest.mark.parametrize("mean", [0.9, 1.2, 2.0, 5.0])
@pytest.mark.parametrize("seed", [41, 42])
def test_components_of_random_digraphs_are_those_of_scipy(fast_device, mean, seed):
    """Around the degree where a large strong component forms."""
    rng, n = np.random.default_rng(seed), 2000
    ends = rng.integers(0, n, (2, int(mean * n)))
    A = sp.csr_array((np.ones(ends.shape[1]), tuple(ends)), shape=(n, n))
    A.setdiag(0)
    A.eliminate_zeros()
    got = connected_components(A, connection="strong", device=fast_device)
    want = csgraph.connected_components(A, connection="strong")
    assert got[0] == want[0]
    assert_array_equal(got[1], want[1])


def drawn(test):
    """A test of a small matrix, by length or not, and of a seed."""
    small = matrices(min_nodes=1, max_nodes=12, max_edges=40)
    return settings(max_examples=60)(given(small, st.booleans(), st.integers(0, 2**32 - 1))(test))


def with_lengths(A, device, rng):
    """The matrix with lengths at random, some of them 0, which searches on a GPU refuse."""
    A = A.tocsr()
    A.sum_duplicates()
    zeros = [] if device.startswith("cuda") else [0.0, -0.0]
    A.data = rng.choice([0.5, 1.0, 2.0, *zeros], A.nnz)
    return A


@drawn
def test_rows_and_columns_are_those_of_csgraph(device, A, weighted, seed):
    """Sources as csgraph's ``indices``, a mask or none; targets; ``limit``."""
    n, rng = A.shape[0], np.random.default_rng(seed)
    A = with_lengths(A, device, rng)
    if weighted:
        check_lengths(A, range(n), device)
    one, mask = int(rng.integers(n)), rng.permutation(n) < rng.integers(1, n + 1)
    for sources, indices in ((None, None), (one, one), (mask, np.flatnonzero(mask))):
        limit = rng.choice([0.0, 1.0, 2.5, np.inf])
        asked = {"cutoff": limit, "targets": rng.permutation(np.flatnonzero(mask))}
        how = {"indices": indices, "unweighted": not weighted, "limit": limit}
        distances, before = csgraph.dijkstra(A, **how, return_predecessors=True)
        distances, before = (each[..., asked["targets"]] for each in (distances, before))
        got, tree = shortest_paths(A, sources, weighted=weighted, device=device, **asked)
        assert_array_equal(got, distances)
        assert_array_equal(tree == NONE, before == NONE)
        if not weighted:
            levels = np.where(np.isinf(distances), -1, distances)
            assert_array_equal(bfs(A, sources, device=device, **asked), levels)


@drawn
def test_the_nearest_source_is_that_of_csgraph(device, A, weighted, seed):
    """Distances are those of ``min_only``; where sources tie, each of them will do."""
    n, rng = A.shape[0], np.random.default_rng(seed)
    A = with_lengths(A, device, rng)
    sources, limit = rng.integers(0, n, rng.integers(1, 4)), rng.choice([1.0, 2.5, np.inf])
    for directed in (True, False):
        how = {"unweighted": not weighted, "limit": limit, "directed": directed}
        want = csgraph.dijkstra(A, indices=sources, min_only=True, **how)
        run = {"directed": directed, "min_only": True, "cutoff": limit, "device": device}
        distances, tree, nearest = shortest_paths(A, sources, weighted=weighted, **run)
        assert_array_equal(distances, want)
        reached = np.isfinite(want)
        assert_array_equal(tree == NONE, ~reached | np.isin(np.arange(n), sources))
        assert_array_equal(nearest == NONE, ~reached)
        every = csgraph.dijkstra(A, **how)
        assert_array_equal(every[nearest[reached], np.flatnonzero(reached)], want[reached])
        assert np.isin(nearest[reached], sources).all()
        inner = np.flatnonzero(tree != NONE)
        assert_array_equal(nearest[tree[inner]], nearest[inner])
        if not weighted:
            levels = bfs(A, sources, targets=[n - 1, 0], **run)
            assert_array_equal(levels, np.where(reached, want, -1)[[n - 1, 0]])


def test_the_nearest_source_is_far_on_a_path():
    for n in range(2, 20):
        _, _, nearest = shortest_paths(sp.csr_array(np.eye(n, k=1)), [0], min_only=True)
        assert_array_equal(nearest, np.zeros(n))


def test_what_progress_raises_ends_a_search():
    """What the callable raises comes out of the call."""

    def stop(done, total):
        raise KeyboardInterrupt(done)

    with pytest.raises(KeyboardInterrupt, match="64"):
        bfs(LARGE["dense"], range(150), progress=stop, workers=1, device="cpu")


def test_strong_components_of_more_are_refused(monkeypatch):
    """With the number of edges, and the device that takes them."""
    monkeypatch.setattr(csr, "CSGRAPH_ENTRIES", 2)
    A = sp.csr_array(np.triu(np.ones((3, 3)), k=1))
    with pytest.raises(ValueError, match=r"A has 3 edges.*takes at most 2: use device='cuda'"):
        connected_components(A, connection="strong", device="cpu")
    assert connected_components(A, device="cpu")[0] == 1
