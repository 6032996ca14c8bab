"""The two products from the ends of chains, one source at a time, and what their nodes add.

First every end goes forward, and its levels, counts and tight arcs are kept; then each source's
targets get the weights of the nodes that it serves (`arms`), and it goes backward. ``others`` are
far ends of other groups, that go forward alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....brandes import inward, outward
from ....jit import kernel
from .arms import Column, send, serve
from .brandes_source import Source, begin, forget
from .counts import exponent_of, store

NOWHERE = np.int32(-1)  # level of a node that is not reached


class Columns(NamedTuple):
    """What the forward phases of a group have found, a row for each end."""

    level: NDArray[np.int32]  # (ends, n) NOWHERE in between
    sigma: NDArray[np.floating[Any]]  # (ends, n) by node
    exponent: NDArray[np.int64] | None  # (ends, n) beyond the range of floats
    queue: NDArray[np.uint32]  # (ends, n + ROOM) as a source has it, and so are these
    tails: NDArray[np.uint32]  # (ends, tight arcs)
    heads: NDArray[np.uint32]
    entries: NDArray[np.int64]  # of no length where arcs are not summed
    reached: NDArray[np.int64]  # (ends,) nodes in the queue
    tight: NDArray[np.int64]  # (ends,) arcs
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    weight: NDArray[np.float64]  # (n,) weight of all sources that a column stands for, by target


@kernel
def run(batch, columns, work, arms, sources, alpha, others):
    """Sweep a group; ``batch`` is the state of one source, that takes each column in turn."""
    count = sources.size
    for j in range(count + others.size):
        state = column(batch, columns, j)
        begin(state, sources[j] if j < count else others[j - count])
        keep(state, columns, j, outward(state))
    batch.alpha[0] = 1
    k = 0
    for j in range(count):
        if batch.stop[0]:
            break
        state = column(batch, columns, j)
        queue = state.queue[: columns.reached[j]]
        near = found(columns, j)
        first, last = queue[0], queue[0]
        for v in queue:
            first, last = min(first, v), max(last, v)
        columns.weight[first : last + np.uint32(1)] = alpha[j]
        while k < arms.near.size and arms.near[k] == j:
            q = arms.far[k]
            far_end = sources[q] if q < count else others[q - count]
            serve(
                *(work, arms, k, sources[j], near, found(columns, q), columns.omega),
                *(np.int64(first), np.int64(last) + 1, columns.weight, None),
            )
            send(work, arms, k, sources[j], far_end, near, columns.omega, None, batch.sums)
            k += 1
        for i in range(queue.size):
            v = queue[i]
            store(state.sigma, state.exponent, i, near.sigma[v], exponent_of(near.exponent, v))
            batch.omega[v] = columns.omega[v] * columns.weight[v]
        inward(state, find_levels(state, queue, near.distance, columns.tight[j]))
    for j in range(count + others.size):
        for v in columns.queue[j, : columns.reached[j]]:
            columns.level[j, v] = NOWHERE


@register_jitable
def column(batch, columns, j):
    """The state of one source, its queue and tight arcs in the row of column j."""
    return Source(
        batch.rows,
        batch.omega,
        batch.alpha,
        batch.place,
        columns.queue[j],
        batch.starts,
        columns.tails[j],
        columns.heads[j],
        columns.entries[j],
        batch.leaving,
        batch.sigma,
        batch.g,
        batch.h,
        batch.exponent,
        batch.sum_g,
        batch.sum_h,
        batch.limits,
        batch.max_sigma,
        batch.sums,
        batch.stop,
    )


@register_jitable
def found(columns, j):
    """Levels and counts of column j, by node."""
    return Column(columns.level[j], columns.sigma[j], row_of(columns.exponent, j))


@register_jitable
def keep(state, columns, j, depth):
    """Levels and counts go to the row of column j, and the state is as it was."""
    level, sigma, exponent = found(columns, j)
    columns.reached[j], columns.tight[j] = state.starts[depth + 1], state.leaving[depth + 1]
    most = state.max_sigma[0]
    for d in range(depth + 1):
        for i in range(state.starts[d], state.starts[d + 1]):
            v = state.queue[i]
            level[v] = d
            store(sigma, exponent, v, state.sigma[i], exponent_of(state.exponent, i))
            most = max(most, state.sigma[i])
    state.max_sigma[0] = most
    forget(state, state.queue[: state.starts[depth + 1]])


@register_jitable
def row_of(table, j):
    """A row of a table, if there is one."""
    if table is None:
        return None
    return table[j]


@register_jitable
def find_levels(state, queue, level, tight):
    """Where each level of the queue starts, and its tight arcs; returns the last one."""
    depth = level[queue[-1]]
    state.starts[0] = state.leaving[0] = 0
    for d in range(depth + 1):
        low, high = state.starts[d], queue.size
        while low < high:
            middle = (low + high) // 2
            if level[queue[middle]] <= d:
                low = middle + 1
            else:
                high = middle
        state.starts[d + 1] = low
        low, high = state.leaving[d], tight
        while low < high:
            middle = (low + high) // 2
            if state.tails[middle] < state.starts[d + 1]:
                low = middle + 1
            else:
                high = middle
        state.leaving[d + 1] = low
    return depth
