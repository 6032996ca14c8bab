"""Launches `distance_sums.cu`: sums over distances by edges, a block of threads to a source."""

from collections.abc import Sequence

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.distances import DistanceSums
from ...common.sums import Batch
from ..layout import BRANDES, LEVEL_SUMS, SOURCE, Plan
from ..sssp.distance_sums import DistanceSearch, sums_plan
from .brandes_source import rows_of, shape_of


class LevelSearch(DistanceSearch):
    """Sums of distances by edges, a block of threads to a source."""

    _file, _structs = "brandes_source/distance_sums.cu", (LEVEL_SUMS, LEVEL_SUMS)

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        shape = shape_of(graph, counts=False)
        self._threads, self._shared = shape.threads, shape.shared
        super().__init__(graph, sweep, plan(graph, sweep), shape.workers, memory, stop)
        flags = shape.threads, shape.marks, bool(graph.cutoffs)
        self._kernel = self._instance("accumulate", self._pointer, *flags)
        self._constants |= {"words": shape.words, "share_count": 0, "limit": 0}
        out = {f"out_{name}": values for name, values in rows_of(graph.outgoing).items()}
        # Those of path counts are null.
        nulls = dict.fromkeys(field.name for field in BRANDES.fields if field.is_pointer)
        self._arrays = {**nulls, **self._arrays, **out}

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order, each as often as it counts."""
        self._arrays["alpha"] = cupy.asarray(np.concatenate([batch.alpha for batch in batches]))
        sums = super().accumulate(batches)
        assert isinstance(sums, DistanceSums)
        whole = {name: getattr(sums, name).astype(np.int64) for name in ("total", "farthest")}
        return sums._replace(**whole)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """Rows of the arcs, and the sources; of a worker its nodes by level, marks and sums."""
    n, shape = graph.n, shape_of(graph, counts=False)
    marks = 0 if shape.shared else 4 * shape.words
    state = {"order": 4 * n, "starts": 4 * (n + 2), "mark_bits": marks}
    rows = 4 * (graph.arcs + SOURCE.INLINE_DEGREE * n) + 8 * (n + 1) + 12 * n
    return sums_plan(graph, sweep, rows, state)
