"""Launches `per_source/near_sums.cu`: sums over distances from near sources, by length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...batch import Batch
from ...distances import DistanceSums
from ..runtime import kernels
from . import in_one_order
from .distance_sums import SUMS, DistanceSearch
from .in_one_order import InOneOrder, in_waves, multiprocessors
from .layout import NEAR_SUMS
from .sssp import Search


class NearSearch(InOneOrder, DistanceSearch):
    """Distances from the groups of a block."""

    _struct = NEAR_SUMS

    def __init__(self, graph: Graph, memory: int, stop: NDArray[np.uint8]) -> None:
        _, search = in_waves(graph)
        self._search = search
        left = memory - fixed_bytes(graph, search)
        super().__init__(graph, 2 * multiprocessors(), left, worker_bytes(graph, search), stop)
        with self._stream:
            self._upload()
        self._stream.synchronize()

    def _compiled(self, *shape: str) -> Any:
        return kernels("per_source/near_sums.cu", ("accumulate",), *shape)["accumulate"]

    def accumulate(self, groups: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        with self._device, self._stream:
            self._cut(groups)
        return super().accumulate(groups)

    def _allocate(self, workers: int) -> dict[str, Any]:
        sums = cupy.empty(workers * SUMS * self._graph.n)
        return super()._allocate(workers) | {"sums": sums}


def workspace_bytes(graph: Graph) -> int:
    """One worker."""
    _, search = in_waves(graph)
    return fixed_bytes(graph, search) + worker_bytes(graph, search)


def fixed_bytes(graph: Graph, search: Search) -> int:
    """Device memory that does not depend on the workers."""
    sums = graph.n * 8 * (SUMS + 1)
    return in_one_order.fixed_bytes(graph, search) + sums + (1 << 16)


def worker_bytes(graph: Graph, search: Search) -> int:
    """State of one worker, and its sums."""
    return in_one_order.worker_bytes(graph, search) + 8 * SUMS * graph.n
