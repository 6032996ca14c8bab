"""The kernels of a GPU, in the order in which they are tried: rules, batches, memory, launchers.

Launchers, and CuPy with them, are imported where they are used: docs print the table anywhere. At
the end stand kernels of the host, for what a GPU has none for.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from .. import batching
from ..base import Kernel, Sweep, Task
from ..batch import Batch
from ..cpu.kernel_table import ByLength as HostByLength
from ..cpu.kernel_table import Chains as HostChains
from ..cpu.kernel_table import NodeSets
from ..sums import BlockByBlock
from .brandes_batch.layout import COLUMNS
from .per_source.layout import NEAR_WIDTH
from .search.layout import COLUMNS as SEARCH_WIDTH

# Nodes times arcs up to which a launch for all sources is done before those for each level are.
AT_ONCE = 1 << 16
# Arcs per node up to which a deep graph has small frontiers, if no node has too many of them.
SPARSE, BUSY = 8, 1024
# Sources of a batch where each is swept alone, and by length: the host has few batches to make.
ALONE, BY_LENGTH = 1 << 10, 64
# The same where near sources share an order of nodes; within a cutoff so many that are next to each
# other in the order of the nodes, of which a block of threads takes 64 after 64.
NEAR, NEAR_WITHIN = NEAR_WIDTH, 1 << 10
# Columns times rows of what a large device holds at once.
BLOCK_ELEMENTS = 1 << 33
# Sources of a block where each is swept alone, lest the last of them keep most of a device waiting;
# fewer, but enough, where that makes a block for each of so many devices.
SOURCES_ALONE, ENOUGH_ALONE, DEVICES = 1 << 14, 1 << 12, 32
# The same where many share a block of threads, or searches are short: adding blocks up would cost.
SOURCES_IN_ORDER, SOURCES_NEAR = 1 << 17, 1 << 18
# Nodes of a deep graph from which finding balls of sources takes less than they save.
LOCAL = 1 << 15
# Rows of all batches of a block of searches, whose sums reach the host together.
BLOCK_SLOTS, BUSY_SLOTS = 1 << 24, 1 << 23


def has_small_frontiers(graph: Graph, deep: bool) -> bool:
    """Whether levels have few rows."""
    return deep and graph.arcs <= SPARSE * graph.n and graph.most_arcs <= BUSY


def goes_alone(graph: Graph, deep: bool) -> bool:
    """Whether a source has a block of threads: masks were nearly empty, or the graph is small."""
    return graph.n * graph.arcs <= AT_ONCE or has_small_frontiers(graph, deep)


def wants_near(graph: Graph) -> bool:
    """Whether neighbours on a deep graph should be close together in memory.

    Not in step, where a batch has most rows on few levels.
    """
    return bool(graph.lengths) or has_small_frontiers(graph, True)


class OnGPU(Kernel):
    """A kernel with a launcher of its own, on the current device."""

    device = "cuda"
    launcher: str  # "module:class" below engines/cuda; the module tells what it needs

    @property
    def module(self) -> Any:
        """The module of the launcher, which imports CuPy."""
        return importlib.import_module(f".{self.launcher.split(':')[0]}", __package__)

    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """What it needs beside its workers, and for one."""
        return int(sum(self.module.needs(graph, sweep)))

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """The graph on the device; state is allocated by the first sources."""
        launcher = getattr(self.module, self.launcher.split(":")[1])
        return launcher(self.nearby(graph), sweep, memory, stop)

    @staticmethod
    def nearby(graph: Graph) -> Graph:
        """The graph on the current device, if it is on one; on the host if it is small."""
        ops = importlib.import_module(".graph_ops", __package__)
        cupy = ops.cupy
        is_on_host = graph.ops.xp is not cupy
        is_here = is_on_host or graph.outgoing.indices.device == cupy.cuda.Device()
        return graph if is_here else graph.at(ops.CUDAOps())


class BySource(OnGPU):
    """A kernel of paths whose blocks are swept one by one."""

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """The graph on the device; state is allocated by the first block."""
        return BlockByBlock(super().start(graph, sweep, memory, stop), sweep.sums)


class InStep(OnGPU):
    """Many batches of sources in step, with masks."""

    name = "brandes in step"
    graph, counts = "by edges, large frontiers", "float32, float64"
    files = ("cuda/brandes_batch/brandes.cu",)
    launcher = "brandes_batch.workspace:CUDAWorkspace"

    def applies(self, task: Task) -> bool:
        """Paths by edges, unless each source goes alone."""
        if task.kind != "paths" or task.graph.lengths is not None or task.extended:
            return False
        return not goes_alone(task.graph, task.deep)

    def batches(self, task: Task) -> list[Batch]:
        """Shifted starts on a deep graph, but within a cutoff, which ends a search on a level."""
        given = task.graph, task.sources, task.alpha
        if task.deep and not task.graph.cutoffs:
            return batching.by_branch(*given, COLUMNS)
        return batching.by_first_neighbour(*given, COLUMNS)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """One: a launch takes many."""
        return 1

    def launch_size(self, graph: Graph) -> int:
        """Batches that a large device holds at once."""
        return max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * COLUMNS))


class NearSources(BySource):
    """64 near sources of a deep graph to a block of threads, in one order of nodes."""

    name = "brandes of near sources"
    graph, counts = "deep, few arcs a node, many sources", "float32, float64"
    files = ("cuda/per_source/near.cu",)
    launcher = "per_source.near:NearWorkspace"

    def applies(self, task: Task) -> bool:
        """Dependencies on deep graphs that the kernel takes."""
        if task.kind != "paths" or not task.deep or task.extended:
            return False
        return task.sums <= {"dependency", "arcs"} and _takes_near(task.graph)

    def batches(self, task: Task) -> list[Batch] | None:
        """Balls, where they are many and nearly full."""
        return _near_groups(task, paths=True)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Sources enough for all blocks of threads."""
        return _near_block(task.graph, len(batches))


class Alone(BySource):
    """A block of threads to a source, by edges."""

    name = "brandes by source"
    graph, counts = "by edges, small frontiers", "float32, float64, extended"
    files = ("cuda/per_source/brandes.cu",)
    launcher = "per_source.brandes:ThinWorkspace"

    def applies(self, task: Task) -> bool:
        """Paths by edges; on large frontiers those beyond the range of floats."""
        return task.kind == "paths" and task.graph.lengths is None

    def batches(self, task: Task) -> list[Batch]:
        """Runs of the order of the nodes, or sources of one first neighbour."""
        return _alone_groups(task, ALONE)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Sources enough for all blocks of threads."""
        return _alone_block(task.graph, len(batches), ALONE)


class ByLength(BySource):
    """A block of threads to a source, by length."""

    name = "brandes by length"
    graph, counts = "by length", "float32, float64"
    files = ("cuda/per_source/weighted.cu",)
    launcher = "per_source.weighted:WeightedWorkspace"

    def applies(self, task: Task) -> bool:
        """Paths by length."""
        return task.kind == "paths" and task.graph.lengths is not None and not task.extended

    def batches(self, task: Task) -> list[Batch]:
        """Runs of the order of the nodes, or sources of one first neighbour."""
        return _alone_groups(task, BY_LENGTH)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Sources enough for all blocks of threads."""
        return _alone_block(task.graph, len(batches), BY_LENGTH)


class Chains(BySource):
    """Sweeps from the ends of chains alone, a block of threads to an end."""

    name = "chains"
    graph, counts = "by edges, small frontiers", "float32, float64"
    files = ("cuda/per_source/chains.cu",)
    launcher = "per_source.chains:ChainWorkspace"

    def applies(self, task: Task) -> bool:
        """Where each source is swept alone by edges, of all pairs, and paths are not counted."""
        if task.kind != "chains" or task.extended or "stress" in task.sums:
            return False
        graph = task.graph
        by_edges = graph.lengths is None and not graph.cutoffs and task.deep
        return by_edges and has_small_frontiers(graph, True)

    def batches(self, task: Task) -> list[Batch]:
        """Those that the reduction made."""
        return list(task.batches or ())

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """As many as make a block for each of so many devices."""
        return max(1, len(batches) // DEVICES)


class MSBFS(OnGPU):
    """Searches by edges, 1024 sources to a search."""

    name = "MS-BFS"
    graph = "by edges"
    files = ("cuda/search/msbfs.cu",)
    launcher = "search.msbfs:CUDASearch"
    width = SEARCH_WIDTH

    def applies(self, task: Task) -> bool:
        """Distances and rows by edges."""
        return task.kind in ("distances", "rows") and task.graph.lengths is None

    def batches(self, task: Task) -> list[Batch]:
        """Balls on large deep graphs; on others a source reaches nearly every row."""
        if task.deep and task.graph.n >= LOCAL and task.sources.size > self.width:
            return batching.for_distances(task, self.width, self.width)
        return batching.by_components(task, self.width)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Batches that keep a large device busy."""
        return _search_block(task.graph, len(batches))

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """One batch, or rows of the results of some of its sources."""
        from .search import plan

        return plan.least_bytes(graph.n, graph.limits.size)


class DistancesOfNearSources(OnGPU):
    """Distances by length of 64 near sources of a deep graph to a block of threads."""

    name = "distances of near sources"
    graph = "by length, deep, few arcs a node, many sources"
    files = ("cuda/per_source/near_sums.cu",)
    launcher = "per_source.near_sums:NearSearch"

    def applies(self, task: Task) -> bool:
        """Distances by length on deep graphs that the kernel takes."""
        if task.kind != "distances" or task.graph.lengths is None:
            return False
        return task.deep and _takes_near(task.graph)

    def batches(self, task: Task) -> list[Batch] | None:
        """Balls, where they are many and nearly full."""
        return _near_groups(task, paths=False)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Sources enough for all blocks of threads."""
        return _near_block(task.graph, len(batches))


class DistancesByLength(OnGPU):
    """Distances by length, a block of threads to a source."""

    name = "distances by length"
    graph = "by length"
    files = ("cuda/per_source/distance_sums.cu",)
    launcher = "per_source.distance_sums:LengthSearch"
    width = SEARCH_WIDTH

    def applies(self, task: Task) -> bool:
        """Distances by length."""
        return task.kind == "distances" and task.graph.lengths is not None

    def batches(self, task: Task) -> list[Batch]:
        """Runs of the sources."""
        return batching.cut(task.sources, task.alpha, self.width)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Batches that keep a large device busy."""
        return _search_block(task.graph, len(batches))


class RowsByLength(OnGPU):
    """Distances and predecessors by length, the edges of 1024 sources relaxed at a time."""

    name = "SSSP"
    graph = "by length"
    files = ("cuda/search/shortest_paths.cu",)
    launcher = "search.shortest_paths:CUDAPaths"
    width = SEARCH_WIDTH

    def applies(self, task: Task) -> bool:
        """Rows by length."""
        return task.kind == "rows by length"

    def least_bytes(self, matrix: Any, sweep: Sweep) -> int:
        """The edges, and one word of sources with their results."""
        from .search import plan

        return plan.least_sssp_bytes(matrix.shape[0], matrix.nnz)

    def start(self, matrix: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """The edges on the device."""
        return self.module.CUDAPaths(matrix, sweep, memory, stop)


def _takes_near(graph: Graph) -> bool:
    """Whether `in_one_order` has a kernel for a graph, and the device room for it."""
    module = importlib.import_module(".per_source.in_one_order", __package__)
    return bool(module.takes(graph))


def _meets_few(graph: Graph) -> bool:
    """Whether a source meets few nodes within its cutoffs."""
    module = importlib.import_module(".per_source.workspace", __package__)
    return bool(module.is_near(graph))


def _near_width(graph: Graph) -> int:
    return NEAR_WITHIN if graph.cutoffs else NEAR


def _near_groups(task: Task, paths: bool) -> list[Batch] | None:
    """Near sources that go by one order of nodes; None if too few are."""
    given = task.graph, task.sources, task.alpha, _near_width(task.graph)
    return batching.in_one_order(*given, paths=paths) or None


def _near_block(graph: Graph, batches: int) -> int:
    """Batches of a block of near sources."""
    width = _near_width(graph)
    if _meets_few(graph):
        return _short_block(batches, width)
    return -(-batches // -(-batches * width // SOURCES_IN_ORDER))


def _alone_groups(task: Task, width: int) -> list[Batch]:
    """Sources that are swept one by one: near ones after each other."""
    if task.deep and wants_near(task.graph):  # nodes are in an order that sources will do in
        return batching.cut(task.sources, task.alpha, width)
    return batching.by_first_neighbour(task.graph, task.sources, task.alpha, width)


def _alone_block(graph: Graph, batches: int, width: int) -> int:
    """Batches of a block of sources that are swept one by one."""
    if _meets_few(graph):
        return _short_block(batches, width)
    most = max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * width))
    share = batches // DEVICES
    enough = share * width >= ENOUGH_ALONE
    return min(most, share if enough else -(-SOURCES_ALONE // width)) or 1


def _short_block(batches: int, width: int) -> int:
    """Batches of a block of short searches."""
    blocks = max(1, min(batches * width // SOURCES_NEAR, DEVICES))
    return max(1, -(-batches // blocks))


def _search_block(graph: Graph, batches: int) -> int:
    """As many as a large device holds at once, or a share of them that still keeps it busy."""
    most, least = (max(1, slots // max(graph.n, 1)) for slots in (BLOCK_SLOTS, BUSY_SLOTS))
    return min(most, max(least, batches // DEVICES))


KERNELS: tuple[Kernel, ...] = (
    NearSources(),
    InStep(),
    Alone(),
    ByLength(),
    Chains(),
    MSBFS(),
    DistancesOfNearSources(),
    DistancesByLength(),
    RowsByLength(),
    HostByLength(),  # path counts beyond floats, by length
    HostChains(),  # the same, of chains
    NodeSets(),
)
