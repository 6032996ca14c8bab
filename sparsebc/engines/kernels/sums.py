"""Sums that not every run asks for: what is not wanted is not compiled.

A sum that is wanted is a float64 array; one that is not is an empty float32 array. So the type
alone tells them apart, and ``if wanted(sums)`` costs nothing when the kernel runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray


def unwanted() -> NDArray[np.float32]:
    """In place of a sum that nobody asked for."""
    return np.zeros(0, dtype=np.float32)


def wanted(sums: Any) -> bool:
    """Whether a kernel is to fill these sums."""
    return bool(sums.dtype == np.float64)


def is_wanted(kind: types.Array) -> bool:
    """The same of the type of the sums, when the kernel is compiled."""
    return bool(kind.dtype == types.float64)


@overload(wanted)
def wanted_by_type(sums):
    """Say so when the kernel is compiled."""
    answer = is_wanted(sums)
    return lambda sums: answer
