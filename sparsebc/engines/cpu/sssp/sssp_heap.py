"""Shortest distances from one source where lengths differ by magnitudes.

As `sssp_buckets`, with wider buckets: the entries of the bucket in turn are in a priority queue, a
heap of four children a node [Johnson 1975], so that nodes come in the order of their distances.
"""

from __future__ import annotations

import numpy as np

from ....graph.indices import row_of
from ....jit import stopped, subroutine
from .heap import sift_down, sift_up
from .sssp_buckets import EMPTY, NODES_PER_POLL, by_buckets, within


@subroutine
def sssp(search, source, tight, predecessors):
    """Distances of all nodes from a source and the order of nodes; returns what `by_buckets` does.

    Paths are counted on the way by `by_buckets` alone.
    """
    if search.queue.distances.size:
        return by_sorted_buckets(search, source, predecessors)
    return by_buckets(search, source, tight, predecessors)


@subroutine
def order_from(search, source, tight):
    """Order all nodes by a search, those out of reach last; False, and no order, if it is stopped.

    Distances are infinite again.
    """
    count, _, _ = sssp(search, source, tight, None)
    if stopped(search.stop):
        return False
    distance, order = search.distance, search.order
    for v in range(order.size):
        if distance[v] == np.inf:
            order[count] = v
            count += 1
        distance[v] = np.inf
    return True


@subroutine
def by_sorted_buckets(search, source, predecessors):
    """Nodes come in the order of their distances; returns what `by_buckets` does without counts."""
    indptr, indices, lengths, queue, distance, order, stop, limit = search
    per_width, heads, _, following, nodes, distances, heap_keys, heap_nodes, _ = queue
    ring = heads.size - 1
    distance[source] = 0
    heap_keys[0], heap_nodes[0] = 0, source
    used, waiting, bucket, count, size = 0, 0, 0, 0, 1
    farthest = 0.0
    while (waiting or size) and (count % NODES_PER_POLL or not stopped(stop)):
        if not size:
            entry = heads[bucket & ring]
            heads[bucket & ring] = EMPTY
            bucket += entry < 0
            while entry >= 0:
                waiting -= 1
                if distances[entry] == distance[nodes[entry]]:
                    sift_up(heap_keys, heap_nodes, size, distances[entry], nodes[entry])
                    size += 1
                entry = following[entry]
            continue
        here, u = heap_keys[0], np.uint32(heap_nodes[0])
        size -= 1
        sift_down(heap_keys, heap_nodes, size)
        if here != distance[u]:
            continue
        order[count] = u
        count += 1
        farthest = here
        for p in row_of(indptr, u):
            v = np.uint32(indices[p])
            now = within(limit, here + lengths[p])
            if now < distance[v]:
                distance[v] = now
                if predecessors is not None:
                    predecessors[v] = u
                place = np.int64(now * per_width)
                if place == bucket:
                    sift_up(heap_keys, heap_nodes, size, now, v)
                    size += 1
                else:
                    nodes[used], following[used] = v, heads[place & ring]
                    distances[used], heads[place & ring] = now, used
                    used += 1
                    waiting += 1
    return count, farthest, 1.0
