"""Launches `brandes_weighted.cu`: paths by length, a block of threads to a source."""

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import needs_g_and_h
from ..common.per_source import PathSums, Workers, order_bytes, path_plan
from ..layout import WEIGHTED, Plan, flags_of
from ..sssp.sssp import Search


def paths(graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> PathSums:
    """Sums of paths by length over sources, a block of threads to each."""
    lengths, search = graph.lengths, Search.of(graph)
    assert lengths is not None
    workers = Workers(WEIGHTED, graph, plan(graph, sweep), search.most_workers, memory, stop)
    flags = flags_of(sweep), bool(search.cutoffs), search.waves
    workers.compile(
        "sweep", sweep.dtype, workers.pointer, search.c_type, *flags, threads=search.threads
    )
    workers.values |= {
        **search.values(graph, workers.pointer, both=True),
        "tau": lengths.tau,
        "farthest": lengths.limit,
        "arcs": graph.arcs,
        "too_far": cupy.zeros(1, np.uint64),
    }
    return PathSums(workers, sweep)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs both ways; of a worker its search, and h beside g."""
    search, real = Search.of(graph), sweep.dtype.itemsize
    state = {
        **order_bytes(graph, sweep),
        **search.state(graph.n, real),
        "h": graph.n * real * needs_g_and_h(sweep.sums),
    }
    return path_plan(graph, sweep, graph.arcs, search.graph_bytes(graph, both=True), state)
