"""Sums of distances, and the state of searches that fill them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .access import Access, AccessSums
from .batch import Batch


class DistanceSums(NamedTuple):
    """Sums over sources of what their searches say about each node, the source itself left out.

    A source counts as often as its weight says, and what it stands for lies on ``beyond`` it; that
    is for an engine whose `distance_reductions` have "blocks". Arrays of NumPy or of CuPy. On a
    graph with cutoffs, a column for each, one after the other: of the distances beyond the cutoff
    before it.
    """

    reached: NDArray[np.int64]  # (n,) how many sources reach it
    total: NDArray[Any]  # (n,) sum of their distances
    harmonic: NDArray[np.float64]  # (n,) sum of one over their distances
    farthest: NDArray[Any]  # (n,) greatest of their distances

    @classmethod
    def zeros(
        cls, n: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np
    ) -> DistanceSums:
        """Sums over no sources; distances are counted in edges, or of a type."""
        return cls(*(xp.zeros(n, dtype=dtype) for dtype in (np.int64, distance, float, distance)))

    def merge(self, other: DistanceSums) -> None:
        """Add the sources that come next."""
        for mine, theirs in zip(self[:3], other[:3], strict=True):
            np.add(mine, theirs, out=mine)
        np.maximum(self.farthest, other.farthest, out=self.farthest)

    def within(self, columns: int) -> DistanceSums:
        """Sums of all distances up to each cutoff, of shape (columns, n): prefix sums."""
        parts = [values.reshape(columns, values.size // columns) for values in self]
        reached, total, harmonic = (np.cumsum(part, axis=0) for part in parts[:3])
        farthest = parts[3].copy()
        for before, here in itertools.pairwise(farthest):
            np.maximum(before, here, out=here)  # CuPy accumulates no maxima
        return DistanceSums(reached, total, harmonic, farthest)

    def in_units(self, unit: float) -> DistanceSums:
        """Sums where an edge has another length than 1."""
        if unit == 1:
            return self
        total, harmonic, farthest = self.total * unit, self.harmonic / unit, self.farthest * unit
        return DistanceSums(self.reached, total, harmonic, farthest)


def no_sums(
    access: Access | None, rows: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np
) -> Any:
    """Sums before the first search: of functions of the distances, or else of distances."""
    if access is not None:
        return AccessSums(xp.zeros((rows, access.width)))
    return DistanceSums.zeros(rows, distance, xp)


class Search(Protocol):
    """State of the searches of a batch of sources, used again for the next batch.

    Sums have two methods, rows of results one or both of the others.
    """

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that search from such batches, without a search, on a CPU."""

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of some batches, in their order, where the searches are.

        `DistanceSums`, or `access.AccessSums` of a state that was made for functions of distances.
        """

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with what `scipy.sparse.csgraph.dijkstra` has for source i.

        Where it has a choice of predecessors, any of them; by edges, the smallest.
        """

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source, shape (len(sources), n); -1 where there is no path."""
