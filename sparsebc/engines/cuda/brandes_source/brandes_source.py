"""Launches `brandes_source.cu`: a block of threads to a source.

For graphs of thin levels, small ones, and where path counts leave the range of floats.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...base import Sweep
from ...sums import needs_g_and_h
from ..common.layout import WORD
from ..common.per_source import Needs, PathSums, has_small_balls, path_needs
from ..common.sums import flags_of
from ..runtime.kernels import allow_shared, c_type, kernels
from .layout import BRANDES, INLINE_DEGREE

# How `brandes_source.cu` keeps marks.
PHASES, BYTES, NEAR, GLOBAL = "Phases<true>", "Bytes<true>", "Phases<false>", "Bytes<false>"
# Threads of a block that is alone on its multiprocessor. Of fewer, blocks share it, and each has so
# many bytes of bits of marks at most, so that they leave each other room in its caches.
ALONE = 1024
SHARING = ((128, 8 << 10), (256, 32 << 10), (512, 72 << 10))
WITHIN_THREADS = 64  # where searches end near their sources: levels have few nodes
# Threads of a block of short_rows.cu.
ROW_THREADS = 256
# Static shared memory of a block, and what the device keeps for itself.
STATIC_BYTES = (8 << 10) + 2048


class SourceWorkspace(PathSums):
    """Sums of paths over the sources of a block, each swept alone."""

    _struct = BRANDES

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        attributes = cupy.cuda.Device().attributes
        self._marks, self._words, self._threads = self._shape(graph, attributes)
        patterns = {"out": graph.outgoing}
        if not graph.symmetric:
            patterns["in"] = graph.incoming
        super().__init__(
            graph,
            sweep,
            memory,
            stop,
            shares=share_count(graph),
            workers=attributes["MultiProcessorCount"] * (ALONE // self._threads),
            needs=self._needs(graph, sweep),
            patterns=patterns,
        )
        self._constants |= {"share_count": share_count(graph), "words": self._words}
        types = c_type(sweep.dtype), c_type(self._pointer), str(self._threads), self._marks
        self._kernel = self._compiled(*types)
        with self._stream:
            for name in patterns:
                self._arrays[f"{name}_inline"] = self._in_place(name)
            if graph.symmetric:
                for what in ("indices", "inline"):
                    self._arrays[f"in_{what}"] = self._arrays[f"out_{what}"]
            if "arcs" in sweep.sums:
                self._places = _places(graph)
        self._stream.synchronize()

    def _shape(self, graph: Graph, attributes: dict[str, int]) -> tuple[str, int, int]:
        """How a block keeps marks, in how many words of bits, and its threads."""
        shape = _shape(graph.n, attributes, near=has_small_balls(graph))
        self._shared = 4 * shape[1] * (shape[0] in (PHASES, BYTES))
        return shape

    def _in_place(self, name: str) -> Any:
        """Rows of a pattern in their own places."""
        indptr, indices = (self._arrays[f"{name}_{what}"] for what in ("indptr", "indices"))
        n = self._graph.n
        rows = cupy.empty((n, INLINE_DEGREE), np.int32)
        if n:
            kernel = kernels("brandes_source/short_rows.cu", ("short_rows",), c_type(self._pointer))
            grid = (-(-n // ROW_THREADS),), (ROW_THREADS,)
            kernel["short_rows"](*grid, (indptr, indices, np.int32(n), rows))
        return rows

    def _needs(self, graph: Graph, sweep: Sweep) -> Needs:
        return needs(graph, sweep)

    def _compiled(self, *types: str) -> Any:
        """The kernel."""
        within = str(bool(self._graph.cutoffs)).lower()
        flags = str(self._graph.symmetric).lower(), flags_of(self._sums), within
        sweep = kernels("brandes_source/brandes_source.cu", ("sweep",), *types, *flags)["sweep"]
        allow_shared(sweep, self._shared)
        return sweep

    def _by_arc(self, shares: Any) -> Any:
        return shares.reshape(self._graph.limits.size, -1)[:, self._places].ravel()

    def _allocate(self, workers: int) -> dict[str, Any]:
        real, both = self._dtype.itemsize, needs_g_and_h(self._sums)
        cells = workers * self._graph.n
        bits = 0 if self._shared else workers * self._words
        marks = 0 if self._marks in (PHASES, NEAR) else workers * self._words * WORD
        return super()._allocate(workers) | {
            "sigma": cupy.empty(cells * real, np.uint8),
            "pairs": cupy.empty(cells * 2 * real * both, np.uint8),
            "mark_bits": cupy.empty(bits, np.uint32),
            "mark_bytes": cupy.empty(marks, np.uint8),
        }


def needs(graph: Graph, sweep: Sweep) -> Needs:
    """Short rows in both directions, and the sources; of a worker sigma, g beside h, and marks."""
    fixed, worker = path_needs(graph, sweep, share_count(graph))
    rows = graph.n * (2 * 4 * INLINE_DEGREE + 4)
    reals = sweep.dtype.itemsize * (2 if needs_g_and_h(sweep.sums) else 1)
    marks = graph.n + graph.n // 8 + 256
    return Needs(rows + fixed, graph.n * reals + marks + worker)


def _shape(n: int, attributes: dict[str, int], *, near: bool = False) -> tuple[str, int, int]:
    """How a block keeps marks, in how many words of bits, and its threads.

    Of searches that end near their sources, many share a multiprocessor.
    """
    words = 4 * -(-n // (4 * WORD))  # of a bit a node
    if near:
        return NEAR, 2 * words, WITHIN_THREADS
    shapes = [(PHASES, 2 * words, *sharing) for sharing in SHARING]
    shapes += [(BYTES, words, *sharing) for sharing in (*SHARING[-1:], (ALONE, 4 * words))]
    for marks, size, threads, most in shapes:
        if 4 * size <= min(most, room(attributes, threads)):
            return marks, size, threads
    return GLOBAL, words, ALONE


def room(attributes: dict[str, int], threads: int) -> int:
    """Shared memory of a block of so many threads, one of as many as a multiprocessor takes."""
    alone, most = (
        attributes[f"MaxSharedMemoryPer{unit}"] for unit in ("BlockOptin", "Multiprocessor")
    )
    return min(alone, most * threads // ALONE) - STATIC_BYTES


def share_count(graph: Graph) -> int:
    """Shares of arcs that a worker has: `INLINE_DEGREE` a row, and all arcs again."""
    return INLINE_DEGREE * (graph.n - -graph.arcs // INLINE_DEGREE)


def _places(graph: Graph) -> Any:
    """Where the share of each arc is."""
    pattern = graph.outgoing
    rows, arcs = graph.ops.rows(pattern).astype(np.int64), np.arange(graph.arcs)
    row, arc, indptr = map(cupy.asarray, (rows, arcs, pattern.indptr))
    is_short = indptr[row + 1] - indptr[row] <= INLINE_DEGREE
    inline = INLINE_DEGREE * row + arc - indptr[row]
    return cupy.where(is_short, inline, INLINE_DEGREE * graph.n + arc)
