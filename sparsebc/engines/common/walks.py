"""Walks in time that no engine can count: too many, or of too many edges."""

from __future__ import annotations

import numpy as np

from ...brandes import count_limit
from ...errors import RangeError

# Numbers of edges from which float32 does not tell all apart.
MOST_EDGES = 1 << 24


def check_counts(largest: float) -> None:
    """Refuse numbers of walks that float64 does not hold, or one over them."""
    limit = count_limit(np.float64)
    if not largest <= limit:
        raise RangeError(
            f"contacts have more than {limit:.1g} optimal walks between two nodes: ask about a "
            "shorter time, or lower wait"
        )


def check_edges(exceeded: bool) -> None:
    """Refuse walks of so many edges that float32 does not tell them apart."""
    if exceeded:
        raise RangeError(
            f"contacts have optimal walks of {MOST_EDGES} edges or more: raise wait, or leave it "
            "out"
        )
