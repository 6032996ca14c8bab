"""Matrices of the two products, and the rows that they join: unweighted, or along tight edges."""

from typing import Any

import numpy as np

from ...matrix.graph import Graph
from ..common.sums import Batch
from .search import copied, nearest
from .updates import Backend

UNVISITED = -1


class ByEdges:
    """Unweighted shortest paths: A and A' between consecutive levels."""

    def __init__(self, backend: Backend, graph: Graph, dtype: np.dtype[Any]) -> None:
        self.dtype, self.last, self.unit = dtype, int(graph.limits[-1]), graph.unit
        self.tight = backend.xp.ones((), dtype=bool)  # all edges between two levels
        self.outgoing, self.incoming = (
            backend.csr(
                tuple(map(backend.xp.asarray, (np.ones(graph.arcs, dtype), *pattern[::-1]))),
                shape=(graph.n, graph.n),
            )
            for pattern in (graph.outgoing, graph.incoming)
        )

    def distances(self, level: Any) -> Any:
        """Distance of each row that was visited, in multiples of ``unit``."""
        return level

    def following(self, level: Any, depth: int) -> Any:
        """F_{d+1} = (A' F_d)<not V>; empty beyond the largest cutoff."""
        frontier = (level == depth).astype(self.dtype)
        return (self.incoming @ frontier > 0) & (level == UNVISITED) & (depth < self.last)

    def tails(self, level: Any, depth: int) -> Any:
        """Rows that level d + 1 pulls from in the forward phase: F_d."""
        return level == depth

    def heads(self, level: Any, depth: int) -> Any:
        """Rows that level d pulls from in the backward phase: F_{d+1}."""
        return level == depth + 1


class ByLength:
    """Weighted shortest paths: for each source a copy of the nodes, joined by its tight edges T.

    distance   D, as in `search`
    tight      T: edges with D(u) + w(u, v) <= D(v) + tau
    level d+1  topological order of T: all tight tails are on levels up to d [Kahn 1962]
    """

    unit = 1.0

    def __init__(
        self, backend: Backend, graph: Graph, dtype: np.dtype[Any], batch: Batch, stop: Any
    ) -> None:
        lengths = graph.lengths
        assert lengths is not None
        xp = backend.xp
        copies = np.arange(batch.sources.size)
        size = graph.n * copies.size
        # Edges of the copies, sorted by edge, then by source.
        tails, heads = (
            copied(xp, ends, copies.size) for ends in (graph.outgoing.rows, graph.outgoing.indices)
        )
        length = xp.asarray(np.repeat(lengths.outgoing, copies.size))
        sources = xp.asarray(batch.sources.astype(np.int64) * copies.size + copies)
        farthest = float(graph.limits[-1])
        distance = nearest(xp, size, sources, (tails, heads, length), farthest, stop)
        reached = xp.isfinite(distance)
        if float(distance[reached].max()) > lengths.limit:
            raise lengths.too_far
        through, bound = distance[tails] + length, distance + lengths.tau
        tight = reached[tails] & reached[heads] & (through <= bound[heads])
        tails, heads = tails[tight], heads[tight]
        shape = (graph.n, copies.size)
        ones = xp.ones(tails.size, dtype)
        self.outgoing = Copies(backend.csr((ones, (tails, heads)), shape=(size, size)))
        self.incoming = Copies(backend.csr((ones, (heads, tails)), shape=(size, size)))
        self.tight = tight.reshape(graph.arcs, copies.size)
        self.reached, self.dtype = reached.reshape(shape), dtype
        self.distance = distance.reshape(shape)

    def distances(self, level: Any) -> Any:
        """Distance of each row that was visited."""
        return self.distance

    def following(self, level: Any, depth: int) -> Any:
        """F_{d+1} = (not T' (not V))<not V>: reached, and all tight tails visited."""
        pending = self.incoming @ (level == UNVISITED).astype(self.dtype) > 0
        return self.reached & (level == UNVISITED) & ~pending

    def tails(self, level: Any, depth: int) -> Any:
        """Rows that level d + 1 pulls from in the forward phase: V."""
        return level != UNVISITED

    def heads(self, level: Any, depth: int) -> Any:
        """Rows that level d pulls from in the backward phase: all later levels."""
        return level > depth


class Copies:
    """A matrix of all copies of the nodes, to be multiplied by an array of shape (n, sources)."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def __matmul__(self, x: Any) -> Any:
        return (self.matrix @ x.ravel()).reshape(x.shape)
