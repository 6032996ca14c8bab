"""Sums of distances on a graph split at its cut nodes: each block is searched alone.

Blocks and tops are those of `reduce.blocks`. For a node a of block B, over the sources that reach a
from outside of B, and a itself if it is a source,

    S_B(a)   their number
    F_B(a)   the sum of their distances to a
    E_B(a)   the greatest of their distances to a

and with d the distance within B, which is that in the graph, in any block B of v, over the nodes b
of B that reach v

    reached(v) = sum of S_B(b)        far(v) = sum of S_B(b) d(b, v) + F_B(b)
    ecc(v) = max of d(b, v) + E_B(b)

S, F, E of a node below the top of B come from the blocks below it, in a pass from the leaves to the
root, which needs only their distances to the tops. Those of a top follow in a pass from the root to
the leaves. So B is searched from all of its nodes but the top, whose part is added afterwards, as
the distances from the top are known.

A search sums S_B(b) d(b, v). F_B depends on no distance: in an undirected graph every b reaches v;
in a directed one `GraphOps.condensed` tells which do. Bridges are not searched.

Without the trees alone
-----------------------
Sums of distances on an unweighted symmetric graph without its trees.

Let S(u) be the sources in the tree below u, u included, and N those of its component. The nodes of
trees are folded away, and searches from each remaining node b, with weight S(b), give

    far(v) = sum over b of S(b) d(b, v) + sum of S(u) over the folded nodes u

since S(u) sources take the edge from u to its parent. N - S(u) take it the other way, so that

    far(u) = far(parent(u)) + N - 2 S(u)

Blocks save more, but its blocks take longer to find.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..engines.common.distances import DistanceSums
from ..matrix import blocks, components, csr
from ..matrix.csr import CSR, Condensed, Matrix
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from .blocks import BlockRows, biconnected_rows, weights_at_cuts
from .reduce import Choice
from .trees import sums_along

# Least share of sources * arcs that must be saved: searches with weights take longer.
LEAST_SAVED = 0.1
# Least sources, with searches of the whole graph, that must be saved: fewer if each has a search of
# its own, on high-diameter and weighted graphs, than if hundreds share one.
ENOUGH_ALONE, ENOUGH_TOGETHER = 256, 4096
# Share of these that the leaves alone must save for blocks to be searched for.
PROMISED = 2 / 3
# Sources from which the search for blocks takes at most 1% of the time, whatever the leaves.
PLENTY = 1 << 16
# Most steps of the search for reach in directed blocks, as a share of the sources * arcs saved, of
# which hundreds take the time of a step.
REACH_SHARE = 1 / 256
FEW = "too few leaves or sources for it to pay"


class Smaller(NamedTuple):
    """A smaller graph to search, and how its sums become those on the original graph."""

    graph: Graph
    weights: NDArray[np.int64]  # (graph.n,) of its nodes as sources, on the host
    expand: Callable[[DistanceSums], DistanceSums]
    beyond: NDArray[Any] | None = None  # (graph.n,) distances of what a node stands for, at most
    label: Any = None  # (graph.n,) component, if only trees are folded


def enough(graph: Graph) -> int:
    """Least number of sources that blocks must save."""
    alone = graph.lengths is not None or graph.traits.high_diameter
    return ENOUGH_ALONE if alone else ENOUGH_TOGETHER


def pay(graph: Graph, sources: int) -> bool:
    """Whether a search for blocks is likely to pay."""
    least = max(enough(graph), LEAST_SAVED * sources)
    if sources < least or sources >= PLENTY:
        return sources >= least
    if graph.symmetric:
        leaves = graph.traits.leaves
    else:  # nodes of out-degree one with a single neighbour
        outgoing, incoming, xp = graph.outgoing, graph.incoming, graph.ops.xp
        is_leaf = (outgoing.degrees == 1) & (incoming.degrees <= 1)
        both = xp.flatnonzero(is_leaf & (incoming.degrees == 1))
        head, tail = (pattern.indices[pattern.indptr[both]] for pattern in (outgoing, incoming))
        is_leaf[both] = head == tail
        leaves = int(xp.count_nonzero(is_leaf))
    return bool(leaves >= PROMISED * least)


def split(
    graph: Graph, is_source: NDArray[np.bool_], choice: Choice, *, weighed: bool = True
) -> Smaller | None:
    """Split a graph on the host, if that saves work and the choice has "trees" or "blocks".

    The result has the disjoint union of the blocks of more than two nodes, with the weights S_B, or
    1 where distances are not summed, 0 of tops, and E_B beyond. Distances are summed if
    ``weighed``; else only the greatest ones are wanted.
    """
    too_many = graph.lengths is not None and graph.arcs > csr.CSGRAPH_ENTRIES
    choice.leave_out("trees blocks", too_many, "SciPy cannot index so many arcs")
    if "trees" not in choice.left and "blocks" not in choice.left:
        return None
    if not (graph.arcs and pay(graph, int(np.count_nonzero(is_source)))):
        choice.leave_out("trees blocks", True, FEW)
        return None
    left = graph.degrees > 0
    block, tops, roots, _ = graph.blocks(left)
    if tops.size == roots:  # no cut nodes
        return None
    if "blocks" not in choice.left:
        block, tops = _rest_in_one(graph, block, tops)
    rows = biconnected_rows(graph, left, block, tops)
    nodes, sizes, leaving = rows.nodes, rows.sizes, rows.outgoing.pattern.degrees
    is_top = np.zeros(nodes.size, dtype=bool)
    is_top[rows.tops] = True
    own = np.stack((is_source, is_source)).astype(np.int64)
    _, behind, _ = weights_at_cuts(graph.ops, block, tops, own)
    starts = behind[0, nodes] > 0
    starts &= ~is_top & (leaving > 0)
    sources_of, arcs_of = (
        np.add.reduceat(one, rows.tops, dtype=np.int64) for one in (starts, leaving)
    )
    whole = np.count_nonzero(is_source & (graph.outgoing.degrees > 0)) * graph.arcs
    saved = whole - (sources_of * arcs_of)[sizes > 2].sum()
    if saved < max(LEAST_SAVED * whole, enough(graph) * graph.arcs):
        return None

    size = sizes[rows.block]
    swept = np.flatnonzero(size > 2)
    swept = swept[np.argsort(-size[swept], kind="stable")]  # large blocks first
    union = graph.of((rows.outgoing, rows.incoming)).induced(swept)
    starts = np.flatnonzero(is_top[swept])
    from_top = to_top = _from_tops(rows, rows.outgoing, swept, union, starts)
    if not graph.symmetric:
        to_top = _from_tops(rows, rows.incoming, swept, union.reverse(), starts)
    behind = np.zeros((3, graph.n), dtype=from_top.dtype)
    behind[0] = is_source
    through = np.zeros((2, 3, rows.start.size - 1), dtype=behind.dtype)
    blocks.arriving_behind(rows.start, nodes, to_top, behind, *through)
    count, total, farthest = np.where(is_top[swept], 0, behind[:, nodes[swept]])
    weights = (count if weighed else count > 0).astype(np.int64)
    unweighed = np.stack((count - weights, total))
    parts = _parts(union, rows.block[swept])
    marked = np.zeros(parts.between.indptr.size - 1, dtype=bool)
    marked[parts.number[unweighed.any(axis=0)]] = True
    marked &= parts.between.degrees > 0
    if parts.steps(np.flatnonzero(marked)) > REACH_SHARE * saved:
        return None
    unweighed = blocks.sums_by_reach(unweighed, parts)
    known: Any = {"swept": swept, "from_top": from_top, "unweighed": unweighed}
    known |= {"behind": behind, "through": through, "is_source": is_source}
    return Smaller(union, weights, partial(_from_blocks, rows, **known), farthest)


def _from_blocks(
    rows: BlockRows,
    sums: DistanceSums,
    *,
    swept: NDArray[np.int64],
    from_top: NDArray[Any],
    unweighed: NDArray[Any],
    behind: NDArray[Any],
    through: NDArray[Any],
    is_source: NDArray[np.bool_],
) -> DistanceSums:
    """Sums on the original nodes, from those on the rows ``swept``; no harmonic sums.

    ``from_top``, (rows,), is the distance within the block, -1 if unreachable; ``unweighed``,
    (2, swept), S_B less weights, and F_B, summed over nodes that reach; ``behind``, (3, n), S, F, E
    of each node itself and the blocks below it; ``through`` is from `blocks.arriving_behind`.
    """
    inside = np.zeros((3, rows.nodes.size), dtype=behind.dtype)
    inside[:, swept] = sums.reached, sums.total, sums.farthest
    inside[:2, swept] += unweighed
    arrived, above = behind.copy(), np.zeros_like(behind)
    room = arrived, above, np.zeros((3, 1), dtype=above.dtype)
    blocks.arriving(rows.start, rows.nodes, from_top, *through, inside, *room)
    count, total, farthest = arrived
    reached = count.astype(np.int64) - is_source
    return DistanceSums(reached, total, np.full(total.size, np.nan), farthest)


def _rest_in_one(
    graph: Graph, block: NDArray[np.int32], tops: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Blocks and tops, with all blocks outside of the trees of a component merged into one."""
    ends = np.zeros((2, graph.n), dtype=np.int64)
    label = graph.components
    remains = graph.ops.fold(graph.either_way, label, ends)[0] > 0
    joined = np.flatnonzero(remains & (block >= 0) & remains[tops[block]])
    first = np.full(graph.n, tops.size, dtype=np.int32)
    np.minimum.at(first, label[joined], block[joined])
    block = block.copy()
    block[joined] = first[label[joined]]
    used = np.zeros(tops.size, dtype=bool)
    used[block[block >= 0]] = True
    number = np.cumsum(used, dtype=np.int32) - 1
    return np.where(block >= 0, number[block], -1).astype(np.int32), tops[used]


def _from_tops(
    rows: BlockRows,
    arcs: Matrix,
    swept: NDArray[np.int64],
    union: Graph,
    tops: NDArray[np.intp],
) -> NDArray[Any]:
    """Distance of each row from its top along ``arcs``, -1 if unreachable."""
    (_, heads), lengths = arcs
    result = np.full(rows.nodes.size, -1, dtype=lengths.dtype if lengths.size else np.int64)
    bridges = np.repeat(rows.sizes[rows.block] == 2, arcs.pattern.degrees)
    result[heads[bridges]] = lengths[bridges] if lengths.size else 1
    if tops.size and union.lengths:
        matrix = union.outgoing.for_csgraph(union.lengths.outgoing)
        distances = csgraph.dijkstra(matrix, indices=tops, min_only=True)
        result[swept] = np.where(np.isinf(distances), -1, distances)
    elif tops.size:
        result[swept] = components.hops(union.outgoing, tops)
    result[rows.tops] = 0
    return result


def _parts(union: Graph, block: NDArray[np.int64]) -> Condensed:
    """Strong components of the union of blocks, whose rows are in the order of ``block``."""
    is_first = np.diff(block, prepend=-1) != 0
    count = np.count_nonzero(is_first)
    if count and not union.symmetric:
        start = np.append(np.flatnonzero(is_first), block.size)
        return union.ops.condensed(union.outgoing, union.incoming, start, None)
    nothing = CSR(np.zeros(count + 1, dtype=np.int64), np.empty(0, dtype=np.int32))
    return Condensed((np.cumsum(is_first) - 1).astype(np.int32), np.arange(count + 1), nothing)


def fold(graph: Graph, is_source: NDArray[np.bool_], choice: Choice) -> Smaller | None:
    """A graph without its trees, with weights S, if "trees" is chosen and that saves work."""
    if "trees" not in choice.left:
        return None
    sources = int(np.count_nonzero(is_source))
    least = max(enough(graph), LEAST_SAVED * sources)
    if sources < least or graph.traits.leaves < least:
        choice.leave_out("trees", True, FEW)
        return None
    ops, label = graph.ops, graph.components
    own = ops.asarray(np.stack((is_source, is_source))).astype(np.int64)
    degree, _, parent, (hanging, _) = ops.fold(graph.outgoing, label, own)
    is_folded = parent >= 0
    away = ops.xp.where(is_folded, hanging, 0)
    summed = ops.add_up(label, ops.xp.stack((own[0], away)), graph.n)
    total, base = summed.take(label, axis=1)
    gain = ops.xp.where(is_folded, total - 2 * hanging, base)
    arcs = None
    if graph.traits.high_diameter:  # the original order may have neighbours close together
        nodes = ops.xp.flatnonzero(degree)
    else:
        nodes, arcs = ops.by_degree(degree)
    expand = partial(_from_roots, ops, nodes, parent, gain, total - own[0])
    left = graph.induced(nodes, arcs)
    return Smaller(left, ops.on_host(hanging[nodes]), expand, label=label[nodes])


def _from_roots(
    ops: GraphOps, nodes: Any, parent: Any, gain: Any, others: Any, sums: DistanceSums
) -> DistanceSums:
    """Sums on the original nodes, from those on the ``nodes`` that remain: reached and total.

    ``parent``, (n,), is -1 of these; ``gain`` is far(u) - far(parent(u)) of folded nodes, and of
    these the sum of S(u); ``others`` counts the sources of the component but the node itself.
    """
    far = gain.copy()
    far[nodes] += sums.total
    links = ops.xp.full(parent.size + 1, parent.size, dtype=np.int32)
    links[:-1] = ops.xp.where(parent >= 0, parent, parent.size)
    far = sums_along(links, far, ops, up=False)
    return DistanceSums(others, far, far, far)
