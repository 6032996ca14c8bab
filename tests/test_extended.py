"""Path counts beyond the range of integers and of floats: counted all the same, on every engine."""

import functools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import diamonds, layered, matrix, square

from sparsebc import betweenness, centralities, stress
from sparsebc.engines.common import batching

NAMES = ["betweenness", "edge_betweenness"]


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


def check_grid(side, sources, device):
    """Against Python's integers at some nodes; edges add up to all steps."""
    n, draws = side * side, np.random.default_rng(57)
    targets = [n - 1, n - 1 - side * (side // 4), n - side // 3, *draws.choice(n, 3).tolist()]
    targets = [*{*targets} - {*sources}]
    ways = {"normalized": False, "sources": sources, "targets": targets, "device": device}
    got = centralities(square(side), NAMES, **ways)
    nodes = draws.choice(n, 150, replace=False).tolist()
    nodes += [k * side + k for k in range(8, side, 37)]
    pairs = [(s, t) for s in sources for t in targets]
    want = [float(sum(share(side, s, v, t) for s, t in pairs)) for v in nodes]
    np.testing.assert_allclose(got["betweenness"][nodes], want, rtol=1e-11, atol=1e-290)
    steps = sum(abs(s // side - t // side) + abs(s % side - t % side) for s, t in pairs)
    assert got["edge_betweenness"].sum() == pytest.approx(steps, rel=1e-11)


@pytest.mark.parametrize("side", [18, 30, 35], ids=["int32 wraps", "floats round", "int64 wraps"])
def test_paths_of_a_grid_are_counted_exactly(device, side):
    """From a corner, and from the middle."""
    check_grid(side, [0, side * side // 2 + side // 2], device)


@pytest.mark.parametrize("source", [0, 7 * 600 + 20])
def test_paths_of_a_grid_beyond_floats_are_counted(fast_device, source):
    """comb(1198, 599) paths join the corners: more than 1.8e308."""
    check_grid(600, [source], fast_device)


@pytest.mark.gpu
def test_paths_of_a_large_grid_are_counted_on_a_gpu():
    """comb(3998, 1999) paths join the corners, about 1e1201; several sources, on a GPU."""
    check_grid(2000, [0, 2000 * 2000 - 1, 750 * 2000 + 3], "cuda")


def check_layers(layers, device, dtype="f8", weighted=False, sources=40):
    """Scores of layers of ten nodes, from so many nodes of the first.

    A node of layer l has a tenth of what comes from those before it, and goes on to those behind;
    by length every other step is twice as long.
    """
    A = sp.csr_array(layered(10, layers))
    node = np.arange(10 * layers)
    layer = node // 10
    if weighted:
        A.data = 1.0 + np.repeat(layer % 2, np.diff(A.indptr))
    ways = {"normalized": False, "weighted": weighted, "dtype": dtype, "device": device}
    got = centralities(A, NAMES, sources=range(sources), **ways)
    before, behind = np.minimum(10 * layer, sources), layers - 1 - layer
    np.testing.assert_allclose(got["betweenness"], before * behind, rtol=1e-11)
    along = np.repeat(((before / 10 + (node < sources)) * behind)[:-10], 10)
    np.testing.assert_allclose(got["edge_betweenness"].data, along, rtol=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layers", [300, 330, 3000])
def test_paths_through_layers_beyond_floats_are_counted(fast_device, layers, weighted):
    """10^298 paths fit a float64; 330 layers are the fewest that need more."""
    check_layers(layers, fast_device, weighted=weighted)


def test_paths_beyond_float32_have_the_bits_of_float64(fast_device):
    """Beyond either range; comb(132, 66) = 3.8e38 paths pass the first: the bits of float64."""
    check_layers(330, fast_device, dtype="f4")
    options = {"sources": [0], "device": fast_device}
    got = betweenness(square(67), dtype=np.float32, **options)
    np.testing.assert_array_equal(got, betweenness(square(67), **options))


def test_the_algebra_counts_paths_beyond_floats():
    check_layers(330, "reference", sources=2)


def test_paths_through_layers_of_twins_are_counted(fast_device):
    """Each layer is a class of which one node is swept."""
    with turned(["twins"], on_gpu=False):
        check_layers(330, fast_device)


def test_counts_do_not_multiply_across_cut_nodes(fast_device):
    """A chain of 1500 diamonds has 2**1500 paths from end to end, and each diamond two."""
    count = 1500
    ends = {"sources": range(count + 1), "directed": False, "normalized": False}
    got = betweenness(diamonds(count), **ends, device=fast_device)
    # Where diamonds meet: a source for each diamond on one side, three targets on the other.
    left = np.arange(1, count)
    np.testing.assert_allclose(got[1:count], 3 * left * (count - left), rtol=1e-12)


def test_one_source_of_a_large_graph_is_swept_singly(monkeypatch):
    """Where all rows would pull, it is swept singly, since it has many levels."""
    monkeypatch.setattr(batching, "BRIEF_ARCS", 0)
    count = 1100
    got = betweenness(diamonds(count), sources=[0], normalized=False, device="cpu")
    left = np.arange(1, count)
    np.testing.assert_allclose(got[1:count], 3 * (count - left), rtol=1e-12)


@pytest.mark.parametrize("sources", [range(3300, 3304), [0, *range(3300, 3304)]], ids=len)
def test_sources_of_one_group_get_their_own_scores(device, sources):
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


@pytest.mark.parametrize("names", [("stress",), ("betweenness", "stress")], ids="+".join)
def test_stress_of_a_chain_of_squares_is_exact(fast_device, names):
    """2^K paths lead along K squares in a row; tails of two edges hang on both ends."""
    K = 1018
    graph = nx.Graph((end, (i, side)) for i in range(K) for side in "ab" for end in (i, i + 1))
    nx.add_path(graph, ["first", "before", 0])
    nx.add_path(graph, [K, "behind", "last"])
    number = {v: i for i, v in enumerate(graph)}
    ends = {"sources": [number["first"]], "targets": [number["last"]], "directed": False}
    got = centralities(matrix(graph), names, device=fast_device, **ends)["stress"]
    want = {v: 2.0 ** (K - 2 if isinstance(v, tuple) else K - 1) for v in graph}  # each pair once
    want |= {"first": 0, "last": 0}
    np.testing.assert_array_equal(got, [*want.values()])


@pytest.mark.parametrize("weighted", [False, True])
def test_stress_beyond_floats_is_refused(fast_device, weighted):
    """10^328 paths through a node are no float64; to targets that are near, they are."""
    A = sp.csr_array(layered(10, 330))
    A.data = 1.0 + weighted * np.repeat(np.arange(3300) // 10 % 2, np.diff(A.indptr))
    ways = {"weighted": weighted, "device": fast_device}
    with pytest.raises(OverflowError, match=r"node \d+ than float64 can represent"):
        stress(A, sources=[0, 5], **ways)
    got = stress(A, sources=[0], targets=[25, 31], **ways)
    want = np.zeros(3300)
    want[10:20], want[20:30] = 11, 10
    np.testing.assert_array_equal(got, want)
