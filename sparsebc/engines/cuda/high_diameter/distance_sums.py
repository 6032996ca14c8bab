"""Launches `distance_sums.cu`: sums over distances from clustered sources, by length."""

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ..layout import CLUSTERED_ACCESS, CLUSTERED_SUMS, Plan
from ..runtime.kernels import multiprocessors
from ..sssp.distance_sums import DistanceSearch, sums_plan
from . import shared_order
from .shared_order import SharedOrder


class ClusteredSearch(SharedOrder, DistanceSearch):
    """Sums of distances by length from clustered sources, a block of threads to a batch."""

    _file = "high_diameter/distance_sums.cu"
    _structs = CLUSTERED_SUMS, CLUSTERED_ACCESS

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        workers = 2 * multiprocessors()
        super().__init__(graph, sweep, plan(graph, sweep), workers, memory, stop)
        self._upload("accumulate", last=sweep.access is not None)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs; of a worker its searches and sums."""
    return sums_plan(graph, sweep, shared_order.arc_bytes(graph), shared_order.state(graph))
