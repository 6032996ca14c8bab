"""Searches along lengths on a GPU: a block of threads a source, as many in flight as fit.

What `sssp.cuh` needs, for the kernels that count paths and for those that do not.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.csr import CSR
from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ..runtime import c_type, clear, kernels, packed, pointer_type, stream, upload

THREADS, BLOCKS = 512, 2  # of a lane, and lanes on a multiprocessor, as in tight_edges.cuh
# Whole lengths whose sum stays below this are kept in 32 bits; the bit above marks the unreached.
UNREACHED = 1 << 31
# Buckets that are narrower than the shortest length, as in `settle.py`, while these will do.
NARROW, RING = 0.75, 32
# Width of the nearest bucket over the mean length otherwise.
NEAR = 8
# Lists of nodes that wait, where there are no such buckets: near, next, far and kept.
LISTS = 4
# Arcs times sources of a lane in one launch: between two of them a run may be stopped.
LAUNCH_ARCS = 1 << 24
REDUCE_THREADS = 256

# The first fields of what a kernel gets: pointers, then numbers.
WAYS = (
    *((name, np.uint64) for name in ("out_indptr", "out_arcs", "sources")),
    *((name, np.uint64) for name in ("nodes", "pending", "lists")),
    *((name, np.float64) for name in ("per_width", "width")),
    *((name, np.int32) for name in ("n", "lanes", "buckets", "_")),
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

    @property
    def length_bytes(self) -> int:
        """A length, or a distance."""
        return 4 if self.small else 8

    @property
    def c_type(self) -> str:
        """Lengths, as the kernels name their type."""
        return "unsigned" if self.small else "double"

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


def way_bytes(graph: Graph, search: Search, *, both: bool) -> int:
    """The arcs on the device, those of A' too for ``both``, and the sources."""
    patterns = 2 if both and not graph.symmetric else 1
    return patterns * (2 * search.length_bytes * graph.arcs + 8 * (graph.n + 1)) + 4 * graph.n


def reach_bytes(graph: Graph, search: Search, node_bytes: int) -> int:
    """What a lane needs to find distances."""
    return graph.n * (node_bytes + 4 + 4 * search.lists)


class Lanes:
    """The arcs on the device, and the state of as many lanes as the memory holds.

    Lane k takes the sources k, k + lanes, ...; what the lanes have of each sum in ``_totals`` is an
    array of their state of that name, and is added up in their order.
    """

    _state_type: np.dtype[Any]
    _kernel: Any
    _totals: dict[str, Any]

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
        search: Search,
        *,
        memory: int,
        node_bytes: int,
        lane_bytes: int,
        stop: NDArray[np.uint8],
    ) -> None:
        self.stop = stop
        self._device = cupy.cuda.Device()
        self._stream = stream(self._device.id)
        self._graph, self._search, self._node_bytes = graph, search, node_bytes
        self._lanes = BLOCKS * self._device.attributes["MultiProcessorCount"]
        self._at_once = int(np.clip(memory // lane_bytes, 1, self._lanes))
        self._pointer = pointer_type(graph.arcs)
        self._types = c_type(self._pointer), search.c_type
        self._reduce = kernels("common/reduce.cu", ("reduce",))["reduce"]
        self._constants = {
            "per_width": 1 / search.width,
            "width": search.width,
            "n": graph.n,
            "buckets": search.buckets,
        }
        with self._stream:
            indptr, arcs = self._upload(graph.outgoing, lengths.outgoing)
        self._arrays = {"out_indptr": indptr, "out_arcs": arcs}  # these outlive a run
        self._in_flight: dict[str, Any] = {}
        self._capacity = 0  # lanes that the state in flight is for

    def _lane_arrays(self, lanes: int) -> dict[str, Any]:
        """State of so many lanes; nothing is pending in between."""
        n = self._graph.n
        return {
            "nodes": cupy.empty(lanes * n * self._node_bytes, np.uint8),
            "pending": cupy.zeros(lanes * n, np.uint32),
            "lists": cupy.empty(lanes * n * self._search.lists, np.int32),
        }

    def _check(self) -> None:
        """Wait for a launch, and raise what it has met."""
        self._stream.synchronize()

    def _upload(self, pattern: CSR, lengths: NDArray[np.float64]) -> tuple[Any, Any]:
        """Row pointers, and the arcs: a length and a node in two words of its size."""
        indptr, indices = upload(pattern, self._pointer)
        there = cupy.asarray(lengths)
        bits = there.astype(np.uint32) if self._search.small else there.view(np.uint64)
        return indptr, cupy.stack((bits, indices.astype(bits.dtype)), axis=1)

    def _search_all(self, sources: NDArray[np.int32]) -> None:
        """Search from the sources, one after the other in each lane, as many lanes as fit."""
        self._arrays["sources"] = cupy.asarray(sources)
        for total in self._totals.values():
            clear(total)
        lanes = min(self._lanes, sources.size)
        first = 0
        while first < lanes and not self.stop[0]:
            first += self._search_some(first, lanes, sources.size)

    def _search_some(self, first: int, lanes: int, count: int) -> int:
        """Search from the sources of the lanes from the first on; returns how many lanes."""
        resident = self._reserve(min(self._at_once, lanes - first))
        state = packed(self._state(lanes))
        for name in self._totals:
            clear(self._in_flight[name])
        for begin, end in self._launches(lanes, count):
            if self.stop[0]:
                return resident
            arguments = (np.int32(value) for value in (first, begin, end))
            self._kernel((resident,), (THREADS,), (state, *arguments))
            self._check()
        for name, total in self._totals.items():
            self._reduce(
                (-(-total.size // REDUCE_THREADS),),
                (REDUCE_THREADS,),
                (self._in_flight[name], np.uint64(total.size), np.uint32(resident), total),
            )
        return resident

    def _launches(self, lanes: int, count: int) -> Iterator[tuple[int, int]]:
        """Runs of sources that are not too long, a multiple of the lanes."""
        size = lanes * max(1, LAUNCH_ARCS // max(self._graph.arcs, 1))
        return ((begin, min(begin + size, count)) for begin in range(0, count, size))

    def _reserve(self, lanes: int) -> int:
        """Memory for the state of so many lanes, or fewer; returns how many."""
        while self._capacity < lanes:
            self._release()
            try:
                self._in_flight = self._lane_arrays(lanes)
                self._capacity = lanes
            except cupy.cuda.memory.OutOfMemoryError as error:
                self._release()
                cupy.get_default_memory_pool().free_all_blocks()
                if lanes == 1:
                    raise MemoryError(
                        f"the device has not the memory for one source on {self._graph.n} nodes: "
                        f"{error}"
                    ) from error
                lanes = self._at_once = lanes // 2
                logger.warning("out of device memory: %d sources at once", lanes)
        return lanes

    def _release(self) -> None:
        self._in_flight = {}
        self._capacity = 0

    def _state(self, lanes: int) -> NDArray[Any]:
        """What the kernel gets."""
        arrays = self._arrays | self._in_flight
        pointers = {name: array.data.ptr for name, array in arrays.items()}
        state = np.zeros(1, dtype=self._state_type)
        for name, value in {**self._constants, **pointers, "lanes": lanes}.items():
            state[name] = value
        return state
