"""Patterns on a GPU: the functions of `sparsebc.patterns.Patterns`, on CuPy arrays.

A pattern that is out of order is sorted by keys, row * n + column; the rest is done by the kernels
of `kernels/patterns.cu`. All of it runs on the current device and stream.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ..patterns import CSR, Host, Matrix, clusters, from_keys
from .kernels.source import complete

THREADS, WARP = 256, 32
MOST_BLOCKS = 1 << 16
CLUSTER = 16
# Edges of a row of which a block looks at the triangles.
CHUNK = 256


class CUDAPatterns:
    """Patterns of CuPy arrays."""

    xp: Any = cupy
    haste = 1024
    asarray = staticmethod(cupy.asarray)

    @staticmethod
    def on_host(array: Any) -> NDArray[Any]:
        """Copy from the GPU."""
        there: NDArray[Any] = cupy.asnumpy(array)
        return there

    @staticmethod
    def canonical(form: str, first: Any, second: Any, n: int) -> CSR:
        """Rows in order stay as they are; others are sorted."""
        if form == "coo":
            return _sorted(first.astype(np.int64) * n + second, n)
        given = _given(first, second)
        if form == "csc":
            return _sorted(_keys(given, transposed=True), n)
        return given if _is_canonical(given) else _sorted(_keys(given), n)

    @staticmethod
    def summed(form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Rows in order stay as they are; others are sorted and summed by the host."""
        if form == "csr":
            given = _given(first, second)
            if _is_canonical(given):
                return Matrix(given, cupy.ascontiguousarray(values))
        a, b, c = map(cupy.asnumpy, (first, second, values))
        (indptr, indices), sums = Host.summed(form, a, b, c, n)
        return Matrix(CSR(cupy.asarray(indptr), cupy.asarray(indices)), cupy.asarray(sums))

    @staticmethod
    def reverse(pattern: CSR) -> CSR:
        """Look each entry's counterpart up; sort only where one is missing."""
        if _is_symmetric(pattern):
            return pattern
        return _sorted(_keys(pattern, transposed=True), pattern.indptr.size - 1)

    @staticmethod
    def transposed(matrix: Matrix) -> Matrix:
        """As `reverse`, values included."""
        pattern, values = matrix
        if _is_symmetric(pattern, values):
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
    def induced(pattern: CSR, nodes: Any) -> CSR:
        """Number the columns anew, then sort."""
        n, m = pattern.indptr.size - 1, nodes.size
        number = cupy.full(n, -1, dtype=np.int32)
        number[nodes] = cupy.arange(m, dtype=np.int32)
        count = cupy.empty(m, dtype=np.int64)
        _by_rows("count_kept", pattern, nodes, number, count, rows=m)
        ends = cupy.cumsum(count)
        keys = cupy.empty(int(ends[-1]) if m else 0, dtype=np.int64)
        _by_rows("renumber", pattern, nodes, number, ends - count, keys, rows=m)
        return _sorted(keys, m)

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
    def fold(pattern: CSR, label: Any, alpha: Any, omega: Any) -> tuple[Any, Any, Any]:
        """Many trees at once, each from its leaves."""
        n, degree = pattern.indptr.size - 1, pattern.degrees
        nodes, arcs = (CUDAPatterns.totals(label, x) for x in (cupy.ones_like(degree), degree))
        root = (arcs == 2 * (nodes - 1)) & (label == cupy.arange(n))
        leaf = degree == 1
        links = cupy.empty(n, dtype=np.uint32)
        children = cupy.zeros_like(alpha)
        _by_rows("links", pattern, links)
        parents = cupy.full(n, -1, dtype=np.int32)
        _by_nodes("fold", n, leaf, root, degree, links, alpha, omega, children, parents)
        return degree, children, parents

    @staticmethod
    def components(pattern: CSR) -> Any:
        """Join the two ends of every entry; labels are the smallest nodes."""
        n = pattern.indptr.size - 1
        label = cupy.arange(n, dtype=np.int32)
        _by_rows("join", pattern, label)
        _by_nodes("flatten", n, label)
        return label

    @staticmethod
    def totals(label: Any, values: Any) -> Any:
        """In any order."""
        sums = cupy.zeros(label.size, dtype=np.int64)
        _by_nodes("add_up", label.size, label, values, sums)
        return sums[label]

    @staticmethod
    def deeper(pattern: CSR, source: int, levels: int) -> bool:
        """So many levels, whether they are there or not, then one look."""
        level = cupy.full(pattern.indptr.size - 1, -1, dtype=np.int32)
        level[source] = 0
        for depth in range(levels + 1):
            _by_rows("advance", pattern, np.int32(depth), level)
        return bool((level == levels + 1).any())

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
        return cupy.asarray(Host.distances(there, source))

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


def _is_canonical(pattern: CSR) -> bool:
    """Whether rows are sorted, without repeated entries or any on the diagonal."""
    found = cupy.zeros(1, dtype=np.int32)
    _by_rows("irregular", pattern, found)
    return not found.any()


def _is_symmetric(pattern: CSR, values: Any = None) -> bool:
    """Whether every entry has a counterpart, of the same value if there are any."""
    found = cupy.zeros(1, dtype=np.int32)
    _by_rows("asymmetric", pattern, np.uint64(0) if values is None else values, found)
    return not found.any()


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


def _by_rows(name: str, pattern: CSR, *rest: Any, rows: int | None = None) -> None:
    """Launch a kernel that gives each row to a warp."""
    rows = pattern.indptr.size - 1 if rows is None else rows
    blocks = min(-(-rows * WARP // THREADS), MOST_BLOCKS)
    if blocks:
        _kernel(name)((blocks,), (THREADS,), (*pattern, np.int32(rows), *rest))


def _by_nodes(name: str, n: int, *rest: Any) -> None:
    """Launch a kernel that gives each node to a thread."""
    _kernel(name)((-(-n // THREADS),), (THREADS,), (np.int32(n), *rest))


def _kernel(name: str) -> Any:
    return _module().get_function(name)


@functools.cache
def _module() -> Any:
    source = complete(Path(__file__).parent / "kernels" / "patterns.cu")
    return cupy.RawModule(code=source, options=("-std=c++17",))
