"""The algebra as an engine, on SciPy's sparse matrices or on CuPy's.

Short and slow: `batch` is to be read as the documentation of the algorithm, and run as the
yardstick of the other engines (``device="reference"``, on the first GPU "reference:cuda").
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...brandes import EXTENDED
from ...brandes import sweep as sweep_levels
from ...graph.graph import Graph
from ...graph.ops import GraphOps
from ...host import on_host
from ..common import batching
from ..common.base import Kernel, Profile, Sweep, Task
from ..common.batch import Batch
from ..common.sums import SUMS, BlockByBlock
from . import search as searches
from . import temporal_walks
from .columns import Columns
from .node_sets import NodeSetColumns
from .steps import ByEdges, ByLength
from .updates import HOST, Backend

WIDTH = 64


class Reference:
    """Literal engine on whatever backend the sparse products come from."""

    devices = ()
    profile = Profile(literal=True)

    def __init__(self, backend: Backend = HOST) -> None:
        self.backend, self.name = backend, backend.name
        kinds = (Paths, Distances, RowsByLength, WalksInTime)
        self.kernels: Sequence[Kernel] = tuple(kind(backend) for kind in kinds)

    def here(self) -> AbstractContextManager[None]:
        """The device of the backend."""
        return self.backend.here()

    def ops_for(self, entries: int) -> GraphOps:
        """Operations on the host."""
        return GraphOps()

    def free_memory(self) -> int:
        """Free bytes of the backend."""
        with self.here():
            return self.backend.free_memory()

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, SciPy's."""
        kind, matrix = "strong" if strong else "weak", graph.outgoing.for_csgraph()
        count, labels = csgraph.connected_components(matrix, directed=True, connection=kind)
        return int(count), labels


class OnBackend(Kernel):
    """The algebra on a backend, 64 sources in step; it does not ask where they lie."""

    device = "reference"
    width = WIDTH

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def batches(self, task: Task) -> list[Batch]:
        """Runs of the sources."""
        return batching.cut(task.sources, task.alpha, WIDTH)


class Paths(OnBackend):
    """Sums over paths, of nodes, arcs and sets of nodes."""

    name, kinds = "algebra of paths", ("paths", "node sets")
    counts = "float32, float64, extended"
    files = ("reference/columns.py", "reference/node_sets.py")
    takes_seeds = True

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """Level, sigma, h and temporaries of a batch, and both matrices with their values.

        With lengths, an edge has a copy for each source, in both matrices and on the way there.
        """
        width, real = sweep.width, sweep.dtype.itemsize
        state = graph.n * width * (8 + 8 * real)
        arcs = graph.arcs * (width * 3 * real + 8) if "arcs" in sweep.sums else 0
        edges = 80 * graph.arcs * width if graph.lengths else 0
        met = graph.n * width * 3 * real if sweep.node_sets else 0
        seeds = graph.n * width * 4 * real if sweep.seeds else 0
        return state + arcs + edges + met + seeds + 2 * graph.arcs * (8 + real)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """The matrices A and A' with values one."""
        return BlockByBlock(ReferenceWorkspace(self.backend, graph, sweep, stop), sweep.sums)


class Distances(OnBackend):
    """Distances from the sources, by edges or by length: their sums, the nearest, rows by edges."""

    name, kinds = "algebra of distances", ("distances", "access", "nearest", "rows")
    files = ("reference/search.py",)

    def least_bytes(self, graph: Graph, sweep: Sweep) -> int:
        """Distances from one batch."""
        return searches.search_bytes(graph.n, graph.arcs, sweep.width)

    def start(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """Searches on the graph."""
        return searches.on_graph(self.backend, graph, stop, sweep.access, sweep.width)


class RowsByLength(OnBackend):
    """Distances and predecessors by the lengths of a matrix."""

    name, graph, kinds = "SSSP", "by length", ("rows by length",)
    files = ("reference/search.py",)

    def least_bytes(self, matrix: Any, sweep: Sweep) -> int:
        """Distances from one batch, either way."""
        return searches.search_bytes(matrix.shape[0], 2 * matrix.nnz, sweep.width)

    def start(self, matrix: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """Searches on the matrix."""
        return searches.on_matrix(self.backend, matrix, sweep.directed, stop)


class WalksInTime(OnBackend):
    """Optimal walks in time: paths of the graph of edges, on SciPy."""

    name, graph, kinds = "algebra of walks in time", "contacts", ("walks in time",)
    files = ("reference/temporal_walks.py",)

    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """Vectors of edges; the matrix has an entry for each pair that can follow each other."""
        return 100 * int(graph.edges)

    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """The matrix of edges that can follow each other."""
        return temporal_walks.WalksWorkspace(graph, stop)


class ReferenceWorkspace:
    """Sums over the batches run so far, on the host."""

    def __init__(
        self, backend: Backend, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]
    ) -> None:
        self.backend, self.graph, self.stop = backend, graph, stop
        self.dtype, self._node_sets, self.seeds = sweep.dtype, sweep.node_sets, sweep.seeds
        self.sums = {
            name: np.zeros(row.size(graph)) for name, row in SUMS.items() if name in sweep.sums
        }
        if self._node_sets is not None:
            self.sums["dependency"] = np.zeros(self._node_sets.size)
        vars(self).update(self.sums)
        floats = np.dtype(np.float64) if self.dtype == EXTENDED else self.dtype
        self.omega = backend.xp.asarray(sweep.omega.astype(floats)[:, np.newaxis])
        self.tails, self.heads = map(
            backend.xp.asarray, (graph.outgoing.rows, graph.outgoing.indices)
        )
        self._by_edges = None if graph.lengths else ByEdges(backend, graph, floats)
        self._max_sigma = 0.0

    def steps(self, batch: Batch) -> ByEdges | ByLength:
        """Matrices of a batch's products; by length, each source has edges of its own."""
        return self._by_edges or ByLength(
            self.backend, self.graph, self.omega.dtype, batch, self.stop
        )

    def targets(self, batch: Batch) -> Any:
        """Weights of the targets, shape (n, 1); by demand of each source, a column each."""
        if self.seeds is None or self.seeds.demand is None:
            return self.omega
        pattern, values = self.seeds.demand
        rows = pattern.matrix(values)[batch.sources].toarray()
        return self.omega * self.backend.xp.asarray(rows.T)

    def compile(self, batches: Sequence[Batch]) -> None:
        """Do nothing: there is nothing to compile."""

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep batch after batch."""
        self._max_sigma = 0.0
        for batch in batches:
            if self.stop[0]:
                return
            columns = Columns(self, batch)
            if self._node_sets is not None:
                columns = NodeSetColumns(self, batch, self._node_sets)
            with np.errstate(over="ignore", invalid="ignore"):
                sweep_levels(columns)
            self._max_sigma = max(self._max_sigma, columns.max_sigma)
            for name, values in columns.sums.items():
                self.sums[name] += on_host(values).ravel()

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return self._max_sigma
