"""Biconnected components, the blocks of a graph, by the algorithm of Hopcroft and Tarjan."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import interruptible, kernel, stopped
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
