"""Launches `distance_sums.cu`: sums over distances by length, a block to a source."""

from collections.abc import Mapping, Sequence

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.distances import AccessSums, DistanceSums
from ...common.sums import Batch
from ..common.per_source import Workers
from ..common.seeds import encoded
from ..layout import ACCESS_SUMS, DISTANCE_SUMS, Plan
from ..runtime.copies import clear
from .sssp import Search

SUMS = 3  # of a node: reached, total, harmonic


class DistanceSearch:
    """Sums of distances, or of functions of them, over sources; no paths are counted."""

    def __init__(self, workers: Workers, sweep: Sweep, weights: str = "") -> None:
        """``weights`` names those of the sources, if the kernel asks for them."""
        self._workers, self._access, self._weights = workers, sweep.access, weights
        names, farthest, access = DistanceSums._fields, None, sweep.access
        if access is None:
            farthest = cupy.empty(workers.graph.limits.size * workers.graph.n, np.uint64)
        else:
            self._weights = "access.places"
            functions = encoded(*access.functions)
            given = {"decays": cupy.asarray(functions), "kinds": access.kinds}
            given |= zip(("functions", "decay_size"), functions.shape, strict=True)
            workers.values |= {f"access.{name}": value for name, value in given.items()}
        wanted = sum(1 << names.index(name) for name in sweep.sums)
        workers.values |= {"farthest": farthest, "wanted": wanted}

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums | AccessSums:
        """Sums over the sources of some batches, in their order."""
        farthest, weights = self._workers.values["farthest"], {}
        if farthest is not None:
            clear(farthest)
        if self._weights:
            weights[self._weights] = np.concatenate([batch.alpha for batch in batches])
        self._workers.search(batches, **weights)
        sums = self._workers.totals["sums"]
        if self._access is not None:
            return AccessSums(sums.reshape(-1, self._access.width).copy())
        reached, total, harmonic = sums.reshape(SUMS, -1).copy()
        longest = farthest.view(np.float64).copy()
        if not self._workers.graph.lengths:
            total, longest = total.astype(np.int64), longest.astype(np.int64)
        return DistanceSums(reached.astype(np.int64), total, harmonic, longest)


def distances(graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> DistanceSearch:
    """Sums of distances by length, a block of threads to a source."""
    search, struct = Search.of(graph), ACCESS_SUMS if sweep.access else DISTANCE_SUMS
    workers = Workers(struct, graph, plan(graph, sweep), search.most_workers, memory, stop)
    flags = bool(search.cutoffs), search.waves, sweep.access is not None
    workers.compile("accumulate", workers.pointer, search.c_type, *flags, threads=search.threads)
    workers.values |= search.values(graph, workers.pointer, both=False)
    return DistanceSearch(workers, sweep)


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
