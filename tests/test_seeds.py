"""Pairs that count by themselves and by their distance, ``demand`` and ``decay``: limits, refusals.

Their numbers are those of the oracle in the conformance suite, which draws both with all options.
"""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import diamonds, square, trips
from numpy.testing import assert_allclose, assert_array_equal

import sparsebc
from sparsebc import betweenness, centralities, edge_betweenness, explain

WEIGHTED = [False, True]
PATH = sp.csr_array(np.eye(5, k=1))


def test_a_plan_tells_what_is_swept(fast_device):
    """Sources without demand are not; of the reductions "prune" is used alone."""
    A, n = square(40), 1600
    D = sp.csr_array(([2.5, 1], ([3, 3], [n - 1, 7])), shape=(n, n))
    plan = explain(A, demand=D, decay=("exponential", 0.1), device=fast_device)
    assert plan.sources == 1
    reasons = {step.left_out for step in plan.steps[2:]}
    assert reasons == {"by demand or decay a node cannot stand for others"}


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
@pytest.mark.parametrize("count", [300, 600, 1100])
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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"decay": "exponential"}, "decay must be"),
        ({"decay": ("exponential", 1, 2)}, "decay must be"),
        ({"decay": ("exp", 1)}, "got 'exp'"),
        ({"decay": ("power", "2")}, "exponent of decay='power' must be a number"),
        ({"decay": ("linear", 0)}, "range of decay='linear' must be a finite number above 0"),
        ({"decay": ("gaussian", np.inf)}, "scale"),
        ({"decay": ([1, 2], [1])}, "a weight for each distance"),
        ({"decay": ([], [])}, "a weight for each distance"),
        ({"decay": ([2, 2], [1, 1])}, "ascending"),
        ({"decay": ([1, 2], [1, -1])}, "weights of decay must be finite and not negative"),
        ({"decay": ([1, np.nan], [1, 1])}, "distances of decay must be finite"),
        ({"decay": ([[1]], [1])}, "one-dimensional"),
        ({"decay": ([1], [1e60])}, "at most 1e\\+50"),
        ({"demand": sp.csr_array((4, 5))}, "square"),
        ({"demand": sp.csr_array((4, 4))}, "shape of A"),
        ({"demand": sp.csr_array((5, 5))}, "zero for all pairs"),
        ({"demand": sp.csr_array(np.eye(5))}, "zero for all pairs"),
        ({"demand": -PATH}, r"not negative, got -1.0 at \[0, 1\]"),
        ({"demand": PATH * np.inf}, "finite"),
        ({"demand": PATH * 1e-60}, "1e-50..1e\\+50"),
        ({"demand": PATH * 1j}, "demand must hold real numbers"),
        (
            {"demand": sparsebc.io.Network(PATH, tuple("abcde"))},
            "not nodes of A, as 'a': .*demand.matrix, if A has no names",
        ),
        ({"demand": "trips"}, "demand"),
        ({"demand": PATH, "k": 2}, "leave out k, or demand"),
        ({"demand": PATH, "dtype": np.float32}, "too small a range for demand"),
        ({"decay": ("power", 1), "dtype": np.float32}, "too small a range for decay"),
        ({"decay": ("power", 60), "weighted": True}, "exceeds 1e\\+50 at the shortest length 0.1"),
        ({"demand": PATH, "memory_budget": 1000}, "memory_budget"),
        ({"names": ["closeness"], "decay": ("power", 1)}, "no effect on 'closeness': leave it out"),
    ],
    ids=str,
)
def test_what_is_refused(options, words):
    """By the name of the option, with the way out."""
    score = centralities if "names" in options else edge_betweenness
    with pytest.raises((ValueError, TypeError, MemoryError), match=words):
        score(PATH * 0.1, **options)


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
