"""Breadth-first search from one or several nodes."""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import interruptible, kernel, stopped
from .csr import CSR
from .indices import row_of

FAR = 2**31 - 1  # no path has so many edges


def hops(pattern: CSR, starts: NDArray[np.integer[Any]], most: int = FAR) -> NDArray[np.int32]:
    """Number of edges from the nearest start to each node; -1 if more than ``most``, or no path."""
    n = pattern.indptr.size - 1
    far, queue = np.full(n, -1, np.int32), np.empty(n + 1, np.int32)
    interruptible(pattern.indices.size, _hops, *pattern, starts.astype(np.int64), most, far, queue)
    return far


@kernel
def _hops(indptr, indices, starts, most, far, queue, stop):
    """Write distances from distinct starts to ``far``, -1 before; ``queue`` has room for n + 1."""
    low, high, depth = 0, starts.size, 0
    for i in range(high):
        queue[i] = starts[i]
        far[starts[i]] = 0
    while low < high and depth < most:
        depth, end = depth + 1, high
        for i in range(low, high):
            if stopped(stop):
                return
            for p in row_of(indptr, np.uint32(queue[i])):
                v = np.uint32(indices[p])
                queue[end] = v  # overwritten unless v is new; a branch would often be mispredicted
                end += far[v] < 0
                far[v] = depth if far[v] < 0 else far[v]
        low, high = high, end


@kernel
def nearer(first, last, indptr, indices, level, parent, stop):
    """Write to ``parent`` the first neighbour of each row that is one level lower, if any."""
    for v in range(first, last):
        if stopped(stop):
            return
        for p in row_of(indptr, np.uint32(v)):
            w = np.uint32(indices[p])
            if level[v] > 0 and level[w] == level[v] - 1:
                parent[v] = w
                break
