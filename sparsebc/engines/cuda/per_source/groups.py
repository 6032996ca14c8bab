"""Launches `per_source/groups.cu`: groups of nodes, a block of threads to a source."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...batch import NodeSets
from ..runtime import kernels, outside
from . import weighted
from .layout import GROUPS
from .sssp import Search
from .weighted import WeightedWorkspace

NONE: frozenset[str] = frozenset()  # the sums of weighted.cu that are wanted


class GroupWorkspace(WeightedWorkspace):
    """Sums over the sources of a block, on a graph with lengths."""

    _struct = GROUPS

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
        asked: NodeSets,
    ) -> None:
        self._asked = asked
        assert graph.lengths is not None
        super().__init__(graph, graph.lengths, omega, dtype, memory, NONE, stop)
        left = memory - fixed_bytes(graph, self._search, dtype, asked)
        each = worker_bytes(graph, self._search, dtype, asked)
        self._at_once = int(np.clip(left // each, 1, self._workers))
        self._constants |= {"size": asked.size, "endpoints": asked.endpoints}
        with self._stream:
            self.dependency = graph.ops.xp.zeros(asked.size)
            self._totals = {"pairs": cupy.zeros(asked.size)}
            self._arrays["omega"] = outside(asked)
        self._stream.synchronize()

    def _compiled(self) -> Any:
        is_one = str(self._asked.member.ndim == 1).lower()
        search = self._search
        types = *search.types(self._pointer), is_one, search.flags[1]
        return kernels("per_source/groups.cu", ("look_for_groups",), *types)["look_for_groups"]

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        walks = 1 if self._asked.member.ndim == 1 else self._asked.size
        return self._search.launches(self._graph.arcs * (1 + walks), workers, count)

    def _summed(self) -> dict[str, Any]:
        return {"dependency": self._totals["pairs"]}

    def _allocate(self, workers: int) -> dict[str, Any]:
        return {
            **super()._allocate(workers),
            "met": cupy.empty(workers * self._graph.n),
            "pairs": cupy.empty(workers * self._asked.size),
        }


def workspace_bytes(
    graph: Graph, dtype: np.dtype[Any], sums: frozenset[str], asked: NodeSets
) -> int:
    """One worker."""
    assert graph.lengths is not None
    search = Search.of(graph, graph.lengths)
    return fixed_bytes(graph, search, dtype, asked) + worker_bytes(graph, search, dtype, asked)


def fixed_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], asked: NodeSets) -> int:
    """Device memory that does not depend on the workers."""
    return (
        weighted.fixed_bytes(graph, search, dtype, NONE) + 10 * asked.member.size + 8 * asked.size
    )


def worker_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], asked: NodeSets) -> int:
    """State of one worker."""
    return weighted.worker_bytes(graph, search, dtype, NONE) + 8 * (graph.n + asked.size)
