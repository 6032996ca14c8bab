"""The kernels of the CPU, in the order in which they are tried: rules, batches, memory, state."""

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...jit import BRIEF
from ..common import batching
from ..common.base import MAX_BLOCKS, Kernel, Sweep, Task
from ..common.batch import Batch, widest
from ..common.sums import BlockByBlock
from .brandes import workspace as unweighted
from .brandes_weighted import workspace as weighted
from .chains import workspace as chains
from .common.simd import WIDTH
from .msbfs import workspace as search
from .msbfs.bitset import NARROW, WIDE
from .node_sets import workspace as node_sets
from .path_samples import workspace as path_samples
from .sssp import nearest
from .sssp import shortest_paths as rows
from .sssp import workspace as distance_sums
from .temporal_walks import workspace as temporal_walks

# Sums are long to clear, copy and add up where a batch reaches few of their rows, and those over
# arcs anyway: a block has so many batches, for each row of the graph over those a batch reaches,
# where that leaves blocks enough for many workers.
ARC_BATCHES, ROW_BATCHES, ENOUGH_BLOCKS = 4, 0.1, 32
# Batches for workers to share, of few sources that lie apart; more of them would share no search.
SEARCH_BATCHES = 8


class OnHost(Kernel):
    """A kernel with a module that has its state and tells how many bytes that takes."""

    home: ModuleType
    state: type[Any]  # made of graph, sweep and stop

    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """State of one batch, and of a single source."""
        return int(self.home.least_bytes(graph, sweep))

    def launch_size(self, graph: Graph) -> int:
        """Batches that take a few milliseconds together: of a small graph several."""
        return max(1, BRIEF // (WIDTH * max(1, graph.n + graph.arcs) * graph.limits.size))

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of one batch; pages that it does not reach are never touched."""
        return self.state(graph, sweep, stop)


class OfPaths(OnHost):
    """A kernel whose blocks are swept one by one."""

    counts = "float32, float64, extended"

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """As few batches as keep the number of blocks in bounds; more where sums are long."""
        wanted = ARC_BATCHES if "arcs" in task.sums else 1
        return _block_size(task.graph, len(batches), self.width or widest(batches), wanted)

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of one batch, and the sums over a block."""
        return BlockByBlock(super().start(graph, sweep, memory, stop), sweep.sums)


class ByEdges(OfPaths):
    """64 near sources at once, others one by one (`batching` decides), and beyond floats."""

    name, graph = "brandes by edges", "by edges"
    files = ("cpu/brandes/brandes_batch.py", "cpu/brandes/brandes_source.py")
    kinds, by_length, takes_seeds = ("paths",), False, True
    home, state, width = unweighted, unweighted.BrandesWorkspace, WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """Balls, or shifted starts, but where a level is asked for, by a cutoff or a decay.

        One by one where each source has weights of its own, or stress has some that are not whole.
        """
        seeds = task.seeds
        if seeds is not None and (seeds.demand is not None or "stress" in task.sums):
            return batching.one_by_one(task)
        by_level = bool(task.graph.cutoffs) or seeds is not None
        return batching.for_paths(task, width=WIDTH, shifts=not by_level)


class ByRows(OfPaths):
    """A few sources of a large graph, one after the other, the rows of each by all threads."""

    name, graph, counts = "brandes by rows", "by edges, large, few sources", "float32, float64"
    files = ("cpu/brandes/brandes_rows.py", "cpu/brandes/brandes_source.py")
    kinds, by_length = ("paths",), False
    home, state = unweighted, unweighted.RowWorkspace

    def applies(self, task: Task) -> bool:
        """Dependencies on nodes, from so few sources that no other thread has one."""
        if not super().applies(task) or task.extended or task.sums != {"dependency"}:
            return False
        return not task.graph.cutoffs and batching.is_brief(task.graph, task.sources.size)

    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """State of one source."""
        return unweighted.row_bytes(graph, sweep)

    def batches(self, task: Task) -> list[Batch]:
        """One batch of all sources."""
        return batching.cut(task.sources, task.alpha, task.sources.size or 1, clustered=False)


class ByLength(OfPaths):
    """Near sources of a deep graph in one order of nodes, others by one search, or one by one."""

    name, graph = "brandes by length", "by length"
    files = (
        "cpu/brandes_weighted/brandes_weighted_high_diameter.py",
        "cpu/brandes_weighted/brandes_weighted.py",
    )
    kinds, by_length, takes_seeds = ("paths",), True, True
    home, state, width = weighted, weighted.WeightedWorkspace, weighted.WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """Balls, and on a deep graph eight of the sources that lie apart.

        One by one where each search ends with the targets of a demand, which are near.
        """
        if batching.ends_early(task):
            return batching.one_by_one(task)
        return batching.within_cutoff(task, batching.for_paths(task, width=self.width))


class Chains(OfPaths):
    """Sweeps from the ends of chains alone, whose searches are kept side by side."""

    name, graph = "chains", "by edges"
    files = ("cpu/chains/brandes_chains.py",)
    kinds, by_length = ("chains",), False
    home, width = chains, 0
    state: type[Any] = chains.ChainWorkspace

    def batches(self, task: Task) -> list[Batch]:
        """The batches that the reduction made."""
        return list(task.batches or ())


class ChainsByLength(Chains):
    """Sweeps by length from the ends of chains alone."""

    name, graph = "chains by length", "by length"
    files = ("cpu/chains/chains_weighted.py",)
    by_length = True
    state = chains.WeightedChainWorkspace


class NodeSets(OfPaths):
    """Pairs whose paths meet a set of nodes, or a further node: one search after the other.

    By edges each is 1 long, and a level a bucket of the search.
    """

    name, counts = "node sets", "float64, extended"
    files = ("cpu/node_sets/met_paths.py",)
    kinds = ("node sets",)
    home, state, width = node_sets, node_sets.NodeSetWorkspace, weighted.WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """The batches of paths by length."""
        there = replace(task, graph=task.graph.with_unit_lengths())
        return batching.for_paths(there, width=self.width)


class PathSamples(OfPaths):
    """Shortest paths drawn at random, each by a bidirectional search."""

    name, graph, counts = "path samples", "by edges", "any"
    files = ("cpu/path_samples/path_samples.py",)
    kinds, by_length = ("path samples",), False
    home, state, width = path_samples, path_samples.PathSamplesWorkspace, path_samples.SAMPLES

    def batches(self, task: Task) -> list[Batch]:
        """Runs of the samples."""
        return batching.cut(task.sources, task.alpha, self.width)


class PathSamplesByLength(PathSamples):
    """Shortest paths by length drawn at random, each by Dijkstra's algorithm from both ends."""

    name, graph, counts = "path samples by length", "by length", "float64, extended"
    files = ("cpu/path_samples/path_samples_weighted.py",)
    by_length = True
    state = path_samples.WeightedPathSamplesWorkspace


class MSBFS(OnHost):
    """Distances by edges, 64 or 512 sources to a search; sources that lie apart one by one.

    Functions of distances of places are added up in searches of 64.
    """

    name, graph = "MS-BFS", "by edges"
    files = ("cpu/msbfs/msbfs.py", "cpu/msbfs/bfs_high_diameter.py")
    kinds, by_length = ("distances", "access", "rows"), False
    home, state, width = search, search.MSBFSSearch, NARROW

    def batches(self, task: Task) -> list[Batch]:
        """Balls, since a level that few rows hold is pushed; on shallow graphs components."""
        count = task.sources.size
        width = WIDE if count > NARROW and task.kind != "access" else NARROW
        if count <= width and not task.high_diameter:
            return batching.by_components(task, width)
        # Sources that are few, or levels that are many: then there are batches for all workers.
        scattered = width
        if task.high_diameter:
            levels = min(task.graph.depth, int(task.graph.limits[-1]))
            if count < WIDE or width < search.VISIT * levels:
                scattered = batching.alone(count, SEARCH_BATCHES)
        return batching.for_distances(task, width, scattered)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """One, unless there are so many that adding them up would cost."""
        return _block_size(task.graph, len(batches), WIDE, 1)


class DistancesByLength(OnHost):
    """Distances by length, of near sources together, in one order of nodes on a deep graph."""

    name, graph = "distances by length", "by length"
    files = ("cpu/sssp/distance_sums.py",)
    kinds, by_length = ("distances", "access"), True
    home, state, width = distance_sums, distance_sums.LengthSearch, NARROW

    def batches(self, task: Task) -> list[Batch]:
        """The batches of paths."""
        return batching.within_cutoff(task, batching.for_paths(task, width=self.width))

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """One, unless there are so many that adding them up would cost."""
        return _block_size(task.graph, len(batches), NARROW if task.high_diameter else WIDE, 1)


class RowsByLength(OnHost):
    """Distances and predecessors by length, one source after the other."""

    name, graph = "SSSP", "by length"
    files = ("cpu/sssp/shortest_paths.py",)
    kinds = ("rows by length",)
    home, state, width = rows, rows.LengthPaths, 8  # sources between two polls for Ctrl-C


class Nearest(OnHost):
    """Distances of the nearest places, by one search from all places of a kind at once."""

    name = "nearest places"
    files = ("cpu/sssp/nearest.py",)
    kinds = ("nearest",)
    home, state = nearest, nearest.NearestSearch


class WalksInTime(OnHost):
    """Optimal walks in time, the list of edges forward and back."""

    name, graph = "walks in time", "contacts"
    files = ("cpu/temporal_walks/temporal_walks.py",)
    kinds = ("walks in time",)
    home, state, width = temporal_walks, temporal_walks.WalksWorkspace, WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """Runs of the sources."""
        return batching.cut(task.sources, task.alpha, WIDTH)


def _block_size(graph: Graph, batches: int, width: int, wanted: int) -> int:
    """As few batches as keep the number of blocks in bounds, or as many as are ``wanted``.

    More are, where batches of so many sources reach few rows of a graph: of small components, or
    within a cutoff, whatever it is.
    """
    size, most = -(-batches // MAX_BLOCKS) or 1, batches // ENOUGH_BLOCKS
    if most > wanted:
        reached = 0.0 if graph.cutoffs else graph.reach
        wanted = max(wanted, int(ROW_BATCHES * graph.n / (reached + width)))
    return max(size, min(wanted, most))


KERNELS: tuple[Kernel, ...] = (
    ByRows(),
    ByEdges(),
    ByLength(),
    Chains(),
    ChainsByLength(),
    NodeSets(),
    PathSamples(),
    PathSamplesByLength(),
    MSBFS(),
    DistancesByLength(),
    RowsByLength(),
    Nearest(),
    WalksInTime(),
)
