"""BFS from one source after the other, by a queue.

On graphs of high diameter few masks of MS-BFS would hold two bits. The levels of a source are
written as its queue grows, and the sums, of the same names as in ``msbfs.py``, are added up when it
ends. With a ``table`` of functions a source at level d of v adds, for its places c_k by kind,

    access_fk(v) += c_k table[d, f]

One thread owns the state: no element has two writers.
"""

import numpy as np

from ....graph.indices import row_of, span
from ....jit import inlined, kernel, stopped, subroutine
from ..common.short_rows import SHORT, fetch_ahead, is_short
from ..common.sums import first_within
from .sums import add, add_places

# As in scipy.sparse.csgraph.
UNREACHED = -1

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
def accumulate(state, functions, sources, weights, beyond, sums):
    """Add to the sums of all sources; levels of the last, and how many nodes they hold."""
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
                note(functions, level[v], weights[j], further, column * level.size + v, sums)
                level[v] = UNREACHED
        else:  # in their order, which memory likes better than the queue's
            for v in range(level.size):
                note(functions, level[v], weights[j], further, v, sums)
            level[:] = UNREACHED
    return depth, count


@inlined
def note(functions, depth, weight, further, place, sums):
    """Add to the sums at a place what a source, or its places by kind, counts at a level of it."""
    if depth > 0:
        if functions is not None:
            add_places(functions.table, depth, weight, place, sums)
        if further is not None:
            add(sums, place, depth, weight, further)


@subroutine
def search(state, source, level, limit):
    """Levels from one source alone, up to a limit; returns how many nodes are on them.

    Each neighbour is written behind the queue, which goes on to there if it is new: a branch would
    be mispredicted about once a node.
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
    """Node v is next in the queue if it has no level; where the queue ends then."""
    before = level[v]
    is_new = before == UNREACHED
    queue[end] = v
    level[v] = depth if is_new else before
    return end + np.uint64(is_new)
