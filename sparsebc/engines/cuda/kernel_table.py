"""The kernels of a GPU, in the order in which they are tried: rules, batches, memory, launchers.

Launchers, and CuPy with them, are imported where they are used: docs print the table anywhere. At
the end stand kernels of the host, for what a GPU has none for.
"""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...matrix.graph import Graph
from ..common import batching, shifted
from ..common.base import Kind, Sweep, Task, fewest
from ..common.counts import EXTENDED
from ..common.sums import Batch, block_by_block, cut
from ..cpu.engine import KERNELS as ON_HOST
from .layout import BATCH, MS_BFS, ORDER, has_small_balls

# Nodes times arcs up to which a launch for all sources is done before those for each level are.
AT_ONCE = 1 << 16
# Nodes between a source and the next in a local order, at the median, from which few of their
# searches meet a row together.
SCATTERED = 32
# Arcs per node up to which a high-diameter graph has small frontiers, if no node has too many.
SPARSE, BUSY = 8, 1024
# Sources of a batch where each is swept alone, and by length: the host has few batches to make.
ALONE, BY_LENGTH = 1 << 10, 64
# The same where clustered sources share an order of nodes, within a cutoff: they follow each other
# in the order of the nodes, and a block of threads takes 64 after 64.
CLUSTERED_WITHIN = 1 << 10
# Columns times rows of what a large device holds at once.
BLOCK_ELEMENTS = 1 << 33
# Sources of a block where each is swept alone, lest the last of them keep most of a device waiting;
# fewer, but enough, where that makes a block for each of so many devices.
SOURCES_ALONE, ENOUGH_ALONE, DEVICES = 1 << 14, 1 << 12, 32
# The same where many share a block of threads, at least, or searches are short: adding blocks up
# would cost.
SOURCES_IN_ORDER, SOURCES_WITHIN = 27 << 10, 1 << 18
# Samples of paths of a launch.
SAMPLES = 1 << 20
# Nodes of a graph of small frontiers from which finding balls of sources takes less than it saves.
LOCAL = 1 << 15
# Rows of all batches of a block of searches, whose sums reach the host together.
BLOCK_SLOTS, BUSY_SLOTS = 1 << 24, 1 << 23


def has_small_frontiers(graph: Graph, high_diameter: bool) -> bool:
    """Whether levels have few rows."""
    return high_diameter and graph.arcs <= SPARSE * graph.n and graph.most_arcs <= BUSY


def wants_near(graph: Graph) -> bool:
    """Whether neighbours on a high-diameter graph should be close together in memory.

    Not in sweeps by levels, where a batch has most rows on few levels.
    """
    return bool(graph.lengths) or has_small_frontiers(graph, True)


class OnGPU:
    """A `Kernel` with a launcher of its own, on the current device."""

    name: str
    summary: str
    device, graph, counts, float32 = "cuda", "any", "", True
    files: tuple[str, ...] = ()
    width = 1
    kinds: tuple[Kind, ...]
    by_length: bool | None = None
    takes_seeds = False
    launcher: tuple[str, str]  # module, which tells what it needs, and class
    extended = False  # whether it counts paths beyond the range of floats
    block_by_block = False  # whether it sweeps blocks of paths one by one
    of_block = 0  # batches of a block, if that is a constant

    def __init_subclass__(cls) -> None:
        """Its source lies beside the launcher, under the same name."""
        cls.summary = (cls.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip(" .")
        if hasattr(cls, "launcher") and cls.launcher[0].startswith("."):
            cls.files = (f"cuda{cls.launcher[0].replace('.', '/')}.cu",)

    def applies(self, task: Task) -> bool:
        """Whether it computes such a task, in this range of path counts."""
        if task.kind not in self.kinds or (task.seeds is not None and not self.takes_seeds):
            return False
        if self.by_length is not None and self.by_length != (task.graph.lengths is not None):
            return False
        return self.extended or task.dtype != EXTENDED

    def batches(self, task: Task, _: int) -> list[Batch] | None:
        """Runs of the sources, where no other order is better."""
        return cut(task.sources, task.alpha, self.width)

    def block_size(self, task: Task, batches: Sequence[Batch], _: int) -> int:
        """So many for every graph, or the fewest."""
        return self.of_block or fewest(task, batches, 1)

    def launch_size(self, graph: Graph) -> int:
        """One."""
        return 1

    @property
    def module(self) -> Any:
        """The module of the launcher, which imports CuPy."""
        return importlib.import_module(self.launcher[0], __package__)

    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """Bytes that it needs beside its workers, and for one."""
        return int(self.module.plan(graph, sweep).least)

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """The graph on the current device, if it is on one; on the host if it is small.

        State is allocated by the first sources.
        """
        ops = importlib.import_module(".prepare.graph_ops", __package__)
        is_on_gpu = isinstance(graph, Graph) and graph.ops.xp is ops.cupy
        if is_on_gpu and graph.outgoing.indices.device != ops.cupy.cuda.Device():
            graph = graph.at(ops.CUDAOps())
        made = getattr(self.module, self.launcher[1])(graph, sweep, memory, stop)
        return block_by_block(made, sweep.sums) if self.block_by_block else made


class OfClustered(OnGPU):
    """64 clustered sources of a high-diameter graph to a block of threads, in a shared order."""

    def applies(self, task: Task) -> bool:
        """Whether the graph has a high diameter and fits the kernel."""
        if not (super().applies(task) and task.high_diameter):
            return False
        module = importlib.import_module(".high_diameter.shared_order", __package__)
        return bool(module.takes(task.graph))

    def batches(self, task: Task, _: int) -> list[Batch] | None:
        """Balls, where they are many and nearly full; else None."""
        given = task.graph, task.sources, task.alpha, _clustered_width(task.graph)
        return batching.in_one_order(*given, paths=task.kind == "paths") or None

    def block_size(self, task: Task, batches: Sequence[Batch], _: int) -> int:
        """Sources enough for all blocks of threads, in equal shares for 2, 4, 8 ... devices."""
        count, width = len(batches), _clustered_width(task.graph)
        if has_small_balls(task.graph):
            return _short_block(count, width)
        blocks = 1 << max(1, count * width // SOURCES_IN_ORDER).bit_length() - 1
        return -(-count // blocks)


class ByThreadBlock(OnGPU):
    """Paths, a block of threads to a source."""

    counts, block_by_block = "float32, float64", True

    def batches(self, task: Task, _: int) -> list[Batch]:
        """Runs of the order of the nodes, where near ones follow each other; else by neighbour."""
        if task.high_diameter and wants_near(task.graph):
            return cut(task.sources, task.alpha, self.width)
        return batching.by_first_neighbour(task.graph, task.sources, task.alpha, self.width)

    def block_size(self, task: Task, batches: Sequence[Batch], _: int) -> int:
        """Sources enough for all blocks of threads."""
        graph, count = task.graph, len(batches)
        if has_small_balls(graph):
            return _short_block(count, self.width)
        most = max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * self.width))
        share = count // DEVICES
        enough = share * self.width >= ENOUGH_ALONE
        return min(most, share if enough else -(-SOURCES_ALONE // self.width)) or 1


class OfSearches(OnGPU):
    """Searches whose sums are added up on the device."""

    width = MS_BFS.COLUMNS

    def block_size(self, task: Task, batches: Sequence[Batch], _: int) -> int:
        """As many as a large device holds at once, or a share of them that still keeps it busy."""
        n: int = max(task.graph.n, 1)
        most, least = max(1, BLOCK_SLOTS // n), max(1, BUSY_SLOTS // n)
        return min(most, max(least, len(batches) // DEVICES))


class InStep(OnGPU):
    """Many batches of sources, level by level, with masks."""

    name = "brandes by levels"
    graph, counts = "by edges, large frontiers", "float32, float64"
    launcher = ".brandes_batch.brandes_batch", "BatchWorkspace"
    kinds, by_length = ("paths",), False
    of_block = 1  # a launch takes many

    def applies(self, task: Task) -> bool:
        """Paths by edges, unless each source has a block of threads.

        It has where masks were nearly empty, or the graph is small.
        """
        if not super().applies(task) or has_small_frontiers(task.graph, task.high_diameter):
            return False
        return bool(task.graph.n * task.graph.arcs > AT_ONCE)

    def batches(self, task: Task, _: int) -> list[Batch]:
        """Shifted starts at high diameter, but within a cutoff, which ends a search on a level."""
        given = task.graph, task.sources, task.alpha
        if task.high_diameter and not task.graph.cutoffs:
            return shifted.by_branch(*given, BATCH.COLUMNS)
        return batching.by_first_neighbour(*given, BATCH.COLUMNS)

    def launch_size(self, graph: Graph) -> int:
        """Batches that a large device holds at once."""
        return max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * BATCH.COLUMNS))


class ClusteredSources(OfClustered):
    """Dependencies, 64 clustered sources of a high-diameter graph to a block of threads."""

    name, graph = "brandes of clustered sources", "high diameter, few arcs a node, many sources"
    launcher = ".high_diameter.brandes_high_diameter", "ClusteredWorkspace"
    counts, block_by_block = "float32, float64", True
    kinds, takes_seeds = ("paths",), True

    def applies(self, task: Task) -> bool:
        """Dependencies, on nodes and arcs."""
        return task.sums <= {"dependency", "arcs"} and super().applies(task)


class Alone(ByThreadBlock):
    """A block of threads to a source, by edges; on large frontiers where floats do not suffice."""

    name, graph = "brandes by source", "by edges, small frontiers"
    counts, extended = "float32, float64, extended", True
    launcher = ".brandes_source.brandes_source", "SourceWorkspace"
    kinds, by_length, width, takes_seeds = ("paths",), False, ALONE, True


class ByLength(ByThreadBlock):
    """A block of threads to a source, by length."""

    name, graph = "brandes by length", "by length"
    launcher = ".brandes_weighted.brandes_weighted", "WeightedWorkspace"
    kinds, by_length, width, takes_seeds = ("paths",), True, BY_LENGTH, True


class PathSamples(OnGPU):
    """Shortest paths drawn at random, a warp to a pair of nodes."""

    name, graph, counts = "path samples", "by edges", "any"
    launcher = ".path_samples.path_samples", "PathSamplesWorkspace"
    kinds, by_length, width, extended = ("path samples",), False, SAMPLES, True
    block_by_block, of_block = True, 1  # a launch takes many samples


class MSBFS(OfSearches):
    """Searches by edges, 1024 sources to a search."""

    name, graph = "MS-BFS", "by edges"
    launcher = ".msbfs.msbfs", "MSBFSSearch"
    kinds, by_length = ("distances", "rows"), False

    def batches(self, task: Task, _: int) -> list[Batch]:
        """Balls on large graphs of small frontiers; on others a source reaches nearly every row."""
        is_small = has_small_frontiers(task.graph, task.high_diameter)
        if is_small and task.graph.n >= LOCAL and task.sources.size > self.width:
            return batching.for_distances(task, self.width, self.width)
        return batching.by_components(task, self.width)


class DistancesOfClusteredSources(OfClustered):
    """Distances by length, 64 clustered sources of a high-diameter graph to a block of threads."""

    name = "distances of clustered sources"
    graph = "by length, high diameter, few arcs a node, many sources"
    launcher = ".high_diameter.distance_sums", "ClusteredSearch"
    kinds, by_length = ("distances", "access"), True


class DistancesByLength(OfSearches):
    """Distances by length, a block of threads to a source."""

    name, graph = "distances by length", "by length"
    launcher = ".sssp.distance_sums", "LengthSearch"
    kinds, by_length = ("distances", "access"), True


class DistancesBySource(OnGPU):
    """Distances by edges, a block of threads to a source."""

    name, graph = "distances by source", "by edges, small frontiers, scattered sources"
    launcher = ".brandes_source.distance_sums", "LevelSearch"
    kinds, by_length, width = ("distances",), False, ALONE
    of_block = ENOUGH_ALONE // ALONE  # sources enough for all blocks of threads

    def applies(self, task: Task) -> bool:
        """Sources that lie apart, in an order in which near ones follow each other."""
        if not (super().applies(task) and has_small_frontiers(task.graph, task.high_diameter)):
            return False
        return task.sources.size < 2 or float(np.median(np.diff(task.sources))) >= SCATTERED


class RowsByLength(OfSearches):
    """Distances and predecessors by length, a block of threads to a source."""

    name, graph = "SSSP", "by length"
    launcher = ".sssp.rows", "LengthRows"
    kinds = ("rows by length",)


def _clustered_width(graph: Graph) -> int:
    return CLUSTERED_WITHIN if graph.cutoffs else ORDER.CLUSTERED_WIDTH


def _short_block(batches: int, width: int) -> int:
    """Batches of a block of short searches."""
    blocks = max(1, min(batches * width // SOURCES_WITHIN, DEVICES))
    return max(1, -(-batches // blocks))


HOST = {kernel.name: kernel for kernel in ON_HOST}
KERNELS: tuple[Any, ...] = (
    ClusteredSources(),
    InStep(),
    Alone(),
    ByLength(),
    PathSamples(),
    DistancesBySource(),
    MSBFS(),
    DistancesOfClusteredSources(),
    DistancesByLength(),
    RowsByLength(),
    HOST["brandes by length"],  # path counts beyond floats
    HOST["node sets"],
    HOST["MS-BFS"],  # functions of the distances of places, by edges
    HOST["nearest places"],
)
