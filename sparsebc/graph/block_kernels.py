"""Blocks of a graph for sums of distances: their union, and what lies behind and around nodes.

A row is a node in one of its blocks. Block b has the rows from ``start[b]``, its top first, and
then the others in their order; ``weight`` is S_B of each row, and ``from_top`` its distance from
the top.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ..jit import allocating_kernel


@allocating_kernel
def rows(block, tops):
    """First row of each block, the node of each row, and the row of each node below its top."""
    start = np.zeros(tops.size + 1, dtype=np.int64)
    for v in range(block.size):
        if block[v] >= 0:
            start[block[v] + 1] += 1
    for b in range(tops.size):
        start[b + 1] += start[b] + 1
    nodes = np.empty(start[-1], dtype=np.int32)
    own = np.full(block.size, -1, dtype=np.int64)
    filled = start[:-1].copy()
    for b in range(tops.size):
        nodes[filled[b]] = tops[b]
        filled[b] += 1
    for v in range(block.size):
        b = block[v]
        if b >= 0:
            nodes[filled[b]] = v
            own[v] = filled[b]
            filled[b] += 1
    return start, nodes, own


@allocating_kernel
def arcs_of_blocks(indptr, indices, place, block, count):
    """Arcs of each of so many blocks; an arc is in the block of its end found last."""
    arcs = np.zeros(count, dtype=np.int64)
    for v in range(place.size):
        for p in range(indptr[v], indptr[v + 1]):
            w = indices[p]
            arcs[block[v] if place[v] > place[w] else block[w]] += 1
    return arcs


@allocating_kernel
def union(indptr, indices, lengths, place, block, start, own, number, size):
    """Pattern and lengths on the rows that have a ``number``, so many, in its order.

    Numbers rise with the nodes of a block, so that what is found is sorted. ``lengths`` may be
    empty.
    """
    into = np.zeros(size + 1, dtype=np.int64)
    for counting in (True, False):
        if not counting:
            for i in range(size):
                into[i + 1] += into[i]
            heads = np.empty(into[size], dtype=np.int32)
            values = np.empty(into[size] if lengths.size else 0)
            filled = into[:-1].copy()
        for v in range(place.size):
            for p in range(indptr[v], indptr[v + 1]):
                w = indices[p]
                b = block[v] if place[v] > place[w] else block[w]
                tail = number[own[v] if block[v] == b else start[b]]
                if tail < 0:
                    continue
                if counting:
                    into[tail + 1] += 1
                    continue
                heads[filled[tail]] = number[own[w] if block[w] == b else start[b]]
                if lengths.size:
                    values[filled[tail]] = lengths[p]
                filled[tail] += 1
    return into, heads, values


@allocating_kernel
def hops(indptr, indices, starts, stop):
    """Edges from the nearest of some nodes to each node, -1 where there is no path."""
    far = np.full(indptr.size - 1, -1, dtype=np.int64)
    queue = np.empty(indptr.size - 1, dtype=np.int32)
    queue[: starts.size] = starts
    far[starts] = 0
    low, high = 0, starts.size
    while low < high and not stop[0]:
        u = queue[low]
        low += 1
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if far[v] < 0:
                far[v] = far[u] + 1
                queue[high] = v
                high += 1
    return far


@allocating_kernel
def distances_behind(start, nodes, weight, from_top, total, farthest, second, best):
    """What lies behind each node in blocks below it: distances summed, and the farthest.

    ``total``, ``farthest`` and ``second`` are given as zeros, (n,), ``best`` as -1; ``second`` is
    the farthest outside of the block ``best``. Returns the sum of each block at its top.
    """
    below = np.zeros(start.size - 1, dtype=total.dtype)
    for b in range(start.size - 2, -1, -1):  # blocks below others first
        top, far = nodes[start[b]], farthest[0] * 0
        for r in range(start[b] + 1, start[b + 1]):
            if weight[r]:
                v = nodes[r]
                below[b] += weight[r] * from_top[r] + total[v]
                far = max(far, from_top[r] + farthest[v])
        total[top] += below[b]
        if far > farthest[top]:
            second[top], farthest[top], best[top] = farthest[top], far, b
        else:
            second[top] = max(second[top], far)
    return below


@allocating_kernel
def distances_around(start, nodes, weight, from_top, below, swept, behind, total, farthest):
    """Distances of each node summed, and the farthest, from its own block and those above it.

    ``swept`` are the two of each row in its block; ``behind`` what `distances_behind` filled. Both
    results are given as copies of the first two of that.
    """
    within, reach = swept
    inside, height, second, best = behind
    above = np.zeros_like(farthest)  # farthest by way of a node's own block
    for b in range(start.size - 1):
        first, end = start[b], start[b + 1]
        top, others, far = nodes[first], total[0] * 0, farthest[0] * 0
        if weight[first]:
            others = total[top] - below[b]
            far = max(above[top], second[top] if best[top] == b else height[top])
        for r in range(first + 1, end):
            others += inside[nodes[r]]
        for r in range(first + 1, end):
            v = nodes[r]
            total[v] = within[r] + others
            if weight[first]:
                above[v] = max(reach[r], from_top[r] + far)
            else:
                above[v] = reach[r]
            farthest[v] = max(height[v], above[v])
