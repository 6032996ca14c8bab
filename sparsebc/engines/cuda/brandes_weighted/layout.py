"""Arguments of `brandes_weighted.cu`."""

from ....graph.edge_weights import MIN_GAIN
from ..runtime.structs import Struct, constants

WEIGHTED = Struct("brandes_weighted/brandes_weighted.cu", "State")

HEADERS = {"constants": constants("double", MIN_GAIN=MIN_GAIN)}
