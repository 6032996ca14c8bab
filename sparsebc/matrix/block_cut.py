"""Arcs between the rows of blocks, and sums over sources that reach a node from other blocks.

A row is a node in one of its blocks. The rows of block b begin at ``start[b]``: its top, then its
other nodes, ascending; ``own`` is the row of a node in the block where it is not the top. Distances
are -1 where there is no path. The three sums over the sources that reach a node are S, F and E of
`distance_blocks`: their number, the sum of their distances, and the largest distance.
"""

# mypy: disable-error-code="no-untyped-def"

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import in_parts, interruptible, kernel, stopped, subroutine
from . import csr_kernels
from .csr import CSR, Condensed, Matrix


def arcs(way: Matrix, left: Any, block: Any, start: Any, own: Any, threads: int) -> Matrix:
    """Pattern and lengths, if any, of the arcs between rows."""
    into = np.zeros(start[-1] + 1, dtype=np.int64)
    parts = way.pattern.indices.size, csr_kernels.parts(way.pattern.indptr, threads)
    fill = partial(in_parts, *parts, _arcs, *way.pattern, way.values, left, block, start, own, into)
    fill(into[1:], np.empty(0, dtype=np.int32), np.empty(0))
    np.cumsum(into, out=into)
    heads = np.empty(into[-1], dtype=np.int32)
    values = np.empty(into[-1] if way.values.size else 0)
    fill(into[:-1].copy(), heads, values)
    return Matrix(CSR(into, heads), values)


@kernel
def _arcs(
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
