"""Arrivals, reach and closeness in time: against all walks one by one, and laws."""

import numpy as np
import pytest
import scipy.sparse
import walks
from conftest import DEVICES
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsebc
from sparsebc import temporal


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=50)
@given(walks.networks(), walks.WAITS, st.booleans(), st.none() | st.integers(-1, 8))
def test_all_walks_one_by_one(device, contacts, wait, directed, start):
    """Arrivals and reach from a time on, and closeness both ways, are those of the definitions."""
    n, options = contacts.n, {"wait": wait, "directed": directed, "device": device}
    used = contacts if directed else walks.both_ways(contacts)
    late = slice(None) if start is None else used.time >= start
    columns = (used.source[late], used.target[late], used.time[late], used.duration[late])
    later = temporal.Contacts(*columns, n)
    times, edges = np.full((n, n), np.inf), np.full((n, n), np.inf)
    for s in range(n):
        for t, found in walks.optimal(later, s, wait, "shortest foremost").items():
            e = found[0][-1]
            times[s, t] = later.time[e] + later.duration[e]
        for t, found in walks.optimal(used, s, wait, "shortest").items():
            edges[s, t] = len(found[0])
    reached = np.isfinite(times).sum(axis=1)
    if start is not None:
        np.fill_diagonal(times, start)
    assert temporal.reach(contacts, start, **options).tolist() == reached.tolist()
    if start is not None:
        rows = temporal.arrival(contacts, range(n)[::-1], start, **options)
        assert np.array_equal(rows[::-1], times)
    for direction, lengths in (("in", edges), ("out", edges.T)):
        count = np.isfinite(lengths).sum(axis=0)
        total = np.where(np.isfinite(lengths), lengths, 0).sum(axis=0)
        expected = count**2 / np.maximum(total, 1) / max(n - 1, 1)
        scores = temporal.closeness(contacts, direction=direction, **options)
        assert scores == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 10**6), st.sampled_from(["in", "out"]))
@settings(max_examples=30)
def test_closeness_at_one_time_is_the_static_measure(seed, direction):
    """Of more nodes than a batch has, and from some of them."""
    A = scipy.sparse.random_array((80, 80), density=0.03, rng=seed, format="coo")
    contacts = temporal.Contacts(A.row, A.col, np.full(A.nnz, 7), n=80)
    for sources in (None, [3, 70, 5]):
        options = {"direction": direction, "sources": sources, "device": "cpu"}
        expected = sparsebc.closeness(A, **options)
        assert temporal.closeness(contacts, **options) == pytest.approx(expected)
