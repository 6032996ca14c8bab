"""Weighted sums of distances from the sources, by single sources or batches.

With d(v) the distance from a source that reaches v, c its weight and e its ``beyond``:

    reached(v) += c,  total(v) += c d(v),  harmonic(v) += c / d(v),  farthest(v) = max d(v) + e

in the column of the first cutoff that is at least d(v). Or, with ``functions`` in place of
``beyond``, and weights c_k of a source by kind of points of interest:

    access_fk(v) += c_k f(d(v))

On a low-diameter graph 64 clustered sources search at once.
Clustered sources have nearly the same order of nodes: all share that of one search from all of
them. Row v of a batch holds the distances of v from the 64 sources, and the product

    d(v) = min over u of d(u) + w(u, v)

runs over the nodes in that order, forwards and backwards in turn as in the fast sweeping method
[Zhao 2005], until no distance decreases. A shortest path turns against the order only where two
detours are about as long, so a few passes suffice. The fixpoint is the same in any order, to the
bit.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, kernel, stopped, subroutine
from ....matrix.csr import NEXT, row_of
from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.decay import Decay
from ...common.distances import no_sums
from ...common.sums import Batch
from ..common.simd import (
    LANES,
    aligned,
    bits_of,
    cast,
    lane_of,
    lanes_of,
    larger,
    load,
    lowest,
    select,
    store,
    total,
)
from ..common.state import first_within
from ..common.targets import weigh, weight_of
from . import sssp_high_diameter
from .sssp import run, search, search_bytes, sssp, take_order

WIDTH = 64
# Relaxed nodes, per node of the graph, after which single searches are faster; a skipped node costs
# one in PASSED of a relaxed one.
MAX_WORK, PASSED = 24, 16
ONE = np.uint64(1)


@subroutine
def relax(search, order, sources, distance, fallen):
    """Fill the distances of the nodes in order, those that a search from the sources reached.

    False, and no distances, if that takes too many passes, or was stopped.
    """
    for j in range(sources.size):
        distance[np.int64(sources[j]) * WIDTH + j] = 0
        fallen[sources[j]] |= 1 << j // LANES
    n = order.size
    forwards, handed_on, work = True, 1, 0
    while handed_on and work <= MAX_WORK * n and not stopped(search.stop):
        handed_on = hand_on(search, order, distance, fallen, forwards)
        work += handed_on + n // PASSED
        forwards = not forwards
    if handed_on:
        distance[:] = np.inf
        fallen[:] = 0
    return not handed_on


@subroutine
def hand_on(search, order, distance, fallen, forwards):
    """One pass in the order or against it: relax the rows of nodes that decreased; their number.

    d(v) = min(d(v), d(u) + w(u, v)), eight columns of u at a time if one of them decreased.
    """
    indptr, indices, lengths = search.indptr, search.indices, search.lengths
    count, last = 0, order.size - 1
    for i in range(order.size):
        u = np.uint32(order[i if forwards else last - i])
        columns = np.uint64(fallen[u])
        if not columns:
            continue
        count += 1
        fallen[u] = 0
        for p in row_of(indptr, u):
            v, length = np.uint32(indices[p]), lengths[p]
            left, fell = columns, np.uint64(0)
            while left:
                block = lowest(left)
                left &= left - ONE
                head = np.int64(v) * WIDTH + block * LANES
                tail = np.int64(u) * WIDTH + block * LANES
                now, before = load(distance, tail) + length, load(distance, head)
                nearer = (now < before) & (now <= search.limit)
                if bits_of(nearer):
                    store(distance, head, select(nearer, now, before))
                    fell |= ONE << np.uint64(block)
            fallen[v] |= np.uint8(fell)
    return count


class Functions(NamedTuple):
    """Functions of the distance, in arrays, so that kernels are compiled once for any number."""

    kind: NDArray[np.int64]  # (functions,) as are the parameters: fields of `Decay`
    parameter: NDArray[np.float64]
    start: NDArray[np.int64]  # (functions + 1,) first knot of each
    distances: NDArray[np.float64]  # (knots,) of all tables
    weights: NDArray[np.float64]
    values: NDArray[np.float64]  # (8,) of the distances from eight sources


@inlined
def decay_of(functions, f):
    """Function f."""
    kind, parameter, start, distances, weights, _ = functions
    first, end = start[f], start[f + 1]
    return Decay(kind[f], parameter[f], distances[first:end], weights[first:end])


@kernel
def accumulate(search, limits, functions, sources, weights, beyond, sums):
    """Search from one source at a time, and add each to the sums."""
    n = search.distance.size
    for j in range(sources.size):
        source = sources[j]
        count, _, _ = sssp(search, sources[j : j + 1], None)
        if stopped(search.stop):
            return
        search.distance[source] = np.inf
        for i in range(1, count):
            v = np.uint32(search.order[i])
            d = search.distance[v]
            search.distance[v] = np.inf
            place = np.uint64(first_within(limits, d) * n) + v
            if functions is not None:  # weights by kind times f(d), (functions, kinds) in one row
                column = np.uint64(0)
                for f in range(functions.kind.size):
                    value = weight_of(decay_of(functions, f), d)
                    for weight in weights[j]:
                        sums.values[place, column] += weight * value
                        column += NEXT
            if beyond is not None:
                weight = weights[j]
                sums.reached[place] += np.int64(weight)
                sums.total[place] += weight * d
                sums.harmonic[place] += weight / d if d > 0 else 0.0
                sums.farthest[place] = max(sums.farthest[place], d + beyond[j])


@kernel
def accumulate_batch(search, limits, distance, fallen, functions, sources, weights, beyond, sums):
    """Search from clustered sources at once; returns their number, 0 if they are too scattered.

    After `sssp.run`. ``limits`` are finite. Row v of ``distance`` is of 64 sources, infinite
    between batches; ``fallen[v]`` has a bit for eight of them whose distance decreased, and was not
    yet propagated. ``weights`` are of 64 sources, with functions (kinds, 64) in one row.
    """
    order = search.order[: take_order(search)]
    if not relax(search, order, sources, distance, fallen):
        return 0
    for v in order:
        row, before = distance[v * WIDTH : v * WIDTH + WIDTH], 0.0
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
    """Search from sources in a shared order, eight at once; returns the number done.

    After `sssp.run`. Limits are finite. ``reverse`` is as in `sssp_high_diameter.number`.
    """
    none, done, n = search.indptr[:0], 0, search.order.size
    both = incoming, reverse, symmetric
    order = search.order[: sssp_high_diameter.number(shared, search, *both, none, none)]
    for j in range(0, sources.size, LANES):
        if stopped(search.stop):
            break
        eight = sources[j : j + LANES]
        if not sssp_high_diameter.relax(shared, incoming, eight, limits[limits.size - 1]):
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
def collect_access(functions, distance, i, limits, weights, j, v, sums):
    """Add weights by kind times f(d) of eight sources at node v, in the columns of all cutoffs.

    With distances ``distance[i:i+8]`` and weights ``weights[j:j+8]`` of each kind's 64.
    """
    n, first = sums.values.shape[0] // limits.size, 0
    d, kinds = load(distance, i), weights.size // WIDTH
    if bits_of((d > 0) & (d < np.inf)):
        for f in range(functions.kind.size):
            weigh(decay_of(functions, f), distance, i, functions.values, 0)
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
    """Add eight sources with ring[0] < distance <= ring[1] to the sums ``found``, by lane."""
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
    """Add the lanes of `collect` to the sums at v."""
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


class LengthSearch:
    """States of a batch of sources, and of a single one."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the state of a batch (at high diameter, of a shared order) and of one source."""
        batch = graph.n * (8 * WIDTH + 1)
        clustered = sssp_high_diameter.nbytes(graph) if sweep.high_diameter else batch
        return int(clustered) + search_bytes(graph.n, graph.arcs)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        self._access = sweep.access
        self._functions: Functions | None = None
        if sweep.access is not None:
            kinds, parameters, distances, weights = zip(*sweep.access.functions, strict=True)
            knots = np.cumsum([0, *map(len, distances)], dtype=np.int64)
            fields = np.array(kinds), np.array(parameters, dtype=np.float64), knots
            tables = np.concatenate(distances), np.concatenate(weights)
            self._functions = Functions(*fields, *tables, np.empty(LANES))
        self._graph, self._lengths, self._high_diameter = graph, graph.lengths, sweep.high_diameter
        self._search = search(*graph.outgoing, graph.lengths.outgoing, stop, graph.limits[-1])
        # Kernel of clustered sources, and its states, made on first use.
        self._together: tuple[Any, ...] | None = None
        self._done = 0  # sources of the batch whose search together succeeded

    def calls(self, batch: Batch, sums: Any) -> Iterator[tuple[Any, ...]]:
        """Kernels and arguments: of clustered sources together, then of the sources left over."""
        functions, sources, self._done = self._functions, batch.sources, 0
        weights, beyond = batch.stand_for(np.float64)
        if batch.clustered:
            rows = (weights, beyond) if functions is None else weights.T
            wide = np.zeros((len(rows), WIDTH))  # of whole vectors
            wide[:, : sources.size] = rows
            together = wide if functions is None else (wide.ravel(), None)
            if self._together is None:
                graph, limits = self._graph, self._graph.limits
                states: Any = self._search, np.minimum(limits, np.finfo(np.float64).max)
                if self._high_diameter:
                    states += *sssp_high_diameter.shared_order(graph), graph.symmetric
                    reverse = *graph.incoming, self._lengths.incoming
                    self._together = accumulate_clustered, *states, reverse
                else:
                    distance = aligned(graph.n * WIDTH, np.float64)
                    distance[:] = np.inf
                    fallen = np.zeros(graph.n, dtype=np.uint8)
                    self._together = accumulate_batch, *states, distance, fallen
            yield run, self._search, sources
            yield *self._together, functions, sources, *together, sums
        left = slice(self._done, None)
        each = sources[left], weights[left], None if functions else beyond[left]
        yield accumulate, self._search, self._graph.limits, functions, *each, sums

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of the batches, in their order."""
        rows = self._graph.n * self._graph.limits.size
        sums = no_sums(self._access, rows, np.float64)
        for batch in batches:
            for each, *arguments in self.calls(batch, sums):
                self._done = each(*arguments)
        return sums
