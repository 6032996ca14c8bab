"""CUDA engine: CUDA C++ through CuPy, for paths and for searches.

`KERNELS` says which kernel runs when, and the engine looks it up there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
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
from ..contract import (
    Accumulator,
    BlockByBlock,
    Engine,
    Kernel,
    NodeGroups,
    Sharing,
    Sweep,
    Workspace,
)
from ..cpu.engine import CPU
from . import components
from .brandes_batch import groups as groups_in_step
from .brandes_batch import workspace as brandes_batch
from .brandes_batch.layout import COLUMNS
from .graph_ops import CUDAOps
from .kernel_table import FILES
from .kernel_table import KERNELS as KERNELS
from .per_source import brandes, chains, distance_sums, in_one_order, near, near_sums, weighted
from .per_source import groups as groups_alone
from .per_source.workspace import is_near
from .runtime import callers_stream, own_stream
from .search import msbfs, plan, shortest_paths
from .search.layout import COLUMNS as SEARCH_WIDTH

# Entries of a matrix up to which launches would cost more than the work that they do.
SMALL = 1 << 16
# Nodes times arcs up to which a launch for all sources is done before those for each level are.
AT_ONCE = 1 << 16
# Sources that go in step, and of a group where each is alone: the host has few groups to make.
WIDE, THIN = Sharing(COLUMNS), Sharing(1 << 10, "alone")
# Arcs per node up to which a deep graph has thin levels, if no node has too many of them.
SPARSE, BUSY = 8, 1024
# Columns times rows of what a large device holds at once.
BLOCK_ELEMENTS = 1 << 33
# Sources of a block where each is swept alone, lest the last of them keep most of a device waiting;
# fewer, but enough, where that makes a block for each of so many devices.
SOURCES_ALONE, ENOUGH_ALONE, DEVICES = 1 << 14, 1 << 12, 32
# The same where many share a block of threads, or searches are short: adding blocks up would cost.
SOURCES_IN_ORDER, SOURCES_NEAR = 1 << 17, 1 << 18
# Nodes of a deep graph from which finding balls of sources takes less than they save.
LOCAL = 1 << 15
# Rows of all groups of a block of searches, whose sums reach the host together.
BLOCK_SLOTS, BUSY_SLOTS = 1 << 24, 1 << 23


class CUDA:
    """Engine of GPUs: the first prepares the graph, each sweeps and searches blocks."""

    literal = False
    wants_local_batches = False
    relative_throughput = 32
    kernels: Sequence[Kernel] = KERNELS
    search_width = sum_width = sssp_width = SEARCH_WIDTH
    distance_reductions = frozenset({"trees"})

    def __init__(self, *indices: int, asked: NodeGroups | None = None) -> None:
        self.indices, self.index = indices, indices[0]
        self._asked = asked  # groups of nodes that the sum of dependencies is of
        self.name = ", ".join(f"cuda:{index}" for index in indices)

    @property
    def devices(self) -> tuple[CUDA, ...]:
        """An engine for each GPU."""
        return tuple(CUDA(index, asked=self._asked) for index in self.indices)

    @property
    def chains(self) -> CUDA:
        """An engine of its own."""
        return ChainCUDA(*self.indices)

    def takes_arms(self, graph: Graph, measures: Collection[str]) -> bool:
        """Where each source is swept alone by edges, of all pairs, and paths are not counted."""
        by_edges = graph.lengths is None and not graph.cutoffs and graph.traits.deep
        return by_edges and "stress" not in measures and self._is_thin(graph, True)

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

    def of_groups(self, graph: Graph, deep: bool, asked: NodeGroups) -> tuple[CUDA, Graph]:
        """By length where each source is swept alone."""
        engine = CUDA(*self.indices, asked=asked)
        file = engine._file_of_paths(graph, np.dtype(np.float64), engine.sharing(graph, deep))
        alone = _LAUNCHERS[file] is groups_alone.GroupWorkspace
        return engine, graph.with_unit_lengths() if alone else graph

    def in_range(self, graph: Graph, dtype: np.dtype[Any]) -> Engine:
        """The host, with its threads and memory, where counts along lengths leave floats: rare."""
        on_host = self._file_of_paths(graph, dtype, WIDE).startswith("cpu/")
        return CPU(self._asked) if on_host else self

    def sharing(self, graph: Graph, deep: bool) -> Sharing:
        """One source where levels are thin, so that masks were nearly empty, or the graph small."""
        if graph.lengths:
            return Sharing(weighted.WIDTH, "alone")
        at_once = self._asked is None and graph.n * graph.arcs <= AT_ONCE
        return THIN if at_once or self._is_thin(graph, deep) else WIDE

    def _is_thin(self, graph: Graph, deep: bool) -> bool:
        """Whether levels have few rows."""
        thin = deep and graph.arcs <= SPARSE * graph.n
        return thin and graph.most_arcs <= BUSY

    def wants_near(self, graph: Graph) -> bool:
        """Where each source is alone, on narrow levels; in step a group has most rows in few."""
        return bool(graph.lengths) or self._is_thin(graph, True)

    def shifts_starts(self, graph: Graph, sharing: Sharing) -> bool:
        """Where sources go in step, within no cutoff, which ends a search on a level."""
        return sharing.how == "in step" and not graph.cutoffs

    def sharing_in_order(self, graph: Graph, deep: bool, sums: frozenset[str]) -> Sharing | None:
        """On deep graphs that the kernel takes, for what it sums."""
        wanted = deep and self._asked is None and sums <= near.SUMS and in_one_order.takes(graph)
        width = in_one_order.WITHIN if graph.cutoffs else in_one_order.WIDTH
        return Sharing(width, "in one order") if wanted else None

    def block_size(self, graph: Graph, groups: int, sharing: Sharing, sums: frozenset[str]) -> int:
        """One group, as launches take many; alone, sources enough for all blocks of threads."""
        width, how = sharing
        if how == "in step":
            return 1
        if is_near(graph):
            blocks = max(1, min(groups * width // SOURCES_NEAR, DEVICES))
            return max(1, -(-groups // blocks))
        if how == "in one order":
            return -(-groups // -(-groups * width // SOURCES_IN_ORDER))
        most = max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * width))
        share = groups // DEVICES
        enough = share * width >= ENOUGH_ALONE
        return min(most, share if enough else -(-SOURCES_ALONE // width)) or 1

    def launch_size(self, graph: Graph, sharing: Sharing) -> int:
        """What a large device holds at once, where sources go in step."""
        width, how = sharing
        return max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * width)) if how == "in step" else 1

    def free_memory(self) -> int:
        """What is free on the first device, and what CuPy keeps for later."""
        with cupy.cuda.Device(self.index):
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free + cupy.get_default_memory_pool().free_bytes())

    def workspace_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """One group with room for every list it could need, or one source."""
        of_groups = () if self._asked is None else (self._asked,)
        least = _LEAST_BYTES[self._file_of_paths(graph, sweep.dtype, sweep.sharing)]
        return least(graph, sweep.dtype, sweep.sums, *of_groups)

    def workspace(
        self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> Workspace:
        """Upload the graph; state is allocated by the first block."""
        omega, sharing, sums, dtype = sweep
        of_groups = () if self._asked is None else (self._asked,)
        start = _LAUNCHERS[self._file_of_paths(graph, dtype, sharing)]
        with cupy.cuda.Device(self.index):
            there = start(_nearby(graph), omega, dtype, memory, sums, stop, *of_groups)
        sweeps: Workspace = (
            there if sharing.how == "in step" and dtype != EXTENDED else BlockByBlock(there, sums)
        )
        return sweeps

    def _file_of_paths(self, graph: Graph, dtype: np.dtype[Any], sharing: Sharing) -> str:
        """File of the kernel that counts the paths of sources so swept, in a range of numbers."""
        task = "betweenness" if self._asked is None else "groups"
        kind = "wide levels" if sharing.how == "in step" else "thin levels"
        kind = "by length" if graph.lengths else kind
        if sharing.how == "in one order" and dtype != EXTENDED:
            kind = "near sources"
        return FILES[task, kind, "beyond floats" if dtype == EXTENDED else "floats"]

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> Any:
        """On the device what is to stay there."""
        return (cupy if home == self.name else np).empty(shape, dtype)

    def batches_searches(self, graph: Graph, deep: bool) -> bool:
        """On large deep graphs; on others each source reaches nearly every row, or all are few."""
        return deep and graph.n >= LOCAL

    def searches_alone(self, graph: Graph, sources: int, width: int) -> bool:
        """Never: the searches of a group share masks, wherever they begin."""
        return False

    def search_block_size(self, graph: Graph, groups: int) -> int:
        """As many as a large device holds at once, or a share of them that still keeps it busy."""
        most, least = (max(1, slots // max(graph.n, 1)) for slots in (BLOCK_SLOTS, BUSY_SLOTS))
        return min(most, max(least, groups // DEVICES))

    def search_bytes(self, graph: Graph, width: int) -> int:
        """One group, or rows of the results of some of its sources."""
        return _LEAST_BYTES[FILES["distance sums", "by edges", "none"]](graph)

    def search(
        self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]
    ) -> msbfs.CUDASearch:
        """Upload the graph; state is allocated by the first groups."""
        with cupy.cuda.Device(self.index):
            start = _launcher("bfs", "by edges")
            there: msbfs.CUDASearch = start(_nearby(graph), memory, stop)
        return there

    def accumulator_bytes(self, graph: Graph, sharing: Sharing) -> int:
        """One source, or one group of them in one order."""
        return _LEAST_BYTES[_file_of_sums(sharing)](graph)

    def accumulator(
        self, graph: Graph, sharing: Sharing, memory: int, stop: NDArray[np.uint8]
    ) -> Accumulator:
        """Upload the graph; state is allocated by the first sources."""
        with cupy.cuda.Device(self.index):
            start = _LAUNCHERS[_file_of_sums(sharing)]
            there: Accumulator = start(_nearby(graph), memory, stop)
        return there

    def sssp_bytes(self, n: int, arcs: int, sources: int) -> int:
        """The edges, and one word of sources with their results."""
        return _LEAST_BYTES[FILES["shortest paths", "by length", "none"]](n, arcs)

    def shortest_paths(
        self, matrix: Any, directed: bool, memory: int, stop: NDArray[np.uint8]
    ) -> shortest_paths.CUDAPaths:
        """Upload the edges."""
        start = _launcher("shortest paths", "by length")
        there: shortest_paths.CUDAPaths = start(matrix, directed, self.index, memory, stop)
        return there

    def components(self, graph: Graph, strong: bool) -> tuple[int, Any]:
        """Labels on the device."""
        found: tuple[int, Any] = _launcher("components", "strong" if strong else "weak")(graph)
        return found


class ChainCUDA(CUDA):
    """Engine of groups with arms, of as many ends as the width says."""

    @property
    def devices(self) -> tuple[ChainCUDA, ...]:
        """An engine for each GPU."""
        return tuple(ChainCUDA(index) for index in self.indices)

    def in_range(self, graph: Graph, dtype: np.dtype[Any]) -> Engine:
        """The host where counts leave floats: rare."""
        return CPU().chains if self._file_of_chains(dtype).startswith("cpu/") else self

    def block_size(self, graph: Graph, groups: int, sharing: Sharing, sums: frozenset[str]) -> int:
        """As many as make a block for each of so many devices."""
        return max(1, groups // DEVICES)

    def launch_size(self, graph: Graph, sharing: Sharing) -> int:
        """One block."""
        return 1

    def workspace_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """The ends of one group, and one worker."""
        least = _LEAST_BYTES[self._file_of_chains(sweep.dtype)]
        return least(graph, sweep.dtype, sweep.sums, sweep.sharing.width)

    def workspace(
        self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> Workspace:
        """Upload the graph; state is allocated by the first block."""
        omega, (width, _), sums, dtype = sweep
        start = _LAUNCHERS[self._file_of_chains(dtype)]
        with cupy.cuda.Device(self.index):
            there = start(_nearby(graph), omega, dtype, memory, sums, stop, width)
        return BlockByBlock(there, sums)

    @staticmethod
    def _file_of_chains(dtype: np.dtype[Any]) -> str:
        """File of the kernel for a range of numbers."""
        return FILES["chains", "by edges", "beyond floats" if dtype == EXTENDED else "floats"]


def _nearby(graph: Graph) -> Graph:
    """The graph on the current device, if it is on one; on the host if it is small."""
    is_on_host = graph.ops.xp is not cupy
    is_here = is_on_host or graph.outgoing.indices.device == cupy.cuda.Device()
    return graph if is_here else graph.at(CUDAOps())


def _file_of_sums(sharing: Sharing) -> str:
    """File of the kernel that adds up distances by length."""
    kind = "near sources" if sharing.how == "in one order" else "by length"
    return FILES["distance sums", kind, "none"]


def _launcher(task: str, graph: str) -> Callable[..., Any]:
    """Who launches a kernel that counts no paths."""
    return _LAUNCHERS[FILES[task, graph, "none"]]


# By file: least memory of what launches its kernel.
_LEAST_BYTES: dict[str, Callable[..., int]] = {
    "cuda/brandes_batch/brandes.cu": brandes_batch.least_bytes,
    "cuda/per_source/brandes.cu": brandes.workspace_bytes,
    "cuda/per_source/chains.cu": chains.workspace_bytes,
    "cuda/per_source/weighted.cu": lambda graph, dtype, sums: weighted.workspace_bytes(
        graph, graph.lengths, dtype, sums
    ),
    "cuda/per_source/near.cu": near.workspace_bytes,
    "cuda/brandes_batch/groups.cu": groups_in_step.least_bytes,
    "cuda/per_source/groups.cu": groups_alone.workspace_bytes,
    "cuda/search/msbfs.cu": lambda graph: plan.least_bytes(graph.n, graph.limits.size),
    "cuda/per_source/distance_sums.cu": lambda graph: distance_sums.workspace_bytes(
        graph, graph.lengths
    ),
    "cuda/per_source/near_sums.cu": near_sums.workspace_bytes,
    "cuda/search/shortest_paths.cu": plan.least_sssp_bytes,
}
# By file: who launches its kernel, on the current device.
_LAUNCHERS: dict[str, Callable[..., Any]] = {
    "cuda/brandes_batch/brandes.cu": brandes_batch.CUDAWorkspace,
    "cuda/per_source/brandes.cu": brandes.ThinWorkspace,
    "cuda/per_source/chains.cu": chains.ChainWorkspace,
    "cuda/per_source/weighted.cu": lambda graph, *rest: weighted.WeightedWorkspace(
        graph, graph.lengths, *rest
    ),
    "cuda/per_source/near.cu": near.NearWorkspace,
    "cuda/brandes_batch/groups.cu": groups_in_step.GroupWorkspace,
    "cuda/per_source/groups.cu": groups_alone.GroupWorkspace,
    "cuda/search/msbfs.cu": msbfs.CUDASearch,
    "cuda/per_source/distance_sums.cu": lambda graph, *rest: distance_sums.LengthSearch(
        graph, graph.lengths, *rest
    ),
    "cuda/per_source/near_sums.cu": near_sums.NearSearch,
    "cuda/search/shortest_paths.cu": shortest_paths.CUDAPaths,
    "cuda/graph_ops.cu": components.weak,
    "cuda/scc.cu": components.strong,
}


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
