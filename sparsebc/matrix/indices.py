"""Unsigned indices into CSR patterns.

Numba lets a negative index count from the end of an array, so each access by a signed index tests
its sign; an unsigned one is taken as it is.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ..jit import inlined

NEXT = np.uint32(1)


@inlined
def span(first, last):
    """Unsigned indices first..last - 1."""
    return range(np.uint64(first), np.uint64(last))


@inlined
def row_of(indptr, v):
    """Places of the entries of row v of a CSR pattern; v is unsigned."""
    return span(indptr[v], indptr[v + NEXT])


@inlined
def place_of(indptr, indices, v, w):
    """First place of a column >= w in row v, which is sorted: that of entry (v, w) if stored."""
    low, high = indptr[v], indptr[v + 1]
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < w:
            low = middle + 1
        else:
            high = middle
    return low
