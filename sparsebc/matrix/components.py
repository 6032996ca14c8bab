"""Breadth-first searches, weak and strong components, and sums over components by reach."""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import inlined, interruptible, kernel, stopped
from .csr import CSR, NEXT, row_of

FAR = 2**31 - 1  # no path has so many edges


def hops(pattern: CSR, starts: NDArray[np.integer[Any]], most: int = FAR) -> NDArray[np.int32]:
    """Number of edges from the nearest start to each node; -1 if more than ``most``, or no path."""
    n = pattern.indptr.size - 1
    far, queue = np.full(n, -1, np.int32), np.empty(n + 1, np.int32)
    interruptible(pattern.indices.size, _hops, *pattern, starts.astype(np.int64), most, far, queue)
    return far


@kernel
def _hops(indptr, indices, starts, most, far, queue, stop):
    """Write distances from distinct starts to ``far``, -1 before; ``queue`` has room for n + 1."""
    low, high, depth = 0, starts.size, 0
    for i in range(high):
        queue[i] = starts[i]
        far[starts[i]] = 0
    while low < high and depth < most:
        depth, end = depth + 1, high
        for i in range(low, high):
            if stopped(stop):
                return
            for p in row_of(indptr, np.uint32(queue[i])):
                v = np.uint32(indices[p])
                queue[end] = v  # overwritten unless v is new; a branch would often be mispredicted
                end += far[v] < 0
                far[v] = depth if far[v] < 0 else far[v]
        low, high = high, end


@kernel
def nearer(first, last, indptr, indices, level, parent, stop):
    """Write to ``parent`` the first neighbour of each row that is one level lower, if any."""
    for v in range(first, last):
        if stopped(stop):
            return
        for p in row_of(indptr, np.uint32(v)):
            w = np.uint32(indices[p])
            if level[v] > 0 and level[w] == level[v] - 1:
                parent[v] = w
                break


@kernel
def smallest_linked(out_indptr, out_indices, in_indptr, in_indices, whole, label, queue, stop):
    """Label each node, -1 before, by the smallest node of its weak component.

    Searches breadth-first along A and A', which has no entries here if A is symmetric. The
    ``queue``, with room for n + 1 nodes, holds the nodes in the order of the searches. ``whole``,
    if not empty, is the mask of one component, whose rows are not visited.
    """
    smallest = np.int32(-1)
    for v in range(whole.size):
        if whole[v]:
            smallest = np.int32(v) if smallest < 0 else smallest
            label[v] = smallest
    low = high = np.uint64(0)
    for root in range(label.size):
        if label[root] >= 0:
            continue
        label[root] = queue[high] = root
        high += NEXT
        while low < high:
            if stopped(stop):
                return
            u = np.uint32(queue[low])
            low += NEXT
            high = _label_row(out_indices, row_of(out_indptr, u), root, label, queue, high)
            high = _label_row(in_indices, row_of(in_indptr, u), root, label, queue, high)


@inlined
def _label_row(indices, row, root, label, queue, end):
    """Label the neighbours in a row, append those without a label to the queue; return its end."""
    for p in row:
        v = np.uint32(indices[p])
        queue[end] = v  # overwritten unless v is new; a branch would often be mispredicted
        end += np.uint64(label[v] < 0)
        label[v] = root
    return end


def strong_components(pattern: CSR, last_first: bool = False) -> tuple[int, NDArray[np.int32]]:
    """Number of strong components, and that of each node's component, by the algorithm of Tarjan.

    Components are numbered as the search completes them: arcs between them lead to smaller numbers.
    ``last_first``: the neighbours of a node are searched in descending order.
    """
    unseen = pattern.degrees
    place, number = np.full(unseen.size, -1, np.int32), np.full(unseen.size, -1, np.int32)
    low, parent, stack = (np.empty(unseen.size, np.int32) for _ in range(3))
    given = *pattern, last_first, unseen, place, number, low, parent, stack
    return interruptible(pattern.indices.size, _depth_first, *given), number


@kernel
def _depth_first(indptr, indices, last_first, unseen, place, number, low, parent, stack, stop):
    """Write the ``number`` of each node's component; returns the number of components.

    ``stack`` holds the visited nodes whose component is not complete.
    """
    visited = height = count = 0
    for root in range(unseen.size):
        if place[root] >= 0:
            continue
        parent[root] = -1
        u = np.int32(root)
        place[u] = low[u] = visited
        visited += 1
        stack[height] = u
        height += 1
        while u >= 0:
            if stopped(stop):
                return count
            rest, lowest, end, new = unseen[u], low[u], indptr[u + 1], np.int32(-1)
            while rest and new < 0:
                v = indices[indptr[u] + rest - 1 if last_first else end - rest]
                rest -= 1
                if place[v] < 0:
                    new = v
                elif number[v] < 0:
                    lowest = min(lowest, place[v])
            unseen[u], low[u] = rest, lowest
            if new >= 0:
                parent[new] = u
                place[new] = low[new] = visited
                visited += 1
                stack[height] = new
                height += 1
                u = new
                continue
            if low[u] == place[u]:
                while number[u] < 0:
                    height -= 1
                    number[stack[height]] = count
                count += 1
            above = parent[u]
            if above >= 0:
                low[above] = min(low[above], low[u])
            u = above
    return count


@kernel
def sums_over_reach(values, first, indptr, indices, chosen, sums, reaches, reached_from, stop):
    """Write the sums of `GraphOps.sums_over_reach`, zero before.

    Components of block b begin at ``first[b]``; the pattern has the arcs between them, all to
    smaller numbers. The chosen ones are ascending. ``reaches`` and ``reached_from`` hold a bit for
    each of 64 chosen ones, by component.
    """
    one, base = np.uint64(1), 0
    for b in range(first.size - 1):
        low, high = first[b], first[b + 1]
        while base < chosen.size and chosen[base] < high:  # 64 at once, a bit each
            if stopped(stop):
                return
            count = 0
            reaches[low:high] = 0
            reached_from[low:high] = 0
            while count < 64 and base + count < chosen.size and chosen[base + count] < high:
                c = chosen[base + count]
                reaches[c] = reached_from[c] = one << np.uint64(count)
                count += 1
            for c in range(low, high):
                for p in range(indptr[c], indptr[c + 1]):
                    reaches[c] |= reaches[indices[p]]
            for c in range(high - 1, low - 1, -1):
                for p in range(indptr[c], indptr[c + 1]):
                    reached_from[indices[p]] |= reached_from[c]
            for c in range(low, high):
                for k in range(2):
                    bits, i = (reaches if k == 0 else reached_from)[c], base
                    while bits:
                        if bits & one:
                            sums[k, i] += values[k, c]
                        bits >>= one
                        i += 1
            base += count
