"""The algebra as it is written: sparse products and element-wise updates, of SciPy or CuPy.

Short and slow: read it as the documentation of the algorithm, run it as the yardstick of the other
engines (``device="reference"``, on the GPU "reference:cuda"). Every array has a row per node and a
column per source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ...brandes import EXTENDED, sweep
from ...graph.csr import CSR, GraphOps
from ...graph.graph import Graph
from ...graph.ops import HostOps
from ..contract import MAX_BLOCKS, Group
from ..host_memory import free_memory
from .extended import ExtendedBatch
from .weighted import WeightedExtendedBatch, WeightedReferenceBatch

WIDTH = 64
UNVISITED = -1


class Backend(NamedTuple):
    """Where arrays and sparse products come from, and the two updates on arrays of one shape.

    ``sigma_update(paths, depth, level, sigma)`` opens level ``depth + 1``;
    ``delta_update(below, level, depth, omega, sigma)`` puts g in sigma's place and returns delta.
    """

    name: str
    xp: Any
    csr: Any
    sigma_update: Callable[..., None]
    delta_update: Callable[..., Any]
    free_memory: Callable[[], int]


def sigma_update(paths: Any, depth: int, level: Any, sigma: Any) -> None:
    """sigma<F_{d+1}> = paths, where F_{d+1} is what paths reach and no level holds."""
    found = (paths > 0) & (level == UNVISITED)
    level[found] = depth + 1
    sigma[found] = paths[found]


def delta_update(below: Any, level: Any, depth: int, omega: Any, sigma: Any) -> Any:
    """delta<F_d> = sigma .* below;  g<F_d> = (omega + delta) ./ sigma."""
    here = level == depth
    delta = np.where(here, sigma * below, 0)
    np.divide(omega + delta, sigma, where=here, out=sigma)
    return delta


HOST = Backend("reference", np, scipy.sparse.csr_array, sigma_update, delta_update, free_memory)


class Reference:
    """Literal engine on whatever backend the sparse products come from."""

    literal = True
    devices = ()
    wants_local_batches = False
    relative_throughput = 1

    def __init__(self, backend: Backend = HOST) -> None:
        self.backend = backend
        self.name = backend.name

    def here(self) -> AbstractContextManager[None]:
        """Nothing to do."""
        return nullcontext()

    def ops_for(self, entries: int) -> GraphOps:
        """The host."""
        return HostOps()

    def in_range(self, graph: Graph, dtype: np.dtype[Any]) -> Reference:
        """In every range."""
        return self

    def width(self, graph: Graph, deep: bool) -> int:
        """Columns of a batch; the algebra does not ask where they lie."""
        return WIDTH

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """As few as keep the number of blocks in bounds."""
        return -(-groups // MAX_BLOCKS) or 1

    def free_memory(self) -> int:
        """Memory of the backend."""
        return self.backend.free_memory()

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """Level, sigma, h and temporaries of a batch, and both matrices with their values.

        With lengths, five temporaries for each edge and source as well.
        """
        state = graph.n * width * (4 + (7 if "stress" in sums else 5) * dtype.itemsize)
        arcs = graph.arcs * (width * 3 * dtype.itemsize + 8) if "arcs" in sums else 0
        edges = 40 * graph.arcs * width if graph.lengths else 0
        return state + arcs + edges + 2 * graph.arcs * (8 + dtype.itemsize)

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> ReferenceWorkspace:
        """Allocate the matrices A and A' with values one."""
        return ReferenceWorkspace(self.backend, graph, omega, dtype, sums, stop)


class ReferenceWorkspace:
    """Sums over the groups run so far."""

    def __init__(
        self,
        backend: Backend,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        self.backend = backend
        self.graph = graph
        self.batch: Any = BATCHES[graph.lengths is not None, dtype == EXTENDED]
        if dtype == EXTENDED:
            dtype = np.dtype(np.float64)
        self.outgoing = _matrix(backend, graph.outgoing, dtype)
        self.incoming = _matrix(backend, graph.incoming, dtype)
        self.omega = backend.xp.asarray(omega.astype(dtype)[:, np.newaxis])
        self.tails, self.heads = graph.outgoing.rows, graph.outgoing.indices
        self.dependency, self.squares, self.stress, self.ends = (
            np.zeros(graph.n if name in sums else 0)
            for name in ("dependency", "squares", "stress", "ends")
        )
        self.arcs = np.zeros(graph.arcs if "arcs" in sums else 0)
        self.stop = stop
        self._worst = 0.0

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep group after group."""
        self._worst = 0.0
        for group in groups:
            if not self.stop[0]:
                self._sweep(group)

    def _sweep(self, group: Group) -> None:
        batch = self.batch(self, group)
        with np.errstate(over="ignore", invalid="ignore"):
            sweep(batch)
        self._worst = max(self._worst, batch.max_sigma)
        if self.dependency.size:
            self.dependency += _on_host(batch.dependency)
        if self.squares.size:
            self.squares += _on_host(batch.squares)
        if self.arcs.size:
            self.arcs += _on_host(batch.arcs)
        if self.stress.size:
            self.stress += _on_host(batch.stress)
        if self.ends.size:
            reached = _on_host((batch.level > 0) * self.omega)
            np.add.at(self.ends, group.sources, reached.sum(axis=0))
            self.ends += reached.sum(axis=1)

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run."""
        return self._worst


class ReferenceBatch:
    """One column per source of a group."""

    def __init__(self, workspace: ReferenceWorkspace, group: Group) -> None:
        self.workspace = workspace
        xp = workspace.backend.xp
        n, width = workspace.omega.size, group.sources.size
        sources, column = xp.asarray(group.sources), xp.arange(width)
        self.alpha = xp.asarray(group.alpha)
        self.dependency = xp.zeros(n)
        self.squares = xp.zeros(workspace.squares.size)
        self.arcs = xp.zeros(workspace.arcs.size)
        self.stress = xp.zeros(workspace.stress.size)
        self.suffixes = xp.zeros((self.stress.size, width), dtype=workspace.omega.dtype)
        self.level = xp.full((n, width), UNVISITED, dtype=np.int32)
        self.level[sources, column] = 0
        self.sigma = xp.zeros((n, width), dtype=workspace.omega.dtype)
        self.sigma[sources, column] = 1
        self.max_sigma = 1.0

    def forward(self, depth: int) -> bool:
        """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
        if self.workspace.stop[0]:
            return False
        xp = self.workspace.backend.xp
        paths = self.workspace.incoming @ xp.where(self.level == depth, self.sigma, 0)
        self.workspace.backend.sigma_update(paths, depth, self.level, self.sigma)
        most = xp.where(self.level == depth + 1, self.sigma, 0).max()
        self.max_sigma = max(self.max_sigma, float(most))
        return bool(most > 0)

    def backward(self, depth: int) -> None:
        """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma."""
        if self.workspace.stop[0]:
            return
        xp = self.workspace.backend.xp
        here, next_g = self.level == depth, xp.where(self.level == depth + 1, self.sigma, 0)
        if self.arcs.size:
            counts = self.alpha * xp.where(here, self.sigma, 0)
            self.arcs += (counts[self.workspace.tails] * next_g[self.workspace.heads]).sum(axis=1)
        if depth == 0:
            return
        if self.stress.size:
            self.count_through(here, self.level == depth + 1)
        below = self.workspace.outgoing @ next_g
        delta = self.workspace.backend.delta_update(
            below, self.level, depth, self.workspace.omega, self.sigma
        )
        self.dependency += (delta * self.alpha).sum(axis=1)
        if self.squares.size:
            self.squares += (delta * delta * self.alpha).sum(axis=1)

    def count_through(self, here: Any, following: Any) -> None:
        """lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda;  stress += alpha sigma lambda."""
        xp = self.workspace.backend.xp
        suffixes = self.workspace.outgoing @ xp.where(following, self.suffixes, 0)
        passing = self.alpha * xp.where(here, self.sigma * suffixes, 0)
        self.max_sigma = max(self.max_sigma, float(passing.max()))
        self.stress += passing.sum(axis=1)
        self.suffixes = xp.where(here, self.workspace.omega + suffixes, self.suffixes)


# With lengths or without, beyond the range of floats or not.
BATCHES: dict[tuple[bool, bool], Any] = {
    (False, False): ReferenceBatch,
    (False, True): ExtendedBatch,
    (True, False): WeightedReferenceBatch,
    (True, True): WeightedExtendedBatch,
}


def _matrix(backend: Backend, pattern: CSR, dtype: np.dtype[Any]) -> Any:
    n = pattern.indptr.size - 1
    parts = np.ones(pattern.indices.size, dtype=dtype), pattern.indices, pattern.indptr
    return backend.csr(tuple(backend.xp.asarray(part) for part in parts), shape=(n, n))


def _on_host(array: Any) -> NDArray[Any]:
    return np.asarray(array.get() if hasattr(array, "get") else array)
