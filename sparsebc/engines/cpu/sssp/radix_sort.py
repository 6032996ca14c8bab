"""LSD radix sort of the nodes by their distances from one source.

The key is the bucket of a distance, narrower than the shortest length, so that a tight edge ends in
a later bucket than it starts in; the order within a bucket does not matter, and is ascending. Each
digit, the last first, takes a counting sort.
"""

from typing import Any, NamedTuple

import numpy as np

from ....jit import subroutine
from ..common.simd import LANES
from ..common.state import Sizes, array
from .sssp_batch import WIDTH

BITS = 11  # of a digit
# Most buckets whose numbers floats still distinguish.
MAX_BUCKETS = 1 << 48


class Sorting(NamedTuple):
    """Distances from eight sources, and memory to sort those from one."""

    per_width: float  # 1 / width of a bucket
    columns: Any = array(np.float64, "columns")  # distances from one source after the other
    keys: Any = array(np.int64, "keys")  # buckets, before and after a digit is sorted
    nodes: Any = array(np.int32, "n")
    counts: Any = array(np.int64, 1 << BITS)  # where the nodes of each digit go


def sizes(n: int) -> Sizes:
    """Sizes of `Sorting`."""
    return {"n": n, "columns": LANES * n, "keys": 2 * n}


@subroutine
def take_columns(rows, lane, columns):
    """Transpose eight lanes of every row into columns, and set the lanes to infinity."""
    n = columns.size // LANES
    for v in range(n):
        for k in range(LANES):
            columns[k * n + v] = rows[v * WIDTH + lane + k]
            rows[v * WIDTH + lane + k] = np.inf


@subroutine
def sort_by_distance(memory, column, limit, distance, order):
    """Fill ``distance`` from a column, and ``order`` with the nodes within ``limit``, sorted.

    Returns their number and the largest distance.
    """
    n, farthest = distance.size, 0.0
    for v in range(n):
        here = memory.columns[column * n + v]
        distance[v] = here if here <= limit else np.inf
        if distance[v] < np.inf:
            farthest = max(farthest, distance[v])
    digits = 1
    while farthest * memory.per_width >= 1 << digits * BITS:
        digits += 1
    keys, sorted_keys = memory.keys[:n], memory.keys[n:]
    nodes, sorted_nodes = (memory.nodes, order) if digits % 2 else (order, memory.nodes)
    count = 0
    for v in range(n):
        keys[count], nodes[count] = np.int64(min(distance[v], farthest) * memory.per_width), v
        count += distance[v] < np.inf
    for digit in range(digits):
        _sort(keys[:count], nodes, sorted_keys, sorted_nodes, memory.counts, digit * BITS)
        keys, sorted_keys = sorted_keys, keys
        nodes, sorted_nodes = sorted_nodes, nodes
    return count, farthest


@subroutine
def _sort(keys, nodes, sorted_keys, sorted_nodes, counts, shift):
    """Stable counting sort by one digit."""
    mask = (1 << BITS) - 1
    counts[:] = 0
    for key in keys:
        counts[(key >> shift) & mask] += 1
    place = 0
    for digit in range(counts.size):
        place, counts[digit] = place + counts[digit], place
    for i in range(keys.size):
        digit = (keys[i] >> shift) & mask
        sorted_keys[counts[digit]], sorted_nodes[counts[digit]] = keys[i], nodes[i]
        counts[digit] += 1
