"""Group betweenness on the CPU: searches from one source at a time, along lengths or edges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.edge_weights import Lengths
from ...graph.graph import Graph
from ..contract import BlockByBlock, Group, Workspace
from .betweenness_weighted import WeightedWorkspace
from .engine import CPU
from .kernels import groups


def with_lengths(graph: Graph) -> Graph:
    """The graph with lengths; of one, each level a bucket of the search, where it has none."""
    if graph.lengths is not None:
        return graph
    there = np.ones(graph.arcs)
    back = there if graph.symmetric else there.copy()
    return replace(graph, lengths=Lengths(there, back, whole=True, rtol=0.0))


class GroupCPU(CPU):
    """Engine of the sum "dependency" of one group or of many, on a graph `with_lengths`.

    Of many groups, ``member`` of shape (n, groups), it has a number each: the pairs whose paths
    meet it. Of one group, ``member`` of shape (n,), a number for each node: the pairs whose paths
    meet the node and not the group, their ends counted.
    """

    def __init__(self, member: NDArray[np.uint8], *, endpoints: bool = True) -> None:
        self._member, self._endpoints = member, endpoints

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """State of a search, and shares."""
        search: int = super().workspace_bytes(graph, dtype, width, frozenset())
        return search + 8 * self._member.size + 8 * int(max(graph.n, *self._member.shape))

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """State of one source."""
        made = _Workspace(graph, omega, dtype, stop, self._member, self._endpoints)
        return BlockByBlock(made, sums)


class _Workspace(WeightedWorkspace):
    """State of one source, and the sum over sources."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        stop: NDArray[np.uint8],
        member: NDArray[np.uint8],
        endpoints: bool,
    ) -> None:
        assert graph.lengths is not None
        super().__init__(graph, graph.lengths, omega, dtype, frozenset(), stop)
        self.dependency = np.zeros(member.shape[-1])
        state = np.empty(member.shape)
        self._many = groups.Groups(member, endpoints, state, self.dependency)
        self._one = groups.Chosen(member, state, self.dependency)

    def _sweep(self, group: Group) -> int:
        """Search from the sources of one group."""
        if self._one.member.ndim == 1:
            return int(groups.gains(self._paths, self._one, group.sources, group.alpha))
        return int(groups.meet(self._paths, self._many, group.sources, group.alpha))
