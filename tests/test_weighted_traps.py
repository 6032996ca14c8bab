"""Lengths that other systems fall over, each with the answer or the refusal worked out by hand."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix

from sparsebc import betweenness, centralities, edge_betweenness, stress
from sparsebc.testing import CLASSES

INF, NAN = np.inf, np.nan


def cycle(*lengths, dtype=None):
    """Directed cycle 0 -> 1 -> ... -> 0 with these lengths."""
    n = len(lengths)
    nodes = np.arange(n)
    return sp.csr_array((np.array(lengths, dtype=dtype), (nodes, (nodes + 1) % n)), shape=(n, n))


def undirected(A, device, **options):
    """Raw scores of the undirected graph."""
    return betweenness(A, weighted=True, directed=False, normalized=False, device=device, **options)


def test_sums_of_floats_tie(device):
    """Both ways from 0 to 3 are 0.3 long: 0.15 + 0.15, and 0.1 + 0.1 + 0.1 a rounding off."""
    A = cycle(0.1, 0.1, 0.1, 0.15, 0.15)
    np.testing.assert_allclose(undirected(A, device), [1, 1.5, 1.5, 1, 0.5], rtol=1e-14)


def test_sums_of_floats_compare_as_in_networkx(device):
    """With tie_rtol=0 the longer sum of floats loses, there and here."""
    A = cycle(0.1, 0.1, 0.1, 0.15, 0.15)
    np.testing.assert_array_equal(undirected(A, device, tie_rtol=0), [1, 1, 1, 1, 1])


def test_whole_numbers_do_not_tie_by_tolerance(device):
    """2^40 and 2^40 + 1 differ by less than 1e-10 of themselves, and they differ."""
    big = 2**39
    for dtype in (np.int64, np.float64):
        A = cycle(big, big, big, big + 1, dtype=dtype)
        np.testing.assert_array_equal(undirected(A, device), [0, 1, 1, 0])
    half = cycle(big + 0.5, big + 0.5, big + 0.5, big + 1.5)
    np.testing.assert_array_equal(undirected(half, device), [0.5, 0.5, 0.5, 0.5])


def test_tolerance_is_measured_from_the_shortest(device):
    """Of three ways, 1 and 1.09 are within a tenth; 1.18 is within a tenth of 1.09 alone."""
    ends = [(0, 1), (1, 4), (0, 2), (2, 4), (0, 3), (3, 4)]
    for order in (slice(None), slice(None, None, -1)):
        lengths = np.array([0.5, 0.5, 0.545, 0.545, 0.59, 0.59]).reshape(3, 2)[order].ravel()
        A = sp.csr_array((lengths, np.array(ends).T), shape=(5, 5))
        got = betweenness(A, weighted=True, tie_rtol=0.1, normalized=False, device=device)
        np.testing.assert_array_equal(got, [0, *np.array([0.5, 0.5, 0])[order], 0])


def test_long_way_of_short_edges(device):
    """Four edges of length 1 beat one of 5, and lose against one of 3."""
    for direct, inside in ((5, [0, 3, 4, 3, 0]), (3, [0, 2, 3, 2, 0])):
        A = matrix(nx.path_graph(5, create_using=nx.DiGraph)).astype(float).tolil()
        A[0, 4] = direct
        got = betweenness(A.tocsr(), weighted=True, normalized=False, device=device)
        np.testing.assert_array_equal(got, inside)


def test_distances_that_round_across_buckets(device):
    """0.9 spans 3 buckets of 0.3 and, from some distances, a rounding more."""
    lengths = np.random.default_rng(41).choice([0.4, 0.9], 60)
    A = sp.csr_array(sp.diags_array(lengths, offsets=1))
    got = betweenness(A, weighted=True, normalized=False, device=device)
    np.testing.assert_array_equal(got, np.arange(61) * np.arange(60, -1, -1))


@pytest.mark.parametrize("cls", CLASSES)
def test_repeated_entries_are_summed(device, cls):
    """As SciPy does: 0 -> 2 is 1 + 3 long and ties with 0 -> 1 -> 2, however it is stored."""
    parts = (np.array([1, 3, 2, 2]), ([0, 0, 0, 1], [2, 2, 1, 2]))
    A = cls(sp.coo_array(parts, shape=(3, 3)))
    got = betweenness(A, weighted=True, normalized=False, device=device)
    np.testing.assert_array_equal(got, [0, 0.5, 0])
    np.testing.assert_array_equal(A.data, cls(sp.coo_array(parts, shape=(3, 3))).data)


def test_the_smaller_of_two_directions_counts(device):
    """Undirected 0 - 2 is 3 long one way, 5 the other: 3, as in csgraph, beats 2 + 2."""
    A = sp.csr_array(([2, 2, 3, 5], ([0, 1, 0, 2], [1, 2, 2, 0])), shape=(3, 3))
    np.testing.assert_array_equal(undirected(A, device), [0, 0, 0])
    A[0, 2] = 4
    np.testing.assert_array_equal(undirected(A, device), [0, 0.5, 0])
    got = betweenness(A, weighted=True, normalized=False, device=device)
    np.testing.assert_array_equal(got, [1, 0.5, 1])


def test_lengths_make_a_symmetric_pattern_asymmetric(device):
    """0 <-> 1 <-> 2 <-> 0, near one way round and far the other."""
    A = sp.csr_array(np.array([[0, 1, 9], [9, 0, 1], [1, 9, 0]]))
    got = betweenness(A, weighted=True, normalized=False, device=device)
    np.testing.assert_array_equal(got, [1, 1, 1])


def test_the_diagonal_does_not_count(device):
    """A self loop is no step, even of length 0."""
    A = cycle(1, 2, 3)
    want = betweenness(A, weighted=True, device=device)
    for loops in (5.0, 0.0):
        nodes = np.arange(3)
        B = sp.csr_array(
            (
                np.append(A.data, np.full(3, loops)),
                (np.append(nodes, nodes), np.append((nodes + 1) % 3, nodes)),
            )
        )
        assert B.nnz == 6
        np.testing.assert_array_equal(betweenness(B, weighted=True, device=device), want)


@pytest.mark.parametrize("dtype", [np.bool_, *np.typecodes["AllInteger"], "f", "d", "g"])
def test_value_types(device, dtype):
    """Every real type that SciPy stores; sums do not wrap."""
    A = cycle(100, 100, 100, 1).astype(dtype)
    want = [3, 3, 3, 3]  # a directed cycle has one path whatever the lengths
    np.testing.assert_array_equal(
        betweenness(A, weighted=True, normalized=False, device=device), want
    )


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_no_edges(device, n):
    got = betweenness(sp.csr_array((n, n)), weighted=True, endpoints=True, device=device)
    np.testing.assert_array_equal(got, np.zeros(n))


@pytest.mark.parametrize(
    ("lengths", "options"),
    [
        ([1, 1, 1e-17, 1], {"tie_rtol": 0}),
        ([1, 1, 1e-17, 1], {}),
        ([1, 1, 1e-11, 1], {}),
        ([1e17, 1e17 * 1.5, 0.5, 1], {"tie_rtol": 0}),
        ([3, 1, 0.5, 3], {"tie_rtol": 0.5}),
    ],
)
@pytest.mark.parametrize("pick", [slice(None), slice(-1)], ids=["cycle", "path"])
def test_lost_lengths_are_refused(device, lengths, options, pick):
    """By rounding or by the tolerance, on a cycle and on a tree that could be folded."""
    A = sp.csr_array(cycle(*lengths))
    coo = A.tocoo()
    A = sp.csr_array((coo.data[pick], (coo.row[pick], coo.col[pick])), shape=A.shape)
    with pytest.raises(ValueError, match=r"A\[\d, \d\] is lost beside .* lower tie_rtol"):
        undirected(A, device, **options)


def test_tiny_lengths_are_welcome_where_they_tell(device):
    """All that counts is what a length is added to."""
    A = cycle(1e-17, 1e-17, 1e-17, 1.5e-17, 1.5e-17)
    np.testing.assert_allclose(undirected(A, device), undirected(A * 1e30, device), rtol=1e-14)
    least = cycle(1e-300, 2e-300, 1e-300, 1.5e-300, 2.5e-300)
    np.testing.assert_allclose(undirected(least, device), undirected(least * 1e300, device))
    one_way = cycle(1, 1e-9, 1e-9)
    np.testing.assert_array_equal(
        betweenness(one_way, weighted=True, normalized=False, device=device), [1, 1, 1]
    )


def test_distances_past_2_53_are_refused(device):
    """Whole numbers cannot be added exactly there; as multiples of the largest they can tie."""
    A = cycle(2**52, 2**52, 2**52, 2**52 + 2, 2**52 + 2, dtype=np.int64)
    with pytest.raises(OverflowError, match=r"2\*\*53.* A.max\(\)"):
        undirected(A, device)
    np.testing.assert_array_equal(undirected(A / A.max(), device), [1, 1, 1, 1, 1])


def layered(width, layers):
    """Every node of a layer points to every node of the next one, and one edge is longer."""
    A = sp.kron(sp.eye_array(layers, k=1), np.ones((width, width)))
    return sp.block_diag([A, sp.csr_array(([2.0], ([0], [1])), shape=(2, 2))], format="csr")


def test_path_counts_that_overflow(fast_device):
    """10^298 paths are counted by floats, 10^328 are not; 10^38 are by float64 only."""
    ways = {"weighted": True, "sources": range(10), "device": fast_device}
    layer = np.repeat(np.arange(300), 10)
    got = betweenness(layered(10, 300), normalized=False, **ways)
    np.testing.assert_allclose(got[:-2], np.where(layer > 0, 10 * (299 - layer), 0), rtol=1e-12)
    for layers in (330, 3000):
        got = betweenness(layered(10, layers), normalized=False, **ways)
        layer = np.repeat(np.arange(layers), 10)
        want = np.where(layer > 0, 10 * (layers - 1 - layer), 0)
        np.testing.assert_allclose(got[:-2], want, rtol=1e-11)
    got, want = (betweenness(layered(10, 41), dtype=dtype, **ways) for dtype in ("f4", "f8"))
    np.testing.assert_array_equal(got, want)


@pytest.mark.slow
def test_path_counts_that_overflow_on_every_engine(device):
    """3^659 paths lead from node 0 through 660 layers of three; each node lies on a third."""
    ways = {"weighted": True, "sources": [0], "normalized": False, "device": device}
    layer = np.repeat(np.arange(660), 3)
    got = betweenness(layered(3, 660), **ways)
    want = np.where(layer > 0, 659 - layer, 0)
    np.testing.assert_allclose(got[:-2], want, rtol=1e-11)


def test_path_counts_of_edges_that_overflow(device):
    """The same along the edges; stress has no float64 then."""
    ways = {"weighted": True, "sources": [0], "normalized": False, "device": device}
    layer = np.repeat(np.arange(660), 3)
    got = centralities(layered(3, 660), ["betweenness", "edge_betweenness"], **ways)
    first = np.where(layer == 0, np.arange(1980) == 0, 1 / 3)[:-3]  # of all pairs that pass a layer
    want = np.repeat(first * (659 - layer[:-3]), 3)
    np.testing.assert_allclose(got["edge_betweenness"].data[:-1], want, rtol=1e-11)
    with pytest.raises(OverflowError, match=r"node \d+ .* stress has no value"):
        stress(layered(3, 660), weighted=True, sources=[0], device=device)


@pytest.mark.parametrize("layers", [330, 3000])
def test_equal_lengths_beyond_floats(fast_device, layers):
    """Not a bit differs from the unweighted scores."""
    A = layered(10, layers)[:-2, :-2]
    for function in (betweenness, edge_betweenness):
        options = {"sources": range(10), "device": fast_device}
        got, want = function(A * 0.3, weighted=True, **options), function(A, **options)
        got, want = (np.asarray(getattr(scores, "data", scores)) for scores in (got, want))
        assert got.tobytes() == want.tobytes()


def stored(value, dtype=None):
    """A cycle with one awkward length, from 1 to 2."""
    return cycle(1, value, 3, dtype=dtype)


BAD = [
    # matrix, options, error, words of the message
    (stored(0), {}, ValueError, ["A[1, 2] is 0", "A.eliminate_zeros()", "strength_to_distance"]),
    (stored(-2), {}, ValueError, ["-2", "entry 1", "positive", "strength_to_distance"]),
    (stored(-2.5), {}, ValueError, ["-2.5", "entry 1", "positive", "strength_to_distance"]),
    (stored(NAN), {}, ValueError, ["nan", "entry 1", "finite", "A.eliminate_zeros()"]),
    (stored(INF), {}, ValueError, ["inf", "entry 1", "finite", "A.eliminate_zeros()"]),
    (stored(1e308), {}, ValueError, ["A[1, 2] is 1e+308", "to 6.0e+307", "scale A"]),
    (stored(1e-301), {}, ValueError, ["A[1, 2] is 1e-301", "from 1e-300", "scale A"]),
    (stored("1e4000", np.longdouble), {}, ValueError, ["A[1, 2] is inf", "scale A"]),
    (stored("1e-4000", np.longdouble), {}, ValueError, ["A[1, 2] is 0", "positive"]),
    (([0, 1, 1], [1], 2), {}, TypeError, ["(indptr, indices, n)", "lengths", "csr_array"]),
    (stored(2), {"tie_rtol": -1}, ValueError, ["tie_rtol", "-1", "0"]),
    (stored(2), {"tie_rtol": 1}, ValueError, ["tie_rtol", "1", "below 1"]),
    (stored(2), {"tie_rtol": NAN}, ValueError, ["tie_rtol", "nan", "below 1"]),
    (stored(2), {"tie_rtol": "0"}, TypeError, ["tie_rtol", "'0'", "number"]),
    (stored(2), {"tie_rtol": True}, TypeError, ["tie_rtol", "True", "number"]),
    (stored(2), {"tie_rtol": None}, TypeError, ["tie_rtol", "None", "number"]),
    (stored(2), {"weighted": 1}, TypeError, ["weighted", "got 1", "True or False"]),
    (
        stored(2),
        {"weighted": False, "tie_rtol": 0},
        ValueError,
        ["tie_rtol=0", "weighted=True", "leave it out"],
    ),
]


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
@pytest.mark.parametrize(("matrix", "options", "error", "words"), BAD)
def test_bad_input(matrix, options, error, words):
    """The message names the entry or the argument, the value and the remedy."""
    with pytest.raises(error) as caught:
        betweenness(matrix, **{"weighted": True} | options)
    for word in words:
        assert word in str(caught.value)
