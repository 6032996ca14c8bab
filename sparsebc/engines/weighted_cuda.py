"""GPU engine on a weighted graph: a block of threads a source, as many in flight as fit."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from ..lengths import Lengths, TooFar, TooShort
from ..patterns import CSR
from ..sweep import count_limit
from . import Group
from .cuda_launch import c_type, clear, kernels, pointer_type, stream, upload

# Sources of a group: each is a search of its own.
WIDTH = 64
THREADS, BLOCKS = 512, 2  # of a lane, and lanes on a multiprocessor, as in weighted.cu
# Whole lengths whose sum stays below this are kept in 32 bits; the bit above marks the unreached.
UNREACHED = 1 << 31
# Buckets that are narrower than the shortest length, as in `settle.py`, while these will do.
NARROW, RING = 0.75, 32
# Width of the nearest bucket over the mean length otherwise.
NEAR = 8
# Lists of nodes that wait, where there are no such buckets: near, next, far and kept.
LISTS = 4
# Arcs times sources of a lane in one launch: between two of them the engine may be stopped.
LAUNCH_ARCS = 1 << 24
REDUCE_THREADS = 256
NO_FAULT = np.uint64(2**64 - 1)

POINTERS = (
    *("out_indptr", "out_arcs", "in_indptr", "in_arcs", "omega", "sources", "alpha"),
    *("nodes", "dependency", "order", "starts", "pending", "lists"),
    *("ends", "worst", "fault", "too_far"),
)
STATE = np.dtype(
    [(name, np.uint64) for name in POINTERS]
    + [(name, np.float64) for name in ("limit", "rtol", "farthest", "clear", "per_width", "width")]
    + [(name, np.int32) for name in ("n", "lanes", "counts_ends", "buckets")]
)

logger = logging.getLogger("sparsebc")


class Search(NamedTuple):
    """How distances are found: a pure function of the graph."""

    small: bool  # lengths fit 32 bits
    buckets: int  # of a ring; 0 where only near and far are told apart
    width: float  # of a bucket

    @property
    def lists(self) -> int:
        """Lists of nodes that wait."""
        return self.buckets or LISTS

    @classmethod
    def of(cls, lengths: Lengths, n: int) -> Search:
        """Narrow buckets where they are few and no distance can be refused."""
        if not lengths.outgoing.size:
            return cls(True, 0, 1.0)
        longest, total = float(lengths.outgoing.max()), float(lengths.outgoing.sum())
        small = lengths.whole and total < UNREACHED
        narrow = NARROW * lengths.shortest
        needed = int(min(longest / narrow, RING)) + 3  # the last for what is rounded up
        if needed <= RING and n * longest <= min(lengths.clear, lengths.limit):
            return cls(small, 1 << (needed - 1).bit_length(), narrow)
        near = NEAR * total / lengths.outgoing.size
        return cls(small, 0, min(np.ceil(near), UNREACHED / 4) if small else near)


def workspace_bytes(
    graph: Graph, lengths: Lengths, dtype: np.dtype[Any], sums: frozenset[str]
) -> int:
    """One lane; refuses what is not known by length yet."""
    lacking = sorted(sums - {"dependency", "ends"})
    if lacking:
        raise RuntimeError(
            f"a GPU cannot sum {', '.join(lacking)} with weighted=True yet: use device='cpu'"
        )
    return fixed_bytes(graph, lengths, dtype) + lane_bytes(graph, lengths, dtype)


def lane_bytes(graph: Graph, lengths: Lengths, dtype: np.dtype[Any]) -> int:
    """State of one lane."""
    search = Search.of(lengths, graph.n)
    node = 8 if search.small and dtype.itemsize == 4 else 16
    return graph.n * (node + 8 + 3 * 4 + 4 * search.lists) + 2 * 4


def fixed_bytes(graph: Graph, lengths: Lengths, dtype: np.dtype[Any]) -> int:
    """Device memory that does not depend on the lanes."""
    arc = 8 if Search.of(lengths, graph.n).small else 16
    patterns = (1 if graph.symmetric else 2) * (arc * graph.arcs + 8 * (graph.n + 1))
    return patterns + graph.n * (2 * dtype.itemsize + 4 + 2 * 8) + (1 << 16)


class WeightedWorkspace:
    """The graph on the device, and the state of as many lanes as the memory holds."""

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
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
        self._graph, self._lengths, self._dtype = graph, lengths, dtype
        self._search = Search.of(lengths, graph.n)
        self._lanes = BLOCKS * self._device.attributes["MultiProcessorCount"]
        fitting = (memory - fixed_bytes(graph, lengths, dtype)) // lane_bytes(graph, lengths, dtype)
        self._at_once = int(np.clip(fitting, 1, self._lanes))
        pointer = pointer_type(graph.arcs)
        length = "unsigned" if self._search.small else "double"
        types = c_type(dtype), c_type(pointer), length
        self._kernels = kernels("weighted.cu", ("sweep", "reduce"), *types)
        with self._stream:
            self._arrays = self._upload(omega, pointer)
            self._total = cupy.zeros(graph.n)
        self._stream.synchronize()
        self._capacity = 0  # lanes that the state in self._arrays is for

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep the sources, one after the other in each lane."""
        sources = np.concatenate([group.sources for group in groups])
        alpha = np.concatenate([group.alpha for group in groups])
        with self._device, self._stream:
            arrays = self._arrays
            arrays["sources"] = cupy.asarray(sources)
            arrays["alpha"] = cupy.asarray(alpha.astype(self._dtype))
            for array in (self._total, arrays["ends"], arrays["worst"]):
                clear(array)
            lanes = min(self._lanes, sources.size)
            first = 0
            while first < lanes and not self.stop[0]:
                first += self._sweep(first, lanes, sources.size)
            self.dependency += self._total.get()  # device to host
            if self.ends.size:
                self.ends += arrays["ends"].get()  # device to host

    def worst(self) -> float:
        """Largest path count met by the last run."""
        with self._device, self._stream:
            return float(self._arrays["worst"].view(np.float64).get()[0])

    def _upload(self, omega: NDArray[np.float64], pointer: np.dtype[Any]) -> dict[str, Any]:
        """Arrays that outlive a block."""
        graph, lengths, small = self._graph, self._lengths, self._search.small
        outgoing = _pattern(graph.outgoing, lengths.outgoing, pointer, small)
        incoming = (
            outgoing
            if graph.symmetric
            else _pattern(graph.incoming, lengths.incoming, pointer, small)
        )
        return {
            **dict(zip(("out_indptr", "out_arcs"), outgoing, strict=True)),
            **dict(zip(("in_indptr", "in_arcs"), incoming, strict=True)),
            "omega": cupy.asarray(omega.astype(self._dtype)),
            "ends": cupy.zeros(self.ends.size, np.uint64),
            "worst": cupy.zeros(1, np.uint64),
            "fault": cupy.full(1, NO_FAULT),
            "too_far": cupy.zeros(1, np.uint64),
        }

    def _sweep(self, first: int, lanes: int, count: int) -> int:
        """Sweep the sources of the lanes from the first on; returns how many lanes those are."""
        resident = self._reserve(min(self._at_once, lanes - first))
        state = self._state(lanes)
        clear(self._arrays["dependency"])
        for begin, end in self._launches(lanes, count):
            if self.stop[0]:
                return resident
            arguments = (np.int32(value) for value in (first, begin, end))
            self._kernels["sweep"]((resident,), (THREADS,), (state, *arguments))
            self._refuse()
        self._kernels["reduce"](
            (-(-self._graph.n // REDUCE_THREADS),),
            (REDUCE_THREADS,),
            (state, np.int32(resident), self._total),
        )
        return resident

    def _launches(self, lanes: int, count: int) -> Iterator[tuple[int, int]]:
        """Runs of sources that are not too long, a multiple of the lanes."""
        size = lanes * max(1, LAUNCH_ARCS // max(self._graph.arcs, 1))
        return ((begin, min(begin + size, count)) for begin in range(0, count, size))

    def _refuse(self) -> None:
        """Raise what the last launch has met."""
        fault = int(self._arrays["fault"].get()[0])  # device to host
        if self._arrays["too_far"].get()[0]:  # device to host
            raise TooFar
        if fault != NO_FAULT:
            raise TooShort(fault >> 32, fault & 0xFFFFFFFF)

    def _reserve(self, lanes: int) -> int:
        """Memory for the state of so many lanes, or fewer; returns how many."""
        while self._capacity < lanes:
            self._release()
            try:
                self._arrays |= self._lane_arrays(lanes)
                self._capacity = lanes
            except cupy.cuda.memory.OutOfMemoryError as error:
                self._release()
                if lanes == 1:
                    raise MemoryError(
                        f"the device has not the memory for one source on {self._graph.n} nodes: "
                        f"{error}"
                    ) from error
                lanes = self._at_once = lanes // 2
                logger.warning("out of device memory: %d sources at once", lanes)
        return lanes

    def _lane_arrays(self, lanes: int) -> dict[str, Any]:
        """State of the lanes; nothing is pending in between."""
        n, small = self._graph.n, self._search.small
        words = 1 if small and self._dtype.itemsize == 4 else 2
        return {
            "nodes": cupy.empty(lanes * n * words, np.uint64),
            "dependency": cupy.empty(lanes * n),
            "order": cupy.empty(lanes * n, np.int32),
            "starts": cupy.empty(lanes * (n + 2), np.int32),
            "pending": cupy.zeros(lanes * n, np.uint32),
            "lists": cupy.empty(lanes * n * self._search.lists, np.int32),
        }

    def _release(self) -> None:
        for name in ("nodes", "dependency", "order", "starts", "pending", "lists"):
            self._arrays.pop(name, None)
        self._capacity = 0
        cupy.get_default_memory_pool().free_all_blocks()

    def _state(self, lanes: int) -> NDArray[Any]:
        """What the kernels get."""
        lengths, search = self._lengths, self._search
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS:
            state[name] = self._arrays[name].data.ptr
        state["limit"] = count_limit(self._dtype)
        state["rtol"] = lengths.rtol
        state["farthest"] = np.inf if search.small else lengths.limit
        state["clear"] = np.inf if search.small else min(lengths.clear, lengths.limit)
        state["per_width"], state["width"] = 1 / search.width, search.width
        state["n"], state["lanes"] = self._graph.n, lanes
        state["counts_ends"], state["buckets"] = bool(self.ends.size), search.buckets
        return state


def _pattern(
    pattern: CSR, lengths: NDArray[np.float64], pointer: np.dtype[Any], small: bool
) -> tuple[Any, Any]:
    """Row pointers, and the arcs: a length and a node in two words of its size."""
    indptr, indices = upload(pattern, pointer)
    there = cupy.asarray(lengths)
    bits = there.astype(np.uint32) if small else there.view(np.uint64)
    return indptr, cupy.stack((bits, indices.astype(bits.dtype)), axis=1)
