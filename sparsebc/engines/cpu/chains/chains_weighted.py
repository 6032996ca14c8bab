"""Weighted Brandes from the ends of chains, and the sums along their chains.

As in `brandes_chains`, first all searches, whose distances and counts are kept, then all backward
phases. Tight edges are not kept, which would take much memory, but found again.
"""

import numpy as np

from ....jit import kernel, stopped, subroutine
from ..brandes_weighted.brandes_weighted import (
    backward,
    count_within,
    counted,
    forward,
    leave,
)
from ..common.counts import exponent_of, store
from ..common.state import DONE, STOPPED
from ..sssp.sssp import sssp
from .brandes_chains import by_number, give_weights, weigh
from .chains import column


@kernel
def search(paths, columns, place, sources):
    """Search from ends one at a time, into the columns from ``place`` on; returns an outcome."""
    for j in range(sources.size):
        count, farthest, most = sssp(paths.search, sources[j : j + 1], paths.tight)
        outcome = keep(paths, columns, place + j, count, farthest, most)
        if outcome != DONE:
            return outcome
    return DONE


@kernel
def accumulate(paths, columns, ends):
    """Backward phases of each source, with the weights of its chains; returns an outcome."""
    search, tau, sums = paths.search, paths.tight.tau, paths.sums
    chain = 0
    for j in range(ends.sources.size):
        if stopped(search.stop):
            return STOPPED
        order = search.order[: columns.reached[j]]
        for i in range(order.size):
            v = columns.order[j, i]
            order[i], search.distance[v] = v, columns.distance[j, v]
        forward(paths, order, None)
        by_number(columns, j, order, tau)
        size, first = order.size, chain
        for c in range(paths.limits.size - 1, -1, -1):
            most, chain = weigh(columns, ends, j, first, order, paths.limits, c, tau, sums)
            size = count_within(paths, order[:size], c)
            give_weights(paths, columns, order[:size], sums)
            most = max(most, backward(paths, order[:size], 1.0, c))
            paths.max_sigma[0] = max(paths.max_sigma[0], most)
        leave(paths, order)
    for j in range(ends.sources.size + ends.others.size):
        for v in columns.order[j, : columns.reached[j]]:
            columns.distance[j, v] = np.inf
    return DONE


@subroutine
def keep(paths, columns, j, count, farthest, most):
    """Count paths, unless the search did, and copy distances and counts to column j."""
    search, tight = paths.search, paths.tight
    distance, sigma, exponent = column(columns, j)
    order = search.order[:count]
    outcome, most = counted(paths, order, farthest, most)
    if outcome != DONE:
        return outcome
    columns.reached[j] = count
    for i in range(count):
        v = order[i]
        columns.order[j, i] = v
        distance[v] = search.distance[v]
        store(sigma, exponent, v, tight.sigma[v], exponent_of(paths.exponent, v))
        search.distance[v] = np.inf
    paths.max_sigma[0] = max(paths.max_sigma[0], most)
    return DONE
