"""The two products for one source at a time, where path counts leave the range of floats.

A count is m 2**e with 1/2 <= m < 1, normalized once its level is complete. Counts never fall from
a level to the next, so sigma(u) / sigma(v) of an arc u -> v has e(u) - e(v) <= 0, and scaling by a
power of two rounds nothing: shares are as accurate as with plain floats. In place of sigma(v), g(v)
keeps the exponent of sigma(v) and (omega + delta) / m for a mantissa.

Slower than the other kernels, and reached only by the groups that need it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from ....brandes import backward, forward, sweep
from ....jit import kernel
from .brandes_source import UNVISITED
from .sums import Sums

# 2**-d for every d at which the product with a mantissa is not zero.
POWERS = np.ldexp(1.0, -np.arange(1076))


class Extended(NamedTuple):
    """State of a single source."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    alpha: NDArray[np.float64]  # (1,) weight of the source
    mantissa: NDArray[np.float64]  # (n,) of sigma, then of g
    exponent: NDArray[np.int64]  # (n,) of sigma
    suffixes: NDArray[np.float64]  # (n,) omega + lambda, if stress is wanted
    level: NDArray[np.int32]  # (n,) UNVISITED in between
    queue: NDArray[np.int32]  # level d lies at starts[d]:starts[d + 1]
    starts: NDArray[np.int64]
    sums: Sums
    stop: NDArray[np.uint8]  # (1,) set from outside to end early
    powers: NDArray[np.float64]  # POWERS


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
    batch.mantissa[source] = 0.5
    batch.exponent[source] = 1
    batch.queue[0] = source
    batch.starts[0] = 0
    batch.starts[1] = 1


@register_jitable
def scaled(batch, value, down):
    """``value * 2**-down`` for down >= 0."""
    return value * batch.powers[down] if down < batch.powers.size else 0.0


@overload(forward)
def extended_forward(batch, depth):
    """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
    if not _is_extended(batch):
        return None

    def implementation(batch, depth):
        if batch.stop[0]:
            return False
        low, high = batch.starts[depth], batch.starts[depth + 1]
        end = high
        following = np.int32(depth + 1)
        for i in range(low, high):
            u = batch.queue[i]
            m, e = batch.mantissa[u], batch.exponent[u]
            for p in range(batch.indptr[u], batch.indptr[u + 1]):
                v = batch.indices[p]
                if batch.level[v] == UNVISITED:
                    batch.level[v] = following
                    batch.mantissa[v] = m
                    batch.exponent[v] = e
                    batch.queue[end] = v
                    end += 1
                elif batch.level[v] == following:
                    up = e - batch.exponent[v]
                    if up > 0:
                        batch.mantissa[v] = scaled(batch, batch.mantissa[v], up) + m
                        batch.exponent[v] = e
                    else:
                        batch.mantissa[v] += scaled(batch, m, -up)
        for i in range(high, end):
            v = batch.queue[i]
            m, shift = math.frexp(batch.mantissa[v])
            batch.mantissa[v] = m
            batch.exponent[v] += shift
        batch.starts[depth + 2] = end
        return end > high

    return implementation


@overload(backward)
def extended_backward(batch, depth):
    """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma.

    lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
    """
    if not _is_extended(batch):
        return None

    def implementation(batch, depth):
        if batch.stop[0]:
            return
        following = np.int32(depth + 1)
        alpha = batch.alpha[0]
        for i in range(batch.starts[depth], batch.starts[depth + 1]):
            u = batch.queue[i]
            m, e = batch.mantissa[u], batch.exponent[u]
            delta = beyond = 0.0
            for p in range(batch.indptr[u], batch.indptr[u + 1]):
                w = batch.indices[p]
                if batch.level[w] == following:
                    share = scaled(batch, m * batch.mantissa[w], batch.exponent[w] - e)
                    delta += share
                    if batch.sums.arcs.size:
                        batch.sums.arcs[p] += alpha * share
                    if batch.sums.stress.size:
                        beyond += batch.suffixes[w]
            if depth == 0:
                if batch.sums.departures.size:
                    batch.sums.departures[u] += beyond
                continue
            if batch.sums.arrivals.size:
                batch.sums.arrivals[u] += math.ldexp(alpha * m, e)
            if batch.sums.dependency.size:
                batch.sums.dependency[u] += alpha * delta
            if batch.sums.squares.size:
                batch.sums.squares[u] += alpha * delta * delta
            if batch.sums.stress.size:
                batch.sums.stress[u] += math.ldexp(alpha * m * beyond, e)
                batch.suffixes[u] = batch.omega[u] + beyond
            batch.mantissa[u] = (batch.omega[u] + delta) / m

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


def _is_extended(batch: Any) -> bool:
    return isinstance(batch, types.BaseNamedTuple) and batch.instance_class is Extended
