"""Scores that can be written down: raw, each unordered pair counted once."""

import math

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix

from sparsebc import betweenness, centralities, distance_summary

ALL = ["betweenness", "stress", "edge_betweenness"]


def path(n):
    """Node i parts i nodes on the left from n - 1 - i on the right; the edge after it one more."""
    i = np.arange(n)
    return nx.path_graph(n), i * (n - 1 - i), None, np.repeat((i + 1) * (n - 1 - i), 2)[: 2 * n - 2]


def cycle(n):
    """At each distance d < n / 2, n pairs have d - 1 interior nodes each.

    Two paths join opposite nodes of an even cycle.
    """
    near, even = (n - 1) // 2, n % 2 == 0
    want = near * (near - 1) / 2 + (n / 2 - 1) / 2 * even
    paths = near * (near - 1) / 2 + (n / 2 - 1) * even
    return (
        nx.cycle_graph(n),
        [want] * n,
        [paths] * n,
        [near * (near + 1) / 2 + n / 4 * even] * 2 * n,
    )


def balanced_tree(r, height):
    """Paths are unique: a node parts every two of the components that its removal leaves.

    NetworkX numbers the nodes level by level.
    """
    size = [(r ** (h + 1) - 1) // (r - 1) for h in range(height + 1)]
    n, want = size[height], []
    for depth in range(height + 1):
        h = height - depth
        parts = [*([size[h - 1]] * r if h else []), n - size[h]]
        through = math.comb(n - 1, 2) - sum(math.comb(part, 2) for part in parts)
        want += [through] * r**depth
    return nx.balanced_tree(r, height), want, None, None


FORMS = [
    *((path, n) for n in (1, 65, 200)),
    *((cycle, n) for n in (66, 131)),
    *((balanced_tree, *sizes) for sizes in ((2, 7), (3, 4))),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form[0].__name__} {form[1:]}")
def test_scores_are_those_of_the_closed_form(device, form):
    """Betweenness, stress (the same, where paths are unique) and that of edges."""
    graph, nodes, paths, edges = form[0](*form[1:])
    got = centralities(matrix(graph), ALL, directed=False, normalized=False, device=device)
    np.testing.assert_allclose(got["betweenness"], nodes, rtol=1e-12)
    np.testing.assert_allclose(got["stress"], nodes if paths is None else paths, rtol=1e-12)
    if edges is not None:
        np.testing.assert_allclose(got["edge_betweenness"].data, edges, rtol=1e-12)


@pytest.mark.parametrize("apart", [2, 2000])
def test_path_counts_about_a_byte_are_exact(device, apart):
    """Source j has paths by way of the first m_j of some nodes, and so to each of the 300 beyond.

    Counts pass what a byte holds, and sums of 300 of them what two bytes hold. Another source leads
    to j alone, so that nodes are on one level of the one and on the next of the other. Nodes apart
    from all this make its levels small parts of the graph.
    """
    ways = np.array([1, 2, 3, 128, *range(240, 300, 3), 300])
    count, middle, beyond, last = ways.size, 300, 300, 5
    joins = np.arange(middle) < ways[:, None]
    blocks = [[None] * 6 for _ in range(6)]
    blocks[0][1], blocks[1][2] = sp.eye_array(count), joins.astype(float)
    blocks[2][3], blocks[3][4] = np.ones((middle, beyond)), np.ones((beyond, last))
    blocks[0][0], blocks[4][4] = sp.csr_array((count, count)), sp.csr_array((last, last))
    blocks[5][5] = sp.eye_array(apart, k=1)
    A = sp.csr_array(sp.block_array(blocks))
    got = betweenness(A, sources=range(2 * count), normalized=False, device=device)
    passing = (joins * ((beyond + last) / ways)[:, None]).sum(axis=0)
    want = np.concatenate(
        (
            np.zeros(count),
            ways + beyond + last,
            2 * passing,
            np.full(beyond, 2 * count * last / beyond),
            np.zeros(last + apart),
        )
    )
    np.testing.assert_allclose(got, want, rtol=1e-13)


def test_a_grid_of_50_by_50_has_the_published_maximum(fast_device):
    """The published maximum (cut, not rounded), where 64-bit integer path counts gave 6.4e10."""
    A = matrix(nx.grid_2d_graph(50, 50))
    got = betweenness(A, directed=False, normalized=False, device=fast_device)
    assert got.max() == pytest.approx(90107.6985, abs=2e-4)
    assert np.flatnonzero(got > got.max() - 1e-6).tolist() == [1224, 1225, 1274, 1275]


@pytest.mark.parametrize("n", [4, 7, 11, 30])
@pytest.mark.parametrize("length", [0.1, 0.7, 1 / 3])
def test_bins_as_wide_as_every_edge_count_each_distance(device, n, length):
    """A sum of rounded lengths, or their mean, does not take a pair into the next bin."""
    found = distance_summary(length * np.eye(n, k=1), weighted=True, device=device)
    assert found.counts.tolist() == [0, *range(n - 1, 0, -1)]


def test_every_distance_has_a_bin(device):
    """One that is lost beside the mean length, too."""
    A = sp.csr_array(np.diag([1e-300, 1e300], k=1))
    found = distance_summary(A, weighted=True, device=device)
    assert (found.counts.tolist(), found.reachable) == ([0, 1, 2], 0.5)
