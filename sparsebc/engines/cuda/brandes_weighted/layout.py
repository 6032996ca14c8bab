"""Arguments of `brandes_weighted.cu`."""

from ..runtime.structs import Struct

WEIGHTED = Struct("brandes_weighted/brandes_weighted.cu", "State")
