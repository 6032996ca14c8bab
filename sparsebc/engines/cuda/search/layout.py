"""What the kernels of searches are called with, and what constants their launchers share."""

from __future__ import annotations

from ..structs import Field, Struct, constants

# MS-BFS: a row of a group has so many vectors of 128 bits, a bit for each source.
VECTORS = 8
COLUMNS = 128 * VECTORS  # sources of a group
THREADS, HUB_THREADS = 256, 512  # of a block of rows, and of the block that shares one hub
SUMS_BYTES = 32  # of what the sources of a group add up to at a node, aligned
# Along lengths: edges of an item, the share of a row that a warp relaxes.
CHUNK = 256

LEVEL = Struct(
    Field("unsigned long long", "fresh", "rows that it holds"),
    Field("unsigned long long", "arcs", "out-degrees of these"),
)

STATE = Struct(
    Field("const Count *", "out_indptr"),
    Field("const int *", "out_indices"),
    Field("const Count *", "in_indptr"),
    Field("const int *", "in_indices"),
    Field("const unsigned *", "apart", "(words,) hubs, rows that nothing leads to, what is no row"),
    Field(
        "const int *", "hubs", "(hub_count,) rows of so many neighbours that a block shares them"
    ),
    Field("const int *", "sources", "(groups * COLUMNS,) -1 where a column has none"),
    Field("const uint4 *", "live", "(groups, VECTORS) columns that have a source"),
    Field("const int *", "more", "(groups * COLUMNS,) what a source counts, less one"),
    Field("uint4 *", "digits", "(groups, most_digits, VECTORS) columns by its binary digits"),
    Field("unsigned", "most_digits"),
    Field("uint4 *", "seen", "(slots, VECTORS) columns whose level is even, and odd", length=2),
    Field("unsigned *", "marked", "(groups, words) rows that pull: at level d of d % 3", length=3),
    Field("unsigned *", "done", "(groups, words) rows that have all columns"),
    Field("Level *", "levels"),
    Field("Sums *", "sums", "(slots,) of the column that levels now go to, or null"),
    Field("int *", "level", "(sources, n) level of each node, or null"),
    Field("unsigned", "n"),
    Field("unsigned", "words"),
    Field("unsigned", "groups"),
    Field("unsigned", "hub_count"),
)

STEP = Struct(
    Field("unsigned long long", "far", "least distance that waits beyond the bound, its bits"),
    Field("double", "bound", "of the distances that are relaxed"),
    Field("unsigned", "near", "whether one waits within it"),
)

SSSP_STATE = Struct(
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
        "unsigned",
        VECTORS=VECTORS,
        COLUMNS=COLUMNS,
        THREADS=THREADS,
        HUB_THREADS=HUB_THREADS,
        SUMS_BYTES=SUMS_BYTES,
        CHUNK=CHUNK,
    ),
    "level": LEVEL.text,
    "state": STATE.text,
    "step": STEP.text,
    "sssp_state": SSSP_STATE.text,
}
