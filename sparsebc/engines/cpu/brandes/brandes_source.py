"""Unweighted Brandes, one source at a time (high-diameter graphs): the frontier is a queue.

There a batch of 64 would have few bits set in most of its masks. Arrays are indexed by place, the
position of a node in the queue, so that a level is a slice of each array. Forward looks up the
places of a node's successors and stores the tight arcs, between consecutive levels, as pairs of
places; an unvisited node gets the next place. This loop has no branch, which would be mispredicted
at every second arc, and prefetches the rows of nodes further on in the queue. Both products then
run over the tight arcs only. Counts are floats, or beyond their range those of `counts`.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import kernel, optimized, optimized_inlined, stopped
from ...common.brandes import sweep
from ..common.counts import added, exponent_of, lowered, normalize, one, raised, store
from ..common.short_rows import AHEAD, SHORT, Rows, fetch_ahead, is_short
from ..common.simd import prefetch
from ..common.state import DONE, STOPPED, array
from ..common.targets import Targets, all_met, end, meet, seed_level, seek_targets

UNVISITED = np.uint32(2**32 - 1)  # larger than any place
ONE = np.uint64(1)
SWEPT = 8  # If more than one node in SWEPT was reached, the whole array of places is cleared.


class Source(NamedTuple):
    """State of a single source."""

    rows: Rows
    targets: Targets  # fill omega for each source, unless it is the same for all
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    omega_h: NDArray[np.float64]  # (n,) omega of the stress sums
    limits: NDArray[np.int64]  # last level of each column of the sums, ascending
    sought: Any  # `Sought`: targets, of which the last ends the forward phase
    sums: Any  # `Sums`
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it
    alpha: Any = array(np.float64, 1)  # weight of the source
    place: Any = array(np.uint32, "n", fill=UNVISITED)  # of each node in the queue
    starts: Any = array(np.int64, "levels")  # level d is queue[starts[d]:starts[d + 1]]
    leaving: Any = array(np.int64, "levels")  # arcs out of level d: leaving[d]:leaving[d + 1]
    sigma: Any = array(np.float64, "n")  # path counts, by place, as are g, h and exponent
    g: Any = array(np.float64, "nodes of g")  # sigma itself if there is one cutoff
    h: Any = array(np.float64, "nodes of h")  # omega + lambda, for stress; else sigma itself
    exponent: Any = array(np.int64, "exponents")  # of sigma, beyond the range of floats; or None
    sum_g: Any = array(np.float64, "n")  # sums over successors, by place - starts[d]
    sum_h: Any = array(np.float64, "n")
    max_sigma: Any = array(np.float64, 1)  # largest path count, or its mantissa
    queue: Any = array(np.uint32, "queue")
    tails: Any = array(np.uint32, "tight")  # places of the tails of tight arcs; one slot to spare
    heads: Any = array(np.uint32, "tight")  # places of their heads
    entries: Any = array(np.int64, "entries")  # their numbers, if arcs are summed


@kernel
def run(batch, sources, alpha):
    """Sweep the sources one at a time."""
    for j in range(sources.size):
        batch.alpha[0] = alpha[j]
        visit_source(batch, sources[j])
        swept(batch)
        if stopped(batch.stop):
            return STOPPED
        finish(batch, sources[j])
    return DONE


@optimized
def swept(batch):
    """`sweep`, optimized before it is linked into `run`."""
    sweep(batch, forward, backward)


@optimized
def visit_source(batch, source):
    """Level 0: the source itself, with one path."""
    m, e = one(batch.exponent)
    store(batch.sigma, batch.exponent, 0, m, e)
    batch.place[source] = 0
    batch.queue[0] = source
    batch.starts[0] = 0
    batch.starts[1] = 1
    batch.leaving[0] = 0
    seek_targets(batch.sought, batch.targets, source)
    meet(batch.sought, source)


@optimized_inlined
def forward(batch, depth):
    """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
    if stopped(batch.stop):
        return False
    low, high = np.uint64(batch.starts[depth]), np.uint64(batch.starts[depth + 1])
    first = np.uint64(batch.leaving[depth])
    end, last = high, first
    if depth < batch.limits[-1] and not all_met(batch.sought):
        if batch.entries.size:  # specialized by constants, so that no arc tests it
            end, last = look_around(batch, low, high, first, True)
        else:
            end, last = look_around(batch, low, high, first, False)
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
    if batch.sought.weight.size:
        for v in batch.queue[high:end]:
            meet(batch.sought, v)
    seed_level(batch.targets, depth + 1, batch.queue[high:end], batch.omega)
    return end > high


@optimized_inlined
def look_around(batch, low, high, first, numbered):
    """Queue the successors of level low:high and store the tight arcs; return both new ends."""
    rows, place, queue = batch.rows, batch.place, batch.queue
    end, found = high, first
    for i in range(low, high):
        u = np.uint64(queue[i])
        prefetch(place, fetch_ahead(rows, queue, i))
        if is_short(rows, u):
            p = np.uint64(rows.indptr[u]) if numbered else np.uint64(0)
            for k in range(SHORT):
                v = rows.records[SHORT * u + k]
                end, found = look(batch, i, v, p + k, high, end, found, numbered)
        else:
            p = np.uint64(rows.indptr[u])
            while p < np.uint64(rows.indptr[u + ONE]):  # reloaded, so that it is not unrolled
                v = np.uint32(rows.indices[p])
                end, found = look(batch, i, v, p, high, end, found, numbered)
                p += ONE
    return end, found


@optimized_inlined
def look(batch, i, v, p, high, end, found, numbered):
    """Give node v a place if it has none, and store arc p from place i if it is tight."""
    at = min(np.uint64(batch.place[v]), end)
    batch.place[v] = at
    batch.queue[end] = v
    end += np.uint64(at == end)
    batch.tails[found] = i
    batch.heads[found] = at
    if numbered:
        batch.entries[found] = p
    found += np.uint64(at >= high)
    return end, found


@optimized_inlined
def backward(batch, depth, column):
    """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma.

    lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
    """
    sums, limit = batch.sums, batch.limits[column]
    if depth > limit or (depth == 0 and not sums.arcs.size) or stopped(batch.stop):
        return
    low, high = np.uint64(batch.starts[depth]), np.uint64(batch.starts[depth + 1])
    first, last = np.uint64(batch.leaving[depth]), np.uint64(batch.leaving[depth + 1])
    if depth == limit:
        last = first
    if sums.dependency.size:
        gather(batch, low, high, first, last, column)
    if depth > 0:
        if sums.stress.size:
            h, sum_h = batch.h, batch.sum_h
            sum_h[: high - low] = 0
            for e in range(first, last):
                sum_h[batch.tails[e] - low] += h[batch.heads[e]]
        commit(batch, low, high, np.uint64(column * batch.place.size))


@optimized_inlined
def gather(batch, low, high, first, last, column):
    """Fill sum_g of places low:high along the tight arcs first:last, and add their edge scores."""
    g, sum_g, tails, heads = batch.g, batch.sum_g, batch.tails, batch.heads
    exponent, arcs = batch.exponent, batch.sums.arcs
    of_column = np.uint64(column * batch.rows.indices.size)
    sum_g[: high - low] = 0
    for e in range(first, last):
        u, v = tails[e], heads[e]
        seen = lowered(exponent, g[v], exponent_of(exponent, v) - exponent_of(exponent, u))
        sum_g[u - low] += seen
        if arcs.size:
            entry = of_column + np.uint64(batch.entries[e])
            arcs[entry] += batch.alpha[0] * (batch.sigma[u] * seen)


@optimized_inlined
def commit(batch, low, high, first):
    """Add places low:high to the sums of the column at ``first``, and fill their h and g.

    Stress first, as g may overwrite sigma; one loop for both took a tenth longer.
    """
    sums, exponent, alpha = batch.sums, batch.exponent, batch.alpha[0]
    queue, sigma, omega, g, h = batch.queue, batch.sigma, batch.omega, batch.g, batch.h
    max_sigma = batch.max_sigma[0]
    if sums.stress.size:
        for i in range(low, high):
            v, paths, sum_h = np.uint64(queue[i]), sigma[i], batch.sum_h[i - low]
            passing = raised(exponent, alpha * (paths * sum_h), i)
            max_sigma = max(max_sigma, paths, passing)
            sums.stress[first + v] += passing
            h[i] = batch.omega_h[v] + sum_h
    if sums.dependency.size:
        for i in range(low, high):
            v, later = np.uint64(queue[i]), queue[i + AHEAD]
            prefetch(omega, later)
            prefetch(sums.dependency, first + later)
            paths = sigma[i]
            max_sigma = max(max_sigma, paths)
            delta = paths * batch.sum_g[i - low]
            sums.dependency[first + v] += alpha * delta
            if sums.squares.size:
                sums.squares[first + v] += alpha * delta * delta
            g[i] = (omega[v] + delta) / paths
    batch.max_sigma[0] = max_sigma


@optimized
def finish(batch, source):
    """Add alpha omega(t) at s and t for each pair (s, t), and reset the state."""
    ends, n = batch.sums.ends, batch.place.size
    first, depth = 0, 0  # first column whose cutoff includes the level
    while batch.starts[depth + 1] > batch.starts[depth]:
        first += batch.limits[first] < depth
        if ends.size and depth > 0:
            for t in batch.queue[batch.starts[depth] : batch.starts[depth + 1]]:
                pairs = batch.alpha[0] * batch.omega[t]
                for place in range(first * n, ends.size, n):
                    ends[place + t] += pairs
                    ends[place + source] += pairs
        depth += 1
    end(batch.sought, batch.targets, source)
    forget(batch, batch.queue[: batch.starts[depth]])


@optimized
def forget(batch, reached):
    """Reset the places of the nodes reached to UNVISITED."""
    if reached.size > batch.place.size // SWEPT:
        batch.place[:] = UNVISITED
    else:
        for v in reached:
            batch.place[v] = UNVISITED
