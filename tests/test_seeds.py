"""Pairs that count by themselves and by their distance, ``demand`` and ``decay``: limits, refusals.

Their numbers are those of the oracle in the conformance suite, which draws both with all options.
"""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import diamonds, square, trips
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness

WEIGHTED = [False, True]
PATH = sp.csr_array(np.eye(5, k=1))


def test_a_demand_is_read_as_any_matrix():
    """Repeats are summed; zeros, the diagonal and types say nothing; it is not changed."""
    want = betweenness(PATH, demand=sp.coo_array(([3.0], ([0], [3])), shape=(5, 5)))
    rows, columns, data = [0, 0, 2, 4, 1], [3, 3, 2, 0, 1], [1, 2, 7, 0, 1]
    for form in ("coo_array", "csr_matrix", "csc_array"):
        for dtype in (np.int8, np.uint64, np.float32):
            D = getattr(sp, form)((np.array(data, dtype), (rows, columns)), shape=(5, 5))
            before = D.copy()
            assert_array_equal(betweenness(PATH, demand=D), want)
            assert D.dtype == dtype
            assert (D != before).nnz == 0
    assert_array_equal(betweenness(PATH, demand=D.toarray()), want)
    assert betweenness(sp.csr_array((0, 0)), demand=sp.csr_array((0, 0))).shape == (0,)


def test_divisors_count_what_could_pass():
    """A node where every trip begins or ends has no pair that could count it."""
    D = sp.coo_array(([1e9, 1e-9], ([0, 0], [2, 4])), shape=(5, 5))
    # Through node 2 the trips to node 4 alone could pass, and do, beside 10**18 times as many.
    want = [np.nan, 1, 1, 1e-18, 0]
    assert_allclose(betweenness(PATH, demand=D), want, rtol=1e-12)


@pytest.mark.parametrize("weighted", WEIGHTED)
@pytest.mark.parametrize("count", [400])
def test_no_seed_is_lost_beside_path_counts(device, weighted, count):
    """Of one pair far apart: weights down to 1e-150 over more paths than floats can tell."""
    A = diamonds(count)
    n, D = A.shape[0], sp.csr_array(([1.0], ([0], [count])), shape=A.shape)
    beta = 340 / (2 * count)
    ways = {"weighted": weighted, "normalized": False, "device": device}
    scores = betweenness(A, demand=D, decay=("exponential", beta), **ways)
    want = np.full(n, 0.5)
    want[1:count] = 1
    want[[0, count]] = 0
    assert_allclose(scores, want * math.exp(-beta * 2 * count), rtol=1e-9)
    assert not betweenness(A, demand=D, decay=("exponential", 2 * beta), **ways).any()


@pytest.mark.parametrize("pairs", ["demand", "targets"])
@pytest.mark.parametrize("weighted", WEIGHTED)
def test_a_search_ends_with_its_last_target(caplog, weighted, pairs):
    """Of the path counts behind it, beyond all floats, none is met."""
    A = diamonds(1100)
    D = sp.csr_array(([1.0, 1.0], ([0, 0], [1, 3])), shape=A.shape)
    asked = {"demand": D} if pairs == "demand" else {"sources": [0], "targets": [1, 3]}
    caplog.set_level("INFO", "sparsebc")
    scores = betweenness(A, weighted=weighted, normalized=False, device="cpu", reduce=[], **asked)
    assert_array_equal(np.flatnonzero(scores), [1, 2, 1101, 1102, 1103, 2201, 2202, 2203])
    assert_array_equal(np.unique(scores), [0, 0.5, 1])
    assert not [record for record in caplog.records if "beyond" in record.message]


@pytest.mark.parametrize("option", ["demand", "decay"])
def test_a_checkpoint_is_of_one_question(tmp_path, option):
    A = square(12)
    D = trips(A.shape[0])
    ways = {"demand": D, "decay": ("linear", 9), "device": "cpu", "checkpoint": tmp_path}
    want = betweenness(A, **ways)
    assert_array_equal(betweenness(A, **ways), want)
    other = {"demand": 2 * D + sp.eye_array(A.shape[0], k=1), "decay": ("linear", 8)}[option]
    with pytest.raises(ValueError, match=option):
        betweenness(A, **{**ways, option: other})
