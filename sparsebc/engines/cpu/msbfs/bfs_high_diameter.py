"""BFS from one source at a time, by a queue (high-diameter graphs).

There few masks of MS-BFS would hold two bits. Levels are written as the queue grows; the sums of
``msbfs.py`` are added after each search. With a ``table`` of functions a source with weights c_k by
kind, d levels from v, adds

    access_fk(v) += c_k table[d, f]

One thread owns the state: no element has two writers.
"""

import numpy as np

from ....jit import inlined, kernel, stopped, subroutine
from ....matrix.csr import row_of, span
from ..common.short_rows import SHORT, fetch_ahead, is_short
from ..common.state import first_within
from .msbfs import UNREACHED, add, add_places

ONE = np.uint64(1)


@kernel
def levels(state, sources, out):
    """``out[j, v]``: edges on a shortest path from ``sources[j]`` to v, or `UNREACHED`."""
    for j in range(sources.size):
        if stopped(state.stop):
            return
        out[j] = UNREACHED
        search(state, sources[j], out[j], out.shape[1])


@kernel
def accumulate(state, table, sources, weights, beyond, sums):
    """Add each source to the sums; returns levels and number of nodes reached of the last."""
    level, queue, depth, count = state.new_count, state.rows[0], 0, 0
    level[:] = UNREACHED
    for j in range(sources.size):
        if stopped(state.stop):
            break
        count = search(state, sources[j], level, state.limits[-1])
        depth = level[queue[count - 1]]
        further = None if beyond is None else beyond[j]  # once: the sums might be the same memory
        if state.limits[0] < level.size:
            for v in queue[:count]:
                column = first_within(state.limits, level[v])
                note(table, level[v], weights[j], further, column * level.size + v, sums)
                level[v] = UNREACHED
        else:  # by node, for sequential access, not in the order of the queue
            for v in range(level.size):
                note(table, level[v], weights[j], further, v, sums)
            level[:] = UNREACHED
    return depth, count


@inlined
def note(table, depth, weight, further, place, sums):
    """Add the weight of a source, or its weights by kind, to the sums at ``place``."""
    if depth > 0:
        if table is not None:
            add_places(table, depth, weight, place, sums)
        if further is not None:
            add(sums, place, depth, weight, further)


@subroutine
def search(state, source, level, limit):
    """Fill the levels from one source, up to a cutoff; returns the number of nodes reached.

    Each neighbour is written at the end of the queue, which grows only if it is unvisited: a branch
    would be mispredicted about once a node.
    """
    out, queue = state.out, state.rows[0]
    level[source] = 0
    queue[0] = source
    done, end, depth = np.uint64(0), ONE, 0
    while done < end and depth < limit:
        first, done, depth = done, end, depth + 1
        for i in span(first, done):
            u = np.uint64(queue[i])
            fetch_ahead(out, queue, i)
            if is_short(out, u):
                for k in range(SHORT):
                    end = meet(level, queue, end, out.records[SHORT * u + k], depth)
            else:
                for p in row_of(out.indptr, np.uint32(u)):
                    end = meet(level, queue, end, np.uint32(out.indices[p]), depth)
    return np.int64(end)


@inlined
def meet(level, queue, end, v, depth):
    """Append node v to the queue if it has no level; returns the queue's end."""
    before = level[v]
    is_new = before == UNREACHED
    queue[end] = v
    level[v] = depth if is_new else before
    return end + np.uint64(is_new)
