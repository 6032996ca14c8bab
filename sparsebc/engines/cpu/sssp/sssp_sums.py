"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v, c its weight and e what lies beyond it:

    reached(v) += c,  total(v) += c d(v),  harmonic(v) += c / d(v),  farthest(v) = max d(v) + e

in the column of the first limit that is not below d(v).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....jit import inlined, kernel, stopped
from ..common.simd import LANES, collect
from ..common.sums import first_within
from . import sssp_batch, sssp_clustered
from .sssp_batch import WIDTH
from .sssp_heap import order_from, sssp


@kernel
def accumulate(
    search: Any, limits: Any, sources: Any, weights: Any, beyond: Any, sums: Any
) -> None:
    """Search from one source after the other."""
    n = search.distance.size
    for j in range(sources.size):
        source, weight, further = sources[j], weights[j], beyond[j]
        count, _, _ = sssp(search, source, None, None)
        if stopped(search.stop):
            return
        search.distance[source] = np.inf
        for i in range(1, count):
            v = np.uint32(search.order[i])
            d = search.distance[v]
            search.distance[v] = np.inf
            place = np.uint64(first_within(limits, d) * n) + v
            sums.reached[place] += np.int64(weight)
            sums.total[place] += weight * d
            sums.harmonic[place] += weight / d
            sums.farthest[place] = max(sums.farthest[place], d + further)


@kernel
def accumulate_batch(
    search: Any, batch: Any, total: Any, sources: Any, weights: Any, beyond: Any, sums: Any
) -> bool:
    """Search from sources that lie close together; False, and nothing done, if they do not.

    ``total``, shape (32,), is what `collect` adds up in; weights and beyond are those of 64.
    """
    if not order_from(search, sources[0], None) or not sssp_batch.relax(search, sources, batch):
        return False
    for v in range(search.order.size):
        total[:] = 0
        for lane in range(v * WIDTH, (v + 1) * WIDTH, LANES):
            collect(batch.distance, lane, total, weights, beyond, lane % WIDTH)
        deliver(total, np.uint32(v), sums)
    return True


@kernel
def accumulate_near(
    search: Any,
    near: Any,
    incoming: Any,
    reverse: Any,
    total: Any,
    sources: Any,
    weights: Any,
    beyond: Any,
    sums: Any,
) -> Any:
    """Search from sources that share an order of nodes, eight at once; how many did.

    ``reverse`` is A' with its lengths, whose rows ``incoming`` has room for, or None where A is
    symmetric: then these are the rows of ``near``.
    """
    order = search.order
    if not order_from(search, sources[0], None):
        return sources.size
    sssp_clustered.number(near, search)
    if reverse is not None:
        sssp_clustered.arrange(order, near.place, reverse[0], reverse[1], reverse[2], incoming)
    for j in range(0, sources.size, LANES):
        if stopped(search.stop):
            return sources.size
        eight = sources[j : j + LANES]
        found = sssp_clustered.relax(near, incoming, eight)
        sssp_clustered.leave(near, eight)
        if not found:
            return j
        for i in range(order.size):
            total[:] = 0
            collect(near.distance, i * LANES, total, weights, beyond, j)
            deliver(total, np.uint32(order[i]), sums)
    return sources.size


@inlined
def deliver(total, v, sums):
    """Add what `collect` has of node v, over its lanes."""
    distance = inverse = farthest = weight = 0.0
    for lane in range(LANES):
        distance += total[lane]
        inverse += total[LANES + lane]
        farthest = max(farthest, total[2 * LANES + lane])
        weight += total[3 * LANES + lane]
    sums.reached[v] += np.int64(weight)
    sums.total[v] += distance
    sums.harmonic[v] += inverse
    sums.farthest[v] = max(sums.farthest[v], farthest)
