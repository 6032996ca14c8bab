"""Arguments of `brandes_batch.cu`, and the constants that it shares with its launcher."""

from ..runtime.structs import Struct, constants

COLUMNS = 128  # sources of a batch
WORDS = COLUMNS // 32  # of a mask
THREADS, HUB_THREADS = 256, 512  # of a block of rows, and of the block that shares one hub
SPAN = 32 * THREADS  # rows that a block looks through for those that are marked: 32 a thread
# Bit-sliced path counts: parts of a count and bits of a part, the last level that has no counts but
# ones, and most neighbours of a row that is no hub.
COUNT_PARTS, PART_BITS, LAST_ONES, LONGEST_ROW = 4, 3, 1, 1024
# The pinned flag of a search whose level lists ran out of room.
FULL = -(1 << 31)

LEVEL, STATE = (Struct("brandes_batch/state.cuh", name) for name in ("Level", "State"))

HEADERS = {
    "constants": constants("unsigned", COLUMNS=COLUMNS, THREADS=THREADS, HUB_THREADS=HUB_THREADS)
    + constants("unsigned", SPAN=SPAN, COUNT_PARTS=COUNT_PARTS, PART_BITS=PART_BITS)
    + constants("unsigned", LONGEST_ROW=LONGEST_ROW)
    + constants("int", WORDS=WORDS, LAST_ONES=LAST_ONES, FULL=FULL),
}
