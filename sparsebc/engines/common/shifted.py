"""Batches whose searches start staggered, so that all reach the busiest node in the same step.

From then on they have the same frontier among the nodes that they reach by way of it. Their overlap
is the number of columns per entry (level, row) of the level lists, counted by bit masks.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...jit import in_parts, inlined, interruptible, kernel, stopped
from ...matrix.graph import Graph
from .sums import Batch, cut

WIDTH = 64  # columns of a batch whose overlap is counted


# Batches from which shifted starts are tried: a search of bits alone takes a fifteenth of a sweep,
# and batches differ much.
LEAST, LEAST_HIGH_DIAMETER = 256, 32
# Batches in which overlap is counted; of a high-diameter graph, at most one in ``ONE_IN``.
COUNTED, COUNTED_HIGH_DIAMETER, ONE_IN = 3, 24, 4
# Overlap from which they beat single sources, which take as long as 8 to 11 columns, on a
# high-diameter graph. A count ends early below it: at it, a search of all n rows has
# n WIDTH / columns entries.
COLUMNS = 10
RATIO = 1.1  # on any other graph: least ratio of their overlap to that of balls


def by_branch(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int
) -> list[Batch]:
    """Batches of sources whose shortest paths to the node b of highest degree have most in common.

    Sources are in preorder of a shortest-path tree to b, of each component. The searches of a batch
    start staggered, so that all reach b in the same step: from then on they have the same frontier
    among the nodes that they reach by way of b. On web-cnr-2000, a row then has the new columns of
    a batch in 2.4 steps in place of 8.8.
    """
    parent, level = graph.ops.tree_to_busiest(graph.outgoing, graph.incoming, graph.components)
    order = np.empty(sources.size, dtype=np.int64)
    place, sibling = np.full(parent.size, -1), np.full(parent.size, -2, dtype=np.int32)
    child = np.full(parent.size + 1, -1, dtype=np.int32)
    interruptible(sources.size, _preorder, parent, sources, place, child, sibling, order)
    begins, levels = np.arange(0, sources.size, width), level[sources[order]]
    latest = np.repeat(np.maximum.reduceat(levels, begins), width)[: levels.size]
    starts = np.where(levels < 0, 0, latest - levels)
    batches = cut(sources[order], alpha[order], width)
    return [
        batch._replace(starts=starts[begin : begin + width])
        for batch, begin in zip(batches, begins.tolist(), strict=True)
    ]


@kernel
def _preorder(parent, sources, place, child, sibling, order, stop):  # type: ignore[no-untyped-def]
    """Fill in the indices of the sources in preorder of the forest of their ancestors.

    Places of sources and first children are -1 for now, next siblings -2, for nodes not seen.
    """
    top = parent.size  # parent of all roots
    for i in range(sources.size):
        v = sources[i]
        place[v] = i
        while v != top and sibling[v] == -2:
            up = parent[v]
            sibling[v] = child[up]
            child[up] = v
            v = up
    count, v = 0, child[top]
    while v >= 0 and not stopped(stop):
        if place[v] >= 0:
            order[count] = place[v]
            count += 1
        down = child[v]
        while down < 0 and v != top:
            down = sibling[v]
            v = parent[v]
        v = down


def columns_together(graph: Graph, batches: Sequence[Batch], count: int) -> float:
    """Mean number of columns of an entry of the level lists, over ``count`` of the batches.

    The cost of a batch is that of its entries; each pair (row, column) is in one entry. Threads
    count a batch each.
    """
    outgoing, most = graph.on_host().outgoing, WIDTH * graph.n // COLUMNS
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
