"""Contacts: what they hold, in which order, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import temporal

EDGE = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(-9, 9), st.integers(1, 4))


@given(st.lists(EDGE), st.randoms(use_true_random=False), st.sampled_from([int, float]))
def test_edges_are_sorted_whatever_their_order(edges, random, kind):
    """All but loops are there, by departure, in an order that does not depend on that given."""

    def made(rows):
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return temporal.Contacts(*columns[:2], *columns[2:].astype(kind), n=6)

    contacts = made(edges)
    shuffled = made(random.sample(edges, len(edges)))
    columns = (contacts.time, contacts.duration, contacts.source, contacts.target)
    rows = list(zip(*columns, strict=True))
    assert rows == sorted((t, d, u, v) for u, v, t, d in edges if u != v)
    assert len(contacts) == len(rows)
    for name in ("source", "target", "time", "duration"):
        array = getattr(contacts, name)
        assert np.array_equal(array, getattr(shuffled, name))
        assert not array.flags.writeable
    assert contacts.time.dtype == contacts.duration.dtype == np.dtype(kind)


NEAR, FAR = 2**53, 2**63 - 20  # the last times


@given(
    st.lists(EDGE, max_size=12),
    st.sampled_from([0, NEAR, -NEAR, FAR, -FAR]),
    st.sampled_from([int, float]),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 9), st.floats(0, 9)),
    st.floats(-12, 12),
)
def test_whole_times_are_exact_however_far(edges, origin, kind, instant, wait, start):
    """Walks are those of the same times about 0, whatever type the durations have."""
    source, target, time, duration = np.array(edges, dtype=np.int64).reshape(-1, 4).T
    duration = duration * (not instant)
    near = temporal.Contacts(source, target, time, duration, n=6)
    far = temporal.Contacts(source, target, time + origin, duration.astype(kind), n=6)
    rule = {"wait": wait, "workers": 1}
    for foremost in ("shortest", "shortest foremost"):
        scores = [temporal.betweenness(each, kind=foremost, **rule) for each in (near, far)]
        assert np.array_equal(*scores)
    begin = origin + np.ceil(start).astype(int).item()
    for first in (begin, np.int64(begin)):
        reached = temporal.reach(near, start, **rule), temporal.reach(far, first, **rule)
        assert np.array_equal(*reached)
    near_arrivals = temporal.arrival(near, range(6), int(np.ceil(start)), **rule)
    moved = [x if np.isinf(x) else origin + int(x) for x in near_arrivals.ravel().tolist()]
    arrivals = temporal.arrival(far, range(6), begin, **rule)
    assert np.array_equal(arrivals.ravel(), np.array(moved, dtype=float))


def test_floats_beside_whole_times_are_compared_exactly():
    """No edge departs before a start, and no walk waits longer than it may, by a rounding."""
    contacts = temporal.Contacts([0, 1], [1, 2], [2**53 + 3, 2**60 + 2**53 + 4])
    assert temporal.reach(contacts, 2.0**53 + 4).tolist() == [0, 1, 0]
    real = temporal.Contacts([0, 1], [1, 2], [2.0**53, 2.0**54])
    assert temporal.reach(real, 2**53 + 1).tolist() == [0, 1, 0]
    for each in (contacts, real):
        assert temporal.reach(each, 10**400).tolist() == [0, 0, 0]
        assert temporal.reach(each, -(10**400)).tolist() == [2, 1, 0]
    assert temporal.reach(contacts, wait=2.0**60).tolist() == [1, 1, 0]
    assert temporal.reach(contacts, wait=2**60 + 1).tolist() == [2, 1, 0]
    ends = temporal.Contacts([0, 1], [1, 2], [-(2**63), -1])
    assert temporal.reach(ends, wait=5).tolist() == [1, 1, 0]


def test_what_is_left_out():
    """Durations are 0, and nodes are as many as edges or names need."""
    contacts = temporal.Contacts([0, 3], [1, 0], [5, 2.5])
    assert contacts.n == 4
    assert contacts.nodes is None
    assert contacts.duration.tolist() == [0, 0]
    assert temporal.Contacts([0], [1], [1], 2).duration.tolist() == [2]
    assert temporal.Contacts([0], [1], [1], nodes="abc").n == 3
    empty = temporal.Contacts([], [], [])
    assert (empty.n, len(empty), repr(empty)) == (0, 0, "<Contacts: 0 edges among 0 nodes>")


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([0], [1, 2], [1]), ValueError, "target must have one value for each of the 1 edges"),
        (([0], [1], [1, 2]), ValueError, "time must have one value"),
        (([0], [1], 1), ValueError, "time must have one value"),
        (([[0]], [[1]], [[1]]), ValueError, "source must be one-dimensional"),
        (([0.0], [1], [1]), TypeError, "source must hold node numbers"),
        (([0], [1], ["1"]), TypeError, "time must hold real numbers"),
        (([0], [1], [True]), TypeError, "time must hold real numbers"),
        (([0], [1], np.array(["2024-01-01"], "M8[s]")), TypeError, "of dates, as seconds"),
        (([0], [1], [np.nan]), ValueError, "time must be finite, got nan"),
        (([0], [1], np.array([2**63], np.uint64)), ValueError, "time must be below 2"),
        (([0, 1], [1, 0], [1, 2], [0, 3]), ValueError, "all 0 or all positive, got 0 and 3"),
        (([0], [1], [1], [-1]), ValueError, "duration must not be negative, got -1"),
        (([0], [1], [1e20], [1.0]), ValueError, "must be a later time in float64"),
        (([0], [1], [2**63 - 1], [1]), ValueError, "must be a later time in int64"),
        (([0, 0], [1, 1], [-1, 2**63 - 1]), ValueError, "must span less than 2"),
        (([0], [1], [2**60 + 1], [0.5]), ValueError, "beside duration 0.5 would be rounded"),
        (([0], [1], [0.5], [2**60 + 1]), ValueError, "beside time 0.5 would be rounded"),
        (([0], [1], [1e308], [1.7e308]), ValueError, "must be a later time"),
        (([0], [3], [1], 0, 3), ValueError, r"target must lie in 0..2, got 3"),
        (([-1], [1], [1]), ValueError, "source must lie in 0..1, got -1"),
        (([0], [1], [1], 0, 2.0), TypeError, "n must be an int, got 2.0"),
        (([0], [1], [1], 0, -1), ValueError, "n must not be negative, got -1"),
        (([0], [1], [1], 0, 2, "abc"), ValueError, "nodes must name each of the n=2 nodes, got 3"),
        (([0], [1], [1], 0, 2**31), ValueError, "up to 2147483647 nodes"),
    ],
)
def test_what_is_refused(arguments, error, said):
    """With an error that names the argument and the value."""
    with pytest.raises(error, match=said):
        temporal.Contacts(*arguments)
