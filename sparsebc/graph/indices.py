"""Indices that are never negative.

Numba lets a signed index count from the end of an array, so that each access looks at its sign; an
unsigned one is taken as it is.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ..jit import inlined

NEXT = np.uint32(1)


@inlined
def span(first, last):
    """Indices from the first up to the last, which is left out."""
    return range(np.uint64(first), np.uint64(last))


@inlined
def row_of(indptr, v):
    """Entries of row v of a CSR pattern; v is unsigned."""
    return span(indptr[v], indptr[v + NEXT])


@inlined
def place_of(indptr, indices, v, w):
    """Place of entry (v, w), which is there; rows are sorted."""
    low, high = indptr[v], indptr[v + 1]
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < w:
            low = middle + 1
        else:
            high = middle
    return low
