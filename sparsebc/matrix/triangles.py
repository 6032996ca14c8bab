"""Edges u -> v that are longer than a path u -> x -> v."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ..jit import kernel, stopped


@kernel
def needed(indptr, indices, lengths, slack, nearest, is_neighbour, needed, stop):
    """Write whether no path u -> x -> v is shorter than edge u -> v by more than ``slack``.

    ``nearest`` is infinite and ``is_neighbour`` False, before and after.
    """
    for u in range(nearest.size):
        longest = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            is_neighbour[indices[p]] = True
            longest = max(longest, lengths[p])
        for p in range(indptr[u], indptr[u + 1]):
            x, first = indices[p], lengths[p]
            if stopped(stop):
                return
            if first >= longest:
                continue
            for q in range(indptr[x], indptr[x + 1]):
                v = indices[q]
                if is_neighbour[v]:
                    nearest[v] = min(nearest[v], first + lengths[q])
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            needed[p] = lengths[p] <= nearest[v] + slack
            nearest[v] = np.inf
            is_neighbour[v] = False
