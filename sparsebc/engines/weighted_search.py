"""Searches along lengths on the CPU: one source after the other, sums over what they reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from . import Group, Tally
from .kernels import nearest, settle

# Sources of a group: each is a search of its own.
WIDTH = 16


class LengthSearch:
    """State of one source."""

    def __init__(self, graph: Graph, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._n = graph.n
        self._state = nearest.Nearest(
            *graph.outgoing,
            graph.lengths.outgoing,
            settle.queue(graph.lengths.outgoing, graph.n),
            distance=np.full(graph.n, np.inf),
            order=np.empty(graph.n, dtype=np.int32),
            starts=np.empty(graph.n + 1, dtype=np.int64),
            sigma=np.zeros(0),
            tails=np.zeros(0, dtype=np.int32),
            stop=stop,
        )

    def tally(self, groups: Sequence[Group]) -> Tally:
        """Sums over the sources of some groups, in their order."""
        sums = Tally.zeros(self._n, np.float64)
        for group in groups:
            nearest.tally(self._state, group.sources, sums)
        return sums
