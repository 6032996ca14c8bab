"""Pairs of nodes of one chain whose shortest paths run along it, from node i to j < i.

Node 0 is the near end.
With p_i the distance of node i from the near end, W the length of the chain and d_a(b) the distance
of its ends, the targets of i along the chain are j = first(i) .. i - 1, where

    2 (p_i - p_j) < W + d_a(b)    or, with ties,    2 (p_i - p_j) <= W + d_a(b)

and p_i - p_j <= L with a cutoff L. The pairs through node k are the sum over i > k of alpha_i times
omega(first(i)) + .. + omega(k - 1). Weights need not be integers: differences of prefix sums would
round. Instead, divide and conquer: runs of 2, 4, 8, .. nodes are halved, and each pair is counted
in the run whose halves separate it. first(i) is monotone, so that a run takes linear time: O(m log
m) for m nodes.
"""

from typing import Any, NamedTuple

import numpy as np

from ....jit import subroutine
from ..common.state import array


class Within(NamedTuple):
    """Sums of the nodes of a chain; row 0: without ties, row 1: with ties."""

    first: Any = array(np.int64, 2, "places")  # first target of each node
    met: Any = array(np.float64, 2, "places")  # sum of omega over its targets
    heard: Any = array(np.float64, 2, "places")  # sum of alpha over its sources
    passing: Any = array(np.float64, 2, "places")  # sum of alpha omega over the pairs through it


@subroutine
def pair_up(within, chains, k, a, between, omega, limit, tau):
    """Sum the pairs along chain k towards its near end, row a; ``between`` is d_a(b)."""
    start, size = chains.start[k], chains.start[k + 1] - chains.start[k]
    around, ties = chains.span[k] + between, False
    low = high = 0
    for i in range(size + 1):
        while low < i and (
            side(chains, start, i, low, around, tau) > 0 or along(chains, start, i, low) > limit
        ):
            low += 1
        high = max(low, high)
        while high < i and side(chains, start, i, high, around, tau) == 0:
            high += 1
        within.first[0, i], within.first[1, i] = high, low
        ties = ties or low < high
    add_up(within, chains, start, size, a, omega, 0)
    if ties:
        add_up(within, chains, start, size, a, omega, 1)
    else:
        for i in range(size + 1):
            within.met[1, i], within.heard[1, i] = within.met[0, i], within.heard[0, i]
            within.passing[1, i] = within.passing[0, i]


@subroutine
def add_up(within, chains, start, size, a, omega, which):
    """Fill row ``which`` of the sums: 0 without ties, 1 with them."""
    first, met = within.first[which], within.met[which]
    heard, passing = within.heard[which], within.passing[which]
    met[: size + 1] = 0
    heard[: size + 1] = 0
    passing[: size + 1] = 0
    half = 1
    while half <= size:
        for middle in range(half, size + 1, 2 * half):
            end = min(middle + half, size + 1)
            sent = targets = 0.0
            j = middle
            for i in range(end - 1, middle - 1, -1):
                while j > max(first[i], middle - half):
                    j -= 1
                    targets += target(chains, start, a, omega, j)
                met[i] += targets
                passing[i] += sent
                sent += chains.alpha[start + i - 1] * targets
            received = sources = 0.0
            i = middle
            for j in range(middle - half, middle):
                while i < end and first[i] <= j:
                    sources += chains.alpha[start + i - 1]
                    i += 1
                heard[j] += sources
                passing[j] += received
                received += sources * target(chains, start, a, omega, j)
        half *= 2


@subroutine
def shared(table, i, share):
    """Sum of node i, of ties only ``share``."""
    return table[0, i] + share * (table[1, i] - table[0, i])


@subroutine
def target(chains, start, a, omega, i):
    """Weight omega of node i of a chain; node 0 is the near end."""
    return omega[chains.nodes[start + i - 1] if i else a]


@subroutine
def along(chains, start, i, j):
    """Distance from node i to j along the chain."""
    return chains.place[start + i - 1] - (chains.place[start + j - 1] if j else 0.0)


@subroutine
def side(chains, start, i, j, around, tau):
    """Compare the ways from i to j: -1 if that along the chain is shorter, 0 for a tie, else 1."""
    excess = 2 * along(chains, start, i, j) - around
    slack = 0.0 if tau is None else tau
    return (excess >= -slack) + (excess > slack) - 1
