"""What of a search fits the memory of a device: arithmetic, before anything is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .layout import CHUNK, COLUMNS, LEVEL, SUMS_BYTES, VECTORS

WORD = 32
MASK_BYTES = 2 * 16 * VECTORS + 1  # of a slot: the two halves of its columns, four bits
# What a source has of each node, by name: in flight where it is wanted on the host.
ROWS: dict[str, np.dtype[Any]] = {
    "level": np.dtype(np.int32),
    "before": np.dtype(np.int32),
    "distance": np.dtype(np.float64),
}
# Along lengths, of a node and source: distance and predecessor, the predecessors before the last
# step, and one of them in the order of the results.
ENTRY_BYTES = 8 + 4 + 4 + 8
WORD_BYTES = WORD * ENTRY_BYTES + 3 * 4  # of a node: 32 sources, and whether they wait
MOST_WORDS = 32


def least_bytes(n: int, columns: int = 1) -> int:
    """One group whose sums are wanted, or rows of the results of some of its sources."""
    return fixed_bytes(n) + group_bytes(n, columns)


def fixed_bytes(n: int) -> int:
    """Device memory that does not depend on the groups, the graph apart."""
    return n * (LEVEL.dtype.itemsize + 4 + 1) + (1 << 16)


def group_bytes(n: int, columns: int = 1) -> int:
    """State of one group, its sources and what they weigh, with so many columns of sums."""
    return COLUMNS * (4 + 4 + 1) + WORD * -(-n // WORD) * (MASK_BYTES + SUMS_BYTES * columns)


def groups_at_once(n: int, memory: int, columns: int = 1) -> int:
    """Groups whose sums are wanted and whose state fits the memory, one at least."""
    return max(1, (memory - fixed_bytes(n)) // group_bytes(n, columns))


def rows_at_once(n: int, memory: int, in_flight: Sequence[str]) -> int:
    """Sources of a group that are searched together, with rows of so many results in flight."""
    each = n * sum(ROWS[name].itemsize for name in in_flight)
    room = memory - fixed_bytes(n) - group_bytes(n, 0)
    return int(np.clip(room // each, 1, COLUMNS)) if each else COLUMNS


def edge_bytes(n: int, edges: int) -> int:
    """Edges with their lengths, and the items that they are cut into."""
    return 8 * (n + 1) + (8 + 4) * edges + (8 + 4) * (n + edges // CHUNK)


def least_sssp_bytes(n: int, arcs: int) -> int:
    """The edges in both directions, what sorts them, and the state of one word of sources."""
    return edge_bytes(n, 2 * arcs) + 3 * 8 * 2 * arcs + n * WORD_BYTES + (1 << 16)


def words_at_once(n: int, edges: int, memory: int) -> int:
    """Words of sources along lengths whose state fits the memory, one at least."""
    room = memory - edge_bytes(n, edges) - (1 << 16)
    return int(np.clip(room // (max(n, 1) * WORD_BYTES), 1, MOST_WORDS))
