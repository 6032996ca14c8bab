"""What the kernels of shortest paths by length are called with, and constants of launchers."""

from __future__ import annotations

from ..common.layout import ACCESS, LONG_ROW
from ..runtime.structs import Field, Struct, constants

# Threads on a multiprocessor, and of a block, which is a worker. Waves have few nodes, but more
# workers than these would fill the cache.
RESIDENT = 1024
THREADS, WAVE_THREADS = 512, 256
# Arcs of a row beyond which a warp shares it.
WARP_DEGREE = 16
# Whole lengths whose sum stays below this are kept in 32 bits. It marks the unreached, and twice as
# much has room too.
UNREACHED = (1 << 31) - 1
# Most arcs of a row in its own place: junctions have no more, and a warp waits for its longest row.
SHORT = 6
BALL_THREADS = 128  # where a source meets few nodes
# Of a clock that tells distances on the chip: lengths are less than a quarter.
TICKS = 128
NODE_BITS = 27  # of an arc; the others are its length
# Most buckets of a ring; where there is none, the lists near, next, far and kept.
RING, LISTS = 32, 4
# shortest_paths.cu: threads of a block, and edges of an item, the share of a row of a warp.
ITEM_THREADS, CHUNK = 256, 256

SSSP = Struct(
    Field("const Pointer *", "out_indptr"),
    Field("const Arc<Length> *", "out_arcs"),
    Field("const int *", "sources", "(count,)"),
    Field("const void *", "out_inline", "(n, SHORT) arcs of short rows, for waves"),
    Field("void *", "nodes", "(workers, n) of Node"),
    Field("int *", "lists", "(workers, buckets or LISTS, n) nodes that wait"),
    Field("const double *", "cutoffs", "(columns,) how far each column goes, ascending; or null"),
    Field("double", "per_width", "1 / width of a bucket"),
    Field("double", "width"),
    Field("int", "n"),
    Field("int", "workers"),
    Field("int", "buckets", "0: near and far"),
    Field("int", "columns", "of the sums"),
)
DISTANCE_SUMS = Struct(
    Field("double *", "sums", "(workers, 3, columns, n) reached, total, harmonic"),
    Field("unsigned long long *", "farthest", "(columns, n) bits of doubles, of all workers"),
    Field("int *", "order", "(workers, n) nodes that are found, within cutoffs"),
    Field("int", "wanted", "sums, a bit each: reached, total, harmonic, farthest"),
    base=SSSP,
)
ACCESS_SUMS = Struct(*ACCESS, base=DISTANCE_SUMS)

STEP = Struct(
    Field("unsigned long long", "far", "least distance that waits beyond the bound, its bits"),
    Field("double", "bound", "of the distances that are relaxed"),
    Field("unsigned", "near", "whether one waits within it"),
)

RELAXATION = Struct(
    Field("const Count *", "indptr"),
    Field("const int *", "indices"),
    Field("const double *", "lengths"),
    Field("const int *", "item_row", "(items,) edges in chunks, so that a row of many is shared"),
    Field("const Count *", "item_begin"),
    Field("double *", "distance", "(n, 32 * words)"),
    Field(
        "unsigned *", "waiting", "(n, words) step i reads those of i % 3, sets the next", length=3
    ),
    Field("Step *", "steps"),
    Field("double", "stride", "from the nearest that waits to the next bound"),
    Field("unsigned", "items"),
    Field("unsigned", "words"),
)

HEADERS = {
    "constants": constants(
        "int", RESIDENT=RESIDENT, TICKS=TICKS, NODE_BITS=NODE_BITS, RING=RING, LISTS=LISTS
    )
    + constants("int", SHORT=SHORT, LONG_ROW=LONG_ROW, WARP_DEGREE=WARP_DEGREE)
    + constants("unsigned", UNREACHED=UNREACHED),
    "sssp_state": SSSP.text,
    "distance_sums_state": DISTANCE_SUMS.text,
    "access_state": ACCESS_SUMS.text,
    "relaxation": constants("unsigned", THREADS=ITEM_THREADS, CHUNK=CHUNK),
    "step": STEP.text,
    "relaxation_state": RELAXATION.text,
}
