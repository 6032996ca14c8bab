"""Constants and results that the kernels on patterns share with their launchers."""

from ..runtime.structs import Struct, constants

FILE = "prepare/constants.cuh"
THREADS, CHUNK, ALIKE, ROUNDS = constants(FILE, "THREADS", "CHUNK", "ALIKE", "ROUNDS")
OUTSIDE, UNTIDY, ONE_WAY, UNASSIGNED = constants(FILE, "OUTSIDE", "UNTIDY", "ONE_WAY", "UNASSIGNED")
MOST_BLOCKS = 1 << 16  # of threads, of a kernel that gives a row to a warp

TRAITS = Struct("prepare/rows.cuh", "Traits")
BLOCKS = Struct("prepare/biconnected.cu", "Found")
