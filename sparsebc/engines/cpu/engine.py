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
from ..common.base import EXTENDED, MAX_BLOCKS, OF_DISTANCES, Kernel, Profile, Sweep, Task
from ..common.sums import Batch, alone, block_by_block, cut, widest
from .brandes.brandes_rows import RowWorkspace
from .brandes.workspace import BrandesWorkspace
from .brandes_weighted.workspace import WeightedWorkspace
from .chains.workspace import ChainWorkspace, WeightedChainWorkspace
from .common.simd import WIDTH
from .msbfs.bitset import NARROW, WIDE
from .msbfs.workspace import VISIT, MSBFSSearch
from .node_sets import NodeSetWorkspace
from .path_samples import SAMPLES
from .path_samples_weighted import PathSamplesWorkspace
from .sssp.distance_sums import LengthSearch
from .sssp.nearest import NearestSearch
from .sssp.shortest_paths import LengthPaths, farthest

# Sums are cleared, copied and added once a block, which costs much for sums over arcs, and where
# batches reach few rows. Batches of a block then: ARC_BATCHES, or ROW_BATCHES times n over the rows
# that a batch reaches, as long as there are ENOUGH_BLOCKS for many workers.
ARC_BATCHES, ROW_BATCHES, ENOUGH_BLOCKS = 4, 0.1, 32
# Batches wanted of few scattered sources, for workers to share; more would share no search.
SEARCH_BATCHES = 8


def few_sources(task: Task) -> bool:
    """Whether only "dependency" is wanted, from few sources of a large graph."""
    if task.dtype == EXTENDED or task.sums != {"dependency"} or task.graph.cutoffs:
        return False
    return batching.is_brief(task.graph, task.sources.size)


def balls_by_edges(task: Task, width: int) -> list[Batch]:
    """Balls, or staggered starts if no cutoff or decay needs the levels.

    Single sources with an origin-destination matrix, and for stress with weights of pairs,
    which are not integers.
    """
    seeds = task.seeds
    if seeds is not None and (seeds.demand is not None or "stress" in task.sums):
        return batching.one_by_one(task)
    by_level = bool(task.graph.cutoffs) or seeds is not None
    return batching.for_paths(task, width=width, shifts=not by_level)


def balls_by_length(task: Task, width: int) -> list[Batch]:
    """Balls and batches of eight scattered sources, on a high-diameter graph.

    Single sources on another, or if each search ends early, at its last destination.
    """
    if not task.high_diameter or batching.ends_early(task):
        return batching.one_by_one(task)
    return batching.within_cutoff(task, batching.for_paths(task, width=width))


def balls_with_lengths(task: Task, width: int) -> list[Batch]:
    """Balls of weighted paths; unweighted edges have length 1."""
    weighted_task = replace(task, graph=task.graph.with_unit_lengths())
    return batching.for_paths(weighted_task, width=width)


def balls_of_searches(task: Task, width: int) -> list[Batch]:
    """Balls, so that small frontiers are pushed; few sources of low diameter by component.

    Sums over points of interest take searches of 64.
    """
    count = task.sources.size
    if count > NARROW and task.kind != "access":
        width = WIDE
    if count <= width and not task.high_diameter:
        return batching.by_components(task, width)
    # Few sources, or many levels: smaller batches, for all workers.
    scattered = width
    if task.high_diameter:
        levels = min(task.graph.depth, int(task.graph.limits[-1]))
        if count < WIDE or width < VISIT * levels:
            scattered = alone(count, SEARCH_BATCHES)
    return batching.for_distances(task, width, scattered)


def balls_of_distances(task: Task, width: int) -> list[Batch]:
    """Balls of weighted paths; single sources where others may be at the distance 0."""
    lengths = task.graph.lengths
    if lengths and lengths.has_zeros:
        return cut(task.sources, task.alpha, width, clustered=False)
    return batching.within_cutoff(task, batching.for_paths(task, width=width))


def block_size(task: Task, batches: Sequence[Batch], width: int) -> int:
    """One batch, more where clearing and adding sums costs much, or `MAX_BLOCKS` requires it.

    That is for sums over arcs, and where batches reach few rows: those of small components, or
    within any cutoff.
    """
    size, most = -(-len(batches) // MAX_BLOCKS) or 1, len(batches) // ENOUGH_BLOCKS
    wanted = ARC_BATCHES if "arcs" in task.sums else 1
    if most > wanted and isinstance(task.graph, Graph):
        if task.kind in OF_DISTANCES:
            width = NARROW if task.graph.lengths and task.high_diameter else WIDE
        width = width or widest(batches)
        reached = 0.0 if task.graph.cutoffs else task.graph.reach
        wanted = max(wanted, int(ROW_BATCHES * task.graph.n / (reached + width)))
    return max(size, min(wanted, most))


def launch_size(graph: Graph) -> int:
    """Batches that together take some milliseconds; on a large graph one."""
    cutoffs = len(graph.cutoffs) or 1
    return max(1, BRIEF // (WIDTH * max(1, graph.n + graph.arcs) * cutoffs))


def on_host(state: Any, counts: str = "") -> dict[str, Any]:
    """What rows of this table have in common, given the class of the state of a batch.

    Its memory is the same whatever is free: pages of unreached rows are never touched. Sums over
    paths, which have ``counts``, are swept one block after the other.
    """

    def start(graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        made = state(graph, sweep, stop)
        return block_by_block(made, sweep.sums) if counts else made

    made = {"start": start, "least_bytes": state.least_bytes, "counts": counts, "float32": False}
    return made | {"block_size": block_size, "launch_size": launch_size}


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        name="brandes by rows",
        summary="Unweighted, few sources of a large graph, each swept by all threads",
        graph="by edges, large, few sources",
        files=("cpu/brandes/brandes_rows.py", "cpu/brandes/brandes_source.py"),
        kinds=("paths",),
        by_length=False,
        rule=few_sources,
        batches=lambda task, _: cut(task.sources, task.alpha, 1 << 31, clustered=False),  # one
        **on_host(RowWorkspace, counts="float64"),
    ),
    Kernel(
        name="brandes by edges",
        summary="Unweighted, clustered sources 64 at once; scattered or out-of-range ones singly",
        files=("cpu/brandes/brandes_batch.py", "cpu/brandes/brandes_source.py"),
        kinds=("paths",),
        by_length=False,
        takes_seeds=True,
        width=WIDTH,
        batches=balls_by_edges,
        **on_host(BrandesWorkspace, counts="float64, extended"),
    ),
    Kernel(
        name="brandes by length",
        summary="Weighted, at high diameter clustered sources in a shared order; others singly",
        files=(
            "cpu/brandes_weighted/brandes_weighted_high_diameter.py",
            "cpu/brandes_weighted/brandes_weighted.py",
        ),
        kinds=("paths",),
        by_length=True,
        takes_seeds=True,
        width=WIDTH,
        batches=balls_by_length,
        **on_host(WeightedWorkspace, counts="float64, extended"),
    ),
    Kernel(
        name="chains",
        summary="Unweighted sweeps from the ends of chains, with all searches of a batch kept",
        files=("cpu/chains/brandes_chains.py",),
        kinds=("chains",),
        by_length=False,
        width=0,
        batches=lambda task, _: list(task.batches or ()),  # made by the reduction
        **on_host(ChainWorkspace, counts="float64, extended"),
    ),
    Kernel(
        name="chains by length",
        summary="Weighted sweeps from the ends of chains",
        files=("cpu/chains/chains_weighted.py",),
        kinds=("chains",),
        by_length=True,
        width=0,
        batches=lambda task, _: list(task.batches or ()),
        **on_host(WeightedChainWorkspace, counts="float64, extended"),
    ),
    Kernel(
        name="node sets",
        summary="Group betweenness, one source at a time, weighted",
        files=("cpu/node_sets.py",),
        kinds=("node sets",),
        width=WIDTH,
        batches=balls_with_lengths,
        **on_host(NodeSetWorkspace, counts="float64, extended"),
    ),
    Kernel(
        name="path samples",
        summary="Unweighted shortest paths drawn at random, each by two breadth-first searches",
        files=("cpu/path_samples.py",),
        kinds=("path samples",),
        by_length=False,
        width=SAMPLES,
        **on_host(PathSamplesWorkspace, counts="any"),
    ),
    Kernel(
        name="path samples by length",
        summary="Weighted shortest paths drawn at random, each by bidirectional Dijkstra",
        files=("cpu/path_samples_weighted.py",),
        kinds=("path samples",),
        by_length=True,
        width=SAMPLES,
        **on_host(PathSamplesWorkspace, counts="float64, extended"),
    ),
    Kernel(
        name="MS-BFS",
        summary="Unweighted distances, 64 or 512 sources to a search; scattered sources singly",
        files=("cpu/msbfs/msbfs.py", "cpu/msbfs/bfs_high_diameter.py"),
        kinds=("distances", "access", "rows"),
        by_length=False,
        width=NARROW,
        batches=balls_of_searches,
        **on_host(MSBFSSearch),
    ),
    Kernel(
        name="distances by length",
        summary="Weighted distances, clustered sources together, at high diameter in one order",
        files=("cpu/sssp/distance_sums.py",),
        kinds=("distances", "access"),
        by_length=True,
        width=NARROW,
        batches=balls_of_distances,
        **on_host(LengthSearch),
    ),
    Kernel(
        name="SSSP",
        summary="Weighted distances and predecessors, one source at a time",
        graph="by length",
        files=("cpu/sssp/shortest_paths.py",),
        kinds=("rows by length",),
        width=8,  # sources between two polls for Ctrl-C
        **on_host(LengthPaths),
    ),
    Kernel(
        name="nearest places",
        summary="Distances to the nearest points of interest, by one search from all of a kind",
        files=("cpu/sssp/nearest.py",),
        kinds=("nearest",),
        **on_host(NearestSearch),
    ),
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
