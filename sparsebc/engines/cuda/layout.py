"""What is known of the kernels without a device: constants, arguments, flags, plans of memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...matrix.graph import Graph
from ..common.base import Sweep
from ..common.sums import SUMS
from .runtime.source import Constants, Struct

# Constants of the kernels, by those of each header and of what it includes.
BATCH = Constants("brandes_batch/state.cuh")
SOURCE = Constants("brandes_source/brandes_source.cuh")
ORDER = Constants("high_diameter/shared_order.cuh")
SAMPLES = Constants("path_samples/path_samples.cu")
SEARCH = Constants("sssp/sssp.cuh")
MS_BFS = Constants("msbfs/msbfs.cu")
ROWS_OF = Constants("prepare/rows.cuh")
WARP, WORD, LONG_ROW = SOURCE.WARP, SOURCE.WORD, SOURCE.LONG_ROW
MOST_SLOTS = 32  # arcs of a row of clustered sources
MOST_BLOCKS = 1 << 16  # of threads, of a kernel that gives a row to a warp

# Their arguments.
BATCH_LEVEL, BATCH_STATE = (Struct("brandes_batch/state.cuh", name) for name in ("Level", "Scores"))
BRANDES = Struct("brandes_source/brandes_source.cu", "State")
LEVEL_SUMS = Struct("brandes_source/distance_sums.cu", "LevelSums")
DISTANCE_SUMS = Struct("sssp/distance_sums.cu", "State")
ACCESS_SUMS = Struct("sssp/distance_sums.cu", "State<Pointer, Length, true>")
LENGTH_ROWS = Struct("sssp/rows.cu", "State")
WEIGHTED = Struct("brandes_weighted/brandes_weighted.cu", "State")
CLUSTERED = Struct("high_diameter/brandes_high_diameter.cu", "State")
CLUSTERED_SUMS = Struct("high_diameter/distance_sums.cu", "State")
CLUSTERED_ACCESS = Struct(
    "high_diameter/distance_sums.cu", "State<Pointer, Length, SYMMETRIC, true>"
)
MS_BFS_LEVEL, MS_BFS_STATE = (Struct("msbfs/msbfs.cu", name) for name in ("Level", "State"))
PATH_SAMPLES = Struct("path_samples/path_samples.cu", "State")
PAIR_WEIGHTS = Struct("common/seeds.cuh", "PairWeights")
TRAITS = Struct("prepare/rows.cuh", "Traits")
BLOCKS = Struct("prepare/biconnected.cu", "Found")

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

# Sums by node, of which every batch in flight has its own, added up in the order of the batches.
BY_NODE = tuple(name for name in SUMS if name != "arcs")
# A flag beside those of the sums: omega differs from source to source.
SEEDED = 2 * max(SUMS.values())


def flags_of(sweep: Sweep) -> int:
    """Template argument of a backward phase: the flags of its sums, and of its targets."""
    of_sums = sum(flag for name, flag in SUMS.items() if name in sweep.sums)
    return of_sums + SEEDED * (sweep.seeds is not None)


def pointer_type(arcs: int) -> np.dtype[Any]:
    """The smallest type of row pointers for so many arcs."""
    return np.dtype(np.int32 if arcs <= MOST_PLACES else np.int64)


def has_small_balls(graph: Graph) -> bool:
    """Whether all cutoffs are so near that a source meets few nodes, by edges or mean lengths."""
    total = float(graph.lengths.outgoing.sum()) if graph.lengths else graph.arcs
    return bool(graph.cutoffs) and graph.cutoffs[-1] * graph.arcs <= BALL * total


class Plan(NamedTuple):
    """Bytes of device memory, without those of the patterns."""

    fixed: int  # whatever the number of slots
    state: Mapping[str, int]  # arrays of one slot, by name

    @property
    def slot(self) -> int:
        """Bytes of one slot."""
        return sum(self.state.values())

    @property
    def least(self) -> int:
        """Bytes with one slot."""
        return self.fixed + self.slot

    def slots(self, memory: int, most: int) -> int:
        """Slots that fit the memory, one at least."""
        return int(np.clip((memory - self.fixed) // max(self.slot, 1), 1, most))

    def sizes(self, slots: int) -> dict[str, int]:
        """Bytes of the arrays of so many slots."""
        return {name: slots * size for name, size in self.state.items()}
