"""Weights of pairs: a function f of the distance, and an origin-destination matrix D.

    omega_s(t) = omega(t) f(d(s, t)) D(s, t)        g(t) = (omega_s(t) + delta(t)) / sigma(t)

A kernel that takes them fills omega_s, the seeds of the backward phase, for each source s from the
distances of the nodes reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...matrix.csr import CSR, Matrix, filtered

CONSTANT, EXPONENTIAL, LINEAR, POWER, GAUSSIAN, TABLE = range(6)
# Values of f below this count as 0. D is in units of its largest value, and at least 1e-50 where it
# is not 0; path counts above 1e100 are kept in a type of larger range. So no seed divided by a path
# count underflows.
LEAST = 1e-150


class Decay(NamedTuple):
    """A function f of the distance of a pair, finite and at least 0; 1 by default."""

    kind: int = CONSTANT
    parameter: float = 1.0  # rate, range, exponent or scale, by kind
    distances: NDArray[np.float64] = np.empty(0)  # (knots,) of a table, ascending
    weights: NDArray[np.float64] = np.empty(0)  # (knots,)

    def of(self, distances: ArrayLike) -> NDArray[np.float64]:
        """Values f(d), of the shape of ``distances``; compiled in ``cpu/common/targets.py``.

        exponential  exp(-beta d)              linear    max(0, 1 - d / range)
        gaussian     exp(-d**2 / (2 scale**2)) power     d**-exponent, and 0 at d = 0
        table        linear between two knots, the first weight before the first, 0 after the last

        None is a difference of nearly equal numbers, unless distances are: 1 - d / range would be.
        """
        d, p = np.asarray(distances, dtype=np.float64), self.parameter
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            if self.kind == EXPONENTIAL:
                f = np.exp(-p * d)
            elif self.kind == LINEAR:
                f = (p - d) / p
            elif self.kind == POWER:
                f = np.where(d > 0, d**-p, 0.0)
            elif self.kind == GAUSSIAN:
                f = np.exp(-0.5 * (d / p) ** 2)
            elif self.kind == TABLE:
                x, y = self.distances, self.weights
                after = np.searchsorted(x, d).clip(0, x.size - 1)
                before = np.maximum(after - 1, 0)
                width = x[after] - x[before]
                f = y[before] * ((x[after] - d) / width) + y[after] * ((d - x[before]) / width)
                f = np.where(d > x[-1], 0.0, np.where(after == 0, y[0], f))
            else:
                f = np.ones_like(d)
        return np.where(f >= LEAST, f, 0.0)

    @property
    def support(self) -> float:
        """Distance beyond which f is 0; infinite where only `LEAST` bounds it."""
        if self.kind == TABLE:
            return float(self.distances[-1])
        return self.parameter if self.kind == LINEAR else np.inf


class Seeds(NamedTuple):
    """Weights f(d(s, t)) D(s, t) of pairs, to be multiplied by alpha(s) omega(t); on the host."""

    decay: Decay = Decay()
    # (n, n) D, a row a source; entries in (0, 2], unique, in any order, none on the diagonal. None
    # for 1 everywhere.
    demand: Matrix | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the origin-destination matrix."""
        if self.demand is None:
            return 0
        (indptr, indices), values = self.demand
        return int(indptr.nbytes + indices.nbytes + values.nbytes)

    def by_level(self, levels: int, unit: float) -> NDArray[np.float64]:
        """Values of f at the distances 0, unit, ..., (levels - 1) unit, shape (levels,)."""
        return self.decay.of(np.arange(levels) * unit)

    def induced(self, nodes: NDArray[np.integer]) -> Seeds:
        """Seeds of the subgraph of the given nodes, numbered in that order."""
        if self.demand is None:
            return self
        pattern, values = self.demand
        rows, place = pattern.matrix(values)[nodes], np.full(pattern.degrees.size, -1, np.int32)
        place[nodes] = np.arange(nodes.size)
        part, values = CSR(rows.indptr.astype(np.int64), place[rows.indices]), rows.data
        kept = part.indices >= 0
        if not kept.all():
            part, values = filtered(part, kept), values[kept]
        return self._replace(demand=Matrix(part, values))
