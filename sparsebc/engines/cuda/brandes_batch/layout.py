"""What `brandes_batch.cu` is called with, and the constants that it shares with its launcher."""

from __future__ import annotations

from ..runtime.structs import Field, Struct, constants

COLUMNS = 128  # sources of a batch
WORDS = COLUMNS // 32  # of a mask
THREADS, HUB_THREADS = 256, 512  # of a block of rows, and of the block that shares one hub
SPAN = 32 * THREADS  # rows that a block looks through for those that are marked: 32 a thread
# Bit-sliced path counts: parts of a count and bits of a part, the last level that has no counts but
# ones, and most neighbours of a row that is no hub.
COUNT_PARTS, PART_BITS, LAST_ONES, LONGEST_ROW = 4, 3, 1, 1024
# The pinned flag of a search whose level lists ran out of room.
FULL = -(1 << 31)
# Kernels whose work is claimed by a counter of the level.
WORKS = ("MARK", "FORWARD", "FORWARD_SLICED", "FORWARD_HUBS", "BACKWARD", "BACKWARD_HUBS")

LEVEL = Struct(
    Field("unsigned long long", "arcs", "out-degrees of its rows, summed"),
    Field("unsigned", "begin", "first entries: rows, hubs", length=2),
    Field("unsigned", "count", "entries: rows, hubs", length=2),
    Field("unsigned", "taken", "of each kernel's work, how much is claimed", length=len(WORKS)),
)

STATE = Struct(
    Field("const Pointer *", "out_indptr"),
    Field("const int *", "out_indices"),
    Field("const Pointer *", "in_indptr"),
    Field("const int *", "in_indices"),
    Field("const unsigned *", "degree", "(n,) twice the out-degree, plus one for a hub"),
    Field("const int *", "hubs", "(hub_count,)"),
    Field("const Real *", "omega", "(n,)"),
    Field("const int *", "sources", "(batches * COLUMNS,) -1 where a column has none"),
    Field("const Real *", "alpha", "(batches * COLUMNS,)"),
    Field("const Mask *", "live", "(batches,) columns that have a source"),
    Field(
        "const int *",
        "starts",
        "(batches * COLUMNS,) step at which each search starts, if not all at 0",
    ),
    Field("Real *", "sigma", "(slots, COLUMNS) path counts, then g; set only where a bit is"),
    Field("Real *", "h", "(slots, COLUMNS) beside g, where it takes more than a byte"),
    Field("unsigned char *", "h_bytes", "(slots, COLUMNS) h, or BYTE_OVERFLOW"),
    Field(
        "uint4 *", "slices", "(COUNT_PARTS, slots, WORDS) bit-sliced counts, where rows are long"
    ),
    Field(
        "unsigned *", "sliced_until", "(batches,) levels before this one have slices of all counts"
    ),
    Field("Seen *", "seen", "(slots,)"),
    Field("unsigned *", "marked", "one bit a slot, zero between levels"),
    Field("unsigned *", "starting", "one bit a slot: a source is there that may start late"),
    Field("unsigned *", "spans", "(2, spans) marked rows of each SPAN, and HUB_ONE for each hub"),
    Field("double *", "dependency", "(slots,) sums of alpha * delta"),
    Field("double *", "stress", "(slots,) sums of alpha * sigma * lambda"),
    Field("double *", "squares", "(slots,) sums of alpha * delta^2"),
    Field("double *", "arrivals", "(slots,) sums of alpha * sigma"),
    Field("double *", "ends", "(slots,) sums of alpha * omega, of alpha * delta at sources"),
    Field("double *", "shares", "(batches, graph_arcs) sums of alpha * sigma(u) g(v)"),
    Field("unsigned *", "slots", "the level lists: rows, then hubs"),
    Field("Mask *", "masks", "of their entries"),
    Field("Level *", "levels"),
    Field("unsigned *", "out_of_range", "(batches,) set where a path count passes the limit"),
    Field("unsigned long long *", "full", "set when a level list ran out of room"),
    Field("volatile unsigned long long *", "flag", "pinned: number << 32 | value"),
    Field("double *", "departures", "(n,) lambda of each source itself"),
    Field("double", "limit", "largest path count that Real counts exactly"),
    Field("unsigned long long", "arcs", "of all batches"),
    Field("unsigned long long", "graph_arcs"),
    Field("unsigned", "room", "entries there is room for: rows, hubs", length=2),
    Field("unsigned", "n"),
    Field("unsigned", "batches"),
    Field("unsigned", "hub_count"),
    Field("unsigned", "last_start", "of all starts; 0 where all are"),
    Field("unsigned", "sliced", "whether path counts are bit-sliced too"),
    Field("unsigned", "number", "of the sweep"),
)

HEADERS = {
    "constants": constants(
        "unsigned",
        COLUMNS=COLUMNS,
        THREADS=THREADS,
        HUB_THREADS=HUB_THREADS,
        SPAN=SPAN,
        COUNT_PARTS=COUNT_PARTS,
        PART_BITS=PART_BITS,
        LONGEST_ROW=LONGEST_ROW,
    )
    + constants("int", WORDS=WORDS, LAST_ONES=LAST_ONES, FULL=FULL)
    + f"enum Work {{ {', '.join(WORKS)} }};\n",
    "level": LEVEL.text,
    "state": STATE.text,
}
