"""Lengths of edges, and the rule by which two paths tie.

An edge u -> v lies on a shortest path where

    d(u) + w(u, v) <= d(v) + tau

with d the shortest distances, and tau one number of a call (`measures.tolerance`), 0 if all lengths
are integers, which compare exactly: sums of other floats are rounded.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RangeError

TIE_RTOL = 1e-11
# Least length: below it, quotients of lengths would leave the range of floats.
MIN_LENGTH = 1e-300
# Floats hold all integers up to here exactly, sums included.
WHOLE = 2.0**53
# Distance over the shortest length, up to which a sum of floats keeps three quarters of a length.
KEPT = 2.0**50

TOO_FAR = (
    "a distance exceeds 2**53, beyond which floats do not add integers exactly: divide the "
    "lengths by a common factor, or by A.max() to compare them by tie_rtol"
)
LOST = (
    "a distance exceeds 2**50 times the shortest length, which is lost beside it by rounding: "
    "merge nodes that are that close"
)


class Tau(float):
    """tau itself in place of ``tie_rtol``: random graphs keep that of the graph they are like."""


@dataclass(frozen=True)
class Lengths:
    """Length of each stored entry of a graph's two patterns, finite, and positive to count paths.

    The two arrays are one object when the graph is symmetric.
    """

    outgoing: NDArray[np.float64]
    incoming: NDArray[np.float64]
    whole: bool  # all are integers below 2**53
    tau: float = 0.0  # largest difference of two paths that tie; 0 if `whole`

    @property
    def shortest(self) -> float:
        """Shortest positive length; infinite if there is none."""
        positive = self.outgoing[self.outgoing > 0] if self.has_zeros else self.outgoing
        return float(positive.min()) if positive.size else np.inf

    @property
    def has_zeros(self) -> bool:
        """Whether a length is 0."""
        return bool(self.outgoing.size and self.outgoing.min() == 0)

    @property
    def slack(self) -> float:
        """Difference of two path lengths above which the paths do not tie, rounding included."""
        total = float(self.outgoing.sum())
        if self.whole and total <= WHOLE:
            return 0.0
        return self.tau + 4 * float(np.finfo(np.float64).eps) * total

    @property
    def reach(self) -> float:
        """Upper bound of the length of a simple path: the sum of all edges."""
        both_ways = self.incoming is self.outgoing  # an edge counts once
        return float(self.outgoing.sum()) / (1 + both_ways)

    @property
    def limit(self) -> float:
        """Largest distance at which paths can be counted; infinite if none can be larger."""
        most = WHOLE if self.whole else KEPT * self.shortest
        return most if self.reach > most else np.inf

    @property
    def too_far(self) -> RangeError:
        """The error for a distance beyond the `limit`."""
        return RangeError(TOO_FAR if self.whole else LOST)

    @property
    def foldable(self) -> bool:
        """Whether paths may be added up in parts, whose sums round otherwise.

        Trees are folded, biconnected components and chains separated, and paths found from both
        ends. Without a tau, sums must be exact.
        """
        return self.tau > 0 or (self.whole and self.limit == np.inf)
