"""Searches by edges on the CPU, 64 or 512 sources at once: sums of distances, and rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ....jit import stopped
from ...common.base import Sweep
from ...common.batch import Batch
from ...common.distances import no_sums
from . import bfs_high_diameter, msbfs
from .bitset import NARROW, WIDE
from .sums import Functions

# A row takes as long for the masks of a level as for so many sources one by one. Masks of sources
# that lie apart visit a row on nearly every level.
VISIT = 3


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """Masks of one batch."""
    return graph.n * msbfs.row_bytes(NARROW if sweep.width <= NARROW else WIDE)


class MSBFSSearch:
    """State of one batch of sources, narrow until a wide one comes."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        self._graph, self._stop, self._access = graph, stop, sweep.access
        self._functions: Functions | None = None
        if sweep.access is not None:
            table = sweep.access.table(min(int(graph.limits[-1]), graph.n), graph.unit)
            subsets = np.zeros((NARROW // 8, 256, sweep.access.kinds))
            self._functions = Functions(table, subsets)
        self._state = msbfs.masks(graph, stop, NARROW)
        self._levels = bfs_high_diameter.levels if sweep.high_diameter else msbfs.levels

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
        distances[levels == bfs_high_diameter.UNREACHED] = np.inf

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that search from such batches, without a search."""
        sums = no_sums(self._access, 0)
        for batch in batches:
            each = (self._functions, batch.sources, *self._weights(batch), sums)
            if batch.clustered:
                msbfs.accumulate.compile_for(self._masks(batch.sources.size), *each)
            else:
                bfs_high_diameter.accumulate.compile_for(self._state, *each)

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of some batches, in their order."""
        graph, functions = self._graph, self._functions
        sums = no_sums(self._access, graph.n * graph.limits.size)
        for batch in batches:
            if stopped(self._stop):
                break
            each: Any = (batch.sources, *self._weights(batch))
            if not batch.clustered:
                first, each = (
                    tuple(part if part is None else part[some] for part in each)
                    for some in (slice(1), slice(1, None))
                )
                levels, met = bfs_high_diameter.accumulate(self._state, functions, *first, sums)
                # Balls within a cutoff have few rows in common.
                shared = each[0].size * met / graph.n if graph.cutoffs else each[0].size
                if shared < VISIT * levels:
                    bfs_high_diameter.accumulate(self._state, functions, *each, sums)
                    continue
            msbfs.accumulate(self._masks(each[0].size), functions, *each, sums)
        return sums

    def _weights(self, batch: Batch) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Weights of the sources and what lies beyond them; or of their places by kind."""
        return (batch.alpha, None) if self._access else batch.stand_for(np.int64)

    def _masks(self, sources: int) -> msbfs.Masks:
        """The state, wide from the first time on that there are so many sources."""
        if sources > msbfs.capacity(self._state):
            self._state = msbfs.masks(self._graph, self._stop, WIDE)
        return self._state
