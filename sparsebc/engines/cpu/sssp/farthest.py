"""The largest distance from the nearest of some nodes, by one search from all of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....jit import interruptible, kernel
from ....matrix.csr import Matrix
from .sssp import search, sssp


def farthest(matrix: Matrix, starts: NDArray[np.int32]) -> float:
    """Largest distance along a matrix of lengths from the nearest of distinct starts."""
    (indptr, indices), lengths = matrix
    return float(interruptible(indices.size, _farthest, indptr, indices, lengths, starts))


def _farthest(indptr: Any, indices: Any, lengths: Any, starts: Any, stop: NDArray[np.uint8]) -> Any:
    return run(search(indptr, indices, lengths, stop, starts=starts.size), starts)


@kernel
def run(search, starts):
    """Search; returns the largest distance."""
    _, most, _ = sssp(search, starts, None, None)
    return most
