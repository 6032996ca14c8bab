"""Statistics of samples that come one after the other: moments, counts and outer order statistics.

They depend on the samples and their order alone, and take O(n) memory for each of the outer ones.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from ..errors import InputError
from ..sweep.checkpoint import State

# Relative tolerance for equality of a sample and the score, by the type of the path counts: far
# above the rounding errors of an engine's order of additions.
EQUAL_RTOL = {"float64": 1e-9, "float32": 1e-5}
# Beside that, the share of it that both may differ by of the largest score of the measure.
OF_LARGEST = 1e-3


class NullStatistics:
    """Moments by Welford's update, numbers of samples at or beyond a score, outer samples.

    All are of the samples in which a score is defined, and NaN where it is not in the graph itself.
    Scores have shape (measures, n), with several cutoffs (measures, n, c); ``reals`` are the types
    of the numbers that each measure was computed in.
    """

    def __init__(
        self,
        score: NDArray[np.float64],
        samples: int,
        interval: float,
        *,
        keep: bool,
        reals: Sequence[str] = ("float64",),
    ) -> None:
        self.score, self.samples, self.done = score, samples, 0
        self._whole = True  # False during an update
        rtol = np.array([EQUAL_RTOL[real] for real in reals])
        self._rtol = rtol.reshape(-1, *(1 for _ in score.shape[1:]))
        size = np.abs(np.where(np.isfinite(score), score, 0.0))
        largest = size.max(axis=1, keepdims=True, initial=0)
        self._slack = self._rtol * (size + OF_LARGEST * largest)
        # Samples of each tail, its inner end counted: between the two ends lies the interval.
        each = max(1, math.ceil(round((1 - interval) / 2 * samples, 9)))
        self._arrays = {
            "mean": np.zeros(score.shape),
            "squares": np.zeros(score.shape),
            "greater": np.zeros(score.shape, dtype=np.int64),
            "less": np.zeros(score.shape, dtype=np.int64),
            "defined": np.zeros(score.shape, dtype=np.int64),
            "low": np.full((2 * each, *score.shape), np.nan),  # which sorts last
            "high": np.full((2 * each, *score.shape), np.nan),  # of the scores below zero
        }
        if keep:
            self._arrays["kept"] = np.full((samples, *score.shape), np.nan)
        self._each = each

    def take(self, sample: NDArray[np.float64]) -> None:
        """Count the next sample."""
        self._whole = False
        arrays, number = self._arrays, self.done
        is_defined = ~np.isnan(sample)
        arrays["defined"] += is_defined
        with np.errstate(invalid="ignore"):  # infinite less infinite
            off = np.where(is_defined, sample - arrays["mean"], 0)
            arrays["mean"] += off / np.maximum(arrays["defined"], 1)
            arrays["squares"] += np.where(is_defined, off * (sample - arrays["mean"]), 0)
        arrays["greater"] += sample >= self.score - self._slack
        arrays["less"] += sample <= self.score + self._slack
        place = self._each + number % self._each
        for name, values in (("low", sample), ("high", -sample)):
            arrays[name][place] = values
            if place == 2 * self._each - 1 or number == self.samples - 1:
                arrays[name].partition(self._each - 1, axis=0)
                arrays[name][self._each :] = np.nan
        if "kept" in arrays:
            arrays["kept"][number] = sample
        self.done += 1
        self._whole = True

    def state(self) -> State | None:
        """State for `restore`, or None during an update."""
        return ({"done": self.done}, self._arrays) if self._whole else None

    def restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Continue from a state of as many samples of as many nodes."""
        if {name: array.shape for name, array in arrays.items()} != {
            name: array.shape for name, array in self._arrays.items()
        }:
            raise InputError(f"other statistics: {', '.join(arrays) or 'none'}")
        self.done, self._arrays = numbers["done"], arrays

    def summary(self, *, two_sided: bool) -> dict[str, NDArray[np.float64]]:
        """Statistics of the scores by name.

        ``mean`` and ``std``, of one degree of freedom less; ``z``, where all samples are equal 0,
        or infinite where the score is another; ``p``, the share of samples at or above the score,
        the score itself counted as one; ``q``, those of the nodes of each measure, adjusted by
        Benjamini and Hochberg; ``low`` and ``high``, the ends of the central interval.
        """
        arrays, defined, edge = self._arrays, self._arrays["defined"], self._each - 1
        mean = np.where(defined > 0, arrays["mean"], np.nan)
        std = np.sqrt(arrays["squares"] / np.where(defined > 1, defined - 1.0, np.nan))
        with np.errstate(invalid="ignore", divide="ignore"):  # infinite samples, and equal ones
            off, slack = self.score - mean, np.maximum(self._slack, self._rtol * np.abs(mean))
            off = np.where(np.abs(off) <= slack, 0.0, off)
            constant = np.where(off == 0, 0.0, np.copysign(np.inf, off))
            z = np.where(std <= slack, constant, off / std)
        p, less = ((1 + arrays[name]) / (1 + defined) for name in ("greater", "less"))
        if two_sided:
            p = np.minimum(1, 2 * np.minimum(p, less))
        of_score = {"p": p, "low": arrays["low"][edge], "high": -arrays["high"][edge]}
        is_undefined = np.isnan(self.score)  # it compares to no sample
        of_score = {
            name: np.where(is_undefined, np.nan, values) for name, values in of_score.items()
        }
        q = of_score["p"].copy()
        for place in np.ndindex(q[:, 0].shape if q.size else 0):
            column = q[(place[0], slice(None), *place[1:])]
            known = ~np.isnan(column)
            if known.any():
                column[known] = scipy.stats.false_discovery_control(column[known])
        return {"mean": mean, "std": std, "z": z, "q": q} | of_score

    @property
    def kept(self) -> NDArray[np.float64] | None:
        """Array of all samples, if they are kept."""
        return self._arrays.get("kept")
