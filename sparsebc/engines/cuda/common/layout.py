"""Constants of several kernels, and `SUMS` of `engines/common/sums.py` as flags."""

from typing import Any

import numpy as np

from ....matrix.graph import Graph
from ...common.sums import SUMS
from ..runtime.structs import constants

(WARP,) = constants("common/warp.cuh", "WARP")
WORD, LONG_ROW = constants("common/rows.cuh", "WORD", "LONG_ROW")
# Most places that are numbered in 32 bits: the step of a thread past the last overflows none.
MOST_PLACES = 2**31 - 2**16
# Within cutoffs of so many edges a source meets few nodes.
BALL = 64
# Types of the values of a source at each node, by name: in flight if they go to the host.
ROWS: dict[str, np.dtype[Any]] = {
    "level": np.dtype(np.int32),
    "before": np.dtype(np.int32),
    "distance": np.dtype(np.float64),
}

# The kernels can keep two further sums, which nothing asks for.
_BITS = {row.name: row.bit for row in SUMS.values()} | {"arrivals": 16, "departures": 32}
FLAGS = dict(sorted(_BITS.items(), key=lambda row: row[1]))
# Sums kept once for all batches: a source is in one of them.
WHOLE = ("departures",)
# Sums of which every batch in flight has its own, added up in the order of the batches.
BY_NODE = tuple(name for name in FLAGS if name not in ("arcs", *WHOLE))
# A flag beside those of the sums: omega differs from source to source.
SEEDED = 2 * max(FLAGS.values())


def flags_of(sums: frozenset[str], seeded: bool = False) -> int:
    """Template argument of a backward phase: the flags of its sums, and of its targets."""
    return sum(flag for name, flag in FLAGS.items() if name in sums) + SEEDED * seeded


def pointer_type(arcs: int) -> np.dtype[Any]:
    """The smallest type of row pointers for so many arcs."""
    return np.dtype(np.int32 if arcs <= MOST_PLACES else np.int64)


def has_small_balls(graph: Graph) -> bool:
    """Whether all cutoffs are so near that a source meets few nodes, by edges or mean lengths."""
    total = float(graph.lengths.outgoing.sum()) if graph.lengths else graph.arcs
    return bool(graph.cutoffs) and graph.cutoffs[-1] * graph.arcs <= BALL * total
