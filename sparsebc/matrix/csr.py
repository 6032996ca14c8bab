"""CSR patterns and matrices; checks, submatrices and sums of them in one or two passes.

SciPy's conversions copy the entries several times. All kernels end early once they are `stopped`.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputError
from ..jit import inlined, kernel, stopped

# Most entries that `scipy.sparse.csgraph` can take: it indexes them by 32 bits.
CSGRAPH_ENTRIES = 2**31 - 1


class CSR(NamedTuple):
    """Compressed rows of a pattern: row v holds ``indices[indptr[v]:indptr[v + 1]]``, sorted."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Stored entries of each row, shape (n,)."""
        return self.indptr[1:] - self.indptr[:-1]

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row of each stored entry, shape (nnz,), on the host."""
        return np.repeat(np.arange(self.indptr.size - 1, dtype=np.int32), self.degrees)

    @property
    def pairs(self) -> int:
        """Number of paths u -> x -> v, including v = u."""
        return int(self.degrees[self.indices].sum())

    @property
    def of_one_type(self) -> tuple[Any, Any]:
        """Indices and row pointers in one type, 32 bits if these suffice.

        SciPy would copy the smaller ones to the type of the larger.
        """
        if self.indices.size <= np.iinfo(np.int32).max:
            return self.indices, self.indptr.astype(np.int32)
        return self.indices.astype(np.int64), self.indptr

    def matrix(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """SciPy matrix of this pattern, with the values or with ones."""
        n = self.indptr.size - 1
        indices, indptr = self.of_one_type
        data = np.ones(self.indices.size, dtype=np.int8) if values is None else values
        return scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))

    def for_csgraph(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """SciPy matrix for `scipy.sparse.csgraph`; ValueError if that cannot index the entries."""
        if self.indices.size > CSGRAPH_ENTRIES:
            raise InputError(
                f"A has {self.indices.size} edges, each direction counted, and "
                "scipy.sparse.csgraph, which computes this on the CPU, takes at most "
                f"{CSGRAPH_ENTRIES}: use device='cuda', or leave out edges",
                "device",
            )
        return self.matrix(values)


class Matrix(NamedTuple):
    """A pattern and the values of its entries, on the host or on a GPU."""

    pattern: CSR
    values: Any


class Traits(NamedTuple):
    """Properties of a graph that decide how it is reduced and swept."""

    leaves: int  # nodes with one entry in their row
    high_diameter: bool  # a search takes more levels than were asked for
    whole: Any = None  # mask (on a GPU levels) of the nodes reached; None if high_diameter


class Condensed(NamedTuple):
    """Condensation of a digraph: its strong components, and the arcs between them.

    The digraph is a disjoint union of blocks. Components are numbered block by block, on the host
    in reverse topological order: arcs between them lead to smaller numbers.
    """

    number: NDArray[np.int32]  # (rows,) component of each row
    first: NDArray[np.int64]  # (blocks + 1,) first component of each block
    between: CSR  # arcs between components

    def steps(self, chosen: Any, xp: Any = np) -> int:
        """Arcs and bits visited for the reach of ``chosen`` components, ascending, 64 at once."""
        bits = xp.diff(xp.searchsorted(chosen, self.first))
        arcs = xp.diff(self.between.indptr[self.first])
        return int((bits * xp.diff(self.first) + -(-bits // 64) * arcs).sum())


def filtered(csr: CSR, keep: NDArray[np.bool_], xp: Any = np) -> CSR:
    """Pattern of the entries of the mask ``keep``."""
    kept = xp.zeros(keep.size + 1, dtype=np.int64)
    xp.cumsum(keep, out=kept[1:])
    return CSR(kept[csr.indptr], csr.indices[keep])


def busiest(degrees: Any, label: Any) -> Any:
    """Nodes of the largest degree of each label, the first of several; ascending."""
    nodes = np.arange(label.size, dtype=np.uint64)
    keys = degrees.astype(np.uint64) << np.uint64(32) | np.uint64(2**32 - 1) - nodes
    best = np.zeros(label.size, dtype=np.uint64)
    np.maximum.at(best, label, keys)
    return np.flatnonzero(best[label] == keys)


def ranges(first: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenation over i of the integers first[i] .. first[i] + size[i] - 1."""
    end = np.cumsum(size)
    numbers: NDArray[np.int64] = np.repeat(first - (end - size), size)
    numbers += np.arange(numbers.size)
    return numbers


NEXT = np.uint32(1)


@inlined
def span(first, last):
    """Unsigned indices first..last - 1."""
    return range(np.uint64(first), np.uint64(last))


@inlined
def row_of(indptr, v):
    """Places of the entries of row v of a CSR pattern; v is unsigned."""
    return span(indptr[v], indptr[v + NEXT])


@inlined
def place_of(indptr, indices, v, w):
    """First place of a column >= w in row v, which is sorted: that of entry (v, w) if stored."""
    low, high = indptr[v], indptr[v + 1]
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < w:
            low = middle + 1
        else:
            high = middle
    return low


# Least entries of a part of the rows, and least mean entries of a row for each part, where every
# part visits all rows.
PIECE, ROW_PIECE = 1 << 18, 1
COUNTERS = 8  # most parts of `GraphOps.induced`, each with a counter for every row


def parts(
    indptr: NDArray[np.int64], threads: int, *, whole_rows: bool = False
) -> NDArray[np.int64]:
    """Bounds of parts of consecutive rows with about as many entries each, at most one a thread.

    ``whole_rows``: every part visits all rows.
    """
    n, entries = indptr.size - 1, int(indptr[-1])
    most = min(threads, entries // (ROW_PIECE * n + 1)) if whole_rows else threads
    count = max(1, min(most, entries // PIECE))
    bounds = np.searchsorted(indptr, np.arange(1, count) * (entries // count))
    return np.concatenate(([0], bounds, [n]))


@kernel
def is_canonical(first, last_row, indptr, indices, stop):
    """Whether rows first..last_row - 1 strictly increase, within 0..n - 1, without the diagonal."""
    n = indptr.size - 1
    for v in range(first, last_row):
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
def is_symmetric(first, last, indptr, indices, at, stop):
    """Whether all entries (v, w) with first <= max(v, w) < last have counterparts, rows canonical.

    Rows v come in order, so the counterpart (w, v) of (v, w), v < w, is the first entry of row w
    without one yet: ``at[w]``, at first its begin, written for first <= w < last alone. When row v
    comes, none of its entries left of the diagonal may be without one.
    """
    for v in range(last):
        if stopped(stop):
            break
        if v < first:
            begin = place_of(indptr, indices, v, first)
        else:
            begin = at[v]
            if begin < indptr[v + 1] and indices[np.uint64(begin)] < v:
                return False
        for p in span(begin, indptr[v + 1]):
            w = np.uint32(indices[p])
            if w >= last:
                break
            if at[w] == indptr[w + NEXT] or indices[np.uint64(at[w])] != v:
                return False
            at[w] += 1
    return True


@kernel
def fill_columns(
    first, last, indptr, indices, own, nodes, number, bounds, starts, filled, heads, values, stop
):
    """Write the heads and values of the entries in columns first..last - 1, a column at a time.

    The pattern is that of A', its values ``own``. ``filled`` counts the entries of each row before
    the next, for each part of the columns. If ``heads`` is empty, entries are only counted.
    """
    part = 0  # a loop, for np.searchsorted takes .3 s to compile
    while bounds[part + 1] < last:
        part += 1
    at = filled[part]
    for i in range(first, last):
        if stopped(stop):
            break
        for p in row_of(indptr, np.uint64(nodes[i])):
            j = number[np.uint32(indices[p])]
            if j >= 0:
                if heads.size:
                    to = np.uint64(starts[np.uint32(j)]) + np.uint64(at[np.uint32(j)])
                    heads[to] = i
                    if values.size:
                        values[to] = own[p]
                at[np.uint32(j)] += np.uint32(1)


@kernel
def row_sums(first, last, indptr, indices, rows, words, sums, stop):
    """sums(v) += words(w) over the entries (v, w), modulo 2**64, for v in rows[first:last]."""
    for v in rows[first:last]:
        if stopped(stop):
            break
        for p in row_of(indptr, np.uint64(v)):
            sums[v] += words[np.uint32(indices[p])]


@kernel
def add_along(indptr, indices, tails, heads, values, sums, stop):
    """sums(tails[i], heads[i]) += values[i] at stored entries; skipped if a node is negative."""
    for i in range(tails.size):
        if stopped(stop):
            break
        if tails[i] >= 0 and heads[i] >= 0:
            sums[place_of(indptr, indices, tails[i], heads[i])] += values[i]


@kernel
def mixed(indptr, indices, values, leader, other, shares, result, stop):
    """Write x(u -> v) of arcs of twins, from x at the leaders r and other members o.

    x(u -> v) = l(v) x'(r(v)) + m(v) x'(o(v))
    x'(w) = l(u) x(r(u) -> w) + m(u) x(o(u) -> w)

    Within a class x(u -> v) is l(u) x(r -> v), or l(u) x(r -> u) if v is r.
    """
    own, others = shares
    for u in range(leader.size):
        if stopped(stop):
            break
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if leader[u] == leader[v]:
                head = u if v == leader[u] else v
                result[p] = own[u] * values[place_of(indptr, indices, leader[u], head)]
            elif leader[u] != other[u] or leader[v] != other[v]:
                x = 0.0
                for head, part in ((leader[v], own[v]), (other[v], others[v])):
                    swept = values[place_of(indptr, indices, leader[u], head)]
                    beside = values[place_of(indptr, indices, other[u], head)]
                    x += part * (own[u] * swept + others[u] * beside)
                result[p] = x
