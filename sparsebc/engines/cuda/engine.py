"""CUDA engine: CUDA C++ through CuPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cupy
import cupyx.scipy.sparse
import numpy as np
from numpy.typing import NDArray

from ...matrix.csr import Matrix
from ...matrix.graph import Graph
from ...matrix.ops import GraphOps
from ..common.base import Kernel, Profile
from ..cpu.sssp.shortest_paths import farthest as farthest_on_host
from . import kernel_table
from .prepare import components
from .prepare.graph_ops import CUDAOps
from .runtime.streams import callers_stream, own_stream
from .sssp.distance_sums import farthest


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
        return farthest(matrix, starts, self.free_memory())

    def components(self, graph: Graph, strong: bool) -> tuple[int, Any]:
        """Number of components, and their labels on the device."""
        return (components.strong if strong else components.weak)(graph)


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
