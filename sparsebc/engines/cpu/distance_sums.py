"""Searches along lengths on the CPU: 64 sources at once where they lie close, else one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ..contract import DistanceSums, Group
from .kernels import sssp_batch, sssp_buckets, sssp_sums
from .kernels.simd import LANES


def search_bytes(graph: Graph) -> int:
    """State of a group of sources, and of a single one with a queue of any kind."""
    together = graph.n * (8 * sssp_batch.WIDTH + 1)
    return together + sssp_buckets.search_bytes(graph.n, graph.arcs)


class LengthSearch:
    """State of a group of sources, and of a single one."""

    def __init__(self, graph: Graph, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._n = graph.n
        self._limits, self._shared = graph.limits, not graph.cutoffs
        most = self._limits[-1] if graph.cutoffs else None
        self._search = sssp_buckets.search(*graph.outgoing, graph.lengths.outgoing, stop, most)
        self._total = np.empty(4 * LANES)
        self._weights, self._beyond = np.zeros((2, sssp_batch.WIDTH))
        self._batch: sssp_batch.Batch | None = None

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        sums = DistanceSums.zeros(self._n * self._limits.size, np.float64)
        for group in groups:
            if not (self._shared and group.compact and self._at_once(group, sums)):
                each = (group.sources, *group.stand_for(np.float64))
                sssp_sums.accumulate(self._search, self._limits, *each, sums)
        return sums

    def _at_once(self, group: Group, sums: DistanceSums) -> bool:
        """Search from a whole group at once; False, and nothing done, if that does not pay."""
        if self._batch is None:
            self._batch = sssp_batch.empty_batch(self._n)
        here = slice(group.sources.size)
        self._weights[here], self._beyond[here] = group.stand_for(np.float64)
        each = (group.sources, self._weights, self._beyond)
        return bool(sssp_sums.accumulate_batch(self._search, self._batch, self._total, *each, sums))
