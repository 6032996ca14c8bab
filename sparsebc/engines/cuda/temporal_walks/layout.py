"""What `temporal_walks.cu` is called with, and the constants that its launcher knows too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....graph.events import Events, Levels, levels
from ....graph.timeline import Timeline
from ...common.batch import Batch
from ...common.temporal_walks import LARGEST, LEAST, MOST_EDGES
from ..common.layout import WARP
from ..runtime.structs import Field, Struct, constants

BY_EVENT = ("node", "before", "after", "chained", "last", "out", "back")
WIDTH = 64  # sources of a batch, two to a lane
THREADS, ALONE = 256, 512  # of a block, and where it is alone with a batch


def side(name: str) -> tuple[Field, ...]:
    """Fields of arrivals or departures (`graph.events.Side`)."""
    return (
        Field("const int *", f"{name}_begin", "(events,)"),
        Field("const int *", f"{name}_end", "(events,)"),
        Field("const int *", f"{name}_own", "(m,) event of each entry"),
        Field("const int *", f"{name}_row", "(m,) row of the event at the other end of its edge"),
        Field("const int *", f"{name}_node", "(m,) node of that"),
        Field("const int *", f"{name}_step", "(m,) step in which it arrives"),
        Field("const int *", f"{name}_nodes", "(n + 1,) where the entries of a node begin"),
        Field("const int *", f"{name}_turn", "(events,) the first entry that gets a front sum"),
        Field("const int *", f"{name}_front", "(events,) front sum of the window"),
        Field("const int *", f"{name}_room", "(n + 1,) where the front sums of a node are"),
    )


WALKS = Struct(
    *side("arrivals"),
    *side("departures"),
    Field("const int *", "node", "(events,)"),
    Field("const int *", "before", "(events,) the event before at the node"),
    Field("const int *", "after", "(events,)"),
    Field("const unsigned char *", "chained", "(events,) whether it is one of a set"),
    Field("const int *", "last", "(n,) the last event of a node"),
    Field("const int *", "out", "(events,) row of what its departures take, or -1"),
    Field("const int *", "back", "(events,) row of what its arrivals take, or -1"),
    Field("const int *", "order", "(events,) level by level"),
    Field("const int *", "starts", "(levels + 1,) where each level begins"),
    Field("const unsigned char *", "repeats", "(levels,) whether it has sets, and nothing else"),
    Field("const signed char *", "lane", "(batches, n) column of the source that a node is, or -1"),
    Field("float *", "keys", "(batches, rows, WIDTH) h, and on the way back -h"),
    Field("double *", "sums", "(batches, rows, WIDTH) c, and on the way back g"),
    Field("float *", "front_keys", "(batches, room, WIDTH) front sums"),
    Field("double *", "front_sums", "(batches, room, WIDTH)"),
    Field("float *", "rest_keys", "(batches, n, WIDTH) sums of the rest of windows"),
    Field("double *", "rest_sums", "(batches, n, WIDTH)"),
    Field("float *", "best", "(batches, n, WIDTH) h of the optimal walks to a node"),
    Field("double *", "counts", "(batches, n, WIDTH) their number, then one over it"),
    Field("int *", "first", "(batches, n, WIDTH) step in which it is reached"),
    Field("double *", "scores", "(batches, n) b(v)"),
    Field(
        "int *",
        "exceeded",
        "(3, batches, WIDTH) whether counts, or numbers of edges, are too large; counts small",
    ),
    Field(
        "const double *", "weight", "(batches, WIDTH) of an edge: c is times its power h, g over it"
    ),
    Field("int", "n"),
    Field("int", "rows"),
    Field("int", "room", "front sums of a batch"),
    Field("int", "limited", "whether there is a limit of waiting"),
    Field("int", "foremost"),
)

HEADERS = {
    "state": WALKS.text,
    "constants": constants("int", WIDTH=WIDTH, ALONE=ALONE)
    + constants("float", MOST_EDGES=float(MOST_EDGES))
    + constants("double", LARGEST=LARGEST, LEAST=LEAST),
}
assert WIDTH == 2 * WARP
# Events of a level up to which one block takes it, and those after it, for a batch.
NARROW = 64
WAYS = ("forward", "backward")


def levels_of(events: Events) -> dict[str, Levels]:
    """Levels of the events each way."""
    return {way: levels(events, way == "forward") for way in WAYS}


def launches(found: Levels) -> Iterator[tuple[int, int, int]]:
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


def arrays_of(events: Events, found: Mapping[str, Levels]) -> dict[str, NDArray[Any]]:
    """Arrays of the events by name, and of the levels each way."""
    arrays = {name: getattr(events, name) for name in BY_EVENT}
    parts: dict[str, Any] = {"arrivals": events.arrivals, "departures": events.departures, **found}
    for part, lists in parts.items():
        arrays |= {f"{part}_{name}": values for name, values in lists._asdict().items()}
    return arrays


def scalars(timeline: Timeline) -> dict[str, Any]:
    """What is passed by value, but for the kind of walks."""
    events = timeline.events
    return {
        "n": timeline.n,
        "rows": events.rows,
        "room": _room(events),
        "limited": events.limited,
    }


def state_of(timeline: Timeline) -> dict[str, int]:
    """Bytes of the arrays of a batch by name."""
    events, n = timeline.events, timeline.n
    rows = {"": events.rows, "front_": _room(events), "rest_": n if events.limited else 0}
    state = {f"{name}keys": 4 * WIDTH * size for name, size in rows.items()}
    state |= {f"{name}sums": 8 * WIDTH * size for name, size in rows.items()}
    by_node = {"best": 4 * WIDTH, "counts": 8 * WIDTH, "first": 4 * WIDTH, "scores": 8}
    return state | {name: size * n for name, size in by_node.items()}


def lanes(batches: Sequence[Batch], n: int) -> NDArray[np.int8]:
    """The column of the source that each node is, in each batch; -1 where it is none."""
    lane = np.full((len(batches), n), -1, np.int8)
    for row, batch in zip(lane, batches, strict=True):
        row[batch.sources] = np.arange(batch.sources.size)
    return lane.reshape(-1)


def pack(values: Mapping[str, Any], way: str) -> NDArray[Any]:
    """The struct, with the levels of a way."""
    return WALKS.pack({**values, **{name: values[f"{way}_{name}"] for name in Levels._fields}})


def _room(events: Events) -> int:
    """Front sums of a batch."""
    return max(int(side.room[-1]) for side in (events.arrivals, events.departures))
