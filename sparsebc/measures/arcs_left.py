"""Arcs of a graph that are dropped one after the other, in arrays that stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import CSR, GraphOps


class ArcsLeft:
    """Compressed rows that close up as entries go: whoever holds their arrays sees what is left.

    On the host or on a GPU, as ``ops`` has it.
    """

    def __init__(self, pattern: CSR, lengths: Any, ops: GraphOps) -> None:
        self._ops, self._xp = ops, ops.xp
        self.size = int(pattern.indices.size)
        self.indptr = pattern.indptr.copy()
        self._indices, self._rows = pattern.indices.copy(), ops.rows(pattern)
        self._lengths = None if lengths is None else lengths.copy()
        self._items = self._xp.zeros(self.size, dtype=np.int64)

    @property
    def whole(self) -> CSR:
        """The arrays themselves, longer than what is left."""
        return CSR(self.indptr, self._indices)

    @property
    def pattern(self) -> CSR:
        """What is left."""
        return CSR(self.indptr, self.indices)

    @property
    def indices(self) -> Any:
        """Column of each entry."""
        return self._indices[: self.size]

    @property
    def rows(self) -> Any:
        """Row of each entry."""
        return self._rows[: self.size]

    @property
    def items(self) -> Any:
        """Number of the edge that each entry belongs to."""
        return self._items[: self.size]

    @property
    def lengths(self) -> Any:
        """Length of each entry; None by edges."""
        return None if self._lengths is None else self._lengths[: self.size]

    def number(self, edges: NDArray[np.int32], *, paired: bool, transposed: bool) -> None:
        """Give each entry the number of its edge, rows (tail, head) in order.

        An edge of both directions has its smaller end first.
        """
        xp = self._xp
        tails, heads = self.rows.astype(np.int64), self.indices.astype(np.int64)
        if transposed:
            tails, heads = heads, tails
        if paired:
            tails, heads = xp.minimum(tails, heads), xp.maximum(tails, heads)
        n = self.indptr.size - 1
        keys = self._ops.asarray(edges[:, 0].astype(np.int64) * n + edges[:, 1])
        self._items[:] = xp.searchsorted(keys, tails * n + heads)

    def length(self, row: int, column: int) -> float:
        """Length of an entry, 1 by edges."""
        if self._lengths is None:
            return 1.0
        first, last = map(int, self.indptr[row : row + 2])
        at = self._xp.flatnonzero(self._indices[first:last] == column)[0]
        return float(self._lengths[first + int(at)])

    def drop(self, gone: Any) -> None:
        """Leave out the entries that are marked."""
        kept = self._xp.flatnonzero(~gone)
        left = int(kept.size)
        for values in (self._indices, self._rows, self._items, self._lengths):
            if values is not None:
                values[:left] = values[kept]
        self.indptr[:] = self._xp.searchsorted(kept, self.indptr)  # of the entries before a row
        self.size = left
