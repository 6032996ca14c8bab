"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v, c its weight and e what lies beyond it:

    reached(v) += c,  total(v) += c d(v),  harmonic(v) += c / d(v),  farthest(v) = max d(v) + e

in the column of the first limit that is not below d(v). Or, with ``functions`` in place of
``beyond``, the weights of a source are those of its places by kind, c_k, and what is added up is

    access_fk(v) += c_k f(d(v))
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....graph.indices import NEXT
from ....jit import inlined, kernel, stopped
from ..common.decay import weight_of
from ..common.simd import LANES, cast, lane_of, lanes_of, larger, load, select, store
from ..common.sums import first_within
from . import sssp_batch, sssp_high_diameter
from .sssp import order_from, sssp
from .sssp_batch import WIDTH


class Functions(NamedTuple):
    """Functions of the distance."""

    decays: Any  # (functions,) `Decay`
    values: NDArray[np.float64]  # (64,) of the distances from the sources that search together


@kernel
def accumulate(search, limits, functions, sources, weights, beyond, sums):
    """Search from one source after the other."""
    n = search.distance.size
    for j in range(sources.size):
        source = sources[j]
        count, _, _ = sssp(search, source, None, None)
        if stopped(search.stop):
            return
        search.distance[source] = np.inf
        for i in range(1, count):
            v = np.uint32(search.order[i])
            d = search.distance[v]
            search.distance[v] = np.inf
            place = np.uint64(first_within(limits, d) * n) + v
            if functions is not None:
                add_access(functions, d, weights[j], place, sums)
            if beyond is not None:
                weight = weights[j]
                sums.reached[place] += np.int64(weight)
                sums.total[place] += weight * d
                sums.harmonic[place] += weight / d
                sums.farthest[place] = max(sums.farthest[place], d + beyond[j])


@kernel
def accumulate_batch(search, limit, batch, functions, sources, weights, beyond, sums):
    """Search from sources that lie close together; how many did: all, or none if they do not.

    Distances beyond the finite limit are left out. Without functions, weights and beyond are those
    of 64.
    """
    if not order_from(search, sources[0], None) or not sssp_batch.relax(search, sources, batch):
        return 0
    for v in range(search.order.size):
        if beyond is not None:
            found = nothing()
            for lane in range(0, WIDTH, LANES):
                at = v * WIDTH + lane
                found = collect(batch.distance, at, limit, weights, beyond, lane, found)
            deliver(found, np.uint32(v), sums)
        if functions is not None:
            row = batch.distance[v * WIDTH : v * WIDTH + WIDTH]
            collect_access(functions, row, limit, weights, np.uint64(v), sums)
    return sources.size


@kernel
def accumulate_clustered(
    search, limit, shared, incoming, reverse, functions, sources, weights, beyond, sums
):
    """Search from sources that share an order of nodes, eight at once; how many did.

    Distances beyond the finite limit are left out. ``reverse`` is A' with its lengths, whose rows
    ``incoming`` has room for, or None where A is symmetric: then these are the rows of ``shared``.
    """
    order = search.order
    if not order_from(search, sources[0], None):
        return sources.size
    sssp_high_diameter.number(shared, search)
    if reverse is not None:
        sssp_high_diameter.arrange(
            order, shared.place, reverse[0], reverse[1], reverse[2], incoming
        )
    for j in range(0, sources.size, LANES):
        if stopped(search.stop):
            return sources.size
        eight, own = sources[j : j + LANES], weights[j : j + LANES]
        found = sssp_high_diameter.relax(shared, incoming, eight)
        sssp_high_diameter.leave(shared, eight)
        if not found:
            return j
        for i in range(order.size):
            if beyond is not None:
                at = i * LANES
                found = collect(shared.distance, at, limit, weights, beyond, j, nothing())
                deliver(found, np.uint32(order[i]), sums)
            if functions is not None:
                row = shared.distance[i * LANES : i * LANES + LANES]
                collect_access(functions, row, limit, own, np.uint64(order[i]), sums)
    return sources.size


@inlined
def add_access(functions, d, weights, place, sums):
    """Add what places count by kind at a distance; a column for each function and kind."""
    column = np.uint64(0)
    for decay in functions.decays:
        value = weight_of(decay, d)
        for kind in range(weights.size):
            sums.values[place, column] += weights[kind] * value
            column += NEXT


@inlined
def collect_access(functions, row, limit, weights, place, sums):
    """Add what sources within a limit count, as `add_access` does; clear their distances."""
    column, values = np.uint64(0), functions.values
    for decay in functions.decays:
        for j in range(weights.shape[0]):
            values[j] = weight_of(decay, row[j]) if 0 < row[j] <= limit else 0.0
        for kind in range(weights.shape[1]):
            total = 0.0
            for j in range(weights.shape[0]):
                total += weights[j, kind] * values[j]
            sums.values[place, column] += total
            column += NEXT
    row[:] = np.inf


@inlined
def nothing():
    """Eight sums each of distances, their inverses and weights, and eight farthest distances."""
    none = cast(lanes_of(np.uint64(0)), np.float64)
    return none, none, none, none


@inlined
def collect(distance, i, limit, weights, beyond, j, found):
    """Add up the distances of eight lanes within a limit that are not 0, by ``weights[j:j+8]``.

    ``distance[i:i+8]`` is infinite then.
    """
    distances, inverses, counted, farthest = found
    d, weight = load(distance, i), load(weights, j)
    counts = (d > 0) & (d <= limit)
    weight = select(counts, weight, 0)
    store(distance, i, np.inf)
    return (
        distances + weight * select(counts, d, 0),
        inverses + select(counts, weight / d, 0),
        counted + weight,
        larger(select(counts, d + load(beyond, j), 0), farthest),
    )


@inlined
def deliver(found, v, sums):
    """Add what `collect` has of node v, over its lanes."""
    distances, inverses, counted, farthest = found
    distance = inverse = weight = greatest = 0.0
    for k in range(LANES):
        distance += lane_of(distances, k)
        inverse += lane_of(inverses, k)
        weight += lane_of(counted, k)
        greatest = max(greatest, lane_of(farthest, k))
    sums.reached[v] += np.int64(weight)
    sums.total[v] += distance
    sums.harmonic[v] += inverse
    sums.farthest[v] = max(sums.farthest[v], greatest)
