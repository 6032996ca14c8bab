"""Workspace of group betweenness, one source at a time, weighted or unweighted."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.batch import Batch
from ..brandes_weighted import workspace as brandes_weighted
from ..brandes_weighted.workspace import WeightedWorkspace
from . import met_paths as kernels


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of the state of a search, and of shares and sums."""
    sets = sweep.node_sets
    assert sets is not None
    search = brandes_weighted.source_bytes(graph, sweep._replace(sums=frozenset()))
    lengths = 0 if graph.lengths else 8 * graph.arcs * (1 if graph.symmetric else 2)
    return search + lengths + 8 * sets.member.size + 8 * int(max(graph.n, sets.size))


class NodeSetWorkspace(WeightedWorkspace):
    """State of one source, and the sum over sources; unweighted edges have length 1."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        sets = sweep.node_sets
        assert sets is not None
        super().__init__(graph.with_unit_lengths(), sweep._replace(sums=frozenset()), stop)
        self.dependency = np.zeros(sets.size)
        member, state = sets.member, np.empty(sets.member.shape)
        self._sets: tuple[Any, ...] = (
            (None, kernels.Chosen(member, state, self.dependency))
            if member.ndim == 1
            else (kernels.Groups(member, sets.endpoints, state, self.dependency), None)
        )

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The kernel of a single set or of several."""
        yield kernels.run, self._paths, *self._sets, batch.sources, batch.alpha
