"""The door for weighted input: the values of a sparse matrix become lengths beside its pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .graph import Graph, Remedies, check_matrix
from .lengths import SMALLEST, WHOLE, Lengths
from .patterns import Host, compressed

POSITIVE = (
    "a length must be positive; A.eliminate_zeros() drops zeros, and "
    "sparsebc.strength_to_distance(A) turns strengths into lengths"
)
LENGTHS = Remedies("set such entries to 0 and call A.eliminate_zeros()", POSITIVE)


def weighted(matrix: Any, *, directed: bool, tie_rtol: float) -> Graph:
    """Graph of a SciPy or CuPy sparse matrix whose stored values are lengths.

    Repeated entries are summed, as SciPy does. With ``directed=False``, the smaller of A[i, j] and
    A[j, i] counts where both are stored, as in `scipy.sparse.csgraph`. A graph whose lengths are
    all equal is returned without any: its shortest paths are those of fewest edges.
    """
    A = read(matrix)
    n = A.shape[0]
    B = _sorted(A.T.tocsr())
    if not directed and not _equal(A, B):
        A = B = _smaller(A, B)
    symmetric = _equal(A, B)
    outgoing = compressed(A)
    incoming = outgoing if symmetric else compressed(B)
    if A.nnz == 0 or A.data.min() == A.data.max():
        same = np.array_equal(A.indptr, B.indptr) and np.array_equal(A.indices, B.indices)
        unit = float(A.data[0]) if A.nnz else 1.0
        return Graph(n, outgoing, outgoing if same else incoming, Host(), unit=unit)
    whole = bool(A.data.max() < WHOLE and (A.data == np.rint(A.data)).all())
    lengths = Lengths(A.data, A.data if symmetric else B.data, whole, 0.0 if whole else tie_rtol)
    return Graph(n, outgoing, incoming, Host(), lengths)


def read(matrix: Any) -> scipy.sparse.csr_array:
    """Lengths of a SciPy or CuPy sparse matrix, checked: sorted rows without repeats or loops."""
    if isinstance(matrix, tuple):
        raise TypeError(
            "A as a tuple (indptr, indices, n) has no lengths: use weighted=False, or "
            "scipy.sparse.csr_array((lengths, indices, indptr), shape=(n, n))"
        )
    if type(matrix).__module__.startswith("cupyx."):
        matrix = matrix.get()
    check_matrix(matrix, LENGTHS)
    A = scipy.sparse.csr_array(matrix.astype(np.float64, copy=True).tocsr())
    A.sum_duplicates()
    n = A.shape[0]
    tails, heads = np.repeat(np.arange(n), np.diff(A.indptr)), A.indices
    proper = tails != heads
    A = _csr(n, tails[proper], heads[proper], A.data[proper])
    _check(A)
    return A


def _check(A: scipy.sparse.csr_array) -> None:
    """Refuse lengths that are no lengths, by the first entry that is not."""
    longest = np.finfo(np.float64).max / max(A.shape[0], 1)
    for bad, remedy in (
        (A.data == 0, POSITIVE),
        (
            (A.data < SMALLEST) | (A.data > longest),
            f"lengths must lie from {SMALLEST} to {longest:.1e}, lest sums and quotients leave the "
            "range of floats: scale A",
        ),
    ):
        if bad.any():
            at = np.flatnonzero(bad)[0]
            tail = np.searchsorted(A.indptr, at, side="right") - 1
            raise ValueError(f"A[{tail}, {A.indices[at]}] is {A.data[at]}: {remedy}")


def _smaller(A: scipy.sparse.csr_array, B: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Entries of either matrix, the smaller where both have one."""
    both = [M.tocoo() for M in (A, B)]
    tails, heads = (np.concatenate([M.coords[axis] for M in both]) for axis in (0, 1))
    lengths = np.concatenate([M.data for M in both])
    order = np.lexsort((lengths, heads, tails))
    tails, heads, lengths = tails[order], heads[order], lengths[order]
    first = np.ones(tails.size, dtype=bool)
    first[1:] = (np.diff(tails) != 0) | (np.diff(heads) != 0)
    return _csr(A.shape[0], tails[first], heads[first], lengths[first])


def _csr(
    n: int, tails: NDArray[Any], heads: NDArray[Any], lengths: NDArray[np.float64]
) -> scipy.sparse.csr_array:
    """Matrix of entries that are sorted by row, then column, and not repeated."""
    indptr = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=n))))
    return scipy.sparse.csr_array((lengths, heads, indptr), shape=(n, n))


def _sorted(A: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    A.sort_indices()
    return A


def _equal(A: scipy.sparse.csr_array, B: scipy.sparse.csr_array) -> bool:
    return all(
        np.array_equal(a, b)
        for a, b in ((A.indptr, B.indptr), (A.indices, B.indices), (A.data, B.data))
    )
