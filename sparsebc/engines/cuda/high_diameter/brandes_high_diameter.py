"""Launches `brandes_high_diameter.cu`: paths from clustered sources, 64 to a block of threads."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import Batch
from ..common.per_source import PathSums, path_plan
from ..layout import CLUSTERED, ORDER, Plan
from ..runtime.kernels import multiprocessors
from . import shared_order
from .shared_order import SharedOrder, in_waves, slots


class ClusteredWorkspace(SharedOrder, PathSums):
    """Sums of paths over clustered sources, a block of threads to a batch."""

    _file, _struct = "high_diameter/brandes_high_diameter.cu", CLUSTERED

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        workers = 2 * multiprocessors()
        PathSums.__init__(self, graph, sweep, plan(graph, sweep), workers, memory, stop)
        self._constants["tau"] = in_waves(graph)[0].tau
        self._places = self._upload()

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the sources of the batches."""
        shape = self._cut(batches)
        self._kernel = self._instance("sweep", self._dtype, *shape, self._flags)
        super().run(batches)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs; of a worker its searches, and shares of those that rows have room for."""
    real = sweep.dtype.itemsize
    state = shared_order.state(graph, real)
    state["seeds"] = graph.n * ORDER.CLUSTERED_WIDTH * real * (sweep.seeds is not None)
    arcs = shared_order.arc_bytes(graph)
    return path_plan(graph, sweep, slots(graph) * graph.n, arcs, state)
