"""Arguments of `brandes_chains.cu`, and the constant that it shares with its launcher."""

from ..runtime.structs import Struct, constants

(TABLE,) = constants("chains/constants.cuh", "TABLE")

CHAINS = Struct("chains/brandes_chains.cu", "Chains")
