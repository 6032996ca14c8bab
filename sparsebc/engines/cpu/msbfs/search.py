"""Searches by edges on the CPU, 64 or 512 sources at once: sums of distances, and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ....jit import stopped
from ...batch import Batch
from ...distances import DistanceSums
from . import msbfs
from .bitset import NARROW, WIDE

# A row takes as long for the masks of a level as for so many sources one by one. Masks of sources
# that lie apart visit a row on nearly every level.
VISIT = 3


class MSBFSSearch:
    """State of one batch of sources, narrow until a wide one comes."""

    def __init__(self, graph: Graph, deep: bool, stop: NDArray[np.uint8]) -> None:
        self._graph, self._stop = graph, stop
        self._state = msbfs.masks(graph, stop, NARROW)
        self._levels = msbfs.levels_by_queue if deep else msbfs.levels

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source."""
        self._levels(self._state, sources, out)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Levels, then a look at the edges into each node."""
        levels = np.empty(distances.shape, dtype=np.int32)
        self.levels(sources, levels)
        if stopped(self._stop):
            return
        msbfs.predecessors(self._state, levels, predecessors)
        distances[:] = levels
        distances[levels == msbfs.UNREACHED] = np.inf

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that search from such batches, without a search."""
        sums = DistanceSums.zeros(0)
        for batch in batches:
            each = (batch.sources, *batch.stand_for(np.int64), sums)
            if batch.clustered:
                msbfs.accumulate.compile_for(self._masks(batch.sources.size), *each)
            else:
                msbfs.accumulate_by_queue.compile_for(self._state, *each)

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order."""
        graph = self._graph
        sums = DistanceSums.zeros(graph.n * graph.limits.size)
        for batch in batches:
            if stopped(self._stop):
                break
            each = (batch.sources, *batch.stand_for(np.int64))
            if not batch.clustered:
                first, each = zip(*((part[:1], part[1:]) for part in each), strict=True)
                levels, met = msbfs.accumulate_by_queue(self._state, *first, sums)
                # Balls within a cutoff have few rows in common.
                shared = each[0].size * met / graph.n if graph.cutoffs else each[0].size
                if shared < VISIT * levels:
                    msbfs.accumulate_by_queue(self._state, *each, sums)
                    continue
            msbfs.accumulate(self._masks(each[0].size), *each, sums)
        return sums

    def _masks(self, sources: int) -> msbfs.Masks:
        """The state, wide from the first time on that there are so many sources."""
        if sources > msbfs.capacity(self._state):
            self._state = msbfs.masks(self._graph, self._stop, WIDE)
        return self._state
