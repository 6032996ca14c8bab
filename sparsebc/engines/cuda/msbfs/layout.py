"""What the kernels of MS-BFS are called with, and the constants that their launcher knows too."""

from __future__ import annotations

from ..runtime.structs import Field, Struct, constants

# MS-BFS: a row of a batch has so many vectors of 128 bits, a bit for each source.
VECTORS = 8
COLUMNS = 128 * VECTORS  # sources of a batch
THREADS, HUB_THREADS = 256, 512  # of a block of rows, and of the block that shares one hub
SUMS_BYTES = 32  # of what the sources of a batch add up to at a node, aligned

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
    Field("const int *", "sources", "(batches * COLUMNS,) -1 where a column has none"),
    Field("const uint4 *", "live", "(batches, VECTORS) columns that have a source"),
    Field("const int *", "more", "(batches * COLUMNS,) what a source counts, less one"),
    Field("uint4 *", "digits", "(batches, most_digits, VECTORS) columns by its binary digits"),
    Field("unsigned", "most_digits"),
    Field("uint4 *", "seen", "(slots, VECTORS) columns whose level is even, and odd", length=2),
    Field("unsigned *", "marked", "(batches, words) rows that pull: at level d of d % 3", length=3),
    Field("unsigned *", "done", "(batches, words) rows that have all columns"),
    Field("Level *", "levels"),
    Field("Sums *", "sums", "(slots,) of the column that levels now go to, or null"),
    Field("int *", "level", "(sources, n) level of each node, or null"),
    Field("unsigned", "n"),
    Field("unsigned", "words"),
    Field("unsigned", "batches"),
    Field("unsigned", "hub_count"),
)

HEADERS = {
    "constants": constants(
        "unsigned",
        VECTORS=VECTORS,
        COLUMNS=COLUMNS,
        THREADS=THREADS,
        HUB_THREADS=HUB_THREADS,
        SUMS_BYTES=SUMS_BYTES,
    ),
    "level": LEVEL.text,
    "state": STATE.text,
}
