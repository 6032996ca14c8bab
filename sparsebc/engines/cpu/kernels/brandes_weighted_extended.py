"""The two products on a weighted graph where path counts leave the range of floats.

A count is m 2**e with 1/2 <= m < 1. Counts never fall along a tight edge u -> v, so e(u) <= e(v),
and scaling by a power of two rounds nothing: shares are as accurate as with plain floats. Each
tight edge hands its share sigma(u) g(v) to its tail, where the shares add up to delta.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable


@register_jitable
def forward(paths, order):
    """Count the paths to each node along its tight edges, and keep those."""
    distance, mantissa, exponent = paths.distance, paths.sigma, paths.exponent
    tight = 0
    for i in range(order.size):
        v = order[i]
        bound = distance[v] + paths.rule.rtol * distance[v]
        paths.starts[i] = tight
        total, top = (0.0, 0) if i else (0.5, 1)
        for p in range(paths.in_indptr[v], paths.in_indptr[v + 1]):
            u = paths.in_indices[p]
            if distance[u] + paths.in_lengths[p] > bound:
                continue
            paths.tails[tight] = u
            if paths.entries.size:
                paths.entries[tight] = p
            tight += 1
            if exponent[u] > top:
                total = math.ldexp(total, top - exponent[u])
                top = exponent[u]
            total += math.ldexp(mantissa[u], exponent[u] - top)
        mantissa[v], shift = math.frexp(total)
        exponent[v] = top + shift
    paths.starts[order.size] = tight


@register_jitable
def backward(paths, order, alpha):
    """Hand shares and h down the tight edges, from the farthest head to the nearest.

    Shares take the place of distances, which are infinite in the end.
    """
    omega, mantissa, exponent = paths.omega, paths.sigma, paths.exponent
    delta, beyond = paths.distance, paths.beyond
    for v in order:
        delta[v] = 0
        if paths.stress.size:
            beyond[v] = 0
    for i in range(order.size - 1, 0, -1):
        v = order[i]
        if paths.dependency.size:
            paths.dependency[v] += alpha * delta[v]
        if paths.squares.size:
            paths.squares[v] += alpha * delta[v] * delta[v]
        if paths.stress.size:
            paths.stress[v] += math.ldexp(alpha * mantissa[v] * beyond[v], exponent[v])
        g = (omega[v] + delta[v]) / mantissa[v]
        for p in range(paths.starts[i], paths.starts[i + 1]):
            u = paths.tails[p]
            share = math.ldexp(mantissa[u] * g, exponent[u] - exponent[v])
            delta[u] += share
            if paths.arcs.size:
                paths.arcs[paths.entries[p]] += alpha * share
            if paths.stress.size:
                beyond[u] += omega[v] + beyond[v]
        delta[v] = np.inf
    delta[order[0]] = np.inf
