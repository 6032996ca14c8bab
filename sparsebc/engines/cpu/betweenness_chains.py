"""Betweenness on the CPU from the ends of chains, whose searches are kept side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.graph import Graph
from ..contract import SUMS, Arms, Group
from .betweenness import one_source
from .kernels import arms, brandes_chains, brandes_source, sums

# Ends of chains whose searches are kept: the more, the fewer are made again for another group.
WIDTH = 64


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], width: int, names: frozenset[str]) -> int:
    """Levels, queues and counts of a group; state of one source; an arm of any length; sums."""
    extended = dtype == EXTENDED
    real = 8 if extended else dtype.itemsize
    column = 4 + 4 + real + 8 * extended
    source = 3 * real + 8 * extended + 4 + 4 + 8 + 2 * 8
    arm = (2 * (3 + arms.TURNS) + 4) * 8 + 4 + real + 8
    return graph.n * (width * column + source + arm) + sums.nbytes(names, graph)


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
        self._source = one_source(graph, omega.astype(real), extended, False, added, stop)
        shape = (width, graph.n)
        self._columns = brandes_chains.Columns(
            level=np.full(shape, brandes_source.UNVISITED, dtype=np.int32),
            queue=np.empty(shape, dtype=np.int32),
            sigma=np.empty(shape, dtype=real),
            exponent=np.empty(shape, dtype=np.int64) if extended else None,
            reached=np.zeros(width, dtype=np.int64),
            omega=omega,
            weight=np.empty(graph.n),
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        self._source.max_sigma[:] = 0
        for group in groups:
            if self.stop[0]:
                return
            found, others = group.arms or Arms.none(), group.others
            if others is None:
                others = np.empty(0, dtype=np.int32)
            longest = int(np.diff(found.start).max(initial=0))
            work = arms.room(longest, np.int32, self._source.sigma.dtype)
            brandes_chains.run(
                *(self._source, self._columns, work, found),
                *(group.sources, group.alpha, others),
            )

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return float(self._source.max_sigma[0])
