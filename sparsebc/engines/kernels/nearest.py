"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v:

    reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)

Sources that lie close together have nearly the same order of nodes, so 64 of them share one: that
of the first. Row v of ``rows`` holds the distances of v from all 64, and the product

    d(v) = min over u of d(u) + w(u, v)

runs over the nodes in that order, forwards and backwards in turn as in the fast sweeping method
[Zhao 2005], until nothing falls. A shortest path turns against the order only where two ways around
are about as long, so a few turns do. The fixpoint is one and the same in any order, to the bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .lanes import LANES, collect, lower, lowest
from .settle import Queue, by_buckets, by_sorted_buckets

WIDTH = 64  # sources that share an order
ONE = np.uint64(1)


class Nearest(NamedTuple):
    """State of a group of up to 64 sources, and of a single one."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    lengths: NDArray[np.float64]
    rows: NDArray[np.float64]  # (n * 64,) distances from all sources, infinite in between
    fallen: NDArray[np.uint8]  # (n,) a bit for eight columns that fell and were not handed on
    total: NDArray[np.float64]  # (24,) what `collect` adds up
    queue: Queue
    distance: NDArray[np.float64]  # (n,) infinite in between
    order: NDArray[np.int32]  # (n,) nodes as they were settled
    starts: NDArray[np.int64]  # (n + 1,) of no use here, and those that follow neither
    sigma: NDArray[np.float32]
    tails: NDArray[np.int32]
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


@njit(cache=True, nogil=True, error_model="numpy")
def tally(state: Any, sources: Any, sums: Any) -> None:
    """Search from one source after the other."""
    for source in sources:
        count = settle(state, source)
        if state.stop[0]:
            return
        for i in range(1, count):
            v = np.uint32(state.order[i])
            d = state.distance[v]
            state.distance[v] = np.inf
            sums.reached[v] += 1
            sums.total[v] += d
            sums.harmonic[v] += 1 / d
            sums.farthest[v] = max(sums.farthest[v], d)


@njit(cache=True, nogil=True, error_model="numpy")
def tally_together(state: Any, sources: Any, sums: Any) -> None:
    """Search from sources that lie close together."""
    arrange(state, sources[0])
    for j in range(sources.size):
        state.rows[np.int64(sources[j]) * WIDTH + j] = 0
        state.fallen[sources[j]] |= 1 << j // LANES
    forwards, size = True, state.order.size
    while hand_on(state, forwards):
        forwards = not forwards
    if state.stop[0]:
        return
    for v in range(size):
        state.total[:] = 0
        count = 0
        for j in range(0, WIDTH, LANES):
            count += collect(state.rows, v * WIDTH + j, state.total)
        sums.reached[v] += count
        sums.total[v] += state.total[:LANES].sum()
        sums.harmonic[v] += state.total[LANES : 2 * LANES].sum()
        sums.farthest[v] = max(sums.farthest[v], state.total[2 * LANES :].max())


@njit(cache=True, nogil=True)
def hand_on(state, forwards):
    """Hand on once what fell, in the order or against it; False when there was nothing.

    d(v) = min(d(v), d(u) + w(u, v)), eight columns of u at a time if one of them fell.
    """
    rows, fallen, order, indptr = state.rows, state.fallen, state.order, state.indptr
    last = order.size - 1
    found = False
    for i in range(order.size):
        u = np.uint32(order[i if forwards else last - i])
        columns = np.uint64(fallen[u])
        if not columns:
            continue
        found = True
        fallen[u] = 0
        for p in range(indptr[u], indptr[u + np.uint32(1)]):
            v, length = np.uint32(state.indices[p]), state.lengths[p]
            left, fell = columns, np.uint64(0)
            while left:
                block = lowest(left)
                left &= left - ONE
                lane = block * LANES
                nearer = lower(rows, np.int64(v) * WIDTH + lane, np.int64(u) * WIDTH + lane, length)
                fell |= np.uint64(nearer) << np.uint64(block)
            fallen[v] |= np.uint8(fell)
    return found and not state.stop[0]


@njit(cache=True, nogil=True, error_model="numpy")
def arrange(state, source):
    """Put the nodes in the order of their distances from a source, those out of reach last."""
    count = settle(state, source)
    for v in range(state.order.size):
        if state.distance[v] == np.inf and v != source:
            state.order[count] = v
            count += 1
        state.distance[v] = np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def settle(state, source):
    """Search from a source: how many nodes it reaches, which come first in the order.

    The source, first of them, is infinitely far from itself afterwards.
    """
    queue = state.queue
    if queue.distances.size:
        count, _, _ = by_sorted_buckets(
            state.indptr,
            state.indices,
            state.lengths,
            source,
            state.distance,
            state.order,
            queue.heads,
            queue.following,
            queue.nodes,
            queue.distances,
            queue.heap_keys,
            queue.heap_nodes,
            queue.per_width,
            state.stop,
        )
    else:
        count, _, _ = by_buckets(
            state.indptr,
            state.indices,
            state.lengths,
            source,
            state.distance,
            state.order,
            queue.heads,
            queue.following,
            queue.nodes,
            queue.per_width,
            state.stop,
            False,
            0.0,
            state.sigma,
            state.tails,
            state.tails,
            state.starts,
        )
    state.distance[source] = np.inf
    return count
