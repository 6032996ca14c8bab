"""GraphOps on a GPU: the functions of `graph.csr.GraphOps`, on CuPy arrays.

A pattern that is out of order is sorted by keys, row * n + column; the rest is done by the kernels
of `graph_ops.cu`. All of it runs on the current device and stream.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ...graph.csr import CSR, UNKNOWN, Inspection, Matrix, Traits, from_keys
from ...graph.kernels import clusters
from ...graph.ops import HostOps
from .layout import CHUNK, ONE_WAY, OUTSIDE, THREADS, TRAITS, UNTIDY, WARP
from .runtime import fetch, here, kernels

MOST_BLOCKS = 1 << 16
LOOK = 16  # levels of a search between looks at whether it has ended
CLUSTER = 16
KERNELS = (
    *("inspect", "keys", "unfolded", "fold", "join", "flatten", "add_up", "traits", "advance"),
    *("nearer", "enumerate", "count_kept", "renumber", "rule_out"),
)


class CUDAOps:
    """GraphOps of CuPy arrays."""

    xp: Any = cupy
    pair_throughput = 1024

    def __init__(self) -> None:
        self._leaving: list[tuple[Any, Any]] = []

    def asarray(self, array: Any) -> Any:
        """Copy what is not on the current device.

        What comes from another one is held until it is here: its memory would be used again in
        the order of a stream over there.
        """
        there = here(array)
        self._leaving = [(copied, held) for copied, held in self._leaving if not copied.done]
        if there is not array and isinstance(array, cupy.ndarray):
            self._leaving.append((cupy.cuda.get_current_stream().record(), array))
        return there

    @staticmethod
    def on_host(array: Any) -> NDArray[Any]:
        """Copy from the GPU; what is on the host as it is."""
        return fetch(array) if isinstance(array, cupy.ndarray) else np.asarray(array)

    @staticmethod
    def inspect(form: str, first: Any, second: Any, n: int) -> Inspection:
        """One kernel, and one look at what it found."""
        if form == "coo" or first.size != n + 1 or second.dtype != np.int32:
            return UNKNOWN
        given = _given(first, second)
        wrong = _wrong(given)
        symmetric = not wrong
        tidy = symmetric or (form == "csr" and wrong == ONE_WAY)
        return Inspection(not wrong & OUTSIDE, given if tidy else None, symmetric)

    @staticmethod
    def canonical(form: str, first: Any, second: Any, n: int) -> CSR:
        """Sorted by keys."""
        if form == "coo":
            return _sorted(first.astype(np.int64) * n + second, n)
        return _sorted(_keys(_given(first, second), transposed=form == "csc"), n)

    @staticmethod
    def summed(form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Rows in order stay as they are; others are sorted and summed by the host."""
        if form == "csr":
            given = _given(first, second)
            if not _wrong(given) & UNTIDY:
                return Matrix(given, cupy.ascontiguousarray(values))
        a, b, c = map(cupy.asnumpy, (first, second, values))
        (indptr, indices), sums = HostOps.summed(form, a, b, c, n)
        return Matrix(CSR(cupy.asarray(indptr), cupy.asarray(indices)), cupy.asarray(sums))

    @staticmethod
    def reverse(pattern: CSR) -> CSR:
        """Look each entry's counterpart up; sort only where one is missing."""
        if not _wrong(pattern):
            return pattern
        return _sorted(_keys(pattern, transposed=True), pattern.indptr.size - 1)

    @staticmethod
    def transposed(matrix: Matrix) -> Matrix:
        """As `reverse`, values included."""
        pattern, values = matrix
        if not _wrong(pattern, values):
            return matrix
        keys = _keys(pattern, transposed=True)
        order = cupy.argsort(keys)
        return Matrix(from_keys(keys[order], pattern.indptr.size - 1, cupy), values[order])

    @staticmethod
    def union(pattern: CSR, other: CSR) -> CSR:
        """Sort the entries of both."""
        both = cupy.concatenate((_keys(pattern), _keys(other)))
        return _sorted(both, pattern.indptr.size - 1)

    @staticmethod
    def induced(pattern: CSR, reverse: CSR, nodes: Any) -> CSR:
        """Number the columns anew, then sort."""
        n, m = pattern.indptr.size - 1, nodes.size
        number = cupy.full(n, -1, dtype=np.int32)
        _by_nodes("enumerate", m, nodes, number)
        count = cupy.zeros(m + 1, dtype=np.int64)
        _by_rows("count_kept", pattern, number, count[1:])
        indptr = cupy.cumsum(count)
        keys = cupy.empty(int(indptr[-1]), dtype=np.int64)
        _by_rows("renumber", pattern, number, indptr, count[1:], keys)
        keys.sort()
        return CSR(indptr, cupy.ascontiguousarray(keys.view(np.int32)[::2]))  # the lower halves

    @staticmethod
    def rows(pattern: CSR) -> Any:
        """From the keys."""
        return (_keys(pattern) // max(pattern.indptr.size - 1, 1)).astype(np.int32)

    @staticmethod
    def keys(pattern: CSR) -> Any:
        """A warp a row."""
        return _keys(pattern)

    @staticmethod
    def places(pattern: CSR, part: CSR, nodes: Any) -> Any:
        """Look the keys up that the entries have in the pattern."""
        n, nodes = pattern.indptr.size - 1, cupy.asarray(nodes)
        column = nodes[part.indices]
        row = nodes[_keys(part) // max(nodes.size, 1)]
        return cupy.searchsorted(_keys(pattern), row * n + column)

    @staticmethod
    def counterparts(pattern: CSR) -> Any:
        """Sort by columns."""
        return cupy.argsort(_keys(pattern, transposed=True))

    @staticmethod
    def fold(pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any]:
        """Many trees at once, each from its leaves."""
        degree, surplus, children = cupy.empty((3, label.size), dtype=np.int64)
        links, parents = cupy.zeros((2, label.size), dtype=np.int32)
        _by_rows("unfolded", pattern, degree, surplus, children, links, parents)
        _by_nodes(
            "fold",
            label.size,
            *(pattern.indptr, label, _sums(label, surplus), degree, links, *ends),
            *(children, parents),
        )
        return degree, children, parents

    @staticmethod
    def components(pattern: CSR) -> Any:
        """Union-find over the two ends of every entry; labels are the smallest nodes."""
        n = pattern.indptr.size - 1
        label = cupy.arange(n, dtype=np.int32)
        _by_rows("join", pattern, label)
        _by_nodes("flatten", n, label)
        return label

    @staticmethod
    def totals(label: Any, values: Any) -> Any:
        """In any order."""
        return _sums(label, values)[:, label]

    @staticmethod
    def traits(pattern: CSR, levels: int) -> Traits:
        """So many levels, whether they are there or not, then one look."""
        found, n = cupy.zeros(TRAITS.dtype.itemsize, np.uint8), pattern.indptr.size - 1
        level = cupy.empty(n, dtype=np.int32)
        _by_nodes("traits", n, pattern.indptr, level, found)
        for depth in range(levels + 1):
            _by_rows("advance", pattern, np.uint32(1), np.int32(depth), level, found)
        seen = fetch(found).view(TRAITS.dtype)[0]  # device to host
        return Traits(bool(seen["leaves"]), bool(seen["last"] > levels))

    @staticmethod
    def tree_to_busiest(pattern: CSR, reverse: CSR) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Levels until one is empty, with a look at every sixteenth."""
        found, n = cupy.zeros(TRAITS.dtype.itemsize, np.uint8), pattern.indptr.size - 1
        both = cupy.empty((2, n), dtype=np.int32)
        parent, level = both
        _by_nodes("traits", n, reverse.indptr, level, found)
        depth = last = 0
        while depth == last:
            for depth in range(last, last + LOOK):
                rest = np.uint32(WARP), np.int32(depth), level, found
                _by_rows("advance", reverse, *rest, lanes=1)
            depth += 1
            last = int(fetch(found).view(TRAITS.dtype)["last"][0])  # device to host
        parent.data.memset_async(127, parent.nbytes)  # no node is that large
        _by_rows("nearer", pattern, level, parent)
        parents, levels = fetch(both)
        return parents, levels

    @staticmethod
    def local_order(pattern: CSR, nodes: Any, symmetric: bool) -> Any:
        """Small clusters, so that neighbours share a line of memory, in the order of a search.

        Found by the host.
        """
        indptr, indices, there = map(cupy.asnumpy, (*pattern, nodes))
        searched = clusters(indptr, indices, there, there.size)
        return cupy.asarray(clusters(indptr, indices, searched, CLUSTER))

    @staticmethod
    def distances(lengths: Matrix, source: int) -> Any:
        """Found by the host."""
        pattern, values = lengths
        there = Matrix(CSR(*map(cupy.asnumpy, pattern)), cupy.asnumpy(values))
        return cupy.asarray(HostOps.distances(there, source))

    @staticmethod
    def needed(lengths: Matrix, slack: float) -> Any:
        """A block for a part of a row."""
        pattern, values = lengths
        needed = cupy.ones(values.size, dtype=bool)
        ends = cupy.cumsum(-(-pattern.degrees // CHUNK))
        parts = int(ends[-1]) if ends.size else 0
        if parts:
            blocks = min(parts, MOST_BLOCKS)
            _kernel("rule_out")(
                (blocks,),
                (THREADS,),
                (*pattern, np.int32(ends.size), ends, values, np.float64(slack), needed),
            )
        return needed


def _given(indptr: Any, indices: Any) -> CSR:
    """The pattern as it was given."""
    return CSR(
        cupy.ascontiguousarray(indptr, dtype=np.int64),
        cupy.ascontiguousarray(indices, dtype=np.int32),
    )


def _wrong(pattern: CSR, values: Any = None) -> int:
    """What keeps a pattern from being that of a symmetric matrix, as in graph_ops.cu."""
    found = cupy.zeros(1, dtype=np.uint32)
    entries, values = np.int64(pattern.indices.size), np.uint64(0) if values is None else values
    _by_rows("inspect", pattern, entries, values, found)
    return int(found.get()[0])


def _sums(label: Any, values: Any) -> Any:
    """Sums of each row of values by label, shape (rows, n)."""
    sums = cupy.zeros((values.size // max(label.size, 1), label.size), dtype=np.int64)
    _by_nodes("add_up", label.size, label, np.int32(len(sums)), values, sums)
    return sums


def _keys(pattern: CSR, *, transposed: bool = False) -> Any:
    """Row * n + column of every entry, or column * n + row."""
    keys = cupy.empty(pattern.indices.size, dtype=np.int64)
    _by_rows("keys", pattern, np.bool_(transposed), keys)
    return keys


def _sorted(keys: Any, n: int) -> CSR:
    """The pattern of these keys; repeated entries become one, those on the diagonal none."""
    keys = cupy.sort(keys)
    keep = keys % (n + 1) != 0  # row * n + row = row * (n + 1)
    keep[1:] &= keys[1:] != keys[:-1]
    return from_keys(keys if keep.all() else keys[keep], n, cupy)


def _by_rows(name: str, pattern: CSR, *rest: Any, lanes: int = WARP) -> None:
    """Launch a kernel that gives each row to a warp or a lane, a long one to many warps."""
    rows = pattern.indptr.size - 1
    blocks = max(1, min(-(-rows * lanes // THREADS), MOST_BLOCKS))
    _kernel(name)((blocks,), (THREADS,), (*pattern, np.int32(rows), *rest))


def _by_nodes(name: str, n: int, *rest: Any) -> None:
    """Launch a kernel that gives each node to a thread."""
    _kernel(name)((max(1, -(-n // THREADS)),), (THREADS,), (np.int32(n), *rest))


def _kernel(name: str) -> Any:
    return kernels("graph_ops.cu", KERNELS)[name]
