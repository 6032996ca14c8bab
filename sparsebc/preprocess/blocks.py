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

In a depth-first search each block has one node found first, its top, and one child of that below
which all of the rest lies; undirected sums are those below the children. Directed ones are handed
from block to block, up to the tops and down again (`block_reach`). The search is by
Hopcroft and Tarjan, "Algorithm 447: efficient algorithms for graph manipulation", Communications of
the ACM 16, 372-378 (1973); blocks for betweenness are from Puzis et al., "Topology manipulations
for speeding betweenness centrality computation", Journal of Complex Networks 3, 84-112 (2015).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph import kernels
from ..graph.csr import CSR, GraphOps
from ..graph.graph import Graph
from ..graph.ops import HostOps
from ..jit import interruptible
from .block_reach import weights_by_reach
from .block_rows import block_rows

# Sources from which it pays to look for blocks, which on many graphs finds nothing: a host takes
# the time of a few sources of an engine of relative throughput 1.
ENOUGH_SOURCES = 128
# The same where a GPU sweeps: looking takes the host as long as 2000 to 5000 sources of a deep
# undirected graph, whose sweeps take long; of others as long as 15,000, or 80,000 whose searches
# meet at the busiest node (web-cnr-2000), so that half of the sweeps must take longer than that. So
# many leaves of a directed graph, which folding trees leaves there, save enough by themselves.
ENOUGH_DEEP, ENOUGH, ENOUGH_LEAVES = 1 << 15, 1 << 18, 1 << 14
# Share of the sources times arcs that blocks must save.
LEAST_SAVED = 0.01
# Steps of the search for what reaches a cut node, as a share of the sources times arcs saved, for
# an engine of relative throughput 1.
REACH_SHARE = 0.1


class Bridges(NamedTuple):
    """Arcs of blocks of two nodes, by their nodes, and the pairs along them."""

    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    pairs: NDArray[np.int64]

    def along(self, pattern: CSR, ops: GraphOps) -> Any:
        """Pairs along each arc, zero on those that are no bridges, shape (arcs,)."""
        n, values = pattern.indptr.size - 1, ops.xp.zeros(pattern.indices.size)
        keys = ops.asarray(self.tails * n + self.heads)
        values[ops.xp.searchsorted(ops.keys(pattern), keys)] = ops.asarray(self.pairs)
        return values


class Pieces(NamedTuple):
    """A graph taken apart, and what is known without a sweep."""

    graph: Graph  # disjoint union of the blocks of more than two nodes
    nodes: NDArray[np.int64]  # (graph.n,) the node of each row; a cut node has a row in each block
    ends: NDArray[np.int64]  # (2, graph.n) S_B and T_B
    sizes: NDArray[np.int64]  # (graph.n,) nodes of the row's block
    through: NDArray[np.float64]  # (n,) pairs from one block of a node to another
    bridges: Bridges


def enough(relative_throughput: int, graph: Graph) -> int:
    """Sources of a graph from which blocks are worth looking for."""
    if relative_throughput == 1:
        return ENOUGH_SOURCES
    if graph.symmetric:
        return ENOUGH_DEEP if graph.traits.deep else ENOUGH
    if graph.n < ENOUGH_LEAVES:
        return ENOUGH
    return min(ENOUGH, ENOUGH_LEAVES * graph.n // max(leaves(graph), 1))


def leaves(graph: Graph) -> int:
    """Nodes that an edge leads from, and that have no other neighbour."""
    outgoing, incoming, xp = graph.outgoing, graph.incoming, graph.ops.xp
    found = outgoing.degrees == 1
    if not graph.symmetric:
        found &= incoming.degrees <= 1
        both = xp.flatnonzero(found & (incoming.degrees == 1))
        there, back = (one.indices[one.indptr[both]] for one in (outgoing, incoming))
        found[both] = there == back
    return int(xp.count_nonzero(found))


def split(
    graph: Graph, degree: Any, own: Any, around: Any, relative_throughput: int
) -> Pieces | None:
    """Take a graph apart, if that saves work.

    ``degree`` is zero for nodes that were folded away; ``own`` holds the weights alpha and omega of
    each node, ``around`` their sums S and T over its component, both of shape (2, n). The search
    takes O(n + arcs), on the host; on a directed graph what it takes to find who reaches a cut node
    comes on top, as far as that is little beside the sweeps it saves.
    """
    host, there = graph.ops.on_host, graph.on_host()
    left, own, around = host(degree) > 0, host(own), host(around)
    order, place, parent, block, tops = found_in(there, left)
    if tops.size == order.size - np.count_nonzero(block >= 0):  # a block a root: no cut nodes
        return None

    rows = block_rows(there, place, block, tops)
    sizes, leaving = rows.sizes, rows.outgoing.pattern.degrees
    is_swept, arcs = sizes > 2, np.add.reduceat(leaving, rows.tops)
    leaves = leaving > 0  # rows that something leaves
    whole = np.count_nonzero(left & (own[0] > 0)) * arcs.sum()
    if there.symmetric:
        below, behind, children = kernels.weights_at_cuts(order, parent, block, tops, own)
        through = HostOps.pairs_through(around, own, behind, children)
        ends = behind[:, rows.nodes]
        opens = np.flatnonzero((block >= 0) & (tops[block] == parent))  # the child below each top
        ends[:, rows.start[block[opens]]] = (around - below)[:, opens]
    else:
        most = np.minimum(np.bincount(rows.block[leaves]), np.count_nonzero(own[0]))
        saved = whole - (most * arcs)[is_swept].sum()
        most_steps = saved * REACH_SHARE / relative_throughput**2
        ops = graph.ops
        weights = weights_by_reach(rows.at(ops), ops.asarray(own), ops, most_steps)
        if weights is None:
            return None
        ends, through = map(host, weights)
    starts = np.bincount(rows.block[leaves & (ends[0] > 0)], minlength=tops.size)
    if (starts * arcs)[is_swept].sum() > (1 - LEAST_SAVED) * whole:
        return None

    remain, along = is_swept[rows.block], rows.outgoing.pattern
    swept, tails = np.flatnonzero(remain), np.flatnonzero(leaves & ~remain)
    heads = along.indices[along.indptr[tails]]  # a row of a bridge has one arc at most
    nodes = rows.nodes.astype(np.int64)
    return Pieces(
        rows.union(swept, graph),
        nodes[swept],
        ends[:, swept],
        sizes[rows.block[swept]],
        through,
        Bridges(nodes[tails], nodes[heads], ends[0, tails] * ends[1, heads]),
    )


def found_in(graph: Graph, left: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """What `kernels.blocks` finds in a graph on the host."""
    back = CSR(np.zeros_like(graph.outgoing.indptr), graph.outgoing.indices[:0])
    if not graph.symmetric:
        back = graph.incoming
    work = graph.outgoing.indices.size + back.indices.size
    found: tuple[NDArray[Any], ...] = interruptible(
        work, kernels.blocks, *graph.outgoing, *back, left
    )
    return found
