"""CPU engine: the table of its kernels in the order in which they are tried, with their rules.

Numba kernels release the GIL, so that threads sweep batches in parallel.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...jit import BRIEF
from ...matrix.graph import Graph
from ...matrix.ops import GraphOps
from ...process import free_memory
from ..common import batching
from ..common.base import MAX_BLOCKS, OF_DISTANCES, Kernel, Profile, Sweep, Task
from ..common.counts import EXTENDED
from ..common.sums import Batch, alone, block_by_block, cut, widest
from . import node_sets, path_samples, path_samples_weighted
from .brandes import brandes_rows
from .brandes import workspace as unweighted
from .brandes_weighted import workspace as weighted
from .chains import workspace as chains
from .common.simd import WIDTH
from .msbfs import workspace as search
from .msbfs.bitset import NARROW, WIDE
from .sssp import distance_sums, nearest, shortest_paths
from .sssp.shortest_paths import farthest

# Sums are cleared, copied and added once a block, which costs much for sums over arcs, and where
# batches reach few rows. Batches of a block then: ARC_BATCHES, or ROW_BATCHES times n over the rows
# that a batch reaches, as long as there are ENOUGH_BLOCKS for many workers.
ARC_BATCHES, ROW_BATCHES, ENOUGH_BLOCKS = 4, 0.1, 32
# Batches wanted of few scattered sources, for workers to share; more would share no search.
SEARCH_BATCHES = 8


class OnHost(Kernel):
    """A CPU kernel, whose workspace is in a module of its own."""

    float32 = False
    state: Any  # class with `least_bytes`, called with graph, sweep and stop

    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """Bytes of the state of a batch, and of a single source."""
        return int(self.state.least_bytes(graph, sweep))

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """One batch, more where clearing and adding sums costs much, or `MAX_BLOCKS` requires it.

        That is for sums over arcs, and where batches reach few rows: those of small components, or
        within any cutoff.
        """
        size, most = -(-len(batches) // MAX_BLOCKS) or 1, len(batches) // ENOUGH_BLOCKS
        wanted = ARC_BATCHES if "arcs" in task.sums else 1
        if most > wanted and isinstance(task.graph, Graph):
            width = self.width or widest(batches)
            if task.kind in OF_DISTANCES:
                width = NARROW if task.graph.lengths and task.high_diameter else WIDE
            reached = 0.0 if task.graph.cutoffs else task.graph.reach
            wanted = max(wanted, int(ROW_BATCHES * task.graph.n / (reached + width)))
        return max(size, min(wanted, most))

    def launch_size(self, graph: Graph) -> int:
        """Batches that together take some milliseconds; on a large graph one."""
        cutoffs = len(graph.cutoffs) or 1
        return max(1, BRIEF // (WIDTH * max(1, graph.n + graph.arcs) * cutoffs))

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a batch, whatever ``memory`` is; pages of unreached rows are never touched."""
        return self.state(graph, sweep, stop)


class OfPaths(OnHost):
    """A kernel of sums over paths, which sweeps one block after the other."""

    counts = "float64, extended"

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a batch, and sums over a block."""
        return block_by_block(super().start(graph, sweep, memory, stop), sweep.sums)


class ByEdges(OfPaths):
    """Unweighted: clustered sources in batches of 64, scattered or out-of-range ones singly."""

    name, graph = "brandes by edges", "by edges"
    files = ("cpu/brandes/brandes_batch.py", "cpu/brandes/brandes_source.py")
    kinds, by_length, takes_seeds = ("paths",), False, True
    state, width = unweighted.BrandesWorkspace, WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """Balls, or staggered starts if no cutoff or decay needs the levels.

        Single sources with an origin-destination matrix, and for stress with weights of pairs,
        which are not integers.
        """
        seeds = task.seeds
        if seeds is not None and (seeds.demand is not None or "stress" in task.sums):
            return batching.one_by_one(task)
        by_level = bool(task.graph.cutoffs) or seeds is not None
        return batching.for_paths(task, width=WIDTH, shifts=not by_level)


class ByRows(OfPaths):
    """Unweighted: few sources of a large graph, each swept by all threads, in ranges of rows."""

    name, graph, counts = "brandes by rows", "by edges, large, few sources", "float64"
    files = ("cpu/brandes/brandes_rows.py", "cpu/brandes/brandes_source.py")
    kinds, by_length = ("paths",), False
    state = brandes_rows.RowWorkspace

    def applies(self, task: Task) -> bool:
        """Whether only "dependency" is wanted, from few sources of a large graph."""
        if not super().applies(task) or task.dtype == EXTENDED or task.sums != {"dependency"}:
            return False
        return not task.graph.cutoffs and batching.is_brief(task.graph, task.sources.size)

    def batches(self, task: Task) -> list[Batch]:
        """One batch of all sources."""
        return cut(task.sources, task.alpha, task.sources.size or 1, clustered=False)


class ByLength(OfPaths):
    """Weighted: on a high-diameter graph clustered sources in a shared order; others singly."""

    name, graph = "brandes by length", "by length"
    files = (
        "cpu/brandes_weighted/brandes_weighted_high_diameter.py",
        "cpu/brandes_weighted/brandes_weighted.py",
    )
    kinds, by_length, takes_seeds = ("paths",), True, True
    state, width = weighted.WeightedWorkspace, WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """Balls and batches of eight scattered sources, on a high-diameter graph.

        Single sources on another, or if each search ends early, at its last destination.
        """
        if not task.high_diameter or batching.ends_early(task):
            return batching.one_by_one(task)
        return batching.within_cutoff(task, batching.for_paths(task, width=self.width))


class Chains(OfPaths):
    """Unweighted sweeps from the ends of chains, with the searches of a batch kept side by side."""

    name, graph = "chains", "by edges"
    files = ("cpu/chains/brandes_chains.py",)
    kinds, by_length = ("chains",), False
    state: Any = chains.ChainWorkspace
    width = 0

    def batches(self, task: Task) -> list[Batch]:
        """Batches made by the reduction."""
        return list(task.batches or ())


class ChainsByLength(Chains):
    """Weighted sweeps from the ends of chains."""

    name, graph = "chains by length", "by length"
    files = ("cpu/chains/chains_weighted.py",)
    by_length = True
    state = chains.WeightedChainWorkspace


class NodeSets(OfPaths):
    """Group betweenness, one source at a time, weighted.

    Unweighted edges have length 1, so that a level is a bucket of the search.
    """

    name = "node sets"
    files = ("cpu/node_sets.py",)
    kinds = ("node sets",)
    state, width = node_sets.NodeSetWorkspace, WIDTH

    def batches(self, task: Task) -> list[Batch]:
        """Batches of weighted paths."""
        weighted_task = replace(task, graph=task.graph.with_unit_lengths())
        return batching.for_paths(weighted_task, width=self.width)


class PathSamples(OfPaths):
    """Unweighted shortest paths drawn at random, each by bidirectional breadth-first search."""

    name, graph, counts = "path samples", "by edges", "any"
    files = ("cpu/path_samples.py",)
    kinds, by_length = ("path samples",), False
    state, width = path_samples.PathSamplesWorkspace, path_samples.SAMPLES

    def batches(self, task: Task) -> list[Batch]:
        """Batches of consecutive samples."""
        return cut(task.sources, task.alpha, self.width)


class PathSamplesByLength(PathSamples):
    """Weighted shortest paths drawn at random, each by bidirectional Dijkstra."""

    name, graph, counts = "path samples by length", "by length", "float64, extended"
    files = ("cpu/path_samples_weighted.py",)
    by_length = True
    state = path_samples_weighted.WeightedPathSamplesWorkspace


class MSBFS(OnHost):
    """Unweighted distances, 64 or 512 sources to a search; scattered sources singly.

    Sums over points of interest take searches of 64.
    """

    name, graph = "MS-BFS", "by edges"
    files = ("cpu/msbfs/msbfs.py", "cpu/msbfs/bfs_high_diameter.py")
    kinds, by_length = ("distances", "access", "rows"), False
    state, width = search.MSBFSSearch, NARROW

    def batches(self, task: Task) -> list[Batch]:
        """Balls, so that small frontiers are pushed; few sources of low diameter by component."""
        count = task.sources.size
        width = WIDE if count > NARROW and task.kind != "access" else NARROW
        if count <= width and not task.high_diameter:
            return batching.by_components(task, width)
        # Few sources, or many levels: smaller batches, for all workers.
        scattered = width
        if task.high_diameter:
            levels = min(task.graph.depth, int(task.graph.limits[-1]))
            if count < WIDE or width < search.VISIT * levels:
                scattered = alone(count, SEARCH_BATCHES)
        return batching.for_distances(task, width, scattered)


class DistancesByLength(OnHost):
    """Weighted distances: clustered sources together, in a shared order at high diameter."""

    name, graph = "distances by length", "by length"
    files = ("cpu/sssp/distance_sums.py",)
    kinds, by_length = ("distances", "access"), True
    state, width = distance_sums.LengthSearch, NARROW

    def batches(self, task: Task) -> list[Batch]:
        """Batches of weighted paths; of single sources where others may be at the distance 0."""
        lengths = task.graph.lengths
        if lengths and lengths.has_zeros:
            return cut(task.sources, task.alpha, self.width, clustered=False)
        return batching.within_cutoff(task, batching.for_paths(task, width=self.width))


class RowsByLength(OnHost):
    """Weighted distances and predecessors, one source at a time."""

    name, graph = "SSSP", "by length"
    files = ("cpu/sssp/shortest_paths.py",)
    kinds = ("rows by length",)
    state, width = shortest_paths.LengthPaths, 8  # sources between two polls for Ctrl-C


class Nearest(OnHost):
    """Distances to the nearest points of interest, by one search from all of a kind."""

    name = "nearest places"
    files = ("cpu/sssp/nearest.py",)
    kinds = ("nearest",)
    state = nearest.NearestSearch


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
)


class CPU:
    """Engine of compiled kernels."""

    name = "cpu"
    devices = ()
    kernels: Sequence[Kernel] = KERNELS
    profile = Profile(shares_rows=True, of_distances=frozenset({"trees", "blocks"}))
    ops = GraphOps
    here = staticmethod(nullcontext)
    free_memory = staticmethod(free_memory)
    farthest = staticmethod(farthest)

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Strong components by SciPy; weak ones by breadth-first search, in order of nodes."""
        if strong and not graph.symmetric:
            matrix = graph.outgoing.for_csgraph()
            count, labels = csgraph.connected_components(matrix, connection="strong")
            return int(count), labels
        first, labels = np.unique(graph.components, return_inverse=True)
        return first.size, labels.astype(np.int32)
