"""CUDA engine: CUDA C++ through CuPy."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cupy
import cupyx.scipy.sparse
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...matrix.components import strong_components
from ...matrix.csr import CSR, Matrix
from ...matrix.edge_weights import Lengths
from ...matrix.graph import Graph
from ...matrix.ops import GraphOps
from ..common.base import Kernel, Profile, Sweep
from ..common.sums import Batch
from ..cpu.sssp.shortest_paths import farthest as farthest_on_host
from . import kernel_table
from .prepare.graph_ops import CUDAOps
from .prepare.scc import labels
from .runtime.copies import upload
from .runtime.streams import callers_stream, own_stream
from .sssp.distance_sums import distances

LARGEST = float(np.finfo(np.float64).max)


class CUDA:
    """Engine of GPUs: the first prepares the graph, each sweeps and searches blocks."""

    kernels: Sequence[Kernel] = kernel_table.KERNELS
    ops: type[GraphOps] = CUDAOps
    profile = Profile(
        relative_throughput=32,
        of_distances=frozenset({"trees"}),
        wants_near=kernel_table.wants_near,
        orders_levels=kernel_table.has_small_frontiers,
    )

    def __init__(self, *indices: int) -> None:
        self.indices, self.index = indices, indices[0]
        self.name = ", ".join(f"cuda:{index}" for index in indices)

    @property
    def devices(self) -> tuple[CUDA, ...]:
        """An engine for each GPU."""
        return tuple(map(CUDA, self.indices))

    @contextmanager
    def here(self) -> Iterator[None]:
        """Make the first device current, and its stream, between two works of the caller's."""
        with cupy.cuda.Device(self.index):
            try:
                with own_stream(self.index):
                    yield
            except cupy.cuda.memory.OutOfMemoryError as error:
                raise MemoryError(
                    f"cuda:{self.index} has too little memory for the graph: {error}"
                ) from error

    def free_memory(self) -> int:
        """Bytes that are free on the first device, those that CuPy keeps for later too."""
        with cupy.cuda.Device(self.index):
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free + cupy.get_default_memory_pool().free_bytes())

    def farthest(self, matrix: Matrix, starts: NDArray[np.int32]) -> float:
        """Largest distance from the starts, by the host if the graph is there."""
        if isinstance(matrix.values, np.ndarray):
            return farthest_on_host(matrix, starts)
        pattern, values = matrix
        lengths = Lengths(values, values, whole=False)
        # With several starts, each visits its component alone, as within a cutoff.
        cutoffs = (LARGEST,) if starts.size > 1 else ()
        n = pattern.indptr.size - 1
        graph = Graph(n, pattern, pattern, CUDAOps(), lengths, cutoffs=cutoffs)
        sweep = Sweep("distances by length", 1, sums=frozenset({"farthest"}))
        search = distances(graph, sweep, self.free_memory(), np.zeros(1, dtype=np.uint8))
        sums: Any = search.accumulate([Batch(starts, np.ones(starts.size), clustered=False)])
        return float(sums.farthest.max())

    def components(self, graph: Graph, strong: bool) -> tuple[int, Any]:
        """Number of components, and their labels on the device: weak ones by their smallest nodes.

        Strong ones as SciPy numbers them, on the host: as a depth-first search completes them,
        which no parallel algorithm is known for. A device tells whether there is one alone.
        """
        n = graph.n
        if not n:
            return 0, cupy.empty(0, np.int32)
        outgoing = CSR(*map(upload, graph.outgoing))
        if strong and not graph.symmetric:
            label = labels(outgoing, CSR(*map(upload, graph.incoming)))
            if bool((label == label[0]).all()):  # device to host
                return 1, cupy.zeros(n, np.int32)
            count, number = strong_components(graph.on_host().outgoing, _takes_last_first())
            return count, cupy.asarray(number)
        label = CUDAOps().components(outgoing, outgoing, None)
        number = cupy.cumsum(label == cupy.arange(n), dtype=np.int32) - np.int32(1)
        return int(number[-1]) + 1, number[label]  # device to host


@functools.cache
def _takes_last_first() -> bool:
    """Whether SciPy's search takes the last neighbour first: it did so until 1.17."""
    fork = scipy.sparse.csr_array(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]))
    return bool(csgraph.connected_components(fork, connection="strong")[1][2] == 0)


def describe() -> tuple[str, ...]:
    """One line for each GPU: name, memory, driver and CuPy."""
    driver = cupy.cuda.runtime.driverGetVersion()
    lines = []
    for index in range(cupy.cuda.runtime.getDeviceCount()):
        properties = cupy.cuda.runtime.getDeviceProperties(index)
        lines.append(
            f"cuda:{index} {properties['name'].decode()}, "
            f"{properties['totalGlobalMem'] / 2**30:.0f} GiB, "
            f"CUDA driver {driver // 1000}.{driver % 1000 // 10}, CuPy {cupy.__version__}"
        )
    return tuple(lines)


def on_device(parts: tuple[Any, ...], n: int | None, index: int) -> Any:
    """An array on a GPU, or a csr matrix of n rows from (data, indices, indptr).

    Copies, since indices may be those of the caller's matrix; these are the caller's own.
    """
    with cupy.cuda.Device(index), callers_stream(index):
        there = tuple(map(cupy.array, parts))
        return there[0] if n is None else cupyx.scipy.sparse.csr_matrix(there, shape=(n, n))
