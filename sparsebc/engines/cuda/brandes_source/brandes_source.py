"""Launches `brandes_source.cu`: a block of threads to a source.

For graphs of small frontiers, small ones, and path counts beyond the range of floats.
"""

from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR
from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import needs_g_and_h
from ..common.per_source import PathSums, Workers, order_bytes, path_plan
from ..layout import BRANDES, SOURCE, WORD, Plan, flags_of, has_small_balls, pointer_type
from ..runtime.copies import upload_many
from ..runtime.kernels import for_each, kernels, multiprocessors, shared_bytes

# How `brandes_source.cu` keeps marks.
PHASES, BYTES, NEAR, GLOBAL = "Phases<true>", "Bytes<true>", "Phases<false>", "Bytes<false>"
FOUND, FOUND_GLOBAL = "Phases<true, 1>", "Phases<false, 1>"
# Threads of a block that is alone on its multiprocessor. Of fewer, blocks share it, and each has so
# many bytes of bits of marks at most, so that they leave each other room in its caches.
ALONE = 1024
SHARING = ((128, 8 << 10), (256, 32 << 10), (512, 72 << 10))
WITHIN_THREADS = 64  # where searches end near their sources: levels have few nodes
# Threads of a block of `short_rows`.
ROW_THREADS = 256
# Static shared memory of a block, and what the device keeps for itself.
STATIC_BYTES = (8 << 10) + 2048


class Shape(NamedTuple):
    """How a block keeps marks, in how many words of bits; its threads and its shared memory."""

    marks: str
    words: int
    threads: int
    shared: int

    @property
    def workers(self) -> int:
        """Blocks that the current device runs at once."""
        return multiprocessors() * (ALONE // self.threads)


def paths(graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> PathSums:
    """Sums of paths by edges over sources, a block of threads to each."""
    shape, pattern, places = shape_of(graph), graph.outgoing, slice(None)
    workers = Workers(BRANDES, graph, plan(graph, sweep), shape.workers, memory, stop)
    types = sweep.dtype, workers.pointer, shape.threads, shape.marks
    flags = graph.symmetric, flags_of(sweep), bool(graph.cutoffs)
    workers.compile("sweep", *types, *flags, threads=shape.threads, shared=shape.shared)
    workers.values |= {"share_count": share_count(graph), "words": shape.words}
    out = rows_of(pattern)
    into = out if graph.symmetric else rows_of(graph.incoming)
    for way, rows in (("out", out), ("in", into)):
        workers.values |= {f"{way}_{name}": values for name, values in rows.items()}
    if "arcs" in sweep.sums:
        row, arc = graph.ops.rows(pattern).astype(np.int64), np.arange(graph.arcs)
        row, arc, indptr = map(cupy.asarray, (row, arc, pattern.indptr))
        is_short = indptr[row + 1] - indptr[row] <= SOURCE.INLINE_DEGREE
        inline = SOURCE.INLINE_DEGREE * row + arc - indptr[row]
        places = cupy.where(is_short, inline, SOURCE.INLINE_DEGREE * graph.n + arc)
    return PathSums(workers, sweep, places)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """Short rows in both directions, and the sources; of a worker sigma, g beside h, and marks."""
    n, real, shape = graph.n, sweep.dtype.itemsize, shape_of(graph)
    state = {
        **order_bytes(graph, sweep),
        "sigma": n * real,
        "pairs": 2 * n * real * needs_g_and_h(sweep.sums),
        "mark_bits": 4 * shape.words * (not shape.shared),
        "mark_bytes": WORD * shape.words * (shape.marks in (BYTES, GLOBAL)),
    }
    rows = n * (2 * 4 * SOURCE.INLINE_DEGREE + 4)
    return path_plan(graph, sweep, share_count(graph), rows, state)


def shape_of(graph: Graph, *, counts: bool = True) -> Shape:
    """Shape of the blocks on the current device; without ``counts`` of paths, marks are bits.

    Of searches that end near their sources, many share a multiprocessor.
    """
    words = 4 * -(-graph.n // (4 * WORD))  # of a bit a node
    if has_small_balls(graph):
        near = (NEAR, 2 * words) if counts else (FOUND_GLOBAL, words)
        return Shape(*near, WITHIN_THREADS, 0)
    alone = ALONE, 4 * words
    shapes = [(FOUND, words, *sharing) for sharing in (*SHARING, alone)]
    if counts:
        shapes = [(PHASES, 2 * words, *sharing) for sharing in SHARING]
        shapes += [(BYTES, words, *sharing) for sharing in (*SHARING[-1:], alone)]
    for marks, size, threads, most in shapes:
        room = shared_bytes(threads / ALONE) - STATIC_BYTES
        if 4 * size <= min(most, room):
            return Shape(marks, size, threads, 4 * size)
    return Shape(GLOBAL if counts else FOUND_GLOBAL, words, ALONE, 0)


def share_count(graph: Graph) -> int:
    """Shares of arcs that a worker has: `SOURCE.INLINE_DEGREE` a row, and all arcs again."""
    return SOURCE.INLINE_DEGREE * (graph.n - -graph.arcs // SOURCE.INLINE_DEGREE)


def rows_of(pattern: CSR) -> dict[str, Any]:
    """Columns of a pattern on the device, and its rows in their own places."""
    n, pointer = pattern.indptr.size - 1, pointer_type(pattern.indices.size)
    there = upload_many(indptr=pattern.indptr.astype(pointer), indices=pattern.indices)
    rows = cupy.empty((n, SOURCE.INLINE_DEGREE), np.int32)
    if n:
        kernel = kernels("brandes_source/brandes_source.cu", ("short_rows",), pointer)
        for_each(kernel["short_rows"], n, ROW_THREADS, *there.values(), np.int32(n), rows)
    return {"indices": there["indices"], "inline": rows}
