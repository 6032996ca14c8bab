"""A list of edges in time as it is swept: steps of time, and for a limit of waiting the windows.

All of this is the same for every source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel


class Line(NamedTuple):
    """The edges in order of departure, and the steps of time."""

    tail: Any  # (m,) node that each leaves
    head: Any  # (m,) node that it enters
    arriving: Any  # (m,) edges in order of arrival
    arrived: Any  # (m,) step in which each arrives
    departs: Any  # (steps + 1,) where the departures of each step begin
    arrives: Any  # (steps + 1,) the same in `arriving`
    rounds: Any  # (steps,) most edges of a step on a walk; 1 where all take time
    instant: Any  # whether edges take no time


class Window(NamedTuple):
    """Lists of the edges that are summed at each node, and where the sums of others begin."""

    order: Any  # (m,) the edges node by node, in the order in which they come; () without a limit
    begin: Any  # (n + 1,) where those of a node begin
    first: Any  # (m,) where the window begins for an edge that takes a sum
    room: Any  # (n + 1,) where the front sums of a node are kept


@dataclass(frozen=True)
class Timeline:
    """Edges in time, and what is the same for every source."""

    n: int
    line: Line
    incoming: Window  # of the edges that arrive at a node, in this order
    outgoing: Window  # of those that leave it, the last one first
    departure: NDArray[Any]  # (m,)
    arrival: NDArray[Any]  # (m,)
    times: NDArray[Any]  # (steps,)
    wait: float | None
    nbytes: int

    @property
    def edges(self) -> int:
        """Number of edges."""
        return int(self.line.tail.size)

    @property
    def sizes(self) -> dict[str, int]:
        """Most edges of a step of no duration, nodes if one takes rounds, and front sums."""
        together = 1
        if self.line.instant:
            together = int(np.diff(self.line.departs).max(initial=1))
        in_rounds = bool(self.line.rounds.size) and int(self.line.rounds.max()) > 1
        room = max(int(window.room[-1]) for window in (self.incoming, self.outgoing))
        return {"together": together, "in rounds": self.n * in_rounds, "room": room}


def timeline(
    n: int,
    tail: NDArray[np.int32],
    head: NDArray[np.int32],
    departure: NDArray[Any],
    arrival: NDArray[Any],
    wait: float | None,
) -> Timeline:
    """The edges, given in order of departure, for walks that wait so long at most at a node."""
    tail, head = tail.copy(), head.copy()  # kernels take no read-only arrays
    instant = bool((departure == arrival).all())
    arriving = np.argsort(arrival, kind="stable").astype(np.int32)
    times = np.unique(departure if instant else np.concatenate((departure, arrival)))
    departs = np.searchsorted(departure, times).astype(np.int32)
    arrives = np.searchsorted(arrival[arriving], times).astype(np.int32)
    end = np.array([tail.size], dtype=np.int32)
    line = Line(
        tail,
        head,
        arriving,
        np.searchsorted(times, arrival).astype(np.int32),
        np.concatenate((departs, end)),
        np.concatenate((arrives, end)),
        np.ones(times.size, dtype=np.int32),
        instant,
    )
    if instant:
        count_rounds(line, wait is not None, line.rounds, np.zeros((3, n), np.int32))
    back = np.arange(tail.size - 1, -1, -1, dtype=np.int32)
    windows = (
        _window(n, head, arriving, arrival, tail, back[::-1], departure, wait, instant),
        _window(n, tail, back, -departure, head, arriving[::-1], -arrival, wait, instant),
    )
    arrays = [array for part in (line[:-1], *windows) for array in part]
    nbytes = sum(array.nbytes for array in (*arrays, departure, arrival, times))
    return Timeline(n, line, *windows, departure, arrival, times, wait, nbytes)


def _window(
    n: int,
    joined: NDArray[np.int32],
    order: NDArray[np.int32],
    joins: NDArray[Any],
    asked: NDArray[np.int32],
    asking: NDArray[np.int32],
    asks: NDArray[Any],
    wait: float | None,
    instant: bool,
) -> Window:
    """Windows over the edges in an order, each of which joins the list of a node at a time.

    Edges ask for sums of nodes, in the order ``asking``, each at its time.
    """
    begin = np.concatenate(([0], np.cumsum(np.bincount(joined, minlength=n)))).astype(np.int32)
    room = np.zeros(n + 1, dtype=np.int32)
    if wait is None:
        return Window(np.empty(0, np.int32), begin, np.empty(0, np.int32), room)
    by_node = order[np.argsort(joined[order], kind="stable")]
    ask = asking[np.argsort(asked[asking], kind="stable")]
    ask_begin = np.concatenate(([0], np.cumsum(np.bincount(asked, minlength=n))))
    first = np.zeros(joined.size, dtype=np.int32)
    limit = np.dtype(joins.dtype).type(wait)
    slide(begin, joins[by_node], ask_begin, ask, asks[ask], limit, instant, first, room)
    np.cumsum(room, out=room)
    return Window(by_node, begin, first, room)


@kernel
def slide(begin, joins, ask_begin, ask, asks, wait, instant, first, room):  # type: ignore[no-untyped-def]
    """``first`` of each edge that asks, and in ``room[v + 1]`` the longest window of a node."""
    for v in range(begin.size - 1):
        low = high = begin[v]
        for i in range(ask_begin[v], ask_begin[v + 1]):
            while high < begin[v + 1] and (
                joins[high] < asks[i] or (joins[high] == asks[i] and not instant)
            ):
                high += 1
            while low < high and asks[i] - joins[low] > wait:
                low += 1
            first[ask[i]] = low
            room[v + 1] = max(room[v + 1], high - low)


@kernel
def count_rounds(line, limited, rounds, nodes):  # type: ignore[no-untyped-def]
    """Most edges of each step that a walk has: the nodes of a component of it, where it may return.

    Of two nodes that is of use within a limit of waiting alone.
    """
    parent, size, mark = nodes[0], nodes[1], nodes[2]
    for step in range(rounds.size):
        begin, end = line.departs[step], line.departs[step + 1]
        for e in range(begin, end):
            for v in (line.tail[e], line.head[e]):
                parent[v], size[v], mark[v] = v, 1, 0
        for e in range(begin, end):
            mark[line.head[e]] = 1
        chained, most = False, 1
        for e in range(begin, end):
            u, v = line.tail[e], line.head[e]
            chained |= mark[u] == 1
            while parent[u] != u:
                parent[u] = parent[parent[u]]
                u = parent[u]
            while parent[v] != v:
                parent[v] = parent[parent[v]]
                v = parent[v]
            if u != v:
                parent[v] = u
                size[u] += size[v]
                most = max(most, size[u])
        rounds[step] = most if chained and (limited or most > 2) else 1
