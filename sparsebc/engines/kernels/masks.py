"""Searches from 64 sources at once by bits alone: no paths are counted, and no level is kept.

    F_{d+1} = (A' F_d)<not V>

Bit j of ``visited[v]`` and ``frontier[v]`` says whether source j has reached v, and whether v is on
its current level. A level is a list of rows, pushed along outgoing edges while it is short and
pulled along incoming ones when it is long. One thread owns the group: no element has two writers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ...graph import Graph
from .compiled import kernel
from .lanes import lowest

WIDTH = 64
ROW_BYTES = 3 * 8 + 2 * 4  # of a `Masks`
# A level that holds more than one row in DENSE is pulled by every unfinished row, not pushed.
DENSE = 8
# As in scipy.sparse.csgraph.
UNREACHED, NO_PREDECESSOR = -1, -9999

ZERO = np.uint64(0)
ONE = np.uint64(1)


class Masks(NamedTuple):
    """State of a group of up to 64 sources."""

    out_indptr: NDArray[np.int64]
    out_indices: NDArray[np.int32]
    in_indptr: NDArray[np.int64]
    in_indices: NDArray[np.int32]
    columns: NDArray[np.uint64]  # (1,) the bits that stand for a source
    visited: NDArray[np.uint64]  # (n,) V
    frontier: NDArray[np.uint64]  # (n,) F_d
    fresh: NDArray[np.uint64]  # (n,) F_{d+1} while it is found, else zero
    rows: NDArray[np.int32]  # (2, n) those of level d in rows[d % 2]
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


def masks(graph: Graph, stop: NDArray[np.uint8]) -> Masks:
    """State for searches in a graph."""
    n = graph.n
    return Masks(
        *graph.outgoing,
        *graph.incoming,
        columns=np.zeros(1, dtype=np.uint64),
        visited=np.zeros(n, dtype=np.uint64),
        frontier=np.zeros(n, dtype=np.uint64),
        fresh=np.zeros(n, dtype=np.uint64),
        rows=np.empty((2, n), dtype=np.int32),
        stop=stop,
    )


@kernel
def levels(state: Any, sources: Any, out: Any) -> None:
    """``out[j, v]``: edges on a shortest path from ``sources[j]`` to v, or `UNREACHED`."""
    out[:] = UNREACHED
    size, depth = begin(state, sources), 0
    while size and not state.stop[0]:
        for v in state.rows[depth & 1, :size]:
            mask = state.frontier[v]
            while mask:
                out[lowest(mask), v] = depth
                mask &= mask - ONE
        size = advance(state, depth, size)
        depth += 1


@kernel
def levels_by_queue(state: Any, sources: Any, out: Any) -> None:
    """The same, source after source: on deep graphs, where few masks would hold two bits."""
    out[:] = UNREACHED
    queue = state.rows[0]
    for j in range(sources.size):
        if state.stop[0]:
            return
        level = out[j]
        level[sources[j]] = 0
        queue[0] = sources[j]
        done, end = 0, 1
        while done < end:
            u = queue[done]
            done += 1
            for p in range(state.out_indptr[u], state.out_indptr[u + 1]):
                v = state.out_indices[p]
                if level[v] == UNREACHED:
                    level[v] = level[u] + 1
                    queue[end] = v
                    end += 1


@kernel
def predecessors(state: Any, levels: Any, out: Any) -> None:
    """``out[j, v]``: the first u with an edge to v and level(u) = level(v) - 1, if there is one."""
    for j in range(levels.shape[0]):
        if state.stop[0]:
            return
        level = levels[j]
        for v in range(level.size):
            out[j, v] = NO_PREDECESSOR
            if level[v] > 0:
                p = state.in_indptr[v]
                while level[state.in_indices[p]] != level[v] - 1:
                    p += 1
                out[j, v] = state.in_indices[p]


@register_jitable
def begin(state, sources):
    """Level 0: each source on itself; how many rows it has."""
    state.visited[:] = ZERO
    state.frontier[:] = ZERO
    state.columns[0] = ZERO
    size = 0
    for j in range(sources.size):
        s = sources[j]
        if state.visited[s] == ZERO:
            state.rows[0, size] = s
            size += 1
        bit = ONE << np.uint64(j)
        state.columns[0] |= bit
        state.visited[s] |= bit
        state.frontier[s] |= bit
    return size


@register_jitable
def advance(state, depth, size):
    """The level after one of so many rows becomes the frontier; how many rows it has."""
    here, there = state.rows[depth & 1, :size], state.rows[1 - (depth & 1)]
    found = pull(state, there) if size * DENSE > state.visited.size else push(state, here, there)
    for u in here:
        state.frontier[u] = ZERO
    for v in there[:found]:
        state.frontier[v] = state.fresh[v]
        state.visited[v] |= state.fresh[v]
        state.fresh[v] = ZERO
    return found


@register_jitable
def push(state, here, there):
    """Every row of the level hands its columns to the rows that still want them."""
    found = 0
    for u in here:
        mask = state.frontier[u]
        for p in range(state.out_indptr[u], state.out_indptr[u + 1]):
            v = state.out_indices[p]
            hit = mask & ~state.visited[v]
            if hit:
                if state.fresh[v] == ZERO:
                    there[found] = v
                    found += 1
                state.fresh[v] |= hit
    return found


@register_jitable
def pull(state, there):
    """Every row that wants columns looks for them at its neighbours, until it has all."""
    found = 0
    for v in range(state.visited.size):
        want = state.columns[0] & ~state.visited[v]
        hit = ZERO
        for p in range(state.in_indptr[v], state.in_indptr[v + 1]):
            if hit == want:
                break
            hit |= want & state.frontier[state.in_indices[p]]
        if hit:
            state.fresh[v] = hit
            there[found] = v
            found += 1
    return found
