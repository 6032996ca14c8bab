"""What the kernels of clustered sources are called with, and constants of their launchers."""

from ..runtime.structs import Struct, constants

FILE = "high_diameter/constants.cuh"
CLUSTERED_WIDTH, NUMBER_BITS, NO_ARC, CLUSTERED_RESIDENT, BUCKETS, WINDOW = constants(
    *(FILE, "CLUSTERED_WIDTH", "NUMBER_BITS", "NO_ARC", "CLUSTERED_RESIDENT", "BUCKETS", "WINDOW")
)
MOST_SLOTS = 32  # arcs of a row

CLUSTERED = Struct("high_diameter/brandes_high_diameter.cu", "State")
CLUSTERED_SUMS = Struct("high_diameter/distance_sums.cu", "State")
CLUSTERED_ACCESS = Struct(
    "high_diameter/distance_sums.cu", "State<Pointer, Length, SYMMETRIC, true>"
)
