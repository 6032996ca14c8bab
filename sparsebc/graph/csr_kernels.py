"""CSR patterns looked through and renumbered in a pass or two, with n integers beside them.

SciPy's conversions do as much, but copy the entries several times on the way. All end early once
they are `stopped`.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import interruptible, kernel, stopped
from .csr import CSR, Matrix
from .indices import NEXT, place_of, row_of, span


@kernel
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


@kernel
def is_symmetric(indptr, indices, at, stop):
    """Whether a canonical pattern is that of a symmetric matrix.

    Rows v come in order, so that entry (v, w) above the diagonal has its counterpart (w, v) where
    row w was left: ``at[w]``, at first its begin. When its own turn comes, a row must be left past
    its diagonal.
    """
    for v in range(at.size):
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


def induced(pattern: CSR, reverse: Matrix, nodes: NDArray[np.int64], is_whole: bool) -> Matrix:
    """Matrix on ``nodes``, numbered in that order; rows are filled as those of A' come, sorted.

    ``reverse`` is A', with the values of the entries, or none. ``is_whole``: no entry is left out.
    """
    work, starts = pattern.indices.size, np.zeros(nodes.size + 1, dtype=np.int64)
    number = np.full(pattern.indptr.size - 1, -1, dtype=np.int32)
    number[nodes] = np.arange(nodes.size)
    if is_whole:
        starts[1:] = pattern.degrees[nodes]
    else:
        interruptible(work, _count_kept, *pattern, nodes, number, starts)
    np.cumsum(starts, out=starts)
    heads = np.empty(starts[-1], dtype=np.int32)
    values = np.empty(heads.size if reverse.values.size else 0)
    given = *reverse.pattern, reverse.values, nodes, number, starts[:-1].copy()
    interruptible(work, _keep, *given, heads, values)
    return Matrix(CSR(starts, heads), values)


@kernel
def _count_kept(indptr, indices, nodes, number, starts, stop):
    """Write the number of entries that each node's row keeps behind its place."""
    for i in range(nodes.size):
        if stopped(stop):
            break
        kept = 0
        for p in row_of(indptr, np.uint64(nodes[i])):
            kept += number[np.uint32(indices[p])] >= 0
        starts[i + 1] = kept


@kernel
def _keep(in_indptr, in_indices, in_values, nodes, number, at, heads, values, stop):
    """Write the heads of the entries that are kept, a column after the other, and their values."""
    for i in range(nodes.size):
        if stopped(stop):
            break
        for p in row_of(in_indptr, np.uint64(nodes[i])):
            j = number[np.uint32(in_indices[p])]
            if j >= 0:
                to = np.uint64(at[np.uint32(j)])
                heads[to] = i
                if values.size:
                    values[to] = in_values[p]
                at[np.uint32(j)] += 1


@kernel
def add_along(indptr, indices, tails, heads, values, sums, stop):
    """sums(tails[i], heads[i]) += values[i], entries that are there; rows are sorted."""
    for i in range(tails.size):
        if stopped(stop):
            break
        if tails[i] >= 0 and heads[i] >= 0:
            sums[place_of(indptr, indices, tails[i], heads[i])] += values[i]


@kernel
def mixed(indptr, indices, values, leader, other, share, result, stop):
    """Write x(u -> v) where it mixes those of the leaders r and others o of u and v.

    x(u -> v) = l(v) x'(r(v)) + (1 - l(v)) x'(o(v))
    x'(w) = l(u) x(r(u) -> w) + (1 - l(u)) x(o(u) -> w)

    Within a class it is l(u) x(r -> v), or l(u) x(r -> u) if v is r.
    """
    for u in range(leader.size):
        if stopped(stop):
            break
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if leader[u] == leader[v]:
                head = u if v == leader[u] else v
                result[p] = share[u] * values[place_of(indptr, indices, leader[u], head)]
            elif leader[u] != other[u] or leader[v] != other[v]:
                x = 0.0
                for head, part in ((leader[v], share[v]), (other[v], 1 - share[v])):
                    swept = values[place_of(indptr, indices, leader[u], head)]
                    beside = values[place_of(indptr, indices, other[u], head)]
                    x += part * (share[u] * swept + (1 - share[u]) * beside)
                result[p] = x
