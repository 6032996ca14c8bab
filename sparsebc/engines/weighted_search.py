"""Searches along lengths on the CPU: 64 sources at once where they lie close, else one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from . import Group, Tally
from .kernels import nearest, relax, settle
from .kernels.lanes import LANES
from .kernels.sums import unwanted


class LengthSearch:
    """State of a group of sources, and of a single one."""

    def __init__(self, graph: Graph, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._n = graph.n
        self._state = nearest.Nearest(
            *graph.outgoing,
            graph.lengths.outgoing,
            rows=relax.empty_rows(graph.n),
            total=np.zeros(3 * LANES),
            queue=settle.queue(graph.lengths.outgoing, graph.n),
            distance=np.full(graph.n, np.inf),
            order=np.empty(graph.n, dtype=np.int32),
            starts=np.empty(graph.n + 1, dtype=np.int64),
            sigma=unwanted(),
            tails=unwanted(np.int32),
            stop=stop,
        )

    def tally(self, groups: Sequence[Group]) -> Tally:
        """Sums over the sources of some groups, in their order."""
        sums = Tally.zeros(self._n, np.float64)
        for group in groups:
            if not (group.compact and nearest.tally_together(self._state, group.sources, sums)):
                nearest.tally(self._state, group.sources, sums)
        return sums
