"""Temporal walks on a GPU: the kernel's rules, the arguments of `temporal_walks.cu`, constants."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engines.common.base import Kernel
from ...engines.cuda.kernel_table import BLOCK_SLOTS, launcher
from ...engines.cuda.layout import WARP
from ...engines.cuda.runtime.source import Constants, Struct
from ..events import Events, Levels
from ..timeline import Timeline

BY_EVENT = ("node", "before", "after", "chained", "last", "out", "back")
SOURCE = "../../temporal/kernels/temporal_walks.cu"  # seen from the engine
WIDTH, ALONE = Constants(SOURCE).WIDTH, Constants(SOURCE).ALONE
THREADS = 256  # of a block that is not alone with a batch

WALKS = Struct(SOURCE, "State")
assert WIDTH == 2 * WARP
# Events of a level up to which one block takes it, and those after it, for a batch.
NARROW = 64
# Most of these in one launch: between two a run may be stopped.
RUN = 1 << 13
# Batches that keep a large device busy.
BUSY = 40


ON_CUDA = Kernel(
    name="temporal walks",
    summary="Optimal temporal walks, level by level of the graph of events",
    graph="contacts",
    **launcher("sparsebc.temporal.kernels.cuda", "WalksWorkspace"),
    kinds=("temporal walks",),
    width=WIDTH,
    # Batches enough for all multiprocessors, whose results the host has room for.
    block_size=lambda task, batches, width: max(1, min(BUSY, BLOCK_SLOTS // max(task.graph.n, 1))),
)


def launches(found: Levels) -> Iterator[tuple[int, int, int]]:
    """First and last level of each launch, and events of a large level; 0 if one block runs."""
    widths, begin = np.diff(found.starts), 0
    wide = (widths > NARROW) & (found.repeats == 0)
    for level in [*np.flatnonzero(wide).tolist(), widths.size]:
        for first in range(begin, level, RUN):
            yield first, min(first + RUN, level), 0
        if level < widths.size:
            yield level, level + 1, int(widths[level])
        begin = level + 1


def arrays_of(events: Events, found: Mapping[str, Levels]) -> dict[str, NDArray[Any]]:
    """Arrays of the events by name, and of the levels each way."""
    arrays = {name: getattr(events, name) for name in BY_EVENT}
    parts: dict[str, Any] = {"arrivals": events.arrivals, "departures": events.departures, **found}
    for part, lists in parts.items():
        arrays |= {f"{part}.{name}": values for name, values in lists._asdict().items()}
    return arrays


def state_of(timeline: Timeline) -> dict[str, int]:
    """Bytes of the arrays of a batch by name."""
    events, n = timeline.events, timeline.n
    rows = {"": events.rows, "front_": events.room, "rest_": n if events.limited else 0}
    state = {f"{name}keys": 4 * WIDTH * size for name, size in rows.items()}
    state |= {f"{name}sums": 8 * WIDTH * size for name, size in rows.items()}
    by_node = {"best": 4 * WIDTH, "counts": 8 * WIDTH, "first": 4 * WIDTH, "scores": 8}
    return state | {name: size * n for name, size in by_node.items()}


def pack(values: Mapping[str, Any], way: str) -> NDArray[Any]:
    """The struct, with the levels of a way."""
    return WALKS.pack({**values, **{name: values[f"{way}.{name}"] for name in Levels._fields}})
