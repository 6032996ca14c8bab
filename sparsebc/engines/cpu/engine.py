"""CPU engine: Numba kernels that release the GIL, so that threads sweep batches in parallel."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...limits import free_memory
from ...matrix.csr import Matrix
from ...matrix.graph import Graph
from ...matrix.ops import GraphOps
from ..common.base import Kernel, Profile
from .kernel_table import KERNELS
from .sssp.shortest_paths import farthest


class CPU:
    """Engine of compiled kernels."""

    name = "cpu"
    devices = ()
    kernels: Sequence[Kernel] = KERNELS
    profile = Profile(shares_rows=True, of_distances=frozenset({"trees", "blocks"}))

    def here(self) -> AbstractContextManager[None]:
        """A context without effect."""
        return nullcontext()

    def ops_for(self, entries: int) -> GraphOps:
        """Operations on the host."""
        return GraphOps()

    def free_memory(self) -> int:
        """Free bytes of the host."""
        return free_memory()

    def farthest(self, matrix: Matrix, starts: NDArray[np.int32]) -> float:
        """Largest distance from the starts, by one search from all of them."""
        return farthest(matrix, starts)

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Strong components by SciPy; weak ones by breadth-first search, in order of nodes."""
        if strong and not graph.symmetric:
            matrix = graph.outgoing.for_csgraph()
            count, labels = csgraph.connected_components(matrix, connection="strong")
            return int(count), labels
        first, labels = np.unique(graph.components, return_inverse=True)
        return first.size, labels.astype(np.int32)
