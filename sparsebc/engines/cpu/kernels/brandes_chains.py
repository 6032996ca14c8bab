"""The two products from the ends of chains, one source at a time, and what their nodes add.

First every end goes forward, and its levels and counts are kept; then each source's targets get the
weights of the nodes that it serves (`arms`), and it goes backward. ``others`` are far ends of other
groups, that go forward alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....brandes import inward, outward
from ....jit import kernel
from .arms import Column, send, serve
from .brandes_source import UNVISITED, Source, begin


class Columns(NamedTuple):
    """What the forward phases of a group have found, a row for each end."""

    level: NDArray[np.int32]  # (ends, n) UNVISITED in between
    queue: NDArray[np.int32]  # (ends, n)
    sigma: NDArray[np.floating[Any]]  # (ends, n)
    exponent: NDArray[np.int64] | None  # (ends, n) beyond the range of floats
    reached: NDArray[np.int64]  # (ends,) nodes in the queue
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    weight: NDArray[np.float64]  # (n,) weight of all sources that a column stands for, by target


@kernel
def run(batch, columns, work, arms, sources, alpha, others):
    """Sweep a group; ``batch`` is the state of one source, that takes each column in turn."""
    count = sources.size
    for j in range(count + others.size):
        state = column(batch, columns, j)
        begin(state, sources[j] if j < count else others[j - count])
        depth = outward(state)
        columns.reached[j] = batch.starts[depth + 1]
        if j >= count:
            note_most(state, columns.reached[j])
    batch.alpha[0] = 1
    k = 0
    for j in range(count):
        if batch.stop[0]:
            break
        state = column(batch, columns, j)
        queue = state.queue[: columns.reached[j]]
        near = Column(state.level, state.sigma, state.exponent)
        first, last = queue[0], queue[0]
        for v in queue:
            first, last = min(first, v), max(last, v)
        columns.weight[first : last + 1] = alpha[j]
        while k < arms.near.size and arms.near[k] == j:
            q = arms.far[k]
            far_end = sources[q] if q < count else others[q - count]
            other = column(batch, columns, q)
            far = Column(other.level, other.sigma, other.exponent)
            serve(
                *(work, arms, k, sources[j], near, far, columns.omega),
                *(first, last + 1, columns.weight, None),
            )
            send(work, arms, k, sources[j], far_end, near, columns.omega, None, batch.sums)
            k += 1
        for v in queue:
            batch.omega[v] = columns.omega[v] * columns.weight[v]
        inward(state, find_levels(state, queue))
    for j in range(count + others.size):
        for v in columns.queue[j, : columns.reached[j]]:
            columns.level[j, v] = UNVISITED


@register_jitable
def column(batch, columns, j):
    """The state of one source on the rows of column j; g stays apart from sigma."""
    return Source(
        batch.indptr,
        batch.indices,
        batch.omega,
        batch.alpha,
        columns.sigma[j],
        batch.g,
        batch.limits,
        row_of(columns.exponent, j),
        columns.level[j],
        columns.queue[j],
        batch.starts,
        batch.max_sigma,
        batch.h,
        batch.sums,
        batch.stop,
    )


@register_jitable
def row_of(table, j):
    """A row of a table, if there is one."""
    if table is None:
        return None
    return table[j]


@register_jitable
def note_most(state, reached):
    """The largest count, which a backward phase would note."""
    most = state.max_sigma[0]
    for v in state.queue[:reached]:
        most = max(most, state.sigma[v])
    state.max_sigma[0] = most


@register_jitable
def find_levels(state, queue):
    """Where each level of the queue starts; returns the last one."""
    state.starts[0] = 0
    depth = state.level[queue[-1]]
    for d in range(depth + 1):
        low, high = state.starts[d], queue.size
        while low < high:
            middle = (low + high) // 2
            if state.level[queue[middle]] <= d:
                low = middle + 1
            else:
                high = middle
        state.starts[d + 1] = low
    return depth
