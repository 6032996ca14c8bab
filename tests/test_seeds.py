"""Pairs that count by themselves and by their distance, ``demand`` and ``decay``: laws and limits.

Their numbers are those of the oracle in the conformance suite, which draws both with all options.
"""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, close, square, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

import sparsebc
from sparsebc import betweenness, centralities, edge_betweenness, explain

GRAPHS = MEDIUM | LARGE
NAMES = ["betweenness", "edge_betweenness", "stress"]
WEIGHTED = [False, True]
PATH = sp.csr_array(np.eye(5, k=1))
DECAYS = [
    ("exponential", 0.7),
    ("linear", 4),
    ("power", 1.5),
    ("gaussian", 2.0),
    ([1, 3, 7], [2.0, 0.5, 0.25]),
]


def numbers(scores):
    """Arrays of what `centralities` returns."""
    return [values.data if sp.issparse(values) else values for values in scores.values()]


def asked(name, weighted):
    """A graph, and options of a call on it."""
    A = with_lengths(GRAPHS[name], [1, 2, 2.5, 4]) if weighted else GRAPHS[name]
    return A, {"weighted": weighted, "directed": False, "normalized": False}


def trips(n, seed=0):
    """A demand of few pairs."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, 3 * n))
    return sp.coo_array((rng.integers(1, 9, 3 * n), tuple(ends)), shape=(n, n))


@pytest.mark.parametrize("weighted", WEIGHTED)
@pytest.mark.parametrize("name", ["hubs", "spider", "grid", "sparse"])
def test_demand_of_all_pairs_is_none(fast_device, name, weighted):
    """A product of weights of nodes is the same demand, and the same divisor."""
    A, ways = asked(name, weighted)
    rng = np.random.default_rng(1)
    alpha, omega = rng.integers(0, 4, (2, A.shape[0])) * rng.random((2, A.shape[0]))
    ways |= {"device": fast_device, "normalized": True}
    for endpoints in (False, True):
        of_nodes = {"source_weights": alpha, "target_weights": omega, "endpoints": endpoints}
        by_pairs = {"demand": sp.csr_array(np.outer(alpha, omega)), "endpoints": endpoints}
        left = centralities(A, NAMES, **ways, **of_nodes)
        right = centralities(A, NAMES, **ways, **by_pairs)
        for one, other in zip(numbers(left), numbers(right), strict=True):
            assert_allclose(one, other, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("weighted", WEIGHTED)
@pytest.mark.parametrize("name", ["communities", "grid", "sparse"])
def test_sources_share_a_search_or_go_alone(fast_device, name, weighted):
    """With a demand of one for each pair, or beside stress, other kernels sweep the same."""
    A, ways = asked(name, weighted)
    ways |= {"device": fast_device, "decay": ("exponential", 0.3), "endpoints": True}
    want = betweenness(A, **ways)
    close(centralities(A, ["betweenness", "stress"], **ways)["betweenness"], want)
    close(betweenness(A, demand=np.ones(A.shape), **ways), want)
    few = [betweenness(A, sources=[s], **ways) for s in range(0, A.shape[0], 50)]
    close(betweenness(A, sources=range(0, A.shape[0], 50), **ways), sum(few))


@pytest.mark.parametrize("weighted", WEIGHTED)
@pytest.mark.parametrize("name", ["hubs", "spider", "grid"])
def test_decay_of_one_step_is_a_cutoff(fast_device, name, weighted):
    A, ways = asked(name, weighted)
    ways |= {"device": fast_device}
    right = numbers(centralities(A, NAMES, cutoff=5, **ways))
    for one, other in zip(
        numbers(centralities(A, NAMES, decay=([5], [1]), **ways)), right, strict=True
    ):
        close(one, other)


@pytest.mark.parametrize("decay", DECAYS, ids=str)
@pytest.mark.parametrize("weighted", WEIGHTED)
def test_columns_are_single_calls_and_workers_change_no_bit(fast_device, weighted, decay):
    A, ways = asked("sparse", weighted)
    ways |= {"device": fast_device, "decay": decay, "demand": trips(A.shape[0])}
    cutoffs = [7, 2, 3.75, np.inf]
    several = betweenness(A, cutoff=cutoffs, **ways)
    assert_array_equal(several, betweenness(A, cutoff=cutoffs, workers=3, **ways))
    for column, cutoff in enumerate(cutoffs):
        close(several[:, column], betweenness(A, cutoff=cutoff, **ways))


@pytest.mark.parametrize("weighted", WEIGHTED)
def test_demands_add_up(fast_device, weighted):
    """Scores that are not normalized are linear in it; sources without demand are not swept."""
    A, ways = asked("grid", weighted)
    one, other = trips(A.shape[0]), trips(A.shape[0], 7)
    ways |= {"device": fast_device, "decay": ("exponential", 0.1)}
    both = betweenness(A, demand=one + other, **ways)
    close(both, betweenness(A, demand=one, **ways) + betweenness(A, demand=other, **ways))


def test_a_plan_tells_what_is_swept(fast_device):
    """Sources without demand are not; of the reductions "prune" is used alone."""
    A, n = square(40), 1600
    D = sp.csr_array(([2.5, 1], ([3, 3], [n - 1, 7])), shape=(n, n))
    plan = explain(A, demand=D, decay=("exponential", 0.1), device=fast_device)
    assert plan.sources == 1
    reasons = {step.left_out for step in plan.steps[2:]}
    assert reasons == {"with demand or decay a node cannot stand for others"}


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


def chained_squares(count):
    """Two ways from joint to joint: 2**count shortest paths from end to end."""
    joints = np.arange(count)
    upper, lower = count + 1 + joints, 2 * count + 1 + joints
    tails = np.concatenate([joints, joints, upper, lower])
    heads = np.concatenate([upper, lower, joints + 1, joints + 1])
    n = 3 * count + 1
    return sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(n, n))


@pytest.mark.parametrize("weighted", WEIGHTED)
@pytest.mark.parametrize("count", [300, 600, 1100])
def test_no_seed_is_lost_beside_path_counts(device, weighted, count):
    """Of one pair far apart: weights down to 1e-150 over more paths than floats can tell."""
    A = chained_squares(count)
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
    A = chained_squares(1100)
    D = sp.csr_array(([1.0, 1.0], ([0, 0], [1, 3])), shape=A.shape)
    asked = {"demand": D} if pairs == "demand" else {"sources": [0], "targets": [1, 3]}
    caplog.set_level("INFO", "sparsebc")
    scores = betweenness(A, weighted=weighted, normalized=False, device="cpu", reduce=[], **asked)
    assert_array_equal(np.flatnonzero(scores), [1, 2, 1101, 1102, 1103, 2201, 2202, 2203])
    assert_array_equal(np.unique(scores), [0, 0.5, 1])
    assert not [record for record in caplog.records if "beyond" in record.message]


@pytest.mark.parametrize(
    ("decay", "words"),
    [
        ("exponential", "decay must be"),
        (("exponential", 1, 2), "decay must be"),
        (("exp", 1), "got 'exp'"),
        (("power", "2"), "exponent of decay='power' must be a number"),
        (("linear", 0), "range of decay='linear' must be a finite number above 0"),
        (("gaussian", np.inf), "scale"),
        (([1, 2], [1]), "a weight for each distance"),
        (([], []), "a weight for each distance"),
        (([2, 2], [1, 1]), "ascending"),
        (([1, 2], [1, -1]), "weights of decay must be finite and not negative"),
        (([1, np.nan], [1, 1]), "distances of decay must be finite"),
        (([[1]], [1]), "one-dimensional"),
        (([1], [1e60]), "at most 1e\\+50"),
    ],
)
def test_decays_that_are_none(decay, words):
    with pytest.raises((ValueError, TypeError), match=words):
        betweenness(PATH, decay=decay)


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        (sp.csr_array((4, 5)), "square"),
        (sp.csr_array((4, 4)), "shape of A"),
        (sp.csr_array((5, 5)), "zero for all pairs"),
        (sp.csr_array(np.eye(5)), "zero for all pairs"),
        (-PATH, r"not negative, got -1.0 at \[0, 1\]"),
        (PATH * np.inf, "finite"),
        (PATH * 1e-60, "1e-50..1e\\+50"),
        (PATH * 1j, "demand must hold real numbers"),
        (sparsebc.io.Network(PATH, tuple("abcde")), "names of nodes other than those of A"),
        ("trips", "demand"),
    ],
    ids=repr,
)
def test_demands_that_are_none(demand, words):
    with pytest.raises((ValueError, TypeError), match=words):
        betweenness(PATH, demand=demand)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"demand": PATH, "k": 2}, "leave out k, or demand"),
        ({"demand": PATH, "dtype": np.float32}, "too small a range for demand"),
        ({"decay": ("power", 1), "dtype": np.float32}, "too small a range for decay"),
        ({"decay": ("power", 60), "weighted": True}, "exceeds 1e\\+50 at the shortest length 0.1"),
        ({"demand": PATH, "memory_budget": 1000}, "memory_budget"),
    ],
)
def test_options_that_do_not_go_together(options, words):
    with pytest.raises((ValueError, MemoryError), match=words):
        edge_betweenness(PATH * 0.1, **options)
    with pytest.raises(ValueError, match="has no effect on 'closeness': leave it out"):
        centralities(PATH, ["closeness"], decay=("power", 1))


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
