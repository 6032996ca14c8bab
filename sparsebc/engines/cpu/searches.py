"""Searches on the CPU: 64 or 512 sources at once by edges, one after the other by length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...jit import stopped
from ..contract import DistanceSums, Group
from .kernels import msbfs, sssp_buckets, sssp_paths
from .kernels.bitset import NARROW, WIDE

# A row takes as long for the masks of a level as for so many sources one by one. Masks of sources
# that lie apart visit a row on nearly every level.
VISIT = 3


def path_bytes(n: int, arcs: int) -> int:
    """State of a source, and the graph with its lengths, of either direction."""
    return 2 * 12 * arcs + 8 * n + sssp_buckets.search_bytes(n, 2 * arcs)


class LengthPaths:
    """State of a source, on a matrix of lengths."""

    def __init__(
        self, matrix: scipy.sparse.csr_array, directed: bool, stop: NDArray[np.uint8]
    ) -> None:
        n = matrix.shape[0]
        if not directed:  # the edges of each node, then those that lead to it, the shorter counts
            matrix = scipy.sparse.hstack([matrix, matrix.T], format="csr")
        if matrix.nnz == 0:  # the widths of buckets come from the lengths
            matrix = scipy.sparse.csr_array(([1.0], ([0], [0])), shape=(n, n))
        indptr, indices = matrix.indptr.astype(np.int64), (matrix.indices % n).astype(np.int32)
        self._search = sssp_buckets.search(indptr, indices, matrix.data.astype(np.float64), stop)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Search from one source after the other."""
        sssp_paths.run(self._search, sources, distances, predecessors)


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
        if stopped(self._stop):
            return
        msbfs.predecessors(self._state, levels, predecessors)
        distances[:] = levels
        distances[levels == msbfs.UNREACHED] = np.inf

    def compile(self, groups: Sequence[Group]) -> None:
        """Compile the kernels that search from such groups, without a search."""
        sums = DistanceSums.zeros(0)
        for group in groups:
            each = (group.sources, *group.stand_for(np.int64), sums)
            if group.compact:
                msbfs.accumulate.compile_for(self._masks(group.sources.size), *each)
            else:
                msbfs.accumulate_by_queue.compile_for(self._state, *each)

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        graph = self._graph
        sums = DistanceSums.zeros(graph.n * graph.limits.size)
        for group in groups:
            if stopped(self._stop):
                break
            each = (group.sources, *group.stand_for(np.int64))
            if not group.compact:
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
