"""What the kernels of this folder are called with, and the constants that launchers know too."""

from __future__ import annotations

from ....graph.edge_weights import MIN_GAIN
from ..structs import Field, Struct, constants

WORD = 32  # bits
# brandes.cu: neighbours that a row has in its own place, and what is in place of the first where
# there are more.
INLINE_DEGREE, LONG_ROW = 4, -2
# chains.cu: nodes of arms whose targets are added up at once.
TABLE = 128
# sssp.cuh: threads on a multiprocessor, and of a block, which is a worker. Waves have few nodes,
# but more workers than these would fill the cache.
RESIDENT = 1024
THREADS, WAVE_THREADS = 512, 256
WARP = 32
# Arcs of a row beyond which a warp shares it.
WARP_DEGREE = 16
# Whole lengths whose sum stays below this are kept in 32 bits. It marks the unreached, and twice as
# much has room too.
UNREACHED = (1 << 31) - 1
# Most arcs of a row in its own place: junctions have no more, and a warp waits for its longest row.
SHORT = 6
# Within cutoffs of so many edges a source meets few nodes; by length so many threads will do then.
BALL, BALL_THREADS = 64, 128
# Of a clock that tells distances on the chip: lengths are less than a quarter.
TICKS = 128
NODE_BITS = 27  # of an arc; the others are its length
# Most buckets of a ring; where there is none, the lists near, next, far and kept.
RING, LISTS = 32, 4

# clustered.cu: sources of a batch, most arcs of a row, bits of a number beside the place of an arc
# in its row, and threads on a multiprocessor: those of a block, or of two.
CLUSTERED_WIDTH, MOST_SLOTS, NUMBER_BITS = 64, 32, 27
NO_ARC = 0xFFFFFFFF  # in place of a head; its length is 0
CLUSTERED_RESIDENT = 768
# rounds.cuh: words that a round looks at, and rounds that may go back to what waits behind.
SPAN, PATIENCE = 128, 1 << 14
# numbering.cuh: distances that are told apart. rounds.cuh: words of each of the two windows of bits
# in the same memory.
BUCKETS, WINDOW = 1 << 13, 1 << 12

# What every kernel that counts paths is called with.
PATHS = (
    Field("const Share *", "omega", "(n,)"),
    Field("const Share *", "alpha", "(count,)"),
    Field("double *", "sums", "(workers, columns, n, sums by node) over the sources of a worker"),
    Field("int *", "order", "(workers, n) nodes, level by level"),
    Field("int *", "starts", "(workers, n + 2) where each level starts"),
    Field("Real *", "counts", "(workers, n) sigma by place in the order, for several columns"),
    Field("unsigned long long *", "max_sigma", "bits of the largest path count, as a double"),
    Field("double", "limit", "path count from which the results are of no use"),
)
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
)
# What is kept of a search has a slot: of a source of the group, or of another end of its chains.
CHAINS = Struct(
    Field("const int *", "first_arms", "(sources + 1,) of each source of the group"),
    Field("const int *", "far", "(arms,) slot of the far end"),
    Field("const int *", "starts_of_arms", "(arms + 1,) first inner node of each"),
    Field("const int *", "inner", "(nodes,) inner nodes, the one next to the source first"),
    Field("const int *", "arm_of", "(nodes,)"),
    Field("const double *", "inner_alpha", "(nodes,) weight of each as a source"),
    Field("double *", "below", "(nodes,) the same of it and those before it on its arm"),
    Field("const long long *", "toward", "(nodes,) the share of its arc towards the source"),
    Field("int *", "depths", "(slots,) levels of each search"),
    Field("Share *", "weights", "(workers, n) of the targets of a source"),
    Field(
        "double *", "cells", "(workers, n, 2) of targets: a node is the last served, or is shared"
    ),
    base=BRANDES,
)
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
WEIGHTED = Struct(
    Field("const Pointer *", "in_indptr"),
    Field("const Arc<Length> *", "in_arcs"),
    Field("const void *", "in_inline"),
    *PATHS,
    Field("Real *", "h", "(workers, n) unless it takes sigma's place"),
    Field("double *", "shares", "(workers, columns, arcs) of alpha * sigma(u) g(v)"),
    Field(
        "unsigned long long *", "fault", "least tail << 32 | head of the edges that are too short"
    ),
    Field("unsigned long long *", "too_far"),
    Field("double", "rtol"),
    Field("double", "farthest"),
    Field("double", "safe_distance"),
    Field("long long", "arcs", "of the graph"),
    base=SSSP,
)
DISTANCE_SUMS = Struct(
    Field("double *", "sums", "(workers, 3, columns, n) reached, total, harmonic"),
    Field("unsigned long long *", "farthest", "(columns, n) bits of doubles, of all workers"),
    Field("int *", "order", "(workers, n) nodes that are found, within cutoffs"),
    base=SSSP,
)

# What kernels of near sources share.
IN_ONE_ORDER = (
    Field("const Link<Length, SYMMETRIC> *", "given", "(n, SLOTS) arcs of each node"),
    Field("const int *", "begins", "(groups + 1,) first source of each"),
    Field("Link<Length, SYMMETRIC> *", "arcs", "(workers, n, SLOTS) the same by number"),
    Field("Own<Length> *", "distance", "(workers, n, WARP)"),
    Field("int *", "order", "(workers, n) nodes by number"),
    Field("int *", "place", "(workers, n) numbers of the nodes"),
    Field("Mask *", "known", "(workers, n) sources whose value is the last"),
    Field("unsigned *", "bits", "(workers, 2, words) of numbers that wait, and that are met"),
    Field("int", "groups"),
)
CLUSTERED = Struct(
    *IN_ONE_ORDER,
    Field("const Share *", "omega", "(n,)"),
    Field("const Share *", "alpha", "(count,)"),
    Field("double *", "sums", "(workers, n) over the sources of a worker"),
    Field("double *", "shares", "(workers, n, SLOTS) of arcs, the same"),
    Field("unsigned long long *", "max_sigma", "bits of the largest path count, as a double"),
    Field("Mask *", "tight", "(workers, n, SLOTS) sources that an arc is tight for"),
    Field("Own<Real> *", "sigma", "(workers, n, WARP) then g"),
    Field("Real *", "weights", "(workers, n) omega by number"),
    Field("double", "rtol"),
    Field("double", "limit", "path count from which the results are of no use"),
    base=SSSP,
)
CLUSTERED_SUMS = Struct(
    *IN_ONE_ORDER,
    Field("double *", "sums", "(workers, 3, n) reached, total, harmonic"),
    Field("unsigned long long *", "farthest", "(n,) bits of doubles, of all workers"),
    base=SSSP,
)

HEADERS = {
    "brandes": constants("int", WORD=WORD, INLINE_DEGREE=INLINE_DEGREE, LONG_ROW=LONG_ROW),
    "brandes_state": BRANDES.text,
    "chains": constants("int", TABLE=TABLE),
    "chains_state": CHAINS.text,
    "sssp": constants(
        "int", RESIDENT=RESIDENT, TICKS=TICKS, NODE_BITS=NODE_BITS, RING=RING, LISTS=LISTS
    )
    + constants("int", SHORT=SHORT, LONG_ROW=LONG_ROW, WARP_DEGREE=WARP_DEGREE)
    + constants("unsigned", UNREACHED=UNREACHED),
    "sssp_state": SSSP.text,
    "near": constants("int", NUMBER_BITS=NUMBER_BITS, SPAN=SPAN)
    + constants("int", PATIENCE=PATIENCE, BUCKETS=BUCKETS, WINDOW=WINDOW)
    + constants("unsigned", NO_ARC=NO_ARC)
    + constants("int", CLUSTERED_RESIDENT=CLUSTERED_RESIDENT, CLUSTERED_WIDTH=CLUSTERED_WIDTH),
    "clustered_state": CLUSTERED.text,
    "clustered_sums_state": CLUSTERED_SUMS.text,
    "weighted": constants("double", MIN_GAIN=MIN_GAIN),
    "weighted_state": WEIGHTED.text,
    "distance_sums_state": DISTANCE_SUMS.text,
}
