"""The two products by length from the ends of chains, and what their nodes add.

As `brandes_chains`: every end is searched from first, and its distances and counts are kept. Tight
edges take more room than to find them again, when a source's turn comes to go backward.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....jit import kernel
from .arms import Column, send, serve
from .brandes_chains import row_of
from .brandes_weighted import DONE, STOPPED, backward, counted, forward
from .counts import exponent_of, store
from .radix_sort import sort_by_distance, take_columns
from .simd import LANES
from .sssp_batch import complete, relax
from .sssp_heap import sssp


class Columns(NamedTuple):
    """What the searches of a group have found, a row for each end."""

    distance: NDArray[np.float64]  # (ends, n) infinite in between
    order: NDArray[np.int32]  # (ends, n)
    sigma: NDArray[np.floating[Any]]  # (ends, n)
    exponent: NDArray[np.int64] | None  # (ends, n) beyond the range of floats
    reached: NDArray[np.int64]  # (ends,) nodes in the order
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    weight: NDArray[np.float64]  # (n,) weight of all sources that a column stands for, by target


@kernel
def search(paths, columns, place, sources):
    """Search from ends one after the other, into the columns from a place on; DONE, or why not."""
    for j in range(sources.size):
        count, farthest, most = sssp(paths.search, sources[j], paths.tight, None)
        outcome = keep(paths, columns, place + j, count, farthest, most, paths.tight.as_found)
        if outcome != DONE:
            return outcome
    return DONE


@kernel
def search_batch(paths, columns, place, batch, sorting, sources):
    """The same from ends that lie close together, whose distances are found at once."""
    found = paths.search
    complete(found, sssp(found, sources[0], paths.tight, None)[0])
    if not relax(found, sources, batch):
        return search(paths, columns, place, sources)
    for j in range(sources.size):
        if j % LANES == 0:
            take_columns(batch.distance, j, sorting.columns)
        count, farthest = sort_by_distance(sorting, j % LANES, found.distance, found.order)
        outcome = keep(paths, columns, place + j, count, farthest, 1.0, False)
        if outcome != DONE:
            return outcome
    return DONE


@kernel
def accumulate(paths, columns, work, arms, sources, alpha, others):
    """Go backward from each source, with the weights that its arms add; DONE, or why not."""
    found, rtol = paths.search, paths.tight.rtol
    k = 0
    for j in range(sources.size):
        if found.stop[0]:
            return STOPPED
        order = found.order[: columns.reached[j]]
        near = column(columns, j)
        first, last = sources[j], sources[j]
        for i in range(order.size):
            order[i] = columns.order[j, i]
            first, last = min(first, order[i]), max(last, order[i])
        columns.weight[first : last + 1] = alpha[j]
        while k < arms.near.size and arms.near[k] == j:
            q = arms.far[k]
            far_end = sources[q] if q < sources.size else others[q - sources.size]
            serve(
                *(work, arms, k, sources[j], near, column(columns, q), columns.omega),
                *(first, last + 1, columns.weight, rtol),
            )
            send(work, arms, k, sources[j], far_end, near, columns.omega, rtol, paths.sums)
            k += 1
        for v in order:
            found.distance[v] = near.distance[v]
            paths.omega[v] = columns.omega[v] * columns.weight[v]
        forward(paths, order)
        backward(paths, order, 1.0, 0)
    for j in range(sources.size + others.size):
        for v in columns.order[j, : columns.reached[j]]:
            columns.distance[j, v] = np.inf
    return DONE


@register_jitable
def keep(paths, columns, j, count, farthest, most, is_counted):
    """Count the paths to what a search has found, unless they are counted, and keep both."""
    found, tight, kept = paths.search, paths.tight, column(columns, j)
    order = found.order[:count]
    outcome, most = counted(paths, order, farthest, most, is_counted)
    if outcome != DONE:
        return outcome
    columns.reached[j] = count
    for i in range(count):
        v = order[i]
        columns.order[j, i] = v
        kept.distance[v] = found.distance[v]
        store(kept.sigma, kept.exponent, v, tight.sigma[v], exponent_of(paths.exponent, v))
        found.distance[v] = np.inf
    paths.max_sigma[0] = max(paths.max_sigma[0], most)
    return DONE


@register_jitable
def column(columns, j):
    """What is kept of an end."""
    return Column(columns.distance[j], columns.sigma[j], row_of(columns.exponent, j))
