"""Constants and results that the kernels on patterns share with their launchers."""

from ..runtime.structs import Struct, constants

THREADS, WARP = 256, 32
MOST_BLOCKS = 1 << 16  # of threads, of a kernel that gives a row to a warp
CHUNK = 256  # entries of a row of which a block looks at the triangles
ALIKE = 8  # nodes of a lane whose numbers are added up by label
LONG = 2048  # entries of a row beyond which several warps share it
# What may be wrong with a pattern.
OUTSIDE, UNTIDY, ONE_WAY = 1, 2, 4
UNASSIGNED = -1  # label of a node without a strong component yet
ROUNDS = 64  # in which clusters join, more than there can be: each halves them at least

TRAITS = Struct("prepare/rows.cuh", "Traits")
BLOCKS = Struct("prepare/biconnected.cu", "Found")

HEADERS = {
    "constants": constants("int", ALIKE=ALIKE, CHUNK=CHUNK, LONG=LONG, ROUNDS=ROUNDS)
    + constants("int", UNASSIGNED=UNASSIGNED)
    + constants("unsigned", THREADS=THREADS, OUTSIDE=OUTSIDE, UNTIDY=UNTIDY, ONE_WAY=ONE_WAY),
}
