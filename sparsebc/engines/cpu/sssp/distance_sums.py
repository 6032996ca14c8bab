"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v, c its weight and e what lies beyond it:

    reached(v) += c,  total(v) += c d(v),  harmonic(v) += c / d(v),  farthest(v) = max d(v) + e

in the column of the first limit that is not below d(v). Or, with ``functions`` in place of
``beyond``, the weights of a source are those of its places by kind, c_k, and what is added up is

    access_fk(v) += c_k f(d(v))
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....graph.indices import NEXT
from ....jit import inlined, kernel, stopped
from ..common.decay import weigh, weight_of
from ..common.simd import LANES, bits_of, cast, lane_of, lanes_of, larger, load, select, total
from ..common.sums import first_within
from . import sssp_batch, sssp_high_diameter
from .sssp import order_from, sssp
from .sssp_batch import WIDTH


class Functions(NamedTuple):
    """Functions of the distance."""

    decays: Any  # (functions,) `Decay`
    values: NDArray[np.float64]  # (8,) of the distances from eight sources


@kernel
def accumulate(search, limits, functions, sources, weights, beyond, sums):
    """Search from one source after the other."""
    n = search.distance.size
    for j in range(sources.size):
        source = sources[j]
        count, _, _ = sssp(search, sources[j : j + 1], None, None)
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
def accumulate_batch(search, limits, batch, functions, sources, weights, beyond, sums):
    """Search from sources that lie close together; how many did: all, or none if they do not.

    Limits are finite. Weights are those of 64 sources, with functions of one kind after the other.
    """
    order = search.order[: order_from(search, sources, None)]
    if not sssp_batch.relax(search, order, sources, batch):
        return 0
    for v in order:
        row, before = batch.distance[v * WIDTH : v * WIDTH + WIDTH], 0.0
        for column in range(limits.size):
            ring, place = (before, limits[column]), np.uint64(column * search.order.size + v)
            if beyond is not None:
                found = nothing()
                for lane in range(0, WIDTH, LANES):
                    found = collect(row, lane, ring, weights, beyond, lane, found)
                deliver(found, place, sums)
            before = limits[column]
        if functions is not None:
            for lane in range(0, WIDTH, LANES):
                collect_access(functions, row, lane, limits, weights, lane, v, sums)
        row[:] = np.inf
    return sources.size


@kernel
def accumulate_clustered(
    search, limits, shared, incoming, symmetric, reverse, functions, sources, weights, beyond, sums
):
    """Search from sources that share an order of nodes, eight at once; how many did.

    Limits are finite. ``reverse`` is A' with its lengths, whose rows ``incoming`` has room for; but
    where A is ``symmetric`` these are the rows of ``shared``.
    """
    none, done = search.indptr[:0], 0
    order = search.order[: sssp_high_diameter.number(shared, search, sources, none, none)]
    n = search.order.size
    if not symmetric:
        indptr, indices, lengths = reverse
        sssp_high_diameter.arrange(shared, order, indptr, indices, lengths, incoming, none, none)
    for j in range(0, sources.size, LANES):
        if stopped(search.stop):
            break
        eight = sources[j : j + LANES]
        found = sssp_high_diameter.relax(shared, incoming, eight, limits[limits.size - 1])
        sssp_high_diameter.leave(shared, eight)
        if not found:
            break
        for i in range(order.size):
            row, v, before = LANES * i, np.uint32(order[i]), 0.0
            if functions is not None:
                collect_access(functions, shared.distance, row, limits, weights, j, v, sums)
            if beyond is not None and bits_of(load(shared.distance, row) < np.inf):
                for column in range(limits.size):
                    ring, place = (before, limits[column]), np.uint64(column * n) + v
                    of_eight = collect(shared.distance, row, ring, weights, beyond, j, nothing())
                    deliver(of_eight, place, sums)
                    before = limits[column]
        done = min(j + LANES, sources.size)
    sssp_high_diameter.forget(shared, search)
    return done


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
def collect_access(functions, distance, i, limits, weights, j, v, sums):
    """Add what eight sources count at node v, as `add_access` does, in the columns of all limits.

    Their distances are ``distance[i:i+8]``, their weights ``weights[j:j+8]`` of each kind's 64.
    """
    n, first = sums.values.shape[0] // limits.size, 0
    d, kinds = load(distance, i), weights.size // WIDTH
    if bits_of((d > 0) & (d < np.inf)):
        for decay in functions.decays:
            weigh(decay, distance, i, functions.values, 0)
            before = 0.0
            for column in range(limits.size):
                in_ring = (d > before) & (d <= limits[column])
                values = select(in_ring, load(functions.values, 0), 0)
                for kind in range(kinds):
                    place = np.uint64(column * n) + v, np.uint64(first + kind)
                    sums.values[place] += total(values * load(weights, kind * WIDTH + j))
                before = limits[column]
            first += kinds


@inlined
def nothing():
    """Eight sums each of distances, their inverses and weights, and eight farthest distances."""
    none = cast(lanes_of(np.uint64(0)), np.float64)
    return none, none, none, none


@inlined
def collect(distance, i, ring, weights, beyond, j, found):
    """Add up the distances of eight lanes in a ring, by ``weights[j:j+8]``.

    A ring has what is above its first limit and not above its second.
    """
    distances, inverses, counted, farthest = found
    d, weight = load(distance, i), load(weights, j)
    counts = (d > ring[0]) & (d <= ring[1])
    weight = select(counts, weight, 0)
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
