"""Graphs with lengths, from the values of sparse matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from ..errors import EdgeError, InputTypeError
from .csr import Matrix
from .edge_weights import MIN_LENGTH, WHOLE, Lengths, TooFar
from .graph import Graph
from .matrix_arrays import is_dense
from .network import matrix_of
from .ops import GraphOps
from .read_matrix import Remedies, checked, owned

POSITIVE = (
    "a length must be positive; make one node of the ends of an edge of length 0, or use "
    "A.eliminate_zeros() where 0 stands for no edge, and sparsebc.strength_to_distance(A) to turn "
    "strengths into lengths"
)
LENGTHS = Remedies("set such entries to 0 and call A.eliminate_zeros()", POSITIVE)


def weighted(
    matrix: Any,
    *,
    directed: bool,
    ops_for: Callable[[int], GraphOps] = lambda _: GraphOps(),
    workers: int = 1,
) -> Graph:
    """Graph of a matrix of SciPy, CuPy or NumPy whose values are lengths.

    Repeated entries are summed, as SciPy does. With ``directed=False``, the smaller of A[i, j] and
    A[j, i] counts where both are stored, as in `scipy.sparse.csgraph`. If all lengths are equal,
    the graph has none: its shortest paths are those of fewest edges. ``ops_for`` and ``workers``
    are those of `read_matrix.canonical`. The graph has no tau: `measures.ties` finds it.
    """
    home, A = _read(matrix, ops_for, workers)
    xp, n = home.xp, A.pattern.indptr.size - 1
    B = home.transposed(A)
    if B is not A and not directed:
        A = B = _smaller(home, A, B)
    shortest, longest = (
        (float(A.values.min()), float(A.values.max())) if A.values.size else (1.0, 1.0)
    )
    if shortest == longest:
        return Graph(n, A.pattern, B.pattern, home, unit=shortest)
    whole = longest < WHOLE and bool((A.values == xp.rint(A.values)).all())
    return Graph(n, A.pattern, B.pattern, home, Lengths(A.values, B.values, whole))


def read(matrix: Any, workers: int = 1) -> scipy.sparse.csr_array:
    """Csr array of the lengths of a matrix, checked: sorted rows without repeats or diagonal."""
    _, (pattern, values) = _read(matrix, lambda _: GraphOps(), workers)
    return pattern.matrix(values)


def _read(matrix: Any, ops_for: Callable[[int], GraphOps], workers: int) -> tuple[GraphOps, Matrix]:
    """Operations of the memory of the lengths, and the matrix of the lengths, checked."""
    matrix = matrix_of(matrix)
    if isinstance(matrix, tuple):
        raise InputTypeError(
            "A as a tuple (indptr, indices, n) has no lengths: use weighted=False, or "
            "scipy.sparse.csr_array((lengths, indices, indptr), shape=(n, n))"
        )
    if is_dense(matrix) and matrix.dtype.kind == "f" and not isinstance(matrix, np.ma.MaskedArray):
        absent = (matrix != matrix) | (matrix == np.inf)  # as in scipy.sparse.csgraph
        if absent.any():
            matrix = matrix.copy()
            matrix[absent] = 0
    home, given, inspection = checked(matrix, LENGTHS, ops_for, workers)
    data = given.data
    values = (
        owned(home, data) if data.dtype == np.float64 else home.asarray(data.astype(np.float64))
    )
    if given.form == "csr" and inspection.pattern is not None:
        A = Matrix(inspection.pattern, home.xp.ascontiguousarray(values))
    else:
        A = home.summed(given.form, given.first, given.second, values, given.n)
    _check(home, A)
    if data.dtype.kind in "iu" and A.values.size and A.values.max() >= WHOLE:
        raise TooFar  # as floats, integers that differ may be equal
    return home, A


def _check(home: GraphOps, A: Matrix) -> None:
    """Raise for the first length that is zero, else for the first out of range."""
    longest = np.finfo(np.float64).max / max(A.pattern.indptr.size - 1, 1)
    for bad, remedy in (
        (A.values == 0, POSITIVE),
        (
            ~((A.values >= MIN_LENGTH) & (A.values <= longest)),
            f"lengths must lie from {MIN_LENGTH} to {longest:.1e}, so that sums and quotients stay "
            "in the range of floats: scale A",
        ),
    ):
        if bad.any():
            raise refused(home, A, bad, remedy)


def refused(home: GraphOps, A: Matrix, bad: Any, remedy: str) -> EdgeError:
    """The error for the first length of the mask ``bad``."""
    at = int(home.xp.flatnonzero(bad)[0])
    tail = np.searchsorted(home.on_host(A.pattern.indptr), at, side="right") - 1
    edge = int(tail), int(A.pattern.indices[at])
    return EdgeError(f"A[{edge[0]}, {edge[1]}] is {A.values[at]}: {remedy}", edge)


def _smaller(home: GraphOps, A: Matrix, B: Matrix) -> Matrix:
    """Matrix of the entries of either matrix, by the smaller value where both have one."""
    xp = home.xp
    keys = xp.concatenate([home.keys(M.pattern) for M in (A, B)])
    order = xp.argsort(keys)
    keys, values = keys[order], xp.concatenate((A.values, B.values))[order]
    first = xp.ones(keys.size, dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    least = values.copy()  # of an entry and the next, if both have the same key
    least[:-1] = xp.where(first[1:], values[:-1], xp.minimum(values[:-1], values[1:]))
    return Matrix(home.from_keys(keys[first], A.pattern.indptr.size - 1), least[first])
