"""Launches `distance_sums.cu`: sums over distances from clustered sources, by length."""

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ..layout import CLUSTERED_ACCESS, CLUSTERED_SUMS, Plan
from ..sssp.distance_sums import DistanceSearch, sums_plan
from . import shared_order
from .shared_order import SharedOrder


def distances(graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> DistanceSearch:
    """Sums of distances by length from clustered sources, a block of threads to a batch."""
    struct = CLUSTERED_ACCESS if sweep.access else CLUSTERED_SUMS
    workers = SharedOrder(struct, graph, plan(graph, sweep), memory, stop)
    workers.choose("accumulate", last=sweep.access is not None)
    return DistanceSearch(workers, sweep)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs; of a worker its searches and sums."""
    return sums_plan(graph, sweep, shared_order.arc_bytes(graph), shared_order.state(graph))
