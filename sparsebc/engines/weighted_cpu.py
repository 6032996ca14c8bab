"""CPU engine on a weighted graph: one source after the other, threads over groups of sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from ..lengths import Lengths, TooFar, TooShort
from . import Group
from .kernels import settle, weighted

# Sources of a group: each is a sweep of its own.
WIDTH = 16


def workspace_bytes(graph: Graph, dtype: np.dtype[Any]) -> int:
    """State of one source with a queue of any kind, and the sums."""
    node = dtype.itemsize + 8 + 4 + 8
    sums = 2 * 8 + dtype.itemsize
    entries = graph.arcs + 1
    return graph.n * (node + sums) + 4 * entries + settle.queue_bytes(graph.n, entries)


class WeightedWorkspace:
    """State of one source, and the sums over sources."""

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        n, entries = graph.n, graph.arcs + 1
        queue = settle.queue(lengths.outgoing, n)
        self.dependency = np.zeros(n)
        self.ends = np.zeros(n if "ends" in sums else 0)
        self.stop = stop
        self._paths = weighted.Paths(
            *graph.outgoing,
            lengths.outgoing,
            *graph.incoming,
            lengths.incoming,
            rule=weighted.Rule(lengths.rtol, lengths.limit, lengths.clear),
            queue=queue,
            counts=graph.symmetric and not queue.distances.size,
            omega=omega.astype(dtype),
            sigma=np.zeros(n, dtype=dtype),
            distance=np.full(n, np.inf),
            order=np.empty(n, dtype=np.int32),
            tails=np.empty(entries, dtype=np.int32),
            starts=np.empty(n + 1, dtype=np.int64),
            worst=np.zeros(1),
            fault=np.zeros(2, dtype=np.int64),
            dependency=self.dependency,
            stop=stop,
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep source after source."""
        self._paths.worst[:] = 0
        for group in groups:
            outcome = weighted.run(self._paths, group.sources, group.alpha, self.ends)
            if outcome == weighted.TOO_FAR:
                raise TooFar
            if outcome == weighted.TOO_SHORT:
                raise TooShort(*self._paths.fault)
            if outcome == weighted.STOPPED:
                return

    def worst(self) -> float:
        """Largest path count met by the last run."""
        return float(self._paths.worst[0])
