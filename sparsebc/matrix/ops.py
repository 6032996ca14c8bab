"""Operations on CSR patterns: SciPy's functions on the host, and Numba where it has none.

Graphs are read and reduced through `GraphOps` alone, by the same code on the host and on a GPU,
whose operations override these in `engines/cuda/prepare/graph_ops.py`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..foreign import on_host
from ..jit import in_parts, interruptible
from . import blocks, components, csr, reduction_loops
from .csr import CSR, Condensed, Matrix, Traits, busiest, filtered

# Index arrays of which nothing is known, as `GraphOps.inspect` finds them.
UNKNOWN = False, None, False


class GraphOps:
    """Functions on patterns in one memory: here NumPy arrays of the host.

    Unless stated otherwise, arrays are in that memory and in C order, and indices of nodes have 64
    bits, as have integer weights and sums.
    """

    xp: Any = np  # or CuPy
    threads = 1  # for work on the host
    pair_throughput = 1  # pairs of edges that `needed` compares while the host compares one

    def on_host(self, array: Any) -> NDArray[Any]:
        """The array on the host; a copy if it is on a GPU, read-only, strided or unaligned."""
        if not isinstance(array, np.ndarray):
            array = on_host(array)
        is_plain = isinstance(array, np.ndarray) and array.flags.carray
        return array if is_plain else np.require(array, None, ["C", "A", "W"])

    asarray = on_host  # the array in the memory of the patterns, contiguous and writable for Numba

    def inspect(self, form: str, first: Any, second: Any, n: int) -> tuple[bool, CSR | None, bool]:
        """What is known of the index arrays of `canonical`, which may be out of range.

        Whether row pointers increase from 0 to the number of indices, all of them in 0..n - 1; the
        pattern of A, if the arrays are canonical; and whether it is also that of A'. Takes two
        passes over the entries. Row pointers of 32 bits and indices of 64 are copied.
        """
        if form == "coo" or first.size != n + 1:
            return UNKNOWN
        if second.dtype != np.int32:
            if second.size and not 0 <= second.min() <= second.max() < n:
                return UNKNOWN
            second = second.astype(np.int32)
        given = CSR(first.astype(np.int64, copy=False), second)
        falls = first[1:] < first[:-1]
        if first[0] != 0 or first[-1] != second.size or falls.any():
            return UNKNOWN
        bounds = csr.parts(given.indptr, self.threads)
        if not all(in_parts(second.size, bounds, csr.is_canonical, *given)):
            return UNKNOWN
        symmetric = self._is_symmetric(given)
        return True, given if symmetric or form == "csr" else None, symmetric

    def canonical(self, form: str, first: Any, second: Any, n: int) -> CSR:
        """Pattern of a csr or csc (indptr, indices) or coo (rows, columns), sorted.

        Repeated entries are merged, diagonal ones dropped. The arguments are not modified.
        """
        ones = np.ones(second.size, dtype=bool)
        return self.summed(form, first, second, ones, n).pattern

    def summed(self, form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Matrix with the pattern of `canonical`; the values of repeated entries are summed."""
        if form == "coo":
            given = scipy.sparse.coo_array((values, (first, second)), shape=(n, n))
        else:
            kind = scipy.sparse.csr_array if form == "csr" else scipy.sparse.csc_array
            given = kind((values, second, first), shape=(n, n))
        merged = given.tocsr(copy=True)
        merged.sum_duplicates()
        pattern = compressed(merged)
        keep = pattern.rows != pattern.indices
        if keep.all():
            return Matrix(pattern, merged.data)
        return Matrix(filtered(pattern, keep), merged.data[keep])

    def reverse(self, pattern: CSR, one_way: bool = False) -> CSR:
        """Pattern of A'; the same object if A is symmetric. ``one_way``: A is known not to be."""
        if not one_way and self._is_symmetric(pattern):
            return pattern
        return compressed(pattern.matrix().tocsc())

    def _is_symmetric(self, pattern: CSR) -> bool:
        left, work, threads = pattern.indptr[:-1].copy(), pattern.indices.size, self.threads
        # Later parts visit more rows: two parts a thread, a long and a short one, share the work.
        shares = 1 if threads == 1 else 2 * threads
        bounds = csr.parts(pattern.indptr, shares, whole_rows=True)
        given = csr.is_symmetric, *pattern, left
        return all(in_parts(work, bounds, *given, threads=threads))

    def transposed(self, matrix: Matrix) -> Matrix:
        """The matrix A'; the same object if A is symmetric, its values too."""
        pattern, values = matrix
        columns = pattern.matrix(values).tocsc()
        other = Matrix(compressed(columns), columns.data)
        same = zip((*pattern, values), (*other.pattern, other.values), strict=True)
        return matrix if all(np.array_equal(a, b) for a, b in same) else other

    def either_way(self, pattern: CSR, one_way: bool = False) -> CSR:
        """Union of the patterns of A and A'. ``one_way``: A is known not to be symmetric."""
        reverse = self.reverse(pattern, one_way)
        return pattern if reverse is pattern else compressed(pattern.matrix() + reverse.matrix())

    def induced(
        self, matrix: Matrix, reverse: Matrix, nodes: Any, entries: int | None = None
    ) -> Matrix:
        """Submatrix of rows and columns ``nodes``, in that order; ``reverse`` is A'.

        ``entries`` is their number, if known. Values may be empty. Rows are filled in the order of
        those of A', and so need no sort. Each thread owns a range of columns; it first counts its
        entries of each row, which tells the later ones where to write theirs.
        """
        (indptr, indices), nodes = matrix.pattern, nodes.astype(np.int64, copy=False)
        work, starts = indices.size, np.zeros(nodes.size + 1, dtype=np.int64)
        number = np.full(indptr.size - 1, -1, dtype=np.int32)
        number[nodes] = np.arange(nodes.size)
        ends = np.cumsum(np.diff(reverse.pattern.indptr)[nodes])
        threads = min(self.threads, csr.COUNTERS)
        bounds = csr.parts(np.concatenate(([0], ends)), threads, whole_rows=True)
        at = np.zeros((bounds.size - 1, nodes.size), dtype=np.uint32)
        given = *reverse.pattern, reverse.values, nodes, number, bounds, starts, at
        none = np.empty(0, dtype=np.int32), np.empty(0)
        if entries == work and len(at) == 1:
            starts[1:] = np.diff(indptr)[nodes]
        else:
            in_parts(work, bounds, csr.fill_columns, *given, *none)
            total = np.zeros(nodes.size, dtype=np.uint32)
            for count in at:  # entries of each row in earlier parts
                count[:], total = total, total + count
            starts[1:] = total
        np.cumsum(starts, out=starts)
        heads = np.empty(starts[-1], dtype=np.int32)
        values = np.empty(heads.size if reverse.values.size else 0)
        in_parts(work, bounds, csr.fill_columns, *given, heads, values)
        return Matrix(CSR(starts, heads), values)

    def rows(self, pattern: CSR) -> Any:
        """Row of every entry."""
        return pattern.rows

    def keys(self, pattern: CSR) -> Any:
        """Row * n + column of every entry, ascending."""
        return self.rows(pattern).astype(np.int64) * (pattern.indptr.size - 1) + pattern.indices

    def from_keys(self, keys: Any, n: int) -> CSR:
        """Pattern of n rows from the keys of its entries, ascending."""
        indptr = self.xp.searchsorted(keys, self.xp.arange(n + 1, dtype=np.int64) * n)
        return CSR(indptr.astype(np.int64, copy=False), (keys % max(n, 1)).astype(np.int32))

    def counterparts(self, pattern: CSR, reverse: CSR) -> Any:
        """Place in the pattern of entry (u, v) for each entry (v, u) of A', its ``reverse``."""
        return pattern.matrix(np.arange(pattern.indices.size)).tocsc().data

    def fold(self, pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any, Any]:
        """Remove nodes of degree one from a symmetric pattern until none is left.

        Each adds its alpha and omega, the rows of ``ends``, to those of its neighbour, the parent.
        Returns the degrees in the remaining graph, and of each node the sum of alpha * omega over
        its children, the parent, -1 if it remains, and alpha and omega with those of its
        descendants, (2, n). Of a component that is a tree one node remains, with degree 0.
        ``label`` is the result of `components`, for a GPU.
        """
        below, degree, children = ends.copy(), np.diff(pattern.indptr), np.zeros_like(ends[0])
        parents = np.full(degree.size, -1, dtype=np.int32)
        given = degree, *below, children, parents, np.empty(degree.size, np.int32)
        interruptible(degree.size, reduction_loops.fold, *pattern, *given)
        return degree, children, parents, below

    def blocks(
        self, outgoing: CSR, incoming: CSR, label: Any, whole: Any, left: Any
    ) -> tuple[Any, Any, int, int]:
        """Biconnected components (blocks) on the nodes of the mask ``left``, directions ignored.

        The top of a block is the node that the search enters first. Returns the block of each node
        where it is not the top, -1 of roots and outside; the top of each block; the number of
        roots, one for each component; and that of the nodes of all blocks but the largest, tops
        left out. A block comes before those whose tops it contains, so that an arc (u, v) is in
        block max(block[u], block[v]).

        ``label`` is the result of `components`, ``whole`` its argument, for a GPU. On the host a
        depth-first search finds them: Hopcroft and Tarjan, "Algorithm 447: efficient algorithms for
        graph manipulation", Communications of the ACM 16, 372-378 (1973).
        """
        back, n = _one_way(outgoing, incoming), left.size
        block, place, parent = (np.full(n, -1, np.int32) for _ in range(3))
        order, low, tops = (np.empty(n, np.int32) for _ in range(3))
        visited, roots = interruptible(
            outgoing.indices.size + back.indices.size,
            blocks.depth_first,
            *(*outgoing, *back, left, outgoing.indptr[:-1].copy(), back.indptr[:-1].copy()),
            *(order, place, parent, low),
        )
        found = order[:visited], place, parent, low, block, tops, np.zeros_like(tops)
        count, others = blocks.numbered(*found)
        return block, tops[:count].copy(), roots, others

    def arcs_in_blocks(
        self, ways: Sequence[Matrix], left: Any, block: Any, start: Any, own: Any
    ) -> list[Matrix]:
        """Arcs between the rows of `reduce.blocks.BlockRows`, with their lengths, for each way.

        ``left`` is the mask of the nodes in blocks, ``start`` the first row of each block, ``own``
        the row of each node in the block where it is not the top, or -1.
        """
        made = []
        for pattern, lengths in ways:
            into = np.zeros(start[-1] + 1, dtype=np.int64)
            parts = pattern.indices.size, csr.parts(pattern.indptr, self.threads)
            given = *parts, blocks.arcs, *pattern, lengths, left, block, start, own, into
            in_parts(*given, into[1:], np.empty(0, dtype=np.int32), np.empty(0))  # only counts
            np.cumsum(into, out=into)
            heads = np.empty(into[-1], dtype=np.int32)
            values = np.empty(into[-1] if lengths.size else 0)
            in_parts(*given, into[:-1].copy(), heads, values)
            made.append(Matrix(CSR(into, heads), values))
        return made

    def twins(
        self, patterns: Sequence[CSR], nodes: NDArray[np.int32], omega: Any
    ) -> NDArray[np.int64]:
        """First twin of each of ``nodes``, ascending, among them; every other node itself.

        ``patterns`` are those of A, and of A' unless A is symmetric. The nodes and the result are
        on the host, omega is where the patterns are.
        """
        return reduction_loops.leaders(patterns, nodes, omega, self.threads)

    def mixed(self, pattern: CSR, values: Any, leader: Any, other: Any, shares: Any) -> Any:
        """Sums of arcs over the sweeps from all twins, from those over the leaders: `reduce.twins`.

        Each node has a ``leader`` and an ``other`` member of its class; ``shares`` are l and m.
        """
        given, result = (values, leader, other, shares), values.copy()
        interruptible(values.size, csr.mixed, *pattern, *given, result)
        return result

    def sorted_by(self, keys: Any, bound: int) -> Any:
        """Stable order of non-negative integers below a bound, by NumPy's radix sort of 16 bits."""
        order = keys.astype(np.uint16).argsort(kind="stable")  # the lower digit
        if bound > 1 << 16:
            order = order[(keys[order] >> 16).astype(np.uint16).argsort(kind="stable")]
        return order

    def by_degree(self, degree: Any) -> tuple[Any, int]:
        """Nodes of positive degree in descending order of degree, and the sum of all degrees.

        Nodes of one degree are in ascending order.
        """
        most = int(degree.max()) if degree.size else 0
        order = self.sorted_by(most - degree, most + 1)
        return order[: int(self.xp.count_nonzero(degree))], int(degree.sum())

    def components(self, outgoing: CSR, incoming: CSR, whole: Any) -> Any:
        """Smallest node of the weakly connected component of each node.

        ``incoming`` is the pattern of A', the same object as that of A if symmetric. ``whole`` is a
        component that is known, from the `traits` of a symmetric pattern, or None.
        """
        return _breadth_first(outgoing, incoming, whole)[0]

    def reached(self, pattern: CSR, starts: Any) -> Any:
        """Mask of the nodes reachable from any of the starts, these included."""
        return components.hops(pattern, starts) >= 0

    def condensed(self, outgoing: CSR, incoming: CSR, start: Any, known: Any) -> Condensed:
        """Condensation of a disjoint union of blocks, of which block b has the rows from start[b].

        ``known``, for a GPU, is a row of the component of each row, for whole components, else -1;
        or None. On the host a depth-first search numbers components as it completes them.
        """
        work = outgoing.indices.size
        count, number = components.strong_components(outgoing)
        first = np.append(np.minimum.reduceat(number, start[:-1]), count).astype(np.int64)

        def leaving(begin: int, end: int, _stop: Any) -> tuple[Any, Any]:
            heads = number[outgoing.indices[slice(*outgoing.indptr[[begin, end]])]]
            tails = np.repeat(number[begin:end], np.diff(outgoing.indptr[begin : end + 1]))
            is_between = tails != heads
            return tails[is_between], heads[is_between]

        parts = in_parts(work, csr.parts(outgoing.indptr, self.threads), leaving)
        tails, heads = map(np.concatenate, zip(*parts, strict=True))
        between = self.canonical("coo", tails, heads, count)
        return Condensed(number, first, between)

    def sums_over_reach(self, parts: Condensed, values: Any, chosen: Any) -> Any:
        """Sums of values of components over reach, for the ``chosen`` ones, ascending: two rows.

        Row 0 is summed over the components that reach each, row 1 over those that it reaches,
        itself included.
        """
        between, sums = parts.between, np.zeros((2, chosen.size), values.dtype)
        arguments = (values, parts.first, *between, chosen, sums)
        room = np.empty((2, between.indptr.size - 1), np.uint64)
        interruptible(between.indices.size, components.sums_over_reach, *arguments, *room)
        return sums

    def add_up(self, label: Any, values: Any, size: int) -> Any:
        """Sums of each row of integer values by label, for labels below ``size``."""
        sums = np.zeros((len(values), size), dtype=np.int64)
        for row, total in zip(values, sums, strict=True):
            np.add.at(total, label, row)
        return sums

    def add_along(self, pattern: CSR, tails: Any, heads: Any, values: Any, sums: Any) -> None:
        """Add values to ``sums`` at stored entries (tail, head) of a pattern, each at most once.

        Tails and heads are of one type; where either is negative nothing is added.
        """
        entries = tails, heads, values, sums
        interruptible(tails.size, csr.add_along, *pattern, *entries)

    def traits(self, pattern: CSR, levels: int) -> Traits:
        """Traits, by a search of ``levels + 1`` levels from the first node of largest degree."""
        degrees = np.diff(pattern.indptr)
        if degrees.size == 0:
            return Traits(0, False)
        level = components.hops(pattern, np.array([degrees.argmax()]), levels + 1)
        high_diameter = bool(level.max() > levels)
        whole = None if high_diameter else level >= 0
        return Traits(int(np.count_nonzero(degrees == 1)), high_diameter, whole)

    def tree_to_busiest(
        self, pattern: CSR, reverse: CSR, label: Any
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Shortest-path tree to the `busiest` node b of each component, on the host.

        Returns the next node on the path from each node, the first of several, and the distance in
        edges: n and 0 at b, n and -1 if there is no path. ``reverse`` is the pattern of A',
        ``label`` the result of `components`.
        """
        level = components.hops(reverse, busiest(reverse.degrees, label))
        parent = np.full(level.size, level.size, dtype=np.int32)
        bounds = csr.parts(pattern.indptr, self.threads)
        in_parts(pattern.indices.size, bounds, components.nearer, *pattern, level, parent)
        return parent, level

    def local_order(self, outgoing: CSR, incoming: CSR, nodes: Any) -> Any:
        """The ``nodes`` in breadth-first order, in which neighbours are close together.

        With reverse Cuthill-McKee a sweep takes as long, and the order ten times as long.
        """
        _, order = _breadth_first(outgoing, incoming, None)
        is_kept = np.zeros(order.size, dtype=bool)
        is_kept[nodes] = True
        return order[is_kept[order]].astype(np.int64)

    def needed(self, lengths: Matrix, slack: float, symmetric: bool) -> Any:
        """Mask of the edges u -> v that no path u -> x -> v undercuts by more than ``slack``.

        On a ``symmetric`` matrix the mask is symmetric, as addition is commutative, and a GPU
        visits each triangle once.
        """
        n, work = lengths.pattern.indptr.size - 1, lengths.pattern.pairs
        kept = np.ones(lengths.values.size, dtype=np.bool_)
        given = *lengths.pattern, lengths.values, slack, np.full(n, np.inf), np.zeros(n, np.bool_)
        interruptible(work, reduction_loops.needed, *given, kept)
        return kept


def compressed(matrix: scipy.sparse.csr_array | scipy.sparse.csc_array) -> CSR:
    """Pattern of a SciPy matrix with sorted rows; that of A' if it is compressed by columns."""
    return CSR(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False))


def _breadth_first(outgoing: CSR, incoming: CSR, whole: Any) -> tuple[Any, NDArray[np.int32]]:
    """Labels of `components`, and the nodes outside of ``whole`` in breadth-first order."""
    back, n = _one_way(outgoing, incoming), outgoing.indptr.size - 1
    label, queue = np.full(n, -1, np.int32), np.empty(n + 1, np.int32)
    whole = np.empty(0, np.bool_) if whole is None else whole
    work = outgoing.indices.size + back.indices.size
    interruptible(work, components.smallest_linked, *outgoing, *back, whole, label, queue)
    return label, queue[:n]


def _one_way(outgoing: CSR, incoming: CSR) -> CSR:
    """Pattern of A'; one without entries if A is symmetric and has all edges itself."""
    is_symmetric = incoming is outgoing
    return CSR(np.zeros_like(outgoing.indptr), outgoing.indices[:0]) if is_symmetric else incoming
