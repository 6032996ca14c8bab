"""The largest distance from the nearest of some nodes, by `distance_sums.cu`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import Matrix
from ....matrix.edge_weights import Lengths
from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import Batch
from ..prepare.graph_ops import CUDAOps
from .distance_sums import LengthSearch

LARGEST = float(np.finfo(np.float64).max)


def farthest(matrix: Matrix, starts: NDArray[np.int32], memory: int) -> float:
    """Largest distance along a matrix of lengths from starts in components of their own.

    With several, each visits its component alone, as within a cutoff.
    """
    pattern, values = matrix
    lengths = Lengths(values, values, whole=False)
    cutoffs = (LARGEST,) if starts.size > 1 else ()
    graph = Graph(pattern.indptr.size - 1, pattern, pattern, CUDAOps(), lengths, cutoffs=cutoffs)
    sweep = Sweep("distances by length", 1, sums=frozenset({"farthest"}))
    search = LengthSearch(graph, sweep, memory, np.zeros(1, dtype=np.uint8))
    sums: Any = search.accumulate([Batch(starts, np.ones(starts.size), clustered=False)])
    return float(sums.farthest.max())
