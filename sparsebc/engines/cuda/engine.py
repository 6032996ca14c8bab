"""CUDA engine: CUDA C++ through CuPy, for paths and for searches.

Groups of 128 sources in step where levels are wide (`brandes_batch`), a block of threads to a
source where they are thin, by length and where path counts leave the range of floats
(`per_source`), and bit masks where no paths are counted (`search`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cupy
import cupyx.scipy.sparse
import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.csr import GraphOps
from ...graph.graph import Graph
from ...graph.ops import HostOps
from ..contract import Accumulator, Engine, Workspace
from ..cpu.engine import CPU
from .brandes_batch.workspace import WIDE, CUDAWorkspace, fixed_bytes, group_bytes
from .components import components
from .graph_ops import CUDAOps
from .per_source import brandes, distance_sums, weighted
from .runtime import callers_stream, own_stream
from .search import msbfs, shortest_paths

# Entries of a matrix up to which launches would cost more than the work that they do.
SMALL = 1 << 13
THIN = 32  # sources of a group where each is swept alone
# Arcs per node up to which a deep graph has thin levels, if no node has too many of them.
SPARSE, BUSY = 8, 1024
# Columns times rows of a block of groups: fixes the bits, so it may depend on the problem alone.
BLOCK_ELEMENTS = 1 << 33
# Rows of all groups of a block of searches, whose sums reach the host together.
BLOCK_SLOTS = 1 << 24


class CUDA:
    """Engine of GPUs: the first prepares the graph, each sweeps and searches blocks."""

    literal = False
    wants_local_batches = False
    relative_throughput = 32
    search_width = sum_width = sssp_width = 128 * msbfs.LANES

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
                    f"cuda:{self.index} has not the memory for the graph: {error}"
                ) from error

    def ops_for(self, entries: int) -> GraphOps:
        """The device, unless the graph is small."""
        return HostOps() if entries < SMALL else CUDAOps()

    def in_range(self, graph: Graph, dtype: np.dtype[Any]) -> Engine:
        """The host, with its threads and memory, where counts along lengths leave floats: rare."""
        return CPU() if graph.lengths and dtype == EXTENDED else self

    def width(self, graph: Graph, deep: bool) -> int:
        """One source where levels are thin, and wide masks would be nearly empty."""
        if graph.lengths:
            return weighted.WIDTH
        thin = deep and graph.arcs <= SPARSE * graph.n
        return THIN if thin and int(graph.outgoing.degrees.max()) <= BUSY else WIDE

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """Groups of a block: what a large device holds at once."""
        most = max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * width))
        return -(-groups // max(1, -(-groups // most))) or 1

    def free_memory(self) -> int:
        """What is free on the first device, and what CuPy keeps for later."""
        with cupy.cuda.Device(self.index):
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free + cupy.get_default_memory_pool().free_bytes())

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """One group with room for every list it could need, or one source."""
        if graph.lengths:
            return weighted.workspace_bytes(graph, graph.lengths, dtype, sums)
        if _alone(width, dtype):
            return brandes.workspace_bytes(graph, dtype, sums)
        return fixed_bytes(graph, dtype, sums) + group_bytes(graph, dtype, WIDE, sums)

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """Upload the graph; state is allocated by the first block."""
        with cupy.cuda.Device(self.index):
            if graph.lengths:
                return weighted.WeightedWorkspace(
                    graph, graph.lengths, omega, dtype, memory, sums, stop
                )
            if _alone(width, dtype):
                return brandes.ThinWorkspace(graph, omega, dtype, memory, sums, stop)
            return CUDAWorkspace(graph, omega, dtype, memory, sums, stop)

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> Any:
        """On the device what is to stay there."""
        return (cupy if home == self.name else np).empty(shape, dtype)

    def batches_searches(self, deep: bool) -> bool:
        """On deep graphs alone; on others each source reaches nearly every row of a level."""
        return deep

    def search_block_size(self, graph: Graph, groups: int) -> int:
        """As many as a large device holds at once."""
        return max(1, BLOCK_SLOTS // max(graph.n, 1))

    def search_bytes(self, graph: Graph, width: int) -> int:
        """One group; along lengths, one source."""
        if graph.lengths:
            return distance_sums.workspace_bytes(graph, graph.lengths)
        return msbfs.group_bytes(graph.n)

    def search(
        self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]
    ) -> msbfs.CUDASearch:
        """Upload the graph; state is allocated by the first groups."""
        with cupy.cuda.Device(self.index):
            return msbfs.CUDASearch(graph, memory, stop)

    def accumulator(self, graph: Graph, memory: int, stop: NDArray[np.uint8]) -> Accumulator:
        """Upload the graph; state is allocated by the first sources."""
        assert graph.lengths is not None
        with cupy.cuda.Device(self.index):
            return distance_sums.LengthSearch(graph, graph.lengths, memory, stop)

    def sssp_bytes(self, n: int, arcs: int, sources: int) -> int:
        """The edges, and one word of sources."""
        return shortest_paths.least_bytes(n, arcs)

    def shortest_paths(
        self, matrix: Any, directed: bool, memory: int, stop: NDArray[np.uint8]
    ) -> shortest_paths.CUDAPaths:
        """Upload the edges."""
        return shortest_paths.CUDAPaths(matrix, directed, self.index, memory, stop)

    def components(self, graph: Graph, strong: bool) -> tuple[int, Any]:
        """Labels on the device."""
        return components(graph, strong)


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


def _alone(width: int, dtype: np.dtype[Any]) -> bool:
    """Whether sources are swept one by one: on thin levels, and beyond the range of floats."""
    return width == THIN or dtype == EXTENDED
