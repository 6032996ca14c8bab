"""What `brandes_source.cuh` is called with, and the constants that its launcher knows too."""

from __future__ import annotations

from ..common.layout import LONG_ROW, PATHS, SEEDS, WORD
from ..runtime.structs import Field, Struct, constants

INLINE_DEGREE = 4  # neighbours that a row has in its own place

BRANDES = Struct(
    Field("const int *", "out_indices"),
    Field("const int *", "in_indices"),
    Field("const int4 *", "out_inline", "(n,) rows in their own places"),
    Field("const int4 *", "in_inline"),
    Field("const int *", "sources", "(count,)"),
    *PATHS,
    Field("Real *", "sigma", "(workers, n) then g, or h, if not both are wanted"),
    Field("Real *", "pairs", "(workers, n, 2) g and h beside each other, if they are"),
    Field(
        "double *",
        "shares",
        "(workers, columns, share_count) of arcs: INLINE_DEGREE for each row, then long rows",
    ),
    Field("unsigned *", "mark_bits", "(workers, words) where shared memory has no room for them"),
    Field("unsigned char *", "mark_bytes", "(workers, 32 words) where bits do not suffice"),
    Field("double *", "departures", "(columns, n) lambda of each source itself"),
    Field("const int *", "cutoffs", "(columns,) last level of each column, ascending; or null"),
    Field("long long", "share_count", "of a worker, so many that rows start on a sector"),
    Field("int", "n"),
    Field("int", "workers"),
    Field("int", "words", "of the bits of marks, a multiple of 4"),
    Field("int", "columns", "of the sums"),
    *SEEDS,
)

# Of a search that counts no paths: what others have is null.
LEVEL_SUMS = Struct(
    Field("unsigned long long *", "farthest", "(columns, n) bits of doubles, of all workers"),
    Field("int", "wanted", "sums, a bit each: reached, total, harmonic, farthest"),
    base=BRANDES,
)

HEADERS = {
    "constants": constants("int", WORD=WORD, INLINE_DEGREE=INLINE_DEGREE, LONG_ROW=LONG_ROW),
    "state": BRANDES.text,
    "level_sums": LEVEL_SUMS.text,
}
