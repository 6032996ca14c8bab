"""The reference: Brandes' algorithm on the graph of edges in time, as products with its matrix.

Entry [e, f] of the matrix is 1 where f can go on from e. It has an entry for each such pair: this
is slow and large, and shares no idea with `kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .contacts import Contacts


class Reference:
    """Sweeps source by source."""

    width = 1

    def __init__(self, contacts: Contacts, wait: float | None, times: NDArray[Any]) -> None:
        arrival = contacts.time + contacts.duration
        self._contacts, self._m = contacts, len(contacts)
        self._steps = np.searchsorted(times, arrival).astype(np.int32)
        by_tail = np.argsort(contacts.source, kind="stable")
        starts = np.searchsorted(contacts.source[by_tail], np.arange(contacts.n + 1))
        columns, rows = [], [0]
        for e in range(self._m):
            v = contacts.target[e]
            after = by_tail[starts[v] : starts[v + 1]]
            waits = contacts.time[after] - arrival[e]
            after = after[(waits >= 0) & (True if wait is None else waits <= wait)]
            columns.append(after)
            rows.append(rows[-1] + after.size)
        indices = np.concatenate([np.empty(0, np.int64), *columns])
        shape = (self._m, self._m)
        self._next = scipy.sparse.csr_array((np.ones(indices.size), indices, rows), shape=shape)
        entries = (np.ones(self._m), (contacts.target, np.arange(self._m)))
        self._into = scipy.sparse.csr_array(entries, shape=(contacts.n, self._m))

    def betweenness(
        self, batches: Sequence[NDArray[np.int32]], foremost: bool
    ) -> list[NDArray[np.float64]]:
        """Scores of all nodes from each source."""
        return [self._from_source(int(batch[0]), foremost) for batch in batches]

    def optimal(
        self, batches: Sequence[NDArray[np.int32]], foremost: bool
    ) -> list[tuple[NDArray[np.float32], NDArray[np.int32]]]:
        """Edges of the optimal walks to each node, and steps of arrival."""
        found = []
        for batch in batches:
            level, _ = self._forward(int(batch[0]))
            best, first, _ = self._ends(int(batch[0]), level, foremost)
            found.append((best.astype(np.float32)[:, None], first[:, None]))
        return found

    def _forward(self, source: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """h(e) and c(e): levels and numbers of paths from the edges that leave the source."""
        level = np.full(self._m, np.inf)
        frontier = np.where(self._contacts.source == source, 1.0, 0.0)
        counts, depth = np.zeros(self._m), 1
        while frontier.any():
            here = (frontier > 0) & np.isinf(level)
            level[here], counts[here] = depth, frontier[here]
            frontier = np.where(np.isinf(level), self._next.T @ np.where(here, counts, 0), 0)
            depth += 1
        return level, counts

    def _ends(
        self, source: int, level: NDArray[np.float64], foremost: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]:
        """For each node, edges of the optimal walks and step of arrival; which edges are last."""
        target, n = self._contacts.target, self._contacts.n
        last = np.isfinite(level) & (target != source)
        first = np.full(n, np.iinfo(np.int32).max, dtype=np.int32)
        np.minimum.at(first, target[last], self._steps[last])
        if foremost:
            last &= self._steps == first[target]
        best = np.full(n, np.inf)
        np.minimum.at(best, target[last], level[last])
        return best, first, last & (level == best[target])

    def _from_source(self, source: int, foremost: bool) -> NDArray[np.float64]:
        level, counts = self._forward(source)
        *_, last = self._ends(source, level, foremost)
        walks = self._into @ np.where(last, counts, 0)
        ends = np.zeros(self._m)
        ends[last] = 1 / walks[self._contacts.target[last]]
        onward = np.zeros(self._m)
        for depth in range(int(np.max(level[np.isfinite(level)], initial=0)) - 1, 0, -1):
            after = np.where(level == depth + 1, onward + ends, 0)
            onward = np.where(level == depth, self._next @ after, onward)
        scores: NDArray[np.float64] = self._into @ (counts * onward)
        return scores
