"""Arrays that not every run asks for: what is not wanted is not compiled.

One that is wanted has 64 bits an entry; one that is not is empty, and of a type of 32. So the type
alone tells them apart, and ``if wanted(sums)`` costs nothing when the kernel runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray


def unwanted(dtype: type[np.float32 | np.int32] = np.float32) -> NDArray[Any]:
    """In place of an array that nobody asked for."""
    return np.zeros(0, dtype=dtype)


def wanted(sums: Any) -> bool:
    """Whether a kernel is to fill this array."""
    return bool(sums.dtype.itemsize == 8)


def is_wanted(kind: types.Array) -> bool:
    """The same of the type of the sums, when the kernel is compiled."""
    return bool(kind.dtype.bitwidth == 64)


@overload(wanted)
def wanted_by_type(sums):
    """Say so when the kernel is compiled."""
    answer = is_wanted(sums)
    return lambda sums: answer
