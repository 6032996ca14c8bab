"""Nodes named by an argument: checked, as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def listed(
    name: str, nodes: ArrayLike, n: int, *, instead: str = "list at least one node"
) -> NDArray[np.int32]:
    """Node numbers that an argument lists, shape (m,), m >= 1; repeats are left to the caller.

    ``instead`` is what to do where there is no node to list.
    """
    try:
        array = np.asarray(nodes)
    except ValueError as error:
        raise ValueError(f"{name} must be one-dimensional, got rows of unequal length") from error
    if array.size == 0:
        raise ValueError(f"{name} is empty: {instead}")
    if array.dtype.kind == "b":
        raise TypeError(f"{name} must hold node numbers, got booleans: use numpy.flatnonzero(mask)")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold node numbers (ints), got {nodes!r:.60}")
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, got {array.ndim} dimensions: wrap {name} in a list"
        )
    if n == 0:
        raise ValueError(f"A has no nodes, got {name}={nodes!r:.60}: {instead}")
    outside = (array < 0) | (array >= n)
    if outside.any():
        raise ValueError(f"{name} must lie in 0..{n - 1}, got {array[outside][0]}")
    return array.astype(np.int32)
