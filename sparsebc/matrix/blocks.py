"""Biconnected components, the blocks of a graph, and sums over the sources in other blocks."""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import inlined, interruptible, kernel, stopped, subroutine
from .csr import Condensed


@kernel
def depth_first(
    out_indptr, out_indices, in_indptr, in_indices, left, out, back, order, place, parent, low, stop
):
    """Write the order of a depth-first search, each node's place in it, parent and low point.

    ``place`` and ``parent`` are -1 before; ``out`` and ``back`` are the next entries of the rows.
    ``low``, the low point, is the smallest place of the node, its descendants and their neighbours,
    without the edge to its parent. Returns the numbers of nodes visited and of roots.
    """
    visited = roots = 0
    for v in range(left.size):
        if not left[v]:
            place[v] = left.size  # never found as new, and never the smallest place
    for root in range(left.size):
        if place[root] >= 0:
            continue
        roots += 1
        place[root] = low[root] = visited
        order[visited] = root
        visited += 1
        u = np.int32(root)
        while u >= 0:
            if stopped(stop):
                return 0, roots
            above, end = parent[u], out_indptr[u + 1]
            out[u], low[u], v = _scan_row(out_indices, out[u], end, place, above, low[u])
            if v < 0:
                end = in_indptr[u + 1]
                back[u], low[u], v = _scan_row(in_indices, back[u], end, place, above, low[u])
            if v < 0:
                if above >= 0:
                    low[above] = min(low[above], low[u])
                u = above
                continue
            place[v] = low[v] = visited
            order[visited] = v
            visited += 1
            parent[v] = u
            u = v
    return visited, roots


@inlined
def _scan_row(indices, p, end, place, above, low):
    """Scan a row up to a new node; returns the next position, the smallest place, the node or -1.

    ``low`` is the smallest place so far; ``above``, the parent, does not count.
    """
    v = np.int32(-1)
    while p < end and v < 0:
        w = np.uint32(indices[p])
        place_of_w = place[w]
        v = np.int32(w) if place_of_w < 0 else v
        low = low if (place_of_w < 0) | (w == above) else min(low, place_of_w)
        p += 1
    return p, low, v


@kernel
def numbered(order, place, parent, low, block, tops, size):
    """Write the block of each node and the tops, from a depth-first search; ``size`` is zero.

    Returns the numbers of blocks, and of nodes of all blocks but the largest, tops left out.
    """
    count = roots = 0
    for v in order:
        above = parent[v]
        if above < 0:
            roots += 1
            continue
        if low[v] >= place[above]:  # no edge from the subtree of v leads above the parent
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


@kernel
def arcs(
    first, end, indptr, indices, lengths, left, block, start, own, into, filled, heads, values, stop
):
    """Write the arcs of nodes first..end - 1; if ``heads`` is empty, count those of each row.

    ``filled`` is the next place of each row, or its count. A row is written by its node alone.
    """
    for v in range(first, end):
        if stopped(stop):
            break
        for p in range(indptr[v], indptr[v + 1]):
            w = indices[p]
            if not (left[v] and left[w]):
                continue
            b = max(block[v], block[w])
            tail = own[v] if block[v] == b else start[b]
            at = filled[tail]
            filled[tail] = at + 1
            if heads.size == 0:
                continue
            head = own[w] if block[w] == b else start[b]
            if head == start[b]:  # rows are sorted: the top comes first
                while at > into[tail]:
                    heads[at] = heads[at - 1]
                    if lengths.size:
                        values[at] = values[at - 1]
                    at -= 1
            heads[at] = head
            if lengths.size:
                values[at] = lengths[p]


@kernel
def arriving_behind(start, nodes, to_top, behind, within, later):
    """Add to ``behind``, (3, n), the sources that reach each node through the blocks below it.

    ``behind`` holds the sources themselves before. The sums at the top of each block are added to
    ``within``, over the sources within, and ``later``, over the top itself and its later blocks,
    zeros of shape (3, blocks).
    """
    for b in range(start.size - 2, -1, -1):  # blocks below others first
        top = nodes[start[b]]
        for r in range(start[b] + 1, start[b + 1]):
            v = nodes[r]
            if behind[0, v] and to_top[r] >= 0:
                join(within, b, behind, v, to_top[r])
        add(later, b, behind, top)
        join(behind, top, within, b, 0)


@kernel
def arriving(start, nodes, from_top, within, later, inside, sums, above, at_top):
    """Add to ``sums``, (3, n), the sources that reach each node through its own block.

    ``sums`` is ``behind`` of `arriving_behind` before, as are ``within`` and ``later``. ``inside``,
    (3, rows), are the sums over the sources at and behind the other nodes of the row's block, the
    top left out. ``above``, zeros of shape (3, n), gets the sums through a node's own block, then
    earlier ones below it; ``at_top`` is (3, 1).
    """
    for b in range(start.size - 1):
        top = nodes[start[b]]
        at_top[:] = 0
        add(at_top, 0, later, b)
        join(at_top, 0, above, top, 0)
        join(above, top, within, b, 0)
        for r in range(start[b] + 1, start[b + 1]):
            v = nodes[r]
            add(above, v, inside, r)
            if at_top[0, 0] and from_top[r] >= 0:
                join(above, v, at_top, 0, from_top[r])
            join(sums, v, above, v, 0)


@subroutine
def join(into, i, others, j, distance):
    """Add the sums at column j of ``others`` to those at i, at this distance from j."""
    into[0, i] += others[0, j]
    into[1, i] += others[1, j] + others[0, j] * distance
    into[2, i] = max(into[2, i], others[2, j] + distance)


def sums_by_reach(values: NDArray[Any], parts: Condensed) -> NDArray[Any]:
    """Sums of each row of values over the other columns that reach a column, in the same shape.

    Columns of one strong component have one number.
    """
    sums, between = np.zeros_like(values), parts.between
    inside, others = np.zeros((2, len(values), between.degrees.size), values.dtype)
    room = np.empty(between.degrees.size, np.uint64), np.empty(between.degrees.size, np.int32)
    given = values, parts.number, parts.first, *between, sums, inside, others, *room
    interruptible(between.indices.size, _add_by_reach, *given)
    return sums


@kernel
def _add_by_reach(values, number, first, indptr, indices, sums, inside, others, mask, chosen, stop):
    """Add to ``sums``; components of block b begin at ``first[b]``, arcs go to smaller numbers."""
    for k in range(values.shape[0]):  # sums from both ends: a subtraction would lose digits
        for r in range(number.size):
            sums[k, r] += inside[k, number[r]]
            inside[k, number[r]] += values[k, r]
        for r in range(number.size - 1, -1, -1):
            sums[k, r] += others[k, number[r]]
            others[k, number[r]] += values[k, r]
        for c in range(mask.size):
            others[k, c] = 0
    one = np.uint64(1)
    for b in range(first.size - 1):
        low, count = first[b], 0
        for c in range(first[b + 1] - 1, low - 1, -1):
            holds = False
            for k in range(inside.shape[0]):
                holds |= inside[k, c] != 0
            if holds and indptr[c] < indptr[c + 1]:
                chosen[count] = c
                count += 1
        for base in range(0, count, 64):  # 64 components at once, a bit each
            if stopped(stop):
                return
            for c in range(low, first[b + 1]):
                mask[c] = 0
            for i in range(base, min(base + 64, count)):
                mask[chosen[i]] = one << np.uint64(i - base)
            for c in range(chosen[base], low - 1, -1):
                bits, i = mask[c], base
                for p in range(indptr[c], indptr[c + 1]):
                    mask[indices[p]] |= bits
                while bits:
                    if bits & one and chosen[i] != c:
                        add(others, c, inside, chosen[i])
                    bits >>= one
                    i += 1
    for k in range(values.shape[0]):
        for r in range(number.size):
            sums[k, r] += others[k, number[r]]


@subroutine
def add(into, i, others, j):
    """Add column j of ``others`` to column i."""
    for k in range(into.shape[0]):
        into[k, i] += others[k, j]
