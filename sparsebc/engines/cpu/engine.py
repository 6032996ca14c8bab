"""CPU engine: Numba kernels, 64 columns at once where the sources lie close, else one by one."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.csr import Host, Patterns
from ...graph.graph import Graph
from ..contract import BLOCKS, Group, Workspace, both
from ..host_memory import free_memory
from . import betweenness_weighted
from .kernels import brandes_batch, brandes_source, brandes_source_extended
from .kernels.simd import LANES, WIDTH, aligned
from .kernels.sums import wanted

logger = logging.getLogger("sparsebc")


class CPU:
    """Engine of compiled kernels; they release the GIL, so that threads share the groups."""

    name = "cpu"
    literal = False
    members = ()
    near = True
    pace = 1

    def __init__(self) -> None:
        _announce_compilation()

    def here(self) -> AbstractContextManager[None]:
        """Nothing to do."""
        return nullcontext()

    def patterns(self, entries: int) -> Patterns:
        """The host."""
        return Host()

    def width(self, graph: Graph, deep: bool) -> int:
        """Columns of a row of state; close together, they reach a row on fewer levels."""
        return betweenness_weighted.WIDTH if graph.lengths else WIDTH

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """As few as keep the number of blocks in bounds."""
        return -(-groups // BLOCKS) or 1

    def free_memory(self) -> int:
        """Memory of the host."""
        return free_memory()

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """Rows for every group, columns for those that do not fit their level lists."""
        if graph.lengths:
            return betweenness_weighted.workspace_bytes(graph, dtype, sums)
        n = graph.n
        arcs = 8 * graph.arcs if "arcs" in sums else 0
        if dtype == EXTENDED:
            return n * (5 * 8 + 2 * 4 + 8 * len(sums - {"arcs"})) + arcs
        row = WIDTH * dtype.itemsize + 3 * 8 + brandes_batch.SPREAD * (4 + 8) + 8
        column = dtype.itemsize + 4 + 4 + 8
        if "stress" in sums:
            row += WIDTH + 8
        if both(sums):
            row += WIDTH * dtype.itemsize
            column += dtype.itemsize
        total = 8 * len(sums - {"arcs"}) + dtype.itemsize
        return n * (row + column + total) + arcs + 12 * _largest_degree(graph)

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """Allocate the state of a group; pages that no level reaches are never touched."""
        if graph.lengths:
            return betweenness_weighted.WeightedWorkspace(
                graph, graph.lengths, omega, dtype, sums, stop
            )
        if dtype == EXTENDED:
            return ExtendedWorkspace(graph, omega, sums, stop)
        return CPUWorkspace(graph, omega, dtype, sums, stop)


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
            worst=aligned(LANES, dtype),
            few=aligned(self.stress.size * WIDTH, np.dtype(np.uint8)),
            many=np.zeros(self.stress.size, dtype=np.uint64),
            suffixes=aligned(row.size, dtype) if both(sums) else row,
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
            worst=np.zeros(1, dtype=dtype),
            suffixes=np.empty_like(column) if both(sums) else column,
            sums=self._sums,
            stop=stop,
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        self._rows.worst[:] = self._columns.worst[:] = 0
        for group in groups:
            if not self.stop[0]:
                self._sweep(group)

    def _sweep(self, group: Group) -> None:
        """Sweep one group, by rows if its sources lie close together."""
        alpha = group.alpha.astype(self._rows.alpha.dtype)
        self._rows.alpha[: alpha.size] = alpha
        if not (group.compact and brandes_batch.run(self._rows, group.sources, self.ends)):
            brandes_source.run(self._columns, group.sources, alpha, self.ends)

    def worst(self) -> float:
        """Largest number of paths met by the last run."""
        return float(max(self._rows.worst.max(), self._columns.worst[0]))


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

    def worst(self) -> float:
        """No number of paths is too large."""
        return 0.0


def _largest_degree(graph: Graph) -> int:
    return int(max(p.degrees.max(initial=0) for p in (graph.outgoing, graph.incoming)))


@functools.cache
def _announce_compilation() -> None:
    """Say, once in a process, that the kernels are not in Numba's cache yet."""
    stored = Path(brandes_batch.run.stats.cache_path)
    if not any(stored.glob("rows.run*.nbi")):
        logger.warning("compiling the CPU kernels for this machine: once, about 15 seconds")
