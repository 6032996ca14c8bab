"""Launches `distance_sums.cu`: sums over distances by length, a block to a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ...distances import DistanceSums
from ..common.per_source import PerSource
from ..runtime.copies import clear
from ..runtime.kernels import kernels
from ..runtime.plan import Plan
from .layout import DISTANCE_SUMS
from .search import Search

SUMS = 3  # of a node: reached, total, harmonic


class DistanceSearch(PerSource):
    """State of searches that count no paths."""

    def __init__(
        self, graph: Graph, plan: Plan, workers: int, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        super().__init__(graph, plan, workers, memory, stop)
        self._arrays["farthest"] = cupy.empty(graph.limits.size * graph.n, np.uint64)

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order."""
        farthest = self._arrays["farthest"]
        clear(farthest)
        sources = np.concatenate([batch.sources for batch in batches])
        self._arrays["sources"] = cupy.asarray(sources)
        self._search_all(sources.size)
        reached, total, harmonic = self._totals["sums"].reshape(SUMS, -1).copy()
        return DistanceSums(
            reached.astype(np.int64), total, harmonic, farthest.view(np.float64).copy()
        )

    def _check(self) -> None:
        # The next launch only if none has said stop.
        cupy.cuda.get_current_stream().synchronize()


class LengthSearch(DistanceSearch):
    """A block of threads to a source."""

    _struct = DISTANCE_SUMS

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        lengths, search = graph.lengths, Search.of(graph, on_chip=False)
        assert lengths is not None
        self._search, self._threads = search, search.threads
        super().__init__(graph, plan(graph, sweep), search.most_workers, memory, stop)
        types = *search.types(self._pointer), *search.flags
        self._kernel = kernels("sssp/distance_sums.cu", ("accumulate",), *types)["accumulate"]
        self._constants |= search.constants()
        self._arrays |= search.upload("out", graph.outgoing, lengths.outgoing, self._pointer)

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        return self._search.launches(self._graph.arcs, workers, count)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """The arcs one way; of a worker its search, its sums, and the nodes found within cutoffs."""
    search = Search.of(graph, on_chip=False)
    state = {**search.state(graph.n), "order": 4 * graph.n * bool(search.cutoffs)}
    return sums_plan(graph, search.graph_bytes(graph, both=False), state)


def sums_plan(graph: Graph, arc_bytes: int, state: Mapping[str, int]) -> Plan:
    """The arcs, and sums; of a worker its sums, beside the other state that it has."""
    row = 8 * graph.limits.size * graph.n
    return Plan(arc_bytes + (SUMS + 1) * row + (1 << 16), {"sums": SUMS * row, **state})
