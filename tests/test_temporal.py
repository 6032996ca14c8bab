"""Networks in time: against all walks one by one, the static measures, and laws."""

from types import SimpleNamespace

import numpy as np
import pytest
import walks
from conftest import DEVICES, GPU
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsebc
from sparsebc import temporal
from sparsebc.temporal import events
from sparsebc.testing import matrices

KERNELS = ("cpu", GPU)


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=60)
@given(walks.networks(), walks.WAITS, walks.KINDS, st.booleans(), st.data())
def test_betweenness_is_that_of_all_walks_one_by_one(device, contacts, wait, kind, directed, data):
    """Scores are those of the definition, on each device, from all nodes and from some."""
    nodes = st.integers(0, contacts.n - 1)
    sources = data.draw(st.none() | st.lists(nodes, min_size=1, unique=True))
    used = contacts if directed else walks.both_ways(contacts)
    expected = [float(score) for score in walks.betweenness(used, wait, kind, sources)]
    options = {"kind": kind, "wait": wait, "directed": directed, "sources": sources}
    raw = temporal.betweenness(contacts, **options, normalized=False, device=device)
    assert raw == pytest.approx(expected, rel=1e-12, abs=1e-12)
    scores = temporal.betweenness(contacts, **options, device=device)
    pairs = max((contacts.n - 1) * (contacts.n - 2), 1)
    assert scores == pytest.approx(raw / pairs, rel=1e-12)


def many(seed, n=90, m=900, times=60, duration=0):
    """Random contacts of more nodes than a batch has sources."""
    random = np.random.default_rng(seed)
    ends, departure = random.integers(0, n, (2, m)), random.integers(0, times, m)
    return temporal.Contacts(*ends, departure, duration, n=n)


@pytest.mark.parametrize("device", KERNELS)
@pytest.mark.parametrize("kind", ["shortest", "shortest foremost"])
@pytest.mark.parametrize("wait", [None, 0, 3, 20])
@pytest.mark.parametrize("duration", [0, 4])
def test_batches_are_the_reference(device, kind, wait, duration):
    """Several batches, long windows and steps of many edges; bits are those of any workers."""
    contacts = many(5, duration=duration)
    options = {"kind": kind, "wait": wait}
    scores = temporal.betweenness(contacts, **options, device=device, workers=1)
    reference = temporal.betweenness(contacts, **options, device="reference")
    assert scores == pytest.approx(reference, rel=1e-12)
    assert scores.sum() > 0
    done = []
    again = temporal.betweenness(
        contacts, **options, device=device, workers=2, progress=lambda *told: done.append(told)
    )
    assert np.array_equal(scores, again)
    assert done[-1] == (90, 90)


@pytest.mark.gpu(2)
def test_two_gpus_have_the_bits_of_one():
    """Of sources enough for both."""
    contacts = many(7, n=3000, m=20_000, times=5000)
    one, two = (
        temporal.betweenness(contacts, device=each) for each in ("cuda", ["cuda:0", "cuda:1"])
    )
    assert np.array_equal(one, two)


def steps(count, between):
    """Nodes in a row, each joined to the next one so often, a step later than to the last."""
    tails = np.repeat(np.arange(count - 1), between)
    return temporal.Contacts(tails, tails + 1, tails)


@pytest.mark.parametrize("device", KERNELS)
@pytest.mark.parametrize("kind", ["shortest", "shortest foremost"])
@pytest.mark.parametrize("wait", [None, 1])
@pytest.mark.parametrize("count", [301, 330, 900])
def test_numbers_of_walks_beyond_floats_are_counted(device, kind, wait, count):
    """10 ways a layer are 1e899 in 900 layers."""
    options = {"kind": kind, "wait": wait, "device": device}
    scores = temporal.betweenness(steps(count, 10), normalized=False, **options)
    assert scores == pytest.approx([v * (count - 1 - v) for v in range(count)])


@pytest.mark.parametrize("device", DEVICES)
def test_numbers_of_walks_that_no_weight_brings_into_range_are_refused(device):
    """From a node 1e499 walks of 499 edges, and a single one of 1,000; loudly."""
    many, few = steps(500, 10), steps(1001, 1)
    ends = [
        np.concatenate([each, np.where(other == 0, 0, other + many.n)])
        for each, other in ((many.source, few.source), (many.target, few.target))
    ]
    both = temporal.Contacts(*ends, np.concatenate([many.time, few.time]))
    with pytest.raises(OverflowError, match="too large, or differ too much, for floats"):
        temporal.betweenness(both, sources=[0], device=device)
    scores = temporal.betweenness(both, sources=[1, many.n + 1], device=device, normalized=False)
    assert scores[[1, 2, many.n + 1, many.n + 2]] == pytest.approx([0, 497, 0, 998])


def test_too_many_edges_for_numbers_of_events_are_refused():
    """Told before anything is allocated."""
    tail = np.broadcast_to(np.int32(0), 1 << 30)
    with pytest.raises(ValueError, match="1073741824 edges among 2 nodes, and walks can be"):
        events.expanded(2, SimpleNamespace(tail=tail), tail, tail, None)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", range(4))
def test_nodes_without_contacts_score_zero(device, n):
    """No nodes, no edges."""
    contacts = temporal.Contacts([], [], [], n=n)
    assert temporal.betweenness(contacts, wait=1, device=device).tolist() == [0] * n


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=30)
@given(walks.networks(), walks.WAITS, st.booleans(), st.none() | st.integers(-1, 8))
def test_arrival_reach_and_closeness_are_those_of_all_walks(
    device, contacts, wait, directed, start
):
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


@pytest.mark.parametrize("device", DEVICES)
def test_a_way_there_and_back_at_once_begins_a_new_wait(device):
    """From node 0 to 1, there to 2 and back, and in time on to 3."""
    contacts = temporal.Contacts([0, 1, 1], [1, 2, 3], [0, 2, 4])
    ways = {"wait": 2, "directed": False, "device": device}
    assert temporal.reach(contacts, **ways)[0] == 3
    without = temporal.Contacts([0, 1], [1, 3], [0, 4])
    assert temporal.reach(without, **ways)[0] == 1


@given(
    matrices(min_nodes=80, max_nodes=80, max_edges=240, explicit_zeros=False),
    st.sampled_from(["in", "out"]),
)
@settings(max_examples=30)
def test_closeness_at_one_time_is_the_static_measure(A, direction):
    """Of more nodes than a batch has, and from some of them."""
    A = A.tocoo()
    contacts = temporal.Contacts(A.row, A.col, np.full(A.nnz, 7), n=80)
    for sources in (None, [3, 70, 5]):
        options = {"direction": direction, "sources": sources, "device": "cpu"}
        expected = sparsebc.closeness(A, **options)
        assert temporal.closeness(contacts, **options) == pytest.approx(expected)


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
    near = temporal.Contacts([0, 1], [1, 2], [0, 2])
    assert temporal.reach(near, wait=1.5).tolist() == [1, 1, 0]


def test_arguments_that_are_left_out_have_defaults():
    """Durations are 0, and nodes are as many as edges or names need."""
    contacts = temporal.Contacts([0, 3], [1, 0], [5, 2.5])
    assert contacts.n == 4
    assert contacts.nodes is None
    assert contacts.duration.tolist() == [0, 0]
    assert temporal.Contacts([0], [1], [1], 2).duration.tolist() == [2]
    assert temporal.Contacts([0], [1], [1], nodes="abc").n == 3
    empty = temporal.Contacts([], [], [])
    assert (empty.n, len(empty), repr(empty)) == (0, 0, "<Contacts: 0 edges among 0 nodes>")
