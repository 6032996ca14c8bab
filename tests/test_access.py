"""Accessibility, nearest places and weights of nodes beside their definitions.

Those the conformance suite asks.
"""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import square
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import accessibility, betweenness, centralities, closeness, harmonic, io, nearest
from sparsebc.measures.weights import KINDS, decay_of

# Streets between the crossings of a grid, of uneven length, each one way.
GRID = sp.triu(square(24), format="csr")
GRID.data = np.random.default_rng(4).uniform(40, 160, GRID.nnz)


@given(kind=st.sampled_from(sorted(KINDS)), parameter=st.floats(1e-3, 3))
@example(kind="power", parameter=1.0)
@settings(deadline=None, max_examples=20)
def test_a_decay_is_its_function_of_each_distance(kind, parameter):
    """Eight at once beside NumPy, also where weights are too small to count."""
    decay = kind, parameter * (300 if kind in ("linear", "gaussian") else 1)
    weights = decay_of(decay).of(sp.csgraph.dijkstra(GRID))
    found = accessibility(GRID, decay=decay, weighted=True, device="cpu")
    assert_allclose(found, weights.sum(axis=1), rtol=1e-13)


@given(st.floats(1, 1e6), st.floats(-12, 0).map(lambda x: 10.0**x))
@settings(deadline=None, max_examples=50)
def test_a_weight_near_the_end_of_its_range_keeps_its_digits(device, distance, rest):
    end = distance * (1 + rest)
    A = sp.csr_array(([distance], ([0], [1])), shape=(2, 2))
    want = 1 - Fraction(distance) / Fraction(end)
    for decay in (("linear", end), ([0, end], [1, 0])):
        got = accessibility(A, [0, 1], decay=decay, weighted=True, device=device)
        assert got[0] == pytest.approx(float(want), rel=1e-14, abs=0)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_distance_of_the_last_knot_has_its_weight(device, weighted):
    """What is farther has none."""
    A = sp.csr_array(np.eye(4, k=1))
    options = {"decay": ([1, 2], [1, 0.5]), "weighted": weighted, "device": device}
    assert_array_equal(accessibility(A, **options), [2.5, 2.5, 2, 1])
    assert_array_equal(betweenness(A, normalized=False, **options), [0, 0.5, 0.5, 0])


def test_weights_of_nodes_beside_other_measures(device):
    """Those of single calls; places may be told by a mask."""
    A, W = GRID[:60, :60], np.arange(60) % 4
    run = {"target_weights": W, "device": device}
    found = centralities(A, ["harmonic", "closeness", "betweenness"], **run)
    for measure in (harmonic, closeness):
        assert_allclose(found[measure.__name__], measure(A, **run), rtol=1e-14)
    masked, weighed = (nearest(A, places, 3, device=device) for places in (W > 0, W))
    assert_array_equal(masked, weighed)


def test_a_node_that_weighs_more_than_all_others(device):
    """What the others weigh is not lost beside it."""
    A = sp.csr_array(np.eye(3, k=1))
    W = [0.1, 1e12, 0.2]
    got = closeness(A, target_weights=W, directed=False, device=device)
    assert_allclose(got[1], 1.0, rtol=1e-15)


def test_a_power_grows_too_large_at_short_distances_alone(device):
    A = sp.csr_array(np.eye(2, k=1))
    run = {"decay": ("power", 6), "weighted": True, "device": device}
    with pytest.raises(ValueError, match=r"exceeds 1e\+50 at the shortest length"):
        accessibility(A * 1e-9, **run)
    assert_allclose(accessibility(A * 1e9, [0, 1], **run), [1e-54, 0], rtol=1e-12)


def test_places_by_the_names_of_the_nodes():
    """Series and frames are taken by label, whatever their order."""
    pandas = pytest.importorskip("pandas")
    town = io.Network(sp.csr_array(np.eye(3, k=1)), ("a", "b", "c"))
    frame = pandas.DataFrame({"jobs": [1, 2, 4], "beds": [0, 8, 0]}, index=["c", "b", "a"])
    want = accessibility(town.matrix, frame.to_numpy()[::-1])
    assert_array_equal(accessibility(town, frame), want)
    assert_array_equal(accessibility(town, frame["jobs"]), want[:, 0])
    with pytest.raises(ValueError, match="W has an index"):
        accessibility(town.matrix, frame)


def test_distances_out_of_range_of_weights():
    """Functions of distances would underflow; without weights they are fine."""
    A = sp.csr_array(np.eye(3, k=1) * 1e-200)
    assert harmonic(A, weighted=True)[1] == 1e200
    with pytest.raises(OverflowError, match="distances with target_weights must lie in 1e-140"):
        harmonic(A, weighted=True, target_weights=[1, 1, 1])


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_node_without_edges_reaches_its_own_places_alone(device, n):
    """From 0 nodes nothing is wanted."""
    A, W = sp.csr_array((n, n)), np.ones((n, 2))
    assert_array_equal(accessibility(A, W, cutoff=[1, 2], device=device), np.ones((n, 2, 2)))
    assert_array_equal(accessibility(A, decay=("power", 1), device=device), np.zeros(n))
    assert_array_equal(nearest(A, W, device=device), np.zeros((n, 2)))
    assert_array_equal(nearest(A, W, 2, device=device), np.full((n, 2), np.inf))
    for weighted in (True, False) if n else ():
        ways = {"weighted": weighted, "target_weights": np.ones(n), "device": device}
        assert_array_equal(closeness(A, **ways), np.zeros(n))
        assert_array_equal(harmonic(A, **ways), np.zeros(n))
        assert_array_equal(accessibility(A, weighted=weighted, device=device), np.ones(n))
        assert_array_equal(nearest(A, W, weighted=weighted, device=device), np.zeros((n, 2)))
