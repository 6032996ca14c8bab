"""Scores that can be written down: raw, each unordered pair counted once unless directed."""

import math

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import layered, matrix

from sparsebc import betweenness


def raw(graph, device, **options):
    """Unnormalized scores of an undirected NetworkX graph."""
    return betweenness(matrix(graph), directed=False, normalized=False, device=device, **options)


@pytest.mark.parametrize("n", [1, 2, 3, 64, 65, 200])
def test_path(device, n):
    """Node i parts i nodes on the left from n - 1 - i on the right."""
    i = np.arange(n)
    np.testing.assert_allclose(raw(nx.path_graph(n), device), i * (n - 1 - i), rtol=1e-13)


def test_directed_path(device):
    """Only left to right: as many ordered pairs as there were unordered ones."""
    i = np.arange(100)
    got = betweenness(sp.eye_array(100, k=1, format="csr"), normalized=False, device=device)
    np.testing.assert_allclose(got, i * (99 - i), rtol=1e-13)


@pytest.mark.parametrize("leaves", [1, 2, 63, 64, 150])
def test_star(device, leaves):
    """Every pair of leaves goes through the hub, and nothing goes through a leaf."""
    want = [math.comb(leaves, 2), *[0] * leaves]
    np.testing.assert_allclose(raw(nx.star_graph(leaves), device), want, rtol=1e-13)


@pytest.mark.parametrize("n", [3, 4, 5, 66, 131])
def test_cycle(device, n):
    """At each distance d < n / 2, n pairs have d - 1 interior nodes each.

    For even n, the n / 2 antipodal pairs have two paths of n / 2 - 1 interior nodes, so n / 2 - 1
    shares a pair. Shared evenly by symmetry: sum over d of (d - 1), plus (n / 2 - 1) / 2.
    """
    near = (n - 1) // 2
    want = near * (near - 1) / 2 + ((n / 2 - 1) / 2 if n % 2 == 0 else 0)
    np.testing.assert_allclose(raw(nx.cycle_graph(n), device), [want] * n, rtol=1e-13)


def test_directed_cycle(device):
    """From each source, node v lies before all n - 1 - d(s, v) later nodes: sum 0 .. n - 2."""
    A = matrix(nx.cycle_graph(90, create_using=nx.DiGraph))
    got = betweenness(A, normalized=False, device=device)
    np.testing.assert_allclose(got, [math.comb(89, 2)] * 90, rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 70])
def test_complete(device, n):
    """All nodes are adjacent, so no path has an interior."""
    np.testing.assert_array_equal(raw(nx.complete_graph(n), device), np.zeros(n))


@pytest.mark.parametrize(("a", "b"), [(1, 4), (2, 3), (40, 90)])
def test_complete_bipartite(device, a, b):
    """The pairs on the far side share their paths evenly among the nodes of this side."""
    want = [math.comb(b, 2) / a] * a + [math.comb(a, 2) / b] * b
    np.testing.assert_allclose(raw(nx.complete_bipartite_graph(a, b), device), want, rtol=1e-13)


@pytest.mark.parametrize(("branches", "height"), [(2, 7), (3, 4)])
def test_balanced_tree(device, branches, height):
    """Paths are unique: a node parts every two of the components that its removal leaves.

    A subtree of height h has (r^(h + 1) - 1) / (r - 1) nodes, and of the pairs that are not v,
    those within one component do not pass v.
    """
    r = branches
    size = [(r ** (h + 1) - 1) // (r - 1) for h in range(height + 1)]
    n = size[height]
    want = []
    for depth in range(height + 1):
        h = height - depth
        below = [size[h - 1]] * r if h else []
        parts = [*below, n - size[h]]
        through = math.comb(n - 1, 2) - sum(math.comb(part, 2) for part in parts)
        want += [through] * r**depth  # NetworkX numbers the nodes level by level
    np.testing.assert_allclose(raw(nx.balanced_tree(r, height), device), want, rtol=1e-13)


@pytest.mark.parametrize(("width", "layers"), [(1, 80), (3, 30), (10, 20)])
def test_layered(device, width, layers):
    """Each of w l earlier and w (L - 1 - l) later nodes share their paths among w nodes."""
    layer = np.repeat(np.arange(layers), width)
    got = betweenness(layered(width, layers), normalized=False, device=device)
    np.testing.assert_allclose(got, width * layer * (layers - 1 - layer), rtol=1e-12)


@pytest.mark.parametrize("apart", [2, 2000])
def test_counts_about_a_byte(device, apart):
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


def test_hypercube(device):
    """At each distance d > 0, comb(m, d) nodes with d - 1 interior nodes; all nodes are alike."""
    m = 8
    want = sum(math.comb(m, d) * (d - 1) for d in range(1, m + 1)) / 2
    np.testing.assert_allclose(raw(nx.hypercube_graph(m), device), [want] * 2**m, rtol=1e-12)


def test_grid_50_by_50(fast_device):
    """The published maximum (cut, not rounded), where 64-bit integer path counts gave 6.4e10."""
    got = raw(nx.grid_2d_graph(50, 50), fast_device)
    assert got.max() == pytest.approx(90107.6985, abs=2e-4)
    assert np.flatnonzero(got > got.max() - 1e-6).tolist() == [1224, 1225, 1274, 1275]
