"""Sums of distances and of functions of them."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

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


class DistanceSums(NamedTuple):
    """Sums over the sources that reach each node, the node itself left out.

    c is the weight of a source, d its distance, e its ``beyond``. Arrays of NumPy or CuPy. With
    cutoffs, (columns * n,): column k sums over the distances above cutoff k - 1, up to cutoff k.
    """

    reached: NDArray[np.int64]  # (n,) sum of c
    total: NDArray[Any]  # (n,) sum of c d
    harmonic: NDArray[np.float64]  # (n,) sum of c / d
    farthest: NDArray[Any]  # (n,) maximum of d + e

    @classmethod
    def zeros(
        cls, n: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np
    ) -> DistanceSums:
        """Sums over no sources; distances are of type ``distance``, integer if in edges."""
        return cls(*(xp.zeros(n, dtype=dtype) for dtype in (np.int64, distance, float, distance)))

    def within(self, columns: int) -> DistanceSums:
        """Sums of all distances up to each cutoff, of shape (columns, n): prefix sums."""
        parts = [values.reshape(columns, values.size // columns) for values in self]
        reached, total, harmonic = (np.cumsum(part, axis=0) for part in parts[:3])
        farthest = parts[3].copy()
        for before, here in itertools.pairwise(farthest):
            np.maximum(before, here, out=here)  # CuPy accumulates no maxima
        return DistanceSums(reached, total, harmonic, farthest)


def no_sums(
    access: Access | None, rows: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np
) -> Any:
    """Zeros: `AccessSums` if ``access`` is given, else `DistanceSums`."""
    if access is not None:
        return AccessSums(xp.zeros((rows, access.width)))
    return DistanceSums.zeros(rows, distance, xp)
