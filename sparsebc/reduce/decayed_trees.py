"""Trees folded into their roots, with an exponential distance decay.

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
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.decay import EXPONENTIAL, Seeds
from ..jit import interruptible
from ..matrix import reducible
from ..matrix.csr import CSR
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps

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
        interruptible(outside.size, reducible.hand_down, *trees, outside, after)
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


def fits(
    graph: Graph,
    alpha: NDArray[Any],
    omega: NDArray[Any],
    seeds: Seeds,
    measures: Collection[str],
) -> bool:
    """Whether trees can be folded: symmetric weights of pairs, exponential decay, on the host."""
    return (
        seeds.demand is None
        and seeds.decay.kind == EXPONENTIAL
        and "stress" not in measures
        and not graph.cutoffs
        and graph.ops.xp is np
        and np.array_equal(alpha, omega)
    )


def folded(graph: Graph, omega: NDArray[Any], seeds: Seeds) -> DecayedTrees | None:
    """Fold the trees of a symmetric graph; None if the remaining weights spread beyond `SPREAD`."""
    n, own, pattern = graph.n, omega.astype(np.float64), graph.outgoing
    lengths = np.full(graph.arcs, graph.unit) if graph.lengths is None else graph.lengths.outgoing
    degree, parent, order = pattern.degrees.copy(), np.full(n, -1, np.int32), np.zeros(n + 1, int)
    share, inner, before, pairs = np.zeros((4, n))
    made = DecayedTrees(degree, parent, order, share, own, inner, before, pairs)
    shares, stack = seeds.decay.of(lengths), np.empty(n, np.int32)
    interruptible(n, reducible.fold_decayed, *pattern, shares, *made, stack)
    left = made.weight[(degree > 0) & (made.weight > 0)]
    if left.size and left.min() < SPREAD * left.max():
        return None
    return made._replace(order=order[: order[n]])
