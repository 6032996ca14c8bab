"""Graph: the canonical patterns of A and of A', and lengths beside them; bounds of its diameter."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from numpy.typing import NDArray

from . import components
from .csr import CSGRAPH_ENTRIES, CSR, Matrix, Traits, filtered
from .edge_weights import Lengths
from .ops import GraphOps

# The diameter counts as high if a search from the node of largest degree takes more levels.
HIGH_DIAMETER = 12


@dataclass(frozen=True)
class Graph:
    """The edges of a graph on nodes 0..n-1, without self loops or repeated edges.

    ``outgoing`` is the CSR pattern of A, ``incoming`` that of A'; they are one object when A is
    symmetric, in the memory of ``ops``. ``lengths`` are those of their entries; None if all edges
    have the length ``unit``. Pairs count that are at most a cutoff apart, in edges or by
    ``lengths``, with a set of scores for each of the ascending ``cutoffs``; all if empty.
    """

    n: int
    outgoing: CSR
    incoming: CSR
    ops: GraphOps
    lengths: Lengths | None = None
    unit: float = 1.0
    cutoffs: tuple[float, ...] = ()

    symmetric: bool = field(init=False, repr=False, compare=False)  # A is, lengths included
    arcs: int = field(init=False, repr=False, compare=False)  # stored entries of A
    # Pattern of A, and that of A' unless A is symmetric.
    patterns: tuple[CSR, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        outgoing, incoming = self.outgoing, self.incoming
        patterns = (outgoing,) if incoming is outgoing else (outgoing, incoming)
        arcs = int(outgoing.indices.size)
        vars(self).update(symmetric=len(patterns) == 1, arcs=arcs, patterns=patterns)

    @cached_property
    def either_way(self) -> CSR:
        """Union of the patterns of A and A'."""
        return self.outgoing if self.symmetric else self.ops.either_way(self.outgoing)

    @property
    def degrees(self) -> Any:
        """Arcs of each node, of both directions unless symmetric, shape (n,)."""
        outgoing = self.outgoing.degrees
        return outgoing if self.symmetric else outgoing + self.incoming.degrees

    @property
    def nbytes(self) -> int:
        """Memory of both patterns and the lengths in bytes."""
        return int(sum(part.nbytes for way in self.ways for part in (*way.pattern, way.values)))

    @cached_property
    def limits(self) -> NDArray[Any]:
        """Array of the ``cutoffs``; without any, of one limit that no path exceeds."""
        if self.lengths is None:
            return np.array(self.cutoffs or (self.n,), dtype=np.int64)
        return np.array(self.cutoffs or (np.inf,))

    @cached_property
    def traits(self) -> Traits:
        """Traits of the pattern of A, by a search of `HIGH_DIAMETER` levels and one more."""
        return self.ops.traits(self.outgoing, HIGH_DIAMETER)

    @cached_property
    def most_arcs(self) -> int:
        """Largest out-degree; 0 without nodes."""
        return int(self.outgoing.degrees.max()) if self.n else 0

    @cached_property
    def components(self) -> Any:
        """Label below n of the weakly connected component of each node."""
        whole = self.traits.whole if self.symmetric else None
        return self.ops.components(self.outgoing, self.incoming, whole)

    def blocks(self, left: Any) -> tuple[Any, Any, int, int]:
        """Biconnected components on the nodes of the mask ``left``, as `GraphOps.blocks`."""
        whole = self.traits.whole if self.symmetric else None
        return self.ops.blocks(self.outgoing, self.incoming, self.components, whole, left)

    @cached_property
    def reach(self) -> float:
        """Mean size of a node's component, a bound of the mean number of nodes a source reaches."""
        if self.n == 0:
            return 0.0
        ones = self.ops.xp.ones((1, self.n), dtype=np.int64)
        sizes = self.ops.add_up(self.components, ones, self.n)
        return int((sizes**2).sum()) / self.n

    @cached_property
    def depth(self) -> int:
        """Eccentricity of the node of the largest out-degree, in edges."""
        if not self.arcs:
            return 0
        pattern = self.on_host().outgoing
        busiest = np.array([pattern.degrees.argmax()])
        return int(components.hops(pattern, busiest).max())

    @property
    def ways(self) -> tuple[Matrix, ...]:
        """A with its lengths, and A' unless A is symmetric; no values if there are no lengths."""
        lengths = self.lengths
        if lengths is None:
            none = self.ops.xp.empty(0)
            return tuple(Matrix(pattern, none) for pattern in self.patterns)
        values = lengths.outgoing, lengths.incoming
        return tuple(map(Matrix, self.patterns, values))

    def both_ways(self) -> Matrix:
        """Rows of A and of A' in one: an edge with both directions twice, unless symmetric."""
        if self.symmetric:
            return self.ways[0]
        xp, (there, back) = self.ops.xp, self.ways
        order = xp.argsort(xp.concatenate([self.ops.rows(way.pattern) for way in (there, back)]))
        indices, values = (
            xp.concatenate(both)[order]
            for both in ((there.pattern.indices, back.pattern.indices), (there.values, back.values))
        )
        return Matrix(CSR(there.pattern.indptr + back.pattern.indptr, indices), values)

    def of(self, ways: Sequence[Matrix], **changes: Any) -> Graph:
        """Graph with other matrices ``ways``: A, and A' unless A is symmetric."""
        (outgoing, leaving), (incoming, entering) = ways[0], ways[-1]
        lengths = self.lengths and replace(self.lengths, outgoing=leaving, incoming=entering)
        changes |= {"n": outgoing.indptr.size - 1, "lengths": lengths}
        return replace(self, outgoing=outgoing, incoming=incoming, **changes)

    def reverse(self) -> Graph:
        """The graph of A'."""
        return self.of(self.ways[::-1])

    def filtered(self, keeps: Sequence[Any]) -> Graph:
        """Graph of the arcs of the masks ``keeps``, one for each of the ``patterns``."""
        xp = self.ops.xp
        return self.of(
            [
                Matrix(filtered(pattern, keep, xp), values[keep] if values.size else values)
                for (pattern, values), keep in zip(self.ways, keeps, strict=True)
            ]
        )

    def induced(self, nodes: Any, arcs: int | None = None) -> Graph:
        """Induced subgraph on ``nodes``, numbered in that order; ``arcs`` is its size, if known."""
        ways = self.ways
        pairs = zip(ways, ways[::-1], strict=True)
        return self.of([self.ops.induced(*pair, nodes, arcs) for pair in pairs])

    def with_unit_lengths(self) -> Graph:
        """The graph with lengths, all 1 where it has none."""
        if self.lengths is not None:
            return self
        ones = [self.ops.xp.ones(pattern.indices.size) for pattern in self.patterns]
        return replace(self, lengths=Lengths(ones[0], ones[-1], whole=True))

    def tied(self, tau: float) -> Graph:
        """The graph whose paths tie within ``tau``; what is known of its pattern stays known."""
        assert self.lengths is not None
        graph = copy.copy(self)
        vars(graph)["lengths"] = replace(self.lengths, tau=tau)
        return graph

    def on_host(self) -> Graph:
        """The graph in the memory of the host."""
        return self if self.ops.xp is np else self.at(GraphOps())

    def at(self, ops: GraphOps) -> Graph:
        """The graph in the memory of ``ops``, on the current device if they have several."""
        moved = self.ops.on_host if ops.xp is np else ops.asarray
        ways = [
            Matrix(CSR(*map(moved, pattern)), moved(values) if self.lengths else values)
            for pattern, values in self.ways
        ]
        return self.of(ways, ops=ops)


# Sums of the same lengths in another order differ by less than this share.
ROUNDING = 1e-9


def is_within(graph: Graph, limit: float) -> bool:
    """Whether at most four searches prove that all finite distances are at most ``limit``.

    True is certain, False is not. Takes O(arcs log n) time at most, on the host.
    """
    if graph.n == 0 or graph.arcs > CSGRAPH_ENTRIES:
        return graph.n == 0
    graph = graph.on_host()
    bound = limit * (1 - ROUNDING) if graph.lengths else limit
    if not graph.symmetric:
        root = np.array([int(graph.degrees.argmax())])
        from_root, to_root = (_from(way, root, limit) for way in (graph, graph.reverse()))
        return bool(from_root.max() + to_root.max() <= bound)
    label = graph.components
    sizes = np.bincount(label)
    first = (np.cumsum(sizes) - sizes)[sizes > 0]  # of each component, with nodes ordered by label

    def least(key: NDArray[Any]) -> NDArray[np.int64]:
        """Node of the least key in each component."""
        nodes: NDArray[np.int64] = np.lexsort((key, label))[first]
        return nodes

    far = _from(graph, least(-graph.degrees), limit)
    # A node beyond the limit of its root proves the contrary, in any search.
    if np.isinf(far.max()) or 2 * far.max() <= bound:
        return bool(np.isfinite(far.max()))
    from_end = _from(graph, least(-far), limit)
    ends = np.maximum(from_end, _from(graph, least(-from_end), limit))
    if np.isinf(ends.max()):
        return False
    return bool(2 * _from(graph, least(ends), limit).max() <= bound)


def _from(graph: Graph, roots: NDArray[np.int64], limit: float) -> NDArray[np.float64]:
    """Distance of each node from the nearest root, inf beyond the limit or if unreachable."""
    pattern: CSR = graph.outgoing
    if graph.lengths is None:
        levels = components.hops(pattern, roots, int(min(limit, components.FAR)))
        return np.where(levels < 0, np.inf, levels)
    return np.asarray(
        scipy.sparse.csgraph.dijkstra(
            pattern.matrix(graph.lengths.outgoing), indices=roots, min_only=True, limit=limit
        )
    )
