"""What the kernels of clustered sources are called with, and constants of their launchers."""

from ..runtime.structs import Struct, constants

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

CLUSTERED = Struct("high_diameter/brandes_high_diameter.cu", "State")
CLUSTERED_SUMS = Struct("high_diameter/distance_sums.cu", "State")
CLUSTERED_ACCESS = Struct(
    "high_diameter/distance_sums.cu", "State<Pointer, Length, SYMMETRIC, true>"
)

HEADERS = {
    "constants": constants("int", NUMBER_BITS=NUMBER_BITS, SPAN=SPAN)
    + constants("int", PATIENCE=PATIENCE, BUCKETS=BUCKETS, WINDOW=WINDOW)
    + constants("unsigned", NO_ARC=NO_ARC)
    + constants("int", CLUSTERED_RESIDENT=CLUSTERED_RESIDENT, CLUSTERED_WIDTH=CLUSTERED_WIDTH),
}
