"""Degree-one reduction: trees folded into their roots, with their sums in closed form.

In an undirected graph every shortest path into or out of a tree runs through its root, the node
that joins it to the rest. The root gets the weights of all sources (alpha) and targets (omega) of
its tree. With S(v), T(v) the sources and targets in the tree below v, v included, S, T those of its
component, and [s], [t] the weights of v itself, the pairs through v with an end in that tree are

    through(v) = (S - [s]) (T - [t]) - (S - S(v)) (T - T(v)) - sum over children c of S(c) T(c)

The only path between a folded node c and its parent is their edge, so every pair with one end in
the tree below c and the other outside of it takes that edge:

    eb(c -> parent) = S(c) (T - T(c))        eb(parent -> c) = T(c) (S - S(c))

A path out of the tree of a root b runs through b, and is unique within the tree. With D(b) the
paths from b to the targets outside of the tree, and R(b) those from the sources outside to b, the
paths with an end in the tree add to each of its nodes v, b included,

    stress(v) = through(v) + (S(v) - [s]) D(b) + (T(v) - [t]) R(b)

with through(v) within the tree: S, T are S(b), T(b).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..matrix.csr import CSR
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps


class Trees(NamedTuple):
    """Folded trees, by node of the original graph."""

    parent: NDArray[np.int32]  # the node that each was folded into, -1 for those that remain
    children: NDArray[np.int64]  # sum of S(c) T(c) over the children c
    own: NDArray[np.int64]  # [s] and [t], shape (2, n)
    below: NDArray[np.int64]  # S(v) and T(v)
    totals: NDArray[np.int64]  # S and T

    def through(self, totals: Any, ops: GraphOps) -> Any:
        """through(v) of each node with these S and T, shape (n,)."""
        return ops.pairs_through(totals, self.own, self.below, self.children)

    def roots(self, xp: Any) -> Any:
        """Root of the tree of each node, shape (n,)."""
        root = xp.where(self.parent >= 0, self.parent, xp.arange(self.parent.size))
        while True:
            above = root[root]
            if (above == root).all():
                return root
            root = above

    def paths_through(self, arrivals: Any, departures: Any, ops: GraphOps) -> Any:
        """Paths through each node that begin or end in the tree of its root, shape (n,)."""
        xp, root = ops.xp, self.roots(ops.xp)
        paths = self.through(self.below.take(root, axis=1), ops)
        sources, targets = self.below - self.own
        with np.errstate(invalid="ignore"):  # 0 * inf counts 0
            for ends, each in ((sources, departures[root]), (targets, arrivals[root])):
                paths += xp.where(ends > 0, ends * each, 0)
        return paths

    def add_pairs(self, pattern: CSR, pairs: Any, ops: GraphOps) -> None:
        """Add the pairs along each arc of the trees, in place, shape (arcs,)."""
        xp, (inside, outside) = ops.xp, (self.below, self.totals - self.below)
        child = xp.arange(self.parent.size, dtype=np.int32)
        up, down = (xp.multiply(inside[i], outside[1 - i], dtype=np.float64) for i in (0, 1))
        ops.add_along(pattern, child, self.parent, up, pairs)
        ops.add_along(pattern, self.parent, child, down, pairs)


def folded(graph: Graph, ends: NDArray[Any]) -> tuple[Any, Any, Trees]:
    """Degrees without the trees, ``through``, and the trees; ``ends`` holds alpha and omega."""
    ops, label = graph.ops, graph.components
    own = ops.asarray(ends).astype(np.int64)
    totals = ops.totals(label, own)
    degree, children, parent, below = ops.fold(graph.outgoing, label, own)
    trees = Trees(parent, children, own, below, totals)
    return degree, trees.through(totals, ops), trees
