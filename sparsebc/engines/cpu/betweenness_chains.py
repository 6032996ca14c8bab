"""Betweenness on the CPU from the ends of chains, whose searches are kept side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.edge_weights import Lengths
from ...graph.graph import Graph
from ..contract import SUMS, Arms, Group
from . import betweenness_weighted
from .betweenness import one_source, source_bytes, tight_bytes
from .betweenness_weighted import WIDTH, WeightedWorkspace
from .kernels import arms, brandes_chains, brandes_weighted, chains_weighted, sums


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], width: int, names: frozenset[str]) -> int:
    """What is kept of a group, the state of one source, an arm of any length, and sums."""
    extended = dtype == EXTENDED
    real = 8 if extended else dtype.itemsize
    distance = 8 if graph.lengths else 4
    column = graph.n * (distance + 4 + real + 8 * extended)
    arm = (2 * (3 + arms.TURNS) + 4) * 8 + distance + real + 8
    if graph.lengths:
        state = betweenness_weighted.workspace_bytes(graph, dtype, names)
    else:
        column += tight_bytes(graph, names)
        state = source_bytes(graph, dtype, names)
    return width * column + graph.n * (arm + 3 * 8) + state


def _arms_of(group: Group) -> tuple[Arms, NDArray[np.int32], int]:
    """Arms of a group, far ends that are none of its sources, and nodes of the longest arm."""
    found = group.arms or Arms.none()
    others = np.empty(0, dtype=np.int32) if group.others is None else group.others
    return found, others, int(np.diff(found.start).max(initial=0))


class ChainWorkspace:
    """State of a group of ends of chains, and the sums over groups."""

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
        added = sums.wanted(names, graph)
        for name in SUMS:
            setattr(self, name, getattr(added, name))
        extended = dtype == EXTENDED
        real = np.dtype(np.float64) if extended else dtype
        self._source = one_source(graph, omega.astype(real), extended, added, stop)
        shape, tight = (width, graph.n), (width, self._source.tails.size)
        self._columns = brandes_chains.Columns(
            level=np.full(shape, brandes_chains.NOWHERE),
            sigma=np.empty(shape, dtype=real),
            exponent=np.empty(shape, dtype=np.int64) if extended else None,
            queue=np.zeros((width, self._source.queue.size), dtype=np.uint32),
            tails=np.empty(tight, dtype=np.uint32),
            heads=np.empty(tight, dtype=np.uint32),
            entries=np.empty((width, self._source.entries.size), dtype=np.int64),
            reached=np.zeros(width, dtype=np.int64),
            tight=np.zeros(width, dtype=np.int64),
            omega=omega,
            weight=np.empty(graph.n),
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        self._source.max_sigma[:] = 0
        for group in groups:
            if self.stop[0]:
                return
            found, others, longest = _arms_of(group)
            work = arms.room(longest, np.int32, self._source.sigma.dtype)
            brandes_chains.run(
                *(self._source, self._columns, work, found),
                *(group.sources, group.alpha, others),
            )

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return float(self._source.max_sigma[0])


class WeightedChainWorkspace(WeightedWorkspace):
    """State of one source and of a group of ends of chains, by length."""

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
        shape, extended = (width, graph.n), dtype == EXTENDED
        self._columns = chains_weighted.Columns(
            distance=np.full(shape, np.inf),
            order=np.empty(shape, dtype=np.int32),
            sigma=np.empty(shape, dtype=self._paths.tight.sigma.dtype),
            exponent=np.empty(shape, dtype=np.int64) if extended else None,
            reached=np.zeros(width, dtype=np.int64),
            omega=omega,
            weight=np.empty(graph.n),
        )

    def _sweep(self, group: Group) -> int:
        """Sweep one group."""
        found, others, longest = _arms_of(group)
        if self._places.size:
            found = found._replace(arcs=self._places[found.arcs])
        place = 0
        for first in (group.sources, *np.split(others, range(WIDTH, others.size, WIDTH))):
            outcome = self._search(place, first, group.compact)
            place += first.size
            if outcome != brandes_weighted.DONE:
                return outcome
        work = arms.room(longest, np.float64, self._columns.sigma.dtype)
        return int(
            chains_weighted.accumulate(
                *(self._paths, self._columns, work, found),
                *(group.sources, group.alpha, others),
            )
        )

    def _search(self, place: int, ends: NDArray[np.int32], compact: bool) -> int:
        """Fill the columns from a place on; ends that lie close together share the search."""
        if not (compact and self._shared and ends.size):
            return int(chains_weighted.search(self._paths, self._columns, place, ends))
        near = self._together()
        return int(chains_weighted.search_batch(self._paths, self._columns, place, *near, ends))
