"""Searches along lengths on the CPU: many sources at once where they lie close, else one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ...distances import DistanceSums
from ..common.simd import aligned
from . import sssp_batch, sssp_buckets, sssp_clustered, sssp_sums


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """State of a batch of sources, in one order of nodes on a deep graph, and of a single one."""
    n, arcs = graph.n, graph.arcs
    together = n * (8 * sssp_batch.WIDTH + 1)
    if sweep.deep:
        reverse = 0 if graph.symmetric else sssp_clustered.pattern_bytes(n, arcs)
        together = sssp_clustered.nbytes(n, arcs) + reverse
    return together + sssp_buckets.search_bytes(n, arcs)


class LengthSearch:
    """State of a batch of sources, and of a single one."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._graph, self._lengths = graph, graph.lengths
        self._limits, self._shared = graph.limits, not graph.cutoffs
        most = self._limits[-1] if graph.cutoffs else None
        self._search = sssp_buckets.search(*graph.outgoing, graph.lengths.outgoing, stop, most)
        self._weights = aligned(sssp_batch.WIDTH, np.float64)
        self._beyond = aligned(sssp_batch.WIDTH, np.float64)
        self._in_order = sweep.deep
        self._batch: sssp_batch.BatchState | None = None
        self._near: sssp_clustered.Near | None = None
        self._incoming: sssp_clustered.Arcs | None = None

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that search from such batches, without a search."""
        sums = DistanceSums.zeros(0, np.float64)
        for batch in batches:
            each = (batch.sources, *batch.stand_for(np.float64))
            sssp_sums.accumulate.compile_for(self._search, self._limits, *each, sums)
            if self._shared and batch.clustered:
                kernel, *arguments = self._together(batch.sources, sums)
                kernel.compile_for(*arguments)

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order."""
        sums = DistanceSums.zeros(self._graph.n * self._limits.size, np.float64)
        for batch in batches:
            done = self._at_once(batch, sums) if self._shared and batch.clustered else 0
            weights, beyond = batch.stand_for(np.float64)
            rest = batch.sources[done:], weights[done:], beyond[done:]
            sssp_sums.accumulate(self._search, self._limits, *rest, sums)
        return sums

    def _at_once(self, batch: Batch, sums: DistanceSums) -> int:
        """Search from the sources of a batch together, from as many as that pays for."""
        count = batch.sources.size
        self._weights[:], self._beyond[:] = 0, 0
        self._weights[:count], self._beyond[:count] = batch.stand_for(np.float64)
        kernel, *arguments = self._together(batch.sources, sums)
        found = kernel(*arguments)
        return int(found) if self._in_order else count * bool(found)

    def _together(self, sources: NDArray[np.int32], sums: DistanceSums) -> tuple[Any, ...]:
        """Kernel that searches from sources together, and its arguments."""
        each = (sources, self._weights, self._beyond, sums)
        if self._in_order:
            return sssp_sums.accumulate_near, self._search, *self._rows(), *each
        if self._batch is None:
            self._batch = sssp_batch.empty_batch(self._graph.n)
        return sssp_sums.accumulate_batch, self._search, self._batch, *each

    def _rows(
        self,
    ) -> tuple[sssp_clustered.Near, sssp_clustered.Arcs, tuple[NDArray[Any], ...] | None]:
        """State of eight sources in the order of one, made when the first batch comes."""
        graph, lengths = self._graph, self._lengths
        if self._near is None or self._incoming is None:
            self._near = sssp_clustered.near(graph.n, graph.arcs, np.inf, np.inf)
            self._incoming = self._near.arcs
            if not graph.symmetric:
                self._incoming = sssp_clustered.pattern(graph.n, graph.arcs)
        reverse = None if graph.symmetric else (*graph.incoming, lengths.incoming)
        return self._near, self._incoming, reverse
