"""CPU engine: Numba kernels; they release the GIL, so that threads share the groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...graph.csr import GraphOps
from ...graph.graph import Graph
from ...graph.ops import HostOps
from ...host import on_host
from ..contract import (
    MAX_BLOCKS,
    BlockByBlock,
    BlockWorkspace,
    Kernel,
    NodeGroups,
    Sharing,
    Sweep,
    Workspace,
)
from ..host_memory import free_memory
from . import (
    betweenness,
    betweenness_chains,
    betweenness_weighted,
    distance_sums,
    groups,
    searches,
)
from .kernels import msbfs
from .kernels.bitset import NARROW, WIDE
from .kernels.simd import WIDTH

TOGETHER, ALONE, BY_LENGTH = "by edges, sources together", "by edges, sources alone", "by length"
NEAR = "by length, near sources of a deep graph"
ANY = "by edges or length"
FLOATS, ALL_COUNTS = "float32, float64", "float32, float64, extended"

# Which kernel runs when. `batching.for_paths` says which sources are swept together. Those whose
# levels lie too far apart after all, or whose counts leave the range of floats, go one by one.
KERNELS = (
    Kernel("betweenness", TOGETHER, FLOATS, "cpu/kernels/brandes_batch.py"),
    Kernel("betweenness", ALONE, ALL_COUNTS, "cpu/kernels/brandes_source.py"),
    Kernel("betweenness", NEAR, FLOATS, "cpu/kernels/brandes_near.py"),
    Kernel("betweenness", BY_LENGTH, ALL_COUNTS, "cpu/kernels/brandes_weighted.py"),
    Kernel("chains", "by edges", ALL_COUNTS, "cpu/kernels/brandes_chains.py"),
    Kernel("chains", BY_LENGTH, ALL_COUNTS, "cpu/kernels/chains_weighted.py"),
    Kernel("groups", ANY, "float64, extended", "cpu/kernels/groups.py"),
    Kernel("distance sums", "by edges", "", "cpu/kernels/msbfs.py"),
    Kernel("distance sums", BY_LENGTH, "", "cpu/kernels/sssp_sums.py"),
    Kernel("bfs", "by edges", "", "cpu/kernels/msbfs.py"),
    Kernel("shortest paths", "by edges", "", "cpu/kernels/msbfs.py"),
    Kernel("shortest paths", BY_LENGTH, "", "cpu/kernels/sssp_paths.py"),
)


# Sums are long to clear, copy and add up where a group reaches few of their rows, and those over
# arcs anyway: a block has so many groups, for each row of the graph over those a group reaches,
# where that leaves blocks enough for many workers.
ARC_GROUPS, ROW_GROUPS, ENOUGH_BLOCKS = 4, 0.1, 32


class CPU:
    """Engine of compiled kernels, for paths and for searches."""

    name = "cpu"
    literal = False
    devices = ()
    wants_local_batches = True
    relative_throughput = 1
    kernels: Sequence[Kernel] = KERNELS
    search_width, sum_width = NARROW, WIDE  # sources that share a search, or are only counted
    sssp_width = 8
    distance_reductions = frozenset({"trees", "blocks"})

    def __init__(self, asked: NodeGroups | None = None) -> None:
        self._asked = asked  # groups of nodes that the sum of dependencies is of

    def of_groups(self, graph: Graph, deep: bool, asked: NodeGroups) -> tuple[CPU, Graph]:
        """By length, each level a bucket of the search where there are no lengths."""
        return CPU(asked), graph.with_unit_lengths()

    @property
    def chains(self) -> CPU:
        """An engine of its own."""
        return ChainCPU()

    def takes_arms(self, graph: Graph, measures: Collection[str]) -> bool:
        """Of every graph."""
        return True

    def here(self) -> AbstractContextManager[None]:
        """Nothing to do."""
        return nullcontext()

    def ops_for(self, entries: int) -> GraphOps:
        """The host."""
        return HostOps()

    def free_memory(self) -> int:
        """Memory of the host."""
        return free_memory()

    def in_range(self, graph: Graph, dtype: np.dtype[Any]) -> CPU:
        """In every range."""
        return self

    def sharing(self, graph: Graph, deep: bool) -> Sharing:
        """Columns of a row of state; close together, they reach a row on fewer levels."""
        return Sharing(betweenness_weighted.WIDTH if graph.lengths else WIDTH)

    def wants_near(self, graph: Graph) -> bool:
        """Yes."""
        return True

    def shifts_starts(self, graph: Graph, sharing: Sharing) -> bool:
        """By edges, within no cutoff, which ends a search on a level."""
        return not (graph.lengths or graph.cutoffs)

    def sharing_in_order(self, graph: Graph, deep: bool, sums: frozenset[str]) -> None:
        """None."""

    def block_size(self, graph: Graph, groups: int, sharing: Sharing, sums: frozenset[str]) -> int:
        """As few groups as keep the number of blocks in bounds; more where sums are long."""
        return _block_size(graph, groups, sharing.width, ARC_GROUPS if "arcs" in sums else 1)

    def launch_size(self, graph: Graph, sharing: Sharing) -> int:
        """One block, which takes the least memory."""
        return 1

    def workspace_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of one group."""
        if self._asked is not None:
            return groups.workspace_bytes(graph, sweep.dtype, self._asked)
        if graph.lengths:
            return betweenness_weighted.workspace_bytes(graph, sweep.dtype, sweep.sums)
        return betweenness.workspace_bytes(graph, sweep.dtype, sweep.sums)

    def workspace(
        self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> Workspace:
        """Allocate the state of a group; pages that no level reaches are never touched."""
        omega, _, sums, dtype = sweep
        inner: BlockWorkspace
        if self._asked is not None:
            inner = groups.GroupWorkspace(graph, omega, dtype, self._asked, stop)
        elif graph.lengths:
            inner = betweenness_weighted.WeightedWorkspace(
                graph, graph.lengths, omega, dtype, sums, stop
            )
        else:
            inner = betweenness.CPUWorkspace(graph, omega, dtype, sums, stop)
        return BlockByBlock(inner, sums)

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> NDArray[Any]:
        """Array of the host, wherever the matrix lives."""
        return np.empty(shape, dtype)

    def batches_searches(self, graph: Graph, deep: bool) -> bool:
        """Always: a level that few rows hold is pushed."""
        return True

    def searches_alone(self, graph: Graph, sources: int, width: int) -> bool:
        """Where they are few, or levels are many: then there are groups for all workers."""
        levels = min(graph.depth, int(graph.limits[-1]))
        return sources < WIDE or width < searches.VISIT * levels

    def search_block_size(self, graph: Graph, groups: int) -> int:
        """One, unless there are so many that adding them up would cost."""
        return _block_size(graph, groups, WIDE, 1)

    def search_bytes(self, graph: Graph, width: int) -> int:
        """Masks of one group."""
        return graph.n * msbfs.row_bytes(width)

    def search(
        self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]
    ) -> searches.CPUSearch:
        """Allocate the state of one group."""
        return searches.CPUSearch(graph, deep, stop)

    def accumulator_bytes(self, graph: Graph, sharing: Sharing) -> int:
        """State of one group, and of a source."""
        return distance_sums.search_bytes(graph, sharing)

    def accumulator(
        self, graph: Graph, sharing: Sharing, memory: int, stop: NDArray[np.uint8]
    ) -> distance_sums.LengthSearch:
        """Allocate the state of one group."""
        return distance_sums.LengthSearch(graph, sharing, stop)

    def sssp_bytes(self, n: int, arcs: int, sources: int) -> int:
        """State of one source."""
        return searches.path_bytes(n, arcs)

    def shortest_paths(
        self, matrix: Any, directed: bool, memory: int, stop: NDArray[np.uint8]
    ) -> searches.LengthPaths:
        """Allocate the state of one source."""
        return searches.LengthPaths(on_host(matrix), directed, stop)

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Strong ones by SciPy's search, weak ones by union-find, numbered by their first nodes."""
        if strong and not graph.symmetric:
            matrix = graph.outgoing.for_csgraph()
            count, labels = csgraph.connected_components(matrix, connection="strong")
            return int(count), labels
        first, labels = np.unique(graph.components, return_inverse=True)
        return first.size, labels.astype(np.int32)


def _block_size(graph: Graph, groups: int, width: int, wanted: int) -> int:
    """As few groups as keep the number of blocks in bounds, or as many as are ``wanted``.

    More are, where the groups of so many sources reach few rows of a graph: of small components, or
    within a cutoff, whatever it is.
    """
    size, most = -(-groups // MAX_BLOCKS) or 1, groups // ENOUGH_BLOCKS
    if most > wanted:
        reached = 0.0 if graph.cutoffs else graph.reach
        wanted = max(wanted, int(ROW_GROUPS * graph.n / (reached + width)))
    return max(size, min(wanted, most))


class ChainCPU(CPU):
    """Engine of groups with arms, of as many ends as the width says."""

    def workspace_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """State of the ends of one group."""
        _, (width, _), sums, dtype = sweep
        return betweenness_chains.workspace_bytes(graph, dtype, width, sums)

    def workspace(
        self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> Workspace:
        """Allocate the state of the ends of one group."""
        omega, (width, _), sums, dtype = sweep
        made: BlockWorkspace
        if graph.lengths:
            made = betweenness_chains.WeightedChainWorkspace(
                graph, graph.lengths, omega, dtype, width, sums, stop
            )
        else:
            made = betweenness_chains.ChainWorkspace(graph, omega, dtype, width, sums, stop)
        return BlockByBlock(made, sums)
