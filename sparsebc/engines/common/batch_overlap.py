"""How many searches of a batch go on together: columns of an entry (step, row), counted by bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...graph.graph import Graph
from ...jit import inlined, interruptible, kernel, stopped
from .batch import Batch

# Columns of a batch, and how many must go on together for a search to be seen to its end: where
# fewer do, it ends once it has as many entries as would then suffice for all rows.
WIDTH, ENOUGH = 64, 10


def columns_together(graph: Graph, batches: Sequence[Batch], count: int) -> float:
    """Columns of an entry of the level lists, in the mean over some of the batches, so many.

    A batch costs what its entries cost, and finds a column of a row in one of them.
    """
    there, most = graph.on_host().outgoing, WIDTH * graph.n // ENOUGH
    masks = [np.zeros(graph.n, dtype=np.uint64) for _ in range(3)]
    levels = [np.empty(graph.n + 1, dtype=np.int32) for _ in range(2)]
    entries = columns = 0
    for one in batches[len(batches) // (2 * count) :: -(-len(batches) // count)]:
        starts = np.zeros(one.sources.size, dtype=np.int32) if one.starts is None else one.starts
        for mask in masks:
            mask[:] = 0
        given = *there, one.sources, starts, most, *masks, *levels
        found = interruptible(graph.arcs, _together, *given)
        entries, columns = entries + found[0], columns + found[1]
    return columns / entries


@kernel
def _together(  # type: ignore[no-untyped-def]
    indptr, indices, sources, starts, most, visited, fresh, masks, level, following, stop
):
    """Entries of the levels of a batch, and columns of all of them, until there are too many.

    ``visited`` and ``fresh`` are zero.
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
    """Bits of a mask: of pairs, of fours, of bytes, and the sum of the bytes."""
    mask -= mask >> np.uint64(1) & np.uint64(0x5555555555555555)
    fours = np.uint64(0x3333333333333333)
    mask = (mask & fours) + (mask >> np.uint64(2) & fours)
    mask = mask + (mask >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(mask * np.uint64(0x0101010101010101) >> np.uint64(56))
