"""Nodes with the same neighbours: rows are hashed, those of one hash compared."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import in_parts
from . import csr_kernels
from .csr import CSR

# Pairs of rows compared at a time, to limit the memory of a comparison.
COMPARED = 1 << 16


def leaders(
    patterns: Sequence[CSR], nodes: NDArray[np.int32], omega: NDArray[Any], threads: int
) -> NDArray[np.int64]:
    """First twin of each of ``nodes``, ascending, among them; of every other node the node itself.

    The hash of a row is a sum of words of 64 bits, one for each column, after [Carter and Wegman,
    "Universal classes of hash functions", Journal of Computer and System Sciences 18, 143-154
    (1979)], and one for the weight as target. Open twins have the same hash; closed ones have the
    same if each node's own words are added.
    """
    every = np.arange(omega.size)
    target = np.where(patterns[-1].degrees > 0, omega, 0.0)
    words, own = every.astype(np.uint64), np.zeros(omega.size, np.uint64)
    sums, leader = scrambled(target.view(np.uint64)), every.copy()
    for pattern in patterns:
        words = scrambled(words)
        ends = np.cumsum(pattern.degrees[nodes])
        bounds = csr_kernels.parts(np.concatenate(([0], ends)), threads)
        in_parts(int(ends[-1]), bounds, csr_kernels.row_sums, *pattern, nodes, words, sums)
        own += words
    for is_closed in (False, True):
        order = nodes[np.argsort(sums[nodes], kind="stable")]
        is_first = np.ones(order.size, bool)
        is_first[1:] = sums[order[1:]] != sums[order[:-1]]
        proposed = every.copy()
        proposed[order] = order[np.flatnonzero(is_first)[np.cumsum(is_first) - 1]]
        candidates = np.flatnonzero((proposed != every) & (target == target[proposed]))
        for start in range(0, candidates.size, COMPARED):
            pairs = candidates[start : start + COMPARED]
            for pattern in patterns:
                if pairs.size:
                    pairs = pairs[have_equal_rows(pattern, proposed[pairs], pairs, is_closed)]
            leader[pairs] = proposed[pairs]
        sums += own
    return leader


def scrambled(words: Any) -> Any:
    """Pseudo-random words, one to one: a step of splitmix64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def have_equal_rows(pattern: CSR, first: Any, second: Any, is_closed: bool) -> Any:
    """Whether pairs of nodes, first < second, have the same row with the two exchanged.

    A closed twin is in the row of the other, not in its own: entries between the two are one place
    later in the row of the second.
    """
    (indptr, indices), degrees = pattern, pattern.degrees
    is_equal = degrees[first] == degrees[second]
    end = np.cumsum(np.where(is_equal, degrees[second], 0))
    pair = np.searchsorted(end, np.arange(int(end[-1])), side="right")
    before = np.arange(pair.size) - end[pair]  # negative: places from the end of the row
    u, place = indices[indptr[second + 1][pair] + before], indptr[first + 1][pair] + before
    is_leader = u == first[pair]
    if is_closed:
        place += (u > second[pair]).astype(np.int64) - (u > first[pair])
        is_linked = np.zeros(is_equal.size, bool)
        is_linked[pair[is_leader]] = True
        is_equal &= is_linked
    is_equal[pair[(indices[place] != u) & ~(is_leader & is_closed)]] = False
    return is_equal
