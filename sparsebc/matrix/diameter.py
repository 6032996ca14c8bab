"""Bounds of the diameter: whether any distance of a graph can exceed a limit, by a few searches.

Distances in an undirected component are at most twice the eccentricity of any of its nodes c,

    max d(u, v) <= 2 max d(c, v).

In a tree with c in the middle of a longest path the bound is the diameter, or one edge more. Two
searches from far ends find such a middle. In a strongly connected digraph
d(u, v) <= d(u, c) + d(c, v).
"""

from typing import Any

import numpy as np
import scipy.sparse.csgraph
from numpy.typing import NDArray

from . import bfs
from .csr import CSGRAPH_ENTRIES, CSR
from .graph import Graph

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
        levels = bfs.hops(pattern, roots, int(min(limit, bfs.FAR)))
        return np.where(levels < 0, np.inf, levels)
    return np.asarray(
        scipy.sparse.csgraph.dijkstra(
            pattern.matrix(graph.lengths.outgoing), indices=roots, min_only=True, limit=limit
        )
    )
