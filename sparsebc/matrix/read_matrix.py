"""Graphs from matrices in any format: the canonical patterns of A and of A'."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..errors import EdgeError
from ..threads import Threads
from .csr import Inspection
from .graph import Graph
from .matrix_arrays import Given, arrays_of, check_indices, check_kind
from .network import Network, matrix_of
from .ops import GraphOps

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


class Remedies(NamedTuple):
    """Advice for values that are not finite, and for negative ones."""

    not_finite: str
    negative: str


EDGES = Remedies("drop such entries or set them to 1", "use abs(A) if each such entry is an edge")


def canonical(
    matrix: Any,
    *,
    directed: bool = True,
    ops_for: Callable[[int], GraphOps] = lambda _: GraphOps(),
    workers: int = 1,
) -> Graph:
    """Graph of a matrix of SciPy, CuPy or NumPy, or of a tuple ``(indptr, indices, n)``.

    Every stored entry off the diagonal is an edge, explicit zeros too. With ``directed=False``
    either of A[i, j] and A[j, i] stands for both. The matrix is never modified. ``ops_for`` returns
    the operations for a number of entries, and so the memory of the graph. ``workers`` is the
    number of threads on the host.
    """
    home, given, inspection = checked(matrix, EDGES, ops_for, workers)
    outgoing = inspection.pattern or home.canonical(given.form, given.first, given.second, given.n)
    if not directed and not inspection.symmetric:
        outgoing = home.either_way(outgoing)
    incoming = outgoing
    if directed and not inspection.symmetric:
        incoming = home.reverse(outgoing, one_way=inspection.pattern is not None)
    return Graph(given.n, outgoing, incoming, home)


def checked(
    matrix: Any, remedies: Remedies, ops_for: Callable[[int], GraphOps], workers: int
) -> tuple[GraphOps, Given, Inspection]:
    """Operations of the memory of a graph, the arrays of the matrix there, and their inspection.

    Raises for values that are negative or not finite, and for indices out of range. On the host
    the index arrays are copies: no other thread can change them once they are checked.
    """
    given = arrays_of(matrix_of(matrix))
    home = ops_for(given.second.size)
    home.threads = workers
    if given.data is not None and not isinstance(given.data, np.ndarray):
        given = given._replace(data=home.asarray(given.data))
    with _checking_values(given, remedies, workers):
        first, second = owned(home, given.first), owned(home, given.second)
        given = given._replace(first=first, second=second)
        inspection = home.inspect(given.form, first, second, given.n)
    if not inspection.inside:
        check_indices(given)
    return home, given, inspection


def owned(home: GraphOps, array: Any) -> Any:
    """Array in the memory of a graph; on the host a copy, which no caller can change."""
    kept = home.asarray(array)
    return np.array(kept) if kept is array and isinstance(kept, np.ndarray) else kept


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
        pieces = list(_slices(data, PIECE))
        with Threads(checkers) as pool:
            checks = [pool.submit(_are_all_proper, pieces[i::checkers]) for i in range(checkers)]
            yield
            if not all(check.result() for check in checks):
                _refuse_values(given, remedies)
    else:
        size = SLICE if isinstance(data, np.ndarray) else data.size
        if not _are_all_proper(_slices(data, size)):
            _refuse_values(given, remedies)
        yield


def _slices(values: Any, size: int) -> Iterator[Any]:
    return (values[start : start + size] for start in range(0, values.size, size))


def _are_all_proper(parts: Iterable[Any]) -> bool:
    return all(0 <= values.min() <= values.max() < np.inf for values in parts)


def _refuse_values(given: Given, remedies: Remedies) -> None:
    data = given.data
    bad = ~np.isfinite(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    if bad.any():
        at = int(bad.argmax())
        raise EdgeError(
            f"A stores {data[bad][0]} ({given.entry(at)}): an edge must be "
            f"a finite number; {'set it to 0' if given.dense else remedies.not_finite}",
            given.place(at),
        )
    negative = data < 0
    at = int(negative.argmax())
    raise EdgeError(
        f"A stores the negative value {data[negative][0]} ({given.entry(at)}): {remedies.negative}",
        given.place(at),
    )
