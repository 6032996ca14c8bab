"""Biconnected components, the blocks of a graph, by the algorithm of Hopcroft and Tarjan."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numpy.typing import NDArray

from ..jit import inlined, interruptible, kernel, stopped
from .csr import CSR, Blocks


def blocks(outgoing: CSR, back: CSR, left: NDArray[np.bool_]) -> Blocks:
    """`GraphOps.blocks`; there is no second pattern if one is symmetric."""
    n = left.size
    block, place, parent = (np.full(n, -1, np.int32) for _ in range(3))
    order, low, tops = (np.empty(n, np.int32) for _ in range(3))
    next_out, next_back = outgoing.indptr[:-1].copy(), back.indptr[:-1].copy()
    found, roots = interruptible(
        outgoing.indices.size + back.indices.size,
        _depth_first,
        *(*outgoing, *back, left, next_out, next_back, order, place, parent, low),
    )
    count, others = _numbered(order[:found], place, parent, low, block, tops, np.zeros_like(tops))
    return Blocks(block, tops[:count].copy(), roots, others)


@kernel
def _depth_first(
    out_indptr, out_indices, in_indptr, in_indices, left, at, back, order, place, parent, low, stop
):
    """Order of a depth-first search, the place of each node in it, and its parent, -1 before.

    ``low`` is the first place that an edge leads to from a node or from below it. Returns how many
    nodes were found, and how many of them have no parent.
    """
    found = roots = 0
    for v in range(left.size):
        if not left[v]:
            place[v] = left.size  # no node is new there, and no place earlier
    for root in range(left.size):
        if place[root] >= 0:
            continue
        roots += 1
        place[root] = low[root] = found
        order[found] = root
        found += 1
        u = np.int32(root)
        while u >= 0:
            if stopped(stop):
                return 0, roots
            above, end = parent[u], out_indptr[u + 1]
            at[u], low[u], v = _looked(out_indices, at[u], end, place, above, low[u])
            if v < 0:
                end = in_indptr[u + 1]
                back[u], low[u], v = _looked(in_indices, back[u], end, place, above, low[u])
            if v < 0:
                if above >= 0:
                    low[above] = min(low[above], low[u])
                u = above
                continue
            place[v] = low[v] = found
            order[found] = v
            found += 1
            parent[v] = u
            u = v
    return found, roots


@inlined
def _looked(indices, p, end, place, above, low):
    """Go through a row up to a new node: where it goes on, the first place met, and the node or -1.

    ``low`` is the first place met before; the node ``above`` does not count.
    """
    v = np.int32(-1)
    while p < end and v < 0:
        w = np.uint32(indices[p])
        there = place[w]
        v = np.int32(w) if there < 0 else v
        low = low if (there < 0) | (w == above) else min(low, there)
        p += 1
    return p, low, v


@kernel
def _numbered(order, place, parent, low, block, tops, size):
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
