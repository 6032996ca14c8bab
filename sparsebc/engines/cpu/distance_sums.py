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
    each = graph.n * (8 * sssp_batch.WIDTH + 1 + 8 + 4 + 8)
    return each + 8 + sssp_buckets.queue_bytes(graph.n, graph.arcs + 1)


class LengthSearch:
    """State of a group of sources, and of a single one."""

    def __init__(self, graph: Graph, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._n = graph.n
        self._state = sssp_sums.Nearest(
            *graph.outgoing,
            graph.lengths.outgoing,
            queue=sssp_buckets.queue(graph.lengths.outgoing, graph.n),
            distance=np.full(graph.n, np.inf),
            order=np.empty(graph.n, dtype=np.int32),
            starts=np.empty(graph.n + 1, dtype=np.int64),
            sigma=np.zeros(0),
            tails=np.zeros(0, dtype=np.int32),
            total=np.empty(3 * LANES),
            stop=stop,
        )
        self._rows: sssp_batch.Rows | None = None

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        sums = DistanceSums.zeros(self._n, np.float64)
        for group in groups:
            if not (group.compact and self._together(group, sums)):
                sssp_sums.tally(self._state, group.sources, sums)
        return sums

    def _together(self, group: Group, sums: DistanceSums) -> bool:
        """Search from a whole group at once; False, and nothing done, if that does not pay."""
        if self._rows is None:
            self._rows = sssp_batch.empty_rows(self._n)
        return bool(sssp_sums.tally_together(self._state, self._rows, group.sources, sums))
