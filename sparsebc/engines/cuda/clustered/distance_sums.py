"""Launches `distance_sums.cu`: sums over distances from near sources, by length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ...distances import DistanceSums
from ..common.per_source import Needs
from ..runtime.kernels import kernels
from ..sssp.distance_sums import SUMS, DistanceSearch
from . import shared_order
from .layout import CLUSTERED_SUMS
from .shared_order import SharedOrder, in_waves, multiprocessors


class ClusteredSearch(SharedOrder, DistanceSearch):
    """Distances from the batches of a block."""

    _struct = CLUSTERED_SUMS

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        _, self._search = in_waves(graph)
        super().__init__(graph, 2 * multiprocessors(), memory, needs(graph, sweep), stop)
        with self._stream:
            self._upload()
        self._stream.synchronize()

    def _compiled(self, *shape: str) -> Any:
        return kernels("clustered/distance_sums.cu", ("accumulate",), *shape)["accumulate"]

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order."""
        with self._device, self._stream:
            self._cut(batches)
        return super().accumulate(batches)

    def _allocate(self, workers: int) -> dict[str, Any]:
        sums = cupy.empty(workers * SUMS * self._graph.n)
        return super()._allocate(workers) | {"sums": sums}


def needs(graph: Graph, sweep: Sweep) -> Needs:
    """Device memory of the searches: those of a batch, and sums."""
    fixed, worker = shared_order.needs(graph)
    return Needs(fixed + graph.n * 8 * (SUMS + 1) + (1 << 16), worker + 8 * SUMS * graph.n)
