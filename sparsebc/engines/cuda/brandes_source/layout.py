"""Arguments of `brandes_source.cuh`, and the constants that it shares with its launcher."""

from ..common.layout import LONG_ROW, WORD
from ..runtime.structs import Struct, constants

INLINE_DEGREE = 4  # neighbours that a row has in its own place

BRANDES = Struct("brandes_source/brandes_source.cuh", "State")
LEVEL_SUMS = Struct("brandes_source/distance_sums.cu", "LevelSums")

HEADERS = {"constants": constants("int", WORD=WORD, INLINE_DEGREE=INLINE_DEGREE, LONG_ROW=LONG_ROW)}
