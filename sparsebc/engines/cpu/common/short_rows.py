"""Rows of a pattern as records: those of at most four entries side by side, filled up.

A loop over a row of unknown length ends by a branch, which is guessed wrong at every second node of
a road network. A record has four entries whatever the row has, and lies in one cache line that is
found without the row pointers. Only a longer row is read as it stands.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....graph.csr import CSR
from ....jit import kernel, optimized_inlined, subroutine
from .simd import aligned, prefetch

# Nodes of a queue between one and that whose row is fetched; what says where a long row lies is
# fetched as many before. The queue has room for nodes beyond its end, whichever they are.
AHEAD = np.uint64(16)
ROOM = 2 * int(AHEAD) + 1
SHORT, ONE = np.uint64(4), np.uint64(1)
LONG = np.uint32(2**32 - 1)  # last entry of a record in whose place the row itself is to be read


class Rows(NamedTuple):
    """A pattern with its records."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    records: NDArray[np.uint32]  # (SHORT n,) a short row, filled up with its number; or none at all


def with_records(pattern: CSR) -> Rows:
    """The pattern, and the records made of it, if `nbytes` of them; takes O(n)."""
    n, arcs = pattern.indptr.size - 1, pattern.indices.size
    rows = Rows(*pattern, aligned(nbytes(n, arcs) // 4, np.uint32))
    fill(rows)
    return rows


def nbytes(n: int, arcs: int) -> int:
    """Memory of the records of n rows: none where these are long in the mean."""
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
    """Fetch the row of a node that is later in the queue, which is returned."""
    later = np.uint64(queue[i + AHEAD])
    if rows.records.size:
        prefetch(rows.records, SHORT * later)
    else:
        prefetch(rows.indptr, queue[i + AHEAD + AHEAD])
        prefetch(rows.indices, rows.indptr[later])
    return later


@subroutine
def is_short(rows, u):
    """Whether row u has a record that holds all of it."""
    return rows.records.size > 0 and rows.records[SHORT * u + SHORT - ONE] != LONG
