"""Accessibility: sums over points of interest of functions of their distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .decay import Decay


class Access(NamedTuple):
    """Terms of the sums: W f(d) of each function f and each kind of points of interest."""

    functions: tuple[Decay, ...]
    kinds: int

    @property
    def width(self) -> int:
        """Number of sums of a node and a cutoff."""
        return len(self.functions) * self.kinds

    def table(self, levels: int, unit: float) -> NDArray[np.float64]:
        """Values at the distances 0, unit, ..., levels unit; shape (levels + 1, functions)."""
        distances = np.arange(levels + 1) * unit
        return np.stack([function.of(distances) for function in self.functions], axis=1)


class AccessSums(NamedTuple):
    """Sums over points of interest at each node, those at the node itself left out.

    Shape (columns * n, functions * kinds). Column k sums over the distances above cutoff k - 1, up
    to cutoff k.
    """

    values: NDArray[np.float64]

    def merge(self, other: AccessSums) -> None:
        """Add the sums over the points of interest that come next."""
        np.add(self.values, other.values, out=self.values)
