"""What the kernels of shortest paths by length are called with, and constants of launchers."""

from ..runtime.source import Constants, Struct

# Threads of a block, which is a worker: waves have few nodes, but more workers than these would
# fill the cache. And where a source meets few nodes.
THREADS, WAVE_THREADS, BALL_THREADS = 512, 256, 128

SEARCH = Constants("sssp/constants.cuh")
RESIDENT, TICKS, NODE_BITS = SEARCH.RESIDENT, SEARCH.TICKS, SEARCH.NODE_BITS
RING, LISTS, SHORT = SEARCH.RING, SEARCH.LISTS, SEARCH.SHORT
WARP_DEGREE, UNREACHED = SEARCH.WARP_DEGREE, SEARCH.UNREACHED

DISTANCE_SUMS = Struct("sssp/distance_sums.cu", "State")
ACCESS_SUMS = Struct("sssp/distance_sums.cu", "State<Pointer, Length, true>")
ROWS = Struct("sssp/rows.cu", "State")
