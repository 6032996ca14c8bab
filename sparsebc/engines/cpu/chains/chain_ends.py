"""What an end of chains stands for: weights of its targets, and what its arms add to the sums.

The search from an end a counts a target t, apart from a's own pair, once for each inner node that
it serves (`arms`): with the weight of all of these as one weight of t, one sweep is that of all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import subroutine
from ...batch import Arms
from ..common.counts import exponent_of, one, raised
from .arms import Column, Work, is_reached, lay_out, send, serve, share_of, take_back
from .arms_paths import send_paths, serve_paths
from .arms_within import pair_up


class Searches(NamedTuple):
    """What the searches of a batch have found, a row for each end."""

    distance: NDArray[Any]  # (ends, n) NOWHERE or infinite where there is no path, and in between
    sigma: NDArray[np.floating[Any]]  # (ends, n)
    exponent: NDArray[np.int64] | None  # (ends, n) beyond the range of floats


class Targets(NamedTuple):
    """Weights of the nodes as targets."""

    omega: NDArray[np.float64]  # (n,) their own
    pairs: NDArray[np.float64]  # (n,) of all sources that an end stands for, by target
    paths: NDArray[np.float64]  # (n,) the same where paths count; of no length where they do not
    rows: NDArray[np.uint32]  # (n + 1,) those that the end reaches, by number


class Ends(NamedTuple):
    """A batch of ends, and room for one of its arms."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    others: NDArray[np.int32]  # far ends of other batches
    arms: Arms
    work: Work


@subroutine
def node_of(ends, j):
    """The node of an end, a source or another."""
    return ends.sources[j] if j < ends.sources.size else ends.others[j - ends.sources.size]


@subroutine
def column(searches, j):
    """What the search from an end has found."""
    return Column(searches.distance[j], searches.sigma[j], row_of(searches.exponent, j))


@subroutine
def row_of(table, j):
    """A row of a table, if there is one."""
    if table is None:
        return None
    return table[j]


@subroutine
def by_number(targets, nodes, near, rtol):
    """List the nodes that an end has found in the order of their rows."""
    first = last = np.int64(nodes[0])
    for v in nodes:
        first, last = min(first, np.int64(v)), max(last, np.int64(v))
    count = 0
    for v in range(first, last + 1):
        targets.rows[count] = v
        count += is_reached(near.distance[v], rtol)


@subroutine
def weigh(searches, targets, ends, j, k, reached, limits, c, rtol, sums):
    """Weights of the targets of source j within a limit; what its arms, from k on, send is added.

    ``reached`` are the nodes that it has found, itself first, and listed by number. Returns the
    most paths that run through a node, if they are counted, and the first arm of the next source.
    """
    arms, work, near, a = ends.arms, ends.work, column(searches, j), ends.sources[j]
    omega, limit, most = targets.omega, limits[c], 0.0
    rows = targets.rows[: reached.size]
    node, entry = c * omega.size, c * (sums.arcs.size // limits.size)
    for t in rows:
        targets.pairs[t] = ends.alpha[j]
        if sums.stress.size:
            targets.paths[t] = ends.alpha[j]
    while k < arms.near.size and arms.near[k] == j:
        far, b = column(searches, arms.far[k]), node_of(ends, arms.far[k])
        pair_up(work.within, arms, k, a, near.distance[b], omega, limit, rtol)
        lay_out(work, arms, k, a, far)
        if sums.dependency.size:
            served = targets.pairs
            serve(work, arms, k, near, far, omega, rows, served, limit, rtol)
            share = share_of_chain(near, b, rtol)
            send(work, arms, k, a, omega, share, sums, node, entry)
        if sums.stress.size:
            served = targets.paths
            serve_paths(work, arms, k, near, far, omega, rows, served, limit, rtol)
            most = max(most, send_paths(work, arms, k, a, sums, node))
        take_back(work, arms, k, a, far)
        k += 1
    if sums.ends.size:
        count_ends(near, targets, ends.alpha[j], reached, limit, sums.ends[node:])
    if sums.arrivals.size:
        most = max(most, count_arrivals(near, targets, reached, sums))
    return most, k


@subroutine
def give_weights(state, targets, nodes, sums):
    """Nodes that a source has found are targets of the weights that `weigh` has left."""
    for v in nodes:
        if sums.dependency.size:
            state.omega[v] = targets.omega[v] * targets.pairs[v]
        if sums.stress.size:
            state.omega_h[v] = targets.omega[v] * targets.paths[v]


@subroutine
def share_of_chain(near, b, rtol):
    """The share of one path, along the chain, beside those that the near end has to the far one."""
    if not is_reached(near.distance[b], rtol):
        return 0.0
    m, e = one(near.exponent)
    return share_of(near.exponent, m, e, near.sigma[b], exponent_of(near.exponent, b))


@subroutine
def count_ends(near, targets, alpha, reached, limit, ends):
    """Each pair by way of an end counts at its target, and at the end if that is its source."""
    a = reached[0]
    for t in reached[1:]:
        if near.distance[t] <= limit:
            ends[t] += targets.pairs[t] * targets.omega[t]
            ends[a] += alpha * targets.omega[t]


@subroutine
def count_arrivals(near, targets, reached, sums):
    """Paths by way of an end that arrive at each node, and those that depart from it: how many."""
    departing = 0.0
    for t in reached[1:]:
        paths = np.float64(near.sigma[t])
        sums.arrivals[t] += raised(near.exponent, targets.paths[t] * paths, t)
        departing += raised(near.exponent, targets.omega[t] * paths, t)
    sums.departures[reached[0]] += departing
    return departing
