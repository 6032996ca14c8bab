"""Reference engine: the algebra on SciPy's or CuPy's sparse matrices.

Short and slow: `columns` documents the algorithm, and is the reference that the other engines are
tested against (``device="reference"``, on the first GPU "reference:cuda").
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...foreign import on_host
from ...matrix.csr import Matrix
from ...matrix.graph import Graph
from ...matrix.ops import GraphOps
from ..common.base import EXTENDED, Kernel, Profile, Sweep
from ..common.brandes import sweep
from ..common.sums import Batch, block_by_block, sizes_of
from .columns import Columns, NodeSetColumns
from .search import Searches, nearest, search_bytes
from .steps import ByEdges
from .updates import HOST, Backend

WIDTH = 64


class Reference:
    """Reference engine on a backend of sparse products."""

    devices = ()
    profile = Profile(literal=True)
    ops = GraphOps

    def __init__(self, backend: Backend = HOST) -> None:
        self.backend, self.name = backend, backend.name
        self.here = backend.here  # context in which the backend's device is current
        self.kernels: Sequence[Kernel] = kernels_on(backend)

    def free_memory(self) -> int:
        """Free bytes of the backend's memory."""
        with self.here():
            return self.backend.free_memory()

    def farthest(self, matrix: Matrix, starts: NDArray[np.int32]) -> float:
        """Largest distance from the starts."""
        pattern, lengths = matrix
        with self.here():
            xp, n, never = self.backend.xp, pattern.degrees.size, np.zeros(1, dtype=np.uint8)
            arcs = tuple(map(xp.asarray, (pattern.rows, pattern.indices, lengths)))
            distance = nearest(xp, n, xp.asarray(starts), arcs, np.inf, never)
            return float(distance[xp.isfinite(distance)].max())

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, by SciPy."""
        kind, matrix = "strong" if strong else "weak", graph.outgoing.for_csgraph()
        count, labels = csgraph.connected_components(matrix, directed=True, connection=kind)
        return int(count), labels


def kernels_on(backend: Backend) -> tuple[Kernel, ...]:
    """Kernels of sparse products: 64 consecutive sources to a batch, clustered or not."""
    return (
        Kernel(
            name="algebra of paths",
            summary="Sums over shortest paths, by node, arc or set of nodes",
            device="reference",
            counts="float32, float64, extended",
            files=("reference/columns.py",),
            kinds=("paths", "node sets"),
            takes_seeds=True,
            width=WIDTH,
            least_bytes=path_bytes,
            start=partial(paths, backend),
        ),
        Kernel(
            name="algebra of distances",
            summary="Distances: sums, k-th nearest, rows of levels and predecessors",
            device="reference",
            files=("reference/search.py",),
            kinds=("distances", "access", "nearest", "rows"),
            width=WIDTH,
            least_bytes=lambda graph, sweep: search_bytes(graph.n, graph.arcs, sweep.width),
            start=partial(distances, backend),
        ),
        Kernel(
            name="SSSP",
            summary="Weighted distances and predecessors, from a matrix of lengths",
            device="reference",
            graph="by length",
            files=("reference/search.py",),
            kinds=("rows by length",),
            width=WIDTH,
            # Each entry is an arc in both directions.
            least_bytes=lambda A, sweep: search_bytes(A.shape[0], 2 * A.nnz, sweep.width),
            start=partial(rows_by_length, backend),
        ),
    )


def path_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of level, sigma, h and temporaries of a batch, and of both matrices.

    With lengths, each source has a copy of every edge, in both matrices and in the search.
    """
    width, real = sweep.width, sweep.dtype.itemsize
    state = graph.n * width * (8 + 8 * real)
    arcs = graph.arcs * (width * 3 * real + 8) if "arcs" in sweep.sums else 0
    edges = 80 * graph.arcs * width if graph.lengths else 0
    met = graph.n * width * 3 * real if sweep.node_sets else 0
    seeds = graph.n * width * 4 * real if sweep.seeds else 0
    return state + arcs + edges + met + seeds + 2 * graph.arcs * (8 + real)


def paths(backend: Backend, graph: Graph, sweep: Sweep, _: int, stop: NDArray[np.uint8]) -> Any:
    """State of a worker, with the matrices A and A'."""
    return block_by_block(ReferenceWorkspace(backend, graph, sweep, stop), sweep.sums)


def distances(backend: Backend, graph: Graph, sweep: Sweep, _: int, stop: NDArray[np.uint8]) -> Any:
    """Searches on the graph, with its lengths or unweighted."""
    lengths, outgoing = graph.with_unit_lengths().lengths, graph.outgoing
    assert lengths is not None
    edges = outgoing.rows, outgoing.indices, lengths.outgoing
    of_nodes = sweep.access, sweep.width, graph.unit
    return Searches(backend, graph.n, edges, graph.limits, stop, *of_nodes)


def rows_by_length(backend: Backend, matrix: Any, sweep: Sweep, _: int, stop: Any) -> Any:
    """Searches on a matrix; if undirected, the smaller of entries ij and ji counts."""
    coo = on_host(matrix).tocoo()
    tails, heads, lengths = coo.row, coo.col, coo.data
    if not sweep.directed:
        tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
        lengths = np.concatenate((lengths, lengths))
    edges, limits = (tails, heads, lengths), np.array([np.inf])
    return Searches(backend, matrix.shape[0], edges, limits, stop)


class ReferenceWorkspace:
    """Matrices of a graph, and the sums over the batches run so far, on the host."""

    def __init__(
        self, backend: Backend, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]
    ) -> None:
        self.backend, self.graph, self.stop = backend, graph, stop
        self.dtype, self.node_sets, self.seeds = sweep.dtype, sweep.node_sets, sweep.seeds
        self.sums = {name: np.zeros(size) for name, size in sizes_of(sweep.sums, graph).items()}
        if self.node_sets is not None:
            self.sums["dependency"] = np.zeros(self.node_sets.size)
        vars(self).update(self.sums)
        floats = np.dtype(np.float64) if self.dtype == EXTENDED else self.dtype
        self.omega = backend.xp.asarray(sweep.omega.astype(floats)[:, np.newaxis])
        self.tails, self.heads = map(
            backend.xp.asarray, (graph.outgoing.rows, graph.outgoing.indices)
        )
        self.by_edges = None if graph.lengths else ByEdges(backend, graph, floats)
        self._max_sigma = 0.0

    def run(self, batches: Sequence[Batch]) -> None:
        """Add the contributions of the batches to the sums, in their order."""
        self._max_sigma = 0.0
        kind = Columns if self.node_sets is None else NodeSetColumns
        for batch in batches:
            if self.stop[0]:
                return
            columns = kind(self, batch)
            with np.errstate(over="ignore", invalid="ignore"):
                sweep(columns, kind.forward, kind.backward)
            self._max_sigma = max(self._max_sigma, columns.max_sigma)
            for name, values in columns.sums.items():
                self.sums[name] += on_host(values).ravel()

    def max_sigma(self) -> float:
        """Largest path count of the last run."""
        return self._max_sigma
