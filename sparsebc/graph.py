"""The one door for input: any sparse matrix becomes the canonical pattern of A and of A'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray

from .lengths import Lengths

IndexArray = NDArray[np.integer[Any]]


class Remedies(NamedTuple):
    """What to do about values that are not finite, and about negative ones."""

    not_finite: str
    negative: str


EDGES = Remedies("drop such entries or set them to 1", "use abs(A) if each such entry is an edge")


class CSR(NamedTuple):
    """Compressed rows of a pattern: row v holds ``indices[indptr[v]:indptr[v + 1]]``, sorted."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Stored entries of each row, shape (n,)."""
        return np.diff(self.indptr)

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row of each stored entry, shape (nnz,)."""
        return np.repeat(np.arange(self.indptr.size - 1, dtype=np.int32), self.degrees)

    def matrix(self, values: NDArray[np.float64] | None = None) -> scipy.sparse.csr_array:
        """As a SciPy matrix of values, or ones.

        Row pointers have 32 bits if they suffice: csgraph's type.
        """
        n = self.indptr.size - 1
        small = self.indices.size <= np.iinfo(np.int32).max
        indptr = self.indptr.astype(np.int32) if small else self.indptr
        indices = self.indices if small else self.indices.astype(np.int64)
        data = np.ones(self.indices.size, dtype=np.int8) if values is None else values
        return scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))


@dataclass(frozen=True)
class Graph:
    """The edges of a graph on nodes 0..n-1, without self loops or repeated edges.

    ``outgoing`` is the CSR pattern of A, ``incoming`` that of A'; they are one object when A is
    symmetric. ``lengths`` belong to their entries; None where every edge has length one.
    """

    n: int
    outgoing: CSR
    incoming: CSR
    lengths: Lengths | None = None

    @property
    def symmetric(self) -> bool:
        """Whether every edge is there in both directions, at one length."""
        return self.incoming is self.outgoing

    @property
    def arcs(self) -> int:
        """Stored entries of A."""
        return int(self.outgoing.indices.size)

    @property
    def nbytes(self) -> int:
        """Memory of both patterns in bytes."""
        patterns = {id(p): p for p in (self.outgoing, self.incoming)}.values()
        values = self.lengths.nbytes if self.lengths else 0
        return sum(p.indptr.nbytes + p.indices.nbytes for p in patterns) + values


def canonical(matrix: Any, *, directed: bool = True) -> Graph:
    """Graph of a SciPy or CuPy sparse matrix, or of a tuple ``(indptr, indices, n)``.

    Every stored entry off the diagonal is an edge, explicit zeros too. ``directed=False`` takes
    either of A[i, j] and A[j, i] for both. The argument is never modified, and nothing of it is
    kept.
    """
    pattern = _from_tuple(matrix) if isinstance(matrix, tuple) else as_csr(matrix, bool)
    pattern.sum_duplicates()
    n = pattern.shape[0]
    outgoing = _without_diagonal(pattern)
    incoming = compressed(outgoing.matrix().T.tocsr())
    if np.array_equal(incoming.indptr, outgoing.indptr) and np.array_equal(
        incoming.indices, outgoing.indices
    ):
        incoming = outgoing
    elif not directed:
        outgoing = incoming = compressed(outgoing.matrix() + incoming.matrix())
    return Graph(n, outgoing, incoming)


def compressed(pattern: scipy.sparse.csr_array) -> CSR:
    """Pattern of a SciPy matrix whose rows are sorted, in the index types of the engines."""
    return CSR(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32))


def _without_diagonal(pattern: scipy.sparse.csr_array) -> CSR:
    csr = compressed(pattern)
    keep = csr.rows != csr.indices
    if keep.all():
        return csr
    kept = np.concatenate(([0], np.cumsum(keep)))
    return CSR(kept[csr.indptr].astype(np.int64), csr.indices[keep])


def as_csr(matrix: Any, dtype: DTypeLike, remedies: Remedies = EDGES) -> scipy.sparse.csr_array:
    """Checked copy of a SciPy or CuPy sparse matrix, in the memory of the host."""
    if type(matrix).__module__.startswith("cupyx."):
        matrix = matrix.get()
    check_matrix(matrix, remedies)
    return scipy.sparse.csr_array(matrix.astype(dtype, copy=True).tocsr())


def check_matrix(matrix: Any, remedies: Remedies) -> None:
    """Refuse what is no sparse square matrix of finite numbers from 0 on."""
    if not scipy.sparse.issparse(matrix):
        raise TypeError(
            f"A must be a SciPy or CuPy sparse matrix or a tuple (indptr, indices, n), got "
            f"{type(matrix).__name__}: wrap a dense array as scipy.sparse.csr_array(A)"
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"A must be a square matrix (row i, column j: an edge i -> j), got shape {matrix.shape}"
        )
    if matrix.format not in ("csr", "csc", "coo"):
        raise TypeError(f"A must be in csr, csc or coo format, got {matrix.format}: use A.tocsr()")
    _check_size(matrix.shape[0])
    _check_values(matrix.data, remedies)
    if matrix.format == "coo":
        for name, indices in zip(("A.row", "A.col"), (matrix.row, matrix.col), strict=True):
            _check_range(name, indices, matrix.shape[0])
    else:
        _check_compressed("A.indptr", matrix.indptr, "A.indices", matrix.indices, matrix.shape[0])


def _check_values(data: NDArray[Any], remedies: Remedies) -> None:
    if data.dtype.kind not in "biuf":
        raise TypeError(
            f"A must hold real numbers or booleans, got dtype {data.dtype}: "
            "convert it, for example with abs(A)"
        )
    if data.dtype.kind in "bu" or data.size == 0:
        return
    bad = ~np.isfinite(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    if bad.any():
        raise ValueError(
            f"A stores {data[bad][0]} (entry {np.flatnonzero(bad)[0]} of A.data): an edge must be "
            f"a finite number; {remedies.not_finite}"
        )
    if (data < 0).any():
        raise ValueError(
            f"A stores the negative value {data[data < 0][0]} (entry "
            f"{np.flatnonzero(data < 0)[0]} of A.data): {remedies.negative}"
        )


def _check_size(n: int) -> None:
    if n > np.iinfo(np.int32).max:
        raise ValueError(f"A has {n} rows: at most 2**31 - 1 nodes are supported")


def _from_tuple(parts: tuple[Any, ...]) -> scipy.sparse.csr_array:
    if len(parts) != 3:
        raise ValueError(f"A as a tuple must be (indptr, indices, n), got {len(parts)} items")
    n = parts[2]
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"n in (indptr, indices, n) must be an int, got {type(n).__name__}")
    if n < 0:
        raise ValueError(f"n in (indptr, indices, n) must not be negative, got {n}")
    _check_size(int(n))
    indptr = _index_array("indptr", parts[0])
    indices = _index_array("indices", parts[1])
    _check_compressed("indptr", indptr, "indices", indices, int(n))
    ones = np.ones(indices.size, dtype=bool)
    return scipy.sparse.csr_array((ones, indices, indptr), shape=(n, n), copy=True)


def _check_compressed(
    indptr_name: str, indptr: IndexArray, indices_name: str, indices: IndexArray, n: int
) -> None:
    """Refuse row pointers and indices that point outside, before anything follows them."""
    if indptr.size != n + 1:
        raise ValueError(f"{indptr_name} must have n + 1 = {n + 1} items, got {indptr.size}")
    if indptr[0] != 0 or indptr[-1] != indices.size or (np.diff(indptr) < 0).any():
        raise ValueError(
            f"{indptr_name} must rise from 0 to len({indices_name}) = {indices.size} without "
            f"falling, got {indptr[0]} to {indptr[-1]}: build the matrix anew"
        )
    _check_range(indices_name, indices, n)


def _check_range(name: str, indices: IndexArray, n: int) -> None:
    outside = (indices < 0) | (indices >= n)
    if outside.any():
        raise ValueError(f"{name} must lie in 0..{n - 1}, got {indices[outside][0]}")


def _index_array(name: str, values: Sequence[int] | IndexArray) -> IndexArray:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must be a one-dimensional array of integers, got "
            f"{array.ndim} dimensions of {array.dtype}"
        )
    return array.astype(np.int64)
