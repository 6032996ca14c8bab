"""Intervals for the means of finite populations: do they hold them as often as they say?"""

import numpy as np
import pytest
from estimates import ALLOWED, DELTA, RUNS
from hypothesis import given
from hypothesis import strategies as st

from sparsebc.estimates.confidence_intervals import Intervals


def rare(rng):
    """One value in a hundred is one, the others are zero."""
    return (rng.permutation(1500)[:, None] < 15).astype(float)


def coin(rng):
    """Zeros and ones: the largest variance there is."""
    return (rng.permutation(1500)[:, None] < 600).astype(float)


def skewed(rng):
    """Many means at once, most of them tiny, of values with a long tail."""
    return rng.random((1500, 40)) ** (1 + 20 * rng.random(40))


def all_alike(rng):
    """No variance to learn."""
    return np.full((1500, 3), 0.3)


POPULATIONS = [rare, coin, skewed, all_alike]


def rounds(values, tolerance, delta, **plan):
    """Draw rows from the first on until all half-widths are down to the tolerance.

    Yields intervals after every round.
    """
    intervals = Intervals(len(values), np.full(values.shape[1], tolerance), delta)
    while True:
        mean, low, high = intervals.bounds()
        yield intervals.drawn, mean, low, high
        half = np.maximum(high - mean, mean - low)
        if intervals.drawn == len(values) or (half <= tolerance).all():
            return
        count = intervals.plan(**plan)
        part = values[intervals.drawn :][:count]
        intervals.add(count, part.sum(axis=0), (part**2).sum(axis=0))


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("population", POPULATIONS, ids=lambda p: p.__name__)
def test_intervals_hold_their_means(population, early):
    """In all but a share delta of the runs, after every round, for all means at once."""
    misses = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        values = rng.permutation(population(rng))
        truth = values.mean(axis=0)
        misses += any(
            ((low > truth + 1e-12) | (truth > high + 1e-12)).any()
            for _, _, low, high in rounds(values, 0.05, DELTA, early=early)
        )
    assert misses <= ALLOWED


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda p: p.__name__)
def test_draws_are_near_those_of_bernsteins_inequality(population):
    """Close to what Bernstein's inequality takes at the true variance, which it is not told.

    Twice as many at most, and two rounds of 128: the variance is to be learnt first.
    """
    rng = np.random.default_rng(7)
    values, tolerance = rng.permutation(np.repeat(population(rng), 20, axis=0)), 0.03
    variance, level = values.var(axis=0).max(), np.log(2 * values.shape[1] / DELTA)
    bernstein = level * (2 * variance / tolerance**2 + 2 / (3 * tolerance))
    *_, (drawn, _, _, _) = rounds(values, tolerance, DELTA)
    assert drawn <= 2 * bernstein + 2 * 128


@given(
    st.integers(1, 700),
    st.integers(0, 3),
    st.lists(st.floats(0, 1), min_size=1, max_size=99),
    st.floats(1e-6, 0.5),
    st.floats(1e-6, 0.99),
    st.booleans(),
)
def test_rounds_end_with_bounds_in_order(size, columns, some, tolerance, delta, early):
    """Every round draws something, no more than is left, and bounds are in order."""
    values = np.resize(some, (size, columns)) ** 9
    before = -1
    for drawn, mean, low, high in rounds(values, tolerance, delta, early=early):
        assert before < drawn <= size
        assert (low <= high).all()
        assert ((mean >= 0) & (mean <= 1)).all()
        # The rows that are left hold from 0 to 1 each.
        assert (low * size >= drawn * mean - 1e-9).all()
        assert (high * size <= size - drawn * (1 - mean) + 1e-9).all()
        before = drawn
    if drawn == size:  # the interval is a point
        np.testing.assert_allclose(mean, values.mean(axis=0), rtol=1e-12)
        np.testing.assert_array_equal([low, high], [mean, mean])


def of_all(values, names, size):
    """Values of columns, at each of the means."""
    every = np.full(size, values[0])
    every[names] = values[1:]
    return every


@given(
    st.integers(1, 60),
    st.floats(1e-4, 0.3),
    st.floats(1e-6, 0.99),
    st.sampled_from([1, 3]),
    st.booleans(),
    st.data(),
)
def test_means_that_share_a_column_have_intervals_of_their_own(
    size, tolerance, delta, growth, early, data
):
    """Zeros and ones: the intervals are those of a column for each mean, and of a run resumed."""
    apart = Intervals(np.inf, np.full(size, tolerance), delta, 64, growth)
    alike, again = (
        Intervals(np.inf, np.full(1, tolerance), delta, 64, growth, size) for _ in range(2)
    )
    for _ in range(6):
        again.restore(*alike.state())
        count = alike.plan(early=early)
        assert again.plan(early=early) == count
        assert apart.plan(early=early) == pytest.approx(count, rel=1e-9, abs=1)
        ones = data.draw(st.dictionaries(st.integers(0, size - 1), st.integers(1, count)))
        hits, names = np.zeros(size), np.array(sorted(ones), dtype=int)
        hits[names] = [ones[name] for name in names.tolist()]
        apart.add(count, hits, hits)
        for shared in (alike, again):
            shared.add(count, hits[names], hits[names], names)
        assert alike.expected == again.expected
        for want, got, resumed in zip(apart.bounds(), alike.bounds(), again.bounds(), strict=True):
            np.testing.assert_array_equal(resumed, got)
            np.testing.assert_allclose(of_all(got, alike.names, size), want, rtol=1e-9)
        again = Intervals(np.inf, np.full(1, tolerance), delta, 64, growth, size)


@given(
    st.integers(1, 60),
    st.floats(1e-4, 0.3),
    st.floats(1e-6, 0.99),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_the_shares_of_failure_sum_to_delta(size, tolerance, delta, alike, seed):
    """Two bounds of each mean fail with probability exp(-L) each: before and after the pilot."""
    rng = np.random.default_rng(seed)
    shape = 1 if alike else size
    intervals = Intervals(np.inf, np.full(shape, tolerance), delta, alike=size if alike else None)
    for _ in range(3):
        _, arrays = intervals.state()
        shares = 2 * np.exp(-arrays["_level"])
        means = np.ones(shares.size)
        means[0] += size - shares.size
        assert means @ shares == pytest.approx(delta, rel=1e-6)
        count = intervals.plan()
        hits = rng.binomial(count, rng.random(size) ** 9).astype(float)
        names = np.flatnonzero(hits) if alike else slice(None)
        intervals.add(count, hits[names], hits[names], names if alike else None)
