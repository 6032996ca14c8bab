"""Unweighted Brandes from one source of a large graph: all rows pull, divided among the threads.

    forward    sigma(v) = sum of sigma(u) over u -> v, u on level d,   of each unvisited v
    backward   delta(u) = sigma(u) * sum of g(v) over u -> v, v on level d + 1

Arrays are by node, without renumbering. Of a neighbour on another level only a byte is read, its
level. A row has one writer and a fixed order of addition: the number of threads changes no bits.
Each level scans all rows, so that levels must be few.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ....jit import kernel, stopped
from ....matrix.csr import row_of


@kernel
def forward(first, last, indptr, indices, level, sigma, depth, stop):
    """Fill level and sigma of level ``depth + 1``; return its size and largest path count.

    The pattern is that of A'. Only rows first:last of level -1 are written. Rows that other threads
    write meanwhile change from -1 to depth + 1, and neither equals depth.
    """
    found, largest = 0, 0.0
    for v in range(first, last):
        if level[v] >= 0:
            continue
        if stopped(stop):
            break
        paths = 0.0
        for p in row_of(indptr, np.uint64(v)):
            u = np.uint32(indices[p])
            if level[u] == depth:
                paths += sigma[u]
        if paths > 0:
            level[v] = depth + 1
            sigma[v] = paths
            found += 1
            largest = max(largest, paths)
    return found, largest


@kernel
def backward(first, last, indptr, indices, level, sigma, omega, dependency, alpha, depth, stop):
    """Add alpha delta of the rows of a level to the dependency; g overwrites their sigma."""
    for u in range(first, last):
        if level[u] != depth:
            continue
        if stopped(stop):
            break
        gathered = 0.0
        for p in row_of(indptr, np.uint64(u)):
            v = np.uint32(indices[p])
            if level[v] == depth + 1:
                gathered += sigma[v]
        delta = sigma[u] * gathered
        dependency[u] += alpha * delta
        sigma[u] = (omega[u] + delta) / sigma[u]
