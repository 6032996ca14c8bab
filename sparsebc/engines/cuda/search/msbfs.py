"""Searches on a GPU: the kernels of `search/msbfs.cu`, many groups of 1024 sources at once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...contract import DistanceSums, Group
from ..runtime import clear, fetch, kernels, packed, stream

LANES = 8  # of a group's row, 128 sources each
# Rows of more neighbours than this are shared by a block.
HUB = 256
MOST_SLOTS = 1 << 31
# Levels launched between looks at whether the search has ended, at first and later on.
FIRST_LOOK, LOOK = 8, 32
SEARCH, FOUND = ("start", "advance", "advance_hubs"), ("reduce", "predecessors")
THREADS, HUB_THREADS, WORD = 256, 512, 32  # as in msbfs.cuh
SUMS_BYTES = 32
NO_PREDECESSOR = -9999
ROW_BYTES = 2 * 16 * LANES + SUMS_BYTES + 1  # of a slot: two masks, sums, four bits

POINTERS = (
    *("out_indptr", "out_indices", "in_indptr", "in_indices", "apart", "hubs"),
    *("sources", "live", "even", "odd", "marked0", "marked1", "marked2", "done"),
    *("levels", "sums", "level"),
)
STATE = np.dtype(
    [(name, np.uint64) for name in POINTERS]
    + [(name, np.uint32) for name in ("n", "words", "groups", "hub_count")]
)

logger = logging.getLogger("sparsebc")


def group_bytes(n: int) -> int:
    """State of one group."""
    return WORD * -(-n // WORD) * ROW_BYTES


class CUDASearch:
    """The graph on the device, and the state of as many groups as the memory holds."""

    def __init__(self, graph: Graph, memory: int, stop: NDArray[np.uint8]) -> None:
        self._device = cupy.cuda.Device()
        self._stream = stream(self._device.id)
        self._graph, self._stop = graph, stop
        self._words = -(-graph.n // WORD)
        self._memory = memory
        self._kernels = kernels("search/msbfs.cu", SEARCH, str(LANES)) | kernels(
            "search/results.cu", FOUND
        )
        self._blocks = 8 * self._device.attributes["MultiProcessorCount"]
        with self._stream:
            self._arrays = self._upload()
        self._stream.synchronize()
        self._capacity = 0  # groups that the state in self._arrays is for

    def levels(self, sources: NDArray[np.int32], out: Any) -> None:
        """Hops from each source, written by the search itself."""
        with self._device, self._stream:
            self._deliver(self._levels(sources, _there(out)), out)
            self._stream.synchronize()

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Levels, then a look at the edges into each node."""
        with self._device, self._stream:
            level = self._levels(sources, cupy.empty(distances.shape, np.int32))
            before = _there(predecessors)
            self._kernels["predecessors"](
                (-(-before.size // THREADS),),
                (THREADS,),
                (
                    self._arrays["in_indptr"],
                    self._arrays["in_indices"],
                    *map(np.int32, (self._graph.n, before.shape[0], NO_PREDECESSOR)),
                    *(level, before),
                ),
            )
            self._deliver(before, predecessors)
            for first in range(0, len(level), WORD):  # a distance is longer than a level
                rows = slice(first, first + WORD)
                some = cupy.where(level[rows] < 0, np.inf, level[rows])
                self._deliver(some, distances[rows])
            self._stream.synchronize()

    def _levels(self, sources: NDArray[np.int32], level: Any) -> Any:
        """Fill and return an array on the device."""
        level.fill(-1)
        self._in_batches([sources], level, lambda state: None)
        return level

    @staticmethod
    def _deliver(values: Any, out: Any) -> None:
        """Copy to where the results are wanted, unless they are there."""
        if not isinstance(out, cupy.ndarray):
            fetch(values, out)  # device to host
        elif values is not out:
            out[:] = values

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order."""
        with self._device, self._stream:
            sums = DistanceSums.zeros(self._graph.n, xp=cupy)
            self._in_batches(
                [group.sources for group in groups],
                None,
                lambda state: self._launch(
                    "reduce", state, -(-self._graph.n // THREADS), THREADS, *sums
                ),
            )
            self._stream.synchronize()
            return sums

    def _upload(self) -> dict[str, Any]:
        """Arrays that outlive a batch."""
        graph = self._graph
        outgoing = tuple(map(cupy.asarray, graph.outgoing))
        incoming = outgoing if graph.symmetric else tuple(map(cupy.asarray, graph.incoming))
        degree, reverse = (cupy.diff(indptr) for indptr, _ in (outgoing, incoming))
        hub = cupy.maximum(degree, reverse) > HUB
        apart = cupy.ones(WORD * self._words, dtype=bool)
        apart[: graph.n] = hub | (reverse == 0)
        return {
            **dict(zip(("out_indptr", "out_indices"), outgoing, strict=True)),
            **dict(zip(("in_indptr", "in_indices"), incoming, strict=True)),
            "apart": cupy.packbits(apart, bitorder="little"),
            "hubs": cupy.flatnonzero(hub).astype(np.int32),
            "levels": cupy.empty((graph.n + 2 + FIRST_LOOK + LOOK, 2), np.uint64),
        }

    def _in_batches(
        self,
        groups: Sequence[NDArray[np.int32]],
        level: Any,
        then: Callable[[NDArray[Any]], None],
    ) -> None:
        """Search from the groups, as many at once as fit; ``then`` is done with each batch."""
        done = 0
        while done < len(groups) and not self._stop[0]:
            left = len(groups) - done
            size = -(-left // -(-left // self._at_once()))
            if self._reserve(size, sums=level is None):
                state = self._state(groups[done : done + size], level)
                self._search(state)
                then(state)
                done += size

    def _at_once(self) -> int:
        """Groups whose state fits the memory, one at least."""
        slots = min(self._memory // ROW_BYTES, MOST_SLOTS)
        return max(1, slots // (WORD * max(self._words, 1)))

    def _reserve(self, groups: int, *, sums: bool) -> bool:
        """Memory for the state of so many groups; False if it was not there, and fewer are next."""
        if self._capacity >= groups:
            return True
        self._arrays |= dict.fromkeys(("even", "odd", "sums", "marks"))
        slots = groups * self._graph.n
        try:
            for name in ("even", "odd"):
                self._arrays[name] = cupy.empty(slots * 4 * LANES, np.uint32)
            self._arrays["sums"] = cupy.empty(slots * SUMS_BYTES if sums else 0, np.uint8)
            self._arrays["marks"] = cupy.empty((4, groups * self._words), np.uint32)
        except cupy.cuda.memory.OutOfMemoryError as error:
            self._arrays |= dict.fromkeys(("even", "odd", "sums", "marks"))
            cupy.get_default_memory_pool().free_all_blocks()
            if groups == 1:
                raise MemoryError(
                    f"the device has not the memory for {128 * LANES} sources on {self._graph.n} "
                    f"nodes: {error}"
                ) from error
            self._memory //= 2
            logger.warning("out of device memory with %d groups at once: halving", groups)
            return False
        self._capacity = groups
        return True

    def _state(self, groups: Sequence[NDArray[np.int32]], level: Any) -> NDArray[Any]:
        """What the kernels get, before level 0."""
        arrays = self._arrays
        sources = np.full((len(groups), 128 * LANES), -1, dtype=np.int32)
        for row, group in zip(sources, groups, strict=True):
            row[: group.size] = group
        arrays["sources"] = cupy.asarray(sources)
        arrays["live"] = cupy.asarray(np.packbits(sources >= 0, axis=1, bitorder="little"))
        for name in ("even", "odd", "sums", "marks", "levels"):
            clear(arrays[name])
        marks = arrays["marks"]
        there = arrays | {f"marked{i}": marks[i] for i in range(3)} | {"done": marks[3]}
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS[:-2]:
            state[name] = there[name].data.ptr
        state["sums"] = arrays["sums"].data.ptr if level is None else 0
        state["level"] = 0 if level is None else level.data.ptr
        state["n"], state["words"] = self._graph.n, self._words
        state["groups"], state["hub_count"] = len(groups), arrays["hubs"].size
        return state

    def _search(self, state: NDArray[Any]) -> None:
        """Search to the last level."""
        groups, hubs = int(state["groups"][0]), int(state["hub_count"][0])
        warps = THREADS // WORD
        rows = min(self._blocks, -(-groups * self._words * 4 // warps))
        self._launch("start", state, min(self._blocks, -(-groups * 128 * LANES // warps)), THREADS)
        depth, ahead = 0, FIRST_LOOK
        while not self._stop[0]:
            for d in range(depth + 1, depth + ahead + 1):
                if hubs:
                    blocks = min(self._blocks // 4, hubs * groups)
                    self._launch("advance_hubs", state, blocks, HUB_THREADS, np.int32(d))
                self._launch("advance", state, rows, THREADS, np.int32(d))
            depth, ahead = depth + ahead, LOOK
            if not int(self._arrays["levels"][depth, 0]):  # device to host
                return

    def _launch(
        self, name: str, state: NDArray[Any], blocks: int, threads: int, *rest: Any
    ) -> None:
        self._kernels[name]((blocks,), (threads,), (packed(state), *rest))


def _there(out: Any) -> Any:
    """Room on the device for what is wanted in ``out``."""
    return out if isinstance(out, cupy.ndarray) else cupy.empty(out.shape, out.dtype)
