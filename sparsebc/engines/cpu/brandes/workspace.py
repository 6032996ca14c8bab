"""Betweenness on the CPU by edges: 64 sources at once where they lie close, else one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....brandes import EXTENDED
from ....graph.graph import Graph
from ....jit import stopped
from ...batch import Batch
from ...sums import SUMS, needs_g_and_h
from ..common import short_rows, sums
from ..common.simd import LANES, WIDTH, aligned
from . import brandes_batch, brandes_source


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], names: frozenset[str]) -> int:
    """A batch's state, that of a single source for those that do not fit its level lists, sums."""
    n = graph.n
    h = "stress" in names
    both = needs_g_and_h(names)
    several = graph.limits.size > 1  # g has a place of its own, and h then needs one
    total = source_bytes(graph, dtype, names)
    if dtype == EXTENDED:
        return total
    reals, held = WIDTH * dtype.itemsize * (1 + both + several), (WIDTH + 8) * (1 + h)
    row = reals + held + 3 * 8 + brandes_batch.SPREAD * (4 + 8) + 2 * (8 + 8)
    return total + n * row + 12 * _largest_degree(graph)


def source_bytes(graph: Graph, dtype: np.dtype[Any], names: frozenset[str]) -> int:
    """The state of `one_source`, and sums."""
    reals = 3 + (graph.limits.size > 1) + ("stress" in names)
    source = _real(dtype).itemsize * reals + (8 if dtype == EXTENDED else 0) + 4 + 4 + 8 + 8
    rows = short_rows.nbytes(graph.n, graph.arcs)
    return graph.n * source + rows + tight_bytes(graph, names) + sums.nbytes(names, graph)


def tight_bytes(graph: Graph, names: frozenset[str]) -> int:
    """Room for the tight arcs of a source."""
    return _most_tight(graph) * (4 + 4 + (8 if "arcs" in names else 0))


class BrandesWorkspace:
    """State of one batch and of one source, and the sums over batches."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        names: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        self.stop = stop
        self._sums = sums.wanted(names, graph)
        for name in SUMS:
            setattr(self, name, getattr(self._sums, name))
        weights = omega.astype(_real(dtype))
        both = needs_g_and_h(names)
        self._source = one_source(graph, weights, dtype == EXTENDED, self._sums, stop)
        self._batch = None
        if dtype != EXTENDED:
            self._batch = _batch(graph, weights, both, self._sums, stop)

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that sweep such batches, without a sweep."""
        for batch in batches:
            alpha = batch.alpha.astype(self._source.alpha.dtype)
            if batch.clustered and self._batch is not None:
                brandes_batch.run.compile_for(self._batch, batch.sources)
            else:
                brandes_source.run.compile_for(self._source, batch.sources, alpha)

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep batch after batch."""
        self._source.max_sigma[:] = 0
        if self._batch is not None:
            self._batch.max_sigma[:] = 0
        for batch in batches:
            if stopped(self.stop):
                return
            self._sweep(batch)

    def _sweep(self, batch: Batch) -> None:
        """Sweep one batch, at once if its sources lie close together and floats hold the counts."""
        alpha = batch.alpha.astype(self._source.alpha.dtype)
        if batch.clustered and self._batch is not None:
            self._batch.alpha[: alpha.size] = alpha
            self._batch.start[: alpha.size] = 0 if batch.starts is None else batch.starts
            if brandes_batch.run(self._batch, batch.sources):
                return
        brandes_source.run(self._source, batch.sources, alpha)

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        of_batch = 0 if self._batch is None else self._batch.max_sigma.max()
        return float(max(of_batch, self._source.max_sigma[0]))


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of g, and of the counts or their mantissas."""
    return np.dtype(np.float64) if dtype == EXTENDED else dtype


def _batch(
    graph: Graph,
    omega: NDArray[np.floating[Any]],
    both: bool,
    added: Any,
    stop: NDArray[np.uint8],
) -> brandes_batch.BatchState:
    """State of no batch; g and h are kept apart where both are needed, from sigma if limits are."""
    n, dtype, limits = graph.n, omega.dtype, graph.limits
    sigma = aligned(n * WIDTH, dtype)
    g = sigma if limits.size == 1 else aligned(sigma.size, dtype)
    room = brandes_batch.SPREAD * n + 2 * WIDTH
    degree = _largest_degree(graph)
    return brandes_batch.BatchState(
        *graph.outgoing,
        *graph.incoming,
        omega=omega,
        alpha=aligned(WIDTH, dtype),
        sources=np.zeros(WIDTH, dtype=np.int32),
        start=np.zeros(WIDTH, dtype=np.int64),
        last_start=np.zeros(1, dtype=np.int64),
        sigma=sigma,
        sigma_bytes=aligned(n * WIDTH, np.dtype(np.uint8)),
        sigma_large=np.zeros(n, dtype=np.uint64),
        sum_sigma=aligned(WIDTH, dtype),
        g=g,
        limits=limits,
        columns=np.zeros(1, dtype=np.uint64),
        visited=np.zeros(n, dtype=np.uint64),
        frontier=np.zeros(n, dtype=np.uint64),
        fresh=np.zeros(n, dtype=np.uint64),
        rows=np.empty(room, dtype=np.int32),
        masks=np.empty(room, dtype=np.uint64),
        starts=np.empty(2 * n + 2, dtype=np.int64),
        begun=np.empty(2 * n + 2, dtype=np.int64),
        neighbors=np.empty(degree + 1, dtype=np.uint32),
        hits=np.empty(degree + 1, dtype=np.uint64),
        sum_g=aligned(WIDTH, dtype),
        max_sigma=aligned(LANES, dtype),
        h_bytes=aligned(n * WIDTH if added.stress.size else 0, np.dtype(np.uint8)),
        h_large=np.zeros(n if added.stress.size else 0, dtype=np.uint64),
        h=aligned(sigma.size, dtype) if both else g,
        sum_h=aligned(WIDTH, dtype),
        full=np.zeros(1, dtype=np.uint8),
        sums=added,
        stop=stop,
    )


def one_source(
    graph: Graph,
    omega: NDArray[np.floating[Any]],
    extended: bool,
    added: Any,
    stop: NDArray[np.uint8],
) -> brandes_source.Source:
    """State of no source."""
    n, dtype, tight = graph.n, omega.dtype, _most_tight(graph)
    sigma = np.empty(n, dtype=dtype)
    return brandes_source.Source(
        short_rows.with_records(graph.outgoing),
        omega=omega,
        omega_h=omega,
        alpha=np.zeros(1, dtype=dtype),
        place=np.full(n, brandes_source.UNVISITED),
        queue=np.zeros(n + brandes_source.ROOM, dtype=np.uint32),
        starts=np.empty(n + 2, dtype=np.int64),
        tails=np.empty(tight, dtype=np.uint32),
        heads=np.empty(tight, dtype=np.uint32),
        entries=np.empty(tight if added.arcs.size else 0, dtype=np.int64),
        leaving=np.empty(n + 2, dtype=np.int64),
        sigma=sigma,
        g=sigma if graph.limits.size == 1 else np.empty_like(sigma),
        h=np.empty_like(sigma) if added.stress.size else sigma,
        exponent=np.empty(n, dtype=np.int64) if extended else None,
        sum_g=np.empty_like(sigma),
        sum_h=np.empty_like(sigma),
        limits=graph.limits,
        max_sigma=np.zeros(1, dtype=dtype),
        sums=added,
        stop=stop,
    )


def _most_tight(graph: Graph) -> int:
    """Room for the arcs on shortest paths from a source: never both directions of an edge."""
    return graph.arcs // (2 if graph.symmetric else 1) + 1


def _largest_degree(graph: Graph) -> int:
    return int(max(p.degrees.max(initial=0) for p in (graph.outgoing, graph.incoming)))
