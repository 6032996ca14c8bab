"""Launches `distance_sums.cu`: sums over distances by length, a block to a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ...distances import DistanceSums
from ..common.per_source import Needs, PerSource
from ..runtime.copies import clear
from ..runtime.kernels import kernels
from .layout import DISTANCE_SUMS
from .search import Search

SUMS = 3  # of a node: reached, total, harmonic


class DistanceSearch(PerSource):
    """State of searches that count no paths."""

    def __init__(
        self, graph: Graph, workers: int, memory: int, needs: Needs, stop: NDArray[np.uint8]
    ) -> None:
        super().__init__(graph, workers, memory, needs, stop)
        rows = graph.limits.size * graph.n
        with self._stream:
            self._arrays["farthest"] = cupy.empty(rows, np.uint64)
            self._totals = {"sums": cupy.empty(SUMS * rows)}

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order."""
        with self._device, self._stream:
            farthest = self._arrays["farthest"]
            clear(farthest)
            sources = np.concatenate([batch.sources for batch in batches])
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

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        lengths = graph.lengths
        assert lengths is not None
        search = self._search = Search.of(graph, lengths, on_chip=False)
        self._threads = search.threads
        super().__init__(graph, search.most_workers, memory, _needs(graph, search), stop)
        types = *search.types(self._pointer), *search.flags
        self._kernel = kernels("sssp/distance_sums.cu", ("accumulate",), *types)["accumulate"]
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


def needs(graph: Graph, sweep: Sweep) -> Needs:
    """Device memory of the searches."""
    assert graph.lengths is not None
    return _needs(graph, Search.of(graph, graph.lengths, on_chip=False))


def _needs(graph: Graph, search: Search) -> Needs:
    n, columns = graph.n, graph.limits.size
    sums = n * 8 * (SUMS + 1) * columns
    own = 8 * SUMS * columns + 4 * bool(search.cutoffs)
    return Needs(
        search.graph_bytes(graph, both=False) + sums + (1 << 16),
        search.worker_bytes(graph) + n * own,
    )
