"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v:

    reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import kernel
from .settle import Queue, by_buckets, by_sorted_buckets


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
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


@kernel
def tally(state: Any, sources: Any, sums: Any) -> None:
    """Search from one source after the other."""
    distance, queue = state.distance, state.queue
    for source in sources:
        if queue.distances.size:
            count, _, _ = by_sorted_buckets(
                state.indptr,
                state.indices,
                state.lengths,
                source,
                distance,
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
                distance,
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
        if state.stop[0]:
            return
        distance[source] = np.inf
        for i in range(1, count):
            v = np.uint32(state.order[i])
            d = distance[v]
            distance[v] = np.inf
            sums.reached[v] += 1
            sums.total[v] += d
            sums.harmonic[v] += 1 / d
            sums.farthest[v] = max(sums.farthest[v], d)
