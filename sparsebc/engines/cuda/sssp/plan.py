"""Device memory of shortest paths by length: arithmetic, before anything is allocated."""

from __future__ import annotations

import numpy as np

from ..common.layout import WORD
from .layout import CHUNK

# Along lengths, of a node and source: distance and predecessor, the predecessors before the last
# step, and one of them in the order of the results.
ENTRY_BYTES = 8 + 4 + 4 + 8
WORD_BYTES = WORD * ENTRY_BYTES + 3 * 4  # of a node: 32 sources, and whether they wait
MOST_WORDS = 32


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
