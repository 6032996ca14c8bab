"""Temporal walks: edge weights that keep their counts in the range of floats; edge limit."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...engines.common.base import count_limit
from ...errors import RangeError

# Integers from here on are not all float32.
MOST_EDGES = 1 << 24
# Range of walk counts and of their reciprocals.
LARGEST, LEAST = count_limit(np.float64), 1e-270
# Edge weights are 2**-x; x is found in [0, MOST_BITS] by bisection, in at most TRIALS steps.
MOST_BITS, TRIALS = 64.0, 24

Flags = NDArray[np.bool_]


def count_in_range(
    sources: int, count: Callable[[NDArray[np.float64]], tuple[Flags, Flags]]
) -> None:
    """Count walks with an edge weight that keeps their counts in the range of floats.

    All optimal walks between two nodes have the same number of edges, so that no ratio of counts
    depends on the weight. ``count`` takes a weight for each source, and returns flags of the
    sources with a count that is too large, and with one that is too small.
    """
    low, high, exponent = np.zeros(sources), np.full(sources, MOST_BITS), np.zeros(sources)
    for _ in range(TRIALS):
        large, small = count(2.0**-exponent)
        if not (large | small).any():
            return
        if (large & small).any():
            break
        low, high = np.where(large, exponent, low), np.where(small, exponent, high)
        exponent = np.where(large | small, (low + high) / 2, exponent)
    raise RangeError(
        "numbers of optimal walks from a node are too large, or differ too much, for floats, even "
        "scaled edge by edge: use a shorter time, or lower wait"
    )


def check_edges(exceeded: bool) -> None:
    """Refuse walks whose number of edges float32 cannot represent."""
    if exceeded:
        raise RangeError(
            f"contacts have optimal walks of {MOST_EDGES} edges or more: raise wait, or leave it "
            "out"
        )
