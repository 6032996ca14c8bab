"""Arcs of a graph that are dropped one after the other, in arrays that stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import CSR, GraphOps, Matrix


class ArcsLeft:
    """Compressed rows that close up as entries go: whoever holds their arrays sees what is left.

    On the host or on a GPU, as ``ops`` has it.
    """

    def __init__(self, pattern: CSR, lengths: Any, ops: GraphOps) -> None:
        self._ops, self._xp = ops, ops.xp
        self.size = int(pattern.indices.size)
        self.indptr, self._indices = pattern.indptr.copy(), pattern.indices.copy()
        self._lengths = None if lengths is None else lengths.copy()
        self._items: Any = None  # number of the edge that each entry belongs to

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
    def lengths(self) -> Any:
        """Length of each entry; None by edges."""
        return None if self._lengths is None else self._lengths[: self.size]

    def number(self, edges: NDArray[np.int32], *, paired: bool, transposed: bool) -> None:
        """Give each entry the number of its edge, rows (tail, head) in order.

        An edge of both directions has its smaller end first.
        """
        xp = self._xp
        tails, heads = self._ops.rows(self.pattern).astype(np.int64), self.indices.astype(np.int64)
        if transposed:
            tails, heads = heads, tails
        if paired:
            tails, heads = xp.minimum(tails, heads), xp.maximum(tails, heads)
        n = self.indptr.size - 1
        keys = self._ops.asarray(edges[:, 0].astype(np.int64) * n + edges[:, 1])
        self._items = xp.searchsorted(keys, tails * n + heads)

    def length(self, row: int, column: int) -> float:
        """Length of an entry, 1 by edges."""
        if self._lengths is None:
            return 1.0
        first, last = map(int, self.indptr[row : row + 2])
        at = self._xp.flatnonzero(self._indices[first:last] == column)[0]
        return float(self._lengths[first + int(at)])

    @property
    def items(self) -> Any:
        """Number of the edge that each entry belongs to, once they have one."""
        return self._items[: self.size]

    def without_edge(self, item: int) -> tuple[Any, ...]:
        """What `keep` takes, where an edge is gone."""
        kept = self._xp.flatnonzero(self.items != item)
        before = self._xp.searchsorted(kept, self.indptr)  # of the entries of a row
        lengths = None if self._lengths is None else self._lengths[kept]
        return CSR(before, self._indices[kept]), lengths, self._items[kept]

    def without_node(self, node: int, other: ArcsLeft) -> tuple[Any, ...]:
        """What `keep` takes, where a node is gone; ``other`` has the arcs the other way."""
        return *self._ops.without(Matrix(self.pattern, self.lengths), other.pattern, node), None

    def keep(self, pattern: CSR, lengths: Any, items: Any) -> None:
        """Close up: these are left."""
        self.size = int(pattern.indices.size)
        self.indptr[:] = pattern.indptr
        kept = ((self._indices, pattern.indices), (self._lengths, lengths), (self._items, items))
        values: Any
        for values, left in kept:
            if left is not None:
                values[: self.size] = left
