"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v:

    reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....jit import kernel
from .simd import LANES, collect
from .sssp_batch import WIDTH, complete, relax
from .sssp_buckets import Queue, by_buckets, by_sorted_buckets


class Nearest(NamedTuple):
    """State of a single source."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    lengths: NDArray[np.float64]
    queue: Queue
    distance: NDArray[np.float64]  # (n,) infinite in between
    order: NDArray[np.int32]  # (n,) nodes as they were settled
    starts: NDArray[np.int64]  # (n + 1,) of no use here, and those that follow neither
    sigma: NDArray[np.float64]
    tails: NDArray[np.int32]
    total: NDArray[np.float64]  # (24,) what `collect` adds up
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


@kernel
def tally(state: Any, sources: Any, sums: Any) -> None:
    """Search from one source after the other."""
    for source in sources:
        count = settle(state, source)
        if state.stop[0]:
            return
        state.distance[source] = np.inf
        for i in range(1, count):
            v = np.uint32(state.order[i])
            d = state.distance[v]
            state.distance[v] = np.inf
            sums.reached[v] += 1
            sums.total[v] += d
            sums.harmonic[v] += 1 / d
            sums.farthest[v] = max(sums.farthest[v], d)


@kernel
def tally_together(state: Any, rows: Any, sources: Any, sums: Any) -> bool:
    """Search from sources that lie close together; False, and nothing done, if they do not."""
    complete(state.order, settle(state, sources[0]), state.distance)
    if not relax(
        state.indptr, state.indices, state.lengths, sources, rows, state.order, state.stop
    ):
        return False
    total = state.total
    for v in range(state.order.size):
        total[:] = 0
        count = 0
        for lane in range(v * WIDTH, (v + 1) * WIDTH, LANES):
            count += collect(rows.distance, lane, total)
        distance = inverse = farthest = 0.0
        for lane in range(LANES):
            distance += total[lane]
            inverse += total[LANES + lane]
            farthest = max(farthest, total[2 * LANES + lane])
        sums.reached[v] += count
        sums.total[v] += distance
        sums.harmonic[v] += inverse
        sums.farthest[v] = max(sums.farthest[v], farthest)
    return True


@register_jitable
def settle(state, source):
    """Search from a source; how many nodes it reaches, which come first in the order."""
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
            queue.marks,
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
    return count
