"""GPU engine: the fused products of `kernels/brandes.cu`, many groups of sources in flight.

A group is 128 sources; on a deep graph of low degrees it is 32 that lie close together, or else a
single one. All groups of a batch go
through their levels in step, from one work list, and nothing is read back but the end of the
search.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cupy
import cupyx.scipy.sparse
import numpy as np
from numpy.typing import NDArray

from ..graph import Graph
from ..patterns import Host, Patterns
from ..sweep import EXTENDED
from . import Group, cuda_single
from .cuda_patterns import CUDAPatterns
from .kernels.source import complete

# Entries of a matrix up to which launches would cost more than the work that they do.
SMALL = 1 << 15
WORD = 32  # columns of a mask word
ALONE, THIN, WIDE = 1, 32, 128  # sources of a group
# Arcs per node up to which a deep graph has thin levels.
SPARSE = 8
# Entries of the level lists that a row is given room for; more are needed where a group's sources
# lie far apart on a deep graph, and then the plan changes.
SPREAD = 12
# Rows of more neighbours than this, per mask word, are shared by a block.
HUB = 128
# Columns times rows of a block of groups: fixes the bits, so it may depend on the problem alone.
BLOCK_ELEMENTS = 1 << 33
# State of a batch on a graph of thin levels: with more of it, rows lie too far apart in memory.
THIN_BYTES = 12 << 30
# Slots and list entries are numbered in 32 bits.
MOST_SLOTS = 1 << 29
MOST_ENTRIES = (1 << 32) - 2 * MOST_SLOTS
# Levels launched between looks at whether the search has ended, at first and later on.
FIRST_LOOK, LOOK = 8, 32
THREADS, HUB_THREADS, FEW, MANY = 256, 512, 4, -2  # as in state.cuh
# Words of a level in state.cuh, and which of them count its rows and hubs.
LEVEL, COUNTS = 12, slice(4, 6)

POINTERS = (
    *("out_indptr", "out_indices", "in_indptr", "in_indices", "out_few", "in_few"),
    *("degree", "hubs", "omega"),
    *("sources", "alpha", "live", "sigma", "seen", "marked", "dependency"),
    *("slots", "masks", "levels", "worst", "full", "ends"),
)
STATE = np.dtype(
    [(name, np.uint64) for name in (*POINTERS, "arcs")]
    + [(name, np.uint32) for name in ("room_rows", "room_hubs", "n", "groups", "hub_count", "_")]
)
KERNELS = (
    "start",
    "mark",
    "forward",
    "forward_hubs",
    "backward",
    "backward_hubs",
    "ends",
    "reduce",
)

logger = logging.getLogger("sparsebc")


class CUDA:
    """Engine of one GPU."""

    literal = False
    single = True

    def __init__(self, index: int) -> None:
        self.index = index
        self.name = f"cuda:{index}"

    @contextmanager
    def here(self) -> Iterator[None]:
        """Make the device current, and the engine's stream, between two works of the caller's."""
        with cupy.cuda.Device(self.index):
            caller, stream = cupy.cuda.get_current_stream(), _stream(self.index)
            stream.wait_event(caller.record())
            try:
                with stream:
                    yield
                caller.wait_event(stream.record())
            except cupy.cuda.memory.OutOfMemoryError as error:
                raise MemoryError(
                    f"{self.name} has not the memory for the graph: {error}"
                ) from error

    def patterns(self, entries: int) -> Patterns:
        """The device, unless the graph is small."""
        return Host() if entries < SMALL else CUDAPatterns()

    def widths(self, graph: Graph, deep: bool) -> tuple[int, int]:
        """Few sources where levels are thin, and wide masks would be nearly empty."""
        thin = deep and graph.arcs <= SPARSE * graph.n
        return (THIN, ALONE) if thin else (0, WIDE)

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """Groups of a block: what a large device holds at once."""
        most = max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * width))
        return -(-groups // max(1, -(-groups // most))) or 1

    def free_memory(self) -> int:
        """What is free on the device, and what CuPy keeps for later."""
        with cupy.cuda.Device(self.index):
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free + cupy.get_default_memory_pool().free_bytes())

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """One group with room for every list it could need, or one source."""
        if _alone(dtype, sums):
            return cuda_single.least_bytes(graph, sums)
        return _fixed_bytes(graph, dtype) + graph.n * _slot_bytes(dtype, width, width) + (1 << 16)

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> CUDAWorkspace | cuda_single.SingleWorkspace:
        """Upload the graph; state is allocated by the first block."""
        with cupy.cuda.Device(self.index):
            if _alone(dtype, sums):
                stream = _stream(self.index)
                return cuda_single.SingleWorkspace(graph, omega, memory, sums, stop, stream)
            return CUDAWorkspace(graph, omega, dtype, width, memory, "ends" in sums, stop)


class CUDAWorkspace:
    """The graph on the device, and the state of as many groups as the memory holds."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        width: int,
        memory: int,
        ends: bool,
        stop: NDArray[np.uint8],
    ) -> None:
        self.dependency = np.zeros(graph.n)
        self.ends = np.zeros(graph.n if ends else 0)
        self.stop = stop
        self._device = cupy.cuda.Device()
        self._stream = _stream(self._device.id)
        self._graph = graph
        self._dtype = dtype
        self._width, self._words = width, -(-width // WORD)
        self._memory = memory - _fixed_bytes(graph, dtype) - (1 << 16)
        if width < WIDE:
            self._memory = min(self._memory, THIN_BYTES)
        self._spread = min(SPREAD, width)
        pointer = np.dtype(np.int32 if graph.arcs < 2**31 else np.int64)
        self._kernels = kernels(dtype.name, pointer.name, width)
        self._blocks = 8 * self._device.attributes["MultiProcessorCount"]
        with self._stream:
            self._arrays = self._upload(omega, pointer)
            self._total = cupy.zeros(graph.n)
        self._stream.synchronize()
        self._capacity = 0  # groups that the state in self._arrays is for

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep the groups, as many at once as fit."""
        with self._device, self._stream:
            self._total.fill(0)
            for name in ("ends", "worst"):
                self._arrays[name].fill(0)
            done = 0
            while done < len(groups) and not self.stop[0]:
                left = len(groups) - done
                size = -(-left // -(-left // self._at_once()))
                if self._sweep(groups[done : done + size]):
                    done += size
            self.dependency += self._total.get()  # device to host
            if self.ends.size:
                self.ends += self._arrays["ends"].get()  # device to host

    def worst(self) -> float:
        """Largest path count met by the last run."""
        with self._device, self._stream:
            return float(self._arrays["worst"].view(np.float64).get()[0])

    def _upload(self, omega: NDArray[np.float64], pointer: np.dtype[Any]) -> dict[str, Any]:
        """Arrays that outlive a batch."""
        graph, words = self._graph, self._words
        outgoing = _pattern(graph.outgoing, pointer)
        incoming = outgoing if graph.symmetric else _pattern(graph.incoming, pointer)
        degree, reverse = (cupy.diff(indptr) for indptr, _ in (outgoing, incoming))
        hub = cupy.maximum(degree, reverse) > HUB * words
        few = _few(*outgoing) if self._width < WIDE else cupy.empty(0, np.int32)
        return {
            "out_few": few,
            "in_few": few if graph.symmetric or not few.size else _few(*incoming),
            **dict(zip(("out_indptr", "out_indices"), outgoing, strict=True)),
            **dict(zip(("in_indptr", "in_indices"), incoming, strict=True)),
            "degree": (2 * degree + hub).astype(np.uint32),
            "hubs": cupy.flatnonzero(hub).astype(np.int32),
            "omega": cupy.asarray(omega.astype(self._dtype)),
            "levels": cupy.empty((graph.n + 2 + FIRST_LOOK + LOOK, LEVEL), np.uint32),
            "worst": cupy.zeros(1, np.uint64),
            "full": cupy.zeros(1, np.uint64),
            "ends": cupy.zeros(graph.n if self.ends.size else 0, np.uint64),
        }

    def _at_once(self) -> int:
        """Groups whose state fits the memory, one at least."""
        n = max(self._graph.n, 1)
        fitting = self._memory // (n * _slot_bytes(self._dtype, self._width, self._spread))
        return int(max(1, min(fitting, MOST_SLOTS // n)))

    def _sweep(self, groups: Sequence[Group]) -> bool:
        """Sweep one batch; False when it did not fit, and the next will be smaller."""
        try:
            self._reserve(len(groups))
        except cupy.cuda.memory.OutOfMemoryError as error:
            self._release()
            if len(groups) == 1:
                raise MemoryError(
                    f"the device has not the memory for one group of {self._width} sources on "
                    f"{self._graph.n} nodes: {error}"
                ) from error
            self._memory //= 2
            logger.warning("out of device memory with %d groups at once: halving", len(groups))
            return False
        state = self._state(groups)
        self._launch("start", state, -(-len(groups) * self._width // THREADS))
        depth = self._forward(state)
        if int(self._arrays["full"].get()[0]):  # device to host
            self._arrays["full"].fill(0)
            self._spread = min(2 * self._spread, self._width)
            self._release()
            return False
        self._backward(state, depth)
        return True

    def _reserve(self, groups: int) -> None:
        """Memory for the state of so many groups, unless it is there."""
        if self._capacity >= groups:
            return
        self._release()
        n, hubs, words = self._graph.n, self._arrays["hubs"].size, self._words
        slots = groups * n
        rows = min(self._spread * groups * (n - hubs), MOST_ENTRIES)
        self._room = rows, min(self._spread * groups * hubs, MOST_SLOTS)
        self._arrays |= {
            "sigma": cupy.empty(slots * self._width, self._dtype),
            "seen": cupy.empty(2 * slots * words, np.uint32),
            "marked": cupy.zeros(slots // 32 + 1, np.uint32),
            "dependency": cupy.empty(slots),
            "slots": cupy.empty(sum(self._room), np.uint32),
            "masks": cupy.empty(sum(self._room) * words, np.uint32),
        }
        self._capacity = groups

    def _release(self) -> None:
        for name in ("sigma", "seen", "marked", "dependency", "slots", "masks"):
            self._arrays.pop(name, None)
        self._capacity = 0
        cupy.get_default_memory_pool().free_all_blocks()

    def _state(self, groups: Sequence[Group]) -> NDArray[Any]:
        """What the kernels get: level 0 not yet set, all else clear."""
        arrays, graph, width = self._arrays, self._graph, self._width
        sources = np.full((len(groups), width), -1, dtype=np.int32)
        alpha = np.zeros((len(groups), width), dtype=self._dtype)
        for i, group in enumerate(groups):
            sources[i, : group.sources.size] = group.sources
            alpha[i, : group.sources.size] = group.alpha
        live = np.zeros((len(groups), WORD * self._words), dtype=bool)
        live[:, :width] = sources >= 0
        live = np.packbits(live, axis=1, bitorder="little").view("<u4")
        arrays |= {
            name: cupy.asarray(np.ascontiguousarray(values))
            for name, values in (("sources", sources), ("alpha", alpha), ("live", live))
        }
        for name in ("seen", "dependency", "levels"):
            _clear(arrays[name])
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS:
            state[name] = arrays[name].data.ptr
        state["arcs"] = graph.arcs * len(groups)
        state["room_rows"], state["room_hubs"] = self._room
        state["n"], state["groups"] = graph.n, len(groups)
        state["hub_count"] = arrays["hubs"].size
        return state

    def _forward(self, state: NDArray[Any]) -> int:
        """Search to the last level; returns its depth."""
        depth, ahead = 0, FIRST_LOOK
        rows, hubs = self._grids(state)
        while not self.stop[0]:
            for d in range(depth + 1, depth + ahead + 1):
                self._launch("mark", state, rows, d)
                if hubs:
                    self._launch("forward_hubs", state, hubs, d, threads=HUB_THREADS)
                self._launch("forward", state, rows, d)
            found = self._arrays["levels"][depth + 1 : depth + ahead + 1, COUNTS]
            empty = np.flatnonzero(found.get().sum(axis=1) == 0)  # device to host
            if empty.size:
                return depth + int(empty[0])
            depth, ahead = depth + ahead, LOOK
        return 0

    def _backward(self, state: NDArray[Any], depth: int) -> None:
        """Accumulate from the last level to the first, then add the groups up in order."""
        rows, hubs = self._grids(state)
        if self.ends.size:
            self._launch("ends", state, rows, depth)
        _clear(self._arrays["seen"])
        for d in range(depth, 0, -1):
            if self.stop[0]:
                return
            if hubs:
                self._launch("backward_hubs", state, hubs, d, threads=HUB_THREADS)
            self._launch("backward", state, rows, d)
        self._launch("reduce", state, -(-self._graph.n // THREADS), self._total)

    def _grids(self, state: NDArray[Any]) -> tuple[int, int]:
        """Blocks for rows and for hubs: what the device runs at once, or less for less work."""
        groups, hubs = int(state["groups"][0]), int(state["hub_count"][0])
        lanes = groups * self._graph.n * self._words * WORD // 4
        return min(self._blocks, -(-lanes // THREADS)), min(self._blocks // 4, hubs * groups)

    def _launch(
        self, name: str, state: NDArray[Any], blocks: int, *rest: Any, threads: int = THREADS
    ) -> None:
        arguments = (np.int32(a) if isinstance(a, int) else a for a in rest)
        self._kernels[name]((blocks,), (threads,), (state, *arguments))


def describe() -> tuple[str, ...]:
    """One line for each GPU: name, memory, driver and CuPy."""
    driver = cupy.cuda.runtime.driverGetVersion()
    lines = []
    for index in range(cupy.cuda.runtime.getDeviceCount()):
        properties = cupy.cuda.runtime.getDeviceProperties(index)
        lines.append(
            f"cuda:{index} {properties['name'].decode()}, "
            f"{properties['totalGlobalMem'] / 2**30:.0f} GiB, "
            f"CUDA driver {driver // 1000}.{driver % 1000 // 10}, CuPy {cupy.__version__}"
        )
    return tuple(lines)


def upload(parts: tuple[Any, ...], n: int | None, index: int) -> Any:
    """An array on a GPU, or a csr matrix of n rows from (data, indices, indptr)."""
    with cupy.cuda.Device(index):
        there = tuple(map(cupy.asarray, parts))
        return there[0] if n is None else cupyx.scipy.sparse.csr_matrix(there, shape=(n, n))


@functools.cache
def _stream(index: int) -> Any:
    """The stream of all work on a device; its memory is kept for the next call."""
    with cupy.cuda.Device(index):
        return cupy.cuda.Stream(non_blocking=True)


@functools.cache
def kernels(real: str, pointer: str, width: int) -> dict[str, Any]:
    """Kernels for float32 or float64 state, int32 or int64 row pointers and a width of groups."""
    c_types = {"float32": "float", "float64": "double", "int32": "int", "int64": "long long"}
    names = {name: f"{name}<{c_types[real]}, {c_types[pointer]}, {width}>" for name in KERNELS}
    module = cupy.RawModule(
        code=complete(Path(__file__).parent / "kernels" / "brandes.cu"),
        options=("-std=c++17",),
        name_expressions=tuple(names.values()),
    )
    return {name: module.get_function(expression) for name, expression in names.items()}


def _pattern(pattern: Any, pointer: np.dtype[Any]) -> tuple[Any, Any]:
    return cupy.asarray(pattern.indptr.astype(pointer)), cupy.asarray(pattern.indices)


def _few(indptr: Any, indices: Any) -> Any:
    """Neighbours of the rows that have few, as state.cuh wants them."""
    low, high = indptr[:-1], indptr[1:]
    few = cupy.full((low.size, FEW), -1, dtype=np.int32)
    for j in range(FEW if indices.size else 0):
        at = cupy.minimum(low + j, indices.size - 1)
        few[:, j] = cupy.where(low + j < high, indices[at], -1)
    few[:, 0] = cupy.where(high - low > FEW, MANY, few[:, 0])
    return few


def _alone(dtype: np.dtype[Any], sums: frozenset[str]) -> bool:
    """Whether sources are swept one by one: for what the groups' kernels do not count."""
    return dtype == EXTENDED or not sums <= {"dependency", "ends"}


def _clear(array: Any) -> None:
    array.data.memset_async(0, array.nbytes)


def _fixed_bytes(graph: Graph, dtype: np.dtype[Any]) -> int:
    """Device memory that does not depend on the groups, the patterns apart."""
    row = 2 * 4 * FEW + 4 + 4 + dtype.itemsize + 8 + 8 + 4 * LEVEL
    return graph.n * row + 4 * LEVEL * (FIRST_LOOK + LOOK)


def _slot_bytes(dtype: np.dtype[Any], width: int, spread: int) -> int:
    """State of one row of one group, with its share of the level lists."""
    mask = 4 * -(-width // WORD)
    return width * dtype.itemsize + 2 * mask + 8 + 1 + spread * (4 + mask)
