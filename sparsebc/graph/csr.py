"""Patterns of sparse matrices in CSR form, and what is done with them, in the memory of the host.

`engines/cuda_patterns.py` has the same functions for patterns on a GPU. Graphs are read and
problems are prepared through these functions alone, and so written once for both.
"""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csgraph


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
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self.indptr.nbytes + self.indices.nbytes

    def matrix(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array:
        """As a SciPy matrix of values, or ones.

        Row pointers have 32 bits if they suffice: csgraph's type.
        """
        n = self.indptr.size - 1
        small = self.indices.size <= np.iinfo(np.int32).max
        indptr = self.indptr.astype(np.int32) if small else self.indptr
        indices = self.indices if small else self.indices.astype(np.int64)
        data = np.ones(self.indices.size, dtype=np.int8) if values is None else values
        return scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))


class Matrix(NamedTuple):
    """Values of the entries of a pattern, wherever they live."""

    pattern: CSR
    values: Any


class Look(NamedTuple):
    """What the index arrays of a matrix are known to be."""

    inside: bool  # row pointers rise from 0 to the number of indices, and these lie in 0..n - 1
    pattern: CSR | None  # the matrix's pattern, if the arrays are in order as they stand
    symmetric: bool  # and it is that of A' as well


UNKNOWN = Look(False, None, False)


class Survey(NamedTuple):
    """What decides how a graph is prepared."""

    leaves: bool  # some node has one entry in its row
    deep: bool  # a search takes more levels than were asked for


class Patterns(Protocol):
    """Where patterns live, and the functions on them."""

    xp: Any  # NumPy or CuPy
    haste: int  # pairs of edges that `needed` looks at while the host looks at one

    def asarray(self, array: Any) -> Any:
        """The array, where the patterns live."""

    def on_host(self, array: Any) -> NDArray[Any]:
        """The array in the memory of the host."""

    def look(self, form: str, first: Any, second: Any, n: int) -> Look:
        """What is quickly known of index arrays, as in `canonical`, which may point outside."""

    def canonical(self, form: str, first: Any, second: Any, n: int) -> CSR:
        """Pattern of a csr or csc (indptr, indices) or coo (rows, columns), sorted.

        Repeated entries become one, those on the diagonal none. The arguments are not modified.
        """

    def summed(self, form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """As `canonical`, with the values, those of repeated entries summed."""

    def reverse(self, pattern: CSR) -> CSR:
        """Pattern of A'; the same object if A is symmetric."""

    def transposed(self, matrix: Matrix) -> Matrix:
        """The matrix A'; the same object if A is symmetric, its values too."""

    def union(self, pattern: CSR, other: CSR) -> CSR:
        """Entries of either."""

    def induced(self, pattern: CSR, nodes: Any) -> CSR:
        """Rows and columns ``nodes``, in that order."""

    def rows(self, pattern: CSR) -> Any:
        """Row of every entry."""

    def keys(self, pattern: CSR) -> Any:
        """Row * n + column of every entry, which rise."""

    def places(self, pattern: CSR, part: CSR, nodes: Any) -> Any:
        """Place in a pattern of each entry of ``part``, which `induced` made of it."""

    def counterparts(self, pattern: CSR) -> Any:
        """Place of the entry (v, u) for each entry (u, v) of a symmetric pattern."""

    def fold(self, pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any]:
        """Remove nodes of degree one from a symmetric pattern until none is left.

        Each hands alpha and omega, the rows of ``ends``, which are updated, to its neighbour.
        Returns the degrees in what is left, the sum of alpha * omega over the nodes that each node
        was handed, and the node that each was handed to, -1 for those that remain. The last node of
        a tree remains with degree 0. ``label`` is what `components` returned.
        """

    def components(self, pattern: CSR) -> Any:
        """A label below n for each node: equal in a weakly connected component."""

    def totals(self, label: Any, values: Any) -> Any:
        """Sums of rows of whole numbers over the nodes of each label, at each of these."""

    def survey(self, pattern: CSR, levels: int) -> Survey:
        """Look for leaves, and search so many levels from the first node of the largest degree."""

    def local_order(self, pattern: CSR, nodes: Any, symmetric: bool) -> Any:
        """Some nodes, in an order in which neighbours are close together."""

    def distances(self, lengths: Matrix, source: int) -> Any:
        """Distance of each node from one, along lengths; inf where there is no way."""

    def needed(self, lengths: Matrix, slack: float) -> Any:
        """Mark each edge u -> v unless a way u -> x -> v is shorter by more than ``slack``.

        On a symmetric matrix the marks are symmetric, for a sum of two floats is.
        """


class Host:
    """Patterns of NumPy arrays: SciPy's functions, and Numba where SciPy has none."""

    xp: Any = np
    haste = 1

    @staticmethod
    def asarray(array: Any) -> NDArray[Any]:
        """Copy what is on a GPU; the rest as it is."""
        return np.asarray(array.get() if hasattr(array, "get") else array)

    on_host = asarray

    @staticmethod
    def look(form: str, first: Any, second: Any, n: int) -> Look:
        """Nothing: it would take as long as SciPy's conversions."""
        return UNKNOWN

    @staticmethod
    def canonical(form: str, first: Any, second: Any, n: int) -> CSR:
        """Through SciPy's conversions."""
        ones = np.ones(second.size, dtype=bool)
        return Host.summed(form, first, second, ones, n).pattern

    @staticmethod
    def summed(form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Through SciPy's conversions."""
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
    def reverse(pattern: CSR) -> CSR:
        """Through SciPy's transposition."""
        reverse = compressed(pattern.matrix().T.tocsr())
        if not np.array_equal(pattern.indptr, reverse.indptr):
            return reverse
        return pattern if np.array_equal(pattern.indices, reverse.indices) else reverse

    @staticmethod
    def transposed(matrix: Matrix) -> Matrix:
        """Through SciPy's transposition."""
        other = matrix.pattern.matrix(matrix.values).T.tocsr()
        reverse = Matrix(compressed(other), other.data)
        same = zip((*matrix.pattern, matrix.values), (*reverse.pattern, other.data), strict=True)
        return matrix if all(np.array_equal(a, b) for a, b in same) else reverse

    @staticmethod
    def union(pattern: CSR, other: CSR) -> CSR:
        """Through SciPy's sum."""
        return compressed(pattern.matrix() + other.matrix())

    @staticmethod
    def induced(pattern: CSR, nodes: Any) -> CSR:
        """Through SciPy's indexing."""
        return compressed(_in_order(pattern.matrix()[nodes][:, nodes]))

    @staticmethod
    def rows(pattern: CSR) -> Any:
        """Row of every entry."""
        return pattern.rows

    @staticmethod
    def keys(pattern: CSR) -> Any:
        """In 64 bits."""
        return pattern.rows.astype(np.int64) * (pattern.indptr.size - 1) + pattern.indices

    @staticmethod
    def places(pattern: CSR, part: CSR, nodes: Any) -> Any:
        """Through SciPy's indexing of the places themselves."""
        return _in_order(_numbered(pattern)[nodes][:, nodes]).data

    @staticmethod
    def counterparts(pattern: CSR) -> Any:
        """Through SciPy's transposition of the places themselves."""
        return _numbered(pattern).T.tocsr().data

    @staticmethod
    def fold(pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any]:
        """One node after the other, which takes no labels."""
        degree, children = pattern.degrees, np.zeros_like(ends[0])
        parents = np.full(degree.size, -1, dtype=np.int32)
        _fold(*pattern, degree, *ends, children, parents)
        return degree, children, parents

    @staticmethod
    def components(pattern: CSR) -> Any:
        """SciPy's labels."""
        return csgraph.connected_components(pattern.matrix(), directed=False)[1]

    @staticmethod
    def totals(label: Any, values: Any) -> Any:
        """Exact, in floats on the way."""
        sums = np.array([np.bincount(label, weights=row) for row in values])
        return np.rint(sums).astype(np.int64)[:, label]

    @staticmethod
    def survey(pattern: CSR, levels: int) -> Survey:
        """One breadth-first search that ends early."""
        degrees = pattern.degrees
        if degrees.size == 0:
            return Survey(False, False)
        deep = _deeper(*pattern, degrees.argmax(), levels)
        return Survey(bool((degrees == 1).any()), bool(deep))

    @staticmethod
    def local_order(pattern: CSR, nodes: Any, symmetric: bool) -> Any:
        """Reverse Cuthill-McKee."""
        kept = pattern.matrix()[nodes][:, nodes]
        return nodes[csgraph.reverse_cuthill_mckee(kept, symmetric)]

    @staticmethod
    def distances(lengths: Matrix, source: int) -> Any:
        """SciPy's search."""
        return csgraph.dijkstra(lengths.pattern.matrix(lengths.values), indices=source)

    @staticmethod
    def needed(lengths: Matrix, slack: float) -> Any:
        """One row after the other."""
        return _needed(*lengths.pattern, lengths.values, slack)


def compressed(pattern: scipy.sparse.csr_array) -> CSR:
    """Pattern of a SciPy matrix whose rows are sorted."""
    return CSR(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32))


def _in_order(matrix: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Rows sorted: transposed twice, which takes a time linear in the entries."""
    return matrix.tocsc().tocsr()


def _numbered(pattern: CSR) -> scipy.sparse.csr_array:
    """The place of each entry in its own place."""
    n, places = pattern.indptr.size - 1, np.arange(pattern.indices.size)
    return scipy.sparse.csr_array((places, pattern.indices, pattern.indptr), shape=(n, n))


def filtered(csr: CSR, keep: NDArray[np.bool_], xp: Any = np) -> CSR:
    """Those of the entries of a pattern that are marked."""
    kept = xp.zeros(keep.size + 1, dtype=np.int64)
    xp.cumsum(keep, out=kept[1:])
    return CSR(kept[csr.indptr], csr.indices[keep])


def from_keys(keys: Any, n: int, xp: Any = np) -> CSR:
    """The pattern whose entries have these keys, which rise."""
    indptr = xp.searchsorted(keys, xp.arange(n + 1, dtype=np.int64) * n)
    return CSR(indptr.astype(np.int64), (keys % max(n, 1)).astype(np.int32))


@njit(cache=True, nogil=True)
def clusters(indptr, indices, nodes, size):  # type: ignore[no-untyped-def]
    """Order the nodes by breadth-first searches of ``size`` nodes, the first left over next."""
    waiting = np.zeros(indptr.size - 1, dtype=np.bool_)
    waiting[nodes] = True
    order = np.empty_like(nodes)
    found = 0
    for seed in nodes:
        if not waiting[seed]:
            continue
        waiting[seed] = False
        order[found] = seed
        at, end = found, found + size
        found += 1
        while at < found and found < end:
            u = order[at]
            at += 1
            for p in range(indptr[u], indptr[u + 1]):
                v = indices[p]
                if waiting[v] and found < end:
                    waiting[v] = False
                    order[found] = v
                    found += 1
    return order


@njit(cache=True, nogil=True)
def _fold(indptr, indices, degree, alpha, omega, children, parents):  # type: ignore[no-untyped-def]
    n = degree.size
    removed = np.zeros(n, dtype=np.bool_)
    stack = np.empty(n, dtype=np.int32)
    top = 0
    for v in range(n):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    while top:
        top -= 1
        v = stack[top]
        if degree[v] != 1:
            continue
        p = indptr[v]
        while removed[indices[p]]:
            p += 1
        parent = indices[p]
        removed[v] = True
        parents[v] = parent
        degree[v] = 0
        degree[parent] -= 1
        alpha[parent] += alpha[v]
        omega[parent] += omega[v]
        children[parent] += alpha[v] * omega[v]
        if degree[parent] == 1:
            stack[top] = parent
            top += 1


@njit(cache=True, nogil=True)
def _deeper(indptr, indices, source, levels):  # type: ignore[no-untyped-def]
    seen = np.zeros(indptr.size - 1, dtype=np.bool_)
    queue = np.empty(indptr.size - 1, dtype=np.int32)
    seen[source] = True
    queue[0] = source
    low, high, depth = 0, 1, -1
    while high > low and depth < levels:
        end = high
        for i in range(low, high):
            for p in range(indptr[queue[i]], indptr[queue[i] + 1]):
                v = indices[p]
                if not seen[v]:
                    seen[v] = True
                    queue[end] = v
                    end += 1
        low, high = high, end
        depth += 1
    return high > low


@njit(cache=True, nogil=True)
def _needed(indptr, indices, lengths, slack):  # type: ignore[no-untyped-def]
    n = indptr.size - 1
    nearest = np.full(n, np.inf)
    needed = np.ones(indices.size, dtype=np.bool_)
    is_neighbour = np.zeros(n, dtype=np.bool_)
    for u in range(n):
        longest = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            is_neighbour[indices[p]] = True
            longest = max(longest, lengths[p])
        for p in range(indptr[u], indptr[u + 1]):
            x, first = indices[p], lengths[p]
            if first >= longest:
                continue
            for q in range(indptr[x], indptr[x + 1]):
                v = indices[q]
                if is_neighbour[v]:
                    nearest[v] = min(nearest[v], first + lengths[q])
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            needed[p] = lengths[p] <= nearest[v] + slack
            nearest[v] = np.inf
            is_neighbour[v] = False
    return needed
