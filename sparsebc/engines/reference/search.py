"""Distances from the sources of a batch, and what they add up to, as they are defined.

    distance   D = min(D, A' (min, +) D) until nothing changes, infinite beyond the last limit
    sums       over the sources but a node itself: how many within a limit, d, 1 / d, the greatest d
    access     the same of W f(d), for each function f and the weights W of each kind
    nearest    of the distances of a node from all sources, in ascending order, the k-th

By edges, each is 1 long.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...host import on_host
from ..common.access import Access
from ..common.batch import Batch
from ..common.distances import no_sums
from .updates import Backend

NO_PREDECESSOR = -9999


def copied(xp: Any, ends: NDArray[np.int32], width: int) -> Any:
    """Ends of the edges of so many copies of a graph: copy k of node v has the number v width + k.

    That is the place of its entry in an array of a row per node and a column per source.
    """
    return xp.asarray((ends[:, np.newaxis].astype(np.int64) * width + np.arange(width)).ravel())


def nearest(
    xp: Any, size: int, sources: Any, arcs: tuple[Any, Any, Any], farthest: float, stop: Any
) -> Any:
    """Distances of the copies of all nodes from their sources, shape (size,)."""
    tails, heads, length = arcs
    distance = xp.full(size, np.inf)
    distance[sources] = 0
    while not stop[0]:
        nearer = distance.copy()
        # By their bits, ordered like numbers >= 0: CuPy takes minima of floats in 32 bits.
        through = distance[tails] + length
        xp.minimum.at(nearer.view(np.uint64), heads, through.view(np.uint64))
        nearer[nearer > farthest] = np.inf
        if bool((nearer == distance).all()):
            break
        distance = nearer
    return distance


@dataclass
class Searches:
    """Searches from batches of sources, on edges given by their ends and lengths."""

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
            found = nearest(xp, size, starts, arcs, farthest, self.stop)
            reals: NDArray[np.float64] = on_host(found).reshape(self.n, width)
        return reals

    def compile(self, batches: Sequence[Batch]) -> None:
        """Do nothing: there is nothing to compile."""

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source, -1 where there is no path."""
        distance = self.distances(sources).T
        out[:] = np.where(np.isfinite(distance), distance, -1)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Distances, and of the tails of tight edges the smallest, nearer ones before others."""
        tails, heads, length = self.edges
        distances[:] = self.distances(sources).T
        for distance, before in zip(distances, predecessors, strict=True):
            there = np.isfinite(distance[tails]) & (distance[tails] + length == distance[heads])
            tail, head = tails[there].astype(np.int64), heads[there]
            rank = np.full(self.n, 2 * self.n)
            np.minimum.at(rank, head, tail + self.n * (distance[tail] >= distance[head]))
            before[:] = np.where(rank < 2 * self.n, rank % max(self.n, 1), NO_PREDECESSOR)

    def nearest(self, places: NDArray[np.int32]) -> NDArray[np.float64]:
        """Distance of the k-th nearest place from each node, infinite where there are fewer."""
        rows = np.full((max(self.k, places.size), self.n), np.inf)
        rows[: places.size] = self.distances(places).T
        found: NDArray[np.float64] = np.sort(rows, axis=0)[self.k - 1]
        return found

    def accumulate(self, batches: Sequence[Batch]) -> Any:
        """Sums over the sources of some batches, of the distances between each limit and the next.

        Whole where the limits are: these count edges.
        """
        kind = np.int64 if self.limits.dtype == np.int64 else np.float64
        sums = no_sums(self.access, self.limits.size * self.n, kind)
        parts = [values.reshape(self.limits.size, self.n, -1) for values in sums]
        for batch in batches:
            distance = self.distances(batch.sources)
            distance[distance == 0] = np.inf
            for row, (after, limit) in enumerate(itertools.pairwise((0.0, *self.limits))):
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
                parts[2][row, :, 0] += np.where(here, 1 / distance, 0).sum(axis=1)
                farthest = parts[3][row, :, 0]
                np.maximum(farthest, d.max(axis=1, initial=0).astype(kind), out=farthest)
        return sums


def on_graph(
    backend: Backend,
    graph: Graph,
    stop: NDArray[np.uint8],
    access: Access | None = None,
    k: int = 1,
) -> Searches:
    """Searches on a graph, by edges or with its lengths."""
    there = graph.with_unit_lengths()
    assert there.lengths is not None
    edges = (graph.outgoing.rows, graph.outgoing.indices, there.lengths.outgoing)
    return Searches(backend, graph.n, edges, graph.limits, stop, access, k, graph.unit)


def on_matrix(backend: Backend, matrix: Any, directed: bool, stop: NDArray[np.uint8]) -> Searches:
    """Searches on a matrix of lengths; the shorter of two entries counts if it is undirected."""
    coo = on_host(matrix).tocoo()
    tails, heads, lengths = coo.row, coo.col, coo.data
    if not directed:
        tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
        lengths = np.concatenate((lengths, lengths))
    return Searches(backend, matrix.shape[0], (tails, heads, lengths), np.array([np.inf]), stop)


def search_bytes(n: int, arcs: int, width: int) -> int:
    """Distances of so many sources and the temporaries of a step, and the edges of their copies."""
    return width * (5 * 8 * n + 5 * 8 * arcs) + 20 * arcs
