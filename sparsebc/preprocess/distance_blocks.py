"""Sums of distances on a graph taken apart at its cut nodes: each block is searched alone.

With blocks, tops and S_B as in `blocks`, S for the sources alone, an undirected graph, and

    W_B(v) = sum over b in B of S_B(b) d(b, v)
    F_B(a) = sum of the distances to a from outside of B        E_B(a) = the greatest of them

the sum of all distances to v is the same whichever of its blocks is looked at:

    far(v) = W_B(v) + sum over b in B of F_B(b)      ecc(v) = max over b in B of d(b, v) + E_B(b)

W_B is what a search of B says whose sources weigh S_B. F_B and E_B of a node below the top of B are
those of the blocks below it, which are gone through from the leaves on: of them it takes the
distances from the top alone. Those of the top are what is left of far(top) without B, and are there
once the blocks above it are done. So the search looks at E_B below the top, and the top comes on
top of that: its distances are known. A block of two nodes, an edge of a tree too, is not searched.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..engines.contract import DistanceSums
from ..graph import block_kernels, csr, kernels
from ..graph.csr import CSR
from ..graph.edge_weights import Lengths
from ..graph.graph import Graph
from ..jit import interruptible

# Share of the sources times arcs that must be saved: weights make what is left of them dearer.
LEAST_SAVED = 0.1
# Sources, of the whole graph, that must be saved: fewer where each takes a search of its own, on
# deep graphs and along lengths, than where hundreds share one.
ENOUGH_ALONE, ENOUGH_TOGETHER = 256, 4096
# Of what must be saved, the share that leaves alone must promise for blocks to be looked for.
PROMISED = 2 / 3


class Apart(NamedTuple):
    """Blocks to search, and what turns sums on them into those on the graph that was given."""

    graph: Graph  # disjoint union of the blocks of more than two nodes
    weights: NDArray[np.int64]  # (graph.n,) S_B
    beyond: NDArray[Any]  # (graph.n,) E_B, and 0 of tops
    start: NDArray[np.int64]  # (blocks + 1,) first row of each block, a row for each of its nodes
    nodes: NDArray[np.int32]  # (rows,) node of each row, the top of a block first
    swept: NDArray[np.int64]  # row of each node of `graph`
    row_weights: NDArray[np.int64]  # S_B of all rows
    from_top: NDArray[Any]  # (rows,) distance within the block
    below: NDArray[Any]  # (blocks,) distances from below each block to its top, summed
    behind: tuple[NDArray[Any], ...]  # `block_kernels.distances_behind`
    reached: NDArray[np.int64]  # (n,) sources that reach each node

    def expand(self, sums: DistanceSums) -> DistanceSums:
        """Sums on the nodes of ``graph`` to sums on the nodes given; no harmonic ones."""
        weight = self.row_weights
        of_tops = np.repeat(weight[self.start[:-1]], np.diff(self.start))
        within = of_tops * self.from_top  # where the top is the only other node
        reach = np.zeros_like(self.from_top)
        within[self.swept], reach[self.swept] = sums.total, sums.farthest
        total, farthest = (values.copy() for values in self.behind[:2])
        block_kernels.distances_around(
            *(self.start, self.nodes, weight, self.from_top, self.below),
            *((within, reach), self.behind, total, farthest),
        )
        return DistanceSums(self.reached, total, np.full(total.size, np.nan), farthest)


def enough(graph: Graph) -> int:
    """Sources that must be saved for it to pay."""
    alone = graph.lengths is not None or graph.traits.deep
    return ENOUGH_ALONE if alone else ENOUGH_TOGETHER


def pay(graph: Graph, sources: int) -> bool:
    """Whether blocks are worth looking for."""
    leaves = np.count_nonzero(graph.outgoing.degrees == 1)
    least = max(enough(graph), LEAST_SAVED * sources)
    return sources >= least and bool(leaves >= PROMISED * least)


def split(graph: Graph, is_source: NDArray[np.bool_], names: Set[str]) -> Apart | None:
    """Take a graph on the host apart, if that saves work; ``names`` holds "trees" or "blocks"."""
    lengths = graph.lengths
    cuttable = graph.symmetric and graph.arcs and (not lengths or _addable(graph, lengths))
    sources = int(np.count_nonzero(is_source))
    if not (names and cuttable and pay(graph, sources)):
        return None
    left = graph.outgoing.degrees > 0
    found = interruptible(graph.arcs, kernels.blocks, *graph.outgoing, left)
    order, place, parent, block, tops = found
    if "blocks" not in names:
        block, tops = _rest_in_one(graph, parent, block, tops)
    start, nodes, own_row = block_kernels.rows(block, tops)

    own = np.stack((is_source, is_source)).astype(np.int64)
    around = graph.ops.totals(graph.components, own)[0]
    behind = kernels.weights_at_cuts(order, parent, block, tops, own)[1][0]
    weights = behind[nodes]
    weights[start[:-1]] = 0
    weights[start[:-1]] = around[tops] - np.add.reduceat(weights, start[:-1])
    sizes = np.diff(start)
    is_swept = sizes > 2
    arcs = block_kernels.arcs_of_blocks(*graph.outgoing, place, block, tops.size)
    starts = np.add.reduceat(weights > 0, start[:-1], dtype=np.int64)
    whole = np.count_nonzero(is_source & left) * graph.arcs
    saved = whole - (starts * arcs)[is_swept].sum()
    if saved < max(LEAST_SAVED * whole, enough(graph) * graph.arcs):
        return None

    # Large blocks first, and the nodes of each in the order in which they were given.
    size = np.repeat(sizes, sizes)
    swept = np.flatnonzero(size > 2)
    swept = swept[np.lexsort((nodes[swept], -size[swept]))]
    number = np.full(nodes.size, -1)
    number[swept] = np.arange(swept.size)
    given = lengths.outgoing if lengths else np.empty(0)
    indptr, indices, values = block_kernels.union(
        *(*graph.outgoing, given, place, block, start, own_row, number, swept.size)
    )
    pattern = CSR(indptr, indices)
    union = Graph(
        *(swept.size, pattern, pattern, graph.ops),
        lengths and replace(lengths, outgoing=values, incoming=values),
    )
    from_top = np.empty(nodes.size, dtype=np.float64 if lengths else np.int64)
    from_top[start[:-1]] = 0
    from_top[start[:-1][~is_swept] + 1] = _of_bridges(graph, nodes, start[:-1][~is_swept])
    from_top[swept] = _from(union, number[start[:-1][is_swept]])
    zeros = (np.zeros(graph.n, dtype=from_top.dtype) for _ in range(3))
    inner = (*zeros, np.full(graph.n, -1))
    below = block_kernels.distances_behind(start, nodes, weights, from_top, *inner)
    beyond = inner[1][nodes]
    beyond[start[:-1]] = 0
    return Apart(
        *(union, weights[swept], beyond[swept], start, nodes, swept, weights, from_top),
        *(below, inner, around - is_source),
    )


def _addable(graph: Graph, lengths: Lengths) -> bool:
    """Whether no distance can be refused, and SciPy can number the edges."""
    return lengths.foldable and graph.arcs <= csr.CSGRAPH_ENTRIES


def _rest_in_one(
    graph: Graph,
    parent: NDArray[np.int32],
    block: NDArray[np.int32],
    tops: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The blocks of what trees hang on as one block, in each component."""
    ends = np.zeros((2, graph.n), dtype=np.int64)
    label = graph.components
    remains = graph.ops.fold(graph.outgoing, label, ends)[0] > 0
    joined = np.flatnonzero(remains & (parent >= 0) & remains[parent])
    first = np.full(graph.n, tops.size, dtype=np.int32)
    np.minimum.at(first, label[joined], block[joined])
    block = block.copy()
    block[joined] = first[label[joined]]
    used = np.zeros(tops.size, dtype=bool)
    used[block[block >= 0]] = True
    number = np.cumsum(used, dtype=np.int32) - 1
    return np.where(block >= 0, number[block], -1).astype(np.int32), tops[used]


def _of_bridges(graph: Graph, nodes: NDArray[np.int32], first: NDArray[np.int64]) -> NDArray[Any]:
    """Length of each block of two nodes, by its first row."""
    if graph.lengths is None:
        return np.ones(first.size, dtype=np.int64)
    keys = nodes[first].astype(np.int64) * graph.n + nodes[first + 1]
    places = np.searchsorted(graph.ops.keys(graph.outgoing), keys)
    found: NDArray[Any] = graph.lengths.outgoing[places]
    return found


def _from(graph: Graph, starts: NDArray[np.int64]) -> NDArray[Any]:
    """Distance of each node from the nearest of some."""
    if not starts.size:
        return np.empty(0)
    if graph.lengths is None:
        hops: NDArray[Any] = interruptible(graph.arcs, block_kernels.hops, *graph.outgoing, starts)
        return hops
    matrix = graph.outgoing.for_csgraph(graph.lengths.outgoing)
    distances: NDArray[Any] = csgraph.dijkstra(matrix, indices=starts, min_only=True)
    return distances
