"""Weighted distances from 64 clustered sources at once.

Clustered sources have nearly the same order of nodes: all share that of one search from all of
them. Row v of a batch holds the distances of v from the 64 sources, and the product

    d(v) = min over u of d(u) + w(u, v)

runs over the nodes in that order, forwards and backwards in turn as in the fast sweeping method
[Zhao 2005], until no distance decreases. A shortest path turns against the order only where two
detours are about as long, so a few passes suffice. The fixpoint is the same in any order, to the
bit.
"""

from typing import Any, NamedTuple

import numpy as np

from ....jit import stopped, subroutine
from ....matrix.csr import row_of
from ..common.simd import LANES, bits_of, load, lowest, select, store
from ..common.state import Sizes, array

WIDTH = 64
# Relaxed nodes, per node of the graph, after which single searches are faster; a skipped node costs
# one in PASSED of a relaxed one.
MAX_WORK, PASSED = 24, 16
ONE = np.uint64(1)


class BatchState(NamedTuple):
    """Distances from a batch of up to 64 sources."""

    # 64 to a row; infinite between batches
    distance: Any = array(np.float64, "entries", fill=np.inf)
    fallen: Any = array(np.uint8, "n")  # a bit for eight columns that decreased, not yet propagated


def sizes(n: int) -> Sizes:
    """Sizes of `BatchState`."""
    return {"n": n, "entries": n * WIDTH}


@subroutine
def relax(search, order, sources, batch):
    """Fill the distances of the nodes in order, those that a search from the sources reached.

    False, and no distances, if that takes too many passes, or was stopped.
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
    """One pass in the order or against it: relax the rows of nodes that decreased; their number.

    d(v) = min(d(v), d(u) + w(u, v)), eight columns of u at a time if one of them decreased.
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
