"""Overlap of the searches of a batch: columns per entry (level, row), counted by bit masks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...jit import in_parts, inlined, kernel, stopped
from ...matrix.graph import Graph
from .batch import Batch

# Columns of a batch; mean overlap below which a count ends early: with overlap ENOUGH, a search of
# all n rows by WIDTH columns has n WIDTH / ENOUGH entries.
WIDTH, ENOUGH = 64, 10


def columns_together(graph: Graph, batches: Sequence[Batch], count: int) -> float:
    """Mean number of columns of an entry of the level lists, over ``count`` of the batches.

    The cost of a batch is that of its entries; each pair (row, column) is in one entry. Threads
    count a batch each.
    """
    outgoing, most = graph.on_host().outgoing, WIDTH * graph.n // ENOUGH
    sample = batches[len(batches) // (2 * count) :: -(-len(batches) // count)]

    def counted(first: int, _last: int, stop: NDArray[np.uint8]) -> tuple[int, int]:
        sources, starts = sample[first].sources, sample[first].starts
        starts = np.zeros(sources.size, dtype=np.int32) if starts is None else starts
        masks = [np.zeros(graph.n, dtype=np.uint64) for _ in range(3)]
        levels = [np.empty(graph.n + 1, dtype=np.int32) for _ in range(2)]
        counts: tuple[int, int] = _together(*outgoing, sources, starts, most, *masks, *levels, stop)
        return counts

    each = np.arange(len(sample) + 1)
    counts = in_parts(graph.arcs * len(sample), each, counted, threads=graph.ops.threads)
    entries, columns = np.sum(counts, axis=0)
    return float(columns / entries)


@kernel
def _together(  # type: ignore[no-untyped-def]
    indptr, indices, sources, starts, most, visited, fresh, masks, level, following, stop
):
    """Entries of the level lists of a batch, at most about ``most``, and their columns.

    ``visited`` and ``fresh`` are zero on entry.
    """
    entries = columns = size = step = 0
    while not stopped(stop) and entries <= most:
        end = 0
        for i in range(size):
            u = level[i]
            for p in range(indptr[u], indptr[u + 1]):
                v = indices[p]
                hit, before = masks[i] & ~visited[v], fresh[v]
                following[end] = v
                end += (hit != 0) & (before == 0)
                fresh[v] = before | hit
        for j in range(sources.size):
            if starts[j] == step:
                following[end] = sources[j]
                end += fresh[sources[j]] == 0
                fresh[sources[j]] |= np.uint64(1) << np.uint64(j)
        if end == 0:
            break
        for i in range(end):
            v = following[i]
            masks[i] = fresh[v]
            visited[v] |= fresh[v]
            columns += _bits(fresh[v])
            fresh[v] = 0
        level, following = following, level
        entries, size, step = entries + end, end, step + 1
    return entries, columns


@inlined
def _bits(mask):  # type: ignore[no-untyped-def]
    """Population count: sums of 2, 4 and 8 bits, and the sum of the bytes."""
    mask -= mask >> np.uint64(1) & np.uint64(0x5555555555555555)
    fours = np.uint64(0x3333333333333333)
    mask = (mask & fours) + (mask >> np.uint64(2) & fours)
    mask = mask + (mask >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(mask * np.uint64(0x0101010101010101) >> np.uint64(56))
