"""Launches `brandes_clustered.cu`: paths from near sources, 64 to a block of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ..common.per_source import Needs, PathSums, path_needs, sum_sizes
from ..common.sums import flags_of
from ..runtime.kernels import c_type, kernels
from . import shared_order
from .layout import CLUSTERED, CLUSTERED_WIDTH
from .shared_order import SharedOrder, in_waves, multiprocessors, slots


class ClusteredWorkspace(SharedOrder, PathSums):
    """Sums of paths over the batches of a block."""

    _struct = CLUSTERED

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        lengths, self._search = in_waves(graph)
        super().__init__(
            graph,
            sweep,
            memory,
            stop,
            shares=share_count(graph),
            workers=2 * multiprocessors(),
            needs=needs(graph, sweep),
        )
        self._constants["rtol"] = lengths.rtol
        with self._stream:
            self._places = self._upload()
        self._stream.synchronize()

    def _compiled(self, *shape: str) -> Any:
        every = c_type(self._dtype), *shape, flags_of(self._sums)
        return kernels("clustered/brandes_clustered.cu", ("sweep",), *every)["sweep"]

    def _search_batches(self, batches: Sequence[Batch]) -> None:
        self._cut(batches)
        super()._search_batches(batches)

    def _by_arc(self, shares: Any) -> Any:
        return shares[self._places]

    def _allocate(self, workers: int) -> dict[str, Any]:
        nodes = workers * self._graph.n
        sizes = sum_sizes(self._graph, self._sums, self._shares)
        return super()._allocate(workers) | {
            **{name: cupy.empty(workers * size) for name, size in sizes.items()},
            "tight": cupy.empty(nodes * slots(self._graph), np.uint64),
            "sigma": cupy.empty(nodes * CLUSTERED_WIDTH, self._dtype),
            "weights": cupy.empty(nodes, self._dtype),
        }


def share_count(graph: Graph) -> int:
    """Shares of arcs that a worker has: those that rows have room for."""
    return slots(graph) * graph.n


def needs(graph: Graph, sweep: Sweep) -> Needs:
    """Device memory of a sweep."""
    own = sum(sum_sizes(graph, sweep.sums, share_count(graph)).values())
    fixed, worker = shared_order.needs(graph, sweep.dtype.itemsize)
    return Needs(fixed + path_needs(graph, sweep, share_count(graph)).fixed, worker + 8 * own)
