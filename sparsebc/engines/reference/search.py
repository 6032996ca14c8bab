"""Distances from a batch of sources (Bellman-Ford), and their sums, by definition.

    distance   D = min(D, A' (min, +) D) until nothing changes, infinite beyond the largest cutoff
    sums       over sources other than the node: of 1, d and 1 / d, and the maximum of d
    access     sum of W f(d), for each function f and the weights W of each kind
    nearest    the k-th smallest of the distances of a node from all sources

Unweighted edges have length 1.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foreign import on_host
from ..common.distances import Access, no_sums
from ..common.sums import Batch
from .updates import Backend

NO_PREDECESSOR = -9999


def copied(xp: Any, ends: NDArray[np.int32], width: int) -> Any:
    """Ends of edges in ``width`` copies of a graph: copy k of node v has number v width + k.

    That is the flat index of entry (v, k) in an array of shape (n, width).
    """
    return xp.asarray((ends[:, np.newaxis].astype(np.int64) * width + np.arange(width)).ravel())


def nearest(
    xp: Any, size: int, sources: Any, arcs: tuple[Any, Any, Any], farthest: float, stop: Any
) -> Any:
    """Distances of the copies of all nodes from their sources, shape (size,); inf if > farthest."""
    tails, heads, length = arcs
    distance = xp.full(size, np.inf)
    distance[sources] = 0
    while not stop[0]:
        nearer = distance.copy()
        # By their bits, which for floats >= 0 sort alike: CuPy takes float minima in 32 bits.
        through = distance[tails] + length
        xp.minimum.at(nearer.view(np.uint64), heads, through.view(np.uint64))
        nearer[nearer > farthest] = np.inf
        if bool((nearer == distance).all()):
            break
        distance = nearer
    return distance


@dataclass
class Searches:
    """Searches from batches of sources, on arrays of tails, heads and lengths of edges."""

    backend: Backend
    n: int
    edges: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
    limits: NDArray[Any]
    stop: NDArray[np.uint8]
    access: Access | None = None
    k: int = 1
    unit: float = 1.0

    def distances(self, sources: NDArray[np.int32]) -> NDArray[np.float64]:
        """Distances from each source, shape (n, len(sources)), infinite where there is no path."""
        width, xp, (tails, heads, length) = sources.size, self.backend.xp, self.edges
        with self.backend.here():
            arcs = (
                copied(xp, tails, width),
                copied(xp, heads, width),
                xp.asarray(np.repeat(length.astype(np.float64), width)),
            )
            starts = xp.asarray(sources.astype(np.int64) * width + np.arange(width))
            farthest, size = float(self.limits[-1]), self.n * width
            flat = nearest(xp, size, starts, arcs, farthest, self.stop)
            distance: NDArray[np.float64] = on_host(flat).reshape(self.n, width)
        return distance

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source, -1 where there is no path."""
        distance = self.distances(sources).T
        out[:] = np.where(np.isfinite(distance), distance, -1)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill distances, and predecessors: the smallest tail of a tight edge, nearer if any is.

        Edges between equal distances, whose lengths rounding swallows, are taken in rounds from the
        nodes that have a predecessor: there is no cycle.
        """
        tails, heads, length = self.edges
        distances[:] = self.distances(sources).T
        for source, distance, before in zip(sources, distances, predecessors, strict=True):
            tight = np.isfinite(distance[tails]) & (distance[tails] + length == distance[heads])
            tail, head = tails[tight], heads[tight]
            before[:] = NO_PREDECESSOR
            is_complete = np.arange(self.n) == source
            taken = (distance[tail] < distance[head]) | ((tail == source) & (head != source))
            while taken.any():
                smallest = np.full(self.n, self.n)
                np.minimum.at(smallest, head[taken], tail[taken])
                found = smallest < self.n
                before[found], is_complete = smallest[found], is_complete | found
                taken = is_complete[tail] & ~is_complete[head]

    def nearest(self, places: NDArray[np.int32]) -> NDArray[np.float64]:
        """Distance of each node to its k-th nearest source; infinite if there are fewer."""
        rows = np.full((max(self.k, places.size), self.n), np.inf)
        rows[: places.size] = self.distances(places).T
        kth: NDArray[np.float64] = np.sort(rows, axis=0)[self.k - 1]
        return kth

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of the batches; row k: of distances above cutoff k - 1, up to k.

        Integers if the cutoffs are: distances are then numbers of edges.
        """
        kind = np.int64 if self.limits.dtype == np.int64 else np.float64
        sums = no_sums(self.access, self.limits.size * self.n, kind)
        parts = [values.reshape(self.limits.size, self.n, -1) for values in sums]
        for batch in batches:
            distance = self.distances(batch.sources)
            distance[batch.sources, np.arange(batch.sources.size)] = np.inf
            for row, (after, limit) in enumerate(itertools.pairwise((-1.0, *self.limits))):
                here = np.isfinite(distance) & (distance > after) & (distance <= limit)
                d = np.where(here, distance, 0)
                if self.access is not None:
                    values = [
                        f.of(d * self.unit) * here @ batch.alpha for f in self.access.functions
                    ]
                    parts[0][row] += np.concatenate(values, axis=1)
                    continue
                parts[0][row, :, 0] += here.sum(axis=1)
                parts[1][row, :, 0] += d.sum(axis=1).astype(kind)
                parts[2][row, :, 0] += np.where(d > 0, 1 / np.where(d > 0, d, 1), 0).sum(axis=1)
                farthest = parts[3][row, :, 0]
                np.maximum(farthest, d.max(axis=1, initial=0).astype(kind), out=farthest)
        return sums


def search_bytes(n: int, arcs: int, width: int) -> int:
    """Bytes of distances and temporaries of a batch, and of the edges of its copies."""
    return width * (5 * 8 * n + 5 * 8 * arcs) + 20 * arcs
