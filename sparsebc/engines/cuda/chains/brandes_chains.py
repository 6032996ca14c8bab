"""Launches `brandes_chains.cu`: the ends of chains, a block of threads to each."""

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import Batch, Chains
from ..brandes_source.brandes_source import ALONE, Shape, SourceWorkspace, room, share_count
from ..common.per_source import path_plan, weights_type
from ..layout import CHAIN, CHAINS, SOURCE, WARP, WORD, Plan
from ..runtime.allocation import InFlight
from ..runtime.copies import clear

# Where the bits of `brandes_source.cuh` are.
SHARED, GLOBAL = "Levels<true>", "Levels<false>"
# Static shared memory of a thread, beside that of a search.
THREAD_BYTES = 8


class ChainWorkspace(SourceWorkspace):
    """Sums of paths over the ends of chains, the searches of a batch kept side by side."""

    _file, _struct = "chains/brandes_chains.cu", CHAINS

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep, memory, stop)
        self._width, slots = sweep.width, kept(graph, sweep).sizes
        self._slots = InFlight(slots, "a search from an end of a chain", graph.n)
        self._indptr = graph.ops.on_host(graph.outgoing.indptr)
        self._arrays["counts"] = None

    def _planned(self, graph: Graph, sweep: Sweep) -> tuple[Shape, Plan]:
        return shape_of(graph.n), plan(graph, sweep)

    def _compile(self, *types: Any) -> None:
        self._search = self._instance("search", *types)
        self._kernel = self._instance("sweep", *types, self._flags)

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
                f"the device has too little memory for {count} searches on {self._graph.n} nodes: "
                "leave 'chains' out of reduce"
            )
        self._arrays |= self._slots.arrays
        workers = self._held.reserve(min(self._at_once, self._workers))
        self._search(
            (min(count, workers),),
            (self._threads,),
            (self._state(workers), np.int32(count)),
            shared_mem=self._shared,
        )

    def _uploaded(self, batch: Batch) -> dict[str, Any]:
        """Arrays of a batch on the device, by name."""
        chains = Chains.none() if batch.chains is None else batch.chains
        others = np.empty(0, np.int32) if batch.others is None else batch.others
        sizes, every = np.diff(chains.start), np.arange(batch.sources.size + 1)
        arrays = {
            "sources": np.concatenate((batch.sources, others)),
            "alpha": batch.alpha.astype(weights_type(self._dtype)),
            "first_chains": np.searchsorted(chains.near, every).astype(np.int32),
            "far": chains.far,
            "chain_starts": chains.start.astype(np.int32),
            "inner": chains.nodes,
            "chain_of": np.repeat(np.arange(sizes.size, dtype=np.int32), sizes),
            "inner_alpha": chains.alpha,
            "toward": SOURCE.INLINE_DEGREE * chains.nodes.astype(np.int64)
            + (chains.arcs - self._indptr[chains.nodes]),
        }
        there = {name: cupy.asarray(values) for name, values in arrays.items()}
        return there | {"below": cupy.empty(chains.nodes.size)}


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """Short rows, chains and the searches of a batch; of a worker its sums, g, weights and bits.

    A node is on two chains at most; they may be one longer than the width.
    """
    n, shape = graph.n, shape_of(graph.n)
    state = {
        "pairs": n * sweep.dtype.itemsize,
        "weights": n * weights_type(sweep.dtype).itemsize,
        "cells": 2 * 8 * n,
        "mark_bits": 4 * shape.words * (shape.marks == GLOBAL),
    }
    paths = path_plan(graph, sweep, share_count(graph), state)
    rows, chains = n * (4 * SOURCE.INLINE_DEGREE + 4), n * 2 * 64
    return paths.beside(rows + chains + sweep.width * kept(graph, sweep).slot)


def kept(graph: Graph, sweep: Sweep) -> Plan:
    """What is kept of a search: counts, levels, and the order of nodes."""
    n = graph.n
    state = {
        "sigma": n * sweep.dtype.itemsize,
        "order": 4 * n,
        "starts": 4 * (n + 2),
        "mark_bytes": 4 * padded(n),
        "depths": 4,
    }
    return Plan(0, state)


def padded(n: int) -> int:
    """Nodes, those that fill the last line of bits up too."""
    return 4 * WORD * -(-n // (4 * WORD))


def shape_of(n: int) -> Shape:
    """Shape of the blocks on the current device.

    With fewer threads, more blocks wait for memory at once, and their searches share its caches.
    """
    words = padded(n) // WORD
    for threads, most in ((256, 16 << 10), (512, 72 << 10), (ALONE, 4 * words)):
        shared = 4 * words + table_bytes(threads)
        if 4 * words <= most and shared + THREAD_BYTES * threads <= room(threads):
            return Shape(SHARED, words, threads, shared)
    return Shape(GLOBAL, words, ALONE, table_bytes(ALONE))


def table_bytes(threads: int) -> int:
    """Shared memory of the sums of the warps of a block."""
    return 2 * 8 * CHAIN.TABLE * (threads // WARP)
