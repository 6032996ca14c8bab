"""Workspaces of path sampling, one bidirectional search at a time."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.batch import Batch
from ...common.brandes import EXTENDED
from ..common import sums
from ..common.state import Sizes, allocated, nbytes_of
from ..common.workspace import KernelWorkspace
from . import path_samples, path_samples_weighted
from .path_samples import PathState
from .path_samples_weighted import Side, WeightedPathState

# Samples of a batch.
SAMPLES = 512


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of the state of a search, and of the sum."""
    state = nbytes_of(PathState, {"n": graph.n})
    if graph.lengths:
        state = 2 * nbytes_of(Side, _sizes(graph, sweep))
    return int(state) + sums.nbytes(sweep.sums, graph)


def _sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Sizes of a weighted search: each edge enters the heap at most once."""
    exponents = graph.n if sweep.dtype == EXTENDED else None
    return {"n": graph.n, "entries": graph.arcs + 1, "exponents": exponents}


class PathSamplesWorkspace(KernelWorkspace):
    """State of an unweighted search, and the number of sampled paths through each node."""

    kernel = staticmethod(path_samples.run)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        self.largest = [np.zeros(1)]  # counts are scaled, and never out of range
        self._state = self._made(graph, sweep, stop)

    def _made(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> Any:
        """Initial state."""
        degrees = graph.outgoing.degrees, graph.incoming.degrees
        return allocated(
            PathState,
            {"n": graph.n},
            outgoing=graph.outgoing,
            incoming=graph.incoming,
            pairs=sweep.pairs,
            growth=float(max(int(each.max(initial=1)) for each in degrees)),
            dependency=self.added.dependency,
            stop=stop,
        )

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The kernel that draws the samples of a batch."""
        yield self.kernel, self._state, batch.sources


class WeightedPathSamplesWorkspace(PathSamplesWorkspace):
    """State of a weighted search, and the number of sampled paths through each node."""

    kernel = staticmethod(path_samples_weighted.run)

    def _made(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> Any:
        """Initial state."""
        lengths, sizes = graph.lengths, _sizes(graph, sweep)
        assert lengths is not None
        ways = (graph.outgoing, lengths.outgoing), (graph.incoming, lengths.incoming)
        source, target = (
            allocated(Side, sizes, ahead=a, lengths=to, back=b, back_lengths=fro)
            for (a, to), (b, fro) in (ways, ways[::-1])
        )
        made = allocated(
            WeightedPathState,
            sizes,
            source=source,
            target=target,
            pairs=sweep.pairs,
            tau=lengths.tau,
            farthest=lengths.limit,
            dependency=self.added.dependency,
            stop=stop,
        )
        self.largest = [made.max_sigma]
        return made
