"""Matrices as callers give them: their arrays, checked; networks, whose nodes have names.

SciPy's constructors take index arrays as they are, and its compiled functions read and write
wherever they point. Here, in the only reader of them, no index is used before it was compared with
the size of the matrix.
"""

import itertools
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError, MemoryBudgetError, RangeError
from ..foreign import adopted, fetch_of, on_host
from ..process import free_memory

MOST_NODES = int(np.iinfo(np.int32).max)
TOO_MANY = "{} has {} rows: at most 2**31 - 1 nodes are supported"
# Least bytes that reading takes for each row.
ROW_BYTES = 24
# Rows up to which free memory is not asked for.
FEW_ROWS = 1 << 22

_EDGE_INDEX = (
    "scipy.sparse.coo_array((numpy.ones({{0}}.shape[1]), {}), (n, n)) if it is two rows of nodes"
)
# How objects of a library become a matrix, for messages.
ADVICE = {
    "networkx": "use networkx.to_scipy_sparse_array({0}), which sums the weights of parallel edges "
    "and numbers the nodes in the order of list({0})",
    "pathlib": "use sparsebc.io.read({0}).matrix, which reads a file",
    **{
        library: "use sparsebc.frames.read({0}).matrix, which reads a table of edges"
        for library in ("pandas", "polars", "pyarrow", "modin", "cudf", "pyspark", "duckdb", "ibis")
    },
    "dask": "use {0}.compute() if it is a matrix, or sparsebc.frames.read({0}).matrix if it is a "
    "table of edges",
    "graph_tool": "use sparsebc.io.from_graph_tool({0}).matrix",
    "graphblas": "use graphblas.io.to_scipy_sparse({0})",
    "igraph": "use sparsebc.io.from_igraph({0}).matrix",
    "sparsebc": "use its matrix, {0}.matrix of streets or {0}.matrix() of a SparseGraph",
    "jaxlib": "use jax.experimental.sparse.BCOO.fromdense({0}) if it is a matrix, or "
    f"{_EDGE_INDEX.format('numpy.asarray({0})')}",
    "torch": "use {0}.to_sparse_csr() if it is a matrix, or "
    f"{_EDGE_INDEX.format('{0}.numpy(force=True)')}",
}
OTHER_ADVICE = "see scipy.sparse.csr_array for the ways to make one"

IndexArray = NDArray[np.integer[Any]]


class Given(NamedTuple):
    """Arrays of a matrix as they were given, indices not yet compared with its size."""

    form: str  # "csr" or "csc" (indptr, indices), or "coo" (rows, columns)
    data: Any  # values; None for a bare pattern
    first: Any
    second: Any
    n: int
    called: tuple[str, str] = ("indptr", "indices")  # names of first and second in messages
    name: str = "A"
    dense: bool = False  # the entries are of a dense array

    def coordinates(self) -> tuple[Any, Any]:
        """Row and column of each value; the indices have been checked."""
        if self.form == "coo":
            return self.first, self.second
        along = np.repeat(np.arange(self.n), np.diff(self.first))
        return (along, self.second) if self.form == "csr" else (self.second, along)

    def matrix(self) -> Any:
        """SciPy array of this form on new arrays, without cached flags of SciPy.

        Float16 becomes float32, and another byte order the native one: SciPy has no others.
        """
        n = self.n
        first, second, data = (np.array(on_host(a)) for a in (self.first, self.second, self.data))
        native = data.dtype.newbyteorder("=")
        data = data.astype(np.float32 if native == np.float16 else native, copy=False)
        check_indices(self._replace(first=first, second=second))
        if self.form == "coo":
            return scipy.sparse.coo_array((data, (first, second)), shape=(n, n))
        kind = scipy.sparse.csr_array if self.form == "csr" else scipy.sparse.csc_array
        return kind((data, second, first), shape=(n, n))


def arrays_of(matrix: Any, name: str = "A") -> Given:
    """Arrays of a matrix of SciPy, CuPy or NumPy, or of a tuple ``(indptr, indices, n)``.

    Dimensions, types and lengths are checked. Formats other than csr, csc and coo are converted,
    their indices checked before. ``name`` is the name of the matrix in messages.
    """
    if isinstance(matrix, tuple):
        return _from_tuple(matrix, name)
    module = type(matrix).__module__
    dense = isinstance(matrix, np.ndarray) or module.partition(".")[0] == "cupy"
    if not (dense or scipy.sparse.issparse(matrix) or module.startswith("cupyx.")):
        library = module.partition(".")[0].lstrip("_")
        key = "pathlib" if isinstance(matrix, (str, PurePath)) else library
        raise InputTypeError(
            f"{name} must be a SciPy or CuPy sparse matrix, a NumPy or CuPy array of two "
            f"dimensions or a tuple (indptr, indices, n), got {type(matrix).__name__}: "
            + ADVICE.get(key, OTHER_ADVICE).format(name + fetch_of(matrix))
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"{name} must be a square matrix (row i, column j: an edge i -> j), got shape "
            f"{matrix.shape}"
        )
    n = matrix.shape[0]
    if n > MOST_NODES:
        raise InputError(TOO_MANY.format(name, n))
    on_gpu = module.startswith("cupy")
    if n > FEW_ROWS and not on_gpu and n * ROW_BYTES > (free := free_memory()):
        raise MemoryBudgetError(
            f"{name} has {n} rows, which take {n * ROW_BYTES >> 20} MiB, and {free >> 20} MiB are "
            "free: leave out nodes without an edge"
        )
    if dense:  # its nonzero entries, or those of a masked array that are not masked
        if isinstance(matrix, np.ma.MaskedArray):
            rows, columns = np.nonzero(~np.ma.getmaskarray(matrix))
            matrix = matrix.data
        else:
            matrix = np.asarray(matrix) if isinstance(matrix, np.ndarray) else matrix
            check_kind(matrix.dtype, name)
            rows, columns = matrix.nonzero()
        return Given("coo", matrix[rows, columns], rows, columns, n, name=name, dense=True)
    if matrix.format not in ("csr", "csc", "coo"):
        return _converted(matrix, name)
    parts = ("row", "col") if matrix.format == "coo" else ("indptr", "indices")
    called = f"{name}.{parts[0]}", f"{name}.{parts[1]}"
    ends = [getattr(matrix, part) for part in parts]
    return given_parts(matrix.format, matrix.data, ends, n, called, name)


def csr_of(matrix: Any, name: str = "A") -> scipy.sparse.csr_array:
    """Csr array on new arrays of the host, all indices checked, in order, each once.

    Repeated entries are summed, with 64 bits, which the values have then.

    Raises
    ------
    TypeError, ValueError
        As `arrays_of` and `check_indices`; TypeError for a tuple, which has no values.
    OverflowError
        If a sum is beyond 64 bits.
    """
    if isinstance(matrix, tuple):
        raise InputTypeError(
            f"{name} must be a matrix, got a tuple: make one with scipy.sparse.csr_array((data, "
            "indices, indptr), shape=(n, n))"
        )
    given = arrays_of(matrix, name)
    check_kind(given.data.dtype, name)
    entries = given.matrix()
    kind, size = entries.dtype, entries.nnz
    wide = np.promote_types(kind, f"{kind.kind.replace('b', 'i')}8")
    rows = scipy.sparse.csr_array(entries.astype(wide, copy=False))
    rows.sum_duplicates()
    if rows.nnz == size:
        return rows.astype(kind, copy=False)
    if wide.kind in "iu":  # a sum that wrapped around is off by a multiple of 2**64
        real = scipy.sparse.csr_array(entries.astype(np.float64))
        real.sum_duplicates()
        wrapped = abs(real.data - rows.data.astype(np.float64)) > 2.0**62
        if wrapped.any():
            row, column = (int(ends[wrapped.argmax()]) for ends in rows.tocoo().coords)
            raise RangeError(
                f"{name}[{row}, {column}] is stored more than once, and its sum is beyond "
                f"{wide.name}: convert {name} to float64"
            )
    return rows


def check_indices(given: Given) -> None:
    """Raise for the first row pointer or index that is out of range."""
    (first_name, second_name), n = given.called, given.n
    if given.form == "coo":
        _check_range(first_name, given.first, n)
    else:
        _check_pointers(first_name, given.first, second_name, given.second.size, n)
    _check_range(second_name, given.second, n)


def least_bytes(matrix: Any) -> int:
    """Least bytes that reading takes, found without an allocation; 0 for what is malformed."""
    try:
        if isinstance(matrix, np.ndarray) and matrix.ndim == 2:
            return ROW_BYTES * len(matrix) + 4 * int(np.count_nonzero(matrix))
        form = "csr" if isinstance(matrix, tuple) else getattr(matrix, "format", "")
        if form not in ("csr", "csc", "coo"):
            return ROW_BYTES * int(matrix.shape[0])
        given = arrays_of(matrix)
    except (AttributeError, IndexError, TypeError, ValueError):
        return 0
    return ROW_BYTES * given.n + 4 * int(given.second.size)


def check_kind(dtype: Any, name: str = "A") -> None:
    """Raise for a type of values other than real numbers and booleans."""
    if dtype.kind not in "biuf":
        raise InputTypeError(
            f"{name} must hold real numbers or booleans, got dtype {dtype}: "
            f"convert it, for example with abs({name})"
        )


def given_parts(
    form: str, data: Any, ends: Any, n: int, called: tuple[str, str], name: str = "A"
) -> Given:
    """Arrays of a csr, csc or coo matrix, ``ends`` being the first and second; lengths checked."""
    second = index_array(called[1], ends[1], n - 1)
    first = index_array(called[0], ends[0], n - 1 if form == "coo" else second.size)
    wanted = second.size if form == "coo" else n + 1
    if first.size != wanted:
        what = f"len({called[1]})" if form == "coo" else "n + 1"
        raise InputError(f"{called[0]} must have {what} = {wanted} items, got {first.size}")
    values = data if hasattr(data, "__cuda_array_interface__") else np.asarray(data)
    if values.shape != second.shape:
        raise InputError(
            f"{name}.data must have shape {second.shape}, a value for each of {called[1]}, got "
            f"shape {values.shape}: build the matrix anew"
        )
    return Given(form, values, first, second, n, called, name)


def _from_tuple(parts: tuple[Any, ...], name: str) -> Given:
    """Arrays of a csr pattern without values."""
    if len(parts) != 3:
        raise InputError(f"{name} as a tuple must be (indptr, indices, n), got {len(parts)} items")
    n = parts[2]
    if isinstance(n, (bool, np.bool_)) or not isinstance(n, (int, np.integer)):
        raise InputTypeError(f"n in (indptr, indices, n) must be an int, got {type(n).__name__}")
    n = int(n)
    if n < 0:
        raise InputError(f"n in (indptr, indices, n) must not be negative, got {spelt(n)}")
    if n > MOST_NODES:
        raise InputError(TOO_MANY.format(name, spelt(n)))
    second = index_array("indices", parts[1], n - 1)
    first = index_array("indptr", parts[0], second.size)
    if first.size != n + 1:
        raise InputError(f"indptr must have n + 1 = {n + 1} items, got {first.size}")
    return Given("csr", None, first, second, n, name=name)


def _converted(matrix: Any, name: str) -> Given:
    """Arrays of a matrix in another format; SciPy would trust its indices, sizes and offsets."""
    matrix, form, n = on_host(matrix), matrix.format, matrix.shape[0]
    read = {"bsr": _of_blocks, "dia": _of_diagonals, "lil": _of_lists, "dok": _of_keys}[form]
    try:
        rows, columns, values = read(matrix, n)
        given = given_parts("coo", values, (rows, columns), n, ("row", "col"), name)
        check_indices(given)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(
            f"{name} is no valid {form} matrix ({error}): build the matrix anew"
        ) from error
    return given


def _of_blocks(matrix: Any, n: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of a bsr matrix, all of each block."""
    count, height, width = matrix.data.shape
    if not height or not width or n % height or n % width:
        raise InputError(f"blocks of shape {(height, width)}, which do not divide {(n, n)}")
    indices = index_array("indices", matrix.indices, n // width - 1)
    indptr = index_array("indptr", matrix.indptr, count)
    if indices.size != count:
        raise InputError(f"{count} blocks for {indices.size} indices")
    _check_pointers("indptr", indptr, "indices", count, n // height)
    _check_range("indices", indices, n // width)
    rows = np.repeat(np.arange(n // height), np.diff(indptr))[:, None, None] * height
    columns = indices.astype(np.int64)[:, None, None] * width
    ends = np.broadcast_arrays(rows + np.arange(height)[:, None], columns + np.arange(width))
    return ends[0].ravel(), ends[1].ravel(), matrix.data.ravel()


def _of_diagonals(matrix: Any, n: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of a dia matrix, those within it that are not zero."""
    offsets = index_array("offsets", matrix.offsets, np.iinfo(np.int64).max)
    count, length = matrix.data.shape
    if offsets.size != count or np.unique(offsets).size != count:
        raise InputError(f"offsets must be {count} different ones, one for each row of data")
    inside = (offsets > -n) & (offsets < n)
    column = np.arange(min(length, n))
    rows, values = column - offsets[inside, None], matrix.data[inside, : column.size]
    kept = (rows >= 0) & (rows < n) & (values != 0)
    return rows[kept], np.broadcast_to(column, rows.shape)[kept], values[kept]


def _of_lists(matrix: Any, n: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of a lil matrix."""
    sizes, others = ([len(row) for row in lists] for lists in (matrix.rows, matrix.data))
    if sizes != others or len(sizes) != n:
        raise InputError(f"rows and data must be {n} lists each, of the same lengths")
    columns, values = (
        np.fromiter(itertools.chain.from_iterable(lists), dtype)
        for lists, dtype in ((matrix.rows, np.int64), (matrix.data, matrix.dtype))
    )
    return np.repeat(np.arange(n), sizes), columns, values


def _of_keys(matrix: Any, _: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of a dok matrix."""
    rows, columns = ([i for i, _ in matrix.keys()], [j for _, j in matrix.keys()])
    return rows, columns, np.fromiter(matrix.values(), matrix.dtype)


def index_array(name: str, values: Any, most: int) -> IndexArray:
    """Array of integers of 32 or 64 bits, on the host or a GPU; ``most`` is for a message."""
    try:
        array = values if hasattr(values, "__cuda_array_interface__") else np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(
            f"{name} must be a one-dimensional array of integers: {error}"
        ) from error
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputTypeError(
            f"{name} must be a one-dimensional array of integers, got "
            f"{array.ndim} dimensions of {array.dtype}"
        )
    if array.dtype in (np.int32, np.int64):
        return array
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:  # may exceed int64
        wide = array > np.iinfo(np.int64).max
        if wide.any():
            at = int(wide.argmax())
            raise InputError(f"{name}[{at}] must be at most {most}, got {array[at]}")
    whole: IndexArray = array.astype(np.int64)
    return whole


def spelt(n: int) -> str:
    """Digits of an integer, or its magnitude where Python may refuse to write them."""
    return str(n) if n.bit_length() < 1000 else f"{'-' * (n < 0)}2**{n.bit_length() - 1} or more"


def _check_pointers(name: str, indptr: IndexArray, of: str, entries: int, rows: int) -> None:
    if indptr.size != rows + 1:
        raise InputError(f"{name} must have n + 1 = {rows + 1} items, got {indptr.size}")
    falls = indptr[1:] < indptr[:-1]
    if indptr[0] == 0 and indptr[-1] == entries and not falls.any():
        return
    if indptr[0] != 0:
        wrong = f"{name}[0] is {indptr[0]}"
    elif falls.any():
        at = int(falls.argmax())
        wrong = f"{name}[{at + 1}] is {indptr[at + 1]} after {indptr[at]}"
    else:
        wrong = f"{name}[{rows}] is {indptr[-1]}"
    raise InputError(
        f"{name} must be non-decreasing from 0 to len({of}) = {entries}, got {indptr[0]} to "
        f"{indptr[-1]} ({wrong}): build the matrix anew"
    )


def _check_range(name: str, indices: IndexArray, n: int) -> None:
    if indices.size and not 0 <= indices.min() <= indices.max() < n:
        at = int(((indices < 0) | (indices >= n)).argmax())
        raise InputError(f"{name}[{at}] must lie in 0..{n - 1}, got {indices[at]}")


# Entries up to which `repr` compares a matrix with its transpose.
COMPARED = 1 << 22


class Network(NamedTuple):
    """A matrix and the names of its nodes; functions take it wherever they take a matrix.

    They take a symmetric one for directed too, and so every pair twice in raw scores, unless
    ``directed=False`` is given.

    ``matrix, names = network`` unpacks it.

    Attributes
    ----------
    matrix : csr_array, shape (n, n)
        Entry [i, j] is the edge from node i to node j. Indices are sorted and unique; floating
        point is float64, integers and booleans stay as stored.
    names : tuple of str, length n
        Name of each node. Where the file has no names it is a number, counted as the format counts:
        from 1 in Matrix Market files, from 0 in npz files.
    """

    matrix: Any
    names: tuple[str, ...]

    def __repr__(self) -> str:
        """Size, direction and the first names, in one line."""
        first = ", ".join(map(repr, self.names[:3])) + ", ..." * (len(self.names) > 3)
        return f"<Network of {described(self.matrix)}; names {first or 'of none'}>"


def described(matrix: Any) -> str:
    """Text of the size of a matrix, and of its symmetry."""
    try:
        A = csr_of(matrix)
    except (TypeError, ValueError) as error:
        return f"an invalid matrix ({error})"
    size = f"{A.shape[0]:,} nodes, {A.nnz:,} entries"
    if A.nnz > COMPARED:
        return size
    return size + (
        ", directed" if (A != A.T).nnz else ", symmetric: undirected with directed=False"
    )


def matrix_of(A: Any) -> Any:
    """Matrix of a `Network` or of a sparse tensor; any other object as it is."""
    if not isinstance(A, Network):
        return adopted(A)
    rows = getattr(A.matrix, "shape", ())[:1]
    if rows and rows != (len(A.names),):
        raise InputError(f"the Network has {len(A.names)} names for a matrix of {rows[0]} rows")
    return adopted(A.matrix)


def names_of(A: Any) -> tuple[str, ...] | None:
    """Names of the nodes of a `Network`; None for any other object."""
    return A.names if isinstance(A, Network) else None
