"""Weighted Brandes, one source at a time: distances, path counts, dependencies.

    distance   d(v) = min over u of d(u) + w(u, v)
    tight      d(u) + w(u, v) <= d(v) + tau
    forward    sigma(v) = sum of sigma(u) over tight u -> v
    backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v,   g = (omega + delta) / sigma
    arcs       eb(u -> v) += alpha sigma(u) g(v)  over tight u -> v
    stress     lambda(u) = sum of h(v) over tight u -> v,   h = omega + lambda
               stress += alpha sigma lambda

A search completes nodes in a topological order of the tight edges. Forward stores the tight edges:
of a node with a single shortest path the search knows the last edge, of others all incoming edges
are read. Backward runs over the tight edges only, once for each cutoff; with a single cutoff, the
sums of g overwrite d. Counts are floats, or beyond their range those of `counts`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import kernel, stopped, subroutine
from ....matrix.csr import CSR, place_of, row_of, span
from ..common.counts import added, exponent_of, lowered, normalize, one, raised, store
from ..common.state import DONE, STOPPED, TOO_FAR, array
from ..common.targets import end, seed_by_distance, seek_targets
from ..sssp.sssp import TIED, sssp


class Paths(NamedTuple):
    """State of a single source."""

    search: Any  # `Dijkstra`
    tight: Any  # `TightEdges`
    limits: NDArray[np.float64]  # cutoff of each column of the sums, ascending
    incoming: CSR
    in_lengths: NDArray[np.float64]
    farthest: float  # `Lengths.limit`: larger distances are refused
    targets: Any  # `Targets`, which fill omega for each source; None if it is the same for all
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    omega_h: NDArray[np.float64]  # (n,) omega of the stress sums
    sums: Any  # `Sums`; those over arcs by entry of A'
    sum_g: Any = array(np.float64, "nodes of sum_g")  # sums of g; `distance` if there is one cutoff
    exponent: Any = array(np.int64, "exponents")  # of the counts, beyond floats; or None
    sum_h: Any = array(np.float64, "nodes of h")  # sums of h, for stress
    max_sigma: Any = array(np.float64, 1)  # largest path count, or its mantissa


@kernel
def run(paths, sources, alpha):
    """Sweep the sources one at a time; returns an outcome.

    Search; the forward phase, unless the search counted; a backward phase for each cutoff.
    """
    sought, targets = paths.search.sought, paths.targets
    for j in range(sources.size):
        seek_targets(sought, targets, sources[j])
        count, farthest, most = sssp(paths.search, sources[j : j + 1], paths.tight)
        end(sought, targets, sources[j])
        order = paths.search.order[:count]
        outcome, most = counted(paths, order, farthest, most)
        if outcome != DONE:
            return outcome
        seed_by_distance(targets, order[0], order, paths.search.distance, paths.omega)
        for column in range(paths.limits.size - 1, -1, -1):
            count = count_within(paths, order[:count], column)
            if paths.sums.ends.size:
                count_ends(paths, order[:count], alpha[j], column)
            most = max(most, backward(paths, order[:count], alpha[j], column))
        leave(paths, order)
        paths.max_sigma[0] = max(paths.max_sigma[0], most)
    return DONE


@subroutine
def count_within(paths, order, column):
    """Number of nodes in order within the cutoff of a column."""
    size = order.size
    while paths.search.distance[order[size - 1]] > paths.limits[column]:
        size -= 1
    return size


@subroutine
def leave(paths, order):
    """Reset the distances to infinity, unless sum_g has overwritten them."""
    if paths.limits.size > 1:
        for v in order:
            paths.search.distance[v] = np.inf


@subroutine
def count_ends(paths, order, alpha, column):
    """Add alpha(s) omega(t) at s and t, for each pair (s, t) within the cutoff of a column."""
    ends = paths.sums.ends[column * paths.omega.size :]
    for v in order[1:]:
        if paths.search.distance[v] <= paths.limits[column]:
            ends[v] += alpha * paths.omega[v]
            ends[order[0]] += alpha * paths.omega[v]


@subroutine
def counted(paths, order, farthest, most):
    """Forward phase, unless the search counted paths; returns an outcome and the largest count."""
    if stopped(paths.search.stop):
        return STOPPED, most
    if farthest > paths.farthest:
        return TOO_FAR, most
    if not paths.tight.as_found:
        most = forward(paths, order, paths.tight.last)
    return DONE, most


@subroutine
def forward(paths, order, last):
    """Compute sigma of the nodes in order along their tight edges, and store these.

    If ``last`` has a single predecessor of a node, the edge from it is its only tight one. Returns
    the largest count.
    """
    indptr, indices, lengths = paths.incoming.indptr, paths.incoming.indices, paths.in_lengths
    distance, exponent = paths.search.distance, paths.exponent
    _, tau, _, sigma, tails, entries, starts = paths.tight
    found, max_sigma = 0, 1.0
    for i in range(order.size):
        v = np.uint32(order[i])
        bound = distance[v] + tau
        starts[i] = found
        if last is not None and i and last[v] != TIED:
            u = np.uint32(last[v])
            store(sigma, exponent, v, sigma[u], exponent_of(exponent, u))
            tails[found] = u
            if entries.size:
                entries[found] = place_of(indptr, indices, v, u)
            found += 1
            continue
        m, e = one(exponent)
        if i:
            m, e = 0.0, 0
        for p in row_of(indptr, v):
            u = np.uint32(indices[p])
            is_tight = distance[u] + lengths[p] <= bound
            through = sigma[u]  # read unconditionally: a branch would cost more
            tails[found] = u
            if entries.size:
                entries[found] = p
            found += is_tight
            its_e = exponent_of(exponent, u) if is_tight else e
            m, e = added(exponent, m, e, through if is_tight else 0.0, its_e)
        store(sigma, exponent, v, m, e)
        normalize(sigma, exponent, order[i : i + 1])
        max_sigma = max(max_sigma, m)
    starts[order.size] = found
    return max_sigma


@subroutine
def backward(paths, order, alpha, column):
    """Scatter g and h along the tight edges, from the farthest head within a cutoff backwards.

    Leaves ``sum_g`` infinite, for the distances that it may overwrite. The source is first in the
    order: delta_s(s) is not part of its score. Returns the largest stress of a node, 0 if it is not
    wanted.
    """
    _, _, _, sigma, tails, entries, starts = paths.tight
    omega, exponent, sums = paths.omega, paths.exponent, paths.sums
    sum_g, sum_h, distance = paths.sum_g, paths.sum_h, paths.search.distance
    several, limit = paths.limits.size > 1, paths.limits[column]
    place, arcs = np.uint64(column * omega.size), column * paths.incoming.indices.size
    g = h = most = 0.0
    for v in order:
        sum_g[v] = 0
        if sums.stress.size:
            sum_h[v] = 0
    for i in range(order.size - 1, 0, -1):
        v = np.uint32(order[i])
        if several and distance[v] > limit:
            continue
        e = exponent_of(exponent, v)
        if sums.dependency.size:
            delta = sigma[v] * sum_g[v]
            sums.dependency[place + v] += alpha * delta
            if sums.squares.size:
                sums.squares[place + v] += alpha * delta * delta
            g = (omega[v] + delta) / sigma[v]
        if sums.stress.size:
            passing = raised(exponent, alpha * (sigma[v] * sum_h[v]), v)
            sums.stress[place + v] += passing
            most = max(most, passing)
            h = paths.omega_h[v] + sum_h[v]
        for p in span(starts[i], starts[i + 1]):
            u = np.uint32(tails[p])
            seen = lowered(exponent, g, e - exponent_of(exponent, u))
            if sums.dependency.size:
                sum_g[u] += seen
            if sums.arcs.size:
                sums.arcs[arcs + entries[p]] += alpha * (sigma[u] * seen)
            if sums.stress.size:
                sum_h[u] += h
        sum_g[v] = np.inf
    sum_g[order[0]] = np.inf
    return most
