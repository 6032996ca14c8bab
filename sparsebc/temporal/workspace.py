"""The state of a worker on the CPU: 64 sources at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..brandes import count_limit
from ..engines.cpu.common.simd import LANES, WIDTH
from ..engines.cpu.common.state import allocated, nbytes_of
from ..errors import RangeError
from . import kernels
from .timeline import Timeline

# Numbers of edges from which float32 does not tell all apart.
MOST_EDGES = 1 << 24


class CPUWorkspace:
    """Sweeps batches of up to 64 sources."""

    width = WIDTH

    def __init__(self, timeline: Timeline, memory: int, stop: NDArray[np.uint8]) -> None:
        self._timeline, self._stop = timeline, stop
        sizes = sizes_of(timeline)
        self._walks = allocated(kernels.Walks, sizes)
        self._queue = allocated(kernels.Queue, sizes)

    def betweenness(
        self, batches: Sequence[NDArray[np.int32]], foremost: bool
    ) -> list[NDArray[np.float64]]:
        """Scores of all nodes from each batch of sources."""
        timeline, found = self._timeline, []
        for batch in batches:
            self._forward(batch, foremost)
            scores = np.zeros(timeline.n)
            arrays = (timeline.outgoing, self._queue, self._walks)
            kernels.backward(timeline.line, *arrays, foremost, scores, self._stop)
            found.append(scores)
        return found

    def optimal(
        self, batches: Sequence[NDArray[np.int32]], foremost: bool
    ) -> list[tuple[NDArray[np.float32], NDArray[np.int32]]]:
        """Edges of the optimal walks to each node, and steps of arrival; a column a source."""
        found = []
        for batch in batches:
            self._forward(batch, foremost)
            shape, walks = (self._timeline.n, WIDTH), self._walks
            columns = (each.reshape(shape)[:, : batch.size] for each in (walks.best, walks.first))
            best, first = (np.array(each) for each in columns)
            found.append((best, first))
        return found

    def _forward(self, batch: NDArray[np.int32], foremost: bool) -> None:
        timeline, walks = self._timeline, self._walks
        arrays = (timeline.incoming, self._queue, walks, batch)
        kernels.forward(timeline.line, *arrays, foremost, self._stop)
        check_counts(walks.largest.max())
        if timeline.edges >= MOST_EDGES:
            check_edges(walks.keys)


def sizes_of(timeline: Timeline) -> dict[str, Any]:
    """Lengths of the arrays of a state."""
    sizes = timeline.sizes
    rows = {
        "n": timeline.n,
        "m": timeline.edges,
        "room": sizes["room"],
        "nodes of a step": sizes["in rounds"],
        "edges of a step": sizes["together"],
    }
    return {
        "n": timeline.n,
        "m": timeline.edges,
        "lanes": timeline.n * LANES,
        **{f"rows of {name}": size * WIDTH for name, size in rows.items()},
    }


def least_bytes(timeline: Timeline) -> int:
    """Memory of a worker."""
    sizes = sizes_of(timeline)
    return sum(nbytes_of(kind, sizes) for kind in (kernels.Walks, kernels.Queue))


def check_counts(largest: float) -> None:
    """Refuse numbers of walks that float64 does not hold, or one over them."""
    limit = count_limit(np.float64)
    if not largest <= limit:
        raise RangeError(
            f"contacts have more than {limit:.1g} optimal walks between two nodes: ask about a "
            "shorter time, or lower wait"
        )


def check_edges(keys: Any) -> None:
    """Refuse walks of so many edges that float32 does not tell them apart."""
    if bool(((keys >= MOST_EDGES) & (keys < np.inf)).any()):
        raise RangeError(
            f"contacts have optimal walks of {MOST_EDGES} edges or more: raise wait, or leave it "
            "out"
        )
