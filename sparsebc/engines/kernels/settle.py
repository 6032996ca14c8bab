"""Shortest distances from one source, with nodes in an order in which shortest paths run forward.

Dijkstra's algorithm [Dijkstra 1959] with a ring of buckets [Dial 1969], or with a heap of four
children a node [Johnson 1975] where lengths differ too much for a ring. A node may wait in several
places; those that a shorter distance has made stale are passed over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

ONE = np.uint32(1)
EMPTY = np.int32(-1)
ARITY = 4
# Width of a bucket over the shortest length; less than `lengths.TELLS`, so that a tight edge ends
# in a later bucket than it starts in, and nodes within a bucket may come in any order.
WIDTH = 0.75
# A ring has at most this many buckets a node: passing over empty ones must not cost more than a
# heap does.
BUCKETS_PER_NODE = 16
# Nodes settled between two looks at the stop flag.
PATIENCE = 4096


class Queue(NamedTuple):
    """Nodes that wait, each with a distance: linked lists by bucket, or a heap."""

    heads: NDArray[np.int32]  # first entry of each bucket, a power of two of them; none: a heap
    following: NDArray[np.int32]  # next entry in the same bucket
    keys: NDArray[np.float64]  # distance of each entry of the heap
    nodes: NDArray[np.int32]  # node of each entry
    per_width: float  # 1 / width of a bucket


def queue(shortest: float, longest: float, nodes: int, entries: int) -> Queue:
    """Empty queue for a graph whose lengths lie between two bounds."""
    width = WIDTH * shortest
    ring = longest <= BUCKETS_PER_NODE * nodes * width
    buckets = 1 << int(longest / width + 3).bit_length() if ring else 0
    return Queue(
        np.full(buckets, EMPTY, dtype=np.int32),
        np.empty(entries if ring else 0, dtype=np.int32),
        np.empty(0 if ring else entries),
        np.empty(entries, dtype=np.int32),
        1 / width,
    )


def queue_bytes(nodes: int, entries: int) -> int:
    """Most memory that a queue takes."""
    return 2 * 4 * (BUCKETS_PER_NODE * nodes + 4) + 12 * entries


@njit(cache=True, nogil=True, error_model="numpy")
def by_buckets(
    indptr, indices, lengths, source, distance, order, heads, following, nodes, per_width, stop
):
    """Bucket b holds distances from b to b + 1 widths.

    Returns how many nodes were settled, and the distance of the farthest.
    """
    ring = heads.size - 1
    distance[source] = 0
    nodes[0], following[0], heads[0] = source, EMPTY, 0
    used, waiting, bucket, count = 1, 1, 0, 0
    farthest = 0.0
    while waiting and (count % PATIENCE or not stop[0]):
        entry = heads[bucket & ring]
        if entry < 0:
            bucket += 1
            continue
        heads[bucket & ring] = following[entry]
        waiting -= 1
        u = np.uint32(nodes[entry])
        here = distance[u]
        if np.int64(here * per_width) != bucket:
            continue
        order[count] = u
        count += 1
        farthest = max(farthest, here)
        for p in range(indptr[u], indptr[u + ONE]):
            v = np.uint32(indices[p])
            before, now = distance[v], here + lengths[p]
            if now < before:
                distance[v] = now
                place = np.int64(now * per_width)
                if before == np.inf or np.int64(before * per_width) != place:
                    nodes[used], following[used] = v, heads[place & ring]
                    heads[place & ring] = used
                    used += 1
                    waiting += 1
    return count, farthest


@njit(cache=True, nogil=True, error_model="numpy")
def by_heap(indptr, indices, lengths, source, distance, order, keys, nodes, stop):
    """Nodes come in the order of their distances; returns what `by_buckets` does."""
    distance[source] = 0
    keys[0], nodes[0] = 0, source
    size, count = 1, 0
    farthest = 0.0
    while size and (count % PATIENCE or not stop[0]):
        here, u = keys[0], np.uint32(nodes[0])
        size -= 1
        _sift_down(keys, nodes, size)
        if here != distance[u]:
            continue
        farthest = here
        order[count] = u
        count += 1
        for p in range(indptr[u], indptr[u + ONE]):
            v = np.uint32(indices[p])
            now = here + lengths[p]
            if now < distance[v]:
                distance[v] = now
                _sift_up(keys, nodes, size, now, v)
                size += 1
    return count, farthest


@njit(cache=True, nogil=True)
def _sift_down(keys, nodes, size):
    """Fill the root of a heap with the entry behind its last one."""
    key, node = keys[size], nodes[size]
    hole = 0
    while ARITY * hole + 1 < size:
        child = ARITY * hole + 1
        for other in range(child + 1, min(ARITY * hole + ARITY + 1, size)):
            if keys[other] < keys[child]:
                child = other
        if keys[child] >= key:
            break
        keys[hole], nodes[hole] = keys[child], nodes[child]
        hole = child
    keys[hole], nodes[hole] = key, node


@njit(cache=True, nogil=True)
def _sift_up(keys, nodes, hole, key, node):
    """Enter a key and its node behind the last entry of a heap."""
    while hole and keys[(hole - 1) // ARITY] > key:
        parent = (hole - 1) // ARITY
        keys[hole], nodes[hole] = keys[parent], nodes[parent]
        hole = parent
    keys[hole], nodes[hole] = key, node
