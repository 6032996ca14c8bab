"""Numbers of walks in time in the range of floats; and walks of too many edges for any engine."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...brandes import count_limit
from ...errors import RangeError

# Numbers of edges from which float32 does not tell all apart.
MOST_EDGES = 1 << 24
# Numbers of walks, and one over them, stay between these.
LARGEST, LEAST = count_limit(np.float64), 1e-270
# The weights of an edge that are tried: powers of two down to this one, by bisection.
MOST_BITS, TRIALS = 64.0, 24

Flags = NDArray[np.bool_]


def count_in_range(
    sources: int, count: Callable[[NDArray[np.float64]], tuple[Flags, Flags]]
) -> None:
    """Count walks with weights of an edge that keep their numbers in the range of floats.

    All optimal walks between two nodes have the same number of edges, so that no share of them
    depends on the weight. ``count`` is given one for each source, and says from which of them some
    number of walks is too large, or too small.
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
        "numbers of optimal walks from a node are too large, or too uneven, for floats even if "
        "each edge has a weight: ask about a shorter time, or lower wait"
    )


def check_edges(exceeded: bool) -> None:
    """Refuse walks of so many edges that float32 does not tell them apart."""
    if exceeded:
        raise RangeError(
            f"contacts have optimal walks of {MOST_EDGES} edges or more: raise wait, or leave it "
            "out"
        )
