"""What of a search fits the memory of a device: arithmetic, before anything is allocated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..common.layout import ROWS, WORD
from .layout import COLUMNS, LEVEL, SUMS_BYTES, VECTORS

MASK_BYTES = 2 * 16 * VECTORS + 1  # of a slot: the two halves of its columns, four bits


def least_bytes(n: int, columns: int = 1) -> int:
    """One batch whose sums are wanted, or rows of the results of some of its sources."""
    return fixed_bytes(n) + batch_bytes(n, columns)


def fixed_bytes(n: int) -> int:
    """Device memory that does not depend on the batches, the graph apart."""
    return n * (LEVEL.dtype.itemsize + 4 + 1) + (1 << 16)


def batch_bytes(n: int, columns: int = 1) -> int:
    """State of one batch, its sources and what they weigh, with so many columns of sums."""
    return COLUMNS * (4 + 4 + 1) + WORD * -(-n // WORD) * (MASK_BYTES + SUMS_BYTES * columns)


def batches_at_once(n: int, memory: int, columns: int = 1) -> int:
    """Batches whose sums are wanted and whose state fits the memory, one at least."""
    return max(1, (memory - fixed_bytes(n)) // batch_bytes(n, columns))


def rows_at_once(n: int, memory: int, in_flight: Sequence[str]) -> int:
    """Sources of a batch that are searched together, with rows of so many results in flight."""
    each = n * sum(ROWS[name].itemsize for name in in_flight)
    room = memory - fixed_bytes(n) - batch_bytes(n, 0)
    return int(np.clip(room // each, 1, COLUMNS)) if each else COLUMNS
