"""What the kernels of clustered sources are called with, and constants of their launchers."""

from __future__ import annotations

from ..common.layout import ACCESS, PAIRS
from ..runtime.structs import Field, Struct, constants
from ..sssp.layout import SSSP

# Sources of a batch, most arcs of a row, bits of a number beside the place of an arc in its row;
# and threads on a multiprocessor: those of a block, or of two.
CLUSTERED_WIDTH, MOST_SLOTS, NUMBER_BITS = 64, 32, 27
NO_ARC = 0xFFFFFFFF  # in place of a head; its length is 0
CLUSTERED_RESIDENT = 768
# rounds.cuh: words that a round looks at, and rounds that may go back to what waits behind.
SPAN, PATIENCE = 128, 1 << 14
# numbering.cuh: distances that are told apart. rounds.cuh: words of each of the two windows of bits
# in the same memory.
BUCKETS, WINDOW = 1 << 13, 1 << 12

SHARED_ORDER = (
    Field("const Link<Length, SYMMETRIC> *", "given", "(n, SLOTS) arcs of each node"),
    Field("const int *", "begins", "(batches + 1,) first source of each"),
    Field("Link<Length, SYMMETRIC> *", "arcs", "(workers, n, SLOTS) the same by number"),
    Field("Own<Length> *", "distance", "(workers, n, WARP)"),
    Field("int *", "order", "(workers, n) nodes by number"),
    Field("int *", "place", "(workers, n) numbers of the nodes"),
    Field("Mask *", "known", "(workers, n) sources whose value is the last"),
    Field("unsigned *", "bits", "(workers, 2, words) of numbers that wait, and that are met"),
    Field("int", "batches"),
)
CLUSTERED = Struct(
    *SHARED_ORDER,
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
    Field("Own<Real> *", "seeds", "(workers, n, WARP) omega by number, of each source"),
    *PAIRS,
    base=SSSP,
)
CLUSTERED_SUMS = Struct(
    *SHARED_ORDER,
    Field("double *", "sums", "(workers, 3, n) reached, total, harmonic"),
    Field("unsigned long long *", "farthest", "(n,) bits of doubles, of all workers"),
    base=SSSP,
)
CLUSTERED_ACCESS = Struct(*ACCESS, base=CLUSTERED_SUMS)

HEADERS = {
    "constants": constants("int", NUMBER_BITS=NUMBER_BITS, SPAN=SPAN)
    + constants("int", PATIENCE=PATIENCE, BUCKETS=BUCKETS, WINDOW=WINDOW)
    + constants("unsigned", NO_ARC=NO_ARC)
    + constants("int", CLUSTERED_RESIDENT=CLUSTERED_RESIDENT, CLUSTERED_WIDTH=CLUSTERED_WIDTH),
    "brandes_state": CLUSTERED.text,
    "distance_sums_state": CLUSTERED_SUMS.text,
    "access_state": CLUSTERED_ACCESS.text,
}
