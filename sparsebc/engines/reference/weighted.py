"""The weighted algebra as it is written: min-plus products, then tight edges in waves.

    distance   D = min(D, A' (min, +) D) until nothing changes
    tight      D(u) + w(u, v) <= D(v) + rtol D(v)
    level d    nodes whose tight tails all lie on earlier levels [Kahn 1962]
    forward    sigma<L_{d+1}> = sum over tight edges of sigma
    backward   delta<L_d> = sigma .* (sum over tight edges of g)
    arcs       eb(u -> v) += alpha sigma(u) g(v)  over tight edges
    stress     lambda<L_d> = sum over tight edges of h;  stress += alpha sigma .* lambda

Every array has a row per node or edge and a column per source.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.csr import CSR
from ...graph.edge_weights import MIN_GAIN, TooFar, TooShort
from ..contract import Group

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
        lost = self.tight_out & (gained < MIN_GAIN * lengths.outgoing[:, np.newaxis])
        for edge in np.flatnonzero(lost.any(axis=1)):
            raise TooShort(tails[edge], heads[edge])
        self.level = np.full(shape, UNVISITED)
        self.level[starts] = 0
        self.pending = _by_row(np.add, graph.incoming, self.tight_in.astype(np.int64), 0)
        self.sigma = np.zeros(shape, dtype=omega.dtype)
        self.sigma[starts] = 1
        self.dependency = np.zeros(graph.n)
        self.arcs = np.zeros(workspace.arcs.size)
        self.squares = np.zeros(workspace.squares.size)
        self.stress = np.zeros(workspace.stress.size)
        self.suffixes = np.zeros((self.stress.size, group.sources.size))
        self.max_sigma = 1.0

    def forward(self, depth: int) -> bool:
        """sigma<L_{d+1}> = sum over tight edges of sigma, where none is pending."""
        if self.stop[0]:
            return False
        rows = self.graph.incoming
        done = self.tight_in & (self.level == depth)[rows.indices]
        self.pending -= _by_row(np.add, rows, done.astype(np.int64), 0)
        found = (self.level == UNVISITED) & self.reached & (self.pending == 0)
        self.level[found] = depth + 1
        self.count(found)
        return bool(found.any())

    def count(self, found: NDArray[np.bool_]) -> None:
        """sigma<found> = sum over tight edges of sigma."""
        rows = self.graph.incoming
        paths = _by_row(np.add, rows, np.where(self.tight_in, self.sigma[rows.indices], 0), 0)
        self.sigma[found] = paths[found]
        self.max_sigma = max(self.max_sigma, float(paths[found].max(initial=0)))

    def backward(self, depth: int) -> None:
        """delta<L_d> = sum over tight edges of sigma(u) g(v);  g = (omega + delta) / sigma."""
        if self.stop[0]:
            return
        rows, here = self.graph.outgoing, self.level == depth
        shares = np.where(self.tight_out & here[rows.rows], self.shares(), 0)
        if self.arcs.size:
            self.arcs += (self.alpha * shares).sum(axis=1)
        if depth == 0:
            return
        if self.stress.size:
            self.count_through(here)
        delta = _by_row(np.add, rows, shares, 0)
        self.dependency += (self.alpha * delta).sum(axis=1)
        if self.squares.size:
            self.squares += (self.alpha * delta * delta).sum(axis=1)
        np.divide(self.omega + delta, self.sigma, where=here, out=self.sigma)

    def shares(self) -> NDArray[Any]:
        """Product sigma(u) g(v) of every edge whose head has its g."""
        product: NDArray[Any] = (
            self.sigma[self.graph.outgoing.rows] * self.sigma[self.graph.outgoing.indices]
        )
        return product

    def count_through(self, here: NDArray[np.bool_]) -> None:
        """lambda<L_d> = sum over tight edges of h;  h = omega + lambda."""
        rows = self.graph.outgoing
        beyond = np.where(self.tight_out, self.suffixes[rows.indices], 0)
        suffixes = _by_row(np.add, rows, beyond, 0)
        passing = self.alpha * np.where(here, self.times(suffixes), 0)
        self.max_sigma = max(self.max_sigma, float(passing.max()))
        self.stress += passing.sum(axis=1)
        self.suffixes = np.where(here, self.omega + suffixes, self.suffixes)

    def times(self, values: NDArray[Any]) -> NDArray[Any]:
        """Product sigma .* values."""
        product: NDArray[Any] = self.sigma * values
        return product


class WeightedExtendedBatch(WeightedReferenceBatch):
    """The same with path counts m 2**e: sigma holds m, and g has the exponent -e.

    Scaling by powers of two rounds nothing.
    """

    def __init__(self, workspace: Any, group: Group) -> None:
        super().__init__(workspace, group)
        self.exponent = np.zeros(self.sigma.shape, dtype=np.int32)

    def count(self, found: NDArray[np.bool_]) -> None:
        """Add up in units of the largest term."""
        rows = self.graph.incoming
        there = self.exponent[rows.indices]
        top = _by_row(np.maximum, rows, np.where(self.tight_in, there, 0), 0)
        terms = np.where(self.tight_in, self.sigma[rows.indices], 0)
        mantissa, shift = np.frexp(
            _by_row(np.add, rows, np.ldexp(terms, there - top[rows.rows]), 0)
        )
        self.sigma[found] = mantissa[found]
        self.exponent[found] = (top + shift)[found]

    def backward(self, depth: int) -> None:
        """Exponents change their sign as g takes sigma's place."""
        super().backward(depth)
        here = self.level == depth
        self.exponent[here] = -self.exponent[here]

    def shares(self) -> NDArray[Any]:
        """Exponents cancel but for what the counts differ."""
        rows = self.graph.outgoing
        apart = self.exponent[rows.rows] + self.exponent[rows.indices]
        product: NDArray[Any] = np.ldexp(super().shares(), apart)
        return product

    def times(self, values: NDArray[Any]) -> NDArray[Any]:
        """Infinite beyond the range of floats."""
        product: NDArray[Any] = np.ldexp(super().times(values), self.exponent)
        return product


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
