"""The kernels of a GPU, in the order in which they are tried: rules, batches, memory, launchers.

Below stand first the functions that the rows of the table name, then the table. Launchers, and CuPy
with them, are imported where they are used: docs print the table anywhere. At the end stand kernels
of the host, for what a GPU has none for.
"""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...matrix.graph import Graph
from ..common import batching, shifted
from ..common.base import EXTENDED, Kernel, Sweep, Task, in_order
from ..common.sums import Batch, block_by_block
from ..cpu.engine import KERNELS as HOST
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


def launcher(module: str, name: str, *, by_block: bool = False) -> dict[str, Any]:
    """Fields of a kernel: a module with a ``plan``, and the name there of what makes states.

    Its source lies beside it, under the same name. ``by_block``: the state sweeps one block
    after the other.
    """

    def least_bytes(graph: Any, sweep: Sweep) -> int:
        return int(importlib.import_module(module, __package__).plan(graph, sweep).least)

    def start(graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        import cupy

        from .prepare.graph_ops import CUDAOps

        # The graph is on the current device, if it is on one; on the host if it is small.
        is_on_gpu = isinstance(graph, Graph) and graph.ops.xp is cupy
        if is_on_gpu and graph.outgoing.indices.device != cupy.cuda.Device():
            graph = graph.at(CUDAOps())
        make = getattr(importlib.import_module(module, __package__), name)
        state = make(graph, sweep, memory, stop)
        return block_by_block(state, sweep.sums) if by_block else state

    files = (f"cuda{module.replace('.', '/')}.cu",) if module.startswith(".") else ()
    return {"device": "cuda", "files": files, "least_bytes": least_bytes, "start": start}


def in_floats(task: Task) -> bool:
    """Whether path counts do not need more than the range of floats."""
    return task.dtype != EXTENDED


def on_large_frontiers(task: Task) -> bool:
    """Whether masks are not nearly empty, and the graph is not small."""
    is_large = task.graph.n * task.graph.arcs > AT_ONCE
    return is_large and not has_small_frontiers(task.graph, task.high_diameter)


def in_shared_order(task: Task) -> bool:
    """Whether the graph has a high diameter, and fits the kernels of clustered sources."""
    from .high_diameter.shared_order import takes

    return task.high_diameter and takes(task.graph)


def are_scattered(task: Task) -> bool:
    """Whether frontiers are small and sources lie apart, where near ones follow each other."""
    if not has_small_frontiers(task.graph, task.high_diameter):
        return False
    return task.sources.size < 2 or float(np.median(np.diff(task.sources))) >= SCATTERED


def balls(task: Task, width: int) -> list[Batch] | None:
    """Clustered sources, where balls are many and nearly full; else None."""
    given = task.graph, task.sources, task.alpha, _clustered_width(task.graph)
    return batching.in_one_order(*given, paths=task.kind == "paths") or None


def near_ones(task: Task, width: int) -> list[Batch] | None:
    """Runs of the order of the nodes, where near ones follow each other; else by neighbour."""
    if task.high_diameter and wants_near(task.graph):
        return in_order(task, width)
    return batching.by_first_neighbour(task.graph, task.sources, task.alpha, width)


def in_step(task: Task, width: int) -> list[Batch]:
    """Shifted starts at high diameter, but within a cutoff, which ends a search on a level."""
    given = task.graph, task.sources, task.alpha, width
    if task.high_diameter and not task.graph.cutoffs:
        return shifted.by_branch(*given)
    return batching.by_first_neighbour(*given)


def of_searches(task: Task, width: int) -> list[Batch]:
    """Balls on large graphs of small frontiers; on others a source reaches nearly every row."""
    is_small = has_small_frontiers(task.graph, task.high_diameter)
    if is_small and task.graph.n >= LOCAL and task.sources.size > width:
        return batching.for_distances(task, width, width)
    return batching.by_components(task, width)


def equal_shares(task: Task, batches: Sequence[Batch], width: int) -> int:
    """Clustered sources enough for all blocks of threads, in equal shares of 2, 4 ... devices."""
    count, width = len(batches), _clustered_width(task.graph)
    if has_small_balls(task.graph):
        return _short_block(count, width)
    blocks = 1 << max(1, count * width // SOURCES_IN_ORDER).bit_length() - 1
    return -(-count // blocks)


def enough_alone(task: Task, batches: Sequence[Batch], width: int) -> int:
    """Sources enough for all blocks of threads, each of which has one."""
    graph, count = task.graph, len(batches)
    if has_small_balls(graph):
        return _short_block(count, width)
    most, share = _batches_at_once(graph, width), count // DEVICES
    enough = share * width >= ENOUGH_ALONE
    return min(most, share if enough else -(-SOURCES_ALONE // width)) or 1


def busy_searches(task: Task, batches: Sequence[Batch], width: int) -> int:
    """As many as a large device holds at once, or a share of them that still keeps it busy."""
    n: int = max(task.graph.n, 1)
    most, least = max(1, BLOCK_SLOTS // n), max(1, BUSY_SLOTS // n)
    return min(most, max(least, len(batches) // DEVICES))


def _clustered_width(graph: Graph) -> int:
    return CLUSTERED_WITHIN if graph.cutoffs else ORDER.CLUSTERED_WIDTH


def _batches_at_once(graph: Graph, width: int) -> int:
    """Batches that a large device holds at once."""
    return max(1, BLOCK_ELEMENTS // (max(graph.n, 1) * width))


def _short_block(batches: int, width: int) -> int:
    """Batches of a block of short searches."""
    blocks = max(1, min(batches * width // SOURCES_WITHIN, DEVICES))
    return max(1, -(-batches // blocks))


# Kernels of the host: path counts beyond floats by length, sets of nodes, and functions of the
# distances of places.
OF_HOST = {"brandes by length", "node sets", "MS-BFS", "nearest places"}

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        name="brandes of clustered sources",
        summary="Dependencies, 64 clustered sources to a block of threads",
        graph="high diameter, few arcs a node, many sources",
        counts="float32, float64",
        **launcher(".high_diameter.brandes_high_diameter", "paths", by_block=True),
        kinds=("paths",),
        takes_seeds=True,
        rule=lambda task: (
            task.sums <= {"dependency", "arcs"} and in_floats(task) and in_shared_order(task)
        ),
        batches=balls,
        block_size=equal_shares,
    ),
    Kernel(
        name="brandes by levels",
        summary="Many batches of sources, level by level, with masks",
        graph="by edges, large frontiers",
        counts="float32, float64",
        **launcher(".brandes_batch.brandes_batch", "BatchWorkspace"),
        kinds=("paths",),
        by_length=False,
        rule=lambda task: in_floats(task) and on_large_frontiers(task),
        width=BATCH.COLUMNS,
        batches=in_step,
        block_size=lambda task, batches, width: 1,  # a launch takes many
        launch_size=lambda graph: _batches_at_once(graph, BATCH.COLUMNS),
    ),
    Kernel(
        name="brandes by source",
        summary="A block of threads to a source; on large frontiers where floats do not suffice",
        graph="by edges, small frontiers",
        counts="float32, float64, extended",
        **launcher(".brandes_source.brandes_source", "paths", by_block=True),
        kinds=("paths",),
        by_length=False,
        takes_seeds=True,
        width=ALONE,
        batches=near_ones,
        block_size=enough_alone,
    ),
    Kernel(
        name="brandes by length",
        summary="A block of threads to a source",
        counts="float32, float64",
        **launcher(".brandes_weighted.brandes_weighted", "paths", by_block=True),
        kinds=("paths",),
        by_length=True,
        takes_seeds=True,
        rule=in_floats,
        width=BY_LENGTH,
        batches=near_ones,
        block_size=enough_alone,
    ),
    Kernel(
        name="path samples",
        summary="Shortest paths drawn at random, a warp to a pair of nodes",
        counts="any",
        **launcher(".path_samples.path_samples", "PathSamplesWorkspace", by_block=True),
        kinds=("path samples",),
        by_length=False,
        width=SAMPLES,
        block_size=lambda task, batches, width: 1,  # a launch takes many samples
    ),
    Kernel(
        name="distances by source",
        summary="A block of threads to a source",
        graph="by edges, small frontiers, scattered sources",
        **launcher(".brandes_source.distance_sums", "distances"),
        kinds=("distances",),
        by_length=False,
        rule=are_scattered,
        width=ALONE,
        block_size=lambda task, batches, width: ENOUGH_ALONE // ALONE,
    ),
    Kernel(
        name="MS-BFS",
        summary="Searches, 1024 sources to each",
        **launcher(".msbfs.msbfs", "MSBFSSearch"),
        kinds=("distances", "rows"),
        by_length=False,
        width=MS_BFS.COLUMNS,
        batches=of_searches,
        block_size=busy_searches,
    ),
    Kernel(
        name="distances of clustered sources",
        summary="64 clustered sources to a block of threads",
        graph="by length, high diameter, few arcs a node, many sources",
        **launcher(".high_diameter.distance_sums", "distances"),
        kinds=("distances", "access"),
        by_length=True,
        rule=in_shared_order,
        batches=balls,
        block_size=equal_shares,
    ),
    Kernel(
        name="distances by length",
        summary="A block of threads to a source",
        **launcher(".sssp.distance_sums", "distances"),
        kinds=("distances", "access"),
        by_length=True,
        width=MS_BFS.COLUMNS,
        block_size=busy_searches,
    ),
    Kernel(
        name="SSSP",
        summary="Distances and predecessors, a block of threads to a source",
        graph="by length",
        **launcher(".sssp.rows", "LengthRows"),
        kinds=("rows by length",),
        width=MS_BFS.COLUMNS,
    ),
    *(kernel for kernel in HOST if kernel.name in OF_HOST),
)
