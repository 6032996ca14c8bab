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

from .graph import Graph
from .patterns import compressed, filtered


def backbone(graph: Graph, sources: int) -> tuple[Graph, NDArray[np.bool_] | None]:
    """Leave out the edges that a triangle rules out, where the search costs less than it saves.

    Looking at all pairs of edges in a row is compared with a sweep over all edges for each source.
    Returns what is left, and which arcs of the graph those are; None for all of them.
    """
    lengths = graph.lengths
    if lengths is None:
        return graph, None
    pairs = int(graph.outgoing.degrees[graph.outgoing.indices].sum())
    if pairs > sources * graph.arcs:
        return graph, None
    keep = _is_needed(*graph.outgoing, lengths.outgoing, lengths.slack)
    if keep.all():
        return graph, None
    outgoing, there = filtered(graph.outgoing, keep), lengths.outgoing[keep]
    incoming, back = outgoing, there
    if not graph.symmetric:
        transposed = outgoing.matrix(there).T.tocsr()
        transposed.sort_indices()
        incoming, back = compressed(transposed), transposed.data
    lengths = replace(lengths, outgoing=there, incoming=back)
    return replace(graph, outgoing=outgoing, incoming=incoming, lengths=lengths), keep


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
