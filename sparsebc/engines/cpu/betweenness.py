"""Betweenness on the CPU by edges: 64 sources at once where they lie close, else one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.graph import Graph
from ..contract import Group, needs_g_and_h
from .kernels import brandes_batch, brandes_source, brandes_source_extended
from .kernels.simd import LANES, WIDTH, aligned
from .kernels.sums import wanted


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """Rows for every group, columns for those that do not fit their level lists."""
    n = graph.n
    arcs = 8 * graph.arcs if "arcs" in sums else 0
    if dtype == EXTENDED:
        return n * (5 * 8 + 2 * 4 + 8 * len(sums - {"arcs"})) + arcs
    row = WIDTH * dtype.itemsize + 3 * 8 + brandes_batch.SPREAD * (4 + 8) + 8
    column = dtype.itemsize + 4 + 4 + 8
    if "stress" in sums:
        row += WIDTH + 8
    if needs_g_and_h(sums):
        row += WIDTH * dtype.itemsize
        column += dtype.itemsize
    total = 8 * len(sums - {"arcs"}) + dtype.itemsize
    return n * (row + column + total) + arcs + 12 * _largest_degree(graph)


class _Summing:
    """The sums over sources, by name, and whether to end early."""

    def __init__(self, graph: Graph, names: frozenset[str], stop: NDArray[np.uint8]) -> None:
        self._sums = wanted(names, graph.n, graph.arcs)
        self.dependency, self.squares, self.arcs = self._sums[:3]
        self.stress, self.arrivals, self.departures = self._sums[3:]
        self.ends = np.zeros(graph.n if "ends" in names else 0)
        self.stop = stop


class CPUWorkspace(_Summing):
    """State of one group by rows and of one source by columns, and the sums over groups."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        super().__init__(graph, sums, stop)
        n = graph.n
        weights = omega.astype(dtype)
        row, column = aligned(n * WIDTH, dtype), np.empty(n, dtype=dtype)
        room = brandes_batch.SPREAD * n + WIDTH
        degree = _largest_degree(graph)
        self._rows = brandes_batch.Rows(
            *graph.outgoing,
            *graph.incoming,
            omega=weights,
            alpha=aligned(WIDTH, dtype),
            sigma=row,
            columns=np.zeros(1, dtype=np.uint64),
            visited=np.zeros(n, dtype=np.uint64),
            frontier=np.zeros(n, dtype=np.uint64),
            fresh=np.zeros(n, dtype=np.uint64),
            rows=np.empty(room, dtype=np.int32),
            masks=np.empty(room, dtype=np.uint64),
            starts=np.empty(n + 2, dtype=np.int64),
            near=np.empty(degree + 1, dtype=np.uint32),
            hits=np.empty(degree + 1, dtype=np.uint64),
            below=aligned(WIDTH, dtype),
            max_sigma=aligned(LANES, dtype),
            few=aligned(self.stress.size * WIDTH, np.dtype(np.uint8)),
            many=np.zeros(self.stress.size, dtype=np.uint64),
            suffixes=aligned(row.size, dtype) if needs_g_and_h(sums) else row,
            beyond=aligned(WIDTH, dtype),
            full=np.zeros(1, dtype=np.uint8),
            sums=self._sums,
            stop=stop,
        )
        self._columns = brandes_source.Columns(
            *graph.outgoing,
            omega=weights,
            alpha=np.zeros(1, dtype=dtype),
            sigma=column,
            level=np.full(n, brandes_source.UNVISITED, dtype=np.int32),
            queue=np.empty(n, dtype=np.int32),
            starts=np.empty(n + 2, dtype=np.int64),
            max_sigma=np.zeros(1, dtype=dtype),
            suffixes=np.empty_like(column) if needs_g_and_h(sums) else column,
            sums=self._sums,
            stop=stop,
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        self._rows.max_sigma[:] = self._columns.max_sigma[:] = 0
        for group in groups:
            if not self.stop[0]:
                self._sweep(group)

    def _sweep(self, group: Group) -> None:
        """Sweep one group, by rows if its sources lie close together."""
        alpha = group.alpha.astype(self._rows.alpha.dtype)
        self._rows.alpha[: alpha.size] = alpha
        if not (group.compact and brandes_batch.run(self._rows, group.sources, self.ends)):
            brandes_source.run(self._columns, group.sources, alpha, self.ends)

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return float(max(self._rows.max_sigma.max(), self._columns.max_sigma[0]))


class ExtendedWorkspace(_Summing):
    """State of one source whose path counts need no bound, and the sums over sources."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        super().__init__(graph, sums, stop)
        n = graph.n
        self._batch = brandes_source_extended.Extended(
            *graph.outgoing,
            omega=omega,
            alpha=np.zeros(1),
            mantissa=np.empty(n),
            exponent=np.empty(n, dtype=np.int64),
            suffixes=np.empty(self.stress.size),
            level=np.full(n, brandes_source.UNVISITED, dtype=np.int32),
            queue=np.empty(n, dtype=np.int32),
            starts=np.empty(n + 2, dtype=np.int64),
            sums=self._sums,
            stop=stop,
            powers=brandes_source_extended.POWERS,
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        for group in groups:
            if not self.stop[0]:
                brandes_source_extended.run(self._batch, group.sources, group.alpha, self.ends)

    def max_sigma(self) -> float:
        """No number of paths is too large."""
        return 0.0


def _largest_degree(graph: Graph) -> int:
    return int(max(p.degrees.max(initial=0) for p in (graph.outgoing, graph.incoming)))
