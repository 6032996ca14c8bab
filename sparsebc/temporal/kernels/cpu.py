"""Launches `walks`: temporal walks of a CPU, in batches of up to 64 sources."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engines.common.base import Kernel, Sweep
from ...engines.common.sums import Batch
from ...engines.cpu.common.simd import LANES, WIDTH
from ...engines.cpu.common.state import allocated, nbytes_of
from ...engines.cpu.engine import on_host
from ..timeline import Timeline
from . import walks
from .in_range import LARGEST, LEAST, MOST_EDGES, Flags, check_edges, count_in_range


class WalksWorkspace:
    """State of a batch of sources."""

    @staticmethod
    def least_bytes(timeline: Timeline, _: Sweep) -> int:
        """Bytes of the state of a worker."""
        sizes = sizes_of(timeline)
        return nbytes_of(sizes, walks.Walks, walks.Windows)

    def __init__(self, timeline: Timeline, _: Sweep, stop: NDArray[np.uint8]) -> None:
        self._timeline, self._stop, sizes = timeline, stop, sizes_of(timeline)
        self._state = (
            allocated(walks.Windows, sizes),
            allocated(walks.Walks, sizes),
        )

    def results(self, block: Sequence[Batch], *, scores: bool, foremost: bool) -> list[Any]:
        """Scores of all nodes from each batch, or edges and steps of arrival, (n, sources)."""
        timeline, (_, state), found = self._timeline, self._state, list[Any]()

        def count(weight: NDArray[np.float64]) -> tuple[Flags, Flags]:
            state.weight[:] = weight
            walks.forward(timeline.events, *self._state, batch.sources, foremost, self._stop)
            return state.largest > LARGEST, state.least < LEAST

        for batch in block:
            count_in_range(WIDTH, count)
            if timeline.edges >= MOST_EDGES:
                keys = state.keys
                check_edges(bool(((keys >= MOST_EDGES) & (keys < np.inf)).any()))
            if scores:
                found.append(np.zeros(timeline.n))
                walks.backward(timeline.events, *self._state, foremost, found[-1], self._stop)
            else:
                by_node = (each.reshape(timeline.n, WIDTH) for each in (state.best, state.first))
                found.append([each[:, : batch.sources.size].copy() for each in by_node])
        return found


def sizes_of(timeline: Timeline) -> dict[str, Any]:
    """Sizes of `Walks` and `Windows`."""
    events, n = timeline.events, timeline.n
    rows = {
        "of n": n,
        "of events": events.rows,
        "of room": events.room,
        "of windows": n if events.limited else 0,
    }
    return {
        "n": n,
        "lanes": n * LANES,
        **{f"rows {name}": size * WIDTH for name, size in rows.items()},
    }


ON_CPU = Kernel(
    name="temporal walks",
    summary="Optimal temporal walks, by a forward and a backward scan of the list of edges",
    graph="contacts",
    files=("temporal/kernels/walks.py",),
    kinds=("temporal walks",),
    width=WIDTH,
    **on_host(WalksWorkspace),
)
