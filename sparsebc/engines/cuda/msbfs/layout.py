"""What the kernels of MS-BFS are called with, and the constants that their launcher knows too."""

from ..runtime.structs import Struct, constants

VECTORS, COLUMNS, THREADS, HUB_THREADS, SUMS_BYTES = constants(
    "msbfs/constants.cuh", "VECTORS", "COLUMNS", "THREADS", "HUB_THREADS", "SUMS_BYTES"
)

LEVEL, STATE = (Struct("msbfs/msbfs.cu", name) for name in ("Level", "State"))
