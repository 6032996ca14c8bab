"""Arguments of `brandes_source.cuh`, and the constant that it shares with its launcher."""

from ..runtime.structs import Struct, constants

(INLINE_DEGREE,) = constants("brandes_source/constants.cuh", "INLINE_DEGREE")

BRANDES = Struct("brandes_source/brandes_source.cuh", "State")
LEVEL_SUMS = Struct("brandes_source/distance_sums.cu", "LevelSums")
