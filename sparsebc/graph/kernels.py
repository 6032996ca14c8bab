"""Kernels on CSR patterns of the host, sequential, where SciPy has no function.

Those that may take long end early once they are `stopped`, and what they return is of no use then.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import allocating_kernel, inlined, interruptible, kernel, stopped
from .csr import CSR, Blocks
from .indices import NEXT, row_of

FAR = 2**31 - 1  # no path has so many edges


@kernel
def fold(indptr, indices, degree, alpha, omega, children, parents, stack, stop):
    """Remove nodes of degree one until none is left: `GraphOps.fold`, into what is given.

    ``parents`` are -1 and ``stack`` has room for all nodes.
    """
    top = 0
    for v in range(degree.size):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = np.uint64(indptr[leaf])
        while parents[np.uint32(indices[p])] >= 0:  # removed before
            p += NEXT
        parent = np.uint32(indices[p])
        parents[leaf] = parent
        degree[leaf] = 0
        degree[parent] -= 1
        alpha[parent] += alpha[leaf]
        omega[parent] += omega[leaf]
        children[parent] += alpha[leaf] * omega[leaf]
        if degree[parent] == 1:
            stack[top] = parent
            top += 1


def blocks(outgoing: CSR, back: CSR, left: NDArray[np.bool_]) -> Blocks:
    """`GraphOps.blocks` by depth-first search; there is no second pattern if one is symmetric."""
    n = left.size
    block, place, parent = (np.full(n, -1, np.int32) for _ in range(3))
    order, low, tops = (np.empty(n, np.int32) for _ in range(3))
    next_out, next_back = outgoing.indptr[:-1].copy(), back.indptr[:-1].copy()
    found, roots = interruptible(
        outgoing.indices.size + back.indices.size,
        _searched_deep,
        *(*outgoing, *back, left, next_out, next_back, order, place, parent, low),
    )
    count, others = _closed(order[:found], place, parent, low, block, tops, np.zeros_like(tops))
    return Blocks(block, tops[:count].copy(), roots, others)


@kernel
def _searched_deep(
    out_indptr, out_indices, in_indptr, in_indices, left, at, back, order, place, parent, low, stop
):
    """Order of a depth-first search, the place of each node in it, and its parent, -1 before.

    ``low`` is the first place that an edge leads to from a node or from below it. Returns how many
    nodes were found, and how many of them have no parent.
    """
    found = roots = 0
    for root in range(left.size):
        if not left[root] or place[root] >= 0:
            continue
        roots += 1
        place[root] = low[root] = found
        order[found] = root
        found += 1
        u = np.int32(root)
        while True:
            if stopped(stop):
                return 0, roots
            if at[u] < out_indptr[u + 1] or back[u] < in_indptr[u + 1]:
                if at[u] < out_indptr[u + 1]:
                    v = out_indices[at[u]]
                    at[u] += 1
                else:
                    v = in_indices[back[u]]
                    back[u] += 1
                if not left[v]:
                    continue
                if place[v] < 0:
                    place[v] = low[v] = found
                    order[found] = v
                    found += 1
                    parent[v] = u
                    u = v
                elif v != parent[u]:
                    low[u] = min(low[u], place[v])
            else:
                above = parent[u]
                if above < 0:
                    break
                low[above] = min(low[above], low[u])
                u = above
    return found, roots


@kernel
def _closed(order, place, parent, low, block, tops, size):
    """Number the blocks that a search has found, and put down their tops.

    Returns how many there are, and the nodes below tops of other blocks than the largest.
    """
    count = roots = 0
    for v in order:
        above = parent[v]
        if above < 0:
            roots += 1
            continue
        if low[v] >= place[above]:  # nothing below leads past the parent
            tops[count] = above
            block[v] = count
            count += 1
        else:
            block[v] = block[above]
        size[block[v]] += 1
    largest = 0  # a loop, for size.max() takes half a second to compile
    for b in range(count):
        largest = max(largest, size[b])
    return count, order.size - roots - largest


@allocating_kernel
def sums_over_reach(values, first, indptr, indices, chosen, stop):
    """Sums of two rows of values: over what reaches each chosen component, and what it reaches.

    Components of block b begin at ``first[b]``; the pattern has the arcs between them, all to
    smaller numbers. Those that are chosen rise.
    """
    sums = np.zeros((2, chosen.size), values.dtype)
    count = indptr.size - 1
    reaches, reached_from = np.empty(count, np.uint64), np.empty(count, np.uint64)
    one, base = np.uint64(1), 0
    for b in range(first.size - 1):
        low, high = first[b], first[b + 1]
        while base < chosen.size and chosen[base] < high:  # so many at once, a bit each
            if stopped(stop):
                return sums
            here = 0
            reaches[low:high] = 0
            reached_from[low:high] = 0
            while here < 64 and base + here < chosen.size and chosen[base + here] < high:
                c = chosen[base + here]
                reaches[c] = reached_from[c] = one << np.uint64(here)
                here += 1
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
            base += here
    return sums


@allocating_kernel
def strong_components(indptr, indices, last_first, stop):
    """Strong components, by the algorithm of Tarjan: how many, and the number of each node's.

    They are numbered as the search completes them: arcs between them lead to smaller numbers. It
    takes a node's neighbours from the first to the last, or the other way.
    """
    n = indptr.size - 1
    place, low = np.full(n, -1, np.int32), np.empty(n, np.int32)
    number = np.full(n, -1, np.int32)
    parent = np.empty(n, np.int32)
    open_, left = np.empty(n, np.int32), indptr[1:] - indptr[:-1]  # of no component yet
    found = waiting = count = 0
    for root in range(n):
        if place[root] >= 0:
            continue
        parent[root] = -1
        u = np.int32(root)
        place[u] = low[u] = found
        found += 1
        open_[waiting] = u
        waiting += 1
        while u >= 0:
            if stopped(stop):
                return count, number
            if left[u]:
                v = indices[indptr[u] + left[u] - 1 if last_first else indptr[u + 1] - left[u]]
                left[u] -= 1
                if place[v] < 0:
                    parent[v] = u
                    place[v] = low[v] = found
                    found += 1
                    open_[waiting] = v
                    waiting += 1
                    u = v
                elif number[v] < 0:
                    low[u] = min(low[u], place[v])
                continue
            if low[u] == place[u]:
                while number[u] < 0:
                    waiting -= 1
                    number[open_[waiting]] = count
                count += 1
            above = parent[u]
            if above >= 0:
                low[above] = min(low[above], low[u])
            u = above
    return count, number


def hops(pattern: CSR, starts: NDArray[np.integer[Any]], most: int = FAR) -> NDArray[np.int32]:
    """Edges from the nearest start to each node, -1 where there is no path of ``most`` at most."""
    n = pattern.indptr.size - 1
    far, queue = np.full(n, -1, np.int32), np.empty(n + 1, np.int32)
    interruptible(pattern.indices.size, _hops, *pattern, starts.astype(np.int64), most, far, queue)
    return far


@kernel
def _hops(indptr, indices, starts, most, far, queue, stop):
    """Breadth-first search; the ``queue`` has room for one more than all nodes."""
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
                queue[end] = v  # kept if it is new; a branch would often be guessed wrong
                end += far[v] < 0
                far[v] = depth if far[v] < 0 else far[v]
        low, high = high, end


@kernel
def needed(indptr, indices, lengths, slack, nearest, is_neighbour, needed, stop):
    """Unmark each edge u -> v if a way u -> x -> v is shorter by more than ``slack``.

    Nodes are infinitely far and no neighbours before, and after it.
    """
    for u in range(nearest.size):
        longest = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            is_neighbour[indices[p]] = True
            longest = max(longest, lengths[p])
        for p in range(indptr[u], indptr[u + 1]):
            x, first = indices[p], lengths[p]
            if stopped(stop):
                return
            if first >= longest:
                continue
            for q in range(indptr[x], indptr[x + 1]):
                v = indices[q]
                if is_neighbour[v]:
                    nearest[v] = min(nearest[v], first + lengths[q])
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            needed[p] = lengths[p] <= nearest[v] + slack
            nearest[v] = np.inf
            is_neighbour[v] = False


@kernel
def smallest_linked(out_indptr, out_indices, in_indptr, in_indices, whole, label, queue, stop):
    """Label each node, -1 before, by the smallest of its weak component.

    Breadth-first searches along A and A'; there is no second pattern if one is symmetric.
    ``whole``, if not empty, marks one component, whose rows need no look. The ``queue`` has room
    for one more than all nodes.
    """
    smallest = np.int32(-1)
    for v in range(whole.size):
        if whole[v]:
            smallest = np.int32(v) if smallest < 0 else smallest
            label[v] = smallest
    for root in range(label.size):
        if label[root] >= 0:
            continue
        label[root] = queue[0] = root
        low, high = np.uint64(0), np.uint64(NEXT)
        while low < high:
            if stopped(stop):
                return
            u = np.uint32(queue[low])
            low += NEXT
            high = _labelled(out_indices, row_of(out_indptr, u), root, label, queue, high)
            high = _labelled(in_indices, row_of(in_indptr, u), root, label, queue, high)


@inlined
def _labelled(indices, row, root, label, queue, end):
    """Label the neighbours in a row; those that had no label wait, up to the new end."""
    for p in row:
        v = np.uint32(indices[p])
        queue[end] = v  # kept if it is new; a branch would often be guessed wrong
        end += np.uint64(label[v] < 0)
        label[v] = root
    return end
