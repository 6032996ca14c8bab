"""Traps that other systems fell into, each with the answer worked out in whole numbers."""

import math

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, matrix

from sparsebc import betweenness


def grid(side):
    """Square grid, nodes numbered row by row."""
    return matrix(nx.grid_2d_graph(side, side))


def lattice_scores(side, source, targets):
    """Directed raw scores of one source on a grid, from binomial coefficients.

    A shortest path on a grid is a monotone lattice path, so comb(dx + dy, dx) paths join two
    nodes, and v lies on one exactly where it lies in the rectangle that the two span. Python's
    integers do not overflow and its integer division rounds once.
    """

    def paths(a, b):
        dx, dy = abs(a // side - b // side), abs(a % side - b % side)
        return math.comb(dx + dy, dx)

    def between(a, b):
        rows, columns = sorted([a // side, b // side]), sorted([a % side, b % side])
        return [
            x * side + y
            for x in range(rows[0], rows[1] + 1)
            for y in range(columns[0], columns[1] + 1)
        ]

    shares = [[] for _ in range(side * side)]
    for t in targets:
        for v in between(source, t):
            if v not in (source, t):
                shares[v].append(paths(source, v) * paths(v, t) / paths(source, t))
    return np.array([math.fsum(share) for share in shares])


@pytest.mark.parametrize(
    "side",
    [
        pytest.param(18, id="int32 wraps"),
        pytest.param(30, id="float64 rounds"),
        pytest.param(35, id="int64 wraps"),
    ],
)
def test_path_counts_of_a_grid(device, side):
    """From a corner to all, and from the middle to the far side; exact to a few roundings."""
    n = side * side
    middle = n // 2 + side // 2
    for source, targets in [(0, range(n)), (middle, range(n - side, n))]:
        got = betweenness(
            grid(side), normalized=False, sources=[source], targets=targets, device=device
        )
        want = lattice_scores(side, source, targets)
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_asymmetric_digraph(device):
    """0 -> 1 -> 3, 0 -> 2 -> 3, 3 -> 4: pulling along the wrong edges gives zeros here."""
    A = sp.csr_array((np.ones(5), ([0, 0, 1, 2, 3], [1, 2, 3, 3, 4])), shape=(5, 5))
    got = betweenness(A, normalized=False, device=device)
    np.testing.assert_array_equal(got, [0, 1, 1, 3, 0])


def test_one_batch_is_many(device):
    """Every source asked for alone, and all at once."""
    A = LARGE["streets"]
    alone = [
        betweenness(A, normalized=False, sources=[s], device=device) for s in range(A.shape[0])
    ]
    got = betweenness(A, normalized=False, device=device)
    np.testing.assert_allclose(got, np.sum(alone, axis=0), rtol=1e-11, atol=1e-11)


def test_a_source_does_not_score_itself(device):
    """GAP and its verifier add n - 1 to each source; a source lies inside none of its paths."""
    A = matrix(nx.path_graph(5))
    got = betweenness(A, normalized=False, sources=[2], device=device)
    np.testing.assert_array_equal(got, [0, 1, 0, 1, 0])
    hub = betweenness(matrix(nx.star_graph(80)), normalized=False, sources=[0], device=device)
    np.testing.assert_array_equal(hub, np.zeros(81))


def test_sources_are_not_inflated(device):
    """Explicit sources are the question, not a sample of it: no factor n / k."""
    A = matrix(nx.path_graph(4))
    ways = {"directed": False, "device": device}
    np.testing.assert_allclose(betweenness(A, sources=[0], **ways), [0, 2 / 6, 1 / 6, 0])
    np.testing.assert_allclose(
        betweenness(A, sources=[0], normalized=False, **ways), [0, 1, 0.5, 0]
    )


def test_undirected_sources_and_targets_differ(device):
    """0 - 1 - 2 - 3: the pair (0, 3) is asked for in one order, so it counts one half."""
    A = matrix(nx.path_graph(4))
    ways = {"normalized": False, "directed": False, "device": device}
    np.testing.assert_array_equal(
        betweenness(A, sources=[0], targets=[3], **ways), [0, 0.5, 0.5, 0]
    )
    np.testing.assert_array_equal(
        betweenness(A, sources=[0, 3], targets=[0, 3], **ways), [0, 1, 1, 0]
    )


def test_either_entry_is_an_undirected_edge(device):
    """One triangle of a symmetric matrix is enough, and both together do not count twice."""
    full = LARGE["leaves on hubs"]
    ways = {"normalized": False, "directed": False, "device": device}
    want = betweenness(full, **ways)
    for half in (sp.triu(full, format="csr"), sp.tril(full, format="csr")):
        np.testing.assert_array_equal(betweenness(half, **ways), want)


def test_halving_is_for_undirected_graphs_only(device):
    """scikit-network halves digraphs too; a symmetric digraph counts both orders of a pair."""
    A = matrix(nx.star_graph(3))
    got = [betweenness(A, normalized=False, directed=d, device=device)[0] for d in (True, False)]
    assert got == [6, 3]
