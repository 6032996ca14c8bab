"""Sparse matrices in CSR form, and the protocol of the operations on them.

Graphs are read and problems are prepared through `GraphOps` alone, and so written once for the host
(`graph/ops.py`) and for a GPU (`engines/cuda/prepare/graph_ops.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import OptionError

# Entries that the graph algorithms of SciPy can take: they number them in 32 bits.
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
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self.indptr.nbytes + self.indices.nbytes

    @property
    def of_one_type(self) -> tuple[Any, Any]:
        """Indices and row pointers as a matrix has them: of 32 bits if these suffice.

        SciPy would copy the smaller ones to the type of the larger.
        """
        if self.indices.size <= np.iinfo(np.int32).max:
            return self.indices, self.indptr.astype(np.int32)
        return self.indices.astype(np.int64), self.indptr

    def matrix(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """SciPy matrix of this pattern, of values or of ones."""
        n = self.indptr.size - 1
        indices, indptr = self.of_one_type
        data = np.ones(self.indices.size, dtype=np.int8) if values is None else values
        return scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))

    def for_csgraph(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """SciPy matrix for `scipy.sparse.csgraph`; ValueError if that cannot number its entries."""
        if self.indices.size > CSGRAPH_ENTRIES:
            raise OptionError(
                f"A has {self.indices.size} edges, each direction counted, and what is asked for "
                f"takes scipy.sparse.csgraph on the CPU, which can number {CSGRAPH_ENTRIES}: use "
                "device='cuda', or leave out edges",
                "device='cuda'",
            )
        return self.matrix(values)


class Matrix(NamedTuple):
    """A pattern and the values of its entries, on the host or on a GPU."""

    pattern: CSR
    values: Any


class Inspection(NamedTuple):
    """Facts about the index arrays of a matrix as they were given."""

    inside: bool  # row pointers rise from 0 to the number of indices, and these lie in 0..n - 1
    pattern: CSR | None  # the matrix's pattern, if the arrays are in order as they stand
    symmetric: bool  # and it is that of A' as well


UNKNOWN = Inspection(False, None, False)


class Traits(NamedTuple):
    """Facts about a graph that decide how it is prepared."""

    leaves: int  # nodes with one entry in their row
    deep: bool  # a search takes more levels than were asked for
    whole: Any = None  # mask of the component that the search traversed; None if deep


class Condensed(NamedTuple):
    """Condensation of a digraph: its strong components, and the arcs between them.

    The digraph has its blocks one after the other, without arcs between them. Components are
    numbered block by block, on the host in reverse topological order: arcs between them lead to
    smaller numbers.
    """

    number: NDArray[np.int32]  # (rows,) component of each row
    first: NDArray[np.int64]  # (blocks + 1,) first component of each block
    between: CSR  # arcs from one to another

    def steps(self, chosen: Any, xp: Any = np) -> int:
        """Arcs and bits that the reach of some components takes, in words of 64; they rise."""
        bits = xp.diff(xp.searchsorted(chosen, self.first))
        arcs = xp.diff(self.between.indptr[self.first])
        return int((bits * xp.diff(self.first) + -(-bits // 64) * arcs).sum())


class Blocks(NamedTuple):
    """Biconnected components (blocks); the top of a block is the node that the search enters first.

    A block comes before those whose tops it contains, so that an arc (u, v) is in block
    max(block[u], block[v]).
    """

    block: NDArray[np.int32]  # (n,) of each node where it is not the top; -1 for roots and outside
    tops: NDArray[np.int32]  # (blocks,)
    roots: int  # of searches, one for each component
    others: int  # nodes of all blocks but the largest, tops left out


class GraphOps(Protocol):
    """Memory of a host or a GPU that holds patterns, and the functions on them.

    Unless more is said, arrays live in the same memory; arguments are in C order, and numbers of
    nodes in them have 64 bits, as have weights and sums that are whole numbers.
    """

    xp: Any  # NumPy or CuPy
    pair_throughput: int  # pairs of edges that `needed` compares while the host compares one
    many_values: int  # least values of a matrix that threads of the host check

    def threads(self) -> AbstractContextManager[Any]:
        """Threads for such checks, ready as the context is entered."""

    def asarray(self, array: Any) -> Any:
        """The array, where the patterns live."""

    def on_host(self, array: Any) -> NDArray[Any]:
        """The array in the memory of the host."""

    def inspect(self, form: str, first: Any, second: Any, n: int) -> Inspection:
        """Facts about index arrays, as in `canonical`, which may point outside."""

    def canonical(self, form: str, first: Any, second: Any, n: int) -> CSR:
        """Pattern of a csr or csc (indptr, indices) or coo (rows, columns), sorted.

        Repeated entries become one, those on the diagonal none. The arguments are not modified.
        """

    def summed(self, form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Matrix as `canonical` has its pattern, values of repeated entries summed."""

    def reverse(self, pattern: CSR, one_way: bool = False) -> CSR:
        """Pattern of A'; the same object if A is symmetric, unless it is known to be one way."""

    def transposed(self, matrix: Matrix) -> Matrix:
        """The matrix A'; the same object if A is symmetric, its values too."""

    def either_way(self, pattern: CSR) -> CSR:
        """Entries of A and of A'."""

    def induced(self, pattern: CSR, reverse: CSR, nodes: Any, entries: int | None = None) -> CSR:
        """Rows and columns ``nodes``, in that order; ``reverse`` is the pattern of A'.

        ``entries``: how many they have, where that is known.
        """

    def rows(self, pattern: CSR) -> Any:
        """Row of every entry."""

    def keys(self, pattern: CSR) -> Any:
        """Row * n + column of every entry, which rise."""

    def from_keys(self, keys: Any, n: int) -> CSR:
        """The pattern of n rows whose entries have these keys, which rise."""

    def places(self, pattern: CSR, part: CSR, nodes: Any) -> Any:
        """Place in a pattern of each entry of ``part``, which `induced` made of it."""

    def counterparts(self, pattern: CSR, reverse: CSR) -> Any:
        """Place in a pattern of each entry of A', its ``reverse``: (v, u) there is (u, v) here."""

    def fold(self, pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any, Any]:
        """Remove nodes of degree one from a symmetric pattern until none is left.

        Each hands alpha and omega, the rows of ``ends``, to its neighbour. Returns the degrees in
        what is left, the sum of alpha * omega over the nodes that each node was handed, the node
        that each was handed to, -1 for those that remain, and alpha and omega that each had at
        last. The last node of a tree remains with degree 0. ``label`` is what `components`
        returned.
        """

    def down_trees(self, parents: Any, values: Any) -> Any:
        """Sum of the whole numbers of each node and of its ancestors, shape (n,).

        ``parents`` as `fold` returns them.
        """

    def pairs_through(self, around: Any, own: Any, below: Any, children: Any) -> Any:
        """Pairs that a node separates, shape (n,), as floats.

        Rows are weights as sources and as targets: ``around``, of all parts that the node
        separates and its own; its ``own``; ``below``, of one of the parts. ``children`` are the
        pairs within the other parts, summed.
        """

    def blocks(self, outgoing: CSR, incoming: CSR, label: Any, whole: Any, left: Any) -> Blocks:
        """Blocks of the nodes that are ``left``, by a mask, whatever the directions of arcs.

        ``label`` is what `components` returned, ``whole`` what it took.
        """

    def weights_at_cuts(self, block: Any, tops: Any, own: Any) -> tuple[Any, Any, Any]:
        """Sums of two rows of whole numbers over the nodes below the top of each block.

        Also over each node and the nodes below it in the blocks whose top it is; and the sum, over
        these blocks, of the product of the two weights below.
        """

    def biconnected_rows(
        self, ways: Sequence[Matrix], left: Any, block: Any, tops: Any
    ) -> tuple[Any, ...]:
        """Fields of `biconnected_rows.BlockRows`: a row for each node and block that it is in.

        The last field has the arcs of each matrix between the rows of a block; values may be empty.
        """

    def twins(self, ways: Sequence[CSR], nodes: Any, omega: Any) -> NDArray[np.int32]:
        """The first twin among some nodes for each of them, every other node itself, on the host.

        Twins have the same neighbours, themselves apart, by each of the patterns, of A and of A'
        if that is another; and the same omega, unless A' has no arcs of theirs. Rows of the
        patterns rise, and so do ``nodes``, of 32 bits and on the host.
        """

    def mixed(self, pattern: CSR, values: Any, leader: Any, other: Any, share: Any) -> Any:
        """Values of arcs from the sweeps of leaders as those from all twins, by `reduce.twins`.

        Of each node its ``leader``, one of its class that is not swept, and its share of alpha.
        """

    def by_degree(self, degree: Any) -> tuple[Any, int]:
        """Nodes of a positive degree by falling degree, and the sum of all degrees.

        Those of one degree are in the order of their numbers.
        """

    def by_first_neighbour(self, pattern: CSR, nodes: Any) -> Any:
        """Order of some nodes, of 32 bits, by the first entry of their rows; of one, as they come.

        A row without entries counts as that of what follows it; there is an entry in some row.
        """

    def components(self, outgoing: CSR, incoming: CSR, whole: Any) -> Any:
        """The smallest node of the weakly connected component of each node.

        ``incoming`` is the pattern of A', one object with that of A if symmetric. ``whole``,
        from the `traits` of a symmetric pattern, marks a component that is known; or None.
        """

    def reached(self, pattern: CSR, starts: Any) -> Any:
        """Mark nodes to which paths lead from some of the starts, these too."""

    def condensed(self, outgoing: CSR, incoming: CSR, start: Any, known: Any) -> Condensed:
        """Strong components of rows of which block b has those from ``start[b]``; arcs stay inside.

        ``known``: for each row one of its component, of whole components, or -1; None if none is.
        """

    def sums_over_reach(self, parts: Condensed, values: Any, chosen: Any) -> Any:
        """Sums of two rows of values of the components, for some, which are chosen and rise.

        Of the first over those that reach each, of the second over those that it reaches; itself
        included.
        """

    def add_up(self, label: Any, values: Any, size: int) -> Any:
        """Sums of each row of values over those of each label below ``size``, all whole."""

    def totals(self, label: Any, values: Any) -> Any:
        """Sums of two rows of whole numbers over the nodes of each label, at each of these."""

    def whole(self, values: NDArray[Any]) -> Any:
        """Marks or whole numbers of the host in 64 bits, where the patterns live."""

    def weighed(self, ends: Any, nodes: Any, leaving: Any, most: int) -> tuple[Any, Any, Any]:
        """Of some nodes, the sources: their places and alpha, on the host; and omega of them all.

        ``ends``: rows of all nodes, alpha and omega, whole numbers or floats, however they lie. A
        source weighs something and has arcs, ``leaving`` its row; None where those without do no
        harm. There are ``most`` at most. Places are of 32 bits, weights floats.
        """

    def plus(self, sums: Any, nodes: Any, values: Any) -> Any:
        """Sums, to which each of some nodes adds a value."""

    def add_along(self, pattern: CSR, tails: Any, heads: Any, values: Any, sums: Any) -> None:
        """Add values to the sums of some entries of a pattern, which has them, each once at most.

        Nodes are of one type of numbers; where one is below 0 there is no entry.
        """

    def traits(self, pattern: CSR, levels: int) -> Traits:
        """Count leaves, and search so many levels from the first node of the largest degree."""

    def tree_to_busiest(
        self, pattern: CSR, reverse: CSR, label: Any
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Shortest paths to the `busiest` node b of each component, one from each of its nodes.

        Returns the next node on each, the first of several, and the arcs that are left. They are n
        and 0 at b, and n and -1 where no path is. Both are on the host. ``reverse`` is the pattern
        of A', ``label`` has the components.
        """

    def local_order(self, pattern: CSR, nodes: Any, symmetric: bool) -> Any:
        """Some nodes, in an order in which neighbours are close together."""

    def distances(self, lengths: Matrix, source: int) -> Any:
        """Distance of each node from one, along lengths; inf where there is no way."""

    def needed(self, lengths: Matrix, slack: float, symmetric: bool) -> Any:
        """Mark each edge u -> v unless a way u -> x -> v is shorter by more than ``slack``.

        On a symmetric matrix the marks are symmetric, for a sum of two floats is: there one look at
        each triangle will do.
        """


def filtered(csr: CSR, keep: NDArray[np.bool_], xp: Any = np) -> CSR:
    """Pattern of the marked entries."""
    kept = xp.zeros(keep.size + 1, dtype=np.int64)
    xp.cumsum(keep, out=kept[1:])
    return CSR(kept[csr.indptr], csr.indices[keep])


def busiest(degrees: Any, label: Any) -> Any:
    """Node of the largest degree of each label, the first of several."""
    nodes = np.arange(label.size, dtype=np.uint64)
    keys = degrees.astype(np.uint64) << np.uint64(32) | np.uint64(2**32 - 1) - nodes
    best = np.zeros(label.size, dtype=np.uint64)
    np.maximum.at(best, label, keys)
    return np.flatnonzero(best[label] == keys)


def ranges(first: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers first[i] .. first[i] + size[i] - 1 of all i, one after the other."""
    end = np.cumsum(size)
    numbers: NDArray[np.int64] = np.repeat(first - (end - size), size)
    numbers += np.arange(numbers.size)
    return numbers
