"""Closeness, harmonic centrality and eccentricity by length, beside SciPy's distances."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM
from numpy.testing import assert_allclose
from scipy.sparse import csgraph
from test_weighted import BOOLS, lengthened

from sparsebc import closeness, eccentricity, harmonic

FUNCTIONS = {"closeness": closeness, "harmonic": harmonic, "eccentricity": eccentricity}
DIRECTIONS = ("in", "out")


def expected(A, *, directed, direction):
    """The three measures from all distances."""
    D = csgraph.dijkstra(A, directed=directed)
    D = D if direction == "in" else D.T
    np.fill_diagonal(D, np.nan)
    others, there = (~np.isnan(D)).sum(axis=0), np.isfinite(D)
    reached, total = there.sum(axis=0), np.where(there, D, 0).sum(axis=0)
    mean = np.divide(reached, total, out=np.zeros(A.shape[0]), where=total > 0)
    share = np.divide(reached, others, out=np.zeros(A.shape[0]), where=others > 0)
    return {
        "closeness": mean * share,
        "harmonic": (there / np.where(there, D, 1)).sum(axis=0),
        "eccentricity": np.nan_to_num(D, nan=0, posinf=np.inf).max(axis=0, initial=0),
    }


@pytest.mark.parametrize("kind", ["few", "tenths", "unequal"])
@pytest.mark.parametrize("name", [*MEDIUM, "streets", "leaves on hubs", "dense", "forest"])
def test_beside_scipy(fast_device, name, kind):
    """Buckets of any width, several groups, several components."""
    A = lengthened(name, kind)
    for directed in BOOLS:
        for direction in DIRECTIONS:
            ways = {"directed": directed, "direction": direction}
            want = expected(A, **ways)
            for measure, function in FUNCTIONS.items():
                got = function(A, weighted=True, **ways, device=fast_device)
                assert_allclose(got, want[measure], rtol=1e-11, err_msg=f"{measure} {ways}")


@pytest.mark.parametrize("measure", FUNCTIONS)
@pytest.mark.parametrize("unit", [1, 0.25, 0.3])
def test_equal_lengths_scale_the_unweighted_scores(fast_device, measure, unit):
    """All edges a unit long."""
    function = partial(FUNCTIONS[measure], device=fast_device)
    got = function(LARGE["streets"] * unit, weighted=True)
    want = function(LARGE["streets"])
    assert_allclose(got, want * unit if measure == "eccentricity" else want / unit, rtol=1e-14)


@pytest.mark.parametrize("measure", FUNCTIONS)
def test_bad_input(measure):
    """As betweenness has it."""
    score = partial(FUNCTIONS[measure], weighted=True)
    with pytest.raises(TypeError, match="has no lengths"):
        score((np.array([0, 1, 1]), np.array([1]), 2))
    with pytest.raises(ValueError, match=r"A\[0, 1\] is 0.*must be positive"):
        score(sp.csr_array((np.zeros(1), ([0], [1])), shape=(2, 2)))
    with pytest.raises(TypeError, match="weighted must be True or False, got 'yes'"):
        FUNCTIONS[measure](lengthened("streets", "few"), weighted="yes")
    with pytest.raises(ValueError, match="rng=1 has an effect only with k"):
        score(lengthened("streets", "few"), rng=1)
