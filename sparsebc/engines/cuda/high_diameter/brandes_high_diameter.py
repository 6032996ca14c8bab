"""Launches `brandes_high_diameter.cu`: paths from clustered sources, 64 to a block of threads."""

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ..common.per_source import PathSums, path_plan
from ..layout import CLUSTERED, ORDER, Plan, flags_of
from . import shared_order
from .shared_order import SharedOrder, in_waves, slots


def paths(graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> PathSums:
    """Sums of paths over clustered sources, a block of threads to a batch."""
    workers = SharedOrder(CLUSTERED, graph, plan(graph, sweep), memory, stop)
    lengths = in_waves(graph)[0].lengths
    assert lengths is not None
    workers.values["tau"] = lengths.tau
    workers.choose("sweep", sweep.dtype, last=flags_of(sweep))
    return PathSums(workers, sweep, workers.places)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs; of a worker its searches, and shares of those that rows have room for."""
    real = sweep.dtype.itemsize
    state = shared_order.state(graph, real)
    state["seeds"] = graph.n * ORDER.CLUSTERED_WIDTH * real * (sweep.seeds is not None)
    arcs = shared_order.arc_bytes(graph)
    return path_plan(graph, sweep, slots(graph) * graph.n, arcs, state)
