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
`pair_up`. Node 0 is the near end. With p_i the distance of node i from the near end, W the length
of the chain and d_a(b) the distance of its ends, the targets of i along the chain are
j = first(i) .. i - 1, where

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
from ...common.sums import Chains
from ..common.counts import added, exponent_of, lowered, one, raised, store
from ..common.state import array

# Accumulators of a cell, used in turn: neighbours fall into one cell, and additions to a single
# accumulator would wait for each other.
TURNS = 4
# Level of a node that is not reached.
NOWHERE = np.int32(2**30)


class Columns(NamedTuple):
    """Searches of a batch, a row for each end, and weights of the targets of one of them."""

    omega: NDArray[np.float64]  # (n,) weights of nodes as targets
    # "nowhere" if there is no path, and between batches
    distance: Any = array("distance", "ends", "n", fill="nowhere")
    sigma: Any = array(np.float64, "ends", "n")
    exponent: Any = array(np.int64, "ends", "exponents")  # beyond the range of floats; or None
    order: Any = array(np.uint32, "ends", "queue")  # nodes reached, in the order of the search
    reached: Any = array(np.int64, "ends")  # their number
    # As in `Source`; None if weighted, where tight arcs are found again.
    tails: Any = array(np.uint32, "ends", "tight")
    heads: Any = array(np.uint32, "ends", "tight")
    entries: Any = array(np.int64, "ends", "entries")  # of length 0 unless arcs are summed
    tight: Any = array(np.int64, "ends")  # number of tight arcs
    pairs: Any = array(np.float64, "n")  # weight of the sources that the end stands for, by target
    paths: Any = array(np.float64, "nodes of stress")  # likewise for stress, where paths count
    rows: Any = array(np.uint32, "rows")  # nodes that the end reaches, ascending


class Ends(NamedTuple):
    """A batch of ends, and work space for one chain: of m nodes, it has 2 m + 1 cells."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    others: NDArray[np.int32]  # far ends of other batches
    chains: Chains
    # Sums by node, of pairs along the chain; row 0: without ties, row 1: with ties.
    first: Any = array(np.int64, 2, "places")  # first target of each node
    seen: Any = array(np.float64, 2, "places")  # sum of omega over its targets
    heard: Any = array(np.float64, 2, "places")  # sum of alpha over its sources
    passing: Any = array(np.float64, 2, "places")  # sum of alpha omega over the pairs through it
    # By cell, of targets by way of a.
    below: Any = array(np.float64, "cells")  # sum of alpha over the nodes that a stands for
    at: Any = array(np.float64, "cells")  # alpha of the node that a shares with b
    met: Any = array(np.float64, TURNS, "cells")  # sum of omega over the targets
    shares: Any = array(np.float64, "cells")  # sum of omega times share
    paths: Any = array(np.float64, TURNS, "cells")  # sum of omega sigma_a
    # Saved by `lay_behind`: values of b's search at a and the inner nodes.
    distance: Any = array("distance", "places")
    sigma: Any = array(np.float64, "places")
    exponent: Any = array(np.int64, "places")


def sizes(longest: int, distance: Any) -> dict[str, Any]:
    """Sizes of `Ends` for chains of up to ``longest`` nodes, and type of distances."""
    places = longest + 1
    return {"cells": places + longest, "places": places, "distance": distance}


@subroutine
def column(columns, j):
    """Distances and counts of the search from an end, and exponents of these or None."""
    return columns.distance[j], columns.sigma[j], row_of(columns.exponent, j)


@subroutine
def row_of(table, j):
    """Row j of a table, or None if that is None."""
    if table is None:
        return None
    return table[j]


@subroutine
def pair_up(ends, k, a, between, omega, limit, tau):
    """Sum the pairs along chain k towards its near end, row a; ``between`` is d_a(b)."""
    chains = ends.chains
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
        ends.first[0, i], ends.first[1, i] = high, low
        ties = ties or low < high
    add_up(ends, start, size, a, omega, 0)
    if ties:
        add_up(ends, start, size, a, omega, 1)
    else:
        for i in range(size + 1):
            ends.seen[1, i], ends.heard[1, i] = ends.seen[0, i], ends.heard[0, i]
            ends.passing[1, i] = ends.passing[0, i]


@subroutine
def add_up(ends, start, size, a, omega, which):
    """Fill row ``which`` of the sums: 0 without ties, 1 with them."""
    first, seen = ends.first[which], ends.seen[which]
    heard, passing, chains = ends.heard[which], ends.passing[which], ends.chains
    seen[: size + 1] = 0
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
                seen[i] += targets
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


@subroutine
def assign_targets(ends, k, near, far, columns, rows, limit, tau, sums):
    """Add to the weights of the targets in ``rows`` those of the nodes of chain k, and fill cells.

    After `fill_cells` and `lay_behind`.
    """
    chains = ends.chains
    place, span = chains.place[chains.start[k] : chains.start[k + 1]], chains.span[k]
    distance, sigma, exponent = near
    other_distance, other_sigma, other_exponent = far
    for t in rows:
        omega, turn = columns.omega[t], t % TURNS
        cell = cell_of(place, span, distance[t], other_distance[t], limit, tau)
        below, at = ends.below[cell], ends.at[cell]
        if sums.dependency.size:
            columns.pairs[t] += below
            ends.met[turn, cell] += omega
            if at != 0:
                share = share_of(
                    *(exponent, sigma[t], exponent_of(exponent, t)),
                    *(other_sigma[t], exponent_of(other_exponent, t)),
                )
                columns.pairs[t] += at * share
                ends.shares[cell] += omega * share
        if sums.stress.size:
            columns.paths[t] += below + at
            ends.paths[turn, cell] += raised(exponent, omega * sigma[t], t)


@subroutine
def accumulate_chain(ends, k, a, omega, share, sums, node, entry):
    """Add the flow towards the near end of chain k to the sums of its nodes and arcs.

    Flow through node i is of nodes farther from a; that of i joins it on the arc to i - 1.
    ``share`` is that of the path along the chain, from `weigh`; the column's sums begin at ``node``
    and ``entry``. Returns the largest stress of a node, 0 if not wanted.
    """
    chains = ends.chains
    start = chains.start[k]
    size = chains.start[k + 1] - start
    met = leaving = paths = departing = most = 0.0
    for i in range(size, -1, -1):
        row = chains.nodes[start + i - 1] if i else a
        v, passing = node + row, shared(ends.passing, i, share)
        if sums.dependency.size:
            sums.dependency[v] += leaving + passing
            if sums.ends.size:
                sums.ends[v] += omega[row] * shared(ends.heard, i, share)
        if sums.stress.size:
            through = departing + ends.passing[1, i]
            most = max(most, through)
            sums.stress[v] += through
        if i == 0:
            break
        alpha = chains.alpha[start + i - 1]
        if sums.dependency.size:
            for cell in range(2 * i, min(2 * i + 2, 2 * size + 1)):
                for turn in range(TURNS):
                    met += ends.met[turn, cell]
            out = alpha * (met + ends.shares[2 * i - 1])
            down = alpha * shared(ends.seen, i, share)
            leaving += out
            if sums.ends.size:
                sums.ends[v] += out + down
            if sums.arcs.size:
                sums.arcs[entry + chains.arcs[start + i - 1]] += leaving + (passing + down)
        if sums.stress.size:
            for cell in (2 * i - 1, 2 * i):
                for turn in range(TURNS):
                    paths += ends.paths[turn, cell]
            if alpha:  # 0 times infinity is 0 here
                departing += alpha * paths
    return most


@subroutine
def fill_cells(ends, alpha):
    """Fill the weights of the nodes by cell, and clear the sums over targets."""
    cells = 2 * alpha.size + 1
    total = 0.0
    ends.below[0] = ends.at[0] = 0.0
    for i in range(alpha.size):
        ends.below[2 * i + 1], ends.at[2 * i + 1] = total, alpha[i]
        total += alpha[i]
        ends.below[2 * i + 2], ends.at[2 * i + 2] = total, 0.0
    ends.met[:, :cells] = 0.0
    ends.paths[:, :cells] = 0.0
    ends.shares[:cells] = 0.0


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
def lay_behind(ends, k, a, far):
    """Save b's distances and counts on the chain, and set them to p - W and 1."""
    chains, (distance, sigma, exponent) = ends.chains, far
    start, span = chains.start[k], chains.span[k]
    m, e = one(exponent)
    for i in range(chains.start[k + 1] - start + 1):
        v = chains.nodes[start + i - 1] if i else a
        ends.distance[i], ends.sigma[i] = distance[v], sigma[v]
        ends.exponent[i] = exponent_of(exponent, v)
        distance[v] = (chains.place[start + i - 1] if i else 0.0) - span
        store(sigma, exponent, v, m, e)


@subroutine
def take_back(ends, k, a, far):
    """Restore b's distances and counts on the chain."""
    chains, (distance, sigma, exponent) = ends.chains, far
    start = chains.start[k]
    for i in range(chains.start[k + 1] - start + 1):
        v = chains.nodes[start + i - 1] if i else a
        distance[v] = ends.distance[i]
        store(sigma, exponent, v, ends.sigma[i], ends.exponent[i])
