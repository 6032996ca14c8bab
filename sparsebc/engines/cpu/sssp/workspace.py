"""Workspace of weighted distances: clustered sources at once, or single sources."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.batch import Batch
from ...common.distances import no_sums
from ..common.simd import LANES
from ..common.state import allocated, nbytes_of
from . import distance_sums, sssp_high_diameter
from .sssp import search, search_bytes


class LengthSearch:
    """States of a batch of sources, and of a single one."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the state of a batch (at high diameter, of a shared order) and of one source."""
        batch = nbytes_of(distance_sums.BatchState, distance_sums.sizes(graph.n))
        clustered = sssp_high_diameter.nbytes(graph) if sweep.high_diameter else batch
        return int(clustered) + search_bytes(graph.n, graph.arcs)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._access = sweep.access
        self._functions: distance_sums.Functions | None = None
        if sweep.access is not None:
            values = np.empty(LANES)
            self._functions = distance_sums.Functions(sweep.access.functions, values)
        self._graph, self._lengths, self._high_diameter = graph, graph.lengths, sweep.high_diameter
        self._search = search(*graph.outgoing, graph.lengths.outgoing, stop, graph.limits[-1])
        self._together: tuple[Any, ...] | None = None
        self._done = 0  # sources of the batch whose search together succeeded

    def calls(self, batch: Batch, sums: Any) -> Iterator[tuple[Any, ...]]:
        """Kernels and arguments: of clustered sources together, then of the sources left over."""
        functions, sources, self._done = self._functions, batch.sources, 0
        weights, beyond = batch.stand_for(np.float64)
        if batch.clustered:
            rows = (weights, beyond) if functions is None else weights.T
            wide = np.zeros((len(rows), distance_sums.WIDTH))  # of whole vectors
            wide[:, : sources.size] = rows
            together = wide if functions is None else (wide.ravel(), None)
            yield *self._kernel(), functions, sources, *together, sums
        left = slice(self._done, None)
        each = sources[left], weights[left], None if functions else beyond[left]
        yield distance_sums.accumulate, self._search, self._graph.limits, functions, *each, sums

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that the batches need, without a search."""
        for batch in batches:
            for each, *arguments in self.calls(batch, no_sums(self._access, 0, np.float64)):
                each.compile_for(*arguments)

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of the batches, in their order."""
        rows = self._graph.n * self._graph.limits.size
        sums = no_sums(self._access, rows, np.float64)
        for batch in batches:
            for each, *arguments in self.calls(batch, sums):
                self._done = each(*arguments)
        return sums

    def _kernel(self) -> tuple[Any, ...]:
        """The kernel of clustered sources, and its states, made on first use."""
        if self._together is None:
            graph = self._graph
            search = self._search, np.minimum(graph.limits, np.finfo(np.float64).max)
            if self._high_diameter:
                reverse = (*graph.incoming, self._lengths.incoming)
                states = *sssp_high_diameter.shared_order(graph), graph.symmetric, reverse
                self._together = distance_sums.accumulate_clustered, *search, *states
            else:
                batch = allocated(distance_sums.BatchState, distance_sums.sizes(graph.n))
                self._together = distance_sums.accumulate_batch, *search, batch
        return self._together
