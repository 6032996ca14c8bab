"""Every node once in each of its blocks, as rows of one graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph import biconnected_kernels
from ..graph.csr import CSR, Matrix
from ..graph.graph import Graph
from ..threads import Threads


class BlockRows(NamedTuple):
    """Rows of all blocks, one block after the other, and the arcs between them, each in one block.

    The top of a block comes first, and then the others in their order. They live where the graph
    does.
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
        return self.start[1:] - self.start[:-1]

    @property
    def tops(self) -> NDArray[np.int64]:
        """Row of the top of each block."""
        return self.start[:-1]

    @property
    def arcs(self) -> NDArray[np.int64]:
        """Arcs of each block."""
        return self._within(self.outgoing.pattern.indptr)

    def count_marked(self, rows: NDArray[np.bool_], xp: Any) -> NDArray[np.int64]:
        """Rows of each block that are marked."""
        before = xp.zeros(rows.size + 1, dtype=np.int64)
        xp.cumsum(rows, out=before[1:])
        return self._within(before)

    def _within(self, before: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of each block, by how much numbers rise from its first row to that of the next."""
        first = before[self.start]
        return first[1:] - first[:-1]

    def graph(self, given: Graph) -> Graph:
        """Graph on all rows, where the given one lives."""
        return _on(given, self.nodes.size, self.outgoing, self.incoming)

    def union(self, rows: NDArray[np.int64], given: Graph) -> Graph:
        """Graph on the rows of whole blocks, each in its order, on the host."""

        def part(whole: Matrix) -> Matrix:
            found = biconnected_kernels.rows_of(*whole.pattern, whole.values, rows)
            return Matrix(CSR(*found[:2]), found[2])

        ways = (self.outgoing,) if given.symmetric else (self.outgoing, self.incoming)
        with Threads(len(ways)) as pool:
            parts = list(pool.map(part, ways))
        return _on(given, rows.size, parts[0], parts[-1])


def biconnected_rows(
    graph: Graph, left: NDArray[np.bool_], block: NDArray[np.int32], tops: NDArray[np.int32]
) -> BlockRows:
    """Rows of the blocks that `GraphOps.blocks` found of the nodes left."""
    ops, lengths = graph.ops, graph.lengths
    none = ops.xp.empty(0)
    ways = [Matrix(graph.outgoing, lengths.outgoing if lengths else none)]
    if not graph.symmetric:
        ways.append(Matrix(graph.incoming, lengths.incoming if lengths else none))
    start, of_row, nodes, own_row, arcs = ops.biconnected_rows(ways, left, block, tops)
    return BlockRows(start, of_row, nodes, own_row, arcs[0], arcs[-1])


def _on(given: Graph, n: int, there: Matrix, back: Matrix) -> Graph:
    """Graph of these arcs, which were some of those given."""
    lengths = given.lengths
    if lengths is not None:
        lengths = replace(lengths, outgoing=there.values, incoming=back.values)
    return Graph(n, there.pattern, back.pattern, given.ops, lengths)
