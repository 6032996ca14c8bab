"""Launches `distance_sums.cu`: sums over distances by edges, a block of threads to a source."""

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ..common.per_source import Workers
from ..layout import BRANDES, LEVEL_SUMS, SOURCE, Plan
from ..sssp.distance_sums import DistanceSearch, sums_plan
from .brandes_source import rows_of, shape_of


def distances(graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> DistanceSearch:
    """Sums of distances by edges, a block of threads to a source."""
    shape = shape_of(graph, counts=False)
    workers = Workers(LEVEL_SUMS, graph, plan(graph, sweep), shape.workers, memory, stop)
    types = workers.pointer, shape.threads, shape.marks, bool(graph.cutoffs)
    workers.compile("accumulate", *types, threads=shape.threads, shared=shape.shared)
    # Those of path counts are null.
    nulls = dict.fromkeys(field.name for field in BRANDES.fields if field.is_pointer)
    numbers = {"words": shape.words, "share_count": 0, "limit": 0}
    out = {f"out_{name}": values for name, values in rows_of(graph.outgoing).items()}
    workers.values = {**nulls, **workers.values, **numbers, **out}
    return DistanceSearch(workers, sweep, weights="alpha")


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """Rows of the arcs, and the sources; of a worker its nodes by level, marks and sums."""
    n, shape = graph.n, shape_of(graph, counts=False)
    marks = 0 if shape.shared else 4 * shape.words
    state = {"order": 4 * n, "starts": 4 * (n + 2), "mark_bits": marks}
    rows = 4 * (graph.arcs + SOURCE.INLINE_DEGREE * n) + 8 * (n + 1) + 12 * n
    return sums_plan(graph, sweep, rows, state)
