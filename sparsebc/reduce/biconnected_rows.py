"""A graph with a row for each node of each block, and sums of weights below the tops of blocks."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..matrix.csr import Matrix
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from .pointer_doubling import from_below, links


class BlockRows(NamedTuple):
    """Rows of all blocks, block by block, and their arcs, each of which is in one block.

    The first row of a block is its top, the others are in the order of the nodes. All arrays are on
    the device of the graph.
    """

    start: NDArray[np.int64]  # (blocks + 1,) first row of each block
    block: NDArray[np.int64]  # (rows,)
    nodes: NDArray[np.int32]  # (rows,)
    own_row: NDArray[np.int64]  # (n,) row of a node in the block where it is not the top, or -1
    outgoing: Matrix  # with the lengths of the arcs, an empty array if the graph has none
    incoming: Matrix  # the object ``outgoing`` if the graph is symmetric

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
        """Number of marked rows of each block."""
        scan = xp.zeros(rows.size + 1, dtype=np.int64)
        xp.cumsum(rows, out=scan[1:])
        return self._within(scan)

    def _within(self, scan: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum over the rows of each block, from a prefix sum over all rows."""
        first = scan[self.start]
        return first[1:] - first[:-1]

    def graph(self, given: Graph) -> Graph:
        """Graph on all rows, on the device of the given one."""
        return given.of((self.outgoing, self.incoming))


def biconnected_rows(
    graph: Graph, left: NDArray[np.bool_], block: NDArray[np.int32], tops: NDArray[np.int32]
) -> BlockRows:
    """Rows of the blocks that `GraphOps.blocks` found among the nodes ``left``."""
    ops, xp, count = graph.ops, graph.ops.xp, tops.size
    below = xp.flatnonzero(block >= 0)
    below = below[ops.sorted_by(block[below], count)]
    blocks, of_below = xp.arange(count + 1), block[below].astype(np.int64)
    start = xp.searchsorted(of_below, blocks) + blocks
    place = xp.arange(1, below.size + 1) + of_below  # a top before those of each block
    own = xp.full(graph.n, -1)
    own[below] = place
    nodes, of_row = (xp.empty(below.size + count, dtype) for dtype in (np.int32, np.int64))
    nodes[start[:-1]], nodes[place] = tops, below
    of_row[start[:-1]], of_row[place] = blocks[:-1], of_below
    arcs = ops.arcs_in_blocks(graph.ways, left, block, start, own)
    return BlockRows(start, of_row, nodes, own, arcs[0], arcs[-1])


def weights_at_cuts(ops: GraphOps, block: Any, tops: Any, own: Any) -> tuple[Any, Any, Any]:
    """Sums of the integer weights ``own``, (2, n), over the nodes below the top of each block.

    Also, for each node, over it and the nodes below it; and the sum, over the blocks whose top it
    is, of the product of the two weights below.
    """
    (_, n), count = own.shape, tops.size
    below = ops.add_up(ops.xp.where(block < 0, count, block), own, count + 1)[:, :count]
    above = block[tops]
    below = from_below(links(above, above >= 0, ops.xp), below, ops)
    children = ops.add_up(tops, (below[0] * below[1])[None], n)[0]
    return below, own + ops.add_up(tops, below, n), children
