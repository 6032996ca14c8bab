"""Launches `kernels/deep.cu`: graphs of thin levels, a block of threads to a source."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from ..sweep import count_limit
from . import Group
from .cuda_launch import c_type, clear, kernels, pointer_type, stream, upload

FEW, MANY = 4, -2  # as in deep.cu
WORD = 32
# A block is alone on its multiprocessor, unless two of them leave each other room in its caches.
ALONE, PAIR = 1024, 512  # threads
PAIR_NODES = 1 << 19
# Static shared memory of a block, and what the device keeps for itself.
STATIC_BYTES = (8 << 10) + 2048
REDUCE_THREADS = 256

POINTERS = (
    *("out_indptr", "out_indices", "in_indptr", "in_indices", "out_few", "in_few"),
    *("omega", "sources", "alpha", "nodes", "dependency", "order", "starts", "base", "seen"),
    *("ends", "worst"),
)
STATE = np.dtype(
    [(name, np.uint64) for name in POINTERS]
    + [("limit", np.float64)]
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
        ends: bool,
        stop: NDArray[np.uint8],
    ) -> None:
        self.dependency = np.zeros(graph.n)
        self.ends = np.zeros(graph.n if ends else 0)
        self.stop = stop
        self._device = cupy.cuda.Device()
        self._stream = stream(self._device.id)
        self._graph, self._dtype = graph, dtype
        attributes = self._device.attributes
        self._words = -(-graph.n // (4 * WORD)) * 4
        shared = 4 * self._words <= attributes["MaxSharedMemoryPerBlockOptin"] - STATIC_BYTES
        pair = shared and graph.n <= PAIR_NODES
        self._shared = 4 * self._words if shared else 0
        self._threads = PAIR if pair else ALONE
        self._lanes = attributes["MultiProcessorCount"] * (ALONE // self._threads)
        fitting = (memory - fixed_bytes(graph, dtype)) // lane_bytes(graph, dtype)
        self._at_once = int(np.clip(fitting, 1, self._lanes))
        pointer = pointer_type(graph.arcs)
        types = c_type(dtype), c_type(pointer)
        flags = (str(flag).lower() for flag in (shared, graph.symmetric))
        self._sweep = kernels("deep.cu", ("sweep",), *types, str(self._threads), *flags)["sweep"]
        self._sweep.max_dynamic_shared_size_bytes = self._shared
        self._reduce = kernels("deep.cu", ("reduce",), *types)["reduce"]
        with self._stream:
            self._arrays = self._upload(omega, pointer)
            self._total = cupy.zeros(graph.n)
        self._stream.synchronize()
        self._capacity = 0  # lanes that the state in self._arrays is for

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep the sources of the groups, each alone: all lanes at once if they fit."""
        with self._device, self._stream:
            for array in (self._total, self._arrays["ends"], self._arrays["worst"]):
                clear(array)
            sources = np.concatenate([group.sources for group in groups])
            alpha = np.concatenate([group.alpha for group in groups]).astype(self._dtype)
            self._arrays |= {"sources": cupy.asarray(sources), "alpha": cupy.asarray(alpha)}
            lanes = min(self._lanes, sources.size)
            done = 0
            while done < lanes and not self.stop[0]:
                size = min(self._at_once, lanes - done)
                if not self._reserve(size):
                    continue
                state = self._state(sources.size, lanes)
                clear(self._arrays["dependency"])
                self._sweep(
                    (size,), (self._threads,), (state, np.int32(done)), shared_mem=self._shared
                )
                self._reduce(
                    (-(-self._graph.n // REDUCE_THREADS),),
                    (REDUCE_THREADS,),
                    (state, np.int32(size), self._total),
                )
                done += size
            self.dependency += self._total.get()  # device to host
            if self.ends.size:
                self.ends += self._arrays["ends"].get()  # device to host

    def worst(self) -> float:
        """Largest path count met by the last run."""
        with self._device, self._stream:
            return float(self._arrays["worst"].view(np.float64).get()[0])

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
            "omega": cupy.asarray(omega.astype(self._dtype)),
            "ends": cupy.zeros(graph.n if self.ends.size else 0, np.uint64),
            "worst": cupy.zeros(1, np.uint64),
        }

    def _reserve(self, lanes: int) -> bool:
        """Memory for the state of so many lanes; False when there is less, and the plan changed."""
        if self._capacity >= lanes:
            return True
        self._release()
        n = self._graph.n
        try:
            self._arrays |= {
                "nodes": cupy.zeros(lanes * n * 2, self._dtype),
                "dependency": cupy.empty(lanes * n),
                "order": cupy.empty(lanes * n, np.int32),
                "starts": cupy.empty(lanes * (n + 2), np.int32),
                "base": cupy.ones(lanes, np.int32),
                "seen": cupy.empty(0 if self._shared else lanes * self._words, np.uint32),
            }
        except cupy.cuda.memory.OutOfMemoryError as error:
            self._release()
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
        for name in ("nodes", "dependency", "order", "starts", "base", "seen"):
            self._arrays.pop(name, None)
        self._capacity = 0
        cupy.get_default_memory_pool().free_all_blocks()

    def _state(self, count: int, lanes: int) -> NDArray[Any]:
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS:
            state[name] = self._arrays[name].data.ptr
        state["limit"] = count_limit(self._dtype)
        state["n"], state["count"], state["lanes"] = self._graph.n, count, lanes
        state["counts_ends"], state["words"] = bool(self.ends.size), self._words
        return state


def fixed_bytes(graph: Graph, dtype: np.dtype[Any]) -> int:
    """Device memory that does not depend on the lanes, the patterns apart."""
    return graph.n * (2 * 4 * FEW + dtype.itemsize + 8 + 8) + (1 << 16)


def lane_bytes(graph: Graph, dtype: np.dtype[Any]) -> int:
    """State of one lane."""
    return graph.n * (2 * dtype.itemsize + 8 + 4 + 4) + graph.n // 8 + 64


def _few(indptr: Any, indices: Any) -> Any:
    """Neighbours of the rows that have few, as deep.cu wants them."""
    low, high = indptr[:-1], indptr[1:]
    few = cupy.full((low.size, FEW), -1, dtype=np.int32)
    for j in range(FEW if indices.size else 0):
        at = cupy.minimum(low + j, indices.size - 1)
        few[:, j] = cupy.where(low + j < high, indices[at], -1)
    few[:, 0] = cupy.where(high - low > FEW, MANY, few[:, 0])
    return few
