"""Unweighted Brandes from one source of a large graph: all rows pull, divided among the threads.

    forward    sigma(v) = sum of sigma(u) over u -> v, u on level d,   of each unvisited v
    backward   delta(u) = sigma(u) * sum of g(v) over u -> v, v on level d + 1

Arrays are by node, without renumbering. Of a neighbour on another level only a byte is read, its
level. A row has one writer and a fixed order of addition: the number of threads changes no bits.
Each level scans all rows, so that levels must be few.
"""

# mypy: disable-error-code="no-untyped-def"

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....jit import in_parts, kernel, stopped
from ....matrix import csr
from ....matrix.csr import row_of
from ....matrix.graph import HIGH_DIAMETER, Graph
from ...common.base import Sweep
from ...common.sums import Batch
from ..common.state import KernelWorkspace
from . import brandes_source
from .brandes_source import Source
from .workspace import nbytes, one_source

# Ranges of rows per thread: the work of a range varies with the number of rows already visited.
PARTS = 4


@kernel
def forward(first, last, indptr, indices, level, sigma, depth, stop):
    """Fill level and sigma of level ``depth + 1``; return its size and largest path count.

    The pattern is that of A'. Only rows first:last of level -1 are written. Rows that other threads
    write meanwhile change from -1 to depth + 1, and neither equals depth.
    """
    found, largest = 0, 0.0
    for v in range(first, last):
        if level[v] >= 0:
            continue
        if stopped(stop):
            break
        paths = 0.0
        for p in row_of(indptr, np.uint64(v)):
            u = np.uint32(indices[p])
            if level[u] == depth:
                paths += sigma[u]
        if paths > 0:
            level[v] = depth + 1
            sigma[v] = paths
            found += 1
            largest = max(largest, paths)
    return found, largest


@kernel
def backward(first, last, indptr, indices, level, sigma, omega, dependency, alpha, depth, stop):
    """Add alpha delta of the rows of a level to the dependency; g overwrites their sigma."""
    for u in range(first, last):
        if level[u] != depth:
            continue
        if stopped(stop):
            break
        gathered = 0.0
        for p in row_of(indptr, np.uint64(u)):
            v = np.uint32(indices[p])
            if level[v] == depth + 1:
                gathered += sigma[v]
        delta = sigma[u] * gathered
        dependency[u] += alpha * delta
        sigma[u] = (omega[u] + delta) / sigma[u]


class RowWorkspace(KernelWorkspace):
    """State of one source, swept by all threads in ranges of rows."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the state of `RowWorkspace`, and of `one_source`, its fallback."""
        return nbytes(graph, sweep, Source) + 9 * graph.n

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
            parts = self._shared(self._in, forward, level, sigma, depth)
            found = sum(rows for rows, _ in parts)
            self.largest[0][0] = max(self.largest[0][0], *(most for _, most in parts))
            depth += 1
        given = level, sigma, self._sweep.omega, self.added.dependency, alpha
        for d in range(depth - 1, 0, -1):
            self._shared(self._out, backward, *given, d)
        return True

    def _shared(self, way: Any, product: Any, *arguments: Any) -> list[Any]:
        """Results of a product with A or A', over ranges of its rows."""
        (pattern, bounds), threads = way, self._graph.ops.threads
        every = bounds, product, *pattern, *arguments
        return in_parts(pattern.indices.size, *every, threads=threads, stop=self._stop)
