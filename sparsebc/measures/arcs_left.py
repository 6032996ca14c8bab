"""Arcs of a graph that are dropped one after the other, in arrays that stay where they are."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..graph.csr import CSR


class ArcsLeft:
    """Compressed rows that close up as entries go: whoever holds their arrays sees what is left."""

    def __init__(self, pattern: CSR, lengths: NDArray[np.float64] | None) -> None:
        self.size = pattern.indices.size
        self.indptr = pattern.indptr.copy()
        self._indices, self._rows = pattern.indices.copy(), pattern.rows
        self._lengths = None if lengths is None else lengths.copy()
        self._items = np.zeros(self.size, dtype=np.int64)

    @property
    def whole(self) -> CSR:
        """The arrays themselves, longer than what is left."""
        return CSR(self.indptr, self._indices)

    @property
    def pattern(self) -> CSR:
        """What is left."""
        return CSR(self.indptr, self.indices)

    @property
    def indices(self) -> NDArray[np.int32]:
        """Column of each entry."""
        return self._indices[: self.size]

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row of each entry."""
        return self._rows[: self.size]

    @property
    def items(self) -> NDArray[np.int64]:
        """Number of the edge that each entry belongs to."""
        return self._items[: self.size]

    @property
    def lengths(self) -> NDArray[np.float64] | None:
        """Length of each entry."""
        return None if self._lengths is None else self._lengths[: self.size]

    def number(self, edges: NDArray[np.int32], *, paired: bool, transposed: bool) -> None:
        """Give each entry the number of its edge, rows (tail, head) in order.

        An edge of both directions has its smaller end first.
        """
        tails, heads = self.rows.astype(np.int64), self.indices.astype(np.int64)
        if transposed:
            tails, heads = heads, tails
        if paired:
            tails, heads = np.minimum(tails, heads), np.maximum(tails, heads)
        n = self.indptr.size - 1
        keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
        self._items[:] = np.searchsorted(keys, tails * n + heads)

    def length(self, row: int, column: int) -> float:
        """Length of an entry, 1 by edges."""
        if self._lengths is None:
            return 1.0
        first, last = self.indptr[row], self.indptr[row + 1]
        return float(self._lengths[first + np.searchsorted(self._indices[first:last], column)])

    def drop(self, gone: NDArray[np.bool_]) -> None:
        """Leave out the entries that are marked."""
        kept, rows = ~gone, self.rows[gone]
        left = self.size - rows.size
        for values in (self._indices, self._rows, self._items, self._lengths):
            if values is not None:
                values[:left] = values[: self.size][kept]
        self.indptr[1:] -= np.cumsum(np.bincount(rows, minlength=self.indptr.size - 1))
        self.size = left

    def matrix(self) -> scipy.sparse.csr_array:
        """What is left as a SciPy matrix of lengths, or ones."""
        return self.pattern.matrix(self.lengths)
