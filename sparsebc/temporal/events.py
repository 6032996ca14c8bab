"""Time-expanded graph of temporal edges: events of nodes, and edges between events.

An event of a node is a run of arrivals, with the departures that follow before the next arrival.
Walks go on from the same arrivals, the window, to all departures of an event, and from all arrivals
to the same departures: with a limit of waiting, runs are cut where these windows change. An edge
leads to an event of higher number, except within a step in which a walk may take several edges: its
events form a set, within which edges may lead back. No edge leads to an earlier set.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..jit import kernel, subroutine

NONE = -1


class Side(NamedTuple):
    """Arrivals by node in order of time, or departures by node, the last first.

    A window is a queue of two stacks: the front, of which suffix sums are kept, and the sum of the
    rest. ``turn`` and ``front`` are empty without a limit of waiting.
    """

    begin: Any  # (events,) first entry of each event
    end: Any  # (events,) end of its entries
    own: Any  # (m,) event of each entry
    other: Any  # (m,) event at the other end of its edge
    row: Any  # (m,) row of the sum of that event
    node: Any  # (m,) node of that event
    step: Any  # (m,) step in which the edge arrives
    nodes: Any  # (n + 1,) first entry of each node
    turn: Any  # (events,) first entry of the front that is refilled before; NONE if none is
    front: Any  # (events,) place of the front sum of the window; NONE if the front is empty
    room: Any  # (n + 1,) first place of the front sums of each node


class Events(NamedTuple):
    """Events, numbered so that edges between sets lead forward."""

    node: Any  # (events,)
    before: Any  # (events,) previous event of the node, or NONE
    after: Any  # (events,) next event of the node, or NONE
    chained: Any  # (events,) whether its set is that of a step with walks of several edges
    sets: Any  # (sets + 1,) first event of each set
    last: Any  # (n,) last event of each node, or NONE
    out: Any  # (events,) row of its forward sum, which departures read; NONE if none does
    back: Any  # (events,) row of its backward sum: the same, unless that is read again
    arrivals: Side
    departures: Side
    limited: Any  # whether there is a limit of waiting

    @property
    def rows(self) -> int:
        """Number of rows of forward and backward sums."""
        return int(max(self.out.max(initial=NONE), self.back.max(initial=NONE))) + 1

    @property
    def room(self) -> int:
        """Front sums of a batch, of one side at a time."""
        return max(int(side.room[-1]) for side in (self.arrivals, self.departures))

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """Arrays of both sides and of the events themselves."""
        return [*self[:8], *self.arrivals, *self.departures]


class Nodes(NamedTuple):
    """State of each node in `find_runs`: its arrivals and departures so far."""

    last: Any  # last event
    pending: Any  # first arrival that is in no event
    arrived: Any  # place of the next arrival
    left: Any  # place of the next departure, by node in order of time
    low: Any  # first arrival within the limit of waiting before the last departure
    far: Any  # first departure beyond the limit of waiting after the last arrival
    window: Any  # ``far`` of the pending arrivals, the same for all
    joined: Any  # last step in which it is the head of a chained edge


class Runs(NamedTuple):
    """Arrays that `find_runs` fills."""

    node: Any  # of each event
    before: Any  # previous event of the node
    chained: Any
    step: Any  # of a chained event, else NONE
    in_begin: Any  # its arrivals
    in_end: Any
    in_low: Any  # first arrival in the window of its departures; NONE if unlimited or without any
    out_begin: Any  # its departures
    out_end: Any
    out_low: Any  # first departure in the window of its arrivals; NONE if there are none
    sets: Any
    arriving: Any  # (m,) arrivals by node
    departing: Any  # (m,) departures by node
    leave: Any  # (m,) event that an edge leaves
    enter: Any  # (m,) event that it enters
    sizes: Any  # numbers of events and of sets so far


OF_EVENTS = 10  # fields of `Runs` with an entry for each event: the first ones


def expanded(
    n: int, line: Any, departure: NDArray[Any], arrival: NDArray[Any], wait: float | None
) -> Events:
    """Events of a `timeline.Line`; ``wait`` is the limit of waiting, or None."""
    m, limited = line.tail.size, wait is not None
    if 2 * m + n > np.iinfo(np.int32).max:
        raise InputError(
            f"contacts have {m} edges among {n} nodes, and walks can be counted of up to 2**30 "
            "together: take them in several spans of time"
        )
    # First place of each node among the edges by node, and m.
    heads, tails = (
        np.append(0, np.cumsum(np.bincount(ends, minlength=n))).astype(np.int32)
        for ends in (line.head, line.tail)
    )
    runs, last = _runs(line, departure, arrival, wait, heads, tails)
    # Rows of sums: one for both passes, but a second one for the backward sum of chained events;
    # with a limit of waiting a forward one where there are departures, a backward one for arrivals.
    count = runs.node.size
    if limited:
        none = np.full(count, NONE, np.int32)
        out = _numbered(runs.out_begin < runs.out_end, 0, none)
        first = int(out.max(initial=NONE)) + 1
        back = _numbered(runs.in_begin < runs.in_end, first, none)
    else:
        out = np.arange(count, dtype=np.int32)
        back = _numbered(runs.chained > 0, count, out)
    # Departures of node v in reverse order of time, from place tails[v] on.
    tail, starts = line.tail[runs.departing], tails.astype(np.int64)
    leaving = np.empty(m, np.int32)
    leaving[starts[tail] + starts[tail + 1] - 1 - np.arange(m)] = runs.departing
    arrivals = _side(line, runs, runs.arriving, out, heads, forward=True, limited=limited)
    departures = _side(line, runs, leaving, back, tails, forward=False, limited=limited)
    after, follows = np.full_like(runs.before, NONE), runs.before >= 0
    after[runs.before[follows]] = np.flatnonzero(follows)
    given = runs.node, runs.before, after, runs.chained, runs.sets, last
    return Events(*given, out, back, arrivals, departures, limited)


def _runs(
    line: Any,
    departure: NDArray[Any],
    arrival: NDArray[Any],
    wait: float | None,
    heads: NDArray[np.int32],
    tails: NDArray[np.int32],
) -> tuple[Runs, NDArray[np.int32]]:
    """Events of the edges by node, from ``heads`` and ``tails`` on; the last event of each node."""
    m, n = line.tail.size, heads.size - 1
    most = 2 * m + n  # events: each has an arrival or a departure
    of_events, of_edges = (
        [np.empty(size, np.int32) for _ in range(count)]
        for size, count in ((most, OF_EVENTS), (m, 4))
    )
    sets, sizes = np.empty(most + 1, np.int32), np.zeros(2, np.int32)
    runs = Runs._make((*of_events, sets, *of_edges, sizes))
    arrivals, departures = heads[:-1], tails[:-1]
    nodes = Nodes(
        last=np.full(n, NONE, np.int32),
        pending=arrivals.copy(),
        arrived=arrivals.copy(),
        left=departures.copy(),
        low=arrivals.copy(),
        far=departures.copy(),
        window=departures.copy(),
        joined=np.full(n, NONE, np.int32),
    )
    limit = np.dtype(departure.dtype).type(0 if wait is None else wait)
    find_runs(line, departure, arrival, limit, wait is not None, nodes, runs, heads, tails)
    count = int(sizes[0])
    filled = [array[:count].copy() for array in of_events]
    bounds = np.append(sets[: sizes[1]], np.int32(count)).astype(np.int32)
    runs = Runs(*filled, *runs[OF_EVENTS:])._replace(sets=bounds)
    return runs._replace(chained=runs.chained.astype(np.uint8)), nodes.last


def _numbered(chosen: Any, begin: int, others: Any) -> NDArray[np.int32]:
    """Consecutive numbers from ``begin`` on where ``chosen``, else those of ``others``."""
    numbers = np.cumsum(chosen, dtype=np.int32) + np.int32(begin - 1)
    return np.where(chosen, numbers, others).astype(np.int32)


def _side(
    line: Any, runs: Runs, edges: Any, row: Any, first: Any, *, forward: bool, limited: bool
) -> Side:
    """Arrivals if ``forward``, else departures: ``edges`` by node, from ``first`` on.

    ``row`` has the rows of the sums that are read at the other ends.
    """
    if forward:
        begin, end, low = runs.in_begin, runs.in_end, runs.in_low
        own, other = runs.enter[edges], runs.leave[edges]
    else:
        begin, end, low = runs.out_begin, runs.out_end, runs.out_low
        own, other = runs.leave[edges], runs.enter[edges]
    turn, front = (np.full(runs.node.size * limited, NONE, np.int32) for _ in range(2))
    room = np.zeros(first.size, np.int32)
    if limited:
        state = np.zeros((2, first.size - 1), np.int32)
        state[0] = first[:-1]
        stack(runs.node, runs.chained, begin, end, low, forward, turn, front, room, state)
        np.cumsum(room, out=room)
        has_front = front >= 0
        front[has_front] += room[runs.node[has_front]]
    of_other = row[other], runs.node[other]
    return Side(begin, end, own, other, *of_other, line.arrived[edges], first, turn, front, room)


@subroutine
def close(nodes, runs, tails, v, step):
    """Append an event of node v with the pending arrivals, a set of its own if ``step`` is NONE."""
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
    if step == NONE:
        runs.sets[runs.sizes[1]] = k
        runs.sizes[1] += 1


@subroutine
def depart(line, departure, arrival, wait, limited, nodes, runs, tails, e, step):
    """Add the departure of edge e to the last event of its tail, or to a new one."""
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
        close(nodes, runs, tails, u, NONE)
        k = nodes.last[u]
    if limited:
        runs.in_low[k] = nodes.low[u]
    runs.leave[e] = k
    nodes.left[u] += 1
    runs.out_begin[k] -= 1


@subroutine
def arrive(line, departure, arrival, wait, limited, nodes, runs, tails, e):
    """Add edge e to the pending arrivals of its head; those of another window become an event."""
    v = line.head[e]
    if limited:
        far = nodes.far[v]
        while far < tails[v + 1] and departure[runs.departing[far]] - arrival[e] <= wait:
            far += 1
        nodes.far[v] = far
        if nodes.arrived[v] > nodes.pending[v] and nodes.window[v] != far:
            close(nodes, runs, tails, v, NONE)
        nodes.window[v] = far
    runs.arriving[nodes.arrived[v]] = e
    nodes.arrived[v] += 1


@kernel
def find_runs(line, departure, arrival, wait, limited, nodes, runs, heads, tails):
    """Fill ``runs`` from all arrivals and departures in order of time."""
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
                    close(nodes, runs, tails, v, NONE)
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
            close(nodes, runs, tails, v, NONE)


@kernel
def stack(node, chained, begin, end, low, forward, turn, front, room, state):
    """Write ``turn`` and ``front`` of the events, the most front sums of node v to room[v + 1]."""
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
    """Events by level; no set depends on another of its level."""

    order: NDArray[np.int32]  # (events,) level by level
    starts: NDArray[np.int32]  # (levels + 1,) first place of each level in ``order``
    repeats: NDArray[np.uint8]  # (levels,) whether all of its events are chained, or none


def levels(events: Events, forward: bool) -> Levels:
    """Levels of the events for the forward pass, or for the backward pass."""
    side, neighbour = events.departures, events.after
    if forward:
        side, neighbour = events.arrivals, events.before
    level = np.zeros(events.node.size, np.int32)
    find_levels(events.sets, side.begin, side.end, side.other, neighbour, forward, level)
    key = 2 * level + events.chained
    order = np.argsort(key, kind="stable").astype(np.int32)
    keys, starts = np.unique(key[order], return_index=True)
    bounds = np.append(starts, order.size).astype(np.int32)
    return Levels(order, bounds, (keys % 2).astype(np.uint8))


@kernel
def find_levels(sets, begin, end, other, neighbour, forward, level):
    """Write the level of each set: one more than the highest that it depends on, or 0."""
    count = sets.size - 1
    for i in range(count):
        number = i if forward else count - 1 - i
        first, last, highest = sets[number], sets[number + 1], 0
        for k in range(first, last):
            if neighbour[k] >= 0:
                highest = max(highest, level[neighbour[k]] + 1)
            for entry in range(begin[k], end[k]):
                if not first <= other[entry] < last:
                    highest = max(highest, level[other[entry]] + 1)
        for k in range(first, last):
            level[k] = highest
