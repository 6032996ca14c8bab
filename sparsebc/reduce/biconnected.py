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
tops and down again (`biconnected_reach`). `GraphOps.blocks` finds the blocks. Blocks for
betweenness are from Puzis et al., "Topology manipulations for speeding betweenness centrality
computation", Journal of Complex Networks 3, 84-112 (2015).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..matrix.csr import CSR
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from .biconnected_reach import weights_by_reach
from .biconnected_rows import biconnected_rows, weights_at_cuts

# Least sources for a search for blocks on a CPU, in vain on many graphs: it takes the time of a few
# sweeps.
ENOUGH_SOURCES = 128
# Least sources on a GPU, where the search takes the time of some hundred sweeps; high-diameter
# graphs are searched by the host.
ENOUGH_HIGH_DIAMETER, ENOUGH = 1 << 15, 1 << 14
# Least nodes outside of the largest block, for an engine of relative throughput 1: about as many
# sweeps are saved, each little to a GPU beside its launches.
LEAST_OTHERS = 1
# Least share of sources * arcs that blocks must save.
LEAST_SAVED = 0.01
# Most steps of the search for the nodes that reach a cut node, as a share of the sources * arcs
# saved, for an engine of relative throughput 1.
REACH_SHARE = 0.1


class Bridges(NamedTuple):
    """Rows of bridges, which are not swept, and their weights."""

    rows: CSR  # arcs of all rows of all blocks
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


class Pieces(NamedTuple):
    """The blocks of a graph, and the sums known in closed form; all on the device of the graph."""

    graph: Graph  # disjoint union of the blocks; a cut node has a row in each of its blocks
    degree: NDArray[np.int64]  # (graph.n,) arcs of each row, 0 in bridges
    nodes: NDArray[np.int64]  # (graph.n,) the node of each row
    ends: NDArray[np.int64]  # (2, graph.n) S_B and T_B
    order: NDArray[np.int64]  # (graph.n,) sort key: large blocks first, rows of a block together
    through: NDArray[np.float64]  # (n,) pairs from one block of a node to another
    bridges: Bridges


def enough(relative_throughput: int, graph: Graph) -> int:
    """Least number of sources of a graph for a search for blocks."""
    if relative_throughput == 1:
        return ENOUGH_SOURCES
    return ENOUGH_HIGH_DIAMETER if graph.symmetric and graph.traits.high_diameter else ENOUGH


def split(
    graph: Graph, degree: Any, own: Any, totals: Any, relative_throughput: int
) -> Pieces | None:
    """Split a graph into its blocks, if that saves work.

    ``degree`` is zero for nodes folded into trees; ``own`` holds the weights alpha and omega of
    each node, ``totals`` their sums S and T over its component, both of shape (2, n). Takes
    O(n + arcs), on a directed graph also the search for the nodes that reach each cut node, which
    is given up where it takes more than a share of the sweeps it saves.
    """
    ops, xp, left = graph.ops, graph.ops.xp, degree > 0
    block, tops, roots, others = graph.blocks(left)
    if tops.size == roots or others < LEAST_OTHERS * relative_throughput**2:
        return None

    rows = biconnected_rows(graph, left, block, tops)
    sizes, degrees = rows.sizes, rows.outgoing.pattern.degrees
    is_swept = sizes > 2
    work = (rows.arcs * is_swept)[rows.block]  # arcs visited by a sweep from each row
    whole = int(xp.count_nonzero(left & (own[0] > 0))) * rows.outgoing.pattern.indices.size
    if graph.symmetric:
        below, behind, children = weights_at_cuts(ops, block, tops, own)
        through = ops.pairs_through(totals, own, behind, children)
        ends = behind.take(rows.nodes, axis=1)
        ends[:, rows.tops] = totals.take(tops, axis=1) - below
    else:
        most = xp.minimum(rows.count_marked(degrees > 0, xp), xp.count_nonzero(own[0]))
        saved = whole - int((most * rows.arcs * is_swept).sum())
        weights = weights_by_reach(rows, own, ops, saved * REACH_SHARE / relative_throughput**2)
        if weights is None:
            return None
        ends, through = weights
    starts = ends[0] > 0
    if not graph.symmetric:
        starts &= degrees > 0
    if int((work * starts).sum()) > (1 - LEAST_SAVED) * whole:
        return None

    union, is_swept = rows.graph(graph), work > 0
    return Pieces(
        union,
        union.degrees * is_swept,
        rows.nodes.astype(np.int64),
        ends,
        rows.block - sizes[rows.block] * tops.size,
        through,
        Bridges(rows.outgoing.pattern, rows.nodes, ends, is_swept),
    )
