"""Shortest distances by length from 64 sources at once that lie close together.

Near sources have nearly the same order of nodes, so all share that of one search from them. Row v
of a batch holds the distances of v from the 64, and the product

    d(v) = min over u of d(u) + w(u, v)

runs over the nodes in that order, forwards and backwards in turn as in the fast sweeping method
[Zhao 2005], until nothing falls. A shortest path turns against the order only where two ways around
are about as long, so a few turns do. The fixpoint is one and the same in any order, to the bit.
"""

from typing import Any, NamedTuple

import numpy as np

from ....graph.indices import row_of
from ....jit import stopped, subroutine
from ..common.simd import LANES, bits_of, load, lowest, select, store
from ..common.state import Sizes, array

WIDTH = 64
# Work for each node, in nodes that hand on, after which a search from each source alone is faster;
# to pass over a node costs a part of that, one in PASSED.
MAX_WORK, PASSED = 24, 16
ONE = np.uint64(1)


class BatchState(NamedTuple):
    """Distances from a batch of up to 64 sources."""

    distance: Any = array(np.float64, "entries", fill=np.inf)  # 64 to a row; infinite in between
    fallen: Any = array(np.uint8, "n")  # a bit for eight columns that fell, not yet propagated


def sizes(n: int) -> Sizes:
    """Sizes of `BatchState`."""
    return {"n": n, "entries": n * WIDTH}


@subroutine
def relax(search, order, sources, batch):
    """Find the distances of all nodes from the sources, which reach those in the order of a search.

    False, and no distances, if that takes too many turns, or was stopped.
    """
    distance, fallen = batch
    for j in range(sources.size):
        distance[np.int64(sources[j]) * WIDTH + j] = 0
        fallen[sources[j]] |= 1 << j // LANES
    n = order.size
    forwards, handed_on, work = True, 1, 0
    while handed_on and work <= MAX_WORK * n and not stopped(search.stop):
        handed_on = hand_on(search, order, distance, fallen, forwards)
        work += handed_on + n // PASSED
        forwards = not forwards
    if handed_on:
        distance[:] = np.inf
        fallen[:] = 0
    return not handed_on


@subroutine
def hand_on(search, order, distance, fallen, forwards):
    """Hand on once what fell, in the order or against it; returns how many nodes did.

    d(v) = min(d(v), d(u) + w(u, v)), eight columns of u at a time if one of them fell.
    """
    indptr, indices, lengths = search.indptr, search.indices, search.lengths
    count, last = 0, order.size - 1
    for i in range(order.size):
        u = np.uint32(order[i if forwards else last - i])
        columns = np.uint64(fallen[u])
        if not columns:
            continue
        count += 1
        fallen[u] = 0
        for p in row_of(indptr, u):
            v, length = np.uint32(indices[p]), lengths[p]
            left, fell = columns, np.uint64(0)
            while left:
                block = lowest(left)
                left &= left - ONE
                head = np.int64(v) * WIDTH + block * LANES
                tail = np.int64(u) * WIDTH + block * LANES
                now, before = load(distance, tail) + length, load(distance, head)
                nearer = (now < before) & (now <= search.limit)
                if bits_of(nearer):
                    store(distance, head, select(nearer, now, before))
                    fell |= ONE << np.uint64(block)
            fallen[v] |= np.uint8(fell)
    return count
