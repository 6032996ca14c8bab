"""Launches `temporal_walks.cu`: temporal walks, many batches of 64 sources at once."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ...engines.common.base import Sweep
from ...engines.common.sums import Batch
from ...engines.cuda.layout import WARP, Plan
from ...engines.cuda.runtime.allocation import InFlight
from ...engines.cuda.runtime.copies import clear, download, upload_many
from ...engines.cuda.runtime.kernels import kernels
from ..events import levels
from ..timeline import Timeline
from .cuda_layout import (
    ALONE,
    SOURCE,
    THREADS,
    WIDTH,
    arrays_of,
    launches,
    pack,
    state_of,
)
from .in_range import Flags, check_edges, count_in_range

KERNELS = ("forward", "find_ends", "begin_back", "backward")
# Batches of a launch, at most.
MOST_BATCHES = 1 << 15


class WalksWorkspace:
    """Events on the device, and the state of as many batches as the memory holds."""

    def __init__(
        self, timeline: Timeline, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        self._n, self._stop, events = timeline.n, stop, timeline.events
        self._kernels = kernels(SOURCE, KERNELS)
        self._levels = {"forward": levels(events, True), "backward": levels(events, False)}
        self._values: dict[str, Any] = upload_many(**arrays_of(events, self._levels))
        self._values |= {"n": self._n, "rows": events.rows}
        self._values |= {"room": events.room, "limited": events.limited}
        of_batches = plan(timeline, sweep)
        self._at_once = of_batches.slots(memory, MOST_BATCHES)
        self._batches = InFlight(of_batches.sizes, f"one batch of {WIDTH} sources", timeline.n)

    def results(self, block: Sequence[Batch], *, scores: bool, foremost: bool) -> list[Any]:
        """Scores of all nodes from each batch, or edges and steps of arrival, (n, sources)."""
        found: list[Any] = []
        for some in self._batches.turns(len(block), self._at_once, self._stop):
            batches, size = block[some], some.stop - some.start
            lane = np.full((size, self._n), -1, np.int8)  # column of a node that is a source
            for row, batch in zip(lane, batches, strict=True):
                row[batch.sources] = np.arange(batch.sources.size)
            values = {**self._values, **self._batches.arrays}
            values |= {**upload_many(lane=lane.reshape(-1)), "foremost": foremost, "batches": size}
            values["exceeded"] = cupy.empty((3, size * WIDTH), np.int32)
            count_in_range(size * WIDTH, functools.partial(self._count, values))
            if self._stop[0]:
                break
            if scores:
                clear(values["scores"])
                self._by_node("begin_back", values)
                self._by_level("backward", values)
                found += [*self._download("scores", values, size, np.float64)]
                continue
            best = self._download("best", values, size, np.float32, WIDTH)
            first = self._download("first", values, size, np.int32, WIDTH)
            for h, step, batch in zip(best, first, batches, strict=True):
                each = slice(batch.sources.size)
                found.append((h[:, each].copy(), step[:, each].copy()))
        return found

    def _count(self, values: dict[str, Any], weight: NDArray[np.float64]) -> tuple[Flags, Flags]:
        """Count walks with weights of an edge; of which columns some are too many, or too few."""
        values |= upload_many(weight=weight)
        clear(values["exceeded"])
        self._by_level("forward", values)
        self._by_node("find_ends", values)
        large, edges, small = download(values["exceeded"]) > 0  # device to host
        if self._stop[0]:  # half of the way
            return np.zeros_like(large), np.zeros_like(small)
        check_edges(bool(edges.any()))
        return large, small

    def _by_level(self, way: str, values: dict[str, Any]) -> None:
        """Launch each level, and those that are narrow or repeat a run at a time."""
        state = pack(values, way)
        for first, last, most in launches(self._levels[way]):
            if self._stop[0]:
                return
            blocks, threads = (-(-most // (THREADS // WARP)), THREADS) if most else (1, ALONE)
            grid = (blocks, values["batches"])
            self._kernels[way](grid, (threads,), (state, np.int32(first), np.int32(last)))

    def _by_node(self, name: str, values: dict[str, Any]) -> None:
        blocks = -(-self._n // (THREADS // WARP)) or 1
        grid = (min(blocks, 1 << 16), values["batches"])
        self._kernels[name](grid, (THREADS,), (pack(values, "forward"),))

    def _download(
        self, name: str, values: dict[str, Any], batches: int, dtype: Any, *columns: int
    ) -> NDArray[Any]:
        shape = (batches, self._n, *columns)
        return download(values[name].view(dtype)[: math.prod(shape)]).reshape(shape)


def plan(timeline: Timeline, _: Sweep) -> Plan:
    """Events and levels; of a batch its rows."""
    events = timeline.events
    fixed = sum(array.nbytes for array in events.arrays) + 20 * events.node.size
    return Plan(fixed + (1 << 16), {**state_of(timeline), "lanes": timeline.n})
