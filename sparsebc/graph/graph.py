"""The one door for input: any sparse matrix becomes the canonical pattern of A and of A'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .csr import CSR, GraphOps, Inspection, Traits
from .edge_weights import Lengths
from .ops import HostOps

# A graph is deep when a search from its busiest node takes more levels than this.
DEEP = 12
# Values that a thread looks through at a time.
SLICE = 1 << 20

IndexArray = NDArray[np.integer[Any]]


class Remedies(NamedTuple):
    """What to do about values that are not finite, and about negative ones."""

    not_finite: str
    negative: str


EDGES = Remedies("drop such entries or set them to 1", "use abs(A) if each such entry is an edge")


@dataclass(frozen=True)
class Graph:
    """The edges of a graph on nodes 0..n-1, without self loops or repeated edges.

    ``outgoing`` is the CSR pattern of A, ``incoming`` that of A'; they are one object when A is
    symmetric. They live where ``ops`` keeps them. ``lengths`` belong to their entries; None
    where every edge has the length ``unit``.
    """

    n: int
    outgoing: CSR
    incoming: CSR
    ops: GraphOps
    lengths: Lengths | None = None
    unit: float = 1.0

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
        """Memory of both patterns and the lengths in bytes."""
        patterns = self.outgoing.nbytes + (0 if self.symmetric else self.incoming.nbytes)
        return patterns + (self.lengths.nbytes if self.lengths else 0)

    @cached_property
    def traits(self) -> Traits:
        """Whether there are leaves, and whether a search takes more than `DEEP` levels."""
        return self.ops.traits(self.outgoing, DEEP)

    @cached_property
    def components(self) -> Any:
        """A label below n for each node: equal in a weakly connected component."""
        return self.ops.components(self.outgoing)

    def reverse(self) -> Graph:
        """The graph of A'."""
        lengths = self.lengths
        if lengths is not None:
            lengths = replace(lengths, outgoing=lengths.incoming, incoming=lengths.outgoing)
        return replace(self, outgoing=self.incoming, incoming=self.outgoing, lengths=lengths)

    def on_host(self) -> Graph:
        """The graph in the memory of the host."""
        if isinstance(self.ops, HostOps):
            return self
        host = self.ops.on_host
        outgoing, lengths = CSR(*map(host, self.outgoing)), self.lengths
        incoming = outgoing if self.symmetric else CSR(*map(host, self.incoming))
        if lengths is not None:
            there = host(lengths.outgoing)
            back = there if self.symmetric else host(lengths.incoming)
            lengths = replace(lengths, outgoing=there, incoming=back)
        return replace(self, outgoing=outgoing, incoming=incoming, ops=HostOps(), lengths=lengths)


def canonical(
    matrix: Any, *, directed: bool = True, ops_for: Callable[[int], GraphOps] = lambda _: HostOps()
) -> Graph:
    """Graph of a SciPy or CuPy sparse matrix, or of a tuple ``(indptr, indices, n)``.

    Every stored entry off the diagonal is an edge, explicit zeros too. ``directed=False`` takes
    either of A[i, j] and A[j, i] for both. The argument is never modified. ``ops_for`` says where
    to keep a graph of so many entries; the host by default.
    """
    home, form, (_, first, second), n, look = checked(matrix, EDGES, ops_for)
    outgoing = look.pattern or home.canonical(form, first, second, n)
    incoming = outgoing if look.symmetric else home.reverse(outgoing)
    if incoming is not outgoing and not directed:
        outgoing = incoming = home.union(outgoing, incoming)
    return Graph(n, outgoing, incoming, home)


def checked(
    matrix: Any, remedies: Remedies, ops_for: Callable[[int], GraphOps]
) -> tuple[GraphOps, str, tuple[Any, Any, Any], int, Inspection]:
    """Where to keep a matrix, its format, its values and two index arrays there, its size, a look.

    Values must be numbers from 0 on, and indices point inside.
    """
    read = _from_tuple if isinstance(matrix, tuple) else _from_sparse
    form, data, first, second, n = read(matrix)
    home = ops_for(second.size)
    if data is not None and not isinstance(data, np.ndarray):
        data = home.asarray(data)
    with _checking(data, remedies):
        first, second = home.asarray(first), home.asarray(second)
        look = home.inspect(form, first, second, n)
    if form == "coo":
        _check_range("A.row", first, n)
        _check_range("A.col", second, n)
    elif not look.inside:
        prefix = "" if data is None else "A."
        _check_compressed(f"{prefix}indptr", first, f"{prefix}indices", second, n)
    return home, form, (data, first, second), n, look


def _from_sparse(matrix: Any) -> tuple[str, Any, Any, Any, int]:
    """Format, values, the two index arrays and the number of rows."""
    if not (scipy.sparse.issparse(matrix) or type(matrix).__module__.startswith("cupyx.")):
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
    n = matrix.shape[0]
    _check_size(n)
    names = ("row", "col") if matrix.format == "coo" else ("indptr", "indices")
    first, second = (getattr(matrix, name) for name in names)
    return matrix.format, matrix.data, first, second, n


@contextmanager
def _checking(data: NDArray[Any] | None, remedies: Remedies) -> Iterator[None]:
    """Check the values, if there are any; many on the host beside what is done meanwhile."""
    if isinstance(data, np.ndarray) and data.size >= SLICE:
        with ThreadPoolExecutor(1) as pool:
            checked = pool.submit(_check_values, data, remedies)
            yield
            checked.result()
    else:
        if data is not None:
            _check_values(data, remedies)
        yield


def _check_values(data: NDArray[Any], remedies: Remedies) -> None:
    if data.dtype.kind not in "biuf":
        raise TypeError(
            f"A must hold real numbers or booleans, got dtype {data.dtype}: "
            "convert it, for example with abs(A)"
        )
    if data.dtype.kind in "bu" or data.size == 0:
        return
    lowest, highest = _extremes(data)
    if 0 <= lowest <= highest < np.inf:
        return
    bad = ~np.isfinite(data) if data.dtype.kind == "f" else np.zeros(data.shape, dtype=bool)
    if bad.any():
        raise ValueError(
            f"A stores {data[bad][0]} (entry {np.flatnonzero(bad)[0]} of A.data): an edge must be "
            f"a finite number; {remedies.not_finite}"
        )
    if (data < 0).any():  # else they are finite in a wider type than float64
        raise ValueError(
            f"A stores the negative value {data[data < 0][0]} (entry "
            f"{np.flatnonzero(data < 0)[0]} of A.data): {remedies.negative}"
        )


def _extremes(data: Any) -> tuple[float, float]:
    """Least and largest value, NaN if there is any; large arrays of the host by threads."""
    if data.size < SLICE or not isinstance(data, np.ndarray):
        return float(data.min()), float(data.max())
    with ThreadPoolExecutor(max_workers=8) as pool:
        ends = pool.map(_extremes, np.array_split(data, data.size // SLICE + 1))
        lowest, highest = np.transpose(list(ends))
    return float(lowest.min()), float(highest.max())


def _check_size(n: int) -> None:
    if n > np.iinfo(np.int32).max:
        raise ValueError(f"A has {n} rows: at most 2**31 - 1 nodes are supported")


def _from_tuple(parts: tuple[Any, ...]) -> tuple[str, None, Any, Any, int]:
    """As `_from_sparse`, of a csr pattern without values."""
    if len(parts) != 3:
        raise ValueError(f"A as a tuple must be (indptr, indices, n), got {len(parts)} items")
    n = parts[2]
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"n in (indptr, indices, n) must be an int, got {type(n).__name__}")
    if n < 0:
        raise ValueError(f"n in (indptr, indices, n) must not be negative, got {n}")
    _check_size(int(n))
    return "csr", None, _index_array("indptr", parts[0]), _index_array("indices", parts[1]), int(n)


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
