"""GPU engine for one source a block: path counts without a bound, and every sum.

`kernels/single.cu` sweeps as many sources side by side as there are lanes. A lane has every
`LANES`-th source and sums of its own, which are added up in the order of the lanes.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from . import Group
from .kernels.source import complete

# Fixes the bits, so it is the same on every device; what a large one has room to run at once.
LANES = 256
# Sources of each lane between looks at whether to stop.
ROUND = 8
THREADS, REDUCE_THREADS = 512, 256  # the former as in single.cu
NODE = np.dtype([("mantissa", np.float64), ("exponent", np.int32), ("level", np.int32)])
# What a lane has for each node, by name, and for which sums.
PER_NODE = {
    "nodes": (NODE, None),
    "queue": (np.dtype(np.int32), None),
    "suffixes": (np.dtype(np.float64), "stress"),
    "dependency": (np.dtype(np.float64), "dependency"),
    "stress": (np.dtype(np.float64), "stress"),
}
SUMS = ("dependency", "stress", "arcs")
POINTERS = (
    *("out_indptr", "out_indices", "in_indptr", "in_indices", "omega", "sources", "alpha"),
    *("nodes", "queue", "starts", "suffixes", "dependency", "stress", "arcs", "ends"),
)
STATE = np.dtype(
    [(name, np.uint64) for name in POINTERS]
    + [("size", np.int64)]
    + [(name, np.int32) for name in ("n", "count", "lanes", "_")]
)

logger = logging.getLogger("sparsebc")


def least_bytes(graph: Graph, sums: frozenset[str]) -> int:
    """Memory of one lane and of what all of them share, the patterns apart."""
    return _shared_bytes(graph, sums) + _lane_bytes(graph, sums)


class SingleWorkspace:
    """The graph on the device, and the state of as many lanes as the memory holds."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
        stream: Any,
    ) -> None:
        self.dependency, self.stress, self.ends = (
            np.zeros(graph.n if name in sums else 0) for name in ("dependency", "stress", "ends")
        )
        self.stop = stop
        self._device, self._stream = cupy.cuda.Device(), stream
        self._graph, self._sums = graph, sums
        fitting = (memory - _shared_bytes(graph, sums)) // _lane_bytes(graph, sums)
        self._at_once = int(max(1, min(fitting, LANES)))
        pointer = np.dtype(np.int32 if graph.arcs < 2**31 else np.int64)
        self._kernels = kernels(pointer.name)
        with stream:
            self.arcs = graph.patterns.xp.zeros(graph.arcs if "arcs" in sums else 0)
            self._fixed = _upload(graph, omega, pointer)
            self._ends = cupy.zeros(self.ends.size, np.uint64)
            self._totals = {name: cupy.zeros(getattr(self, name).size) for name in SUMS}
        stream.synchronize()
        self._state: dict[str, Any] = {}

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep the sources of all groups, lane by lane."""
        sources = np.concatenate([group.sources for group in groups])
        alpha = np.concatenate([group.alpha for group in groups])
        lanes = min(LANES, sources.size)
        with self._device, self._stream:
            there = {"sources": cupy.asarray(sources), "alpha": cupy.asarray(alpha)}
            for array in (*self._totals.values(), self._ends):
                array.fill(0)
            done = 0
            while done < lanes and not self.stop[0]:
                blocks = min(self._at_once, lanes - done)
                if self._reserve(blocks):
                    self._sweep(there, done, blocks, lanes)
                    done += blocks
            for name, total in self._totals.items():
                if total.size:
                    values = getattr(self, name)
                    values += total.get() if isinstance(values, np.ndarray) else total
            if self.ends.size:
                self.ends += self._ends.get()  # device to host

    def worst(self) -> float:
        """No number of paths is too large."""
        return 0.0

    def _sweep(self, there: dict[str, Any], first: int, blocks: int, lanes: int) -> None:
        """The lanes from ``first`` on, one a block, then their sums."""
        arrays = {**self._fixed, **self._state, **there, "ends": self._ends}
        for name in SUMS:
            self._state[name].fill(0)
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS:
            state[name] = arrays[name].data.ptr if arrays[name].size else 0
        count = arrays["sources"].size
        state["size"], state["n"] = self._graph.arcs, self._graph.n
        state["count"], state["lanes"] = count, lanes
        for begin in range(0, count, ROUND * lanes):
            if self.stop[0]:
                return
            end = min(begin + ROUND * lanes, count)
            rest = (np.int32(first), np.int32(begin), np.int32(end))
            self._kernels["sweep"]((blocks,), (THREADS,), (state, *rest))
            self._stream.synchronize()  # so that a stop is heard
        for name, total in self._totals.items():
            if total.size:
                grid = (-(-total.size // REDUCE_THREADS),)
                sums = (self._state[name], np.int64(total.size), np.int32(blocks), total)
                self._kernels["reduce"](grid, (REDUCE_THREADS,), sums)

    def _reserve(self, blocks: int) -> bool:
        """Memory for so many lanes, unless it is there; False if there is none, but for fewer."""
        n = self._graph.n
        if self._state and self._state["starts"].size >= blocks * (n + 2):
            return True
        self._state.clear()
        wanted = {None, *self._sums}
        try:
            self._state = {
                name: cupy.empty(blocks * n * (kind.itemsize if sums in wanted else 0), np.uint8)
                for name, (kind, sums) in PER_NODE.items()
            }
            self._state["starts"] = cupy.empty(blocks * (n + 2), np.int32)
            self._state["arcs"] = cupy.empty(8 * blocks * self.arcs.size, np.uint8)
        except cupy.cuda.memory.OutOfMemoryError:
            self._state.clear()
            cupy.get_default_memory_pool().free_all_blocks()
            if blocks == 1:
                raise
            self._at_once = blocks // 2
            logger.warning("out of device memory with %d sources at once: halving", blocks)
            return False
        self._state["nodes"].fill(255)  # every level is UNVISITED
        return True


@functools.cache
def kernels(pointer: str) -> dict[str, Any]:
    """Kernels for int32 or int64 row pointers."""
    sweep = f"sweep<{'int' if pointer == 'int32' else 'long long'}>"
    module = cupy.RawModule(
        code=complete(Path(__file__).parent / "kernels" / "single.cu"),
        options=("-std=c++17",),
        name_expressions=(sweep, "reduce"),
    )
    return {"sweep": module.get_function(sweep), "reduce": module.get_function("reduce")}


def _upload(graph: Graph, omega: NDArray[np.float64], pointer: np.dtype[Any]) -> dict[str, Any]:
    """Arrays that outlive a run."""
    there = {"omega": cupy.asarray(omega)}
    for side, pattern in (("out", graph.outgoing), ("in", graph.incoming)):
        if side == "in" and graph.symmetric:
            there |= {f"in_{name}": there[f"out_{name}"] for name in ("indptr", "indices")}
            continue
        there[f"{side}_indptr"] = cupy.asarray(pattern.indptr.astype(pointer))
        there[f"{side}_indices"] = cupy.asarray(pattern.indices)
    return there


def _shared_bytes(graph: Graph, sums: frozenset[str]) -> int:
    """Weights, totals and sources, the patterns apart."""
    return graph.n * (8 + 8 * len(sums - {"arcs"}) + 12) + (8 * graph.arcs if "arcs" in sums else 0)


def _lane_bytes(graph: Graph, sums: frozenset[str]) -> int:
    """State of one source, and the sums of its lane."""
    row = sum(kind.itemsize for kind, name in PER_NODE.values() if name in {None, *sums})
    return (graph.n + 2) * (row + 4) + (8 * graph.arcs if "arcs" in sums else 0)
