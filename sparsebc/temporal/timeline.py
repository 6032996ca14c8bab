"""Temporal edges and the steps of time; `events` has the time-expanded graph that is swept."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel, subroutine
from .events import Events, expanded


class Line(NamedTuple):
    """Temporal edges in order of departure, and the steps of time."""

    tail: Any  # (m,) node that each edge leaves
    head: Any  # (m,) node that it enters
    arriving: Any  # (m,) edges in order of arrival
    arrived: Any  # (m,) step in which each edge arrives
    departs: Any  # (steps + 1,) first edge that departs in each step
    arrives: Any  # (steps + 1,) first place of each step in `arriving`
    chained: Any  # (m,) whether walks may take several edges of its component in its step
    instant: Any  # whether no edge takes time


@dataclass(frozen=True)
class Timeline:
    """Temporal edges, and the data that all sources share."""

    n: int
    line: Line
    events: Events
    departure: NDArray[Any]  # (m,)
    arrival: NDArray[Any]  # (m,)
    times: NDArray[Any]  # (steps,)
    wait: float | None
    nbytes: int
    cutoffs: ClassVar[tuple[float, ...]] = ()  # as of a `Graph`; walks have none

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
    """Timeline of edges in order of departure, for walks that wait at most ``wait`` at a node."""
    tail, head = tail.copy(), head.copy()  # kernels take no read-only arrays
    departure, arrival = departure.copy(), arrival.copy()
    instant = bool((departure == arrival).all())
    arriving = np.argsort(arrival, kind="stable").astype(np.int32)
    times = np.unique(departure) if instant else np.union1d(departure, arrival)
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


@kernel
def find_chained(line, limited, chained, nodes):  # type: ignore[no-untyped-def]
    """Mark edges of no duration in components of their step in which one edge follows another.

    In one of two nodes walks only return, which restarts a limit of waiting and is else of no use.
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
    """Root of node v in the union-find forest; halves the path to it."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v
