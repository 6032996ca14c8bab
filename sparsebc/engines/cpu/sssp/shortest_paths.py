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
from ..common.state import allocated
from ..msbfs.msbfs import NO_PREDECESSOR
from .sssp import TightEdges, run, search, search_bytes, sssp


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
        nothing = dict.fromkeys(("n", "tight", "entries", "starts"), 0)
        self._tree = allocated(TightEdges, nothing, as_found=False, tau=-1.0)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Search from one source at a time."""
        fill_rows(self._search, self._tree, sources, distances, predecessors)


@kernel
def fill_rows(search, tree, sources, distances, predecessors):
    """Fill row j of both from ``sources[j]``, as `scipy.sparse.csgraph.dijkstra` does."""
    for j in range(sources.size):
        row, last = distances[j], predecessors[j]
        last[:] = NO_PREDECESSOR
        sssp(search, sources[j : j + 1], TightEdges(tree.as_found, tree.tau, last, *tree[3:]))
        if stopped(search.stop):
            return
        for v in range(row.size):
            row[v] = search.distance[v]
            search.distance[v] = np.inf


def farthest(matrix: Matrix, starts: NDArray[np.int32]) -> float:
    """Largest distance along a matrix of lengths from the nearest of distinct starts."""
    (indptr, indices), lengths = matrix
    state: list[Any] = []

    def search_from_all(stop: NDArray[np.uint8]) -> None:
        state.append(search(indptr, indices, lengths, stop, starts=starts.size))
        run(state[0], starts)

    interruptible(indices.size, search_from_all)
    found = state[0].order[: state[0].completed[0]]
    return float(state[0].distance[found].max())
