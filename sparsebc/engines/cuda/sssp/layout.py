"""What the kernels of shortest paths by length are called with, and constants of launchers."""

from ..runtime.structs import Struct, constants

# Threads of a block, which is a worker: waves have few nodes, but more workers than these would
# fill the cache. And where a source meets few nodes.
THREADS, WAVE_THREADS, BALL_THREADS = 512, 256, 128

FILE = "sssp/constants.cuh"
RESIDENT, TICKS, NODE_BITS, RING, LISTS = constants(
    FILE, "RESIDENT", "TICKS", "NODE_BITS", "RING", "LISTS"
)
SHORT, WARP_DEGREE, UNREACHED = constants(FILE, "SHORT", "WARP_DEGREE", "UNREACHED")
ITEM_THREADS, CHUNK = constants("sssp/relaxation.cuh", "THREADS", "CHUNK")

DISTANCE_SUMS = Struct("sssp/distance_sums.cu", "State")
ACCESS_SUMS = Struct("sssp/distance_sums.cu", "State<Pointer, Length, true>")
STEP, RELAXATION = (Struct("sssp/shortest_paths.cu", name) for name in ("Step", "State"))
