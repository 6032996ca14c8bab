"""What the kernels of MS-BFS are called with, and the constants that their launcher knows too."""

from ..runtime.structs import Struct, constants

# MS-BFS: a row of a batch has so many vectors of 128 bits, a bit for each source.
VECTORS = 8
COLUMNS = 128 * VECTORS  # sources of a batch
THREADS, HUB_THREADS = 256, 512  # of a block of rows, and of the block that shares one hub
SUMS_BYTES = 32  # of what the sources of a batch add up to at a node, aligned

LEVEL, STATE = (Struct("msbfs/msbfs.cu", name) for name in ("Level", "State"))

HEADERS = {
    "constants": constants("unsigned", VECTORS=VECTORS, COLUMNS=COLUMNS, THREADS=THREADS)
    + constants("unsigned", HUB_THREADS=HUB_THREADS, SUMS_BYTES=SUMS_BYTES)
}
