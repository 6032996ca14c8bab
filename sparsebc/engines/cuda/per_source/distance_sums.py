"""Launches `per_source/distance_sums.cu`: sums over distances by length, a block to a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ...batch import Batch
from ...distances import DistanceSums
from ..runtime import clear, kernels
from .layout import DISTANCE_SUMS
from .sssp import Search
from .workspace import PerSource

SUMS = 3  # of a node: reached, total, harmonic


class DistanceSearch(PerSource):
    """State of searches that count no paths."""

    def __init__(
        self, graph: Graph, workers: int, memory: int, worker_bytes: int, stop: NDArray[np.uint8]
    ) -> None:
        super().__init__(graph, workers, memory, worker_bytes, stop)
        rows = graph.limits.size * graph.n
        with self._stream:
            self._arrays["farthest"] = cupy.empty(rows, np.uint64)
            self._totals = {"sums": cupy.empty(SUMS * rows)}

    def accumulate(self, groups: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        with self._device, self._stream:
            farthest = self._arrays["farthest"]
            clear(farthest)
            sources = np.concatenate([group.sources for group in groups])
            self._arrays["sources"] = cupy.asarray(sources)
            self._search_all(sources.size)
            reached, total, harmonic = self._totals["sums"].reshape(SUMS, -1).copy()
            sums = DistanceSums(
                reached.astype(np.int64), total, harmonic, farthest.view(np.float64).copy()
            )
            self._stream.synchronize()
            return sums

    def _check(self) -> None:
        self._stream.synchronize()  # the next launch only if none has said stop


class LengthSearch(DistanceSearch):
    """A block of threads to a source."""

    _struct = DISTANCE_SUMS

    def __init__(
        self, graph: Graph, lengths: Lengths, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        search = self._search = Search.of(graph, lengths, on_chip=False)
        self._threads = search.threads
        super().__init__(
            graph,
            search.most_workers,
            memory - fixed_bytes(graph, search),
            worker_bytes(graph, search),
            stop,
        )
        types = *search.types(self._pointer), *search.flags
        self._kernel = kernels("per_source/distance_sums.cu", ("accumulate",), *types)["accumulate"]
        self._constants |= search.constants()
        with self._stream:
            arcs = search.upload(graph.outgoing, lengths.outgoing, self._pointer)
            self._arrays |= dict(zip(("out_indptr", "out_arcs", "out_inline"), arcs, strict=True))
        self._stream.synchronize()

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        return self._search.launches(self._graph.arcs, workers, count)

    def _allocate(self, workers: int) -> dict[str, Any]:
        n, search = self._graph.n, self._search
        return search.allocate(workers, n) | {
            "sums": cupy.empty(workers * SUMS * self._graph.limits.size * n),
            "order": cupy.empty(workers * n * bool(search.cutoffs), np.int32),
        }


def workspace_bytes(graph: Graph, lengths: Lengths) -> int:
    """One worker."""
    search = Search.of(graph, lengths, on_chip=False)
    return fixed_bytes(graph, search) + worker_bytes(graph, search)


def fixed_bytes(graph: Graph, search: Search) -> int:
    """Device memory that does not depend on the workers."""
    sums = graph.n * 8 * (SUMS + 1) * graph.limits.size
    return search.graph_bytes(graph, both=False) + sums + (1 << 16)


def worker_bytes(graph: Graph, search: Search) -> int:
    """State of one worker."""
    own = 8 * SUMS * graph.limits.size + 4 * bool(search.cutoffs)
    return search.worker_bytes(graph) + graph.n * own
