"""Sampled paths on the CPU: one bidirectional search after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...common.base import Sweep
from ...common.batch import Batch
from ..common import sums
from ..common.state import allocated, nbytes_of
from ..common.workspace import KernelWorkspace
from . import path_samples
from .path_samples import PathState

# Samples of a batch, whose paths are counted side by side with those of others.
SAMPLES = 512


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """State of one search, and the sum."""
    return int(nbytes_of(PathState, {"n": graph.n})) + sums.nbytes(sweep.sums, graph)


class PathSamplesWorkspace(KernelWorkspace):
    """State of one search, and how many paths passed each node."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        assert sweep.pairs is not None
        degrees = graph.outgoing.degrees, graph.incoming.degrees
        self._state = allocated(
            PathState,
            {"n": graph.n},
            outgoing=graph.outgoing,
            incoming=graph.incoming,
            pairs=sweep.pairs,
            growth=float(max(int(each.max(initial=1)) for each in degrees)),
            dependency=self.added.dependency,
            stop=stop,
        )
        self.largest = [np.zeros(1)]  # counts are scaled, whatever their range

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """All samples of a batch."""
        yield path_samples.run, self._state, batch.sources

    @property
    def looks(self) -> int:
        """Entries of rows that were looked at so far."""
        return int(self._state.looks[0])
