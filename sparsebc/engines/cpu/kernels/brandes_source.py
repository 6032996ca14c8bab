"""The two products for one source at a time: the frontier is a queue of nodes.

For deep graphs: a group of 64 would have few bits set in most of its masks. Nodes are known by
their place in the queue, so that a level is a stretch of each array. Forward looks up the places of
a node's successors and keeps the tight arcs, from one level to the next, as pairs of places; a
node not found before gets the next place. Nothing there is decided by a branch, which would be
guessed wrong at every second arc. Both products are walks over the tight arcs alone, in the cache.
Counts are floats, or beyond their range those of `counts`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from ....brandes import backward, forward, sweep
from ....jit import kernel
from .counts import added, exponent_of, lowered, normalize, one, raised, store

UNVISITED = np.uint32(2**32 - 1)  # larger than any place
ONE = np.uint32(1)


class Source(NamedTuple):
    """State of a single source; what has the length ``n + 1`` or ``tight`` has room to spare."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    omega: NDArray[np.floating[Any]]  # (n,) weight of each node as a target
    alpha: NDArray[np.floating[Any]]  # (1,) weight of the source
    place: NDArray[np.uint32]  # (n,) of each node in the queue; UNVISITED in between
    queue: NDArray[np.uint32]  # (n + 1,) level d lies at starts[d]:starts[d + 1]
    starts: NDArray[np.int64]
    tails: NDArray[np.uint32]  # (tight,) places; the arcs that leave level d lie at
    heads: NDArray[np.uint32]  # (tight,) leaving[d]:leaving[d + 1]
    entries: NDArray[np.int64]  # (tight,) number of each arc, where arcs are summed
    leaving: NDArray[np.int64]
    sigma: NDArray[np.floating[Any]]  # (n,) by place, as are the next three: path counts
    exponent: NDArray[np.int64] | None  # of sigma, beyond the range of floats
    g: NDArray[np.floating[Any]]  # sums of g over successors, then g; empty if not wanted
    h: NDArray[np.floating[Any]]  # the same of omega + lambda, for stress
    limits: NDArray[np.int64]  # last level of each column of the sums, ascending
    max_sigma: NDArray[np.floating[Any]]  # (1,) largest number of paths met, if floats hold it
    sums: Any  # `Sums`
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


@kernel
def run(batch, sources, alpha):
    """Sweep the sources one after the other."""
    for j in range(sources.size):
        batch.alpha[0] = alpha[j]
        begin(batch, sources[j])
        sweep(batch)
        if batch.stop[0]:
            return
        finish(batch, sources[j])


@register_jitable
def begin(batch, source):
    """Level 0: the source itself, with one path."""
    m, e = one(batch.exponent)
    store(batch.sigma, batch.exponent, 0, m, e)
    batch.place[source] = 0
    batch.queue[0] = source
    batch.starts[0] = 0
    batch.starts[1] = 1
    batch.leaving[0] = 0


@overload(forward)
def source_forward(batch, depth):
    """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
    if not _is_source(batch):
        return None

    def implementation(batch, depth):
        if batch.stop[0]:
            return False
        low, high = np.uint64(batch.starts[depth]), np.uint64(batch.starts[depth + 1])
        first = np.uint64(batch.leaving[depth])
        end, last = high, first
        if depth < batch.limits[-1]:
            end, last = look_around(batch, low, high, first)
        batch.starts[depth + 2] = end
        batch.leaving[depth + 1] = last
        sigma, exponent, tails, heads = batch.sigma, batch.exponent, batch.tails, batch.heads
        for v in range(high, end):
            store(sigma, exponent, v, 0, 0)
        for e in range(first, last):
            u, v = tails[e], heads[e]
            m, top = added(
                *(exponent, sigma[v], exponent_of(exponent, v)),
                *(sigma[u], exponent_of(exponent, u)),
            )
            store(sigma, exponent, v, m, top)
        normalize(sigma, exponent, range(high, end))
        return end > high

    return implementation


@register_jitable
def look_around(batch, low, high, first):
    """Queue the level after low:high and keep the arcs that lead there: where both end."""
    indptr, indices, place, queue = batch.indptr, batch.indices, batch.place, batch.queue
    tails, heads, entries = batch.tails, batch.heads, batch.entries
    end, found = high, first
    for i in range(low, high):
        u = queue[i]
        for p in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            v = np.uint32(indices[p])
            at = min(np.uint64(place[v]), end)
            place[v] = at
            queue[end] = v
            end += np.uint64(at == end)
            tails[found] = i
            heads[found] = at
            if entries.size:
                entries[found] = p
            found += np.uint64(at >= high)
    return end, found


@overload(backward)
def source_backward(batch, depth, column):
    """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma.

    lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
    """
    if not _is_source(batch):
        return None

    def implementation(batch, depth, column):
        sums, limit = batch.sums, batch.limits[column]
        at_source = sums.arcs.size or sums.departures.size
        if batch.stop[0] or depth > limit or (depth == 0 and not at_source):
            return
        low, high = np.uint64(batch.starts[depth]), np.uint64(batch.starts[depth + 1])
        first, last = np.uint64(batch.leaving[depth]), np.uint64(batch.leaving[depth + 1])
        if depth == limit:
            last = first
        if sums.dependency.size:
            gather(batch, low, high, first, last, column)
        if sums.stress.size:
            gather_h(batch, low, high, first, last)
        place = np.uint64(column * batch.place.size)
        if depth > 0:
            commit(batch, low, high, place)
        elif sums.departures.size:
            batch.max_sigma[0] = max(batch.max_sigma[0], batch.h[0])
            sums.departures[place + batch.queue[0]] += batch.h[0]

    return implementation


@register_jitable
def gather(batch, low, high, first, last, column):
    """g<low:high> = sums of g over successors, along the arcs first:last; what these carry."""
    g, exponent, tails, heads = batch.g, batch.exponent, batch.tails, batch.heads
    arcs, of_column = batch.sums.arcs, np.uint64(column * batch.indices.size)
    for u in range(low, high):
        g[u] = 0
    for e in range(first, last):
        u, v = tails[e], heads[e]
        seen = lowered(exponent, g[v], exponent_of(exponent, v) - exponent_of(exponent, u))
        g[u] += seen
        if arcs.size:
            entry = of_column + np.uint64(batch.entries[e])
            arcs[entry] += batch.alpha[0] * (batch.sigma[u] * seen)


@register_jitable
def gather_h(batch, low, high, first, last):
    """h<low:high> = sums of h over successors, along the arcs first:last."""
    h, tails, heads = batch.h, batch.tails, batch.heads
    for u in range(low, high):
        h[u] = 0
    for e in range(first, last):
        h[tails[e]] += h[heads[e]]


@register_jitable
def commit(batch, low, high, first):
    """What the nodes of a level add to the sums at ``first``; leaves g and h behind."""
    sums, exponent, alpha = batch.sums, batch.exponent, batch.alpha[0]
    queue, sigma, omega, g, h = batch.queue, batch.sigma, batch.omega, batch.g, batch.h
    max_sigma = batch.max_sigma[0]
    for i in range(low, high):
        v = queue[i]
        paths, place = sigma[i], first + np.uint64(v)
        max_sigma = max(max_sigma, paths)
        if sums.dependency.size:
            delta = paths * g[i]
            sums.dependency[place] += alpha * delta
            if sums.squares.size:
                sums.squares[place] += alpha * delta * delta
            g[i] = (omega[v] + delta) / paths
        if sums.stress.size:
            passing = raised(exponent, alpha * (paths * h[i]), i)
            max_sigma = max(max_sigma, passing)
            sums.stress[place] += passing
            if sums.arrivals.size:
                sums.arrivals[place] += raised(exponent, alpha * paths, i)
            h[i] += omega[v]
    batch.max_sigma[0] = max_sigma


@register_jitable
def finish(batch, source):
    """Count the ends of pairs, and leave every place UNVISITED."""
    ends, n = batch.sums.ends, batch.place.size
    first, depth = 0, 0  # of the columns that count this level
    while batch.starts[depth + 1] > batch.starts[depth]:
        first += batch.limits[first] < depth
        for i in range(batch.starts[depth], batch.starts[depth + 1]):
            t = batch.queue[i]
            batch.place[t] = UNVISITED
            if ends.size and depth > 0:
                pairs = np.float64(batch.alpha[0]) * np.float64(batch.omega[t])
                for place in range(first * n, ends.size, n):
                    ends[place + t] += pairs
                    ends[place + source] += pairs
        depth += 1


def _is_source(batch: Any) -> bool:
    return isinstance(batch, types.BaseNamedTuple) and batch.instance_class is Source
