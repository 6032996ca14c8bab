"""Sums of distances on a symmetric graph without its trees: what hangs on a node is counted there.

Let S(u) be the sources that hang on u, u itself too, N those of its component, and what is folded
away the nodes of trees. Searches from each node b that is left, which counts S(b), find

    far(v) = sum over b of S(b) d(b, v) + sum of S(u) over the nodes u folded away

for S(u) sources come by the edge from u towards what is left. N - S(u) go the other way, so that

    far(u) = far(parent(u)) + N - 2 S(u)

A tree has no more than that to say: `distance_blocks` saves more, and takes longer to find.
"""

from collections.abc import Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.distances import DistanceSums
from ..graph.graph import Graph
from . import distance_blocks
from .pointer_doubling import from_above


class Folded(NamedTuple):
    """A graph without its trees, and what turns sums on it into those on the graph given."""

    graph: Graph
    high_diameter: bool  # as the graph given
    weights: NDArray[np.int64]  # (graph.n,) S, on the host
    # Where the graphs live, of the nodes of ``graph``: component, and number in the graph given.
    label: Any
    nodes: Any
    # Of the nodes given: the one towards what is left, -1 where none is, what far gains on the way
    # from there, or is there apart from the searches, and the sources other than itself.
    parent: Any
    gain: Any
    others: Any

    def expand(self, sums: DistanceSums) -> DistanceSums:
        """Sums on the nodes of ``graph`` to sums on the nodes given, of all but near and far."""
        ops, parent, xp = self.graph.ops, self.parent, self.graph.ops.xp
        gain = ops.plus(self.gain, self.nodes, sums.total)
        links = xp.full(parent.size + 1, parent.size, dtype=np.int32)
        links[:-1] = xp.where(parent >= 0, parent, parent.size)
        far = from_above(links, gain, xp)
        return DistanceSums(self.others, far, far, far)


def is_fit(graph: Graph) -> bool:
    """Whether a node of a tree has one way out, an edge long."""
    return graph.symmetric and graph.lengths is None


def pay(graph: Graph, sources: int) -> bool:
    """Whether leaves are so many that their searches are worth saving."""
    least = max(distance_blocks.enough(graph), distance_blocks.LEAST_SAVED * sources)
    return sources >= least and graph.traits.leaves >= least


def fold(graph: Graph, is_source: NDArray[np.bool_], names: Set[str]) -> Folded | None:
    """Leave out the trees of a graph, if ``names`` has "trees" and that saves work."""
    if not ("trees" in names and is_fit(graph) and pay(graph, int(np.count_nonzero(is_source)))):
        return None
    ops, label = graph.ops, graph.components
    own = ops.asarray(np.stack((is_source, is_source))).astype(np.int64)
    degree, _, parent, (hanging, _) = ops.fold(graph.outgoing, label, own)
    is_folded = parent >= 0
    away = ops.xp.where(is_folded, hanging, 0)
    around, beside = ops.totals(label, ops.xp.stack((own[0], away)))
    gain = ops.xp.where(is_folded, around - 2 * hanging, beside)
    high_diameter, arcs = graph.traits.high_diameter, None
    if high_diameter:  # neighbours may be close together in the order given
        nodes = ops.xp.flatnonzero(degree)
    else:
        nodes, arcs = ops.by_degree(degree)
    weights, others = ops.on_host(hanging[nodes]), around - own[0]
    left = graph.induced(nodes, arcs)
    return Folded(left, high_diameter, weights, label[nodes], nodes, parent, gain, others)
