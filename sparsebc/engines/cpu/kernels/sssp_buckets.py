"""Shortest distances from one source, with nodes in an order in which shortest paths run forward.

Dijkstra's algorithm with a ring of buckets [Dial 1969]. Where lengths are of one magnitude, a
bucket is narrower than the shortest, and nothing is sorted. Where they are not, that would make too
many buckets; they are wider then, and a heap of four children a node [Johnson 1975] sorts the one
in turn. A node may wait in several places; those that a shorter distance has made stale are passed
over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....jit import inlined
from .simd import lowest, prefetch

ONE = np.uint32(1)
MARK = np.uint64(1)
WORD = 64  # marks in one
EMPTY = np.int32(-1)
ARITY = 4
# Width of a bucket over the shortest length; less than `MIN_GAIN`, so that a tight edge ends in a
# later bucket than it starts in, and nodes within a bucket may come in any order.
WIDTH = 0.75
# Lengths are of one magnitude if the longest is at most this many times the shortest, or half as
# many times as there are nodes: passing over empty buckets then costs less than sorting.
MAGNITUDE = 1024
# Sorted buckets to the mean length, and most buckets of a ring for each node.
BUCKETS_PER_MEAN, BUCKETS_PER_NODE = 64, 16
# Nodes settled between two looks at the stop flag.
PATIENCE = 4096


class Queue(NamedTuple):
    """Entries that wait, in linked lists by bucket, and the heap of the bucket in turn."""

    per_width: float  # 1 / width of a bucket
    heads: NDArray[np.int32]  # first entry of each bucket, a power of two of them
    marks: NDArray[np.uint64]  # a bit for each bucket that holds any; of no use when sorted
    following: NDArray[np.int32]  # next entry in the same bucket
    nodes: NDArray[np.int32]
    distances: NDArray[np.float64]  # these and the heap are empty where nothing is sorted
    heap_keys: NDArray[np.float64]
    heap_nodes: NDArray[np.int32]


def queue(lengths: NDArray[np.float64], nodes: int) -> Queue:
    """Empty queue for a graph with these lengths."""
    shortest, longest, entries = float(lengths.min()), float(lengths.max()), lengths.size + 1
    is_sorted = longest > max(MAGNITUDE, nodes / 2) * shortest
    width = (
        max(float(lengths.mean()) / BUCKETS_PER_MEAN, longest / (BUCKETS_PER_NODE * nodes))
        if is_sorted
        else WIDTH * shortest
    )
    buckets = max(WORD, 1 << int(longest / width + 3).bit_length())
    return Queue(
        1 / width,
        np.full(buckets, EMPTY, dtype=np.int32),
        np.zeros(buckets // WORD, dtype=np.uint64),
        np.empty(entries, dtype=np.int32),
        np.empty(entries, dtype=np.int32),
        np.empty(entries if is_sorted else 0),
        np.empty(entries if is_sorted else 0),
        np.empty(entries if is_sorted else 0, dtype=np.int32),
    )


def queue_bytes(nodes: int, entries: int) -> int:
    """Most memory that a queue takes."""
    buckets = max(BUCKETS_PER_NODE * nodes, int(MAGNITUDE / WIDTH)) + 4
    return 2 * (4 * buckets + buckets // 8) + 28 * entries


@register_jitable
def by_buckets(
    indptr, indices, lengths, source, distance, order, heads, marks, following, nodes, per_width,
    stop, counts, rtol, sigma, tails, entries, starts
):  # fmt: skip
    """Bucket b holds distances from b to b + 1 widths.

    On a symmetric graph, ``counts`` has each node count its paths when it is settled, by the same
    look at its neighbours: tight edges come from earlier buckets, whose distances are final.

    Returns how many nodes were settled, the distance of the farthest, and the most paths.
    """
    ring = heads.size - 1
    distance[source] = 0
    nodes[0], following[0] = source, EMPTY
    used, waiting, bucket, count, tight, entry = 1, 1, 0, 0, 0, 0
    farthest, most = 0.0, 1.0
    while waiting and (count % PATIENCE or not stop[0]):
        if entry < 0:
            bucket = next_marked(marks, bucket, ring)
            slot = bucket & ring
            marks[slot // WORD] ^= MARK << np.uint64(slot % WORD)
            entry, heads[slot] = heads[slot], EMPTY
        waiting -= 1
        u = np.uint32(nodes[entry])
        entry = following[entry]
        fetch_row(indptr, indices, lengths, heads, marks, nodes, entry, bucket & ring)
        here = distance[u]
        if np.int64(here * per_width) != bucket:
            continue
        farthest = max(farthest, here)
        bound = here + rtol * here
        paths = 0.0 if count else 1.0
        order[count], starts[count] = u, tight
        count += 1
        for p in range(indptr[u], indptr[u + ONE]):
            v = np.uint32(indices[p])
            before, now = distance[v], here + lengths[p]
            if counts:
                is_tight = before + lengths[p] <= bound
                through = np.float64(sigma[v])  # read in any case: a branch would cost more
                tails[tight] = v
                if entries.size:
                    entries[tight] = p
                tight += is_tight
                paths += through if is_tight else 0.0
            # An entry is written in any case, too, and kept if it goes to an earlier bucket.
            distance[v] = min(before, now)
            place = np.int64(now * per_width)
            is_nearer = np.floor(now * per_width) < np.floor(before * per_width)
            slot = place & ring
            head = heads[slot]
            nodes[used], following[used] = v, head
            heads[slot] = used if is_nearer else head
            marks[slot // WORD] |= np.uint64(is_nearer) << np.uint64(slot % WORD)
            used += is_nearer
            waiting += is_nearer
        if counts:
            sigma[u] = paths
            most = max(most, paths)
    starts[count] = tight
    return count, farthest, most


@inlined
def next_marked(marks, bucket, ring):
    """Next bucket from this one on that holds entries."""
    left = marks[(bucket & ring) // WORD] >> np.uint64(bucket % WORD)
    while not left:
        bucket += WORD - bucket % WORD
        left = marks[(bucket & ring) // WORD]
    return bucket + lowest(left)


@inlined
def fetch_row(indptr, indices, lengths, heads, marks, nodes, entry, slot):
    """Ask for the row that comes next: of this entry, or as far as one word of marks tells."""
    left = marks[slot // WORD] >> np.uint64(slot % WORD)
    if entry < 0 and left:
        entry = heads[slot + lowest(left)]
    if entry >= 0:
        begin = indptr[np.uint32(nodes[entry])]
        prefetch(indices, begin)
        prefetch(lengths, begin)


@register_jitable
def by_sorted_buckets(
    indptr, indices, lengths, source, distance, order, heads, following, nodes, distances,
    heap_keys, heap_nodes, per_width, stop
):  # fmt: skip
    """Nodes come in the order of their distances; returns what `by_buckets` does without counts."""
    ring = heads.size - 1
    distance[source] = 0
    heap_keys[0], heap_nodes[0] = 0, source
    used, waiting, bucket, count, size = 0, 0, 0, 0, 1
    farthest = 0.0
    while (waiting or size) and (count % PATIENCE or not stop[0]):
        if not size:
            entry = heads[bucket & ring]
            heads[bucket & ring] = EMPTY
            bucket += entry < 0
            while entry >= 0:
                waiting -= 1
                if distances[entry] == distance[nodes[entry]]:
                    _sift_up(heap_keys, heap_nodes, size, distances[entry], nodes[entry])
                    size += 1
                entry = following[entry]
            continue
        here, u = heap_keys[0], np.uint32(heap_nodes[0])
        size -= 1
        _sift_down(heap_keys, heap_nodes, size)
        if here != distance[u]:
            continue
        order[count] = u
        count += 1
        farthest = here
        for p in range(indptr[u], indptr[u + ONE]):
            v = np.uint32(indices[p])
            now = here + lengths[p]
            if now < distance[v]:
                distance[v] = now
                place = np.int64(now * per_width)
                if place == bucket:
                    _sift_up(heap_keys, heap_nodes, size, now, v)
                    size += 1
                else:
                    nodes[used], following[used] = v, heads[place & ring]
                    distances[used], heads[place & ring] = now, used
                    used += 1
                    waiting += 1
    return count, farthest, 1.0


@register_jitable
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


@register_jitable
def _sift_up(keys, nodes, hole, key, node):
    """Enter a key and its node behind the last entry of a heap."""
    while hole and keys[(hole - 1) // ARITY] > key:
        parent = (hole - 1) // ARITY
        keys[hole], nodes[hole] = keys[parent], nodes[parent]
        hole = parent
    keys[hole], nodes[hole] = key, node
