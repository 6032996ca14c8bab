"""Distances, as sums over all nodes or row by row: what the measures made of them share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.distances import DistanceSums
from ..graph.edge_weights import TIE_RTOL
from ..measures.bfs import bfs
from ..measures.distance_sums import accumulate
from ..measures.query import validate
from ..measures.shortest_paths import shortest_paths
from ..run import options
from ..run.options import SearchOptions
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Lengths, Weight, stepping_back

# Distances in flight: rows of this many bytes, and no fewer than a search is made for.
ROWS_BYTES = 1 << 27
LEAST_ROWS = 64


def distance_sums(
    G: SparseGraph,
    lengths: Lengths | None,
    direction: str,
    run: SearchOptions,
    sources: ArrayLike | None = None,
) -> DistanceSums:
    """What searches from the sources say of each node; against the edges if it looks "out"."""
    settings = options.parse(run, SearchOptions)
    engine = devices.select(settings.device)
    with stepping_back(lengths), engine.here(), settings:
        query = validate(
            G.adjacency(lengths),
            ops_for=engine.ops_for,
            workers=settings.threads,
            flags={"directed": G.directed},
            weighted=lengths is not None,
            tie_rtol=TIE_RTOL,
            sources=sources,
        )
        sums = accumulate(engine, query, direction, settings)
        return DistanceSums(*(devices.deliver(part, None) for part in sums))


def distance_rows(
    G: SparseGraph,
    lengths: Lengths | None,
    sources: NDArray[np.int64],
    run: SearchOptions,
    *,
    reverse: bool = False,
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Each source with its distances to all nodes (from them, if ``reverse``), shape (n,).

    Sums run along the path from the source, as NetworkX's do; inf where there is no path.
    """
    A = G.adjacency(lengths, reverse=reverse)
    size = max(LEAST_ROWS, ROWS_BYTES // (8 * max(len(G), 1)))
    for first in range(0, sources.size, size):
        some = sources[first : first + size]
        with stepping_back(lengths):
            if lengths is None:
                found = bfs(A, some, **run).astype(np.float64)
                found[found < 0] = np.inf
            else:
                found, _ = shortest_paths(A, some, weighted=True, **run)
        yield from zip(some.tolist(), found, strict=True)


def number(value: Any, lengths: Lengths | None) -> float:
    """A distance or a sum of them in the type that NetworkX gives it.

    It begins with an int, the 0 of the source itself.
    """
    return float(value) if value and lengths and not lengths.integer else int(value)


def all_connected(G: SparseGraph, sums: DistanceSums) -> bool:
    """Whether every node reaches every other."""
    return bool((sums.reached == len(G) - 1).all())


def lengths_against(G: SparseGraph, weight: Weight | None) -> Lengths | None:
    """Lengths for distances to a node, for which NetworkX reverses a digraph.

    A callable gets the ends of the reversed edges there: it is left to NetworkX.
    """
    if G.directed and callable(weight):
        raise handed_back("sparsebc does not turn around what a callable is given")
    return G.lengths(weight)


def require_nodes(G: SparseGraph) -> None:
    """Raise NetworkX's error where there is no node."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


def require(G: SparseGraph, node: Any, lengths: Lengths | None) -> int:
    """Number of a node; NetworkX's error where it is not there."""
    if node in G:
        return G.index[node]
    raise nx.NodeNotFound(
        f"Source {node} is not in G" if lengths is None else f"Node {node} not found in graph"
    )
