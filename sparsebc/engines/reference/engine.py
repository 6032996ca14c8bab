"""The algebra as an engine, on SciPy's sparse matrices or on CuPy's.

Short and slow: `batch` is to be read as the documentation of the algorithm, and run as the
yardstick of the other engines (``device="reference"``, on the first GPU "reference:cuda").
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED, sweep
from ...graph.csr import GraphOps
from ...graph.graph import Graph
from ...graph.ops import HostOps
from ...host import on_host
from ..contract import (
    MAX_BLOCKS,
    SUMS,
    BlockByBlock,
    Group,
    Kernel,
    NodeGroups,
    Sharing,
    Sweep,
    Workspace,
)
from . import search as searches
from .batch import Batch
from .groups import GroupBatch
from .steps import ByEdges, ByLength
from .updates import HOST, Backend

WIDTH = 64


class Reference:
    """Literal engine on whatever backend the sparse products come from."""

    literal = True
    chains = None
    devices = ()
    wants_local_batches = False
    relative_throughput = 1
    kernels: Sequence[Kernel] = ()
    search_width = sum_width = sssp_width = WIDTH
    distance_reductions: Collection[str] = ()

    def __init__(self, backend: Backend = HOST, asked: NodeGroups | None = None) -> None:
        self.backend, self._asked = backend, asked
        self.name = backend.name

    def takes_arms(self, graph: Graph, measures: Collection[str]) -> bool:
        """Of none."""
        return False

    def here(self) -> AbstractContextManager[None]:
        """The device of the backend."""
        return self.backend.here()

    def ops_for(self, entries: int) -> GraphOps:
        """The host."""
        return HostOps()

    def of_groups(self, graph: Graph, deep: bool, asked: NodeGroups) -> tuple[Reference, Graph]:
        """On the graph as it is."""
        return Reference(self.backend, asked), graph

    def in_range(self, graph: Graph, dtype: np.dtype[Any]) -> Reference:
        """In every range."""
        return self

    def sharing(self, graph: Graph, deep: bool) -> Sharing:
        """All in step; the algebra does not ask where they lie."""
        return Sharing(WIDTH)

    def wants_near(self, graph: Graph) -> bool:
        """Yes."""
        return True

    def shifts_starts(self, graph: Graph, sharing: Sharing) -> bool:
        """No."""
        return False

    def sharing_in_order(self, graph: Graph, deep: bool, sums: frozenset[str]) -> None:
        """None."""

    def block_size(self, graph: Graph, groups: int, sharing: Sharing, sums: frozenset[str]) -> int:
        """As few as keep the number of blocks in bounds."""
        return -(-groups // MAX_BLOCKS) or 1

    def launch_size(self, graph: Graph, sharing: Sharing) -> int:
        """One block."""
        return 1

    def free_memory(self) -> int:
        """Memory of the backend."""
        with self.here():
            return self.backend.free_memory()

    def workspace_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """Level, sigma, h and temporaries of a batch, and both matrices with their values.

        With lengths, an edge has a copy for each source, in both matrices and on the way there.
        """
        width, real = sweep.sharing.width, sweep.dtype.itemsize
        state = graph.n * width * (8 + 8 * real)
        arcs = graph.arcs * (width * 3 * real + 8) if "arcs" in sweep.sums else 0
        edges = 80 * graph.arcs * width if graph.lengths else 0
        met = graph.n * width * 3 * real if self._asked else 0
        return state + arcs + edges + met + 2 * graph.arcs * (8 + real)

    def workspace(
        self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]
    ) -> Workspace:
        """Allocate the matrices A and A' with values one."""
        omega, _, sums, dtype = sweep
        inner = ReferenceWorkspace(self.backend, graph, omega, dtype, sums, stop, self._asked)
        return BlockByBlock(inner, sums)

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> NDArray[Any]:
        """Array of the host."""
        return np.empty(shape, dtype)

    def search_block_size(self, graph: Graph, groups: int) -> int:
        """As few as keep the number of blocks in bounds."""
        return -(-groups // MAX_BLOCKS) or 1

    def search_bytes(self, graph: Graph, width: int) -> int:
        """Distances from one group."""
        return searches.search_bytes(graph.n, graph.arcs, width)

    def search(
        self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]
    ) -> searches.Searches:
        """Distances by edges."""
        return searches.on_graph(self.backend, graph, stop)

    def accumulator_bytes(self, graph: Graph, sharing: Sharing) -> int:
        """Distances from one group."""
        return searches.search_bytes(graph.n, graph.arcs, sharing.width)

    def accumulator(
        self, graph: Graph, sharing: Sharing, memory: int, stop: NDArray[np.uint8]
    ) -> searches.Searches:
        """Distances by length."""
        return searches.on_graph(self.backend, graph, stop)

    def sssp_bytes(self, n: int, arcs: int, sources: int) -> int:
        """Distances from one group, either way."""
        return searches.search_bytes(n, 2 * arcs, sources)

    def shortest_paths(
        self, matrix: Any, directed: bool, memory: int, stop: NDArray[np.uint8]
    ) -> searches.Searches:
        """Distances by the lengths of a matrix."""
        return searches.on_matrix(self.backend, matrix, directed, stop)

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels."""
        return searches.components(graph, strong)


class ReferenceWorkspace:
    """Sums over the groups run so far, on the host."""

    def __init__(
        self,
        backend: Backend,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        sums: frozenset[str],
        stop: NDArray[np.uint8],
        asked: NodeGroups | None = None,
    ) -> None:
        self.backend, self.graph, self.dtype, self.stop = backend, graph, dtype, stop
        self._asked = asked
        self.sums = {
            name: np.zeros(graph.limits.size * (graph.arcs if one.by_arc else graph.n))
            for name, one in SUMS.items()
            if name in sums
        }
        if asked is not None:
            self.sums["dependency"] = np.zeros(asked.size)
        for name, values in self.sums.items():
            setattr(self, name, values)
        floats = np.dtype(np.float64) if dtype == EXTENDED else dtype
        self.omega = backend.xp.asarray(omega.astype(floats)[:, np.newaxis])
        self.tails, self.heads = map(
            backend.xp.asarray, (graph.outgoing.rows, graph.outgoing.indices)
        )
        self._by_edges = None if graph.lengths else ByEdges(backend, graph, floats)
        self._max_sigma = 0.0

    def steps(self, group: Group) -> ByEdges | ByLength:
        """Matrices of a group's products; by length, each source has edges of its own."""
        return self._by_edges or ByLength(
            self.backend, self.graph, self.omega.dtype, group, self.stop
        )

    def compile(self, groups: Sequence[Group]) -> None:
        """Nothing is compiled."""

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        self._max_sigma = 0.0
        for group in groups:
            if self.stop[0]:
                return
            batch = (
                Batch(self, group) if self._asked is None else GroupBatch(self, group, self._asked)
            )
            with np.errstate(over="ignore", invalid="ignore"):
                sweep(batch)
            self._max_sigma = max(self._max_sigma, batch.max_sigma)
            for name, values in batch.sums.items():
                self.sums[name] += on_host(values).ravel()

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return self._max_sigma
