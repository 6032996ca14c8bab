"""Sums over all sources so far, for the kernels without lengths; empty where nobody wants them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sums(NamedTuple):
    """Those that are wanted, from zero on."""

    dependency: NDArray[np.float64]  # (n,) of alpha * delta
    squares: NDArray[np.float64]  # (n,) of alpha * delta**2
    arcs: NDArray[np.float64]  # (arcs,) of alpha * sigma(u) g(v)
    stress: NDArray[np.float64]  # (n,) of alpha * sigma * lambda
    arrivals: NDArray[np.float64]  # (n,) of alpha * sigma
    departures: NDArray[np.float64]  # (n,) lambda of each source


def wanted(names: Collection[str], n: int, arcs: int) -> Sums:
    """The sums of these names, for so many nodes and arcs."""
    size = dict.fromkeys(Sums._fields, n) | {"arcs": arcs}
    return Sums(**{name: np.zeros(size[name] if name in names else 0) for name in size})
