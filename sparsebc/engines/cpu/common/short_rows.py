"""Short rows in ELLPACK format: a record of four entries per row, padded.

The branch that ends a loop over a row is mispredicted at every second node of a road network. A
record always has four entries, and lies in one cache line that is found without the row pointers.
Longer rows are read from the CSR arrays.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import kernel, optimized_inlined, subroutine
from ....matrix.csr import CSR
from .simd import aligned, prefetch

# Prefetch distance in nodes of the queue; row pointers are prefetched at twice that. A queue has
# ROOM nodes beyond its end, of any value in range.
AHEAD = np.uint64(16)
ROOM = 2 * int(AHEAD) + 1
SHORT, ONE = np.uint64(4), np.uint64(1)
LONG = np.uint32(2**32 - 1)  # last entry of the record of a longer row


class Rows(NamedTuple):
    """A pattern, with records or without."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    records: NDArray[np.uint32]  # (SHORT n,) rows padded with their own number; or empty


def with_records(pattern: CSR) -> Rows:
    """The pattern, with records unless its rows are too long in the mean; takes O(n)."""
    n, arcs = pattern.indptr.size - 1, pattern.indices.size
    rows = Rows(*pattern, aligned(nbytes(n, arcs) // 4, np.uint32))
    fill(rows)
    return rows


def nbytes(n: int, arcs: int) -> int:
    """Bytes of the records; 0 if rows have more than SHORT entries in the mean."""
    return 4 * int(SHORT) * n if arcs <= int(SHORT) * n else 0


@kernel
def fill(rows):
    """Write the record of each row, if there are records."""
    for u in range(rows.records.size // int(SHORT)):
        first, degree = rows.indptr[u], rows.indptr[u + 1] - rows.indptr[u]
        record = rows.records[u * int(SHORT) : (u + 1) * int(SHORT)]
        for k in range(record.size):
            record[k] = rows.indices[first + k] if k < degree else u
        if degree > record.size:
            record[-1] = LONG


@optimized_inlined
def fetch_ahead(rows, queue, i):
    """Prefetch the row of the node AHEAD in the queue, and return the node."""
    later = np.uint64(queue[i + AHEAD])
    if rows.records.size:
        prefetch(rows.records, SHORT * later)
    else:
        prefetch(rows.indptr, queue[i + AHEAD + AHEAD])
        prefetch(rows.indices, rows.indptr[later])
    return later


@subroutine
def is_short(rows, u):
    """Whether all entries of row u are in its record."""
    return rows.records.size > 0 and rows.records[SHORT * u + SHORT - ONE] != LONG
