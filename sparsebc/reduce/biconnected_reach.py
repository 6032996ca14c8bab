"""Weights S_B, T_B of directed blocks: sources that reach a node, and targets that it reaches.

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

from typing import Any

import numpy as np

from ..matrix.ops import GraphOps
from .biconnected_rows import BlockRows
from .pointer_doubling import from_above, from_below, links


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
    behind = from_below(links(above, to_tops & is_below, xp), behind, ops)
    ends[:, cuts] += behind
    up += ops.add_up(block, to_tops * behind, blocks)
    below = ops.add_up(tops, up, n)

    inside = ops.sums_over_reach(parts, ops.add_up(parts.number, ends, is_chosen.size), chosen)
    inside = inside.take(xp.searchsorted(chosen, part), axis=1) - ends[:, cuts]
    at_top = (own + below).take(tops, axis=1) - up  # without s(t) of the block above
    passing = inside + from_tops * at_top.take(block, axis=1)
    passing = from_above(links(above, from_tops & is_below, xp), passing, xp)
    entering = xp.zeros((2, cuts.size + 1), dtype=np.int64)
    entering[:, :-1] = passing
    ends[:, rows.tops] = at_top + entering.take(place, axis=1)

    pairs = -ops.add_up(tops, (up[0] * up[1])[None], n)[0]
    pairs[nodes] -= passing[0] * passing[1]
    below[:, nodes] += passing  # now the sums of s_B and t_B over all blocks of a node
    return ends, (pairs + below[0] * below[1]).astype(np.float64)
