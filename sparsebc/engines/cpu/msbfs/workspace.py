"""Workspace of unweighted searches, 64 or 512 sources at once: sums of distances, and rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....jit import stopped
from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.distances import no_sums
from ...common.sums import Batch
from . import bfs_high_diameter, msbfs
from .bitset import NARROW, WIDE, WORD

# A row of masks on one level costs as much as that row for so many single sources. Masks of
# scattered sources visit a row on nearly every level.
VISIT = 3


class MSBFSSearch:
    """State of a batch of 64 sources, or of 512 from the first larger batch on."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the masks of a batch."""
        return graph.n * msbfs.row_bytes(NARROW if sweep.width <= NARROW else WIDE)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        self._graph, self._stop, self._access = graph, stop, sweep.access
        self._table: Any = None  # functions by level
        self._subsets: Any = None
        if sweep.access is not None:
            self._table = sweep.access.table(min(int(graph.limits[-1]), graph.n), graph.unit)
            self._subsets = np.zeros((NARROW // 8, 256, sweep.access.kinds))
        self._state = msbfs.masks(graph, stop, NARROW)
        self._levels = bfs_high_diameter.levels if sweep.high_diameter else msbfs.levels

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source."""
        self._levels(self._state, sources, out)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Levels, then the first tight edge into each node."""
        levels = np.empty(distances.shape, dtype=np.int32)
        self.levels(sources, levels)
        if stopped(self._stop):
            return
        msbfs.predecessors(self._state, levels, predecessors)
        distances[:] = levels
        distances[levels == msbfs.UNREACHED] = np.inf

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of the batches, in their order."""
        graph, table = self._graph, self._table
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
                levels, met = bfs_high_diameter.accumulate(self._state, table, *first, sums)
                # Balls within a cutoff have few rows in common.
                shared = each[0].size * met / graph.n if graph.cutoffs else each[0].size
                if shared < VISIT * levels:
                    bfs_high_diameter.accumulate(self._state, table, *each, sums)
                    continue
            masks = self._masks(each[0].size)
            msbfs.accumulate(masks, table, self._subsets, *each, sums)
        return sums

    def _weights(self, batch: Batch) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Weights of the sources and their ``beyond``; or weights by kind, and None."""
        return (batch.alpha, None) if self._access else batch.stand_for(np.int64)

    def _masks(self, sources: int) -> msbfs.Masks:
        """The state, replaced by a wide one if there are more sources than it holds."""
        if sources > WORD * self._state.columns.size:
            self._state = msbfs.masks(self._graph, self._stop, WIDE)
        return self._state
