"""Arguments of `brandes_chains.cu`, and the constant that it shares with its launcher."""

from ..runtime.structs import Struct, constants

TABLE = 128  # nodes of chains whose targets are added up at once

CHAINS = Struct("chains/brandes_chains.cu", "Chains")

HEADERS = {"constants": constants("int", TABLE=TABLE)}
