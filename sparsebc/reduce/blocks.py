"""Blocks (biconnected components): a graph is split at its cut nodes, and each block swept alone.

Directions of arcs are ignored: a block is a maximal subgraph that no single node disconnects. A
simple path that leaves a block never returns to it. So for a node a of block B, all sources that
reach B through a count as sources at a. With alpha(a), omega(a) the weights of a, and S, T their
sums over the component:

    S_B(a) = alpha(a) + the sources that reach a from outside of B            T_B(a) likewise
    s_B(v) = sum over b in B, b != v, of S_B(b) [b reaches v within B]         t_B(v) likewise

In an undirected graph a node reaches its whole component: s_B(a) = S - S_B(a), t_B(a) = T - T_B(a).
A sweep of B with the weights S_B, T_B gives c_B(v), the pairs through v within B, and the pairs
along each arc of B. A pair that reaches v in one block and leaves it in another has all of its
paths through v:

    c(v) = sum over B of c_B(v) + (sum of s_B(v)) (sum of t_B(v)) - sum over B of s_B(v) t_B(v)

A block of two nodes is a bridge u - v: it has no inner node, and S_B(u) T_B(v) pairs run along
u -> v, so it is not swept. All weights are integers.

The top of a block is its first node in a search of the component; its other nodes are below the
top. Undirected sums are those below the tops. Directed sums pass from block to block, up to the
tops and down again (`weights_by_reach`). `GraphOps.blocks` finds the blocks. Blocks for
betweenness are from Puzis et al., "Topology manipulations for speeding betweenness centrality
computation", Journal of Complex Networks 3, 84-112 (2015).

In a directed graph S_B counts the sources that reach a node, T_B the targets that it reaches.

The blocks form a tree by their tops. With t the top of a block B, and b -> a for a path within B,

    U_B = sum over b in B, b != t, b -> t, of S_B(b)

    S_B(a) = alpha(a) + sum over the blocks C with top a of U_C                           for a != t
    S_B(t) = alpha(t) + sum over other blocks C with top t of U_C + s(t) in the block above

from the leaves to the root; T_B likewise, with arcs reversed. Then, from the root to the leaves, at
each cut node a of B other than its top,

    s_B(a) = sum over b in B, a != b != t, b -> a, of S_B(b)  +  S_B(t) [t -> a]

where the first sum depends on no block above. Both passes are sums along a tree of cut nodes, the
parent of each being the top of its block; a link without a path within the block is left out. They
take pointer doubling log2(depth) rounds.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..matrix.csr import CSR, Matrix
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from .trees import links, sums_along

# Least nodes outside of the largest block, for an engine of relative throughput 1: about as many
# sweeps are saved, each little to a GPU beside its launches.
LEAST_OTHERS = 1
# Least share of sources * arcs that blocks must save.
LEAST_SAVED = 0.01
# Most steps of the search for the nodes that reach a cut node, as a share of the sources * arcs
# saved, for an engine of relative throughput 1.
REACH_SHARE = 0.1


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
    below = sums_along(links(above, above >= 0, ops.xp), below, ops, up=True)
    children = ops.add_up(tops, (below[0] * below[1])[None], n)[0]
    return below, own + ops.add_up(tops, below, n), children


class Bridges(NamedTuple):
    """Rows of all blocks and their weights; those of bridges are not swept."""

    rows: CSR  # their arcs
    nodes: NDArray[np.int32]  # (rows,)
    ends: NDArray[np.int64]  # (2, rows) S_B and T_B
    is_swept: NDArray[np.bool_]  # (rows,)

    def add_pairs(self, pattern: CSR, pairs: Any, ops: GraphOps) -> None:
        """Add the pairs along each bridge, in place, shape (arcs,)."""
        xp, (alpha, omega), (indptr, indices) = ops.xp, self.ends, self.rows
        is_bridge = (self.rows.degrees > 0) & ~self.is_swept  # a row of a bridge has one arc
        heads = indices[xp.minimum(indptr[:-1], indices.size - 1)]
        along = xp.multiply(alpha, omega[heads], dtype=np.float64)
        tails = xp.where(is_bridge, self.nodes, np.int32(-1))
        ops.add_along(pattern, tails, self.nodes[heads], along, pairs)


def split(
    graph: Graph, degree: Any, own: Any, totals: Any, relative_throughput: int
) -> tuple[Graph, Any, Any, Any, Bridges] | None:
    """Split a graph into its blocks, if that saves work.

    ``degree`` is zero for nodes folded into trees; ``own`` holds the weights alpha and omega of
    each node, ``totals`` their sums S and T over its component, both of shape (2, n). Takes
    O(n + arcs), on a directed graph also the search for the nodes that reach each cut node, which
    is given up where it takes more than a share of the sweeps it saves.

    Returns the disjoint union of the blocks, where a cut node has a row in each of its blocks; the
    arcs of each row, 0 in bridges; a sort key of the rows, by which large blocks come first and
    rows of a block together; the pairs from one block of each node to another; and the `Bridges`.
    All are on the device of the graph.
    """
    ops, xp, left = graph.ops, graph.ops.xp, degree > 0
    block, tops, roots, others = graph.blocks(left)
    if tops.size == roots or others < LEAST_OTHERS * relative_throughput**2:
        return None

    rows = biconnected_rows(graph, left, block, tops)
    sizes, degrees = rows.sizes, rows.outgoing.pattern.degrees
    is_swept = sizes > 2
    arcs = xp.diff(rows.outgoing.pattern.indptr[rows.start]) * is_swept  # of each block
    work = arcs[rows.block]  # arcs visited by a sweep from each row
    whole = int(xp.count_nonzero(left & (own[0] > 0))) * rows.outgoing.pattern.indices.size
    if graph.symmetric:
        below, behind, children = weights_at_cuts(ops, block, tops, own)
        others, outside = totals - own, totals - behind
        pairs = others[0] * others[1] - outside[0] * outside[1] - children
        through = pairs.astype(np.float64)
        ends = behind.take(rows.nodes, axis=1)
        ends[:, rows.tops] = totals.take(tops, axis=1) - below
    else:
        starts = xp.zeros(degrees.size + 1, dtype=np.int64)
        xp.cumsum(degrees > 0, out=starts[1:])
        most = xp.minimum(xp.diff(starts[rows.start]), xp.count_nonzero(own[0]))
        saved = whole - int((most * arcs).sum())
        weights = weights_by_reach(rows, own, ops, saved * REACH_SHARE / relative_throughput**2)
        if weights is None:
            return None
        ends, through = weights
    starts = ends[0] > 0
    if not graph.symmetric:
        starts &= degrees > 0
    if int((work * starts).sum()) > (1 - LEAST_SAVED) * whole:
        return None

    union, is_swept = graph.of((rows.outgoing, rows.incoming)), work > 0
    bridges = Bridges(rows.outgoing.pattern, rows.nodes, ends, is_swept)
    order = rows.block - sizes[rows.block] * tops.size
    return union, union.degrees * is_swept, order, through, bridges


def weights_by_reach(
    rows: BlockRows, own: Any, ops: GraphOps, most: float
) -> tuple[Any, Any] | None:
    """S_B and T_B of the rows of directed blocks, and the pairs from block to block through a node.

    Shapes (2, rows) and (n,), on the device of ``ops``; ``own``, (2, n), holds alpha and omega.
    None if the search for the nodes that reach the cut nodes takes more than ``most`` steps.
    """
    xp, blocks, (_, n) = ops.xp, rows.tops.size, own.shape
    along, against = rows.outgoing.pattern, rows.incoming.pattern
    # Whether a row reaches its top (for S_B), and is reached from it (for T_B).
    linked = xp.stack([ops.reached(way, rows.tops) for way in (against, along)])
    known = xp.where(linked.all(axis=0), rows.tops[rows.block], -1).astype(np.int32)
    parts = ops.condensed(along, against, rows.start, known)
    tops = rows.nodes[rows.tops]
    is_cut = xp.zeros(n, dtype=bool)
    is_cut[tops] = True
    is_cut = is_cut[rows.nodes]
    is_cut[rows.tops] = False
    cuts = xp.flatnonzero(is_cut)
    nodes, block, part = rows.nodes[cuts], rows.block[cuts], parts.number[cuts]
    is_chosen = xp.zeros(parts.between.indptr.size - 1, dtype=bool)
    is_chosen[part] = True
    chosen = xp.flatnonzero(is_chosen)
    if parts.steps(chosen, xp) > most:
        return None

    place = xp.full(rows.nodes.size + 1, cuts.size)
    place[cuts] = xp.arange(cuts.size)
    place = place[rows.own_row[tops]]  # index of each top among the cuts, cuts.size if it is none
    to_tops, from_tops = linked[:, cuts], linked[::-1, cuts]
    above = place[block]
    is_below = above < cuts.size

    ends = own.take(rows.nodes, axis=1)
    ends[:, rows.tops] = 0
    up = ops.add_up(rows.block, ends * linked, blocks)  # U_B, and its like for T_B
    behind = ops.add_up(tops, up, n).take(nodes, axis=1)
    behind = sums_along(links(above, to_tops & is_below, xp), behind, ops, up=True)
    ends[:, cuts] += behind
    up += ops.add_up(block, to_tops * behind, blocks)
    below = ops.add_up(tops, up, n)

    inside = ops.sums_over_reach(parts, ops.add_up(parts.number, ends, is_chosen.size), chosen)
    inside = inside.take(xp.searchsorted(chosen, part), axis=1) - ends[:, cuts]
    at_top = (own + below).take(tops, axis=1) - up  # without s(t) of the block above
    passing = inside + from_tops * at_top.take(block, axis=1)
    passing = sums_along(links(above, from_tops & is_below, xp), passing, ops, up=False)
    entering = xp.zeros((2, cuts.size + 1), dtype=np.int64)
    entering[:, :-1] = passing
    ends[:, rows.tops] = at_top + entering.take(place, axis=1)

    pairs = -ops.add_up(tops, (up[0] * up[1])[None], n)[0]
    pairs[nodes] -= passing[0] * passing[1]
    below[:, nodes] += passing  # now the sums of s_B and t_B over all blocks of a node
    return ends, (pairs + below[0] * below[1]).astype(np.float64)
