"""What the kernels of MS-BFS are called with, and the constants that their launcher knows too."""

from ..runtime.source import Constants, Struct

SEARCH = Constants("msbfs/constants.cuh")
VECTORS, COLUMNS, SUMS_BYTES = SEARCH.VECTORS, SEARCH.COLUMNS, SEARCH.SUMS_BYTES
THREADS, HUB_THREADS = SEARCH.THREADS, SEARCH.HUB_THREADS

LEVEL, STATE = (Struct("msbfs/msbfs.cu", name) for name in ("Level", "State"))
