"""The two products for one source at a time: the frontier is a queue of nodes.

For deep graphs whose sources lie far apart: a group of 64 would have one bit set in most of its
masks. The state of a source is small (a level and a real per node) and stays in the cache. Counts
are floats, or beyond their range those of `counts`.
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

UNVISITED, NOWHERE = np.int32(-1), np.int32(-2)
ONE = np.uint32(1)


class Source(NamedTuple):
    """State of a single source."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    omega: NDArray[np.floating[Any]]  # (n,) weight of each node as a target
    alpha: NDArray[np.floating[Any]]  # (1,) weight of the source
    sigma: NDArray[np.floating[Any]]  # (n,) path counts or their mantissas
    g: NDArray[np.floating[Any]]  # (n,) sigma itself, where there is one limit
    limits: NDArray[np.int64]  # last level of each column of the sums, ascending
    exponent: NDArray[np.int64] | None  # (n,) of sigma, beyond the range of floats
    level: NDArray[np.int32]  # (n,) UNVISITED in between
    queue: NDArray[np.int32]  # level d lies at starts[d]:starts[d + 1]
    starts: NDArray[np.int64]
    max_sigma: NDArray[np.floating[Any]]  # (1,) largest number of paths met, if floats hold it
    h: NDArray[np.floating[Any]]  # (n,) omega + lambda, for stress; what g would take without it
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
    store(batch.sigma, batch.exponent, source, m, e)
    batch.level[source] = 0
    batch.queue[0] = source
    batch.starts[0] = 0
    batch.starts[1] = 1


@overload(forward)
def source_forward(batch, depth):
    """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
    if not _is_source(batch):
        return None

    def implementation(batch, depth):
        if batch.stop[0]:
            return False
        low, high = batch.starts[depth], batch.starts[depth + 1]
        end = high
        if depth == batch.limits[-1]:
            low = high
        following = np.int32(depth + 1)
        sigma, exponent = batch.sigma, batch.exponent
        for i in range(low, high):
            u = np.uint32(batch.queue[i])
            paths, e = sigma[u], exponent_of(exponent, u)
            for p in range(batch.indptr[u], batch.indptr[u + ONE]):
                v = np.uint32(batch.indices[p])
                if batch.level[v] == UNVISITED:
                    batch.level[v] = following
                    store(sigma, exponent, v, paths, e)
                    batch.queue[end] = v
                    end += 1
                elif batch.level[v] == following:
                    m, top = added(exponent, sigma[v], exponent_of(exponent, v), paths, e)
                    store(sigma, exponent, v, m, top)
        normalize(sigma, exponent, batch.queue[high:end])
        batch.starts[depth + 2] = end
        return end > high

    return implementation


@overload(backward)
def source_backward(batch, depth, column):
    """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma.

    lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
    """
    if not _is_source(batch):
        return None

    def implementation(batch, depth, column):
        sums, sigma, exponent = batch.sums, batch.sigma, batch.exponent
        at_source, limit = sums.arcs.size or sums.departures.size, batch.limits[column]
        if batch.stop[0] or depth > limit or (depth == 0 and not at_source):
            return
        following = np.int32(depth + 1) if depth < limit else NOWHERE
        place, arcs = np.uint64(column * batch.level.size), column * batch.indices.size
        alpha = batch.alpha[0]
        max_sigma = batch.max_sigma[0]
        for i in range(batch.starts[depth], batch.starts[depth + 1]):
            u = np.uint32(batch.queue[i])
            paths, e = sigma[u], exponent_of(exponent, u)
            sum_g = batch.omega[u] - batch.omega[u]  # zero, of the state's own type
            sum_h = sum_g
            for p in range(batch.indptr[u], batch.indptr[u + ONE]):
                w = np.uint32(batch.indices[p])
                if batch.level[w] == following:
                    g = lowered(exponent, batch.g[w], exponent_of(exponent, w) - e)
                    sum_g += g
                    if sums.arcs.size:
                        sums.arcs[arcs + p] += alpha * (paths * g)
                    if sums.stress.size:
                        sum_h += batch.h[w]
            if depth == 0:
                if sums.departures.size:
                    max_sigma = max(max_sigma, sum_h)
                    sums.departures[place + u] += sum_h
                continue
            max_sigma = max(max_sigma, paths)
            if sums.stress.size:
                passing = raised(exponent, alpha * (paths * sum_h), u)
                max_sigma = max(max_sigma, passing)
                sums.stress[place + u] += passing
                if sums.arrivals.size:
                    sums.arrivals[place + u] += raised(exponent, alpha * paths, u)
                batch.h[u] = batch.omega[u] + sum_h
            if sums.dependency.size:
                delta = paths * sum_g
                sums.dependency[place + u] += alpha * delta
                if sums.squares.size:
                    sums.squares[place + u] += alpha * delta * delta
                batch.g[u] = (batch.omega[u] + delta) / paths
        batch.max_sigma[0] = max_sigma

    return implementation


@register_jitable
def finish(batch, source):
    """Count the ends of pairs, and leave every level UNVISITED."""
    ends, n = batch.sums.ends, batch.level.size
    first, depth = 0, 0  # of the columns that count this level
    while batch.starts[depth + 1] > batch.starts[depth]:
        first += batch.limits[first] < depth
        for i in range(batch.starts[depth], batch.starts[depth + 1]):
            t = batch.queue[i]
            batch.level[t] = UNVISITED
            if ends.size and depth > 0:
                pairs = np.float64(batch.alpha[0]) * np.float64(batch.omega[t])
                for place in range(first * n, ends.size, n):
                    ends[place + t] += pairs
                    ends[place + source] += pairs
        depth += 1


def _is_source(batch: Any) -> bool:
    return isinstance(batch, types.BaseNamedTuple) and batch.instance_class is Source
