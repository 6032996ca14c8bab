"""Launches `brandes_chains.cu`: the ends of chains, a block of threads to each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Arms, Batch
from ..brandes_source import brandes_source as brandes
from ..brandes_source.brandes_source import ALONE, SourceWorkspace
from ..brandes_source.layout import INLINE_DEGREE
from ..common.layout import WARP, WORD
from ..common.per_source import Needs, path_needs, sum_sizes, weights_type
from ..common.sums import flags_of
from ..runtime.copies import clear
from ..runtime.kernels import allow_shared, kernels
from ..runtime.memory import InFlight
from .layout import CHAINS, TABLE

# Where the bits of `brandes_source.cuh` are.
SHARED, GLOBAL = "Levels<true>", "Levels<false>"
# Static shared memory of a thread, beside that of a search.
THREAD_BYTES = 8


class ChainWorkspace(SourceWorkspace):
    """Sums of paths over the ends of chains, the searches of a batch kept side by side."""

    _struct = CHAINS

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        self._width = sweep.width
        self._slots = InFlight(self._allocate_slots, "a search from an end of a chain", graph.n)
        super().__init__(graph, sweep, memory, stop)
        self._indptr = graph.ops.on_host(graph.outgoing.indptr)

    def _shape(self, graph: Graph, attributes: dict[str, int]) -> tuple[str, int, int]:
        shape = shape_of(graph.n, functools.partial(brandes.room, attributes))
        self._shared = shared_bytes(*shape)
        return shape

    def _needs(self, graph: Graph, sweep: Sweep) -> Needs:
        return needs(graph, sweep)

    def _compiled(self, *types: str) -> Any:
        file = "chains/brandes_chains.cu"
        found = kernels(file, ("search",), *types)
        found |= kernels(file, ("sweep",), *types, flags_of(self._sums))
        for kernel in found.values():
            allow_shared(kernel, self._shared)
        self._search = found["search"]
        return found["sweep"]

    def _search_batches(self, batches: Sequence[Batch]) -> None:
        for total in self._totals.values():
            clear(total)
        for batch in batches:
            if self.stop[0]:
                return
            self._arrays |= self._uploaded(batch)
            self._find(self._arrays["sources"].size)
            self._search_from(batch.sources.size)

    def _find(self, count: int) -> None:
        """Search from all ends of a batch, and keep what is found."""
        if self._slots.reserve(self._width) < count:
            raise MemoryError(
                f"the device has not the memory for {count} searches on {self._graph.n} nodes: "
                "leave 'chains' out of reduce"
            )
        self._arrays |= self._slots.arrays
        workers = self._held.reserve(min(self._at_once, self._workers))
        values = {**self._constants, **self._arrays, **self._held.arrays, "workers": workers}
        self._search(
            (min(count, workers),),
            (self._threads,),
            (self._struct.pack(values), np.int32(count)),
            shared_mem=self._shared,
        )

    def _uploaded(self, batch: Batch) -> dict[str, Any]:
        """A batch on the device."""
        arms = Arms.none() if batch.arms is None else batch.arms
        others = np.empty(0, np.int32) if batch.others is None else batch.others
        sizes, every = np.diff(arms.start), np.arange(batch.sources.size + 1)
        arrays = {
            "sources": np.concatenate((batch.sources, others)),
            "alpha": batch.alpha.astype(weights_type(self._dtype)),
            "first_arms": np.searchsorted(arms.near, every).astype(np.int32),
            "far": arms.far,
            "starts_of_arms": arms.start.astype(np.int32),
            "inner": arms.nodes,
            "arm_of": np.repeat(np.arange(sizes.size, dtype=np.int32), sizes),
            "inner_alpha": arms.alpha,
            "toward": INLINE_DEGREE * arms.nodes.astype(np.int64)
            + (arms.arcs - self._indptr[arms.nodes]),
        }
        there = {name: cupy.asarray(values) for name, values in arrays.items()}
        return there | {"below": cupy.empty(arms.nodes.size)}

    def _allocate(self, workers: int) -> dict[str, Any]:
        """State of so many workers."""
        n, real = self._graph.n, self._dtype.itemsize
        sizes = sum_sizes(self._graph, self._sums, self._shares)
        return {
            **{name: cupy.empty(workers * size) for name, size in sizes.items()},
            "pairs": cupy.empty(workers * n * real, np.uint8),
            "weights": cupy.empty(workers * n, weights_type(self._dtype)),
            "cells": cupy.empty(workers * n * 2),
            "mark_bits": cupy.empty(workers * self._words * (self._marks == GLOBAL), np.uint32),
            "counts": None,
        }

    def _allocate_slots(self, slots: int) -> dict[str, Any]:
        """What is kept of so many searches."""
        n = self._graph.n
        return {
            "sigma": cupy.empty(slots * n * self._dtype.itemsize, np.uint8),
            "order": cupy.empty(slots * n, np.int32),
            "starts": cupy.empty(slots * (n + 2), np.int32),
            "mark_bytes": cupy.empty(4 * slots * padded(n), np.uint8),
            "depths": cupy.empty(slots, np.int32),
        }


def needs(graph: Graph, sweep: Sweep) -> Needs:
    """Short rows, chains and the searches of a batch; of a worker its sums, g, weights and bits.

    A node is on two chains at most; they may be one longer than the width.
    """
    n, shares = graph.n, brandes.share_count(graph)
    rows, arms = n * (4 * INLINE_DEGREE + 4), n * 2 * 64
    paths = path_needs(graph, sweep, shares).fixed
    own = sum(sum_sizes(graph, sweep.sums, shares).values())
    reals = sweep.dtype.itemsize + weights_type(sweep.dtype).itemsize
    return Needs(
        rows + arms + paths + sweep.width * slot_bytes(n, sweep.dtype),
        8 * own + n * (reals + 16) + padded(n) // 8,
    )


def slot_bytes(n: int, dtype: np.dtype[Any]) -> int:
    """What is kept of a search: counts, levels, and the order of nodes."""
    return n * (dtype.itemsize + 4) + 4 * (n + 2) + 4 * padded(n) + 4


def padded(n: int) -> int:
    """Nodes, those that fill the last line of bits up too."""
    return 4 * WORD * -(-n // (4 * WORD))


def shape_of(n: int, room: Callable[[int], int]) -> tuple[str, int, int]:
    """Where a block has its bits, in how many words, and its threads, which have so much ``room``.

    With fewer threads, more blocks wait for memory at once, and their searches share its caches.
    """
    words = padded(n) // WORD
    for threads, most in ((256, 16 << 10), (512, 72 << 10), (ALONE, 4 * words)):
        needed = shared_bytes(SHARED, words, threads) + THREAD_BYTES * threads
        if 4 * words <= most and needed <= room(threads):
            return SHARED, words, threads
    return GLOBAL, words, ALONE


def shared_bytes(marks: str, words: int, threads: int) -> int:
    """Shared memory of a block: bits, and the sums of its warps."""
    return 4 * words * (marks == SHARED) + 2 * 8 * TABLE * (threads // WARP)
