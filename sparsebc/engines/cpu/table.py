"""The kernels of the CPU, in the order in which they are tried: rules, batches, memory, state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...host import on_host
from .. import batching
from ..base import MAX_BLOCKS, Kernel, Sweep, Task
from ..batch import Batch, widest
from ..sums import BlockByBlock
from .brandes import workspace as by_edges
from .brandes_weighted import workspace as by_length
from .chains import workspace as chains
from .common.simd import WIDTH
from .msbfs import msbfs, search
from .msbfs.bitset import NARROW, WIDE
from .node_sets import workspace as node_sets
from .sssp import distance_sums, rows

# Sums are long to clear, copy and add up where a batch reaches few of their rows, and those over
# arcs anyway: a block has so many batches, for each row of the graph over those a batch reaches,
# where that leaves blocks enough for many workers.
ARC_GROUPS, ROW_GROUPS, ENOUGH_BLOCKS = 4, 0.1, 32
# Batches for workers to share, of few sources that lie apart; more of them would share no search.
SEARCH_GROUPS = 8

FLOATS_AND_BEYOND = "float32, float64, extended"


class ByEdges(Kernel):
    """A batch of 64 near sources at once, others one by one, and where floats do not suffice."""

    name = "brandes by edges"
    graph, counts = "by edges", FLOATS_AND_BEYOND
    files = ("cpu/brandes/brandes_batch.py", "cpu/brandes/brandes_source.py")

    def applies(self, task: Task) -> bool:
        """Paths by edges."""
        return task.kind == "paths" and task.graph.lengths is None

    def batches(self, task: Task) -> list[Batch]:
        """Balls, or shifted starts, but within a cutoff, which ends a search on a level."""
        return batching.for_paths(task, width=WIDTH, shifts=not task.graph.cutoffs)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """As few batches as keep the number of blocks in bounds; more where sums are long."""
        return _path_block(task, len(batches), WIDTH)

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of one batch, and of a single source."""
        return by_edges.workspace_bytes(graph, sweep.dtype, sweep.sums)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a batch; pages that no level reaches are never touched."""
        omega, sums = sweep.omega, sweep.sums
        state = by_edges.BrandesWorkspace(graph, omega, sweep.dtype, sums, stop)
        return BlockByBlock(state, sums)


class ByLength(Kernel):
    """Near sources of a deep graph in one order of nodes, others by one search, or one by one."""

    name = "brandes by length"
    graph, counts = "by length", FLOATS_AND_BEYOND
    files = (
        "cpu/brandes_weighted/brandes_clustered.py",
        "cpu/brandes_weighted/brandes_weighted.py",
    )

    def applies(self, task: Task) -> bool:
        """Paths by length."""
        return task.kind == "paths" and task.graph.lengths is not None

    def batches(self, task: Task) -> list[Batch]:
        """Balls, and on a deep graph eight of the sources that lie apart."""
        return batching.for_paths(task, width=by_length.WIDTH)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """As few batches as keep the number of blocks in bounds; more where sums are long."""
        return _path_block(task, len(batches), by_length.WIDTH)

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of one batch, and of a single source."""
        return by_length.workspace_bytes(graph, sweep.dtype, sweep.sums)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a batch."""
        assert graph.lengths is not None
        given = graph, graph.lengths, sweep.omega, sweep.dtype, sweep.sums, stop
        return BlockByBlock(by_length.WeightedWorkspace(*given), sweep.sums)


class Chains(Kernel):
    """Sweeps from the ends of chains alone, whose searches are kept side by side."""

    name = "chains"
    graph, counts = "by edges", FLOATS_AND_BEYOND
    files = ("cpu/chains/brandes_chains.py",)

    def applies(self, task: Task) -> bool:
        """Chains by edges."""
        return task.kind == "chains" and task.graph.lengths is None

    def batches(self, task: Task) -> list[Batch]:
        """Those that the reduction made."""
        return list(task.batches or ())

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """As few batches as keep the number of blocks in bounds; more where sums are long."""
        return _path_block(task, len(batches), widest(batches))

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of the ends of one batch."""
        return chains.workspace_bytes(graph, sweep.dtype, sweep.width, sweep.sums)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of the ends of one batch."""
        given = sweep.omega, sweep.dtype, sweep.width, sweep.sums, stop
        return BlockByBlock(chains.ChainWorkspace(graph, *given), sweep.sums)


class ChainsByLength(Chains):
    """The same along lengths."""

    name = "chains by length"
    graph = "by length"
    files = ("cpu/chains/chains_weighted.py",)

    def applies(self, task: Task) -> bool:
        """Chains by length."""
        return task.kind == "chains" and task.graph.lengths is not None

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of the ends of one batch."""
        assert graph.lengths is not None
        given = graph.lengths, sweep.omega, sweep.dtype, sweep.width, sweep.sums, stop
        return BlockByBlock(chains.WeightedChainWorkspace(graph, *given), sweep.sums)


class NodeSets(Kernel):
    """Pairs whose paths meet a set of nodes, or a further node: one search after the other.

    By edges each is 1 long, and a level a bucket of the search.
    """

    name = "node sets"
    counts = "float64, extended"
    files = ("cpu/node_sets/met_paths.py",)

    def applies(self, task: Task) -> bool:
        """Every graph."""
        return task.kind == "node sets"

    def batches(self, task: Task) -> list[Batch]:
        """Those of paths by length."""
        there = task._replace(graph=task.graph.with_unit_lengths())
        return batching.for_paths(there, width=by_length.WIDTH)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """As few batches as keep the number of blocks in bounds."""
        return _path_block(task, len(batches), by_length.WIDTH)

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of a search, and shares."""
        assert sweep.node_sets is not None
        return node_sets.workspace_bytes(graph, sweep.dtype, sweep.node_sets)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a search, and the sum over sources."""
        assert sweep.node_sets is not None
        given = graph, sweep.omega, sweep.dtype, sweep.node_sets, stop
        return BlockByBlock(node_sets.GroupWorkspace(*given), sweep.sums)


class MSBFS(Kernel):
    """Distances by edges, 64 or 512 sources to a search; sources that lie apart one by one."""

    name = "MS-BFS"
    graph = "by edges"
    files = ("cpu/msbfs/msbfs.py",)
    width = NARROW

    def applies(self, task: Task) -> bool:
        """Distances and rows by edges."""
        return task.kind in ("distances", "rows") and task.graph.lengths is None

    def batches(self, task: Task) -> list[Batch]:
        """Balls, since a level that few rows hold is pushed; on shallow graphs components."""
        count = task.sources.size
        width = WIDE if count > NARROW else NARROW
        if count <= width and not task.deep:
            return batching.by_components(task, width)
        # Sources that are few, or levels that are many: then there are batches for all workers.
        scattered = width
        if task.deep:
            levels = min(task.graph.depth, int(task.graph.limits[-1]))
            if count < WIDE or width < search.VISIT * levels:
                scattered = batching.alone(count, SEARCH_GROUPS)
        return batching.for_distances(task, width, scattered)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """One, unless there are so many that adding them up would cost."""
        return _block_size(task.graph, len(batches), WIDE, 1)

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """Masks of one batch."""
        width = NARROW if sweep.width <= NARROW else WIDE
        return graph.n * msbfs.row_bytes(width)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of one batch."""
        return search.MSBFSSearch(graph, sweep.deep, stop)


class DistancesByLength(Kernel):
    """Distances by length, of near sources together, in one order of nodes on a deep graph."""

    name = "distances by length"
    graph = "by length"
    files = ("cpu/sssp/sssp_sums.py",)

    def applies(self, task: Task) -> bool:
        """Distances by length."""
        return task.kind == "distances" and task.graph.lengths is not None

    def batches(self, task: Task) -> list[Batch]:
        """Those of paths."""
        return batching.for_paths(task, width=NARROW)

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """One, unless there are so many that adding them up would cost."""
        return _block_size(task.graph, len(batches), NARROW if task.deep else WIDE, 1)

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of one batch, and of a source."""
        return distance_sums.search_bytes(graph, sweep.deep)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of one batch."""
        return distance_sums.LengthSearch(graph, sweep.deep, stop)


class RowsByLength(Kernel):
    """Distances and predecessors by length, one source after the other."""

    name = "SSSP"
    graph = "by length"
    files = ("cpu/sssp/sssp_paths.py",)
    width = 8  # sources between two polls for Ctrl-C

    def applies(self, task: Task) -> bool:
        """Rows by length."""
        return task.kind == "rows by length"

    def least_bytes(self, matrix: Any, sweep: Sweep) -> int:
        """State of one source."""
        return rows.path_bytes(matrix.shape[0], matrix.nnz)

    def start(self, matrix: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of one source."""
        return rows.LengthPaths(on_host(matrix), sweep.directed, stop)


def _path_block(task: Task, batches: int, width: int) -> int:
    """Batches of a block of path sums."""
    return _block_size(task.graph, batches, width, ARC_GROUPS if "arcs" in task.sums else 1)


def _block_size(graph: Graph, batches: int, width: int, wanted: int) -> int:
    """As few batches as keep the number of blocks in bounds, or as many as are ``wanted``.

    More are, where batches of so many sources reach few rows of a graph: of small components, or
    within a cutoff, whatever it is.
    """
    size, most = -(-batches // MAX_BLOCKS) or 1, batches // ENOUGH_BLOCKS
    if most > wanted:
        reached = 0.0 if graph.cutoffs else graph.reach
        wanted = max(wanted, int(ROW_GROUPS * graph.n / (reached + width)))
    return max(size, min(wanted, most))


KERNELS: tuple[Kernel, ...] = (
    ByEdges(),
    ByLength(),
    Chains(),
    ChainsByLength(),
    NodeSets(),
    MSBFS(),
    DistancesByLength(),
    RowsByLength(),
)
