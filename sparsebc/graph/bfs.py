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
    """Edges from the nearest start to each node, -1 where there is no path of ``most`` at most."""
    n = pattern.indptr.size - 1
    far, queue = np.full(n, -1, np.int32), np.empty(n + 1, np.int32)
    interruptible(pattern.indices.size, _hops, *pattern, starts.astype(np.int64), most, far, queue)
    return far


@kernel
def _hops(indptr, indices, starts, most, far, queue, stop):
    """Breadth-first search; the ``queue`` has room for one more than all nodes."""
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
                queue[end] = v  # kept if it is new; a branch would often be guessed wrong
                end += far[v] < 0
                far[v] = depth if far[v] < 0 else far[v]
        low, high = high, end


@kernel
def nearer(first, last, indptr, indices, level, parent, stop):
    """Write the first neighbour of each row that is a level nearer, where there is one."""
    for v in range(first, last):
        if stopped(stop):
            return
        for p in row_of(indptr, np.uint32(v)):
            w = np.uint32(indices[p])
            if level[v] > 0 and level[w] == level[v] - 1:
                parent[v] = w
                break
