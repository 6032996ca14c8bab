"""Shortest distances by length from eight near sources at once, on a deep graph.

Near sources have nearly the same order of nodes. So nodes are numbered in that of a search from one
of them, each with its arcs, and row v of eight reals holds the distances of v. Where one of them
falls, v waits, and of all that wait the lowest number hands on first:

    d(v) = min over u of d(u) + w(u, v)

It is Dijkstra's algorithm with an order known beforehand for its queue. That order is wrong only
where two ways around are about as long: few nodes hand on twice, and what they end with is one and
the same in any order, to the bit. On a graph that is not deep the orders of two sources have little
in common, and `sssp_batch` has 64 of them share each look at an arc.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....graph.indices import NEXT, row_of
from ....jit import inlined
from .simd import LANES, aligned, lower, lowest, prefetch

# Nodes that hand on, for each node, after which a search from each source alone is faster.
MAX_WORK = 16
AHEAD = 16  # rows between asking for one and copying it
MARK = np.uint64(1)
BITS, WORD = 6, 64  # marks in a word


class Arcs(NamedTuple):
    """Rows of a pattern as nodes are numbered for a group."""

    indptr: NDArray[np.int64]  # (n + 1,)
    indices: NDArray[np.int32]  # (arcs,)
    lengths: NDArray[np.float64]  # (arcs,)


class Near(NamedTuple):
    """A graph in the order of a search, and distances from eight sources."""

    place: NDArray[np.int32]  # (n,) number of each node
    arcs: Arcs
    waiting: NDArray[np.uint64]  # a bit for each number
    starts: NDArray[np.uint8]  # (n,) columns whose source it is
    distance: NDArray[np.float64]  # (8 * n,)
    limit: float  # distances beyond this are not for here; infinite if there are none


def nbytes(n: int, arcs: int) -> int:
    """Memory of that."""
    return n * (4 + 1 + 1 + 8 * LANES) + pattern_bytes(n, arcs)


def pattern_bytes(n: int, arcs: int) -> int:
    """Memory of one pattern."""
    return 8 * (n + 1) + 12 * arcs


def pattern(n: int, arcs: int) -> Arcs:
    """Room for a pattern."""
    return Arcs(np.empty(n + 1, np.int64), np.empty(arcs, np.int32), np.empty(arcs))


def near(n: int, arcs: int, longest: float, limit: float) -> Near:
    """State of no group yet; no distance may pass the limit, and no length is above ``longest``."""
    return Near(
        np.empty(n, dtype=np.int32),
        pattern(n, arcs),
        np.zeros(n // WORD + 1, dtype=np.uint64),
        np.zeros(n, dtype=np.uint8),
        aligned(LANES * n, np.float64),
        np.inf if n * longest <= limit else limit,
    )


@register_jitable
def number(near, search):
    """Number the nodes in the order of a search, and their arcs with them."""
    order = search.order
    for i in range(order.size):
        near.place[order[i]] = i
    arrange(order, near.place, search.indptr, search.indices, search.lengths, near.arcs)


@register_jitable
def arrange(order, place, indptr, indices, lengths, arcs):
    """Copy the rows of a pattern in an order; they lie apart, and are asked for beforehand."""
    last, count = order.size - 1, np.uint64(0)
    for i in range(order.size):
        prefetch(indptr, np.int64(order[min(i + 2 * AHEAD, last)]))
        begin = indptr[np.uint32(order[min(i + AHEAD, last)])]
        prefetch(indices, begin)
        prefetch(lengths, begin)
        arcs.indptr[i] = count
        v = np.uint32(order[i])
        for p in row_of(indptr, v):
            arcs.indices[count] = place[np.uint32(indices[p])]
            arcs.lengths[count] = lengths[p]
            count += NEXT
    arcs.indptr[order.size] = count


@register_jitable
def relax(near, sources):
    """Distances from up to eight sources, which `leave` has to follow.

    False, and they are of no use, if that takes too long, or if one is beyond the limit.
    """
    (indptr, indices, lengths), distance, waiting = near.arcs, near.distance, near.waiting
    distance[:] = np.inf
    for j in range(sources.size):
        start = np.int64(near.place[sources[j]])
        distance[LANES * start + j] = 0
        near.starts[start] |= np.uint8(1 << j)
        wait(waiting, start)
    word, work = np.int64(0), 0
    while word < waiting.size and work <= MAX_WORK * near.place.size:
        if not waiting[word]:
            word += 1
            continue
        u = take(waiting, word)
        work += 1
        for p in row_of(indptr, u):
            v = np.uint32(indices[p])
            if lower(distance, np.int64(v) * LANES, np.int64(u) * LANES, lengths[p]):
                wait(waiting, v)
                word = min(word, np.int64(v) >> BITS)
    if word < waiting.size:
        waiting[:] = 0
        return False
    return near.limit == np.inf or all_within(near)


@register_jitable
def all_within(near):
    """Whether no node that is reached is beyond the limit."""
    for d in near.distance:
        if near.limit < d < np.inf:
            return False
    return True


@register_jitable
def leave(near, sources):
    """Forget where the sources are."""
    for s in sources:
        near.starts[near.place[s]] = 0


@inlined
def wait(waiting, turn):
    """Mark a number."""
    waiting[turn >> BITS] |= MARK << np.uint64(turn & (WORD - 1))


@inlined
def take(waiting, word):
    """The lowest number that is marked in a word, its mark taken off."""
    left = waiting[word]
    waiting[word] = left & (left - MARK)
    return np.uint32(word * WORD + lowest(left))
