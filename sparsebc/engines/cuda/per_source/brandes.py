"""Launches `per_source/brandes.cu`: a block of threads to a source.

For graphs of thin levels, and where path counts leave the range of floats.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....brandes import EXTENDED, count_limit
from ....graph.graph import Graph
from ...contract import Group, needs_g_and_h
from ..runtime import (
    BY_NODE,
    WHOLE,
    c_type,
    clear,
    fetch,
    flags_of,
    kernels,
    packed,
    pointer_type,
    stream,
    upload,
)

FEW, MANY = 4, -2  # as in brandes.cu
WORD = 32
# How brandes.cu keeps marks.
PHASES, BYTES, GLOBAL = "Phases", "Bytes<true>", "Bytes<false>"
# A block is alone on its multiprocessor, unless two of them leave each other room in its caches.
ALONE, PAIR = 1024, 512  # threads
PAIR_BYTES = 72 << 10  # of what each has near of its marks
# Static shared memory of a block, and what the device keeps for itself.
STATIC_BYTES = (8 << 10) + 2048
REDUCE_THREADS = 256

# Sums of a lane by node, in the order in which those of a node lie beside each other.
LANE_SUMS = ("dependency", "squares", "stress", "arrivals")
POINTERS = (
    *("out_indptr", "out_indices", "in_indptr", "in_indices", "out_few", "in_few"),
    *("omega", "sources", "alpha", "sigma", "pairs", "sums", "shares"),
    *("order", "starts", "near", "far", *WHOLE, "max_sigma"),
)
# State of the lanes.
IN_FLIGHT = ("sigma", "pairs", "sums", "shares", "order", "starts", "near", "far")
STATE = np.dtype(
    [(name, np.uint64) for name in POINTERS]
    + [("limit", np.float64), ("share_count", np.int64)]
    + [(name, np.int32) for name in ("n", "count", "lanes", "counts_ends", "words", "_")]
)

logger = logging.getLogger("sparsebc")


class DeepWorkspace:
    """The graph on the device, and the state of as many lanes as the memory holds."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        self.dependency, self.stress, self.squares, self.arrivals, self.departures, self.ends = (
            np.zeros(graph.n if name in sums else 0) for name in (*BY_NODE, *WHOLE)
        )
        self.stop = stop
        self._device = cupy.cuda.Device()
        self._stream = stream(self._device.id)
        self._graph, self._dtype, self._sums = graph, dtype, sums
        attributes = self._device.attributes
        self._marks, self._words, self._threads = _shape(graph.n, attributes)
        self._shared = 0 if self._marks == GLOBAL else 4 * self._words
        self._lanes = attributes["MultiProcessorCount"] * (ALONE // self._threads)
        fitting = (memory - fixed_bytes(graph, sums)) // lane_bytes(graph, dtype, sums)
        self._at_once = int(np.clip(fitting, 1, self._lanes))
        pointer = pointer_type(graph.arcs)
        types = c_type(dtype), c_type(pointer), str(self._threads), self._marks
        flags = str(graph.symmetric).lower(), flags_of(sums)
        self._sweep = kernels("per_source/brandes.cu", ("sweep",), *types, *flags)["sweep"]
        self._sweep.max_dynamic_shared_size_bytes = self._shared
        self._reduce = kernels("common/reduce.cu", ("reduce",))["reduce"]
        with self._stream:
            self.arcs = graph.ops.xp.zeros(graph.arcs if "arcs" in sums else 0)
            self._arrays = self._upload(omega, pointer)
            sizes = _lane_sums(graph, sums)
            self._totals = {name: cupy.zeros(size) for name, size in sizes.items() if size}
            if "arcs" in sums:
                self._places = _places(graph)
        self._stream.synchronize()
        self._capacity = 0  # lanes that the state in self._arrays is for

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep the sources of the groups, each alone: all lanes at once if they fit."""
        with self._device, self._stream:
            for array in (
                *self._totals.values(),
                *(self._arrays[x] for x in (*WHOLE, "max_sigma")),
            ):
                clear(array)
            sources = np.concatenate([group.sources for group in groups])
            alpha = np.concatenate([group.alpha for group in groups]).astype(_weights(self._dtype))
            self._arrays |= {"sources": cupy.asarray(sources), "alpha": cupy.asarray(alpha)}
            lanes = min(self._lanes, sources.size)
            done = 0
            while done < lanes and not self.stop[0]:
                size = min(self._at_once, lanes - done)
                if not self._reserve(size):
                    continue
                state = packed(self._state(sources.size, lanes))
                for name in self._totals:
                    clear(self._arrays[name])
                self._sweep(
                    (size,), (self._threads,), (state, np.int32(done)), shared_mem=self._shared
                )
                for name, total in self._totals.items():
                    self._reduce(
                        (-(-total.size // REDUCE_THREADS),),
                        (REDUCE_THREADS,),
                        (self._arrays[name], np.uint64(total.size), np.uint32(size), total),
                    )
                done += size
            for name, total in self._summed().items():
                values = getattr(self, name)
                values += fetch(total) if isinstance(values, np.ndarray) else total

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        with self._device, self._stream:
            return float(fetch(self._arrays["max_sigma"].view(np.float64))[0])

    def _summed(self) -> dict[str, Any]:
        """Sums over all groups, on the device."""
        kept = [name for name in LANE_SUMS if name in self._sums]
        by_node = self._totals["sums"].reshape(self._graph.n, -1).T
        sums = {**dict(zip(kept, by_node, strict=True)), **{x: self._arrays[x] for x in WHOLE}}
        if "arcs" in self._sums:
            sums["arcs"] = self._totals["shares"][self._places]
        return sums

    def _upload(self, omega: NDArray[np.float64], pointer: np.dtype[Any]) -> dict[str, Any]:
        """Arrays that outlive a run."""
        graph = self._graph
        outgoing = upload(graph.outgoing, pointer)
        incoming = outgoing if graph.symmetric else upload(graph.incoming, pointer)
        few = _few(*outgoing)
        return {
            **dict(zip(("out_indptr", "out_indices"), outgoing, strict=True)),
            **dict(zip(("in_indptr", "in_indices"), incoming, strict=True)),
            "out_few": few,
            "in_few": few if graph.symmetric else _few(*incoming),
            "omega": cupy.asarray(omega.astype(_weights(self._dtype))),
            "departures": cupy.zeros(self.departures.size),
            "ends": cupy.zeros(self.ends.size, np.uint64),
            "max_sigma": cupy.zeros(1, np.uint64),
        }

    def _reserve(self, lanes: int) -> bool:
        """Memory for the state of so many lanes; False when there is less, and the plan changed."""
        if self._capacity >= lanes:
            return True
        self._release()
        n, real = self._graph.n, self._dtype.itemsize
        sizes = _lane_sums(self._graph, self._sums)
        try:
            self._arrays |= {
                "sigma": cupy.empty(lanes * n * real, np.uint8),
                "pairs": cupy.empty(
                    lanes * n * 2 * real if needs_g_and_h(self._sums) else 0, np.uint8
                ),
                **{name: cupy.empty(lanes * size) for name, size in sizes.items()},
                "order": cupy.empty(lanes * n, np.int32),
                "starts": cupy.empty(lanes * (n + 2), np.int32),
                "near": cupy.empty(0 if self._shared else lanes * self._words, np.uint32),
                "far": cupy.empty(
                    0 if self._marks == PHASES else lanes * self._words * WORD, np.uint8
                ),
            }
        except cupy.cuda.memory.OutOfMemoryError as error:
            self._release()
            cupy.get_default_memory_pool().free_all_blocks()
            if lanes == 1:
                raise MemoryError(
                    f"the device has not the memory for one source on {n} nodes: {error}"
                ) from error
            self._at_once = lanes // 2
            logger.warning("out of device memory with %d sources at once: halving", lanes)
            return False
        self._capacity = lanes
        return True

    def _release(self) -> None:
        for name in IN_FLIGHT:
            self._arrays.pop(name, None)
        self._capacity = 0

    def _state(self, count: int, lanes: int) -> NDArray[Any]:
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS:
            state[name] = self._arrays[name].data.ptr
        state["limit"], state["share_count"] = count_limit(self._dtype), _share_count(self._graph)
        state["n"], state["count"], state["lanes"] = self._graph.n, count, lanes
        state["counts_ends"], state["words"] = bool(self.ends.size), self._words
        return state


def fixed_bytes(graph: Graph, sums: frozenset[str]) -> int:
    """Device memory that does not depend on the lanes, the patterns apart."""
    totals = 8 * sum(_lane_sums(graph, sums).values())
    arcs = 8 * graph.arcs if "arcs" in sums else 0
    return graph.n * (2 * 4 * FEW + 8 + 8 * len(sums) + 8) + totals + arcs + (1 << 16)


def lane_bytes(graph: Graph, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """State of one lane."""
    reals = dtype.itemsize * (3 if needs_g_and_h(sums) else 1)
    own = 8 * sum(_lane_sums(graph, sums).values())
    return graph.n * (reals + 4 + 4 + 1) + own + graph.n // 8 + 256


def _shape(n: int, attributes: dict[str, int]) -> tuple[str, int, int]:
    """How a block keeps marks, in how many words of near memory, and its threads."""
    alone, most = (
        attributes[f"MaxSharedMemoryPer{unit}"] for unit in ("BlockOptin", "Multiprocessor")
    )
    alone, pair = alone - STATIC_BYTES, min(PAIR_BYTES, most // 2 - STATIC_BYTES)
    words = 4 * -(-n // (4 * WORD))  # of a bit a node
    for marks, size, room, threads in (
        (PHASES, 2 * words, pair, PAIR),
        (BYTES, words, pair, PAIR),
        (BYTES, words, alone, ALONE),
    ):
        if 4 * size <= room:
            return marks, size, threads
    return GLOBAL, words, ALONE


def _weights(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the weights beside a type of path counts: that of a share of paths."""
    return np.dtype(np.float64) if dtype == EXTENDED else dtype


def _lane_sums(graph: Graph, sums: frozenset[str]) -> dict[str, int]:
    """Arrays of a lane's sums, and their sizes."""
    return {
        "sums": graph.n * len(sums & {*LANE_SUMS}),
        "shares": _share_count(graph) * ("arcs" in sums),
    }


def _share_count(graph: Graph) -> int:
    """Shares of arcs that a lane has, as brandes.cu wants them: `FEW` a row, and all arcs again."""
    return FEW * (graph.n - -graph.arcs // FEW)


def _places(graph: Graph) -> Any:
    """Where the share of each arc is."""
    pattern = graph.outgoing
    rows, arcs = graph.ops.rows(pattern).astype(np.int64), np.arange(graph.arcs)
    row, arc, indptr = map(cupy.asarray, (rows, arcs, pattern.indptr))
    few = indptr[row + 1] - indptr[row] <= FEW
    return cupy.where(few, FEW * row + arc - indptr[row], FEW * graph.n + arc)


def _few(indptr: Any, indices: Any) -> Any:
    """Neighbours of the rows that have few, as brandes.cu wants them."""
    low, high = indptr[:-1], indptr[1:]
    few = cupy.full((low.size, FEW), -1, dtype=np.int32)
    for j in range(FEW if indices.size else 0):
        at = cupy.minimum(low + j, indices.size - 1)
        few[:, j] = cupy.where(low + j < high, indices[at], -1)
    few[high - low > FEW] = cupy.asarray([MANY, -1, -1, -1], dtype=np.int32)
    return few
