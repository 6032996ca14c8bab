"""Launches `distance_sums.cu`: sums over distances by length, a block to a source."""

from collections.abc import Mapping, Sequence

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.distances import AccessSums, DistanceSums
from ...common.sums import Batch
from ..common.per_source import PerSource
from ..common.seeds import encoded
from ..layout import ACCESS_SUMS, DISTANCE_SUMS, Plan
from ..runtime.copies import clear
from ..runtime.source import Struct
from .sssp import Search

SUMS = 3  # of a node: reached, total, harmonic


class DistanceSearch(PerSource):
    """Sums of distances, or of functions of them, over sources; no paths are counted."""

    _structs: tuple[Struct, Struct]  # arguments: sums of distances; of functions of them

    def __init__(
        self,
        graph: Graph,
        sweep: Sweep,
        plan: Plan,
        workers: int,
        memory: int,
        stop: NDArray[np.uint8],
    ) -> None:
        super().__init__(graph, plan, workers, memory, stop)
        self._access = access = sweep.access
        self._struct = self._structs[access is not None]
        names, farthest = DistanceSums._fields, None
        if access is None:
            farthest = cupy.empty(graph.limits.size * graph.n, np.uint64)
        wanted = sum(1 << names.index(name) for name in sweep.sums)
        self._values |= {"farthest": farthest, "wanted": wanted}
        if access is not None:
            self._weights = "access.places"
            functions = encoded(*access.functions)
            given = {"decays": cupy.asarray(functions), "kinds": access.kinds}
            given |= zip(("functions", "decay_size"), functions.shape, strict=True)
            self._values |= {f"access.{name}": value for name, value in given.items()}

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums | AccessSums:
        """Sums over the sources of some batches, in their order."""
        farthest = self._values["farthest"]
        if farthest is not None:
            clear(farthest)
        self._search(batches)
        if self._access is not None:
            return AccessSums(self._totals["sums"].reshape(-1, self._access.width).copy())
        reached, total, harmonic = self._totals["sums"].reshape(SUMS, -1).copy()
        longest = farthest.view(np.float64).copy()
        if not self._graph.lengths:
            total, longest = total.astype(np.int64), longest.astype(np.int64)
        return DistanceSums(reached.astype(np.int64), total, harmonic, longest)


class LengthSearch(DistanceSearch):
    """Sums of distances by length, a block of threads to a source."""

    _file, _structs = "sssp/distance_sums.cu", (DISTANCE_SUMS, ACCESS_SUMS)

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        search = Search.of(graph)
        self._threads = search.threads
        planned = plan(graph, sweep)
        super().__init__(graph, sweep, planned, search.most_workers, memory, stop)
        flags = bool(search.cutoffs), search.waves, sweep.access is not None
        self._compile("accumulate", self._pointer, search.c_type, *flags)
        self._values |= search.values(graph, self._pointer, both=False)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs one way; of a worker its search, its sums, and the nodes found within cutoffs."""
    search = Search.of(graph)
    state = {**search.state(graph.n), "order": 4 * graph.n * bool(search.cutoffs)}
    return sums_plan(graph, sweep, search.graph_bytes(graph, both=False), state)


def sums_plan(graph: Graph, sweep: Sweep, arc_bytes: int, state: Mapping[str, int]) -> Plan:
    """The arcs, and sums; of a worker its sums, beside the other state that it has."""
    row, access = 8 * graph.limits.size * graph.n, sweep.access
    if access is None:
        return Plan(arc_bytes + (SUMS + 1) * row + (1 << 16), {"sums": SUMS * row, **state})
    own, places = access.width * row, 8 * access.kinds * graph.n
    fixed = arc_bytes + own + places + encoded(*access.functions).nbytes
    return Plan(fixed + (1 << 16), {"sums": own, **state})
