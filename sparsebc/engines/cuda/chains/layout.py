"""What `brandes_chains.cu` is called with, and the constant that its launcher knows too."""

from __future__ import annotations

from ..brandes_source.layout import BRANDES
from ..runtime.structs import Field, Struct, constants

TABLE = 128  # nodes of chains whose targets are added up at once

# What is kept of a search has a slot: of a source of the batch, or of another end of its chains.
CHAINS = Struct(
    Field("const int *", "first_chains", "(sources + 1,) of each source of the batch"),
    Field("const int *", "far", "(chains,) slot of the far end"),
    Field("const int *", "chain_starts", "(chains + 1,) first inner node of each"),
    Field("const int *", "inner", "(nodes,) inner nodes, the one next to the source first"),
    Field("const int *", "chain_of", "(nodes,)"),
    Field("const double *", "inner_alpha", "(nodes,) weight of each as a source"),
    Field("double *", "below", "(nodes,) the same of it and those before it on its chain"),
    Field("const long long *", "toward", "(nodes,) the share of its arc towards the source"),
    Field("int *", "depths", "(slots,) levels of each search"),
    Field("Share *", "weights", "(workers, n) of the targets of a source"),
    Field(
        "double *", "cells", "(workers, n, 2) of targets: a node is the last served, or is shared"
    ),
    base=BRANDES,
)

HEADERS = {"constants": constants("int", TABLE=TABLE), "state": CHAINS.text}
