"""Sums of distances on an unweighted symmetric graph without its trees.

Let S(u) be the sources in the tree below u, u included, and N those of its component. The nodes of
trees are folded away, and searches from each remaining node b, with weight S(b), give

    far(v) = sum over b of S(b) d(b, v) + sum of S(u) over the folded nodes u

since S(u) sources take the edge from u to its parent. N - S(u) take it the other way, so that

    far(u) = far(parent(u)) + N - 2 S(u)

`distance_blocks` saves more, but its blocks take longer to find.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.distances import DistanceSums
from ..matrix.graph import Graph
from . import distance_blocks
from .choice import Choice
from .pointer_doubling import from_above

UNFIT = "on a GPU trees are folded for closeness by edges without directions"


class Folded(NamedTuple):
    """A graph without its trees, and the data to expand sums on it to the original graph.

    The arrays are on the device of the graphs, but for ``weights``.
    """

    graph: Graph
    high_diameter: bool  # of the original graph
    weights: NDArray[np.int64]  # (graph.n,) S, on the host
    label: Any  # (graph.n,) component
    nodes: Any  # (graph.n,) node of the original graph
    parent: Any  # (n,) of each folded node, -1 of the others
    gain: Any  # (n,) far(u) - far(parent(u)) of folded nodes; of the others the sum of S(u)
    others: Any  # (n,) sources of the component, without the node itself

    def expand(self, sums: DistanceSums) -> DistanceSums:
        """Sums on the original nodes, from those on the nodes of ``graph``: reached and total."""
        ops, parent, xp = self.graph.ops, self.parent, self.graph.ops.xp
        gain = ops.plus(self.gain, self.nodes, sums.total)
        links = xp.full(parent.size + 1, parent.size, dtype=np.int32)
        links[:-1] = xp.where(parent >= 0, parent, parent.size)
        far = from_above(links, gain, xp)
        return DistanceSums(self.others, far, far, far)


def _rules(graph: Graph, sources: int) -> Iterator[tuple[object, str]]:
    """Rules that leave out the folding of trees: only undirected unweighted graphs have it."""
    yield not graph.symmetric or graph.lengths is not None, UNFIT
    least = max(distance_blocks.enough(graph), distance_blocks.LEAST_SAVED * sources)
    yield sources < least or graph.traits.leaves < least, distance_blocks.FEW


def fold(graph: Graph, is_source: NDArray[np.bool_], choice: Choice) -> Folded | None:
    """A graph without its trees, if "trees" is in the choice and that saves work."""
    choice.leave_out(["trees"], _rules(graph, int(np.count_nonzero(is_source))))
    if "trees" not in choice:
        return None
    ops, label = graph.ops, graph.components
    own = ops.asarray(np.stack((is_source, is_source))).astype(np.int64)
    degree, _, parent, (hanging, _) = ops.fold(graph.outgoing, label, own)
    is_folded = parent >= 0
    away = ops.xp.where(is_folded, hanging, 0)
    total, base = ops.totals(label, ops.xp.stack((own[0], away)))
    gain = ops.xp.where(is_folded, total - 2 * hanging, base)
    high_diameter, arcs = graph.traits.high_diameter, None
    if high_diameter:  # the original order may have neighbours close together
        nodes = ops.xp.flatnonzero(degree)
    else:
        nodes, arcs = ops.by_degree(degree)
    weights, others = ops.on_host(hanging[nodes]), total - own[0]
    left = graph.induced(nodes, arcs)
    return Folded(left, high_diameter, weights, label[nodes], nodes, parent, gain, others)
