"""Group betweenness on the CPU: searches from one source at a time, along lengths or edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...batch import Batch, NodeSets
from ..brandes_weighted import workspace as betweenness_weighted
from ..brandes_weighted.workspace import WeightedWorkspace
from . import met_paths as kernels


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], groups: NodeSets) -> int:
    """State of a search, and shares."""
    search = betweenness_weighted.source_bytes(graph, dtype, frozenset())
    lengths = 0 if graph.lengths else 8 * graph.arcs * (1 if graph.symmetric else 2)
    return search + lengths + 8 * groups.member.size + 8 * int(max(graph.n, groups.size))


class GroupWorkspace(WeightedWorkspace):
    """State of one source, and the sum over sources."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        groups: NodeSets,
        stop: NDArray[np.uint8],
    ) -> None:
        graph = graph.with_unit_lengths()
        assert graph.lengths is not None
        super().__init__(graph, graph.lengths, omega, dtype, frozenset(), stop)
        self.dependency = np.zeros(groups.size)
        member, state = groups.member, np.empty(groups.member.shape)
        self._many = kernels.Groups(member, groups.endpoints, state, self.dependency)
        self._one = kernels.Chosen(member, state, self.dependency)

    def _kernel(self, group: Batch) -> tuple[Any, ...]:
        """Kernel of a group of sources and its arguments."""
        if self._one.member.ndim == 1:
            return kernels.gains, self._paths, self._one, group.sources, group.alpha
        return kernels.meet, self._paths, self._many, group.sources, group.alpha
