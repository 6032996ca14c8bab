"""What `brandes_chains.cu` is called with, and the constant that its launcher knows too."""

from ..runtime.structs import Struct, constants

TABLE = 128  # nodes of chains whose targets are added up at once

CHAINS = Struct("chains/brandes_chains.cu", "Chains")

HEADERS = {"constants": constants("int", TABLE=TABLE)}
