"""The time-expanded graph of a list of edges: what happens at each node, event after event.

An event at a node is a run of arrivals and the departures that follow them before the next. All
departures of an event take the sum of the same arrivals, and all arrivals that of the same
departures: within a limit of waiting, runs are cut where these windows change. An edge leads from
one event to another, whose number is higher, but in a step of which a walk has several edges: the
events of that are a set, in which edges may lead back. No edge leads to an earlier set.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..jit import kernel, subroutine

NONE = -1


class Side(NamedTuple):
    """Arrivals node by node in their order, or departures, the last one first.

    A window is the sum of two stacks: front sums, from an entry up to where the stacks met last,
    and the sum of the rest. Its arrays are empty without a limit of waiting.
    """

    begin: Any  # (events,) where the entries of each event begin
    end: Any  # (events,)
    own: Any  # (m,) event of each entry
    other: Any  # (m,) event at the other end of its edge
    row: Any  # (m,) row of that
    node: Any  # (m,) node of that
    step: Any  # (m,) step in which it arrives
    nodes: Any  # (n + 1,) where the entries of a node begin
    turn: Any  # (events,) the first entry that becomes a front sum before; NONE if none does
    front: Any  # (events,) the front sum of the window; NONE if there is none
    room: Any  # (n + 1,) where the front sums of a node are kept


class Events(NamedTuple):
    """Events in an order in which edges lead forward."""

    node: Any  # (events,)
    before: Any  # (events,) the one before at the same node, or NONE
    after: Any  # (events,) the one after
    chained: Any  # (events,) whether it is one of a set of several
    sets: Any  # (sets + 1,) where each set begins
    last: Any  # (n,) the last event of a node, or NONE
    out: Any  # (events,) row of what its departures take; NONE if nothing looks at that
    back: Any  # (events,) row of what its arrivals take: the same, unless that is looked at again
    arrivals: Side
    departures: Side
    limited: Any  # whether there is a limit of waiting

    @property
    def rows(self) -> int:
        """Rows of both."""
        return int(max(self.out.max(initial=NONE), self.back.max(initial=NONE))) + 1

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """Arrays of both sides and of the events themselves."""
        return [*self[:8], *self.arrivals, *self.departures]


class Nodes(NamedTuple):
    """State of each node: its arrivals and departures so far."""

    last: Any  # its last event
    pending: Any  # the first arrival that is in no event
    arrived: Any  # where the next arrival goes
    left: Any  # where the next departure is, in their order
    low: Any  # the first arrival within the wait
    far: Any  # the first departure beyond it
    window: Any  # the same of the pending arrivals
    joined: Any  # step in which it is among the heads


class Runs(NamedTuple):
    """Lists that are being made."""

    node: Any  # of each event
    before: Any  # the event before at its node
    chained: Any
    step: Any  # of a chained event
    in_begin: Any  # its arrivals
    in_end: Any
    in_low: Any  # where the window of its departures begins; NONE if there is none
    out_begin: Any  # its departures
    out_end: Any
    out_low: Any  # where the window of its arrivals begins
    sets: Any
    arriving: Any  # (m,) arrivals by node
    departing: Any  # (m,) departures by node
    leave: Any  # (m,) event that an edge leaves
    enter: Any  # (m,) event that it enters
    sizes: Any  # numbers of events and of sets


BY_EVENT, BY_EDGE = Runs._fields[:10], Runs._fields[11:15]
IN, OUT = slice(4, 7), slice(7, 10)


def expanded(
    n: int, line: Any, departure: NDArray[Any], arrival: NDArray[Any], wait: float | None
) -> Events:
    """The events of a `timeline.Line`."""
    m = line.tail.size
    most = 2 * m + n  # each has an arrival or a departure
    if most > np.iinfo(np.int32).max:
        raise InputError(
            f"contacts have {m} edges among {n} nodes, and walks can be counted of up to 2**30 "
            "together: take them in several spans of time"
        )
    starts = [
        np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=n)))).astype(np.int32)
        for ends in (line.head, line.tail)
    ]
    heads, tails = starts
    arrived, left = heads[:-1], tails[:-1]
    nodes = Nodes(
        last=np.full(n, NONE, np.int32),
        pending=arrived.copy(),
        arrived=arrived.copy(),
        left=left.copy(),
        low=arrived.copy(),
        far=left.copy(),
        window=left.copy(),
        joined=np.full(n, NONE, np.int32),
    )

    def empty(size: int) -> NDArray[np.int32]:
        return np.empty(size, np.int32)

    sizes = dict.fromkeys(Runs._fields, most) | dict.fromkeys(BY_EDGE, m) | {"sets": most + 1}
    runs = Runs(
        **{**{name: empty(size) for name, size in sizes.items()}, "sizes": np.zeros(2, np.int32)}
    )
    limit = np.dtype(departure.dtype).type(0 if wait is None else wait)
    find_runs(line, departure, arrival, limit, wait is not None, nodes, runs, heads, tails)
    count, sets = map(int, runs.sizes)
    kept = runs._replace(**{name: getattr(runs, name)[:count].copy() for name in BY_EVENT})
    tail, starts_of = line.tail[kept.departing], tails.astype(np.int64)
    leaving = empty(m)  # departures by node, the last one first
    leaving[starts_of[tail] + starts_of[tail + 1] - 1 - np.arange(m)] = kept.departing
    chained = kept.chained.astype(np.uint8)
    none = np.full(count, NONE, np.int32)
    if wait is None:
        out = np.arange(count, dtype=np.int32)
        back = _numbered(chained > 0, count, out)
    else:
        out = _numbered(kept.out_begin < kept.out_end, 0, none)
        back = _numbered(kept.in_begin < kept.in_end, int(out.max(initial=NONE)) + 1, none)
    follows, after = kept.before >= 0, none.copy()
    after[kept.before[follows]] = np.flatnonzero(follows)

    def side(run: Any, order: Any, ends: Any, row: Any, first: Any, forward: bool) -> Side:
        begin, end, low = run
        own, other = (each[order] for each in ends)
        room, turn, front = np.zeros(n + 1, np.int32), empty(0), empty(0)
        if wait is not None:
            turn, front = (np.full(count, NONE, np.int32) for _ in range(2))
            state = np.zeros((2, n), np.int32)
            state[0] = first[:-1]
            stack(kept.node, chained, begin, end, low, forward, turn, front, room, state)
            np.cumsum(room, out=room)
            front[front >= 0] += room[kept.node[front >= 0]]
        there = other, row[other], kept.node[other], line.arrived[order]
        return Side(begin, end, own, *there, first, turn, front, room)

    incoming, outgoing = kept[IN], kept[OUT]
    return Events(
        kept.node,
        kept.before,
        after,
        chained,
        np.append(runs.sets[:sets], np.int32(count)).astype(np.int32),
        nodes.last,
        out,
        back,
        side(incoming, kept.arriving, (kept.enter, kept.leave), out, heads, True),
        side(outgoing, leaving, (kept.leave, kept.enter), back, tails, False),
        wait is not None,
    )


def _numbered(chosen: Any, begin: int, others: Any) -> NDArray[np.int32]:
    """Numbers from ``begin`` on where events are chosen, and elsewhere those of others."""
    numbers = np.cumsum(chosen, dtype=np.int32) + np.int32(begin - 1)
    return np.where(chosen, numbers, others).astype(np.int32)


@subroutine
def close(nodes, runs, tails, v, step):
    """A further event of a node, with its pending arrivals."""
    k = runs.sizes[0]
    runs.sizes[0] += 1
    runs.node[k], runs.before[k] = v, nodes.last[v]
    runs.chained[k], runs.step[k] = step >= 0, step
    runs.in_begin[k], runs.in_end[k] = nodes.pending[v], nodes.arrived[v]
    for i in range(nodes.pending[v], nodes.arrived[v]):
        runs.enter[runs.arriving[i]] = k
    back = tails[v] + tails[v + 1]  # departures are listed the last one first
    runs.out_begin[k] = runs.out_end[k] = back - nodes.left[v]
    runs.in_low[k] = NONE
    runs.out_low[k] = back - nodes.window[v] if nodes.arrived[v] > nodes.pending[v] else NONE
    nodes.pending[v], nodes.last[v] = nodes.arrived[v], k
    return k


@subroutine
def close_alone(nodes, runs, tails, v):
    """Begin a further event of a node, of a set of its own."""
    k = close(nodes, runs, tails, v, NONE)
    runs.sets[runs.sizes[1]] = k
    runs.sizes[1] += 1


@subroutine
def depart(line, departure, arrival, wait, limited, nodes, runs, tails, e, step):
    """An edge leaves its tail, in the event of the last arrivals or in a further one."""
    u = line.tail[e]
    if limited:
        while (
            nodes.low[u] < nodes.arrived[u]
            and departure[e] - arrival[runs.arriving[nodes.low[u]]] > wait
        ):
            nodes.low[u] += 1
    k = nodes.last[u]
    further = nodes.arrived[u] > nodes.pending[u] or k < 0
    if not further:
        low = runs.in_low[k]
        further = limited and low >= 0 and low != nodes.low[u]
        further |= runs.chained[k] and runs.step[k] != step
    if further:
        close_alone(nodes, runs, tails, u)
        k = nodes.last[u]
    if limited:
        runs.in_low[k] = nodes.low[u]
    runs.leave[e] = k
    nodes.left[u] += 1
    runs.out_begin[k] -= 1


@subroutine
def arrive(line, departure, arrival, wait, limited, nodes, runs, tails, e):
    """An edge enters its head, and waits for a departure or another window."""
    v = line.head[e]
    if limited:
        far = nodes.far[v]
        while far < tails[v + 1] and departure[runs.departing[far]] - arrival[e] <= wait:
            far += 1
        nodes.far[v] = far
        if nodes.arrived[v] > nodes.pending[v] and nodes.window[v] != far:
            close_alone(nodes, runs, tails, v)
        nodes.window[v] = far
    runs.arriving[nodes.arrived[v]] = e
    nodes.arrived[v] += 1


@kernel
def find_runs(line, departure, arrival, wait, limited, nodes, runs, heads, tails):
    """Go through all arrivals and departures in their order."""
    for e in range(line.tail.size):
        runs.departing[nodes.left[line.tail[e]]] = e
        nodes.left[line.tail[e]] += 1
    for v in range(nodes.left.size):
        nodes.left[v] = tails[v]
    for step in range(line.departs.size - 1):
        begin, end = line.departs[step], line.departs[step + 1]
        chained = False
        if line.instant:
            for e in range(begin, end):
                chained |= line.chained[e] != 0
                if not line.chained[e]:
                    depart(line, departure, arrival, wait, limited, nodes, runs, tails, e, step)
        for i in range(line.arrives[step], line.arrives[step + 1]):
            e = line.arriving[i]
            if not line.chained[e]:
                arrive(line, departure, arrival, wait, limited, nodes, runs, tails, e)
        if not line.instant:
            for e in range(begin, end):
                depart(line, departure, arrival, wait, limited, nodes, runs, tails, e, step)
        if not chained:
            continue
        for e in range(begin, end):
            v = line.head[e]
            if line.chained[e]:
                nodes.joined[v] = step
                if nodes.arrived[v] > nodes.pending[v]:
                    close_alone(nodes, runs, tails, v)
        for e in range(begin, end):
            if line.chained[e] and nodes.joined[line.tail[e]] != step:
                depart(line, departure, arrival, wait, limited, nodes, runs, tails, e, step)
        for e in range(begin, end):
            if line.chained[e]:
                arrive(line, departure, arrival, wait, limited, nodes, runs, tails, e)
        runs.sets[runs.sizes[1]] = runs.sizes[0]
        runs.sizes[1] += 1
        for e in range(begin, end):
            v = line.head[e]
            if line.chained[e] and nodes.arrived[v] > nodes.pending[v]:
                close(nodes, runs, tails, v, step)
        for e in range(begin, end):
            if line.chained[e] and nodes.joined[line.tail[e]] == step:
                depart(line, departure, arrival, wait, limited, nodes, runs, tails, e, step)
    for v in range(nodes.last.size):
        if nodes.arrived[v] > nodes.pending[v]:
            close_alone(nodes, runs, tails, v)


@kernel
def stack(node, chained, begin, end, low, forward, turn, front, room, state):
    """When the stacks of each node turn, and where the front sum of each window is."""
    middle, turned = state[0], state[1]
    for i in range(node.size):
        k = i if forward else node.size - 1 - i
        if low[k] < 0:
            continue
        v, settled = node[k], begin[k] if chained[k] else end[k]
        if low[k] > middle[v]:
            turn[k], turned[v], middle[v] = low[k], low[k], settled
            room[v + 1] = max(room[v + 1], settled - low[k])
        if low[k] < middle[v]:
            front[k] = low[k] - turned[v]


class Levels(NamedTuple):
    """Sets of events none of which waits for another of its level."""

    order: NDArray[np.int32]  # (events,) level by level
    starts: NDArray[np.int32]  # (levels + 1,) where each level begins
    repeats: NDArray[np.uint8]  # (levels,) whether its events are chained; else none is


def levels(events: Events, forward: bool) -> Levels:
    """The levels of the events, from the first on or from the last back."""
    side, near = events.departures, events.after
    if forward:
        side, near = events.arrivals, events.before
    level = np.zeros(events.node.size, np.int32)
    find_levels(events.sets, side.begin, side.end, side.other, near, forward, level)
    key = 2 * level + events.chained
    order = np.argsort(key, kind="stable").astype(np.int32)
    found, starts = np.unique(key[order], return_index=True)
    bounds = np.append(starts, order.size).astype(np.int32)
    return Levels(order, bounds, (found % 2).astype(np.uint8))


@kernel
def find_levels(sets, begin, end, other, near, forward, level):
    """One more than the highest level that a set waits for."""
    count = sets.size - 1
    for i in range(count):
        number = i if forward else count - 1 - i
        first, last, highest = sets[number], sets[number + 1], 0
        for k in range(first, last):
            if near[k] >= 0:
                highest = max(highest, level[near[k]] + 1)
            for entry in range(begin[k], end[k]):
                if not first <= other[entry] < last:
                    highest = max(highest, level[other[entry]] + 1)
        for k in range(first, last):
            level[k] = highest
