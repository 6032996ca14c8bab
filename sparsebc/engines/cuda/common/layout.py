"""Fields and constants of several kernels, and `SUMS` of `engines/common/sums.py` as flags."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...common import decay
from ...common.sums import SUMS
from ..runtime.structs import Field, constants

WORD, WARP = 32, 32  # bits of a word, threads of a warp
# In place of the first neighbour of a row that has more than its own place holds.
LONG_ROW = -2
# Within cutoffs of so many edges a source meets few nodes.
BALL = 64
# What a source has of each node, by name: in flight where it is wanted on the host.
ROWS: dict[str, np.dtype[Any]] = {
    "level": np.dtype(np.int32),
    "before": np.dtype(np.int32),
    "distance": np.dtype(np.float64),
}

FLAGS = {row.name: row.bit for row in SUMS.values() if row.bit}
# Sums kept once for all batches: a source is in one of them.
WHOLE = ("departures",)
# Sums of which every batch in flight has its own, added up in the order of the batches.
BY_NODE = tuple(name for name in FLAGS if not SUMS[name].by_arc and name not in WHOLE)


# A flag beside those of the sums: omega differs from source to source.
SEEDED = 2 * max(FLAGS.values())


def flags_of(sums: frozenset[str], seeded: bool = False) -> str:
    """Template parameter of a backward phase: the flags of its sums, and of its targets."""
    return str(sum(flag for name, flag in FLAGS.items() if name in sums) + SEEDED * seeded)


# What every kernel that counts paths, a block of threads to a source, is called with.
PATHS = (
    Field("const Share *", "omega", "(n,)"),
    Field("const Share *", "alpha", "(count,)"),
    Field("double *", "sums", "(workers, columns, n, sums by node) over the sources of a worker"),
    Field("int *", "order", "(workers, n) nodes, level by level"),
    Field("int *", "starts", "(workers, n + 2) where each level starts"),
    Field("Real *", "counts", "(workers, n) sigma by place in the order, for several columns"),
    Field("unsigned long long *", "max_sigma", "bits of the largest path count, as a double"),
    Field("double", "limit", "path count from which the results are of no use"),
)
# Decay and demand, of every kernel that takes seeds.
PAIRS = (
    Field("const double *", "by_level", "f of each level, by edges; else null"),
    Field("const double *", "decay", "the function, as `decay.cuh` has it; by edges not needed"),
    Field("const long long *", "demand_indptr", "(n + 1,) rows of sources; null without demand"),
    Field("const int *", "demand_indices"),
    Field("const double *", "demand_values"),
)
# The same of a block of threads to a source.
SEEDS = (
    Field("Share *", "seeds", "(workers, n) omega of a worker's source; its demand before that"),
    *PAIRS,
)
# Of searches that add up functions of distances, for kinds of places: then sums are of shape
# (workers, columns, n, functions * kinds).
ACCESS = (
    Field("const double *", "places", "(count, kinds) weights of the sources"),
    Field("const double *", "decays", "(functions, decay_size) as `decay.cuh` has them"),
    Field("int", "functions"),
    Field("int", "kinds"),
    Field("int", "decay_size"),
)
DECAYS = ("CONSTANT", "EXPONENTIAL", "LINEAR", "POWER", "GAUSSIAN", "TABLE")

HEADERS = {
    "decay": constants("double", LEAST=decay.LEAST)
    + "enum class Decay {\n"
    + "".join(f"    {name} = {getattr(decay, name)},\n" for name in DECAYS)
    + "};\n",
    "sums": "enum Sums {\n"
    + "".join(
        f"    {name.upper()} = {bit},  // {SUMS[name].meaning}\n" for name, bit in FLAGS.items()
    )
    + f"    SEEDED = {SEEDED},  // no sum: omega differs from source to source\n"
    + "};\n\n// Of these, the sums of which every batch in flight has its own, by node.\n"
    + f"constexpr int BY_NODE = {' | '.join(map(str.upper, BY_NODE))};\n",
}
