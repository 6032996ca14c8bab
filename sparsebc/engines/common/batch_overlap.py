"""How many searches of a batch go on together: columns of an entry (step, row), counted by bits."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...jit import in_parts, inlined, kernel, stopped
from .batch import Batch

# Columns of a batch, and how many must go on together for a search to be seen to its end: where
# fewer do, it ends once it has as many entries as would then suffice for all rows.
WIDTH, ENOUGH = 64, 10


def columns_together(graph: Graph, batches: Sequence[Batch], count: int) -> float:
    """Columns of an entry of the level lists, in the mean over some of the batches, so many.

    A batch costs what its entries cost, and finds a column of a row in one of them. Threads count a
    batch each, as many as share what is done on the host.
    """
    there, most = graph.on_host().outgoing, WIDTH * graph.n // ENOUGH
    some = batches[len(batches) // (2 * count) :: -(-len(batches) // count)]

    def counted(first: int, _last: int, stop: NDArray[np.uint8]) -> tuple[int, int]:
        sources, starts = some[first].sources, some[first].starts
        starts = np.zeros(sources.size, dtype=np.int32) if starts is None else starts
        masks = [np.zeros(graph.n, dtype=np.uint64) for _ in range(3)]
        levels = [np.empty(graph.n + 1, dtype=np.int32) for _ in range(2)]
        found: tuple[int, int] = _together(*there, sources, starts, most, *masks, *levels, stop)
        return found

    each = np.arange(len(some) + 1)
    found = in_parts(graph.arcs * len(some), each, counted, threads=graph.ops.threads)
    entries, columns = np.sum(found, axis=0)
    return float(columns / entries)


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
