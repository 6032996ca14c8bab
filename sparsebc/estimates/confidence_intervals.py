r"""Confidence intervals of many means at once, from draws without replacement in rounds.

A population of N rows has values in [0, 1]; column v has the mean m_v. A round that follows t draws
with the sum S draws w rows from those that are left, whose mean is (N m - S) / (N - t). With a
bet 0 <= lambda < 1 and a guess mu for the mean, both chosen before the round, and
psi(lambda) = -log(1 - lambda) - lambda, the product over the rounds of

    exp(lambda (sum of x - w (N m - S) / (N - t)) - psi(lambda) sum of (x - mu)**2)

is a supermartingale from 1 on. So, but for a probability of exp(-L), its logarithm never exceeds L:
a lower bound on m and, applied to 1 - x, an upper bound. ``docs/approximation.rst`` has the
proof. The bounds hold for all rounds at once, so sampling may stop after any round.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

# First round, as a share of the draws that a mean of variance zero needs. It places no bets and
# estimates the variances.
PILOT = 0.1
# Least draws of a later round, as a share of all earlier draws.
LEAST_GROWTH = 1 / 64
# Squared deviation of one pseudo-draw, added to the variance that sets the bets.
PRIOR = 0.5
# Least draws of a round by default.
ROUND = 128
# Most draws of a round: their numbers are in memory, and bounds take no longer than some thousands.
LONGEST = 1 << 24
# Least half-width aimed at: no sample proves a smaller one, only the whole population does.
FINEST = 1e-12

Reals = NDArray[np.float64]
# Attributes of intervals that change from round to round: arrays that are replaced.
_STATE = ("_tolerance", "_level", "_sums", "_squares", "_centre", "_weight", "_cost", "_bets")


class Intervals:
    """Confidence intervals that hold all means after every round, with probability 1 - delta.

    Bets are those with which half-widths come down to ``tolerance``, shape (m,), with the fewest
    draws. A mean has a column of its own; or of ``alike`` means of one tolerance, shape (1,), those
    whose values were zeros so far share column 0: their intervals are the same.
    """

    def __init__(
        self,
        population: float,
        tolerance: Reals,
        delta: float,
        least: int = ROUND,
        growth: int = 1,
        alike: int | None = None,
    ) -> None:
        self.population = population  # infinite where rows are drawn with replacement
        self._least = least  # draws of a round
        self._growth = growth  # most draws of a round, as a multiple of all earlier draws
        self.drawn = 0
        self._tolerance = np.maximum(tolerance, FINEST)
        self._delta = delta
        m = tolerance.size
        self._means = m if alike is None else alike
        self._level = np.full(m, np.log(2 * max(self._means, 1) / delta))  # L
        self.expected = 0  # total draws, estimated from the variances
        self._sums, self._squares = np.zeros(m), np.zeros(m)
        # The intervals are (centre -+ cost) / weight.
        self._centre, self._weight, self._cost = (np.zeros(m) for _ in range(3))
        self._bets = np.zeros(m)  # lambda
        self.names: NDArray[np.int64] | None = None  # the mean of each column but the first
        self._column = np.zeros(0, dtype=np.int32)  # of each mean
        if alike is not None:
            self.names, self._column = np.empty(0, dtype=np.int64), np.zeros(alike, dtype=np.int32)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Numbers of draws, and the arrays that are replaced from round to round."""
        arrays = {name: getattr(self, name) for name in _STATE}
        if self.names is not None:
            arrays["names"] = self.names
        return {"drawn": self.drawn, "expected": self.expected}, arrays

    def restore(self, numbers: Mapping[str, int], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same means."""
        if self.names is not None:
            self._split(arrays["names"])
        if any(arrays[name].shape != self._level.shape for name in _STATE):
            raise InputError(f"statistics of other means than {self._means}")
        vars(self).update({name: arrays[name] for name in _STATE})
        self.drawn, self.expected = numbers["drawn"], numbers["expected"]

    def _split(self, names: NDArray[np.int64]) -> None:
        """Move the means ``names`` from column 0 to columns of their own."""
        assert self.names is not None
        m = self._level.size
        for name in _STATE:
            array = getattr(self, name)
            setattr(self, name, np.concatenate((array, np.full(names.size, array[0]))))
        self._column[names] = np.arange(m, m + names.size)
        self.names = np.concatenate((self.names, names))

    @property
    def mean(self) -> Reals:
        """Mean of the draws."""
        return self._sums / max(self.drawn, 1)

    @property
    def variance(self) -> Reals:
        """Variance of the draws and one pseudo-draw of deviation sqrt(PRIOR): never zero."""
        squares = np.maximum(self._squares - self._sums * self.mean, 0)
        return (squares + PRIOR) / (self.drawn + 1)

    def reachable(self, draws: float) -> Reals:
        """Half-widths by Bernstein's inequality after ``draws`` draws."""
        per_draw = self._level / draws
        width: Reals = per_draw + np.sqrt(2 * self.variance * per_draw)
        return width

    def aim(self, tolerance: Reals) -> None:
        """Bet from now on for these half-widths; before any bet, L is shared out for them too."""
        self._tolerance = np.broadcast_to(np.maximum(tolerance, FINEST), self._level.shape)
        if self.drawn and not self._weight.any():
            self._level = self._levels()

    def plan(self, *, early: bool = False, most: float | None = None) -> int:
        """Number of draws of the next round, and the bets on it.

        As many as the variances say are needed, but no more than ``growth`` times those before, and
        no fewer than `LEAST_GROWTH` of them and ``least``, as far as `LONGEST`, ``most`` and what
        is left allow it. ``early`` bets on intervals of the width that the round itself can reach.
        """
        left, tolerance, variance = self.population - self.drawn, self._tolerance, self.variance
        limit = min(left, LONGEST, math.inf if most is None else most)
        if not self.drawn:
            least = (self._level / tolerance).max()
            self.expected = int(min(left, least))
            return int(min(limit, self._least if early else max(self._least, int(PILOT * least))))
        off = np.abs(self._centre - self._weight * self.mean)  # of the mean, from the centre
        missing = self._level + self._cost + off - self._weight * tolerance
        missing = np.maximum(missing, 0) / _gain(tolerance, variance)
        draws = missing.max()
        if math.isfinite(left):  # a draw after t weighs N / (N - t) as much as one with replacement
            draws = -left * np.expm1(-draws / self.population)
        needed = int(draws) + 1
        self.expected = int(min(self.population, self.drawn + needed))
        growth = 1 if early else self._growth
        count = max(self._least, int(LEAST_GROWTH * self.drawn), min(needed, growth * self.drawn))
        count = int(min(limit, count))
        if early:
            tolerance = np.maximum(tolerance, self.reachable(self.drawn + count))
        self._bets = tolerance / (tolerance + variance)
        return count

    def add(
        self, count: int, sums: Reals, squares: Reals, names: NDArray[np.int64] | None = None
    ) -> None:
        """Add a round by its sums of x and of x**2: of all means, or those of some, none zero."""
        if names is not None:
            self._split(names[self._column[names] == 0])
            place, m = self._column[names], self._level.size
            sums, squares = (
                np.bincount(place, values, m).astype(float) for values in (sums, squares)
            )
        guess, drawn_share = self.mean, self.drawn / self.population
        each = count / (1 - drawn_share)
        self._centre = self._centre + self._bets * (sums + each * self._sums / self.population)
        self._weight = self._weight + self._bets * each
        spread = squares - 2 * guess * sums + count * guess**2
        self._cost = self._cost + (-np.log1p(-self._bets) - self._bets) * spread
        self._sums = self._sums + sums
        self._squares = self._squares + squares
        first = not self.drawn
        self.drawn += count
        if first:
            self._level = self._levels()

    def bounds(self) -> tuple[Reals, Reals, Reals]:
        """Mean of the draws, least and greatest mean that they leave open."""
        if self.drawn == self.population:
            return self.mean, self.mean, self.mean
        half: Any = np.full(self._weight.size, np.inf)
        np.divide(self._level + self._cost, self._weight, where=self._weight > 0, out=half)
        centre = self._centre / np.where(self._weight > 0, self._weight, 1)
        # What is not drawn lies in [0, 1].
        return (
            self.mean,
            np.maximum(centre - half, self._sums / self.population),
            np.minimum(centre + half, 1 - (self.drawn - self._sums) / self.population),
        )

    def _levels(self) -> Reals:
        """L of each mean, so that the sum of 2 exp(-L) is delta.

        One half is shared out so that all would be done after T draws, 2 exp(-T gain) each; the
        other evenly, in case the first round misjudged a variance.
        """
        from scipy.optimize import brentq  # slow to import

        gain = _gain(self._tolerance, self.variance)
        times = np.ones(gain.size)  # means of each column
        times[:1] += self._means - gain.size
        even, share = self._delta / (4 * self._means), self._delta / 4
        most = -2 * np.log(even) / gain.min()
        draws = brentq(lambda T: times @ np.exp(-T * gain) - share, 0, most)
        levels: Reals = -np.log(np.exp(-draws * gain) + even)
        return levels


def _gain(tolerance: Reals, variance: Reals) -> Reals:
    """Expected gain of weight * tolerance - cost by a draw, at the best bet.

    The best of lambda e - psi(lambda) s is e - s log(1 + e / s), at lambda = e / (e + s).
    """
    return tolerance - variance * np.log1p(tolerance / variance)
