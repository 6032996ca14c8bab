"""Inner nodes of a chain as sources, by the searches from its two ends a and b.

Node i of a chain, at distance p_i from its near end a, reaches a target t by way of a if

    2 p_i < D(t),   D(t) = W + d_b(t) - d_a(t)

with W the length of the chain, and if 2 p_i = D(t) by a share sigma_a(t) / (sigma_a(t) +
sigma_b(t)) of its paths. So targets fall into *cells* of D: cell 2 k, where a stands for the first
k nodes, and 2 k - 1, where it shares the k-th with b. The sweep from a takes, as the weight of each
target, the sum of alpha over the nodes that a stands for. The sums of omega over the targets of
each cell give the flow from each node by way of a, and so along each arc.

For stress each path counts, and not each pair: paths by way of a and of b are different paths. So
both ends stand for the node that they share, each by all of its own paths: node i has
alpha_i omega(t) sigma_a(t) paths by way of a, and one along the chain to each node that is as near
that way. With integer weights all sums are exact up to 2**53.

With a cutoff L, a stands for no node with p_i > L - d_a(t): if the k-th is the last before, the
cell is at most 2 k. A target that b has not reached within L is farther from b than from a.

A target on the chain itself, at distance p from a, is at distance p - p_i along the chain, as if it
were p - W from b on one path; so with d_b(t) = p - W and sigma_b(t) = 1 the rule holds for paths by
way of a, out of the chain and back by b. Pairs along the chain (below) count fully if that
way is shorter, and with a tie by the share of one path among 1 + sigma_a(b).

Integers stay integers, but for shares. Weighted, two ways tie if their lengths differ by at most
tau, that is if 2 p_i and D(t) do; ``tau`` is None if unweighted.

Pairs of nodes of one chain whose shortest paths run along it, from node i to j < i, are summed by
`Within`. Node 0 is the near end. With p_i the distance of node i from the near end, W the length of
the chain and d_a(b) the distance of its ends, the targets of i along the chain are j = first(i) ..
i - 1, where

    2 (p_i - p_j) < W + d_a(b)    or, with ties,    2 (p_i - p_j) <= W + d_a(b)

and p_i - p_j <= L with a cutoff L. The pairs through node k are the sum over i > k of alpha_i times
omega(first(i)) + .. + omega(k - 1). Weights need not be integers: differences of prefix sums would
round. Instead, divide and conquer: runs of 2, 4, 8, .. nodes are halved, and each pair is counted
in the run whose halves separate it. first(i) is monotone, so that a run takes linear time: O(m log
m) for m nodes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import subroutine
from ..common.counts import added, exponent_of, lowered, one, raised, store
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


# Accumulators of a cell, used in turn: neighbours fall into one cell, and additions to a single
# accumulator would wait for each other.
TURNS = 4
# Level of a node that is not reached.
NOWHERE = np.int32(2**30)


class Work(NamedTuple):
    """Work space for a chain of up to m nodes, which has 2 m + 1 cells."""

    within: Any  # `Within`
    below: Any = array(np.float64, "cells")  # sum of alpha over the nodes that a stands for
    at: Any = array(np.float64, "cells")  # alpha of the node that a shares with b
    met: Any = array(np.float64, TURNS, "cells")  # sum of omega over the targets
    shares: Any = array(np.float64, "cells")  # sum of omega times share
    paths: Any = array(np.float64, TURNS, "cells")  # sum of omega sigma_a
    # Saved by `lay_behind`: values of b's search at a and the inner nodes.
    distance: Any = array("distance", "places")
    sigma: Any = array(np.float64, "places")
    exponent: Any = array(np.int64, "places")


class Column(NamedTuple):
    """Distances and counts of the search from an end."""

    distance: NDArray[Any]  # (n,) NOWHERE or infinite if there is no path
    sigma: NDArray[np.float64]  # (n,)
    exponent: NDArray[np.int64] | None  # (n,) beyond the range of floats


def sizes(longest: int, distance: Any) -> dict[str, Any]:
    """Sizes of `Work` for chains of up to ``longest`` nodes, and type of distances."""
    places = longest + 1
    return {"cells": places + longest, "places": places, "distance": distance}


@subroutine
def assign_targets(work, chains, k, near, far, targets, rows, limit, tau, sums):
    """Add to the weights of the targets in ``rows`` those of the nodes of chain k, and fill cells.

    After `fill_cells` and `lay_behind`.
    """
    place, span = chains.place[chains.start[k] : chains.start[k + 1]], chains.span[k]
    for t in rows:
        omega, turn = targets.omega[t], t % TURNS
        cell = cell_of(place, span, near.distance[t], far.distance[t], limit, tau)
        below, at = work.below[cell], work.at[cell]
        if sums.dependency.size:
            targets.pairs[t] += below
            work.met[turn, cell] += omega
            if at != 0:
                share = share_of(
                    *(near.exponent, near.sigma[t], exponent_of(near.exponent, t)),
                    *(far.sigma[t], exponent_of(far.exponent, t)),
                )
                targets.pairs[t] += at * share
                work.shares[cell] += omega * share
        if sums.stress.size:
            targets.paths[t] += below + at
            work.paths[turn, cell] += raised(near.exponent, omega * near.sigma[t], t)


@subroutine
def accumulate_chain(work, chains, k, a, omega, share, sums, node, entry):
    """Add the flow towards the near end of chain k to the sums of its nodes and arcs.

    Flow through node i is of nodes farther from a; that of i joins it on the arc to i - 1.
    ``share`` is that of the path along the chain, from `weigh`; the column's sums begin at ``node``
    and ``entry``. Returns the largest stress of a node, 0 if not wanted.
    """
    start, within = chains.start[k], work.within
    size = chains.start[k + 1] - start
    met = leaving = paths = departing = most = 0.0
    for i in range(size, -1, -1):
        row = chains.nodes[start + i - 1] if i else a
        v, passing = node + row, shared(within.passing, i, share)
        if sums.dependency.size:
            sums.dependency[v] += leaving + passing
            if sums.ends.size:
                sums.ends[v] += omega[row] * shared(within.heard, i, share)
        if sums.stress.size:
            through = departing + within.passing[1, i]
            most = max(most, through)
            sums.stress[v] += through
        if i == 0:
            break
        alpha = chains.alpha[start + i - 1]
        if sums.dependency.size:
            for cell in range(2 * i, min(2 * i + 2, 2 * size + 1)):
                for turn in range(TURNS):
                    met += work.met[turn, cell]
            out = alpha * (met + work.shares[2 * i - 1])
            down = alpha * shared(within.met, i, share)
            leaving += out
            if sums.ends.size:
                sums.ends[v] += out + down
            if sums.arcs.size:
                sums.arcs[entry + chains.arcs[start + i - 1]] += leaving + (passing + down)
        if sums.stress.size:
            for cell in (2 * i - 1, 2 * i):
                for turn in range(TURNS):
                    paths += work.paths[turn, cell]
            if alpha:  # 0 times infinity is 0 here
                departing += alpha * paths
    return most


@subroutine
def fill_cells(work, alpha):
    """Fill the weights of the nodes by cell, and clear the sums over targets."""
    cells = 2 * alpha.size + 1
    total = 0.0
    work.below[0] = work.at[0] = 0.0
    for i in range(alpha.size):
        work.below[2 * i + 1], work.at[2 * i + 1] = total, alpha[i]
        total += alpha[i]
        work.below[2 * i + 2], work.at[2 * i + 2] = total, 0.0
    work.met[:, :cells] = 0.0
    work.paths[:, :cells] = 0.0
    work.shares[:cells] = 0.0


@subroutine
def is_reached(distance, tau):
    """Whether there is a path."""
    if tau is None:
        return distance < NOWHERE
    return distance < np.inf


@subroutine
def cell_of(place, span, near, far, limit, tau):
    """The cell of a target, by its distances from the near and the far end."""
    if tau is None:
        twice_place = np.int64(span) + np.int64(far) - np.int64(near)
        return max(min(twice_place - 1, 2 * min(place.size, np.int64(limit) - np.int64(near))), 0)
    cell = 2 * place.size
    if far < np.inf:
        twice = span + far - near
        low = count_before(place, (twice - tau) / 2, False)
        cell = 2 * low + np.int64(low < place.size and 2 * place[low] <= twice + tau)
    if limit < np.inf:
        cell = min(cell, 2 * count_before(place, limit - near, True))
    return cell


@subroutine
def count_before(place, bound, or_at):
    """Number of entries of sorted ``place`` that are below ``bound``, or equal if ``or_at``."""
    low, high = 0, place.size
    while low < high:
        middle = (low + high) // 2
        if place[middle] < bound or (or_at and place[middle] == bound):
            low = middle + 1
        else:
            high = middle
    return low


@subroutine
def share_of(exponent, m, e, other_m, other_e):
    """``m 2**e / (m 2**e + other_m 2**other_e)``."""
    total, top = added(exponent, m, e, other_m, other_e)
    return lowered(exponent, m, top - e) / total


@subroutine
def lay_behind(work, chains, k, a, far):
    """Save b's distances and counts on the chain, and set them to p - W and 1."""
    start, span = chains.start[k], chains.span[k]
    m, e = one(far.exponent)
    for i in range(chains.start[k + 1] - start + 1):
        v = chains.nodes[start + i - 1] if i else a
        work.distance[i], work.sigma[i] = far.distance[v], far.sigma[v]
        work.exponent[i] = exponent_of(far.exponent, v)
        far.distance[v] = (chains.place[start + i - 1] if i else 0.0) - span
        store(far.sigma, far.exponent, v, m, e)


@subroutine
def take_back(work, chains, k, a, far):
    """Restore b's distances and counts on the chain."""
    start = chains.start[k]
    for i in range(chains.start[k + 1] - start + 1):
        v = chains.nodes[start + i - 1] if i else a
        far.distance[v] = work.distance[i]
        store(far.sigma, far.exponent, v, work.sigma[i], work.exponent[i])
