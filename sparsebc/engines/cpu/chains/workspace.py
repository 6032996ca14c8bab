"""Betweenness on the CPU from the ends of chains, whose searches are kept side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....brandes import EXTENDED
from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ....jit import stopped
from ...batch import Arms, Batch
from ...sums import SUMS
from ..brandes.workspace import one_source, source_bytes, tight_bytes
from ..brandes_weighted import brandes_weighted
from ..brandes_weighted import workspace as betweenness_weighted
from ..brandes_weighted.workspace import WIDTH, WeightedWorkspace
from ..common import sums
from . import arms, brandes_chains, chain_ends, chains_weighted


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], width: int, names: frozenset[str]) -> int:
    """What is kept of a batch, the state of one source, an arm of any length, and sums."""
    extended, stress = dtype == EXTENDED, "stress" in names
    real = 8 if extended else dtype.itemsize
    distance = 8 if graph.lengths else 4
    column = graph.n * (distance + 4 + real + 8 * extended)
    arm = (2 * (3 + 2 * arms.TURNS) + 8) * 8 + distance + real + 8
    weights = 3 * 8 + 4 + stress * (8 + real)
    if graph.lengths:
        state = betweenness_weighted.source_bytes(graph, dtype, names)
        state += betweenness_weighted.batch_bytes(graph)
    else:
        column += tight_bytes(graph, names)
        state = source_bytes(graph, dtype, names)
    return width * column + graph.n * (arm + weights) + state


def _searches(
    shape: tuple[int, int], distance: Any, sigma: np.dtype[Any], extended: bool
) -> chain_ends.Searches:
    """Nothing found, with the number that says so of every distance."""
    exponent = np.empty(shape, dtype=np.int64) if extended else None
    return chain_ends.Searches(np.full(shape, distance), np.empty(shape, dtype=sigma), exponent)


def _targets(omega: NDArray[np.float64], names: frozenset[str]) -> chain_ends.Targets:
    """Room for the weights of an end."""
    n = omega.size
    paths = np.empty(n if "stress" in names else 0)
    return chain_ends.Targets(omega, np.empty(n), paths, np.empty(n + 1, dtype=np.uint32))


def _ends(batch: Batch, found: chain_ends.Searches, places: NDArray[np.int64]) -> chain_ends.Ends:
    """A batch, the arcs of its arms by their places if there are some."""
    own = batch.arms or Arms.none()
    if places.size:
        own = own._replace(arcs=places[own.arcs])
    others = np.empty(0, dtype=np.int32) if batch.others is None else batch.others
    longest = int(np.diff(own.start).max(initial=0))
    room = arms.room(longest, found.distance.dtype, found.sigma.dtype)
    return chain_ends.Ends(batch.sources, batch.alpha, others, own, room)


class ChainWorkspace:
    """State of a batch of ends of chains, and the sums over batches."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        width: int,
        names: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        self.stop = stop
        self._sums = sums.wanted(names, graph)
        for name in SUMS:
            setattr(self, name, getattr(self._sums, name))
        extended, none = dtype == EXTENDED, np.zeros(0)
        real = np.dtype(np.float64) if extended else dtype
        # Arrivals and departures are those of all sources that an end stands for.
        swept = self._sums._replace(arrivals=none, departures=none)
        source = one_source(graph, omega.astype(real), extended, swept, stop)
        if "stress" in names:
            source = source._replace(omega_h=source.omega.copy())
        self._source = source
        tight = (width, source.tails.size)
        self._columns = brandes_chains.Columns(
            found=_searches((width, graph.n), arms.NOWHERE, real, extended),
            queue=np.zeros((width, source.queue.size), dtype=np.uint32),
            tails=np.empty(tight, dtype=np.uint32),
            heads=np.empty(tight, dtype=np.uint32),
            entries=np.empty((width, source.entries.size), dtype=np.int64),
            reached=np.zeros(width, dtype=np.int64),
            tight=np.zeros(width, dtype=np.int64),
            targets=_targets(omega, names),
        )

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernel that sweeps such batches, without a sweep."""
        brandes_chains.run.compile_for(*self._arguments(batches[0]))

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep batch after batch."""
        self._source.max_sigma[:] = 0
        for batch in batches:
            if stopped(self.stop):
                return
            brandes_chains.run(*self._arguments(batch))

    def _arguments(self, batch: Batch) -> tuple[Any, ...]:
        ends = _ends(batch, self._columns.found, np.empty(0, dtype=np.int64))
        return self._source, self._columns, ends, self._sums

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return float(self._source.max_sigma[0])


class WeightedChainWorkspace(WeightedWorkspace):
    """State of one source and of a batch of ends of chains, by length."""

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        width: int,
        names: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        super().__init__(graph, lengths, omega.copy(), dtype, names, stop)
        if "stress" in names:
            self._paths = self._paths._replace(omega_h=self._paths.omega.copy())
        real, extended = self._paths.tight.sigma.dtype, dtype == EXTENDED
        shape = (width, graph.n)
        self._columns = chains_weighted.Columns(
            found=_searches(shape, np.inf, real, extended),
            order=np.empty(shape, dtype=np.int32),
            reached=np.zeros(width, dtype=np.int64),
            targets=_targets(omega, names),
        )

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that sweep such batches, without a sweep."""
        for batch in batches:
            kernel, *arguments = self._searched(0, batch.sources, batch.clustered)
            kernel.compile_for(*arguments)
        ends = _ends(batches[0], self._columns.found, self._places)
        chains_weighted.accumulate.compile_for(self._paths, self._columns, ends)

    def _sweep(self, batch: Batch) -> int:
        """Sweep one batch."""
        ends = _ends(batch, self._columns.found, self._places)
        others, place = np.split(ends.others, range(WIDTH, ends.others.size, WIDTH)), 0
        for first in (ends.sources, *others):
            kernel, *arguments = self._searched(place, first, batch.clustered)
            outcome = int(kernel(*arguments))
            place += first.size
            if outcome != brandes_weighted.DONE:
                return outcome
        return int(chains_weighted.accumulate(self._paths, self._columns, ends))

    def _searched(self, place: int, ends: NDArray[np.int32], clustered: bool) -> tuple[Any, ...]:
        """Kernel that fills the columns from a place on; ends close together share the search."""
        columns = self._paths, self._columns, place
        if clustered and self._shared and ends.size:
            return chains_weighted.search_batch, *columns, *self._together(), ends
        return chains_weighted.search, *columns, ends
