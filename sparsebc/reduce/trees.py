"""Degree-one reduction: trees folded into their roots, and sums along the links of a forest.

The compiled loops that fold are in ``matrix/reduction_loops.py``.

In an undirected graph every shortest path into or out of a tree runs through its root, the node
that joins it to the rest. The root gets the weights of all sources (alpha) and targets (omega) of
its tree. With S(v), T(v) the sources and targets in the tree below v, v included, S, T those of its
component, and [s], [t] the weights of v itself, the pairs through v with an end in that tree are

    through(v) = (S - [s]) (T - [t]) - (S - S(v)) (T - T(v)) - sum over children c of S(c) T(c)

The only path between a folded node c and its parent is their edge, so every pair with one end in
the tree below c and the other outside of it takes that edge:

    eb(c -> parent) = S(c) (T - T(c))        eb(parent -> c) = T(c) (S - S(c))

With an exponential distance decay
----------------------------------
exp(-beta d) is a product along a path. With omega the weight of a node as source and as target,
e = exp(-beta l) for the edge of length l between a node c and its parent p, W(v) the decayed weight
at v of the tree below v, and U(v) that of all other nodes:

    W(p) = omega(p) + I(p),   I(p) = sum over children c of e W(c)
    U(c) = e (omega(p) + U(p) + sum of e' W(c') over the other children c')

A sweep of the graph without its trees, with the weights W, gives U at each root r: the pairs that
begin or end at r sum to 2 W(r) U(r). U then passes down the trees, and W and U give

    through(v) = 2 (sum over pairs of children c, c' of e W(c) e' W(c') + I(v) U(v))
    eb(c -> p) = eb(p -> c) = W(c) U(c)        ends(v) = 2 omega(v) (I(v) + U(v))

A sum over the other children adds those before c and those after c, without a subtraction.

Sums along links
----------------
Sums along the links of a forest by pointer doubling, in log2(depth) rounds.

``links[i]`` is the parent of node i; a root has the index after the last node.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.decay import EXPONENTIAL, Seeds
from ..jit import interruptible
from ..matrix import reduction_loops
from ..matrix.csr import CSR
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps


class Trees(NamedTuple):
    """Folded trees, by node of the original graph."""

    parent: NDArray[np.int32]  # the node that each was folded into, -1 for those that remain
    below: NDArray[np.int64]  # S(v) and T(v), shape (2, n)
    totals: NDArray[np.int64]  # S and T

    def roots(self, xp: Any) -> Any:
        """Root of the tree of each node, shape (n,)."""
        root = xp.where(self.parent >= 0, self.parent, xp.arange(self.parent.size))
        while True:
            above = root[root]
            if (above == root).all():
                return root
            root = above

    def add_pairs(self, pattern: CSR, pairs: Any, ops: GraphOps) -> None:
        """Add the pairs along each arc of the trees, in place, shape (arcs,)."""
        xp, (inside, outside) = ops.xp, (self.below, self.totals - self.below)
        child = xp.arange(self.parent.size, dtype=np.int32)
        up, down = (xp.multiply(inside[i], outside[1 - i], dtype=np.float64) for i in (0, 1))
        ops.add_along(pattern, child, self.parent, up, pairs)
        ops.add_along(pattern, self.parent, child, down, pairs)


# Least ratio of the smallest to the largest remaining weight: see `engines.common.decay`.
SPREAD = 1e-50


class DecayedTrees(NamedTuple):
    """Folded trees, by node of the original graph."""

    degree: NDArray[np.int64]  # without the folded nodes
    parent: NDArray[np.int32]  # the node that each was folded into, -1 for those that remain
    order: NDArray[np.int64]  # the folded nodes, children before their parents
    share: NDArray[np.float64]  # e of the edge to the parent
    own: NDArray[np.float64]  # omega
    inner: NDArray[np.float64]  # I
    before: NDArray[np.float64]  # sum of e' W(c') over the siblings c' folded before
    pairs: NDArray[np.float64]  # sum of e W(c) e' W(c') over pairs of children

    @property
    def weight(self) -> NDArray[np.float64]:
        """W of each node, shape (n,)."""
        return self.own + self.inner

    def weights_outside(
        self, ends: NDArray[np.float64], nodes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """U of each node, shape (n,); ``ends`` are the sums "ends" at the swept ``nodes``."""
        outside, weight = np.zeros_like(self.own), self.weight[nodes]
        np.divide(ends, 2 * weight, out=ends, where=weight > 0)
        outside[nodes] = ends
        after = np.zeros_like(outside)
        trees = self.order, self.parent, self.share, self.own, self.inner, self.before
        interruptible(outside.size, reduction_loops.hand_down, *trees, outside, after)
        return outside

    def through(self, outside: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weight of the pairs through each node with an end in the tree below it, shape (n,)."""
        return 2 * (self.pairs + self.inner * outside)

    def ends(self, outside: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weight of the pairs that begin or end at each node, shape (n,)."""
        return 2 * self.own * (self.inner + outside)

    def add_pairs(
        self, pattern: CSR, pairs: Any, outside: NDArray[np.float64], ops: GraphOps
    ) -> None:
        """Add the weights along each arc of the trees, in place, shape (arcs,)."""
        child = np.arange(self.parent.size, dtype=np.int32)
        for tail, head in ((child, self.parent), (self.parent, child)):
            ops.add_along(pattern, tail, head, self.weight * outside, pairs)


def folds_decayed(graph: Graph, alpha: NDArray[Any], omega: NDArray[Any], seeds: Seeds) -> bool:
    """Whether trees can be folded with a decay: exponential, symmetric weights, on the host."""
    return (
        seeds.demand is None
        and seeds.decay.kind == EXPONENTIAL
        and not graph.cutoffs
        and graph.ops.xp is np
        and np.array_equal(alpha, omega)
    )


def folded_decayed(graph: Graph, omega: NDArray[Any], seeds: Seeds) -> DecayedTrees | None:
    """Fold the trees of a symmetric graph; None if the remaining weights spread beyond `SPREAD`."""
    n, own, pattern = graph.n, omega.astype(np.float64), graph.outgoing
    lengths = np.full(graph.arcs, graph.unit) if graph.lengths is None else graph.lengths.outgoing
    degree, parent, order = pattern.degrees.copy(), np.full(n, -1, np.int32), np.zeros(n + 1, int)
    share, inner, before, pairs = np.zeros((4, n))
    made = DecayedTrees(degree, parent, order, share, own, inner, before, pairs)
    shares, stack = seeds.decay.of(lengths), np.empty(n, np.int32)
    interruptible(n, reduction_loops.fold_decayed, *pattern, shares, *made, stack)
    left = made.weight[(degree > 0) & (made.weight > 0)]
    if left.size and left.min() < SPREAD * left.max():
        return None
    return made._replace(order=order[: order[n]])


def links(above: Any, is_linked: Any, xp: Any) -> Any:
    """Links of two copies of a forest, one after the other, with the parents ``above``.

    ``is_linked`` masks the links, of both copies alike or row by row; other nodes are roots.
    """
    count = above.size
    result = xp.full(2 * count + 1, 2 * count, dtype=np.int32)
    both = xp.stack((above, above + count))
    result[:-1] = xp.where(is_linked, both, 2 * count).reshape(-1)
    return result


def sums_along(links: Any, values: Any, ops: GraphOps, *, up: bool) -> Any:
    """Sum of the values of each node and its descendants (``up``) or its ancestors."""
    sums = ops.xp.zeros(values.size + 1, dtype=values.dtype)  # the last is of no parent
    sums[:-1] = values.reshape(-1)
    while bool((links < links.size - 1).any()):  # device to host
        if up:
            sums = sums + ops.add_up(links, sums[None], sums.size)[0]
        else:
            sums = sums + sums[links]
        links = links[links]  # to ancestors 2, 4, ... levels up, until all are past the roots
    return sums[:-1].reshape(values.shape)
