"""The two products for one source on a large graph: all rows pull, shared out to all threads.

    forward    sigma(v) = sum of sigma(u) over u -> v, u on level d,   of v that are not found yet
    backward   delta(u) = sigma(u) * sum of g(v) over u -> v, v on level d + 1

A node is known by its own number, so that no order of the nodes has to be made, and of a neighbour
that does not count only its level is read, a byte. A row has one writer and a fixed order of
addition: threads change no bits. Each level looks at all rows that are left, so that levels have to
be few.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ....graph.indices import row_of
from ....jit import kernel, stopped


@kernel
def forward(first, last, indptr, indices, level, sigma, depth, stop):
    """Put rows on level ``depth + 1``: how many of these, and the largest number of paths.

    The pattern is that of A'. ``level`` is -1 where a row is not found, and written for these rows
    alone; what other threads write there is no level that is looked for.
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
    """Add what the rows of a level contribute; g takes the place of sigma there."""
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
