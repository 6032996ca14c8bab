"""The graph of events: what each has, and that its order and levels are ones to compute in."""

from types import SimpleNamespace

import numpy as np
import pytest
import walks
from hypothesis import given, settings

from sparsebc.graph import events
from sparsebc.graph.events import NONE, levels
from sparsebc.graph.timeline import timeline


def test_too_many_edges_for_numbers_of_events():
    """Told before anything is allocated."""
    tail = np.broadcast_to(np.int32(0), 1 << 30)
    with pytest.raises(ValueError, match="1073741824 edges among 2 nodes, and walks can be"):
        events.expanded(2, SimpleNamespace(tail=tail), tail, tail, None)


def expanded(contacts, wait):
    """The timeline of contacts, and its events."""
    times = (contacts.time, contacts.time + contacts.duration)
    found = timeline(contacts.n, contacts.source, contacts.target, *times, wait)
    return found, found.events


def follows(found, e, f, wait):
    """Whether an edge can go on from another."""
    waits = found.departure[f] - found.arrival[e]
    return waits >= 0 and (wait is None or waits <= wait)


@settings(max_examples=200)
@given(walks.networks(), walks.WAITS)
def test_entries_of_an_event_have_one_window(contacts, wait):
    """Each edge is an arrival and a departure once; those of an event can follow the same edges."""
    found, there = expanded(contacts, wait)
    line = found.line
    for side, node in ((there.arrivals, line.head), (there.departures, line.tail)):
        sizes = side.end - side.begin
        assert sizes.sum() == found.edges
        assert np.array_equal(np.bincount(side.own, minlength=there.node.size), sizes)
        for k in range(there.node.size):
            assert (side.own[side.begin[k] : side.end[k]] == k).all()
        at = np.bincount(node, minlength=contacts.n)
        assert np.array_equal(np.diff(side.nodes), at)
    leave = np.empty(found.edges, np.int32)
    enter = np.empty(found.edges, np.int32)
    pairs = sorted(zip(there.departures.own, there.departures.other, strict=True))
    assert pairs == sorted(zip(there.arrivals.other, there.arrivals.own, strict=True))
    # Edges of a node depart in their order, and arrive in theirs.
    for v in range(contacts.n):
        tails = np.flatnonzero(line.tail == v)
        begin, end = there.departures.nodes[v : v + 2]
        leave[tails[::-1]] = there.departures.own[begin:end]
        heads = line.arriving[line.head[line.arriving] == v]
        begin, end = there.arrivals.nodes[v : v + 2]
        enter[heads] = there.arrivals.own[begin:end]
    for k in range(there.node.size):
        for edges, before in (
            (np.flatnonzero(leave == k), True),
            (np.flatnonzero(enter == k), False),
        ):
            others = np.flatnonzero((line.head if before else line.tail) == there.node[k])
            windows = {
                tuple(
                    other
                    for other in others.tolist()
                    if (
                        follows(found, other, e, wait) if before else follows(found, e, other, wait)
                    )
                    and is_told_apart(found, other, e)
                )
                for e in edges.tolist()
            }
            assert len(windows) <= 1


def is_told_apart(found, e, f):
    """Of edges of one step without a chain none follows another."""
    step = found.line.departed[e]
    same = found.line.instant and step == found.line.departed[f]
    return not same or bool(found.line.chained[[e, f]].all())


@settings(max_examples=200)
@given(walks.networks(), walks.WAITS)
def test_edges_lead_to_later_sets_and_levels(contacts, wait):
    """But within a set of chained events; so do events of a node, whose links are two ways."""
    _, there = expanded(contacts, wait)
    count = there.node.size
    assert there.sets[0] == 0
    assert there.sets[-1] == count
    number = np.repeat(np.arange(there.sets.size - 1), np.diff(there.sets))
    several = np.diff(there.sets)[number] > 1
    assert np.array_equal(there.chained.astype(bool), several)
    before = np.flatnonzero(there.before != NONE)
    assert np.array_equal(there.after[there.before[before]], before)
    assert np.array_equal(there.node[there.before[before]], there.node[before])
    edges = np.stack([there.departures.own, there.departures.other])
    inside = number[edges[0]] == number[edges[1]]
    assert (number[edges[0]] <= number[edges[1]]).all()
    assert several[edges[:, inside]].all()
    steps = np.concatenate([edges[:, ~inside], np.stack([there.before[before], before])], axis=1)
    for forward in (True, False):
        found = levels(there, forward)
        assert np.array_equal(np.sort(found.order), np.arange(count))
        level = np.empty(count, np.int64)
        widths = np.diff(found.starts)
        level[found.order] = np.repeat(np.arange(widths.size), widths)
        assert np.array_equal(found.repeats[level].astype(bool), several)
        low, high = level[steps] if forward else level[steps][::-1]
        assert (low < high).all()
        assert (level[edges[0, inside]] == level[edges[1, inside]]).all()
