"""Biconnected components, the blocks of a graph, by the algorithm of Hopcroft and Tarjan."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numpy.typing import NDArray

from ..jit import inlined, interruptible, kernel, stopped
from .csr import CSR, Blocks


def blocks(outgoing: CSR, back: CSR, left: NDArray[np.bool_]) -> Blocks:
    """`GraphOps.blocks` on the host; ``back`` is A', without entries if A is symmetric."""
    n = left.size
    block, place, parent = (np.full(n, -1, np.int32) for _ in range(3))
    order, low, tops = (np.empty(n, np.int32) for _ in range(3))
    next_out, next_in = outgoing.indptr[:-1].copy(), back.indptr[:-1].copy()
    visited, roots = interruptible(
        outgoing.indices.size + back.indices.size,
        _depth_first,
        *(*outgoing, *back, left, next_out, next_in, order, place, parent, low),
    )
    count, others = _numbered(order[:visited], place, parent, low, block, tops, np.zeros_like(tops))
    return Blocks(block, tops[:count].copy(), roots, others)


@kernel
def _depth_first(
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
def _numbered(order, place, parent, low, block, tops, size):
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
