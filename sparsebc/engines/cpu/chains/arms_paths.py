"""What inner nodes of a chain send out where each path counts, and not each pair: stress.

As `arms`, without shares: paths by way of a and of b are different paths. So a serves node i for

    2 p_i <= D(t)

and node i sends alpha_i omega(t) sigma_a(t) paths by way of a, and one along the chain to each node
that is as near that way. Of whole weights all of these are exact up to 2**53.
"""

from __future__ import annotations

import numpy as np

from ....jit import subroutine
from ..common.counts import raised
from .arms import TURNS, cell_of


@subroutine
def serve_paths(work, arms, k, near, far, omega, rows, weight, limit, rtol):
    """Add to the weights of the targets in rows what the near end of arm k, laid out, serves."""
    place, span = arms.place[arms.start[k] : arms.start[k + 1]], arms.span[k]
    for t in rows:
        cell = cell_of(place, span, near.distance[t], far.distance[t], limit, rtol)
        weight[t] += work.below[cell] + work.at[cell]
        paths = raised(near.exponent, omega[t] * np.float64(near.sigma[t]), t)
        work.paths[t % TURNS, cell] += paths


@subroutine
def send_paths(work, arms, k, a, sums, node):
    """Add up the paths through the nodes of arm k, served before, and its near end; the most.

    Also those that arrive at each node and depart from it, where these are summed.
    """
    start, within = arms.start[k], work.within
    met = leaving = most = 0.0
    for i in range(arms.start[k + 1] - start, -1, -1):
        v = node + (arms.nodes[start + i - 1] if i else a)
        passing = leaving + within.passing[1, i]
        most = max(most, passing)
        sums.stress[v] += passing
        if sums.arrivals.size:
            sums.arrivals[v] += within.heard[1, i]
        if i == 0:
            break
        for cell in (2 * i - 1, 2 * i):
            for turn in range(TURNS):
                met += work.paths[turn, cell]
        if arms.alpha[start + i - 1]:  # of what is beyond floats, none is none
            leaving += arms.alpha[start + i - 1] * met
        if sums.departures.size:
            sums.departures[v] += met + within.met[1, i]
    return most
