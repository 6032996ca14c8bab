"""The weighted algebra as it is written: min-plus products, then tight edges in waves.

    distance   D = min(D, A' (min, +) D) until nothing changes
    tight      D(u) + w(u, v) <= D(v) + rtol D(v)
    level d    nodes whose tight tails all lie on earlier levels [Kahn 1962]
    forward    sigma<L_{d+1}> = sum over tight edges of sigma
    backward   delta<L_d> = sigma .* (sum over tight edges of g)

Every array has a row per node or edge and a column per source.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..lengths import TELLS, TooFar, TooShort
from ..patterns import CSR
from . import Group

UNVISITED = -1


class WeightedReferenceBatch:
    """One column per source of a group; `sweep.sweep` drives it level by level."""

    def __init__(self, workspace: Any, group: Group) -> None:
        self.graph, self.omega = graph, omega = workspace.graph, workspace.omega
        self.alpha, self.stop = group.alpha, workspace.stop
        lengths, stop = graph.lengths, workspace.stop
        shape, starts = (
            (graph.n, group.sources.size),
            (group.sources, np.arange(group.sources.size)),
        )
        distance = np.full(shape, np.inf)
        distance[starts] = 0
        while not stop[0]:
            arrivals = distance[graph.incoming.indices] + lengths.incoming[:, np.newaxis]
            nearer = np.minimum(distance, _by_row(np.minimum, graph.incoming, arrivals, np.inf))
            if np.array_equal(nearer, distance):
                break
            distance = nearer
        self.reached = np.isfinite(distance)
        if distance[self.reached].max() > lengths.limit:
            raise TooFar
        tails, heads = graph.outgoing.rows, graph.outgoing.indices
        self.tight_out = _tight(distance, tails, heads, lengths.outgoing, lengths.rtol)
        self.tight_in = _tight(
            distance, graph.incoming.indices, graph.incoming.rows, lengths.incoming, lengths.rtol
        )
        with np.errstate(invalid="ignore"):
            gained = distance[heads] - distance[tails]
        lost = self.tight_out & (gained < TELLS * lengths.outgoing[:, np.newaxis])
        for edge in np.flatnonzero(lost.any(axis=1)):
            raise TooShort(tails[edge], heads[edge])
        self.level = np.full(shape, UNVISITED)
        self.level[starts] = 0
        self.pending = _by_row(np.add, graph.incoming, self.tight_in.astype(np.int64), 0)
        self.sigma = np.zeros(shape, dtype=omega.dtype)
        self.sigma[starts] = 1
        self.dependency = np.zeros(graph.n)
        self.worst = 1.0

    def forward(self, depth: int) -> bool:
        """sigma<L_{d+1}> = sum over tight edges of sigma, where none is pending."""
        if self.stop[0]:
            return False
        tails, rows = self.graph.incoming.indices, self.graph.incoming
        done = self.tight_in & (self.level == depth)[tails]
        self.pending -= _by_row(np.add, rows, done.astype(np.int64), 0)
        found = (self.level == UNVISITED) & self.reached & (self.pending == 0)
        paths = _by_row(np.add, rows, np.where(self.tight_in, self.sigma[tails], 0), 0)
        self.level[found] = depth + 1
        self.sigma[found] = paths[found]
        self.worst = max(self.worst, float(paths[found].max(initial=0)))
        return bool(found.any())

    def backward(self, depth: int) -> None:
        """delta<L_d> = sigma .* (sum over tight edges of g);  g = (omega + delta) ./ sigma."""
        if self.stop[0] or depth == 0:
            return
        rows, here = self.graph.outgoing, self.level == depth
        below = _by_row(np.add, rows, np.where(self.tight_out, self.sigma[rows.indices], 0), 0)
        delta = np.where(here, self.sigma * below, 0)
        np.divide(self.omega + delta, self.sigma, where=here, out=self.sigma)
        self.dependency += (delta * self.alpha).sum(axis=1)


def _tight(
    distance: NDArray[np.float64],
    tails: NDArray[np.int32],
    heads: NDArray[np.int32],
    lengths: NDArray[np.float64],
    rtol: float,
) -> NDArray[np.bool_]:
    """Which edges lie on a shortest path of each source, shape (arcs, sources)."""
    bound = distance + rtol * distance if rtol else distance
    tight: NDArray[np.bool_] = distance[tails] + lengths[:, np.newaxis] <= bound[heads]
    return tight & np.isfinite(distance[tails])


def _by_row(ufunc: np.ufunc, pattern: CSR, values: NDArray[Any], empty: float) -> NDArray[Any]:
    """Reduce the entries of each row of a pattern; rows without any are ``empty``."""
    result = np.full((pattern.indptr.size - 1, values.shape[1]), empty, dtype=values.dtype)
    filled = pattern.degrees > 0
    if filled.any():
        result[filled] = ufunc.reduceat(values, pattern.indptr[:-1][filled], axis=0)
    return result
