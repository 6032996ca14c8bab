"""What the kernels of shortest paths by length are called with, and constants of launchers."""

from ..common.layout import LONG_ROW
from ..runtime.structs import Struct, constants

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

DISTANCE_SUMS = Struct("sssp/distance_sums.cu", "State")
ACCESS_SUMS = Struct("sssp/distance_sums.cu", "State<Pointer, Length, true>")
STEP, RELAXATION = (Struct("sssp/shortest_paths.cu", name) for name in ("Step", "State"))

HEADERS = {
    "constants": constants(
        "int", RESIDENT=RESIDENT, TICKS=TICKS, NODE_BITS=NODE_BITS, RING=RING, LISTS=LISTS
    )
    + constants("int", SHORT=SHORT, LONG_ROW=LONG_ROW, WARP_DEGREE=WARP_DEGREE)
    + constants("unsigned", UNREACHED=UNREACHED),
    "relaxation": constants("unsigned", THREADS=ITEM_THREADS, CHUNK=CHUNK),
}
