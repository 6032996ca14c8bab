"""Blocks: an undirected graph is taken apart at its cut nodes, and each part is swept alone.

A block is a largest subgraph that no single node disconnects. A simple path that leaves a block
never returns to it, so that for a block B and its node a all sources behind a may as well stand at
a itself. With alpha(a), omega(a) the weights of a, and S, T the sums over its component:

    S_B(a) = alpha(a) + the sources in what hangs on a outside of B         T_B(a) likewise
    s_B(a) = S - S_B(a), t_B(a) = T - T_B(a)     sources and targets in B and behind its other nodes

A sweep of B with the weights S_B, T_B gives c_B(v), the pairs that pass v from B to B, and the
pairs along each arc of B. Pairs that come in through one block of v and go out through another have
all of their paths through v:

    c(v) = sum over B of c_B(v) + (S - alpha(v)) (T - omega(v)) - sum over B of s_B(v) t_B(v)

A block of two nodes is a bridge u - v: no pair passes a node inside of it, and S_B(u) T_B(v) pairs
run along u -> v. No more is known of it, so it is not swept. All weights are whole numbers.

In a depth-first search each block has one node found first, its top, and one child of that below
which all of the rest lies; the sums are those below the children. The algorithm is that of Hopcroft
and Tarjan, "Algorithm 447: efficient algorithms for graph manipulation", Communications of the ACM
16, 372-378 (1973); blocks for betweenness are from Puzis et al., "Topology manipulations for
speeding betweenness centrality computation", Journal of Complex Networks 3, 84-112 (2015).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph import kernels
from ..graph.csr import CSR, GraphOps, Matrix
from ..graph.graph import Graph
from ..graph.ops import HostOps
from ..jit import interruptible
from .degree_one import pairs_along, pairs_through

# Sources, for an engine of relative throughput 1, from which it pays to look for blocks: finding
# them takes the time of a few sources, and on many graphs finds nothing.
ENOUGH_SOURCES = 128
# Share of the sources times arcs that blocks must save.
LEAST_SAVED = 0.01


class Pieces(NamedTuple):
    """A graph taken apart, and what is known without a sweep."""

    graph: Graph  # disjoint union of the blocks of more than two nodes
    nodes: NDArray[np.int64]  # (graph.n,) the node of each row; a cut node has a row in each block
    ends: NDArray[np.int64]  # (2, graph.n) S_B and T_B
    sizes: NDArray[np.int64]  # (graph.n,) nodes of the row's block
    through: NDArray[np.int64]  # (n,) pairs from one block of a node to another
    bridges: Bridges


class Bridges(NamedTuple):
    """Blocks of two nodes, by the lower of the two in the depth-first search."""

    parent: NDArray[np.int32]  # the upper node, -1 where the edge to it is no bridge
    below: NDArray[np.int64]  # (2, n) sources and targets below
    around: NDArray[np.int64]  # (2, n) S and T

    def along(self, pattern: CSR, ops: GraphOps) -> Any:
        """Pairs along each bridge, both ways, and zero on other arcs, shape (arcs,)."""
        parent, below, around = map(ops.asarray, self)
        return pairs_along(parent, below, around, pattern, ops)


def pay(sources: int, relative_throughput: int) -> bool:
    """Whether blocks are worth looking for."""
    return sources >= ENOUGH_SOURCES * relative_throughput


def split(graph: Graph, degree: Any, own: Any, around: Any) -> Pieces | None:
    """Take an undirected graph apart, if that saves work.

    ``degree`` is zero for nodes that were folded away; ``own`` holds the weights alpha and omega of
    each node, ``around`` their sums S and T over its component, both of shape (2, n). The search
    takes O(n + arcs), on the host.
    """
    host, there = graph.ops.on_host, graph.on_host()
    pattern, left = there.outgoing, host(degree) > 0
    own, around = host(own), host(around)
    found = interruptible(pattern.indices.size, kernels.blocks, *pattern, left)
    order, place, parent, block, tops = found
    inside = block >= 0
    if tops.size == order.size - np.count_nonzero(inside):  # a block for each root: no cut nodes
        return None
    below, behind, children = kernels.weights_at_cuts(order, parent, block, tops, own)

    # A row for each node in the block that it is not the top of, and one for the top of each block.
    members = np.bincount(block[inside], minlength=tops.size)  # less the top
    is_swept = members > 1
    lower, swept = np.flatnonzero(inside & is_swept[block]), np.flatnonzero(is_swept)
    nodes, of_row = np.concatenate((lower, tops[swept])), np.concatenate((block[lower], swept))
    opens = np.flatnonzero(inside & (tops[block] == parent))  # the child below each block's top
    in_block = np.empty((2, tops.size), dtype=np.int64)
    in_block[:, block[opens]] = below[:, opens]
    ends = np.concatenate((behind[:, lower], (around[:, tops] - in_block)[:, swept]), axis=1)

    # The block of an arc is that of its end found last, which is not the block's top.
    tails, heads = pattern.rows, pattern.indices
    kept = left[tails] & left[heads]
    whole = np.count_nonzero(left & (own[0] > 0)) * np.count_nonzero(kept)
    of_arc = block[np.where(place[tails] > place[heads], tails, heads)]
    kept &= is_swept[of_arc]
    tails, heads, of_arc = tails[kept], heads[kept], of_arc[kept]
    starts = np.bincount(of_row[ends[0] > 0], minlength=tops.size)
    if starts @ np.bincount(of_arc, minlength=tops.size) > (1 - LEAST_SAVED) * whole:
        return None

    row, top_row = np.empty(graph.n, dtype=np.int64), np.empty(tops.size, dtype=np.int64)
    row[lower], top_row[swept] = np.arange(lower.size), np.arange(lower.size, nodes.size)
    tails, heads = (np.where(block[v] == of_arc, row[v], top_row[of_arc]) for v in (tails, heads))
    lengths = there.lengths.outgoing[kept] if there.lengths else np.ones(tails.size, dtype=bool)
    return Pieces(
        _settled(graph, HostOps.summed("coo", tails, heads, lengths, nodes.size)),
        nodes,
        ends,
        members[of_row] + 1,
        pairs_through(around, own, behind, children),
        Bridges(np.where(inside & ~is_swept[block], parent, -1), below, around),
    )


def _settled(graph: Graph, union: Matrix) -> Graph:
    """Symmetric, where a graph lives, with lengths if that has some."""
    ops, lengths = graph.ops, graph.lengths
    pattern = CSR(*map(ops.asarray, union.pattern))
    if lengths is not None:
        values = ops.asarray(union.values)
        lengths = replace(lengths, outgoing=values, incoming=values)
    return Graph(union.pattern.indptr.size - 1, pattern, pattern, ops, lengths)
