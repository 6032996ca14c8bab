"""Types of path counts, and their largest values."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

# A path count as a float64 times a power of two, for counts beyond float64.
EXTENDED = np.dtype([("mantissa", np.float64), ("exponent", np.int64)])
# Types of path counts, by ascending range.
RANGES: tuple[np.dtype[Any], ...] = (np.dtype(np.float32), np.dtype(np.float64), EXTENDED)

# Largest path count where target weights may be as small as 1e-200 (`engines/common/decay.py`).
SEEDED_LIMIT = 1e100


def count_limit(dtype: DTypeLike, seeded: bool = False) -> float:
    """Largest path count for which sigma and omega / sigma keep full precision."""
    if dtype == EXTENDED:
        return float("inf")
    if seeded:
        return SEEDED_LIMIT
    return float(2.0 ** (np.finfo(np.dtype(dtype)).maxexp - 8))
