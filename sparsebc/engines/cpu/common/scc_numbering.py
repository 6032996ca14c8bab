"""Numbers of known components in the order in which a depth-first search completes them.

The search starts from the nodes in their order, and takes a node's neighbours from the first to the
last, or from the last to the first: SciPy's has done the former since 1.18.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....jit import allocating_kernel, interruptible, stopped


def number_as_completed(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    label: NDArray[np.int32],
    last_first: bool,
) -> tuple[int, NDArray[np.int32]]:
    """How many there are, and the number of each node's. ``label`` is one of its nodes."""
    count, number = interruptible(indices.size, _number, indptr, indices, label, last_first)
    return count, number


@allocating_kernel
def _number(indptr, indices, label, last_first, stop):
    """Depth-first search, a path of nodes at a time."""
    n = label.size
    first = np.full(n, -1, np.int32)  # of each label, the node found first, which is left last
    number = np.empty(n, np.int32)  # of each label
    left = indptr[1:] - indptr[:-1]  # neighbours of a node that were not looked at
    path = np.empty(n, np.int32)
    visited = np.zeros(n, np.bool_)
    count = 0
    for start in range(n):
        if visited[start]:
            continue
        visited[start] = True
        path[0], depth = start, 0
        while depth >= 0:
            if stopped(stop):
                return count, number
            v = path[depth]
            if first[label[v]] < 0:
                first[label[v]] = v
            if left[v]:
                w = indices[indptr[v] + left[v] - 1 if last_first else indptr[v + 1] - left[v]]
                left[v] -= 1
                if not visited[w]:
                    visited[w] = True
                    depth += 1
                    path[depth] = w
                continue
            if first[label[v]] == v:
                number[label[v]] = count
                count += 1
            depth -= 1
    return count, number[label]
