"""What is asked: a graph, and the pairs of nodes that count, as checked arguments."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.batch import NodeSets
from ..engines.common.decay import Seeds
from ..matrix.graph import Graph

# Index among the cutoffs of the graph: an array with one for each cutoff of a list, an int for a
# single cutoff, None without cutoff.
Columns = NDArray[np.int64] | int | None


class Query(NamedTuple):
    """Sums over the pairs (s, t) of a graph, where a pair counts alpha(s) omega(t).

    With ``seeds`` it counts f(d(s, t)) D(s, t) times that. The fields up to ``seeds`` determine the
    sums over paths, the others what becomes of them.
    """

    graph: Graph
    # (n,), a mask of the sources, or their weights: int64, or float64 if not whole
    alpha: NDArray[Any]
    omega: NDArray[Any]  # (n,), that of the targets
    measures: Collection[str] = ("betweenness",)  # of paths
    endpoints: bool = False
    node_sets: NodeSets | None = None  # groups of nodes, in place of nodes
    seeds: Seeds | None = None  # distance decay f and origin-destination matrix D

    is_source: NDArray[np.bool_] = np.empty(0, np.bool_)  # (n,), those of weight 0 too
    sampled: bool = False  # the sources are a sample that stands for all nodes
    # of the pairs that could count each node, if pairs have weights, given ``endpoints``
    weight_of_pairs: Callable[..., NDArray[np.float64]] | None = None
    target_weights: NDArray[np.float64] | None = None  # as given, with those of the pairs
    unit: float = 1.0  # weight that 1 in the sums stands for, a power of two
    columns: Columns = None  # of the scores, among the cutoffs of the graph
    names: Sequence[str] | None = None  # of the nodes, if A has some
    origin: str | None = None  # device of A, where scores are delivered; None for the host
    tau: float = 0.0  # largest difference of two path lengths that tie

    @property
    def sample(self) -> NDArray[np.bool_] | None:
        """Mask of the sources if they are a sample, else None."""
        return self.is_source if self.sampled else None

    def rows(self, values: Any) -> list[Any]:
        """List of the values for each cutoff of the graph; of one item if there is no cutoff."""
        return list(values) if self.graph.cutoffs else [values]

    @property
    def others_weights(self) -> NDArray[np.float64]:
        """Target weights of the sources, 0 elsewhere, for distance measures; shape (n,)."""
        weights: Any = self.target_weights
        return np.where(self.is_source, weights, 0.0)

    @property
    def others(self) -> Any:
        """Number of sources other than each node, or their weight, in the memory of the graph.

        Shape (n,), or (1,) if it is the same for all.
        """
        if self.target_weights is not None:
            weights = np.concatenate(([0.0], self.others_weights, [0.0]))
            others = np.cumsum(weights)[:-2] + np.cumsum(weights[::-1])[-3::-1]
            return self.graph.ops.asarray(others)
        count = np.count_nonzero(self.is_source)
        marked = self.is_source[:1] if count == self.is_source.size else self.is_source
        return count - self.graph.ops.asarray(marked)
