"""Every node once in each of its blocks, as rows of one graph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph import block_kernels
from ..graph.csr import CSR, GraphOps, Matrix
from ..graph.graph import Graph


class BlockRows(NamedTuple):
    """Rows of all blocks, one block after the other, and the arcs between them, each in one block.

    The top of a block comes first, and then the others in their order.
    """

    start: NDArray[np.int64]  # (blocks + 1,) first row of each block
    block: NDArray[np.int64]  # (rows,)
    nodes: NDArray[np.int32]  # (rows,)
    own_row: NDArray[np.int64]  # (n,) row of a node where it is not the top, -1 where there is none
    outgoing: Matrix  # with the lengths of the arcs; of no entries where all are equal
    incoming: Matrix  # the same object if the graph is symmetric

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Nodes of each block."""
        return np.diff(self.start)

    @property
    def tops(self) -> NDArray[np.int64]:
        """Row of the top of each block."""
        return self.start[:-1]

    def at(self, ops: GraphOps) -> BlockRows:
        """The same where some ops keep a graph."""
        arrays = map(ops.asarray, self[:4])
        ways = [Matrix(CSR(*map(ops.asarray, pattern)), values) for pattern, values in self[4:]]
        return BlockRows(*arrays, *ways)

    def union(self, rows: NDArray[np.int64], given: Graph) -> Graph:
        """Graph on the rows of whole blocks, each in its order, where the given one lives."""

        def part(whole: Matrix) -> tuple[NDArray[Any], ...]:
            found: tuple[NDArray[Any], ...] = block_kernels.rows_of(
                *whole.pattern, whole.values, rows
            )
            return found

        ways = (self.outgoing,) if given.symmetric else (self.outgoing, self.incoming)
        with ThreadPoolExecutor(len(ways)) as pool:
            found = [map(given.ops.asarray, arrays) for arrays in pool.map(part, ways)]
        parts = [Matrix(CSR(indptr, indices), values) for indptr, indices, values in found]
        there, back = parts[0], parts[-1]
        lengths = given.lengths
        if lengths is not None:
            lengths = replace(lengths, outgoing=there.values, incoming=back.values)
        return Graph(rows.size, there.pattern, back.pattern, given.ops, lengths)


def block_rows(
    graph: Graph,
    place: NDArray[np.int32],
    block: NDArray[np.int32],
    tops: NDArray[np.int32],
) -> BlockRows:
    """Rows of the blocks that `kernels.blocks` found in a graph on the host."""
    start, nodes, own_row = block_kernels.rows(block, tops)

    def part(there: Graph) -> Matrix:
        lengths = there.lengths.outgoing if there.lengths else np.empty(0)
        found = block_kernels.arcs(*there.outgoing, lengths, place, block, start, own_row)
        return Matrix(CSR(*found[:2]), found[2])

    ways = (graph,) if graph.symmetric else (graph, graph.reverse())
    with ThreadPoolExecutor(len(ways)) as pool:
        parts = list(pool.map(part, ways))
    of_row = np.repeat(np.arange(tops.size), np.diff(start))
    return BlockRows(start, of_row, nodes, own_row, parts[0], parts[-1])
