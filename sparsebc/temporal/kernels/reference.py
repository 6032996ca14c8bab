"""Temporal walks: Brandes' algorithm on the graph of temporal edges, by products with its matrix.

Entry [e, f] of the matrix is 1 where edge f can follow e in a walk. Storing each such pair is slow
and large, but independent of the methods of the other engines.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ...engines.common.base import Kernel
from ...engines.common.sums import Batch
from ..timeline import Timeline
from .in_range import LARGEST, LEAST, Flags, count_in_range

NEVER = np.iinfo(np.int32).max
WIDTH = 64


class WalksWorkspace:
    """Matrix of the graph of temporal edges, swept one source at a time."""

    def __init__(self, timeline: Timeline, stop: NDArray[np.uint8]) -> None:
        line, wait, self._m, self._n = timeline.line, timeline.wait, timeline.edges, timeline.n
        self._tail, self._head, self._arrived, self._stop = line.tail, line.head, line.arrived, stop
        by_tail = np.argsort(line.tail, kind="stable")
        starts = np.searchsorted(line.tail[by_tail], np.arange(self._n + 1))
        columns, rows = [], [0]
        for e in range(self._m):
            v = line.head[e]
            after = by_tail[starts[v] : starts[v + 1]]
            waits = timeline.departure[after] - timeline.arrival[e]
            after = after[(waits >= 0) & (True if wait is None else waits <= wait)]
            columns.append(after)
            rows.append(rows[-1] + after.size)
        indices = np.concatenate([np.empty(0, np.int64), *columns])
        shape = (self._m, self._m)
        self._next = scipy.sparse.csr_array((np.ones(indices.size), indices, rows), shape=shape)
        entries = (np.ones(self._m), (line.head, np.arange(self._m)))
        self._into = scipy.sparse.csr_array(entries, shape=(self._n, self._m))

    def results(self, block: Sequence[Batch], *, scores: bool, foremost: bool) -> list[Any]:
        """Scores of all nodes from each batch, or edges and steps of arrival, (n, sources)."""
        found: list[Any] = []
        for batch in block:
            if self._stop[0]:
                break
            total, shape = np.zeros(self._n), (self._n, batch.sources.size)
            best, first = np.empty(shape, np.float32), np.empty(shape, np.int32)
            for k, source in enumerate(map(int, batch.sources)):
                level, counts = self._forward(source)
                best[:, k], first[:, k], last = self._ends(source, level, foremost)
                if scores:
                    total += self._through(level, counts, last)
            arrives = np.where(first == NEVER, np.int32(-1), first)
            found.append(total if scores else (best, arrives))
        return found

    def _forward(self, source: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """h(e) and c(e): levels and path counts from the edges that leave the source."""
        results: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []

        def count(weight: NDArray[np.float64]) -> tuple[Flags, Flags]:
            self._weight = weight[0]  # of each edge after the first
            level = np.full(self._m, np.inf)
            frontier = np.where(self._tail == source, 1.0, 0.0)
            counts, depth = np.zeros(self._m), 1
            while frontier.any():
                here = (frontier > 0) & np.isinf(level)
                level[here], counts[here] = depth, frontier[here]
                counted = self._weight * np.where(here, counts, 0)
                frontier = np.where(np.isinf(level), self._next.T @ counted, 0)
                depth += 1
            results.append((level, counts))
            reached = counts[np.isfinite(level)]
            large, small = reached.max(initial=0) > LARGEST, reached.min(initial=1) < LEAST
            return np.array([large]), np.array([small])

        count_in_range(1, count)
        return results[-1]

    def _ends(
        self, source: int, level: NDArray[np.float64], foremost: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]:
        """Number of edges of the optimal walks, step of arrival, mask of their last edges."""
        target, n = self._head, self._n
        last = np.isfinite(level) & (target != source)
        first = np.full(n, NEVER, dtype=np.int32)
        np.minimum.at(first, target[last], self._arrived[last])
        if foremost:
            last &= self._arrived == first[target]
        best = np.full(n, np.inf)
        np.minimum.at(best, target[last], level[last])
        return best, first, last & (level == best[target])

    def _through(
        self, level: NDArray[np.float64], counts: NDArray[np.float64], last: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Sums over the optimal walks from a source, whose last edges are marked, by node."""
        walks = self._into @ np.where(last, counts, 0)
        ends = np.zeros(self._m)
        ends[last] = 1 / walks[self._head[last]]
        onward = np.zeros(self._m)
        for depth in range(int(np.max(level[np.isfinite(level)], initial=0)) - 1, 0, -1):
            after = np.where(level == depth + 1, onward + ends, 0)
            onward = np.where(level == depth, self._weight * (self._next @ after), onward)
        scores: NDArray[np.float64] = self._into @ (counts * onward)
        return scores


ON_REFERENCE = Kernel(
    name="algebra of temporal walks",
    summary="Optimal temporal walks, as paths of the graph of temporal edges, with SciPy",
    device="reference",
    graph="contacts",
    files=("temporal/kernels/reference.py",),
    kinds=("temporal walks",),
    width=WIDTH,
    # Vectors of edges; without the matrix, which has an entry for each pair in sequence.
    least_bytes=lambda timeline, _: 100 * int(timeline.edges),
    start=lambda timeline, sweep, memory, stop: WalksWorkspace(timeline, stop),
)
