"""Launches `brandes_weighted.cu`: paths by length, a block of threads to a source."""

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import needs_g_and_h
from ..common.per_source import PathSums, order_bytes, path_plan
from ..layout import WEIGHTED, Plan
from ..sssp.sssp import Search


class WeightedWorkspace(PathSums):
    """Sums of paths by length over sources, a block of threads to each."""

    _file, _struct = "brandes_weighted/brandes_weighted.cu", WEIGHTED

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        lengths, search = graph.lengths, Search.of(graph)
        assert lengths is not None
        self._threads = search.threads
        super().__init__(graph, sweep, plan(graph, sweep), search.most_workers, memory, stop)
        types = sweep.dtype, self._pointer, search.c_type
        self._compile("sweep", *types, self._flags, bool(search.cutoffs), search.waves)
        self._values |= {
            **search.values(graph, self._pointer, both=True),
            "tau": lengths.tau,
            "farthest": lengths.limit,
            "arcs": graph.arcs,
            "too_far": cupy.zeros(1, np.uint64),
        }


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs both ways; of a worker its search, and h beside g."""
    search, real = Search.of(graph), sweep.dtype.itemsize
    state = {
        **order_bytes(graph, sweep),
        **search.state(graph.n, real),
        "h": graph.n * real * needs_g_and_h(sweep.sums),
    }
    return path_plan(graph, sweep, graph.arcs, search.graph_bytes(graph, both=True), state)
