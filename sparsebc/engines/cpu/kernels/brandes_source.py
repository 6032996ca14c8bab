"""The two products for one source at a time: the frontier is a queue of nodes.

For deep graphs whose sources lie far apart: a group of 64 would have one bit set in most of its
masks. The state of a source is small (a level and a real per node) and stays in the cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from ....brandes import backward, forward, sweep
from ....jit import kernel
from .sums import Sums

UNVISITED = np.int32(-1)
ONE = np.uint32(1)


class Columns(NamedTuple):
    """State of a single source."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    omega: NDArray[np.floating[Any]]  # (n,) weight of each node as a target
    alpha: NDArray[np.floating[Any]]  # (1,) weight of the source
    sigma: NDArray[np.floating[Any]]  # (n,) path counts, then g
    level: NDArray[np.int32]  # (n,) UNVISITED in between
    queue: NDArray[np.int32]  # level d lies at starts[d]:starts[d + 1]
    starts: NDArray[np.int64]
    max_sigma: NDArray[np.floating[Any]]  # (1,) largest number of paths met
    suffixes: NDArray[np.floating[Any]]  # (n,) h for stress; sigma itself, unless g takes its place
    sums: Sums
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


@kernel
def run(batch, sources, alpha, ends):
    """Sweep the sources one after the other.

    ``ends`` gets the pairs that end or begin at each node, unless it is empty.
    """
    for j in range(sources.size):
        batch.alpha[0] = alpha[j]
        begin(batch, sources[j])
        sweep(batch)
        if batch.stop[0]:
            return
        finish(batch, sources[j], ends)


@register_jitable
def begin(batch, source):
    """Level 0: the source itself, with one path."""
    batch.level[source] = 0
    batch.sigma[source] = 1
    batch.queue[0] = source
    batch.starts[0] = 0
    batch.starts[1] = 1


@overload(forward)
def columns_forward(batch, depth):
    """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
    if not _is_columns(batch):
        return None

    def implementation(batch, depth):
        if batch.stop[0]:
            return False
        low, high = batch.starts[depth], batch.starts[depth + 1]
        end = high
        following = np.int32(depth + 1)
        for i in range(low, high):
            u = np.uint32(batch.queue[i])
            paths = batch.sigma[u]
            for p in range(batch.indptr[u], batch.indptr[u + ONE]):
                v = np.uint32(batch.indices[p])
                if batch.level[v] == UNVISITED:
                    batch.level[v] = following
                    batch.sigma[v] = paths
                    batch.queue[end] = v
                    end += 1
                elif batch.level[v] == following:
                    batch.sigma[v] += paths
        batch.starts[depth + 2] = end
        return end > high

    return implementation


@overload(backward)
def columns_backward(batch, depth):
    """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma.

    lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
    """
    if not _is_columns(batch):
        return None

    def implementation(batch, depth):
        at_source = batch.sums.arcs.size or batch.sums.departures.size
        if batch.stop[0] or (depth == 0 and not at_source):
            return
        following = np.int32(depth + 1)
        alpha = batch.alpha[0]
        max_sigma = batch.max_sigma[0]
        for i in range(batch.starts[depth], batch.starts[depth + 1]):
            u = np.uint32(batch.queue[i])
            paths = batch.sigma[u]
            below = batch.omega[u] - batch.omega[u]  # zero, of the state's own type
            beyond = below
            for p in range(batch.indptr[u], batch.indptr[u + ONE]):
                w = np.uint32(batch.indices[p])
                if batch.level[w] == following:
                    below += batch.sigma[w]
                    if batch.sums.arcs.size:
                        batch.sums.arcs[p] += alpha * (paths * batch.sigma[w])
                    if batch.sums.stress.size:
                        beyond += batch.suffixes[w]
            if depth == 0:
                if batch.sums.departures.size:
                    max_sigma = max(max_sigma, beyond)
                    batch.sums.departures[u] += beyond
                continue
            max_sigma = max(max_sigma, paths)
            if batch.sums.stress.size:
                passing = alpha * (paths * beyond)
                max_sigma = max(max_sigma, passing)
                batch.sums.stress[u] += passing
                if batch.sums.arrivals.size:
                    batch.sums.arrivals[u] += alpha * paths
                batch.suffixes[u] = batch.omega[u] + beyond
            if batch.sums.dependency.size:
                delta = paths * below
                batch.sums.dependency[u] += alpha * delta
                if batch.sums.squares.size:
                    batch.sums.squares[u] += alpha * delta * delta
                batch.sigma[u] = (batch.omega[u] + delta) / paths
        batch.max_sigma[0] = max_sigma

    return implementation


@register_jitable
def finish(batch, source, ends):
    """Count the ends of pairs, and leave every level UNVISITED."""
    depth = 0
    while batch.starts[depth + 1] > batch.starts[depth]:
        for i in range(batch.starts[depth], batch.starts[depth + 1]):
            t = batch.queue[i]
            batch.level[t] = UNVISITED
            if ends.size and depth > 0:
                ends[t] += batch.omega[t]
                ends[source] += batch.omega[t]
        depth += 1


def _is_columns(batch: Any) -> bool:
    return isinstance(batch, types.BaseNamedTuple) and batch.instance_class is Columns
