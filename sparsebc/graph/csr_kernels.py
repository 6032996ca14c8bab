"""CSR patterns looked through, transposed and renumbered in a pass or two: n integers beside them.

SciPy's conversions do as much, but copy the entries several times on the way, and number those of
large patterns in 64 bits. All end early once they are `stopped`.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ..jit import allocating_kernel, stopped
from .indices import NEXT, place_of, row_of, span


@allocating_kernel
def is_canonical(indptr, indices, stop):
    """Whether row pointers rise from 0 to the end, and rows too, inside and off the diagonal."""
    n = indptr.size - 1
    if indptr[0] != 0 or indptr[n] != indices.size:
        return False
    for v in range(n):
        if indptr[v + 1] < indptr[v]:
            return False
    for v in range(n):
        if stopped(stop):
            break
        last, is_wrong = np.int32(-1), False
        for p in span(indptr[v], indptr[v + 1]):
            w = indices[p]
            is_wrong |= (w <= last) | (w == v)
            last = w
        if is_wrong or last >= n:
            return False
    return True


@allocating_kernel
def is_symmetric(indptr, indices, stop):
    """Whether a canonical pattern is that of a symmetric matrix.

    Rows v come in order, so that entry (v, w) above the diagonal has its counterpart (w, v) where
    row w was left: ``at[w]``. When its own turn comes, a row must be left past its diagonal.
    """
    n = indptr.size - 1
    at = indptr[:-1].copy()
    for v in range(n):
        if stopped(stop):
            break
        if at[v] < indptr[v + 1] and indices[np.uint64(at[v])] < v:
            return False
        for p in span(at[v], indptr[v + 1]):
            w = np.uint32(indices[p])
            if at[w] == indptr[w + NEXT] or indices[np.uint64(at[w])] != v:
                return False
            at[w] += 1
    return True


@allocating_kernel
def transposed(indptr, indices, order, stop):
    """Pattern of A', its rows sorted; ``order``, if not empty, says where each entry was."""
    n = indptr.size - 1
    starts = np.zeros(n + 1, dtype=np.int64)
    for w in indices:
        starts[np.uint32(w) + NEXT] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    at, heads = starts[:-1].copy(), np.empty_like(indices)
    for v in range(n):
        if stopped(stop):
            break
        for p in span(indptr[v], indptr[v + 1]):
            w = np.uint32(indices[p])
            heads[np.uint64(at[w])] = v
            if order.size:
                order[np.uint64(at[w])] = p
            at[w] += 1
    return starts, heads


@allocating_kernel
def induced(indptr, indices, in_indptr, in_indices, nodes, is_whole, stop):
    """Pattern on ``nodes``, numbered in that order; rows are filled as those of A' come, sorted.

    ``is_whole``: no entry is left out.
    """
    number = np.full(indptr.size - 1, -1, dtype=np.int32)
    for i in range(nodes.size):
        number[nodes[i]] = i
    starts = np.zeros(nodes.size + 1, dtype=np.int64)
    for i in range(nodes.size):
        if stopped(stop):
            return starts, indices[:0]
        v = np.uint64(nodes[i])
        kept = indptr[v + NEXT] - indptr[v]
        if not is_whole:
            kept = 0
            for p in row_of(indptr, v):
                kept += number[np.uint32(indices[p])] >= 0
        starts[i + 1] = starts[i] + kept
    at, heads = starts[:-1].copy(), np.empty(starts[-1], dtype=np.int32)
    for i in range(nodes.size):
        if stopped(stop):
            break
        for p in row_of(in_indptr, np.uint64(nodes[i])):
            j = number[np.uint32(in_indices[p])]
            if j >= 0:
                heads[np.uint64(at[np.uint32(j)])] = i
                at[np.uint32(j)] += 1
    return starts, heads


@allocating_kernel
def add_along(indptr, indices, tails, heads, values, sums, stop):
    """sums(tails[i], heads[i]) += values[i], entries that are there; rows are sorted."""
    for i in range(tails.size):
        if stopped(stop):
            break
        if tails[i] >= 0 and heads[i] >= 0:
            sums[place_of(indptr, indices, tails[i], heads[i])] += values[i]


@allocating_kernel
def counterparts(indptr, reverse_starts, reverse_heads, stop):
    """Place of each entry of the pattern of A' in that of A, whose rows are sorted.

    Row u of A' holds v where row v of A has its next entry, u.
    """
    at, found = indptr[:-1].copy(), np.empty(reverse_heads.size, dtype=np.int64)
    for u in range(at.size):
        if stopped(stop):
            break
        for p in span(reverse_starts[u], reverse_starts[u + 1]):
            v = np.uint32(reverse_heads[p])
            found[np.uint64(p)] = at[v]
            at[v] += 1
    return found


@allocating_kernel
def places(indptr, indices, starts, heads, nodes, stop):
    """Place of each entry of a pattern's part on ``nodes``, (starts, heads), in the whole."""
    there, found = np.empty(indptr.size - 1, np.int64), np.empty(heads.size, dtype=np.int64)
    for i in range(nodes.size):
        if stopped(stop):
            break
        for p in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
            there[indices[p]] = p
        for q in range(starts[i], starts[i + 1]):
            found[q] = there[nodes[heads[q]]]
    return found
