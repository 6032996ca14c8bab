"""Path counts beyond the range of floats: counted all the same, on every engine."""

import functools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import layered, matrix, square

from sparsebc import betweenness, centralities, edge_betweenness, stress
from sparsebc.engines import devices


def share(side, s, v, t):
    """Share of the shortest paths from s to t on a grid that pass v, in whole numbers.

    A shortest path is a monotone lattice path, so comb(dx + dy, dx) of them join two nodes.
    """
    (a, b), (x, y), (c, d) = (divmod(node, side) for node in (s, v, t))
    if v in (s, t) or not (min(a, c) <= x <= max(a, c) and min(b, d) <= y <= max(b, d)):
        return Fraction(0)

    def paths(dx, dy):
        return math.comb(abs(dx) + abs(dy), abs(dx))

    return Fraction(paths(x - a, y - b) * paths(c - x, d - y), paths(c - a, d - b))


@pytest.mark.parametrize("names", [("stress",), ("betweenness", "stress")], ids="+".join)
def test_tails_of_a_chain_of_squares(fast_device, names):
    """2^K paths lead along K squares in a row; tails of two edges hang on both ends."""
    K = 1018
    joints = np.arange(K + 1)
    sides = joints[:-1, np.newaxis] + [K + 1, 2 * K + 1]
    tails = 3 * K + 1 + np.arange(4)
    edges = [(joints[i + end], side) for i in range(K) for side in sides[i] for end in (0, 1)]
    edges += [(0, tails[0]), (tails[0], tails[1]), (K, tails[2]), (tails[2], tails[3])]
    A = sp.csr_array((np.ones(len(edges)), np.transpose(edges)), shape=(3 * K + 5, 3 * K + 5))
    ends = {"sources": tails[[1]], "targets": tails[[3]]}
    got = centralities(A, names, directed=False, device=fast_device, **ends)["stress"]
    want = np.full(A.shape[0], 2.0 ** (K - 2))  # each unordered pair once
    want[joints] = want[tails] = 2.0 ** (K - 1)
    want[tails[[1, 3]]] = 0
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("source", [0, 7 * 600 + 20])
def test_grid_600_by_600(fast_device, source):
    """comb(1198, 599) paths join the corners: more than 1.8e308. Against Python's integers."""
    side = 600
    targets = [side * side - 1, side * side - 1 - 150 * side, side * side - 200]
    nodes = np.random.default_rng(57).choice(side * side, 150, replace=False)
    diagonal = [k * side + k for k in range(8, side, 37)]
    nodes = [*nodes.tolist(), *diagonal]
    got = betweenness(
        square(side), normalized=False, sources=[source], targets=targets, device=fast_device
    )
    want = [float(sum(share(side, source, v, t) for t in targets)) for v in nodes]
    np.testing.assert_allclose(got[nodes], want, rtol=1e-11, atol=1e-290)


def test_grid_600_by_600_adds_up(fast_device):
    """To all targets, scores sum to d - 1, and a node's edges out to its pairs and itself."""
    side, source = 600, 600 * 300 + 299
    got = centralities(
        square(side),
        ["betweenness", "edge_betweenness"],
        normalized=False,
        sources=[source],
        device=fast_device,
    )
    x, y = np.divmod(np.arange(side * side), side)
    d = abs(x - source // side) + abs(y - source % side)
    assert got["betweenness"].sum() == pytest.approx((d[d > 0] - 1).sum(), rel=1e-12)
    assert got["edge_betweenness"].sum() == pytest.approx(d.sum(), rel=1e-12)
    out = got["edge_betweenness"].sum(axis=1)
    out[source] -= side * side - 1
    np.testing.assert_allclose(out, got["betweenness"], rtol=1e-11, atol=1e-9)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
def test_grid_2000_by_2000():
    """comb(3998, 1999) paths join the corners, about 1e1201; several sources, on a GPU."""
    side, sources = 2000, [0, 2000 * 2000 - 1, 2000 * 750 + 3]
    targets = [side * side - 1, side * side - 900, side * 1200 + 1999]
    nodes = np.random.default_rng(58).choice(side * side, 60, replace=False).tolist()
    nodes += [k * side + k for k in range(5, side, 117)]
    got = centralities(
        square(side),
        ["betweenness", "edge_betweenness"],
        normalized=False,
        sources=sources,
        targets=targets,
        device="cuda",
    )
    pairs = [(s, t) for s in sources for t in targets]
    want = [float(sum(share(side, s, v, t) for s, t in pairs)) for v in nodes]
    np.testing.assert_allclose(got["betweenness"][nodes], want, rtol=1e-11, atol=1e-290)
    steps = sum(abs(s // side - t // side) + abs(s % side - t % side) for s, t in pairs)
    assert got["edge_betweenness"].sum() == pytest.approx(steps, rel=1e-11)


@pytest.mark.parametrize(("layers", "dtype"), [(330, "f8"), (330, "f4"), (3000, "f8")])
def test_layers(fast_device, layers, dtype):
    """Node v of layer l > 0 carries a tenth of 10 x 10 (L - 1 - l) pairs, 10^(L - 2) paths each."""
    layer = np.repeat(np.arange(layers), 10)
    ways = {"normalized": False, "sources": range(10), "dtype": dtype, "device": fast_device}
    want = np.where(layer > 0, 10 * (layers - 1 - layer), 0)
    np.testing.assert_allclose(betweenness(layered(10, layers), **ways), want, rtol=1e-11)
    edges = edge_betweenness(layered(10, layers), **ways)
    want = np.repeat(layers - 1 - layer[:-10], 10)
    np.testing.assert_allclose(edges.data, want, rtol=1e-11)


@pytest.mark.parametrize("layers", [300, 330])
def test_layers_about_the_limit(device, layers):
    """10^298 paths fit a float64; 330 layers are the fewest that need more."""
    layer = np.repeat(np.arange(layers), 10)
    got = betweenness(layered(10, layers), normalized=False, sources=range(10), device=device)
    np.testing.assert_allclose(got, np.where(layer > 0, 10 * (layers - 1 - layer), 0), rtol=1e-12)


def test_float32_goes_on_in_float64(device):
    """comb(132, 66) = 3.8e38 paths pass float32's range: the same bits as with float64."""
    A = matrix(nx.grid_2d_graph(67, 67))
    options = {"sources": [0], "device": device}
    got = betweenness(A, dtype=np.float32, **options)
    np.testing.assert_array_equal(got, betweenness(A, **options))


@pytest.mark.parametrize("sources", [range(3300, 3304), [0, *range(3300, 3304)]], ids=len)
def test_only_those_who_need_it(device, sources):
    """Layers beside a path, in one group: each gets its own scores, with and without ends."""
    A = sp.block_diag([layered(10, 330), sp.eye_array(4, k=1)], format="csr")
    scores = functools.partial(betweenness, A, normalized=False, sources=sources, device=device)
    layer = np.repeat(np.arange(330), 10)
    many = 0 in sources
    inside = np.where((layer > 0) & many, 329 - layer, 0)
    np.testing.assert_allclose(scores(), [*inside, 0, 2, 2, 0], rtol=1e-12)
    ends = np.where((layer > 0) & many, 1, 0)
    ends[0] = 3290 if many else 0
    np.testing.assert_allclose(scores(endpoints=True), [*(inside + ends), 3, 5, 5, 3], rtol=1e-12)


def test_stress_without_a_value(device):
    """10^328 paths through a node are no float64; to targets that are near, they are."""
    A = layered(10, 330)
    with pytest.raises(OverflowError, match="more shortest paths run through node"):
        stress(A, sources=range(10), device=device)
    got = stress(A, sources=[0], targets=[25, 31], device=device)
    want = np.zeros(3300)
    want[10:20], want[20:30] = 11, 10
    np.testing.assert_array_equal(got, want)
