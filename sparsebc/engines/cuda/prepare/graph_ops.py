"""GraphOps on a GPU: the functions of `graph.ops.GraphOps`, on CuPy arrays.

A pattern that is out of order is sorted by keys, row * n + column; the rest is done by the kernels
of `graph_ops.cu`. All of it runs on the current device and stream.
"""

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR, Condensed, Matrix, Traits, filtered
from ....matrix.ops import UNKNOWN, GraphOps
from ..layout import BLOCKS, MOST_BLOCKS, ROWS_OF, TRAITS, WARP
from ..runtime.copies import clear, download, split_bytes, upload
from . import biconnected
from .launch import NULL, by_entries, by_nodes, by_rows, kernel, search, steps, zeros
from .scc import labels

TWIN_KINDS = 2  # open and closed
CLUSTER_LOOK = 8  # rounds between looks at whether any clusters joined


class CUDAOps(GraphOps):
    """GraphOps of CuPy arrays."""

    xp: Any = cupy
    pair_throughput = 1024

    def __init__(self) -> None:
        self._leaving: list[tuple[Any, Any]] = []

    def asarray(self, array: Any) -> Any:
        """The array on the current device, a copy of one that is elsewhere.

        An array of another device is held until its copy ends, lest its memory is reused before.
        """
        there = upload(array)
        self._leaving = [(copied, held) for copied, held in self._leaving if not copied.done]
        if there is not array and isinstance(array, cupy.ndarray):
            self._leaving.append((cupy.cuda.get_current_stream().record(), array))
        return there

    def on_host(self, array: Any) -> NDArray[Any]:
        """A copy on the host of an array of a GPU; one of the host as it is."""
        return download(array) if isinstance(array, cupy.ndarray) else np.asarray(array)

    def inspect(self, form: str, first: Any, second: Any, n: int) -> tuple[bool, CSR | None, bool]:
        """Facts about index arrays, by one kernel and one look at what it found."""
        if form == "coo" or first.size != n + 1 or second.dtype != np.int32:
            return UNKNOWN
        given = _given(first, second)
        wrong = _wrong(given)
        symmetric = not wrong
        tidy = symmetric or (form == "csr" and wrong == ROWS_OF.ONE_WAY)
        return not wrong & ROWS_OF.OUTSIDE, given if tidy else None, symmetric

    def canonical(self, form: str, first: Any, second: Any, n: int) -> CSR:
        """The pattern, its entries sorted by keys."""
        if form == "coo":
            return _sorted(first.astype(np.int64) * n + second, n)
        return _sorted(_keys(_given(first, second), transposed=form == "csc"), n)

    def summed(self, form: str, first: Any, second: Any, values: Any, n: int) -> Matrix:
        """Rows in order stay as they are; others are sorted and summed by the host."""
        if form == "csr":
            given = _given(first, second)
            if not _wrong(given) & ROWS_OF.UNTIDY:
                return Matrix(given, cupy.ascontiguousarray(values))
        a, b, c = map(cupy.asnumpy, (first, second, values))
        (indptr, indices), sums = GraphOps().summed(form, a, b, c, n)
        return Matrix(CSR(cupy.asarray(indptr), cupy.asarray(indices)), cupy.asarray(sums))

    def reverse(self, pattern: CSR, one_way: bool = False) -> CSR:
        """Look each entry's counterpart up; sort only where one is missing."""
        if not one_way and not _wrong(pattern):
            return pattern
        keys = _keys(pattern, transposed=True)
        keys.sort()
        return self.from_keys(keys, pattern.indptr.size - 1)

    def transposed(self, matrix: Matrix) -> Matrix:
        """As `reverse`, values included."""
        pattern, values = matrix
        if not _wrong(pattern, values):
            return matrix
        keys = _keys(pattern, transposed=True)
        order = cupy.argsort(keys)
        return Matrix(self.from_keys(keys[order], pattern.indptr.size - 1), values[order])

    def either_way(self, pattern: CSR, one_way: bool = False) -> CSR:
        """Entries of A and of A', by a sort of the keys of both."""
        size = pattern.indices.size
        both = cupy.empty(2 * size, dtype=np.int64)
        _keys(pattern, both[:size])
        _keys(pattern, both[size:], transposed=True)
        return _sorted(both, pattern.indptr.size - 1)

    def induced(
        self, matrix: Matrix, reverse: Matrix, nodes: Any, entries: int | None = None
    ) -> Matrix:
        """Number the columns anew, then sort."""
        pattern, values = matrix
        n, m = pattern.indptr.size - 1, nodes.size
        number = cupy.empty(n, dtype=np.int32)
        number.data.memset_async(255, number.nbytes)  # -1
        by_nodes("enumerate", m, nodes, number)
        count = cupy.zeros(m + 1, dtype=np.int64)
        by_rows("count_kept", pattern, number, count[1:])
        indptr = cupy.cumsum(count)
        if entries is None:
            entries = int(download(indptr[-1:])[0])  # device to host
        keys = cupy.empty(entries, dtype=np.int64)
        by_rows("renumber", pattern, number, indptr, count[1:], keys)
        keys.sort()
        part = CSR(indptr, keys.astype(np.int32))  # the lower half
        if values.size:
            nodes = nodes.astype(np.int32)
            values = values[_found(pattern, nodes[self.rows(part)], nodes[part.indices])]
        return Matrix(part, values)

    def rows(self, pattern: CSR) -> Any:
        """Row of every entry, by a warp for each row."""
        rows = cupy.empty(pattern.indices.size, dtype=np.int32)
        by_rows("rows", pattern, rows)
        return rows

    def counterparts(self, pattern: CSR, reverse: CSR) -> Any:
        """Places of the entries of A', looked up in the rows of the pattern."""
        return _found(pattern, reverse.indices, self.rows(reverse))

    def fold(self, pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any, Any]:
        """Nodes of degree one removed, from all leaves at once, by `trees.cu`."""
        n, below = label.size, ends.copy()
        degree, surplus, children = cupy.empty((3, n), dtype=np.int64)
        links, parents = cupy.zeros((2, n), dtype=np.int32)
        by_rows("unfolded", pattern, degree, surplus, children, links, parents)
        surplus = self.add_up(label, surplus[None], n)
        rest = degree, links, *below, children, parents
        by_nodes("fold", n, pattern.indptr, label, surplus, *rest)
        return degree, children, parents, below

    def blocks(
        self, outgoing: CSR, incoming: CSR, label: Any, whole: Any, left: Any
    ) -> tuple[Any, Any, int, int]:
        """Blocks, from trees of shortest paths; by the host if these have many levels."""
        found = biconnected.find(outgoing, incoming, label, whole, left)
        if found is not None:
            return found
        there, back = (CSR(*map(download, pattern)) for pattern in (outgoing, incoming))
        back = there if incoming is outgoing else back
        block, tops, roots, others = GraphOps().blocks(there, back, None, None, download(left))
        return upload(block), upload(tops), roots, others

    def arcs_in_blocks(
        self, ways: Sequence[Matrix], left: Any, block: Any, start: Any, own: Any
    ) -> list[Matrix]:
        """Arcs of each way, sorted by keys of rows."""
        size = int(download(start[-1:])[0])  # device to host
        found = []
        for pattern, values in ways:
            keys = cupy.empty(pattern.indices.size, np.uint64)
            by_rows("arc_keys", pattern, left, block, start, own, keys)
            if values.size:
                order = cupy.argsort(keys)
                keys, values = keys[order], values[order]
            else:
                keys.sort()
            indptr = cupy.searchsorted(keys, cupy.arange(size + 1, dtype=np.uint64) << 32)
            kept = int(download(indptr[-1:])[0])  # device to host
            found.append(Matrix(CSR(indptr, keys[:kept].astype(np.int32)), values[:kept]))
        return found

    def twins(
        self, patterns: Sequence[CSR], nodes: NDArray[np.int32], omega: Any
    ) -> NDArray[np.int64]:
        """First twins of nodes, all rows at once by a hash table: a warp a row, a thread a node."""
        n, size = omega.size, 1 << (2 * nodes.size).bit_length()
        mask, targets = np.uint32(size - 1), (omega, patterns[-1].indptr)
        sizes = {"hashes": 8 * TWIN_KINDS * size, "sums": 8 * n, "differs": TWIN_KINDS * n}
        zero = cupy.empty(sum(sizes.values()), np.uint8)
        hashes, sums, differs = split_bytes(zero, sizes).values()
        nowhere = cupy.empty(TWIN_KINDS * (size + n), np.uint32)
        clear(zero)
        nowhere.data.memset_async(255, nowhere.nbytes)
        found = mask, nowhere[: TWIN_KINDS * size], nowhere[TWIN_KINDS * size :]
        for back, way in enumerate(patterns):
            by_rows("hash_rows", way, np.bool_(back), sums)
        asked = upload(nodes), np.int32(n), sums, *targets, np.bool_(len(patterns) > 1)
        by_nodes("propose", nodes.size, *asked, found[0], hashes, *found[1:])
        for way in patterns:
            by_rows("compare", way, *found, differs)
        leader = cupy.empty(n, np.int32)
        by_nodes("settle", n, *found, differs, *targets, leader)
        return download(leader).astype(np.int64)

    def mixed(self, pattern: CSR, values: Any, leader: Any, other: Any, shares: Any) -> Any:
        """Mixed values of arcs, by a warp for each row."""
        result = cupy.empty_like(values)
        by_rows("mix", pattern, values, leader, other, shares, result)
        return result

    def sorted_by(self, keys: Any, bound: int) -> Any:
        """Stable order of integers, by CuPy's radix sort."""
        return cupy.argsort(keys, kind="stable")

    def components(self, outgoing: CSR, incoming: CSR, whole: Any) -> Any:
        """The smallest node of each component, by union-find over the ends of every entry."""
        n = outgoing.indptr.size - 1
        label, (level, found) = cupy.empty(n, np.int32), (NULL, NULL) if whole is None else whole
        by_nodes("labels", n, level, found, label)
        by_rows("join", outgoing, level, label)
        by_nodes("flatten", n, label)
        return label

    def reached(self, pattern: CSR, starts: Any) -> Any:
        """Marks of nodes that are reached, by a breadth-first search."""
        level = cupy.full(pattern.indptr.size - 1, -1, np.int32)
        level[starts] = 0
        search([pattern], level, WARP)
        return level >= 0

    def condensed(self, outgoing: CSR, incoming: CSR, start: Any, known: Any) -> Condensed:
        """Strong components, numbered in the order of the nodes that label them."""
        size = outgoing.indptr.size - 1
        label, before = labels(outgoing, incoming, known), cupy.zeros(size + 1, np.int64)
        cupy.cumsum(label == cupy.arange(size), out=before[1:])
        number, first = before[label].astype(np.int32), before[start]
        tails, heads = number[self.rows(outgoing)], number[outgoing.indices]
        count = int(download(first[-1:])[0])  # device to host
        return Condensed(number, first, self.canonical("coo", tails, heads, count))

    def sums_over_reach(self, parts: Condensed, values: Any, chosen: Any) -> Any:
        """Sums over reach, by the host, in whose numbers arcs lead to smaller components."""
        host, between = GraphOps(), CSR(*map(download, parts.between))
        again = host.condensed(between, between, download(parts.first), None)
        there, given = np.empty(values.shape, values.dtype), download(values)
        there[:, again.number] = given
        places = again.number[download(chosen)].astype(np.int64)
        order = np.argsort(places)
        sums = np.empty((2, order.size), values.dtype)
        sums[:, order] = host.sums_over_reach(again, there, places[order])
        return upload(sums)

    def add_up(self, label: Any, values: Any, size: int) -> Any:
        """Sums of integers by label, which no order of additions changes."""
        values = cupy.ascontiguousarray(values, dtype=np.int64)
        sums = cupy.zeros((len(values), size), dtype=np.int64)
        blocks = max(1, -(-label.size // (ROWS_OF.THREADS * ROWS_OF.ALIKE)))
        labels_of = np.int64(size), label.astype(np.int32, copy=False), np.int32(len(sums))
        given = np.int32(label.size), *labels_of, values, sums
        kernel("add_up")((blocks,), (ROWS_OF.THREADS,), given)
        return sums

    def add_along(self, pattern: CSR, tails: Any, heads: Any, values: Any, sums: Any) -> None:
        """Values added to entries, a thread to each."""
        ends = (nodes.astype(np.int32, copy=False) for nodes in (tails, heads))
        by_entries("add_along", tails.size, *ends, values, *pattern, sums)

    def traits(self, pattern: CSR, levels: int) -> Traits:
        """Leaves and depth: all levels are launched, and looked at once."""
        found, n = zeros(TRAITS), pattern.indptr.size - 1
        level = cupy.empty(n, dtype=np.int32)
        by_nodes("traits", n, pattern.indptr, level, found)
        for depth in range(levels + 1):
            by_rows("advance", pattern, np.uint32(1), np.int32(depth), level, found)
        by_nodes("smallest", n, level, found)
        seen = download(found).view(TRAITS.dtype)[0]  # device to host
        high_diameter = bool(seen["last"] > levels)
        return Traits(int(seen["leaves"]), high_diameter, None if high_diameter else (level, found))

    def tree_to_busiest(
        self, pattern: CSR, reverse: CSR, label: Any
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Shortest paths to busiest nodes, by a breadth-first search."""
        n, rows, found = label.size, (reverse.indptr, reverse.indptr), zeros(BLOCKS)
        busiest, left = cupy.zeros(n, np.uint64), cupy.ones(n, np.bool_)
        # Parents, n, and levels, 0 at the busiest node of each component or -1.
        parent, level = both = cupy.empty((2, n), np.int32)
        nothing, joined = (NULL, NULL), cupy.empty(n, np.int32)
        by_nodes("elect", n, *rows, left, label, busiest)
        by_nodes("plant", n, *rows, left, label, busiest, *nothing, level, parent, joined, found)
        search([reverse], level, WARP)
        by_rows("nearer", pattern, level, parent)
        parents, levels = download(both)
        return parents, levels

    def local_order(self, outgoing: CSR, incoming: CSR, nodes: Any) -> Any:
        """An order in which neighbours are close: nested clusters.

        Each cluster joins the smallest that it has an edge to, again and again. Each cluster of
        every round is a run of the order, whatever the size of a cache line: its first node, then
        what joined it, round after round.
        """
        n, one_way = outgoing.indptr.size - 1, np.bool_(incoming is not outgoing)
        label, last = cupy.full(n, -1, np.int32), cupy.zeros(1, np.int32)
        label[nodes] = nodes
        size, when = cupy.ones(n, np.int64), cupy.full(n, -1, np.int64)
        preferred = cupy.full(n, 2**64 - 1, np.uint64)
        for step in steps(last, look=CLUSTER_LOOK):
            now = np.int32(step), last
            by_rows("prefer", outgoing, one_way, *now, label, size, preferred)
            by_nodes("link", n, *now, preferred, label)
            by_nodes("merge", n, *now, preferred, label, when, size)
        # Of one cluster in the order of the rounds, and those that joined none after all others.
        joined = when[nodes]
        order = nodes[cupy.argsort(cupy.where(joined < 0, n * ROWS_OF.ROUNDS, joined))]
        before = cupy.cumsum(size[order]) - size[order]
        into = when[order] // ROWS_OF.ROUNDS
        is_first = cupy.concatenate((cupy.ones(1, bool), into[1:] != into[:-1]))
        first = before[is_first][cupy.cumsum(is_first) - 1]
        offset = cupy.empty(n, np.int64)
        offset[order] = before - first + (into >= 0)
        ordered = cupy.empty_like(nodes)
        by_nodes("arrange", nodes.size, nodes, offset, when, ordered)
        return ordered

    def needed(self, lengths: Matrix, slack: float, symmetric: bool) -> Any:
        """Marks of edges that no triangle rules out, by a block for each part of a row.

        Of each edge of a symmetric matrix it has the entry towards the end of more edges, and where
        that stands. Rows are short then: no node has many neighbours of more edges than its own.
        """
        needed = cupy.ones(lengths.values.size, dtype=bool)
        (pattern, values), places = lengths, NULL
        if symmetric:
            n = pattern.degrees.size
            rank = pattern.degrees * n + cupy.arange(n)
            upward = rank[self.rows(pattern)] < rank[pattern.indices]
            places = cupy.flatnonzero(upward)
            pattern, values = filtered(pattern, upward, cupy), values[places]
        ends = cupy.cumsum(-(-pattern.degrees // ROWS_OF.CHUNK))
        parts = int(ends[-1]) if ends.size else 0  # device to host
        if parts:
            rows = *pattern, np.int32(ends.size), ends, values, np.float64(slack)
            grid, given = (min(parts, MOST_BLOCKS),), (*rows, places, *lengths.pattern, needed)
            kernel("rule_out")(grid, (ROWS_OF.THREADS,), given)
        return needed


def _given(indptr: Any, indices: Any) -> CSR:
    """The pattern of index arrays, as they are, of the types that kernels take."""
    return CSR(
        cupy.ascontiguousarray(indptr, dtype=np.int64),
        cupy.ascontiguousarray(indices, dtype=np.int32),
    )


def _found(pattern: CSR, tails: Any, heads: Any) -> Any:
    """Places of some entries of a pattern, which has them."""
    found = cupy.empty(tails.size, np.int64)
    by_entries("locate", tails.size, tails, heads, *pattern, found)
    return found


def _wrong(pattern: CSR, values: Any = None) -> int:
    """What keeps a pattern from being that of a symmetric matrix, as in prepare/graph_ops.cu."""
    found = cupy.zeros(1, dtype=np.uint32)
    entries, values = np.int64(pattern.indices.size), NULL if values is None else values
    by_rows("inspect", pattern, entries, values, found)
    return int(download(found)[0])  # device to host


def _keys(pattern: CSR, keys: Any = None, *, transposed: bool = False) -> Any:
    """Row * n + column of every entry, or column * n + row."""
    keys = cupy.empty(pattern.indices.size, dtype=np.int64) if keys is None else keys
    by_rows("keys", pattern, np.bool_(transposed), keys)
    return keys


def _sorted(keys: Any, n: int) -> CSR:
    """The pattern of these keys; repeated entries become one, those on the diagonal none."""
    keys.sort()
    size = keys.size
    places = cupy.zeros(size + 1, dtype=np.int64)
    by_entries("distinct", size, np.int64(n), keys, places[1:])
    places = cupy.cumsum(places)
    indptr = cupy.empty(n + 1, dtype=np.int64)
    by_entries("starts", n + 1, np.int64(n), np.int64(size), keys, places, indptr)
    indices = cupy.empty(int(download(places[-1:])[0]), dtype=np.int32)  # device to host
    by_entries("take", size, np.int64(n), keys, places, indices)
    return CSR(indptr, indices)
