"""Arguments of `brandes_batch.cu`, and the constants that it shares with its launcher."""

from ..runtime.structs import Struct, constants

COLUMNS, WORDS, THREADS, HUB_THREADS, SPAN, COUNT_PARTS, PART_BITS, LAST_ONES, LONGEST_ROW, FULL = (
    constants(
        "brandes_batch/constants.cuh",
        *("COLUMNS", "WORDS", "THREADS", "HUB_THREADS", "SPAN"),
        *("COUNT_PARTS", "PART_BITS", "LAST_ONES", "LONGEST_ROW", "FULL"),
    )
)

LEVEL, STATE = (Struct("brandes_batch/state.cuh", name) for name in ("Level", "State"))
