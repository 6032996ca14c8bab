"""Temporal walks from 64 sources at once, by a forward and a backward pass over the events.

(k, x) + (k', x') has the smaller key k, and the sum of the x of that key. In the forward pass, keys
are numbers of edges h, and x counts walks, c:

    (h, c)(event) = sum of (h + 1, c)(event that the edge leaves) over the arrivals of its window

In the backward pass, keys are -h of the edges before, and x is g:

    (-h, g)(event) = sum of (-h, g(e)) over the departures of its window,
    g(e) = g(event that e enters), where its key is -h(e), + [e is last on an optimal walk] / c*

If waits are unlimited and walks need not be foremost, the last term is instead a departure with key
-h* at the last event of a node.

If waits are unlimited, the sum of a window is that of the event before (after) plus its own
arrivals (departures). In a set of chained events these are summed again until nothing changes.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np

from ...engines.cpu.common.simd import (
    LANES,
    WIDTH,
    bits_of,
    lanes_of,
    larger,
    load,
    prefetch,
    select,
    store,
    total,
)
from ...engines.cpu.common.state import array
from ...jit import inlined, kernel, stopped, subroutine

NEVER = np.float32(np.inf)  # key of no walk
NONE = -1
# Ends of optimal walks: the last event of a node, any edge that arrives, or those of the first
# step.
BY_NODE, BY_EDGE, FIRST = 0, 1, 2
AHEAD = 2  # prefetch distance in sets of events
MOST_FETCHED = 4  # rows of an event that are prefetched


class Walks(NamedTuple):
    """State of a batch."""

    lane: Any = array(np.int32, "n", fill=NONE)  # column of a node that is a source
    keys: Any = array(np.float32, "rows of events")  # h, then -h
    sums: Any = array(np.float64, "rows of events")  # c, then g
    best: Any = array(np.float32, "rows of n")  # h of the optimal walks to a node
    counts: Any = array(np.float64, "rows of n")  # number of optimal walks, then its reciprocal
    first: Any = array(np.int32, "rows of n")  # step in which a node is reached
    through: Any = array(np.float64, "lanes")  # b(v), in eight partial sums
    weight: Any = array(np.float64, WIDTH)  # of an edge: c has the factor weight**h, g its inverse
    largest: Any = array(np.float64, WIDTH)  # largest and least walk count
    least: Any = array(np.float64, WIDTH)


class Windows(NamedTuple):
    """Sliding-window sums by two stacks a node: suffix sums of the front, and sum of the rest."""

    front_keys: Any = array(np.float32, "rows of room")
    front: Any = array(np.float64, "rows of room")
    rest_keys: Any = array(np.float32, "rows of windows")
    rest: Any = array(np.float64, "rows of windows")


@inlined
def plus(key, x, other, y):
    """``(key, x) + (other, y)``, of eight lanes."""
    least = select(other < key, other, key)
    return least, select(key == least, x, 0) + select(other == least, y, 0)


@inlined
def alike(vector, number):
    """A number in every lane, as a vector of the type of ``vector``."""
    return select(vector < vector, vector, number)


@inlined
def is_source(walks, v, j):
    """Mask of the lanes j:j+8 whose source is node v."""
    lane = walks.lane[v] - j
    return lanes_of(np.uint64(1) << np.uint64(lane) if 0 <= lane < LANES else np.uint64(0))


@inlined
def fetch(walks, side, k):
    """Prefetch the rows of the events at the other ends of an event's edges."""
    for i in range(side.begin[k], min(side.end[k], side.begin[k] + MOST_FETCHED)):
        row = np.int64(side.row[i]) * WIDTH
        for at in range(row, row + WIDTH, LANES):
            prefetch(walks.sums, at)
        for at in range(row, row + WIDTH, 2 * LANES):
            prefetch(walks.keys, at)


@subroutine
def clear_windows(windows):
    """Clear the windows of all nodes."""
    for at in range(windows.rest.size):
        windows.rest_keys[at], windows.rest[at] = NEVER, 0


@inlined
def before_of(keys, sums, k, j):
    """Eight lanes of event k, the neighbour of an event at its node; zero if k < 0."""
    if k < 0:
        return alike(load(keys, j), NEVER), alike(load(sums, j), 0)
    return load(keys, np.int64(k) * WIDTH + j), load(sums, np.int64(k) * WIDTH + j)


@inlined
def arrival(walks, side, i, j):
    """(h(e), c(e)) of an edge that arrives."""
    at = np.int64(side.row[i]) * WIDTH + j
    return load(walks.keys, at) + 1, load(walks.sums, at) * load(walks.weight, j)


@inlined
def count_through(walks, v, j, counts):
    """Add walks through node v to its score, but in lanes whose source it is."""
    at = np.int64(v) * LANES
    others = select(is_source(walks, v, j), 0, counts)
    store(walks.through, at, load(walks.through, at) + others)


@inlined
def note(walks, key, x, j):
    """Update the largest and the least walk count."""
    least = load(walks.least, j)
    store(walks.least, j, select((key < NEVER) & (x < least), x, least))
    store(walks.largest, j, larger(load(walks.largest, j), x))


@subroutine
def find_ends(events, walks, foremost):
    """Fill best, counts and first of all nodes."""
    side = events.arrivals
    for v in range(walks.lane.size):
        for j in range(0, WIDTH, LANES):
            at = np.int64(v) * WIDTH + j
            key, x = before_of(walks.keys, walks.sums, NONE, j)
            first = load(walks.first, at) * 0 + NONE
            if not (foremost or events.limited):
                key, x = before_of(walks.keys, walks.sums, events.last[v], j)
            else:
                for i in range(side.nodes[v], side.nodes[v + 1]):
                    more, y = plus(key, x, *arrival(walks, side, i, j))
                    if foremost:
                        now = (first == side.step[i]) | ((first == NONE) & (more < NEVER))
                        if not bits_of(now) and bits_of(~(first == NONE)) == (1 << LANES) - 1:
                            break
                        key, x = select(now, more, key), select(now, y, x)
                        first = select(now, side.step[i], first)
                    else:
                        key, x = more, y
            store(walks.best, at, key)
            store(walks.counts, at, x)
            store(walks.first, at, first)
            note(walks, key, x, j)


@inlined
def departure(walks, side, i, h, j, ends):
    """g(e) of an edge that departs, with h(e), times its weight."""
    onward, at = np.int64(side.row[i]) * WIDTH + j, np.int64(side.node[i]) * WIDTH + j
    g = select(load(walks.keys, onward) == h * -1, load(walks.sums, onward), 0)
    if ends != BY_NODE:
        last = load(walks.best, at) == h
        if ends == FIRST:
            last = last & (load(walks.first, at) == side.step[i])
        if bits_of(last):
            g = g + select(last, load(walks.counts, at), 0)
    return g * load(walks.weight, j)


@inlined
def entry(events, walks, side, i, j, ends):
    """(h(e), c(e)) of an arrival if ``ends`` is None, else (-h, g(e)) of a departure."""
    if ends is None:
        return arrival(walks, side, i, j)
    h = load(walks.keys, np.int64(events.out[side.own[i]]) * WIDTH + j)
    return h * -1, departure(walks, side, i, h + 1, j, ends)


@subroutine
def slide(events, windows, walks, side, k, neighbour, ends):
    """Add the entries that enter a node's window before an event; refill the front at ``turn``.

    In the backward pass, ``ends`` not None, walks through the node are counted.
    """
    v = np.int64(events.node[k])
    # A chained event's entries are added with those of the next event of its node.
    begin, end = side.begin[k], side.begin[k] if events.chained[k] else side.end[k]
    if neighbour >= 0 and events.chained[neighbour]:
        begin = side.begin[neighbour]
    for j in range(0, WIDTH, LANES):
        at = v * WIDTH + j
        key, x = load(windows.rest_keys, at), load(windows.rest, at)
        for i in range(begin, end):
            other, y = entry(events, walks, side, i, j, ends)
            key, x = plus(key, x, other, y)
            if ends is not None:
                if side.own[i] == k:
                    counts = load(walks.sums, np.int64(events.out[k]) * WIDTH + j)
                    count_through(walks, v, j, counts * y)
        if side.turn[k] >= 0:
            key, x = alike(key, NEVER), alike(x, 0)
            for i in range(end - 1, side.turn[k] - 1, -1):
                key, x = plus(key, x, *entry(events, walks, side, i, j, ends))
                to = np.int64(side.room[v] + i - side.turn[k]) * WIDTH + j
                store(windows.front_keys, to, key)
                store(windows.front, to, x)
            key, x = alike(key, NEVER), alike(x, 0)
        store(windows.rest_keys, at, key)
        store(windows.rest, at, x)


@subroutine
def sum_event(events, windows, walks, k, begin, end, ends, counted):
    """Compute (h, c) of an event, from its window and arrivals begin:end; whether it changed.

    In the backward pass, ``ends`` not None, (-h, g) from its window and departures; walks through
    it are added if ``counted``.
    """
    side, row, near = events.arrivals, events.out[k], events.before[k]
    if ends is not None:
        side, row, near = events.departures, events.back[k], events.after[k]
        near = events.back[near] if near >= 0 else NONE
    if row < 0:
        return False
    v, changed = np.int64(events.node[k]), np.uint64(0)
    for j in range(0, WIDTH, LANES):
        at = np.int64(row) * WIDTH + j
        if events.limited:  # the window, without the entries of a chained event
            place = v * WIDTH + j
            key, x = load(windows.rest_keys, place), load(windows.rest, place)
            if side.front[k] >= 0:
                place = np.int64(side.front[k]) * WIDTH + j
                key, x = plus(load(windows.front_keys, place), load(windows.front, place), key, x)
        else:
            key, x = before_of(walks.keys, walks.sums, near, j)
        if ends is None:
            for i in range(begin, end):
                key, x = plus(key, x, *arrival(walks, side, i, j))
            start = is_source(walks, v, j)
            key, x = select(start, 0, key), select(start, 1, x)
            note(walks, key, x, j)
        else:
            if near < 0 and ends == BY_NODE:
                key, x = load(walks.best, v * WIDTH + j) * -1, load(walks.counts, v * WIDTH + j)
            out = np.int64(max(events.out[k], 0)) * WIDTH + j
            h, own, g = load(walks.keys, out), alike(key, NEVER), alike(x, 0)
            for i in range(begin, end):
                g = g + departure(walks, side, i, h + 1, j, ends)
                own = h * -1
            if counted:
                count_through(walks, v, j, load(walks.sums, out) * g)
            key, x = plus(key, x, own, g)
        changed |= bits_of(~((load(walks.keys, at) == key) & (load(walks.sums, at) == x)))
        store(walks.keys, at, key)
        store(walks.sums, at, x)
    return changed != 0


@subroutine
def pass_through(events, windows, walks, ends, stop):
    """Sum all events in order of the sets, backward if ``ends`` is not None; False if stopped.

    Events of a chained set are summed again until none changes.
    """
    side, near, count = events.arrivals, events.before, events.sets.size - 1
    if ends is not None:
        side, near = events.departures, events.after
    for turn in range(count):
        if turn % 1024 == 0 and stopped(stop):
            return False
        i, ahead = turn, min(turn + AHEAD, count - 1)
        if ends is not None:
            i, ahead = count - 1 - turn, max(count - 1 - turn - AHEAD, 0)
        first, last = events.sets[i], events.sets[i + 1]
        fetch(walks, side, events.sets[ahead])
        for k in range(first, last):
            if events.limited:
                slide(events, windows, walks, side, k, near[k], ends)
            alone = events.limited or events.chained[k]
            begin = side.begin[k]
            end = begin if alone else side.end[k]
            sum_event(events, windows, walks, k, begin, end, ends, not alone)
        changed = is_chained = events.chained[first] != 0
        while changed:
            changed = False
            for k in range(first, last):
                own = side.begin[k], side.end[k]
                changed |= sum_event(events, windows, walks, k, *own, ends, False)
        if is_chained and ends is not None:
            for k in range(first, last):
                own = side.begin[k], side.end[k]
                sum_event(events, windows, walks, k, *own, ends, True)
    return True


@kernel
def forward(events, windows, walks, sources, foremost, stop):
    """Compute (h, c) of all events, and the optimal walks to all nodes; False if stopped."""
    for v in range(walks.lane.size):
        walks.lane[v] = NONE
    for k in range(sources.size):
        walks.lane[sources[k]] = k
    for j in range(WIDTH):
        walks.largest[j], walks.least[j] = 0, np.inf
    clear_windows(windows)
    if not pass_through(events, windows, walks, None, stop):
        return False
    find_ends(events, walks, foremost)
    return True


@kernel
def backward(events, windows, walks, foremost, scores, stop):
    """Fill ``scores`` with b(v) of the batch, after `forward`; False if stopped."""
    for v in range(walks.lane.size):  # reciprocals of the counts, 0 at the source
        for k in range(WIDTH):
            at = v * WIDTH + k
            is_end = walks.counts[at] > 0 and walks.lane[v] != k
            walks.counts[at] = 1 / walks.counts[at] if is_end else 0
    for at in range(walks.through.size):
        walks.through[at] = 0
    clear_windows(windows)
    ends = FIRST if foremost else (BY_EDGE if events.limited else BY_NODE)
    if not pass_through(events, windows, walks, ends, stop):
        return False
    for v in range(scores.size):
        scores[v] = total(load(walks.through, np.int64(v) * LANES))
    return True
