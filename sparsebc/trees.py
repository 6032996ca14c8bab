"""Arcs of a graph whose trees were folded away: scores in closed form.

The only path between a removed node c and its parent is their edge, so every pair with one end in
the part below c and the other outside of it takes that edge:

    eb(c -> parent) = S(c) (T - T(c))        eb(parent -> c) = T(c) (S - S(c))

with S(c), T(c) the sources and targets below c (c too) and S, T those of its component.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .patterns import CSR, Patterns


class Trees(NamedTuple):
    """What was folded, by node of the graph that was given."""

    parent: NDArray[np.int32]  # the node that each was folded into, -1 for those that remain
    sources: NDArray[np.int64]  # S(v)
    targets: NDArray[np.int64]  # T(v)
    all_sources: NDArray[np.int64]  # S
    all_targets: NDArray[np.int64]  # T

    def along(self, pattern: CSR, patterns: Patterns) -> Any:
        """Pairs along each arc of the trees, and zero on the others, shape (arcs,)."""
        xp = patterns.xp
        child = xp.flatnonzero(self.parent >= 0)
        parent = self.parent[child]
        sources, targets = self.sources[child], self.targets[child]
        pairs = xp.zeros(pattern.indices.size, dtype=np.int64)
        up, down = patterns.find(pattern, child, parent), patterns.find(pattern, parent, child)
        pairs[up] = sources * (self.all_targets[child] - targets)
        pairs[down] = targets * (self.all_sources[child] - sources)
        return pairs.astype(np.float64)
