"""Every node once in each of its blocks, as rows of one graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import Matrix
from ..graph.graph import Graph


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
        return given.of((self.outgoing, self.incoming))


def biconnected_rows(
    graph: Graph, left: NDArray[np.bool_], block: NDArray[np.int32], tops: NDArray[np.int32]
) -> BlockRows:
    """Rows of the blocks that `GraphOps.blocks` found of the nodes left."""
    start, of_row, nodes, own, arcs = graph.ops.biconnected_rows(graph.ways, left, block, tops)
    return BlockRows(start, of_row, nodes, own, arcs[0], arcs[-1])
