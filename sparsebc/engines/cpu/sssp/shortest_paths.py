"""Searches of a matrix of lengths: rows of distances and predecessors, the farthest node."""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ....foreign import on_host
from ....jit import interruptible, kernel, stopped
from ....matrix.csr import Matrix
from ...common.base import Sweep
from ..msbfs.msbfs import NO_PREDECESSOR
from .sssp import search, search_bytes, sssp


class LengthPaths:
    """State of one source, on a matrix of lengths."""

    @staticmethod
    def least_bytes(matrix: Any, sweep: Sweep) -> int:
        """Bytes of the state of a source, and of the graph with all arcs in both directions."""
        n, arcs = int(matrix.shape[0]), int(matrix.nnz)
        return 2 * 12 * arcs + 8 * n + search_bytes(n, 2 * arcs)

    def __init__(self, matrix: Any, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        matrix, n = on_host(matrix), matrix.shape[0]
        if not sweep.directed:  # rows of A and of A' side by side: the smaller entry counts
            matrix = scipy.sparse.hstack([matrix, matrix.T], format="csr")
        if matrix.nnz == 0:  # the widths of buckets come from the lengths
            matrix = scipy.sparse.csr_array(([1.0], ([0], [0])), shape=(n, n))
        indptr, indices = matrix.indptr.astype(np.int64), (matrix.indices % n).astype(np.int32)
        self._search = search(indptr, indices, matrix.data.astype(np.float64), stop)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Search from one source at a time."""
        fill_rows(self._search, sources, distances, predecessors)


@kernel
def fill_rows(search, sources, distances, predecessors):
    """Fill row j of both from ``sources[j]``, as `scipy.sparse.csgraph.dijkstra` does."""
    for j in range(sources.size):
        row, tree = distances[j], predecessors[j]
        tree[:] = NO_PREDECESSOR
        sssp(search, sources[j : j + 1], None, tree)
        if stopped(search.stop):
            return
        for v in range(row.size):
            row[v] = search.distance[v]
            search.distance[v] = np.inf


def farthest(matrix: Matrix, starts: NDArray[np.int32]) -> float:
    """Largest distance along a matrix of lengths from the nearest of distinct starts."""
    (indptr, indices), lengths = matrix

    def search_from_all(stop: NDArray[np.uint8]) -> Any:
        return farthest_of(search(indptr, indices, lengths, stop, starts=starts.size), starts)

    return float(interruptible(indices.size, search_from_all))


@kernel
def farthest_of(search, starts):
    """Search; returns the largest distance."""
    _, most, _ = sssp(search, starts, None, None)
    return most
