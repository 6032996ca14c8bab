"""How many sources reach each node and from how far, by bits alone: a popcount per row and level.

With c = popcount(F_d[v]), the sources of the group that first reach v at level d:

    reached(v) += c,  total(v) += d c,  harmonic(v) += c / d,  farthest(v) = max d
"""

from __future__ import annotations

from typing import Any

from .compiled import kernel
from .masks import advance, begin


@kernel
def tally(state: Any, sources: Any, sums: Any) -> None:
    """Search from the sources of a group at once."""
    size, depth = begin(state, sources), 0
    while size and not state.stop[0]:
        size = advance(state, depth, size)
        depth += 1
        for v in state.rows[depth & 1, :size]:
            count = state.gained[v]
            sums.reached[v] += count
            sums.total[v] += depth * count
            sums.harmonic[v] += count / depth
            sums.farthest[v] = max(sums.farthest[v], depth)
