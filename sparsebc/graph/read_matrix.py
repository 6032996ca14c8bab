"""The one door for input: any matrix becomes the canonical pattern of A and of A'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .csr import GraphOps, Inspection
from .graph import Graph
from .ops import HostOps

# Values of the host looked through at a time: they stay in cache, and Ctrl-C is heard in between.
SLICE = 1 << 18
# The same of several threads: one alone takes a quarter of what the memory of a host with a GPU
# gives.
PIECE = 1 << 20

# What makes a matrix of the objects of a library.
WAYS_IN = {
    "networkx": "use networkx.to_scipy_sparse_array(A), which sums the weights of parallel edges "
    "and numbers the nodes in the order of list(A)",
    "pathlib": "use sparsebc.io.read(A).matrix, which reads a file",
    **{
        library: "use sparsebc.frames.read(A).matrix, which reads a table of edges"
        for library in ("pandas", "polars", "pyarrow")
    },
    "graph_tool": "use sparsebc.io.from_graph_tool(A).matrix",
    "graphblas": "use sparsebc.io.from_graphblas(A).matrix",
    "igraph": "use sparsebc.io.from_igraph(A).matrix",
    "torch": "use sparsebc.io.from_edge_index(A).matrix, which reads two rows of nodes",
}
ELSE = "see scipy.sparse.csr_array for the ways to make one"

IndexArray = NDArray[np.integer[Any]]


@runtime_checkable
class SparseMatrix(Protocol):
    """What sparse matrices of SciPy and of CuPy have in common, whatever their format."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    def tocsr(self) -> Any:
        """The same in csr format."""


# A graph: a sparse matrix, a dense array, or the index arrays of a csr pattern and its size.
Adjacency = SparseMatrix | NDArray[Any] | tuple[Sequence[int] | NDArray[Any], Any, int]


class Remedies(NamedTuple):
    """What to do about values that are not finite, and about negative ones."""

    not_finite: str
    negative: str


EDGES = Remedies("drop such entries or set them to 1", "use abs(A) if each such entry is an edge")


class Given(NamedTuple):
    """A matrix as it came."""

    form: str  # "csr" or "csc" (indptr, indices), or "coo" (rows, columns)
    data: Any  # values; None for a bare pattern
    first: Any
    second: Any
    n: int
    dense: bool = False  # the entries are those of an array that are not zero

    def entry(self, at: int) -> str:
        """Name of a value."""
        if self.dense:
            return f"A[{self.first[at]}, {self.second[at]}]"
        return f"entry {at} of A.data"


def canonical(
    matrix: Any, *, directed: bool = True, ops_for: Callable[[int], GraphOps] = lambda _: HostOps()
) -> Graph:
    """Graph of a matrix of SciPy, CuPy or NumPy, or of a tuple ``(indptr, indices, n)``.

    Every stored entry off the diagonal is an edge, explicit zeros too. ``directed=False`` takes
    either of A[i, j] and A[j, i] for both. The argument is never modified. ``ops_for`` says where
    to keep a graph of so many entries; the host by default.
    """
    home, given, inspection = checked(matrix, EDGES, ops_for)
    outgoing = inspection.pattern or home.canonical(given.form, given.first, given.second, given.n)
    if not directed and not inspection.symmetric:
        outgoing = home.either_way(outgoing)
    incoming = outgoing
    if directed and not inspection.symmetric:
        incoming = home.reverse(outgoing, one_way=inspection.pattern is not None)
    return Graph(given.n, outgoing, incoming, home)


def checked(
    matrix: Any, remedies: Remedies, ops_for: Callable[[int], GraphOps]
) -> tuple[GraphOps, Given, Inspection]:
    """Where to keep a matrix, its arrays there, and what is quickly known of them.

    Values must be numbers from 0 on, and indices point inside.
    """
    given = _from_tuple(matrix) if isinstance(matrix, tuple) else _from_matrix(matrix)
    _check_size(given.n)
    home = ops_for(given.second.size)
    if given.data is not None and not isinstance(given.data, np.ndarray):
        given = given._replace(data=home.asarray(given.data))
    with _checking_values(given, home, remedies):
        given = given._replace(first=home.asarray(given.first), second=home.asarray(given.second))
        form, data, first, second, n, _ = given
        inspection = home.inspect(form, first, second, n)
    if form == "coo":
        _check_range("A.row", first, n)
        _check_range("A.col", second, n)
    elif not inspection.inside:
        prefix = "" if data is None else "A."
        _check_compressed(f"{prefix}indptr", first, f"{prefix}indices", second, n)
    return home, given, inspection


def is_dense(matrix: Any) -> bool:
    """Whether it is an array of NumPy or of CuPy."""
    return isinstance(matrix, np.ndarray) or hasattr(matrix, "__cuda_array_interface__")


def way_in(thing: Any) -> str:
    """What makes a matrix of what is none."""
    library = type(thing).__module__.partition(".")[0]
    return WAYS_IN.get("pathlib" if isinstance(thing, (str, PurePath)) else library, ELSE)


def _from_matrix(matrix: Any) -> Given:
    """Format, values and index arrays of a sparse matrix, or of a dense one."""
    module = type(matrix).__module__
    if not (is_dense(matrix) or scipy.sparse.issparse(matrix) or module.startswith("cupyx.")):
        raise TypeError(
            "A must be a SciPy or CuPy sparse matrix, a NumPy or CuPy array of two dimensions or a "
            f"tuple (indptr, indices, n), got {type(matrix).__name__}: {way_in(matrix)}"
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"A must be a square matrix (row i, column j: an edge i -> j), got shape {matrix.shape}"
        )
    if is_dense(matrix):
        return _from_dense(matrix)
    if matrix.format not in ("csr", "csc", "coo"):
        matrix = matrix.tocsr()
    names = ("row", "col") if matrix.format == "coo" else ("indptr", "indices")
    first, second = (getattr(matrix, name) for name in names)
    return Given(matrix.format, matrix.data, first, second, matrix.shape[0])


def _from_dense(array: Any) -> Given:
    """Entries of an array: those that are not zero, or of a masked array those not masked."""
    if isinstance(array, np.ma.MaskedArray):
        rows, columns = np.nonzero(~np.ma.getmaskarray(array))
        array = array.data
    else:
        array = np.asarray(array) if isinstance(array, np.ndarray) else array
        _check_kind(array.dtype)
        rows, columns = array.nonzero()
    return Given("coo", array[rows, columns], rows, columns, array.shape[0], dense=True)


def _from_tuple(parts: tuple[Any, ...]) -> Given:
    """A csr pattern without values."""
    if len(parts) != 3:
        raise ValueError(f"A as a tuple must be (indptr, indices, n), got {len(parts)} items")
    n = parts[2]
    if isinstance(n, (bool, np.bool_)) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"n in (indptr, indices, n) must be an int, got {type(n).__name__}")
    if n < 0:
        raise ValueError(f"n in (indptr, indices, n) must not be negative, got {n}")
    first, second = (
        _index_array(*item) for item in zip(("indptr", "indices"), parts, strict=False)
    )
    return Given("csr", None, first, second, int(n))


def _check_size(n: int) -> None:
    if n > np.iinfo(np.int32).max:
        raise ValueError(f"A has {n} rows: at most 2**31 - 1 nodes are supported")


def _check_kind(dtype: Any) -> None:
    if dtype.kind not in "biuf":
        raise TypeError(
            f"A must hold real numbers or booleans, got dtype {dtype}: "
            "convert it, for example with abs(A)"
        )


@contextmanager
def _checking_values(given: Given, home: GraphOps, remedies: Remedies) -> Iterator[None]:
    """Refuse values that are not finite, and negative ones; many of the host's meanwhile."""
    data = given.data
    if data is not None:
        _check_kind(data.dtype)
    if data is None or data.dtype.kind in "bu" or data.size == 0:
        yield
    elif isinstance(data, np.ndarray) and data.size > home.many_values:
        with home.threads() as pool:
            found = pool.map(_are_proper, _slices(data, PIECE))
            yield
            if not all(found):
                _refuse_values(given, remedies)
    else:
        size = SLICE if isinstance(data, np.ndarray) else data.size
        if not all(map(_are_proper, _slices(data, size))):
            _refuse_values(given, remedies)
        yield


def _slices(values: Any, size: int) -> Iterator[Any]:
    return (values[start : start + size] for start in range(0, values.size, size))


def _are_proper(values: Any) -> bool:
    return bool(0 <= values.min() <= values.max() < np.inf)


def _refuse_values(given: Given, remedies: Remedies) -> None:
    data = given.data
    bad = ~np.isfinite(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    if bad.any():
        raise ValueError(
            f"A stores {data[bad][0]} ({given.entry(int(bad.argmax()))}): an edge must be "
            f"a finite number; {remedies.not_finite}"
        )
    negative = data < 0
    raise ValueError(
        f"A stores the negative value {data[negative][0]} "
        f"({given.entry(int(negative.argmax()))}): {remedies.negative}"
    )


def _check_compressed(
    indptr_name: str, indptr: IndexArray, indices_name: str, indices: IndexArray, n: int
) -> None:
    """Refuse row pointers and indices that point outside, before anything follows them."""
    if indptr.size != n + 1:
        raise ValueError(f"{indptr_name} must have n + 1 = {n + 1} items, got {indptr.size}")
    if indptr[0] != 0 or indptr[-1] != indices.size or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(
            f"{indptr_name} must rise from 0 to len({indices_name}) = {indices.size} without "
            f"falling, got {indptr[0]} to {indptr[-1]}: build the matrix anew"
        )
    _check_range(indices_name, indices, n)


def _check_range(name: str, indices: IndexArray, n: int) -> None:
    if indices.size and not 0 <= indices.min() <= indices.max() < n:
        outside = (indices < 0) | (indices >= n)
        raise ValueError(f"{name} must lie in 0..{n - 1}, got {indices[outside][0]}")


def _index_array(name: str, values: Any) -> IndexArray:
    """A host's or a GPU's array of integers of 32 or 64 bits."""
    array = values if hasattr(values, "__cuda_array_interface__") else np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must be a one-dimensional array of integers, got "
            f"{array.ndim} dimensions of {array.dtype}"
        )
    whole: IndexArray = array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)
    return whole
