"""Lengths of edges, and the rule by which two paths tie.

Integers compare exactly. Sums of other floats are rounded, so that an edge u -> v lies on a
shortest path where

    d(u) + w(u, v) <= d(v) + rtol d(v)

with d the shortest distances themselves. A length that is lost beside a distance, by that tolerance
or by rounding, would make an edge lie on shortest paths in both directions; it is refused.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RangeError

TIE_RTOL = 1e-10
# Least d(v) - d(u) of a tight edge u -> v, as a share of its length.
MIN_GAIN = 0.8
# Least length: below it, quotients of lengths would leave the range of floats.
MIN_LENGTH = 1e-300
# Floats hold all integers up to here exactly, sums included.
WHOLE = 2.0**53

TOO_FAR = (
    "a distance exceeds 2**53, beyond which floats do not add integers exactly: divide the "
    "lengths by a common factor, or by A.max() to compare them by tie_rtol"
)


class TooShort(Exception):
    """The length of an edge is lost beside the distance it is added to."""

    def __init__(self, tail: int, head: int) -> None:
        self.tail, self.head = int(tail), int(head)


class TooFar(RangeError):
    """A sum of integer lengths passes the range in which floats are exact."""

    def __init__(self, message: str = TOO_FAR) -> None:  # pickle calls it with its message
        super().__init__(message)


@dataclass(frozen=True)
class Lengths:
    """Length of each stored entry of a graph's two patterns, all positive and finite.

    The two arrays are one object when the graph is symmetric.
    """

    outgoing: NDArray[np.float64]
    incoming: NDArray[np.float64]
    whole: bool  # all are integers below 2**53
    rtol: float  # relative difference of two paths that tie; 0 if `whole`

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self.outgoing.nbytes + (self.incoming is not self.outgoing) * self.incoming.nbytes

    @property
    def shortest(self) -> float:
        """Shortest length; infinite if there are no edges."""
        return float(self.outgoing.min()) if self.outgoing.size else np.inf

    @property
    def limit(self) -> float:
        """Largest distance that is allowed."""
        return WHOLE if self.whole else float(np.finfo(np.float64).max)

    @property
    def safe_distance(self) -> float:
        """Distance up to which no length is lost: no edge can be refused."""
        slack = max(self.rtol, float(np.finfo(np.float64).eps))
        return (1 - MIN_GAIN) / 2 * self.shortest / slack

    @property
    def slack(self) -> float:
        """Difference of two path lengths above which the paths do not tie, at any distance."""
        if self.whole and self.outgoing.sum() <= WHOLE:
            return 0.0
        rounding = max(self.rtol, float(np.finfo(np.float64).eps))
        return 4 * rounding * float(self.outgoing.sum())

    @property
    def reach(self) -> float:
        """Upper bound of the length of a simple path: the sum of all edges."""
        both_ways = self.incoming is self.outgoing  # an edge counts once
        return float(self.outgoing.sum()) / (1 + both_ways)

    @property
    def safe(self) -> bool:
        """Whether no distance can be refused."""
        return self.reach <= (WHOLE if self.whole else self.safe_distance)

    @property
    def foldable(self) -> bool:
        """Whether trees may be folded, and biconnected components separated.

        With ``tie_rtol=0`` ties depend on the order of float additions, which folding changes.
        """
        return self.safe and (self.whole or self.rtol > 0)
