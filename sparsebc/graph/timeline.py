"""A list of edges in time, and the steps of time; `events` has the graph that is swept."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel, subroutine
from .events import Events, expanded


class Line(NamedTuple):
    """The edges in order of departure, and the steps of time."""

    tail: Any  # (m,) node that each leaves
    head: Any  # (m,) node that it enters
    arriving: Any  # (m,) edges in order of arrival
    arrived: Any  # (m,) step in which it arrives
    departs: Any  # (steps + 1,) where the departures of each step begin
    arrives: Any  # (steps + 1,) the same in `arriving`
    chained: Any  # (m,) whether a walk goes on from it within its step, or came to it
    instant: Any  # whether edges take no time


@dataclass(frozen=True)
class Timeline:
    """Edges in time, and what is the same for every source."""

    n: int
    line: Line
    events: Events
    departure: NDArray[Any]  # (m,)
    arrival: NDArray[Any]  # (m,)
    times: NDArray[Any]  # (steps,)
    wait: float | None
    nbytes: int

    @property
    def edges(self) -> int:
        """Number of edges."""
        return int(self.line.tail.size)


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
    departure, arrival = departure.copy(), arrival.copy()
    instant = bool((departure == arrival).all())
    arriving = np.argsort(arrival, kind="stable").astype(np.int32)
    times = _distinct(departure)
    if not instant:
        times = np.union1d(times, _distinct(arrival[arriving]))
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
        np.zeros(tail.size, dtype=np.uint8),
        instant,
    )
    if instant:
        find_chained(line, wait is not None, line.chained, np.zeros((4, n), np.int32))
    events = expanded(n, line, departure, arrival, wait)
    arrays = [*line[:-1], *events.arrays, departure, arrival, times]
    nbytes = sum(array.nbytes for array in arrays)
    return Timeline(n, line, events, departure, arrival, times, wait, nbytes)


def _distinct(times: NDArray[Any]) -> NDArray[Any]:
    """The times of a sorted list, each once."""
    return times[np.append(True, times[1:] != times[:-1])] if times.size else times


@kernel
def find_chained(line, limited, chained, nodes):  # type: ignore[no-untyped-def]
    """Edges of no duration in components of their steps where an edge follows another.

    In one of two nodes walks return, which is of use within a limit of waiting alone.
    """
    parent, size, is_head, follows = nodes[0], nodes[1], nodes[2], nodes[3]
    for step in range(line.departs.size - 1):
        begin, end = line.departs[step], line.departs[step + 1]
        if end == begin + 1:
            continue
        for e in range(begin, end):
            for v in (line.tail[e], line.head[e]):
                parent[v], size[v], is_head[v], follows[v] = v, 1, 0, 0
        for e in range(begin, end):
            u, v = root_of(parent, line.tail[e]), root_of(parent, line.head[e])
            is_head[line.head[e]] = 1
            if u != v:
                parent[v] = u
                size[u] += size[v]
        for e in range(begin, end):
            if is_head[line.tail[e]]:
                follows[root_of(parent, line.tail[e])] = 1
        for e in range(begin, end):
            root = root_of(parent, line.tail[e])
            chained[e] = follows[root] and (limited or size[root] > 2)


@subroutine
def root_of(parent, v):  # type: ignore[no-untyped-def]
    """The node that stands for the component of another; halves the way there."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v
