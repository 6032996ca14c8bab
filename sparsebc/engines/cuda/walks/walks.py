"""Launches `walks.cu`: walks in time, many batches of 64 sources at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....brandes import count_limit
from ....graph.events import Levels, levels
from ....graph.timeline import Timeline
from ...common.base import Sweep
from ...common.batch import Batch
from ...common.walks import check_counts, check_edges
from ..common.layout import WARP
from ..runtime.allocation import InFlight
from ..runtime.copies import clear, download, upload_many
from ..runtime.device_bytes import Plan, evenly
from ..runtime.kernels import kernels
from .layout import ALONE, THREADS, WALKS, WIDTH

# Events of a level up to which one block takes it, and those after it, for a batch.
NARROW = 64
LIMIT = count_limit(np.float64)


class WalksWorkspace:
    """Events on the device, and the state of as many batches as the memory holds."""

    def __init__(
        self, timeline: Timeline, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        self._n, self._stop = timeline.n, stop
        events = timeline.events
        self._kernels = kernels(
            "walks/walks.cu", ("forward", "find_ends", "begin_back", "backward")
        )
        shared = {name: getattr(events, name) for name in events._fields[:4]}
        shared |= {name: getattr(events, name) for name in ("last", "out", "back")}
        for name in ("arrivals", "departures"):
            side = getattr(events, name)
            shared |= {f"{name}_{field}": values for field, values in side._asdict().items()}
        self._levels = {way: levels(events, way == "forward") for way in ("forward", "backward")}
        listed = {
            f"{way}_{field}": values
            for way, each in self._levels.items()
            for field, values in each._asdict().items()
        }
        self._arrays = upload_many(**shared, **listed)
        self._arrays["exceeded"] = cupy.zeros(2, np.int32)
        of_batches = plan(timeline, sweep)
        self._values = {
            "limit": LIMIT,
            "n": timeline.n,
            "rows": events.rows,
            "room": room_of(timeline),
            "limited": events.limited,
        }
        self._at_once = of_batches.slots(memory, 1 << 16)
        self._batches = InFlight(of_batches.sizes, f"one batch of {WIDTH} sources", timeline.n)

    def betweenness(self, block: Sequence[Batch], foremost: bool) -> list[NDArray[np.float64]]:
        """Scores of all nodes from each batch of sources."""
        found: list[NDArray[np.float64]] = []
        for batches, values in self._forward(block, foremost):
            clear(values["scores"])
            self._by_node("begin_back", values)
            self._by_level("backward", values)
            found += [*self._download("scores", values, len(batches), np.float64)]
        return found

    def optimal(
        self, block: Sequence[Batch], foremost: bool
    ) -> list[tuple[NDArray[np.float32], NDArray[np.int32]]]:
        """Edges of the optimal walks to each node, and steps of arrival; a column a source."""
        found: list[tuple[NDArray[np.float32], NDArray[np.int32]]] = []
        for batches, values in self._forward(block, foremost):
            best = self._download("best", values, len(batches), np.float32, WIDTH)
            first = self._download("first", values, len(batches), np.int32, WIDTH)
            sizes = (batch.sources.size for batch in batches)
            found += [
                (h[:, :size].copy(), step[:, :size].copy())
                for h, step, size in zip(best, first, sizes, strict=True)
            ]
        return found

    def _forward(
        self, block: Sequence[Batch], foremost: bool
    ) -> Iterator[tuple[Sequence[Batch], dict[str, Any]]]:
        """Go forward from as many batches at once as there is room for."""
        done = 0
        while done < len(block):
            size = self._batches.reserve(evenly(len(block) - done, self._at_once))
            batches = block[done : done + size]
            lane = np.full((size, self._n), -1, np.int8)
            for row, batch in zip(lane, batches, strict=True):
                row[batch.sources] = np.arange(batch.sources.size)
            values = {**self._values, **self._arrays, **self._batches.arrays}
            values |= {**upload_many(lane=lane.reshape(-1)), "foremost": foremost}
            values["batches"] = size
            clear(self._arrays["exceeded"])
            self._by_level("forward", values)
            self._by_node("find_ends", values)
            counts, edges = download(self._arrays["exceeded"])  # device to host
            check_counts(np.inf if counts else 0)
            check_edges(bool(edges))
            yield batches, values
            done += size

    def _by_level(self, way: str, values: dict[str, Any]) -> None:
        """Launch each level, and those that are narrow or repeat a run at a time."""
        listed = {field: values[f"{way}_{field}"] for field in Levels._fields}
        state = WALKS.pack({**values, **listed})
        for first, last, most in runs(self._levels[way]):
            if self._stop[0]:
                return
            is_wide = most > 0
            blocks, threads = -(-most // (THREADS // WARP)) if is_wide else 1, THREADS
            self._kernels[way](
                (blocks, values["batches"]),
                (threads if is_wide else ALONE,),
                (state, np.int32(first), np.int32(last)),
            )

    def _by_node(self, name: str, values: dict[str, Any]) -> None:
        listed = {field: values[f"forward_{field}"] for field in Levels._fields}
        blocks = -(-self._n // (THREADS // WARP)) or 1
        grid = (min(blocks, 1 << 16), values["batches"])
        self._kernels[name](grid, (THREADS,), (WALKS.pack({**values, **listed}),))

    def _download(
        self, name: str, values: dict[str, Any], batches: int, dtype: Any, *columns: int
    ) -> NDArray[Any]:
        shape = (-1, self._n, *columns)
        size = int(np.prod((batches, self._n, *columns)))
        return download(values[name].view(dtype)[:size]).reshape((batches, *shape[1:]))


def runs(found: Levels) -> Iterator[tuple[int, int, int]]:
    """First and last level of each launch, and events of a wide level; 0 where a block is alone."""
    widths, begin = np.diff(found.starts), 0
    wide = (widths > NARROW) & (found.repeats == 0)
    for level in np.flatnonzero(wide).tolist():
        if begin < level:
            yield begin, level, 0
        yield level, level + 1, int(widths[level])
        begin = level + 1
    if begin < widths.size:
        yield begin, int(widths.size), 0


def room_of(timeline: Timeline) -> int:
    """Front sums of a batch."""
    events = timeline.events
    return max(int(side.room[-1]) for side in (events.arrivals, events.departures))


def plan(timeline: Timeline, _: Sweep) -> Plan:
    """Events and levels; of a batch its rows."""
    events, n = timeline.events, timeline.n
    rows = {
        "": events.rows,
        "front_": room_of(timeline),
        "rest_": n if events.limited else 0,
    }
    state = {f"{name}keys": 4 * WIDTH * size for name, size in rows.items()}
    state |= {f"{name}sums": 8 * WIDTH * size for name, size in rows.items()}
    state |= {"best": 4 * WIDTH * n, "counts": 8 * WIDTH * n, "first": 4 * WIDTH * n}
    state |= {"scores": 8 * n, "lanes": n}
    fixed = sum(array.nbytes for array in events.arrays) + 20 * events.node.size
    return Plan(fixed + (1 << 16), state)
