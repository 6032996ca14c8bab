"""How many sources reach each node and from how far: a popcount per row and level.

With c = popcount(F_d[v]), the sources of the group that first reach v at level d:

    reached(v) += c,  total(v) += d c,  harmonic(v) += c / d,  farthest(v) = max d
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

from ....jit import kernel
from .msbfs import advance, begin, search_by_queue


@kernel
def tally(state: Any, sources: Any, sums: Any) -> None:
    """Search from the sources of a group at once."""
    size, depth = begin(state, sources), 0
    while size and not state.stop[0]:
        size = advance(state, depth, size)
        depth += 1
        for v in state.rows[depth & 1, :size]:
            add(sums, v, depth, state.gained[v])


@kernel
def tally_by_queue(state: Any, sources: Any, sums: Any) -> int:
    """The same, source after source; returns the levels of the last."""
    level, depth = state.gained, 0
    for source in sources:
        if state.stop[0]:
            break
        depth = search_by_queue(state, source, level)
        for v in range(level.size):  # in their order, which memory likes better than the queue's
            if level[v] > 0:
                add(sums, v, level[v], 1)
    return depth


@register_jitable
def add(sums, v, depth, count):
    """So many sources reach node v on this level."""
    sums.reached[v] += count
    sums.total[v] += depth * count
    sums.harmonic[v] += count / depth
    sums.farthest[v] = max(sums.farthest[v], depth)
