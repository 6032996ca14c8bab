"""Sums of functions of the distances of places: what a search adds up, and where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .decay import Decay


class Access(NamedTuple):
    """Terms of sums over places: W f(d), for each function f and each kind of places."""

    functions: tuple[Decay, ...]
    kinds: int

    @property
    def width(self) -> int:
        """Sums of a node within a limit."""
        return len(self.functions) * self.kinds

    def table(self, levels: int, unit: float) -> NDArray[np.float64]:
        """Values of the functions on each level, whose edges have one length; (levels + 1, f)."""
        distances = np.arange(levels + 1) * unit
        return np.stack([function.of(distances) for function in self.functions], axis=1)


class AccessSums(NamedTuple):
    """Sums over places of what they count at each node, the node's own left out.

    Shape (columns * n, functions * kinds), a column for each limit: of the distances beyond the
    limit before it.
    """

    values: NDArray[np.float64]

    def merge(self, other: AccessSums) -> None:
        """Add the places that come next."""
        np.add(self.values, other.values, out=self.values)
