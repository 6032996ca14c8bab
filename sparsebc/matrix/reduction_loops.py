"""Loops of the reductions: trees are folded, twins found, and edges longer than a detour marked."""

# mypy: disable-error-code="no-untyped-def"

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import in_parts, inlined, kernel, stopped
from . import csr
from .csr import CSR, NEXT


@inlined
def _push_leaves(degree, stack):
    """Put all leaves on the stack; return their number."""
    top = 0
    for v in range(degree.size):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    return top


@inlined
def _remaining_arc(indptr, indices, parents, leaf):
    """Place of the one remaining arc of a leaf; the others lead to folded nodes."""
    p = np.uint64(indptr[leaf])
    while parents[np.uint32(indices[p])] >= 0:
        p += NEXT
    return p


@kernel
def fold(indptr, indices, degree, alpha, omega, children, parents, stack, stop):
    """Fold nodes of degree one until none is left: `GraphOps.fold`, in place.

    ``parents`` are -1 before; ``stack`` has room for all nodes.
    """
    top = _push_leaves(degree, stack)
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = _remaining_arc(indptr, indices, parents, leaf)
        parent = np.uint32(indices[p])
        parents[leaf] = parent
        degree[leaf] = 0
        degree[parent] -= 1
        alpha[parent] += alpha[leaf]
        omega[parent] += omega[leaf]
        children[parent] += alpha[leaf] * omega[leaf]
        if degree[parent] == 1:
            stack[top] = parent
            top += 1


@kernel
def fold_decayed(
    indptr, indices, shares, degree, parents, order, share, own, inner, before, pairs, stack, stop
):
    """Fold nodes of degree one into the fields of `DecayedTrees`; ``shares`` are e of each arc.

    ``order`` has n + 1 places; the last gets the number of folded nodes.
    """
    top, count = _push_leaves(degree, stack), 0
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = _remaining_arc(indptr, indices, parents, leaf)
        parent = np.uint32(indices[p])
        parents[leaf], share[leaf], order[count] = parent, shares[p], leaf
        count += 1
        degree[leaf] = 0
        degree[parent] -= 1
        arriving = shares[p] * (own[leaf] + inner[leaf])
        before[leaf] = inner[parent]
        pairs[parent] += inner[parent] * arriving
        inner[parent] += arriving
        if degree[parent] == 1:
            stack[top] = parent
            top += 1
    order[degree.size] = count


@kernel
def hand_down(order, parents, share, own, inner, before, around, after, stop):
    """Write U of each folded node to ``around``, from the roots down; ``after`` is zero before."""
    for i in range(order.size - 1, -1, -1):
        child = np.uint32(order[i])
        parent = np.uint32(parents[child])
        beside = own[parent] + around[parent] + before[child] + after[parent]
        around[child] = share[child] * beside
        after[parent] += share[child] * (own[child] + inner[child])
        if stopped(stop):
            break


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
        bounds = csr.parts(np.concatenate(([0], ends)), threads)
        in_parts(int(ends[-1]), bounds, csr.row_sums, *pattern, nodes, words, sums)
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


@kernel
def needed(indptr, indices, lengths, slack, nearest, is_neighbour, needed, stop):
    """Write whether no path u -> x -> v is shorter than edge u -> v by more than ``slack``.

    ``nearest`` is infinite and ``is_neighbour`` False, before and after.
    """
    for u in range(nearest.size):
        longest = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            is_neighbour[indices[p]] = True
            longest = max(longest, lengths[p])
        for p in range(indptr[u], indptr[u + 1]):
            x, first = indices[p], lengths[p]
            if stopped(stop):
                return
            if first >= longest:
                continue
            for q in range(indptr[x], indptr[x + 1]):
                v = indices[q]
                if is_neighbour[v]:
                    nearest[v] = min(nearest[v], first + lengths[q])
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            needed[p] = lengths[p] <= nearest[v] + slack
            nearest[v] = np.inf
            is_neighbour[v] = False
