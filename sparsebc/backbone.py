"""Edges that no shortest path uses, found by looking at triangles, and left out.

An edge u -> v that is longer than some way u -> x -> v lies on no shortest path. What is left has
the same distances and the same shortest paths; in networks of many triangles it is much less. Of
the metric backbone [Simas, Correia and Rocha, "The distance backbone of complex networks",
Journal of Complex Networks 9 (2021)] these are the edges that two others already rule out.
"""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csgraph

from .graph import Graph
from .lengths import Lengths
from .patterns import compressed, filtered

# Pairs of edges, and edges times sources, from which a search from the busiest node pays.
MANY = 1 << 30


def backbone(graph: Graph, sources: int, pace: int = 1) -> tuple[Graph, NDArray[np.bool_] | None]:
    """Leave out the edges that a triangle rules out, where the search costs less than it saves.

    Looking at all pairs of edges in a row is compared with a sweep over all edges for each source;
    the engine takes ``pace`` edges in the time of a pair. Where there are more than `MANY` pairs,
    edges that the busiest node rules out go first. Returns what is left, and which arcs of the
    graph those are; None for all of them.
    """
    if graph.lengths is None:
        return graph, None
    left, kept = graph, np.ones(graph.arcs, dtype=bool)
    if min(_pairs(graph), sources * graph.arcs) > MANY:
        kept = ~_shorter_by_hub(graph, graph.lengths)
        left = _only(graph, kept)
    if left.lengths is not None and pace * _pairs(left) <= sources * left.arcs:
        needed = _is_needed(*left.outgoing, left.lengths.outgoing, left.lengths.slack)
        kept[kept] = needed
        left = _only(left, needed)
    return (graph, None) if left is graph else (left, kept)


def _pairs(graph: Graph) -> int:
    """Number of ways u -> x -> v."""
    return int(graph.outgoing.degrees[graph.outgoing.indices].sum())


def _shorter_by_hub(graph: Graph, lengths: Lengths) -> NDArray[np.bool_]:
    """Mark each edge u -> v that is longer than the way from u to the busiest node and on to v."""
    hub = int(graph.outgoing.degrees.argmax())
    away = csgraph.dijkstra(graph.outgoing.matrix(lengths.outgoing), indices=hub)
    there = (
        away
        if graph.symmetric
        else csgraph.dijkstra(graph.incoming.matrix(lengths.incoming), indices=hub)
    )
    around = np.repeat(there, graph.outgoing.degrees)
    around += away[graph.outgoing.indices]
    around += lengths.slack
    shorter: NDArray[np.bool_] = around < lengths.outgoing
    return shorter


def _only(graph: Graph, keep: NDArray[np.bool_]) -> Graph:
    """The graph of those arcs that are marked."""
    lengths = graph.lengths
    if lengths is None or keep.all():
        return graph
    outgoing, there = filtered(graph.outgoing, keep), lengths.outgoing[keep]
    incoming, back = outgoing, there
    if not graph.symmetric:
        transposed = outgoing.matrix(there).T.tocsr()
        transposed.sort_indices()
        incoming, back = compressed(transposed), transposed.data
    lengths = replace(lengths, outgoing=there, incoming=back)
    return replace(graph, outgoing=outgoing, incoming=incoming, lengths=lengths)


@njit(cache=True, nogil=True)
def _is_needed(indptr: Any, indices: Any, lengths: Any, slack: float) -> Any:
    """Mark each edge u -> v unless a way u -> x -> v is shorter by more than ``slack``.

    On a symmetric graph the marks are symmetric, for a sum of two floats is.
    """
    n = indptr.size - 1
    nearest = np.full(n, np.inf)
    needed = np.ones(indices.size, dtype=np.bool_)
    is_neighbour = np.zeros(n, dtype=np.bool_)
    for u in range(n):
        longest = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            is_neighbour[indices[p]] = True
            longest = max(longest, lengths[p])
        for p in range(indptr[u], indptr[u + 1]):
            x, first = indices[p], lengths[p]
            if first >= longest:
                continue
            for q in range(indptr[x], indptr[x + 1]):
                v = indices[q]
                if is_neighbour[v]:
                    nearest[v] = min(nearest[v], first + lengths[q])
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            needed[p] = lengths[p] <= nearest[v] + slack
            nearest[v] = np.inf
            is_neighbour[v] = False
    return needed
