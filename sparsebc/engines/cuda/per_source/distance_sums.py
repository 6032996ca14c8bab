"""Launches `distance_sums.cu`: sums over distances by length, a block of threads a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ...contract import DistanceSums, Group
from ..runtime import clear, kernels
from .workspace import WAYS, Lanes, Search, reach_bytes, way_bytes

SUMS = 3  # of a node: reached, total, harmonic
STATE = np.dtype([*WAYS, ("sums", np.uint64), ("farthest", np.uint64)])


def tally_bytes(graph: Graph, lengths: Lengths) -> int:
    """One lane."""
    search = Search.of(lengths, graph.n)
    return fixed_bytes(graph, search) + lane_bytes(graph, search)


def fixed_bytes(graph: Graph, search: Search) -> int:
    """Device memory that does not depend on the lanes."""
    return way_bytes(graph, search, both=False) + graph.n * 8 * (SUMS + 1) + (1 << 16)


def lane_bytes(graph: Graph, search: Search) -> int:
    """State of one lane."""
    return reach_bytes(graph, search, search.length_bytes) + graph.n * 8 * SUMS


class CUDANearest(Lanes):
    """State of searches that count no paths."""

    _state_type = STATE

    def __init__(
        self, graph: Graph, lengths: Lengths, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        search = Search.of(lengths, graph.n)
        super().__init__(
            graph,
            lengths,
            search,
            memory=memory - fixed_bytes(graph, search),
            node_bytes=search.length_bytes,
            lane_bytes=lane_bytes(graph, search),
            stop=stop,
        )
        self._kernel = kernels("per_source/distance_sums.cu", ("tally",), *self._types)["tally"]
        with self._stream:
            self._arrays["farthest"] = cupy.empty(graph.n, np.uint64)
            self._totals = {"sums": cupy.empty(SUMS * graph.n)}
        self._stream.synchronize()

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        with self._device, self._stream:
            farthest = self._arrays["farthest"]
            clear(farthest)
            self._search_all(np.concatenate([group.sources for group in groups]))
            reached, total, harmonic = self._totals["sums"].reshape(SUMS, -1).copy()
            sums = DistanceSums(
                reached.astype(np.int64), total, harmonic, farthest.view(np.float64).copy()
            )
            self._stream.synchronize()
            return sums

    def _lane_arrays(self, lanes: int) -> dict[str, Any]:
        sums = cupy.empty(lanes * SUMS * self._graph.n)
        return super()._lane_arrays(lanes) | {"sums": sums}
