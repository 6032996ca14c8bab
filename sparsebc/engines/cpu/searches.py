"""Searches on the CPU: Numba kernels for hops, SciPy for lengths and components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...graph.graph import Graph
from ..contract import DistanceSums, Group
from .kernels import msbfs
from .kernels.bitset import NARROW, WIDE
from .kernels.msbfs_sums import tally, tally_by_queue

# A row takes as long for the masks of a level as for so many sources one by one. Masks of sources
# that lie apart visit a row on nearly every level.
VISIT = 3


class CPUPaths:
    """Dijkstra's algorithm with a Fibonacci heap, SciPy's."""

    def __init__(self, matrix: Any, directed: bool) -> None:
        self._matrix, self._directed = matrix, directed

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Copy what SciPy returns."""
        distances[:], predecessors[:] = csgraph.dijkstra(
            self._matrix, directed=self._directed, indices=sources, return_predecessors=True
        )


class CPUSearch:
    """State of one group of sources, narrow until a wide one comes."""

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
        msbfs.predecessors(self._state, levels, predecessors)
        distances[:] = levels
        distances[levels == msbfs.UNREACHED] = np.inf

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        sums = DistanceSums.zeros(self._graph.n)
        for group in groups:
            sources = group.sources
            if not group.compact:
                levels = tally_by_queue(self._state, sources[:1], sums)
                sources = sources[1:]
                if sources.size < VISIT * levels:
                    tally_by_queue(self._state, sources, sums)
                    continue
            if sources.size > msbfs.capacity(self._state):
                self._state = msbfs.masks(self._graph, self._stop, WIDE)
            tally(self._state, sources, sums)
        return sums
