"""Degree-one reduction: trees folded into their roots, and what is known of them in closed form.

In an undirected graph every shortest path into or out of a tree runs through its root, the node
that joins it to the rest. From the folding on, the root stands for all sources (alpha) and all
targets (omega) of its tree; the pairs that these send through each node are counted in closed form.
With S(v), T(v) the sources and targets in the tree below v (v too), S, T those of its component,
[s], [t] whether v is one itself:

    through(v) = (S - [s]) (T - [t]) - (S - S(v)) (T - T(v)) - sum over children c of S(c) T(c)

The only path between a removed node c and its parent is their edge, so every pair with one end in
the part below c and the other outside of it takes that edge:

    eb(c -> parent) = S(c) (T - T(c))        eb(parent -> c) = T(c) (S - S(c))

with S(c), T(c) the sources and targets below c (c too) and S, T those of its component.

A path that leaves what is folded into a node b does so through b, and was unique up to there. With
D(b) the paths from b to the targets elsewhere, and R(b) those that arrive at b from the sources
elsewhere, the paths that begin or end in the tree run through its nodes v, b too:

    stress(v) = through(v) + (S(v) - [s]) D(b) + (T(v) - [t]) R(b)

with through(v) within the tree: S, T are S(b), T(b).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import CSR
from ..graph.graph import Graph
from ..graph.ops import GraphOps


class Trees(NamedTuple):
    """Folded trees, by node of the graph that was given."""

    parent: NDArray[np.int32]  # the node that each was folded into, -1 for those that remain
    children: NDArray[np.int64]  # sum of S(c) T(c) over the children c
    own: NDArray[np.int64]  # [s] and [t], shape (2, n)
    below: NDArray[np.int64]  # S(v) and T(v)
    around: NDArray[np.int64]  # S and T

    def through(self, around: Any, ops: GraphOps) -> Any:
        """Pairs through each node, of so many sources and targets around its tree, shape (n,)."""
        return ops.pairs_through(around, self.own, self.below, self.children)

    def roots(self, xp: Any) -> Any:
        """The node that remains of each node's tree, shape (n,)."""
        root = xp.where(self.parent >= 0, self.parent, xp.arange(self.parent.size))
        while True:
            above = root[root]
            if (above == root).all():
                return root
            root = above

    def paths_through(self, arrivals: Any, departures: Any, ops: GraphOps) -> Any:
        """Paths through each node that begin or end in its tree, shape (n,)."""
        xp, root = ops.xp, self.roots(ops.xp)
        paths = self.through(self.below.take(root, axis=1), ops)
        sources, targets = self.below - self.own
        with np.errstate(invalid="ignore"):  # none of them, times what is beyond floats, is none
            for ends, each in ((sources, departures[root]), (targets, arrivals[root])):
                paths += xp.where(ends > 0, ends * each, 0)
        return paths

    def add_pairs(self, pattern: CSR, pairs: Any, ops: GraphOps) -> None:
        """Add the pairs along each arc of the trees, in place, shape (arcs,)."""
        xp, (inside, beyond) = ops.xp, (self.below, self.around - self.below)
        child = xp.arange(self.parent.size, dtype=np.int32)
        up, down = (xp.multiply(inside[i], beyond[1 - i], dtype=np.float64) for i in (0, 1))
        ops.add_along(pattern, child, self.parent, up, pairs)
        ops.add_along(pattern, self.parent, child, down, pairs)


def folded(graph: Graph, ends: NDArray[Any]) -> tuple[Any, Any, Trees]:
    """Fold trees: what degree is left, ``through``, and the trees, with alpha and omega below."""
    ops, label = graph.ops, graph.components
    own = ops.asarray(ends).astype(np.int64)
    around = ops.totals(label, own)
    degree, children, parent, below = ops.fold(graph.outgoing, label, own)
    trees = Trees(parent, children, own, below, around)
    return degree, trees.through(around, ops), trees
