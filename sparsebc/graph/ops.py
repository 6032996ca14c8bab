"""Operations on CSR patterns in the memory of the host: SciPy's functions, and our kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..jit import interruptible
from . import csr, kernels
from .csr import CSR, UNKNOWN, Inspection, Matrix, Traits, filtered


class HostOps:
    """GraphOps of NumPy arrays: SciPy's functions, and Numba where SciPy has none."""

    xp: Any = np
    pair_throughput = 1

    @staticmethod
    def asarray(array: Any) -> NDArray[Any]:
        """Copy what is on a GPU; the rest as it is."""
        return np.asarray(array.get() if hasattr(array, "get") else array)

    on_host = asarray

    @staticmethod
    def inspect(form: str, first: Any, second: Any, n: int) -> Inspection:
        """One look at each entry, and one at its counterpart; at a copy, which is kept."""
        if form == "coo" or first.size != n + 1 or second.dtype != np.int32:
            return UNKNOWN
        given = CSR(first.astype(np.int64), second.copy())
        tidy, symmetric = interruptible(second.size, kernels.inspected, *given)
        if not tidy or not (symmetric or form == "csr"):
            return UNKNOWN
        return Inspection(True, given, symmetric)

    @staticmethod
    def canonical(form: str, first: Any, second: Any, n: int) -> CSR:
        """Through SciPy's conversions."""
        ones = np.ones(second.size, dtype=bool)
        return HostOps.summed(form, first, second, ones, n).pattern

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
        """Transposed twice, which sorts the rows in a time linear in the entries."""
        work = 3 * pattern.indices.size
        return CSR(*interruptible(work, kernels.induced, *pattern, nodes))

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
        interruptible(degree.size, kernels.fold, *pattern, degree, *ends, children, parents)
        return degree, children, parents

    @staticmethod
    def components(pattern: CSR) -> Any:
        """By union-find; the label of a component is its smallest node."""
        return interruptible(pattern.indices.size, kernels.smallest_linked, *pattern)

    @staticmethod
    def totals(label: Any, values: Any) -> Any:
        """Exact, in floats on the way."""
        sums = np.array([np.bincount(label, weights=row) for row in values])
        return np.rint(sums).astype(np.int64)[:, label]

    @staticmethod
    def traits(pattern: CSR, levels: int) -> Traits:
        """One breadth-first search that ends early."""
        degrees = pattern.degrees
        if degrees.size == 0:
            return Traits(False, False)
        work = pattern.indices.size
        deep = interruptible(work, kernels.deeper, *pattern, degrees.argmax(), levels)
        return Traits(bool((degrees == 1).any()), bool(deep))

    @staticmethod
    def local_order(pattern: CSR, nodes: Any, symmetric: bool) -> Any:
        """Reverse Cuthill-McKee; on what is too large for SciPy's, breadth-first search."""
        if pattern.indices.size > csr.CSGRAPH_ENTRIES:
            return kernels.clusters(*pattern, nodes, nodes.size)
        kept = pattern.matrix()[nodes][:, nodes]
        return nodes[csgraph.reverse_cuthill_mckee(kept, symmetric)]

    @staticmethod
    def distances(lengths: Matrix, source: int) -> Any:
        """SciPy's search."""
        return csgraph.dijkstra(lengths.pattern.for_csgraph(lengths.values), indices=source)

    @staticmethod
    def needed(lengths: Matrix, slack: float) -> Any:
        """One row after the other."""
        (indptr, indices), work = lengths.pattern, lengths.pattern.pairs
        return interruptible(work, kernels.needed, indptr, indices, lengths.values, slack)


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
