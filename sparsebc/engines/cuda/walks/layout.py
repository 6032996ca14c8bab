"""What `walks.cu` is called with, and the constants that its launcher knows too."""

from __future__ import annotations

from ...common.walks import MOST_EDGES
from ..common.layout import WARP
from ..runtime.structs import Field, Struct, constants

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
    Field("int *", "exceeded", "(2,) whether a count, or a number of edges, is too large"),
    Field("double", "limit", "of counts"),
    Field("int", "n"),
    Field("int", "rows"),
    Field("int", "room", "front sums of a batch"),
    Field("int", "limited", "whether there is a limit of waiting"),
    Field("int", "foremost"),
)

HEADERS = {
    "state": WALKS.text,
    "constants": constants("int", ALONE=ALONE) + constants("float", MOST_EDGES=float(MOST_EDGES)),
}
assert WIDTH == 2 * WARP
