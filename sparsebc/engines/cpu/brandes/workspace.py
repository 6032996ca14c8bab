"""Workspaces of unweighted betweenness: 64 clustered sources at once, or single sources."""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....jit import in_parts
from ....matrix import csr
from ....matrix.graph import HIGH_DIAMETER, Graph
from ...common.base import Sweep
from ...common.batch import Batch
from ...common.brandes import EXTENDED
from ...common.sums import needs_g_and_h
from ..common import seeds, short_rows, sums
from ..common.outcomes import ALONE
from ..common.simd import WIDTH
from ..common.sought import sought
from ..common.state import Sizes, allocated, nbytes_of
from ..common.workspace import KernelWorkspace
from . import brandes_batch, brandes_rows, brandes_source
from .brandes_batch import BatchState
from .brandes_source import Source

# Ranges of rows per thread: the work of a range varies with the number of rows already visited.
PARTS = 4


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of the states of a batch and of a single source, its fallback, and of the sums."""
    batch = 0 if sweep.dtype == EXTENDED else nbytes_of(BatchState, batch_sizes(graph, sweep))
    return batch + source_bytes(graph, sweep)


def source_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of the state of `one_source`, and of the sums."""
    source = nbytes_of(Source, source_sizes(graph, sweep))
    rows = short_rows.nbytes(graph.n, graph.arcs) + seeds.nbytes(graph, sweep)
    return source + rows + sums.nbytes(sweep.sums, graph)


def batch_sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Sizes of `BatchState`; with one cutoff g overwrites sigma, and h an unused g."""
    n, stress = graph.n, "stress" in sweep.sums
    return {
        "n": n,
        "entries": n * WIDTH,
        "entries of g": n * WIDTH * (graph.limits.size > 1),
        "entries of h": n * WIDTH * needs_g_and_h(sweep.sums),
        "rows of stress": n * stress,
        "entries of stress": n * WIDTH * stress,
        "listed": brandes_batch.SPREAD * n + 2 * WIDTH,
        "steps": 2 * n + 2,
        "neighbors": 1 + graph.longest_row,
    }


def source_sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Sizes of `Source`; of the two arcs of an edge at most one is tight."""
    n, tight = graph.n, graph.arcs // (2 if graph.symmetric else 1) + 1
    return {
        "n": n,
        "nodes of g": n * (graph.limits.size > 1),
        "nodes of h": n * ("stress" in sweep.sums),
        "exponents": n if sweep.dtype == EXTENDED else None,
        "levels": n + 2,
        "queue": n + short_rows.ROOM,
        "tight": tight,
        "entries": tight * ("arcs" in sweep.sums),
    }


def one_source(
    graph: Graph, sweep: Sweep, added: Any, stop: NDArray[np.uint8], ends: bool = False
) -> Any:
    """Initial state of `Source`; if ``ends``, a search may end at its last target."""
    omega = sweep.omega.copy()  # sweeps of chains write it
    targets = seeds.targets(graph, sweep, omega)
    if sweep.seeds is not None:
        omega = np.zeros_like(omega)
    made = allocated(
        Source,
        source_sizes(graph, sweep),
        rows=short_rows.with_records(graph.outgoing),
        targets=targets,
        omega=omega,
        omega_h=omega,
        limits=graph.limits,
        sought=sought(sweep, targets) if ends else sought(),
        sums=added,
        stop=stop,
    )
    return made._replace(
        g=made.g if made.g.size else made.sigma, h=made.h if made.h.size else made.sigma
    )


class BrandesWorkspace(KernelWorkspace):
    """State of a batch, that of a single source (made on first use), and the sums."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        self._given = graph, sweep, self.added, stop
        self._batch: Any = None
        if sweep.dtype != EXTENDED:
            targets: Any = seeds.targets(graph, sweep, sweep.omega)
            made = allocated(
                BatchState,
                batch_sizes(graph, sweep),
                outgoing=graph.outgoing,
                incoming=graph.incoming,
                omega=targets.omega,
                by_level=targets.by_level,
                limits=graph.limits,
                sums=self.added,
                stop=stop,
            )
            g = made.g if made.g.size else made.sigma
            self._batch = made._replace(g=g, h=made.h if made.h.size else g)
            self.largest.append(made.max_sigma)

    @functools.cached_property
    def _source(self) -> Any:
        made = one_source(*self._given, ends=True)
        self.largest.append(made.max_sigma)
        return made

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The batch kernel for clustered sources, unless counts are extended; or single sources."""
        if batch.clustered and self._batch is not None:
            self._batch.alpha[: batch.alpha.size] = batch.alpha
            self._batch.start[: batch.alpha.size] = 0 if batch.starts is None else batch.starts
            yield brandes_batch.run, self._batch, batch.sources
            if self.outcome != ALONE:
                return
        yield brandes_source.run, self._source, batch.sources, batch.alpha


def row_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of the state of `RowWorkspace`, and of `one_source`, its fallback."""
    return source_bytes(graph, sweep) + 9 * graph.n


class RowWorkspace(KernelWorkspace):
    """State of one source, swept by all threads in ranges of rows."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        self._graph, self._sweep, self._stop = graph, sweep, stop
        self._level, self._sigma = np.empty(graph.n, np.int8), np.empty(graph.n)
        self._source: Any = None
        parts = PARTS * graph.ops.threads
        self._out, self._in = (
            (pattern, csr.parts(pattern.indptr, parts))
            for pattern in (graph.outgoing, graph.incoming)
        )
        self.largest = [np.zeros(1)]

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The kernel of single sources, for a source of many levels."""
        if self._source is None:
            self._source = one_source(self._graph, self._sweep, self.added, self._stop)
            self.largest.append(self._source.max_sigma)
        yield brandes_source.run, self._source, batch.sources, batch.alpha

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile both phases, without a sweep."""
        state, whole = (self._level, self._sigma), (0, self._graph.n)
        back = *state, self._sweep.omega, self.added.dependency, 1.0, 0, self._stop
        brandes_rows.forward.compile_for(*whole, *self._in[0], *state, 0, self._stop)
        brandes_rows.backward.compile_for(*whole, *self._out[0], *back)

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the sources in order, each by all threads unless it has many levels."""
        for counts in self.largest:
            counts[:] = 0
        for batch in batches:
            for i in range(batch.sources.size):
                if not self._swept(int(batch.sources[i]), float(batch.alpha[i])):
                    one = Batch(batch.sources[i : i + 1], batch.alpha[i : i + 1], False)
                    super().run([one])
                if self._stop[0] == 1:
                    return

    def _swept(self, source: int, alpha: float) -> bool:
        """Sweep a source by all threads; False, adding nothing, beyond HIGH_DIAMETER levels."""
        level, sigma, graph = self._level, self._sigma, self._graph
        level[:] = -1
        nearest = graph.outgoing.indices[slice(*graph.outgoing.indptr[source : source + 2])]
        level[nearest], level[source] = 1, 0
        sigma[nearest], sigma[source] = 1, 1
        depth, found = 1, nearest.size
        while found:
            if depth > HIGH_DIAMETER:
                return False
            parts = self._shared(self._in, brandes_rows.forward, level, sigma, depth)
            found = sum(rows for rows, _ in parts)
            self.largest[0][0] = max(self.largest[0][0], *(most for _, most in parts))
            depth += 1
        given = level, sigma, self._sweep.omega, self.added.dependency, alpha
        for d in range(depth - 1, 0, -1):
            self._shared(self._out, brandes_rows.backward, *given, d)
        return True

    def _shared(self, way: Any, product: Any, *arguments: Any) -> list[Any]:
        """Results of a product with A or A', over ranges of its rows."""
        (pattern, bounds), threads = way, self._graph.ops.threads
        every = bounds, product, *pattern, *arguments
        return in_parts(pattern.indices.size, *every, threads=threads, stop=self._stop)
