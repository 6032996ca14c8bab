"""Operations on CSR patterns in the memory of the host: our kernels, and functions of SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..host import on_host
from ..jit import interruptible
from ..threads import Threads
from . import biconnected_kernels, csr, csr_kernels, kernels, twin_kernels
from .csr import CSR, UNKNOWN, Blocks, Condensed, Inspection, Matrix, Traits, busiest, filtered

LOOKERS = 8  # threads that look at long arrays


class HostOps:
    """GraphOps of NumPy arrays: SciPy's functions, and Numba where it has none or copies a lot."""

    xp: Any = np
    pair_throughput = 1
    many_values = 1 << 21

    @staticmethod
    def threads() -> Threads:
        """Threads that end with the context: the process may be forked between calls."""
        return Threads(LOOKERS)

    @staticmethod
    def asarray(array: Any) -> NDArray[Any]:
        """Array of a type plain to Numba: a copy of one on a GPU, read-only or strided."""
        array = on_host(array)
        is_plain = isinstance(array, np.ndarray) and array.flags.carray
        return array if is_plain else np.require(array, None, ["C", "A", "W"])

    on_host = asarray

    @staticmethod
    def inspect(form: str, first: Any, second: Any, n: int) -> Inspection:
        """Inspection by two passes over the entries; only indices of 64 bits are copied."""
        if form == "coo" or first.size != n + 1:
            return UNKNOWN
        if second.dtype != np.int32:
            if second.size and not 0 <= second.min() <= second.max() < n:
                return UNKNOWN
            second = second.astype(np.int32)
        given = CSR(first.astype(np.int64, copy=False), second)
        if not interruptible(second.size, csr_kernels.is_canonical, *given):
            return UNKNOWN
        symmetric = _is_symmetric(given)
        return Inspection(True, given if symmetric or form == "csr" else None, symmetric)

    @staticmethod
    def canonical(form: str, first: Any, second: Any, n: int) -> CSR:
        """Pattern of the sums of ones."""
        ones = np.ones(second.size, dtype=bool)
        return HostOps.summed(form, first, second, ones, n).pattern

    @staticmethod
    def summed(form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Matrix by SciPy's conversions."""
        if form == "coo":
            given = scipy.sparse.coo_array((values, (first, second)), shape=(n, n))
        else:
            kind = scipy.sparse.csr_array if form == "csr" else scipy.sparse.csc_array
            given = kind((values, second, first), shape=(n, n))
        whole = given.tocsr(copy=True)
        whole.sum_duplicates()
        pattern = compressed(whole)
        keep = pattern.rows != pattern.indices
        if keep.all():
            return Matrix(pattern, whole.data)
        return Matrix(filtered(pattern, keep), whole.data[keep])

    @staticmethod
    def reverse(pattern: CSR, one_way: bool = False) -> CSR:
        """Pattern of A', transposed only where an entry lacks its counterpart."""
        if not one_way and _is_symmetric(pattern):
            return pattern
        return _transposed(pattern, np.empty(0, dtype=np.int64))

    @staticmethod
    def transposed(matrix: Matrix) -> Matrix:
        """Matrix A', or the matrix itself if both are equal."""
        pattern, values = matrix
        order = np.empty(values.size, dtype=np.int64)
        other = Matrix(_transposed(pattern, order), values[order])
        same = zip((*pattern, values), (*other.pattern, other.values), strict=True)
        return matrix if all(np.array_equal(a, b) for a, b in same) else other

    @staticmethod
    def either_way(pattern: CSR) -> CSR:
        """Union of the patterns of A and of A'."""
        reverse = HostOps.reverse(pattern)
        return pattern if reverse is pattern else HostOps.union(pattern, reverse)

    @staticmethod
    def union(pattern: CSR, other: CSR) -> CSR:
        """Union of two patterns, by SciPy's sum."""
        return compressed(pattern.matrix() + other.matrix())

    @staticmethod
    def induced(pattern: CSR, reverse: CSR, nodes: Any, entries: int | None = None) -> CSR:
        """Subpattern, by the rows of A' in the order of the nodes: no row is sorted."""
        is_whole = entries == pattern.indices.size
        return csr_kernels.induced(pattern, reverse, nodes.astype(np.int64, copy=False), is_whole)

    @staticmethod
    def rows(pattern: CSR) -> Any:
        """Row of every entry."""
        return pattern.rows

    @staticmethod
    def keys(pattern: CSR) -> Any:
        """Row * n + column of every entry, in 64 bits."""
        return pattern.rows.astype(np.int64) * (pattern.indptr.size - 1) + pattern.indices

    @staticmethod
    def from_keys(keys: Any, n: int) -> CSR:
        """Pattern of keys in order, its row pointers by binary search."""
        indptr = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
        return CSR(indptr.astype(np.int64), (keys % max(n, 1)).astype(np.int32))

    @staticmethod
    def places(pattern: CSR, part: CSR, nodes: Any) -> Any:
        """Place of each entry, looked up row by row."""
        work, nodes = pattern.indices.size, nodes.astype(np.int64, copy=False)
        place, found = (
            np.empty(size, np.int64) for size in (pattern.indptr.size, part.indices.size)
        )
        interruptible(work, csr_kernels.places, *pattern, *part, nodes, place, found)
        return found

    @staticmethod
    def counterparts(pattern: CSR, reverse: CSR) -> Any:
        """Place of the counterpart of each entry, counted up row by row."""
        work, found = pattern.indices.size, np.empty(reverse.indices.size, dtype=np.int64)
        given = *reverse, pattern.indptr[:-1].copy(), found
        interruptible(work, csr_kernels.counterparts, *given)
        return found

    @staticmethod
    def fold(pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any, Any]:
        """Folded trees, from a stack of leaves; labels are not needed."""
        below, degree, children = ends.copy(), pattern.degrees, np.zeros_like(ends[0])
        parents = np.full(degree.size, -1, dtype=np.int32)
        given = degree, *below, children, parents, np.empty(degree.size, np.int32)
        interruptible(degree.size, kernels.fold, *pattern, *given)
        return degree, children, parents, below

    @staticmethod
    def down_trees(parents: Any, values: Any) -> Any:
        """Sums along each tree, from its root on."""
        sums = values.copy()
        interruptible(parents.size, kernels.down_trees, parents, sums)
        return sums

    @staticmethod
    def pairs_through(around: Any, own: Any, below: Any, children: Any) -> Any:
        """Pairs through each node, whole numbers until the last step."""
        from_others, to_others = around - own
        from_outside, to_outside = around - below
        pairs = from_others * to_others - from_outside * to_outside - children
        return pairs.astype(np.float64)

    @staticmethod
    def blocks(outgoing: CSR, incoming: CSR, label: Any, whole: Any, left: Any) -> Blocks:
        """Biconnected components by depth-first search; labels are not needed.

        Hopcroft and Tarjan, "Algorithm 447: efficient algorithms for graph manipulation",
        Communications of the ACM 16, 372-378 (1973).
        """
        return kernels.blocks(outgoing, _one_way(outgoing, incoming), left)

    @staticmethod
    def weights_at_cuts(block: Any, tops: Any, own: Any) -> tuple[Any, Any, Any]:
        """Weights below the top of each block, block by block."""
        below, behind = np.zeros((2, tops.size), dtype=np.int64), own.copy()
        children = np.zeros(block.size, dtype=np.int64)
        kernels.weights_at_cuts(block, tops, own, below, behind, children)
        return below, behind, children

    @staticmethod
    def biconnected_rows(
        ways: Sequence[Matrix], left: Any, block: Any, tops: Any
    ) -> tuple[Any, ...]:
        """Rows of blocks by counting sort, a thread for each matrix."""
        start, of_row, nodes, own_row = biconnected_kernels.rows(block, tops)

        def part(way: Matrix) -> Matrix:
            return biconnected_kernels.arcs(way, left, block, start, own_row)

        with Threads(len(ways)) as pool:
            return start, of_row, nodes, own_row, list(pool.map(part, ways))

    @staticmethod
    def twins(ways: Sequence[CSR], nodes: Any, omega: Any) -> NDArray[np.int32]:
        """First twin of each node, row by row."""
        return twin_kernels.leaders(ways, nodes, omega)

    @staticmethod
    def mixed(pattern: CSR, values: Any, leader: Any, other: Any, share: Any) -> Any:
        """One row after the other."""
        given, result = (values, leader, other, share), values.copy()
        interruptible(values.size, twin_kernels.mixed, *pattern, *given, result)
        return result

    @staticmethod
    def by_degree(degree: Any) -> tuple[Any, int]:
        """Nodes by falling degree, by counting sort, and the sum of the degrees."""
        most = int(degree.max(initial=0))
        order = kernels.sorted_by(most - degree, most + 1)
        return order[: np.count_nonzero(degree)], int(degree.sum())

    @staticmethod
    def by_first_neighbour(pattern: CSR, nodes: Any) -> Any:
        """Order by the first neighbour, by counting sort."""
        first = pattern.indices[np.minimum(pattern.indptr[nodes], pattern.indices.size - 1)]
        return kernels.sorted_by(first.astype(np.int64), pattern.indptr.size - 1)

    @staticmethod
    def components(outgoing: CSR, incoming: CSR, whole: Any) -> Any:
        """Smallest node of each component, by breadth-first searches."""
        back, seen = _one_way(outgoing, incoming), np.empty(0, np.bool_) if whole is None else whole
        work, n = outgoing.indices.size + back.indices.size, outgoing.indptr.size - 1
        label, queue = np.full(n, -1, np.int32), np.empty(n + 1, np.int32)
        interruptible(work, kernels.smallest_linked, *outgoing, *back, seen, label, queue)
        return label

    @staticmethod
    def reached(pattern: CSR, starts: Any) -> Any:
        """One breadth-first search."""
        return kernels.hops(pattern, starts) >= 0

    @staticmethod
    def condensed(outgoing: CSR, incoming: CSR, start: Any, known: Any) -> Condensed:
        """Condensation by one depth-first search: components numbered as it completes them."""
        work = outgoing.indices.size
        count, number = interruptible(work, kernels.strong_components, *outgoing)
        first = np.append(np.minimum.reduceat(number, start[:-1]), count).astype(np.int64)
        between = interruptible(work, kernels.arcs_between, *outgoing, number, count)
        return Condensed(number, first, CSR(*between))

    @staticmethod
    def sums_over_reach(parts: Condensed, values: Any, chosen: Any) -> Any:
        """Sums over the reach of each component, block by block."""
        arguments = (values, parts.first, *parts.between, chosen)
        return interruptible(parts.between.indices.size, kernels.sums_over_reach, *arguments)

    @staticmethod
    def add_up(label: Any, values: Any, size: int) -> Any:
        """One node after the other."""
        sums = np.zeros((len(values), size), dtype=np.int64)
        interruptible(label.size, kernels.sums_by_label, label, values, sums)
        return sums

    @staticmethod
    def totals(label: Any, values: Any) -> Any:
        """Sums of values by label, at each node of the label."""
        return HostOps.add_up(label, values, label.size).take(label, axis=1)

    @staticmethod
    def whole(values: NDArray[Any]) -> Any:
        """Copy of the values in 64 bits."""
        return values.astype(np.int64)

    @staticmethod
    def weighed(ends: Any, nodes: Any, leaving: Any, most: int) -> tuple[Any, Any, Any]:
        """Sources, their alpha, and omega of all nodes, as floats."""
        alpha, omega = ends.take(nodes, axis=1)
        sources = np.flatnonzero(alpha if leaving is None else alpha * (leaving > 0))
        some = alpha[sources].astype(np.float64)
        return sources.astype(np.int32), some, omega.astype(np.float64)

    @staticmethod
    def plus(sums: Any, nodes: Any, values: Any) -> Any:
        """Copy of the sums with the values added."""
        total = sums.copy()
        total[nodes] += values
        return total

    @staticmethod
    def add_along(pattern: CSR, tails: Any, heads: Any, values: Any, sums: Any) -> None:
        """Sums of entries, each found by binary search."""
        entries = tails, heads, values, sums
        interruptible(tails.size, csr_kernels.add_along, *pattern, *entries)

    @staticmethod
    def traits(pattern: CSR, levels: int) -> Traits:
        """Traits by one breadth-first search that ends early."""
        degrees = pattern.degrees
        if degrees.size == 0:
            return Traits(0, False)
        work, seen = pattern.indices.size, np.zeros(degrees.size, np.bool_)
        given = degrees.argmax(), levels, seen, np.empty(degrees.size + 1, np.int32)
        deep = interruptible(work, kernels.searched, *pattern, *given)
        return Traits(int(np.count_nonzero(degrees == 1)), deep, None if deep else seen)

    @staticmethod
    def tree_to_busiest(
        pattern: CSR, reverse: CSR, label: Any
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Shortest-path trees by one breadth-first search against the arcs."""
        ends = busiest(reverse.degrees, label)
        level = kernels.hops(reverse, ends).astype(np.int32)
        parent = np.full(level.size, level.size, dtype=np.int32)
        interruptible(pattern.indices.size, kernels.nearer, *pattern, level, parent)
        return parent, level

    @staticmethod
    def local_order(pattern: CSR, nodes: Any, symmetric: bool) -> Any:
        """Order by reverse Cuthill-McKee; by breadth-first search beyond 2**31 - 1 entries."""
        if pattern.indices.size > csr.CSGRAPH_ENTRIES:
            return kernels.as_searched(*pattern, nodes)
        kept = pattern.matrix()[nodes][:, nodes]
        return nodes[csgraph.reverse_cuthill_mckee(kept, symmetric)]

    @staticmethod
    def distances(lengths: Matrix, source: int) -> Any:
        """Distances by SciPy's Dijkstra."""
        return csgraph.dijkstra(lengths.pattern.for_csgraph(lengths.values), indices=source)

    @staticmethod
    def needed(lengths: Matrix, slack: float, symmetric: bool) -> Any:
        """One row after the other."""
        n, work = lengths.pattern.indptr.size - 1, lengths.pattern.pairs
        kept = np.ones(lengths.values.size, dtype=np.bool_)
        given = *lengths.pattern, lengths.values, slack, np.full(n, np.inf), np.zeros(n, np.bool_)
        interruptible(work, kernels.needed, *given, kept)
        return kept


def compressed(pattern: scipy.sparse.csr_array) -> CSR:
    """Pattern of a SciPy matrix whose rows are sorted."""
    return CSR(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32))


def _one_way(outgoing: CSR, incoming: CSR) -> CSR:
    """The pattern of A', without its entries if those of A are as many."""
    is_symmetric = incoming is outgoing
    return CSR(np.zeros_like(outgoing.indptr), outgoing.indices[:0]) if is_symmetric else incoming


def _is_symmetric(pattern: CSR) -> bool:
    left = pattern.indptr[:-1].copy()
    return bool(interruptible(pattern.indices.size, csr_kernels.is_symmetric, *pattern, left))


def _transposed(pattern: CSR, order: NDArray[np.int64]) -> CSR:
    starts, heads = np.zeros_like(pattern.indptr), np.empty_like(pattern.indices)
    given = order, starts, starts[1:].copy(), heads
    interruptible(pattern.indices.size, csr_kernels.transposed, *pattern, *given)
    return CSR(starts, heads)
