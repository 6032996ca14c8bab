"""Graphs from matrices in any format: the canonical patterns of A and of A', and their lengths."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import EdgeError, InputTypeError, RangeError
from ..process import Threads
from .csr import CSR, Matrix
from .edge_weights import MIN_LENGTH, TOO_FAR, WHOLE, Lengths
from .graph import Graph
from .matrix_arrays import Given, Network, arrays_of, check_indices, check_kind, matrix_of
from .ops import GraphOps

# Entries up to which launches on a GPU would cost more than the work that they do.
SMALL = 1 << 16
# Most threads that check values on the host.
CHECKERS = 8
# Values checked at a time by the calling thread: they stay in cache, and Ctrl-C works in between.
SLICE = 1 << 18
# Values that each of several threads checks at a time, and least values for each thread: one has a
# quarter of the memory bandwidth of a host with a GPU.
PIECE = 1 << 20


@runtime_checkable
class SparseMatrix(Protocol):
    """Sparse matrix of SciPy or of CuPy, in any format."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    def tocsr(self) -> Any:
        """The matrix in csr format."""


# A graph: a sparse matrix, one with names, a dense array, or the index arrays of a csr pattern with
# its size.
Adjacency = SparseMatrix | Network | NDArray[Any] | tuple[Sequence[int] | NDArray[Any], Any, int]


# Remedies for values that are not finite, and for negative ones.
Remedies = tuple[str, str]
EDGES = "drop such entries or set them to 1", "use abs(A) if each such entry is an edge"


def canonical(
    matrix: Any,
    *,
    directed: bool = True,
    ops: type[GraphOps] = GraphOps,
    workers: int = 1,
) -> Graph:
    """Graph of a matrix of SciPy, CuPy or NumPy, or of a tuple ``(indptr, indices, n)``.

    Every stored entry off the diagonal is an edge, explicit zeros too. With ``directed=False``
    either of A[i, j] and A[j, i] stands for both. The matrix is never modified. ``ops`` are the
    operations on a graph of `SMALL` entries or more, in whose memory it is kept; a smaller one
    stays on the host. ``workers`` is the number of threads on the host.
    """
    arrays = checked(arrays_of(matrix_of(matrix)), EDGES, ops, workers)
    there, given, pattern, is_symmetric = arrays
    outgoing = pattern or there.canonical(given.form, given.first, given.second, given.n)
    incoming, one_way = outgoing, pattern is not None
    if not is_symmetric and directed:
        incoming = there.reverse(outgoing, one_way)
    elif not is_symmetric:
        incoming = outgoing = there.either_way(outgoing, one_way)
    return Graph(given.n, outgoing, incoming, there)


def checked(
    given: Given, remedies: Remedies, ops: type[GraphOps] = GraphOps, workers: int = 1
) -> tuple[GraphOps, Given, CSR | None, bool]:
    """Operations where the graph lies, the arrays of the matrix there, and what is known of them.

    That is the pattern of A, if they are canonical, and whether it is also that of A'. Raises for
    values that are negative or not finite, and for indices out of range. On the host the index
    arrays are copies: no other thread can change them once they are checked.
    """
    there = (GraphOps if given.second.size < SMALL else ops)()
    there.threads = workers
    if given.data is not None and not isinstance(given.data, np.ndarray):
        given = given._replace(data=there.asarray(given.data))
    with _checking_values(given, remedies, workers):
        first, second = (
            np.array(part, order="C")
            if there.xp is np and isinstance(part, np.ndarray)
            else there.asarray(part)
            for part in (given.first, given.second)
        )
        given = given._replace(first=first, second=second)
        is_inside, pattern, is_symmetric = there.inspect(given.form, first, second, given.n)
    if not is_inside:
        check_indices(given)
    return there, given, pattern, is_symmetric


@contextmanager
def _checking_values(given: Given, remedies: Remedies, workers: int) -> Iterator[None]:
    """Raise for values that are negative or not finite; threads check many during the context."""
    data = given.data
    if data is not None:
        check_kind(data.dtype)
    checkers = min(workers - 1, CHECKERS, 0 if data is None else data.size // PIECE)
    if data is None or data.dtype.kind in "bu" or data.size == 0:
        yield
    elif checkers > 0 and isinstance(data, np.ndarray):
        with Threads(checkers) as pool:
            shares = np.array_split(data, checkers)
            checks = [pool.submit(_are_all_proper, share, PIECE) for share in shares]
            yield
            if not all(check.result() for check in checks):
                _refuse_values(given, remedies)
    else:
        size = SLICE if isinstance(data, np.ndarray) else data.size
        if not _are_all_proper(data, size):
            _refuse_values(given, remedies)
        yield


def _are_all_proper(values: Any, size: int) -> bool:
    """Whether all values are at least 0 and finite, looked at ``size`` at a time."""
    parts = (values[start : start + size] for start in range(0, values.size, size))
    return all(0 <= part.min() <= part.max() < np.inf for part in parts)


def _refuse_values(given: Given, remedies: Remedies) -> None:
    data = given.data
    bad = ~np.isfinite(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    is_finite = not bad.any()
    if is_finite:
        bad = data < 0
    at = int(bad.argmax())
    place: int | tuple[int, int] = at
    entry, (not_finite, negative) = f"entry {at} of {given.name}.data", remedies
    if given.dense:
        place = int(given.first[at]), int(given.second[at])
        entry, not_finite = f"{given.name}[{place[0]}, {place[1]}]", "set it to 0"
    if is_finite:
        what, remedy = f"the negative value {data[bad][0]}", negative
    else:
        what, remedy = f"{data[bad][0]}", f"an edge must be a finite number; {not_finite}"
    raise EdgeError(f"A stores {what} ({entry}): {remedy}", place)


POSITIVE = (
    "a length must be positive; make one node of the ends of an edge of length 0, or use "
    "A.eliminate_zeros() where 0 stands for no edge, and sparsebc.strength_to_distance(A) to turn "
    "strengths into lengths"
)
LENGTHS = (
    "set such entries to 0 and call A.eliminate_zeros()",
    "no length is negative; sparsebc.strength_to_distance(A) turns strengths into lengths",
)


def zeros_on(devices: Sequence[Any]) -> str:
    """Why lengths of 0 are refused where no paths are counted; empty if they are not."""
    return "searches on a GPU take no length of 0: use device='cpu'" if devices else ""


def weighted(
    matrix: Any,
    *,
    directed: bool,
    ops: type[GraphOps] = GraphOps,
    workers: int = 1,
    zeros: str = POSITIVE,
) -> Graph:
    """Graph of a matrix of SciPy, CuPy or NumPy whose values are lengths.

    Repeated entries are summed, as SciPy does. With ``directed=False``, the smaller of A[i, j] and
    A[j, i] counts where both are stored, as in `scipy.sparse.csgraph`. If all lengths are equal,
    the graph has none: its shortest paths are those of fewest edges. ``ops`` and ``workers`` are
    those of `canonical`. ``zeros`` says why lengths of 0 are refused; if empty,
    they are not. The graph has no tau: `measures.tolerance` finds it.
    """
    there, A = _read(matrix, ops, workers, zeros)
    graph = graph_of(A, there, directed)
    assert graph.lengths is not None
    lengths = graph.lengths.outgoing
    shortest, longest = (float(lengths.min()), float(lengths.max())) if lengths.size else (1.0, 1.0)
    if shortest == longest > 0:
        return replace(graph, lengths=None, unit=shortest)
    return graph


def graph_of(A: Matrix, ops: GraphOps, directed: bool) -> Graph:
    """Graph of a checked matrix in the memory of ``ops``, with lengths even if all are equal."""
    xp, n, B = ops.xp, A.pattern.indptr.size - 1, ops.transposed(A)
    if B is not A and not directed:  # entries of either, by the smaller value where both have one
        keys = xp.concatenate([ops.keys(M.pattern) for M in (A, B)])
        order = xp.argsort(keys)
        keys, values = keys[order], xp.concatenate((A.values, B.values))[order]
        first = xp.ones(keys.size, dtype=bool)
        first[1:] = keys[1:] != keys[:-1]
        least = values.copy()  # of an entry and the next, if both have the same key
        least[:-1] = xp.where(first[1:], values[:-1], xp.minimum(values[:-1], values[1:]))
        A = B = Matrix(ops.from_keys(keys[first], n), least[first])
    whole = bool(((A.values == xp.rint(A.values)) & (A.values < WHOLE)).all())
    lengths = Lengths(A.values, B.values, whole)
    return Graph(n, A.pattern, B.pattern, ops, lengths)


def lengths_of(matrix: Any, workers: int, zeros: str) -> scipy.sparse.csr_array:
    """Csr array of the lengths of a matrix, checked: sorted rows without repeats or diagonal."""
    _, (pattern, values) = _read(matrix, GraphOps, workers, zeros)
    return pattern.matrix(values)


def _read(matrix: Any, ops: type[GraphOps], workers: int, zeros: str) -> tuple[GraphOps, Matrix]:
    """Operations of the memory of the lengths, and the matrix of the lengths, checked."""
    matrix = matrix_of(matrix)
    if isinstance(matrix, tuple):
        raise InputTypeError(
            "A as a tuple (indptr, indices, n) has no lengths: use weighted=False, or "
            "scipy.sparse.csr_array((lengths, indices, indptr), shape=(n, n))"
        )
    given = arrays_of(matrix)
    if given.dense and not isinstance(matrix, np.ma.MaskedArray):  # as in scipy.sparse.csgraph
        kept = (given.data == given.data) & (given.data != np.inf)
        if not kept.all():
            data, rows, columns = (part[kept] for part in (given.data, given.first, given.second))
            given = given._replace(data=data, first=rows, second=columns)
    there, given, pattern, _ = checked(given, LENGTHS, ops, workers)
    data = given.data
    if there.xp is np:
        values = np.array(data, np.float64, order="C")
    else:
        values = there.asarray(data.astype(np.float64, copy=False))
    if given.form == "csr" and pattern is not None:
        A = Matrix(pattern, there.xp.ascontiguousarray(values))
    else:
        A = there.summed(given.form, given.first, given.second, values, given.n)
    _check(there, A, zeros)
    if data.dtype.kind in "iu" and A.values.size and A.values.max() >= WHOLE:
        raise RangeError(TOO_FAR)  # as floats, integers that differ may be equal
    return there, A


def _check(ops: GraphOps, A: Matrix, zeros: str) -> None:
    """Raise for the first length that is zero if that is refused, else the first out of range."""
    longest, is_zero = np.finfo(np.float64).max / max(A.pattern.indptr.size - 1, 1), A.values == 0
    if not zeros:
        A.values[is_zero] = 0  # -0 has other bits
    for bad, remedy in (
        (is_zero if zeros else is_zero[:0], zeros),
        (
            ~(is_zero | (A.values >= MIN_LENGTH) & (A.values <= longest)),
            f"lengths must lie from {MIN_LENGTH} to {longest:.1e}, so that sums and quotients stay "
            "in the range of floats: scale A",
        ),
    ):
        if bad.any():
            raise refused(ops, A, bad, remedy)


def refused(ops: GraphOps, A: Matrix, bad: Any, remedy: str) -> EdgeError:
    """The error for the first length of the mask ``bad``."""
    at = int(ops.xp.flatnonzero(bad)[0])
    tail = np.searchsorted(ops.on_host(A.pattern.indptr), at, side="right") - 1
    edge = int(tail), int(A.pattern.indices[at])
    return EdgeError(f"A[{edge[0]}, {edge[1]}] is {A.values[at]}: {remedy}", edge)
