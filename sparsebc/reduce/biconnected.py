"""Blocks: a graph is taken apart at its cut nodes, and each part is swept alone.

A block is a largest subgraph that no single node disconnects, whatever the directions of arcs. A
simple path that leaves a block never returns to it, so that for a block B and its node a all
sources behind a may as well stand at a itself. With alpha(a), omega(a) the weights of a, and S, T
the sums over its component:

    S_B(a) = alpha(a) + the sources that reach a from outside of B            T_B(a) likewise
    s_B(v) = sum over b in B, b != v, of S_B(b) [b reaches v within B]         t_B(v) likewise

In an undirected graph all of a component is reached, and s_B(a) = S - S_B(a), t_B(a) = T - T_B(a).
A sweep of B with the weights S_B, T_B gives c_B(v), the pairs that pass v from B to B, and the
pairs along each arc of B. Pairs that come in through one block of v and go out through another have
all of their paths through v:

    c(v) = sum over B of c_B(v) + (sum of s_B(v)) (sum of t_B(v)) - sum over B of s_B(v) t_B(v)

A block of two nodes is a bridge u - v: no pair passes a node inside of it, and S_B(u) T_B(v) pairs
run along u -> v. No more is known of it, so it is not swept. All weights are whole numbers.

In a search of a component each block has one node found first, its top, below which all of the rest
lies; undirected sums are those below the tops. Directed ones pass from block to block, up to
the tops and down again (`biconnected_reach`). `GraphOps` says how blocks are found; blocks
for betweenness are from Puzis et al., "Topology manipulations for speeding betweenness centrality
computation", Journal of Complex Networks 3, 84-112 (2015).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import CSR
from ..graph.graph import Graph
from ..graph.ops import GraphOps
from .biconnected_reach import weights_by_reach
from .biconnected_rows import biconnected_rows, weights_at_cuts

# Sources from which it pays to look for blocks, which on many graphs finds nothing: a host takes
# the time of a few sources of an engine of relative throughput 1.
ENOUGH_SOURCES = 128
# The same on a GPU, which looks for as long as it sweeps from some hundred sources; where levels
# are many the host has to look.
ENOUGH_HIGH_DIAMETER, ENOUGH = 1 << 15, 1 << 14
# Nodes outside of the largest block from which it pays to go on, for an engine of relative
# throughput 1: as many sweeps are saved, or nearly, which take a GPU little beside its launches.
LEAST_OTHERS = 1
# Share of the sources times arcs that blocks must save.
LEAST_SAVED = 0.01
# Steps of the search for what reaches a cut node, as a share of the sources times arcs saved, for
# an engine of relative throughput 1.
REACH_SHARE = 0.1


class Bridges(NamedTuple):
    """Rows that are swept nowhere, and what is known of the arcs between them."""

    rows: CSR  # arcs of all rows of all blocks
    nodes: NDArray[np.int32]  # (rows,)
    ends: NDArray[np.int64]  # (2, rows) S_B and T_B
    is_swept: NDArray[np.bool_]  # (rows,)

    def add_pairs(self, pattern: CSR, pairs: Any, ops: GraphOps) -> None:
        """Add the pairs along each bridge, in place, shape (arcs,)."""
        xp, (alpha, omega), (indptr, indices) = ops.xp, self.ends, self.rows
        is_bridge = (self.rows.degrees > 0) & ~self.is_swept  # such a row has one arc at most
        heads = indices[xp.minimum(indptr[:-1], indices.size - 1)]
        along = xp.multiply(alpha, omega[heads], dtype=np.float64)
        tails = xp.where(is_bridge, self.nodes, np.int32(-1))
        ops.add_along(pattern, tails, self.nodes[heads], along, pairs)


class Pieces(NamedTuple):
    """A graph taken apart, and what is known without a sweep; all where the graph lives."""

    graph: Graph  # disjoint union of the blocks; a cut node has a row in each
    degree: NDArray[np.int64]  # (graph.n,) arcs of each row, 0 in blocks of two nodes
    nodes: NDArray[np.int64]  # (graph.n,) the node of each row
    ends: NDArray[np.int64]  # (2, graph.n) S_B and T_B
    order: NDArray[np.int64]  # (graph.n,) rises block by block, large blocks first
    through: NDArray[np.float64]  # (n,) pairs from one block of a node to another
    bridges: Bridges


def enough(relative_throughput: int, graph: Graph) -> int:
    """Sources of a graph from which blocks are worth looking for."""
    if relative_throughput == 1:
        return ENOUGH_SOURCES
    return ENOUGH_HIGH_DIAMETER if graph.symmetric and graph.traits.high_diameter else ENOUGH


def split(
    graph: Graph, degree: Any, own: Any, around: Any, relative_throughput: int
) -> Pieces | None:
    """Take a graph apart, if that saves work.

    ``degree`` is zero for nodes that were folded away; ``own`` holds the weights alpha and omega of
    each node, ``around`` their sums S and T over its component, both of shape (2, n). The search
    takes O(n + arcs); on a directed graph what it takes to find who reaches a cut node comes on
    top, as far as that is little beside the sweeps it saves.
    """
    ops, xp, left = graph.ops, graph.ops.xp, degree > 0
    block, tops, roots, others = graph.blocks(left)
    if tops.size == roots or others < LEAST_OTHERS * relative_throughput**2:
        return None

    rows = biconnected_rows(graph, left, block, tops)
    sizes, degrees = rows.sizes, rows.outgoing.pattern.degrees
    is_swept = sizes > 2
    work = (rows.arcs * is_swept)[rows.block]  # arcs to look at in a sweep from each row
    whole = int(xp.count_nonzero(left & (own[0] > 0))) * rows.outgoing.pattern.indices.size
    if graph.symmetric:
        below, behind, children = weights_at_cuts(ops, block, tops, own)
        through = ops.pairs_through(around, own, behind, children)
        ends = behind.take(rows.nodes, axis=1)
        ends[:, rows.tops] = around.take(tops, axis=1) - below
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
