"""Distances from a node, to a node or between all of them, and the layers of a search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..errors import InputError
from ..run.options import SearchOptions
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Lengths, Weight
from .sums import distance_rows, lengths_against, number, require

Distances = dict[Any, float]


def all_pairs_dijkstra_path_length(
    G: SparseGraph, cutoff: float | None, weight: Weight | None = None, *, run: SearchOptions
) -> Iterator[tuple[Any, Distances]]:
    """``networkx.all_pairs_dijkstra_path_length``, by edges without a weight."""
    return _all_pairs(G, G.lengths(weight), cutoff, run)


all_pairs_shortest_path_length = all_pairs_dijkstra_path_length


def single_source_shortest_path_length(
    G: SparseGraph, source: Any, cutoff: float | None, *, run: SearchOptions
) -> Distances:
    """``networkx.single_source_shortest_path_length``."""
    return _from_one(G, None, source, cutoff, run)


def single_source_dijkstra_path_length(
    G: SparseGraph, source: Any, cutoff: float | None, weight: Weight | None, *, run: SearchOptions
) -> Distances:
    """``networkx.single_source_dijkstra_path_length``."""
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    return _from_one(G, G.lengths(weight), source, cutoff, run)


def shortest_path_length(
    G: SparseGraph,
    source: Any,
    target: Any,
    weight: Weight | None,
    method: str,
    *,
    run: SearchOptions,
) -> Any:
    """``networkx.shortest_path_length``."""
    if method not in ("dijkstra", "bellman-ford"):
        raise InputError(f"method not supported: {method}")
    if method == "bellman-ford" and weight is not None:
        raise handed_back("sparsebc finds distances by Dijkstra's algorithm")
    if source is None and target is not None:
        return _from_one(G, lengths_against(G, weight), target, None, run, reverse=True)
    lengths = G.lengths(weight)
    if source is None:
        return _all_pairs(G, lengths, None, run)
    if target is None:
        return _from_one(G, lengths, source, None, run)
    return _between(G, lengths, source, target, run)


def bfs_layers(G: SparseGraph, sources: Any, *, run: SearchOptions) -> Iterator[list[Any]]:
    """``networkx.bfs_layers``."""
    first = list({sources} if sources in G else set(sources))
    for source in first:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if first:
        for layer in _layers(G, [G.index[source] for source in first]):
            yield [G.names[at] for at in layer.tolist()]


def descendants_at_distance(
    G: SparseGraph, source: Any, distance: int, *, run: SearchOptions
) -> set[Any]:
    """``networkx.descendants_at_distance``."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    for steps, layer in enumerate(_layers(G, [G.index[source]])):
        if steps == distance:
            return {G.names[at] for at in layer.tolist()}
    return set()


def _layers(G: SparseGraph, starts: list[int]) -> Iterator[NDArray[np.int32]]:
    """Nodes by their distance from the nearest start, in the order in which NetworkX meets them.

    SciPy searches breadth first in the order of the adjacency, from one more node that leads to all
    starts. A layer ends where the predecessors begin to lie in the next one.
    """
    n = len(G)
    indptr = np.append(G.indptr, G.indptr[-1] + len(starts))
    indices = np.append(G.indices, np.array(starts, dtype=np.int32))
    matrix = scipy.sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(n + 1, n + 1))
    order, before = csgraph.breadth_first_order(matrix, n)
    place = np.empty(n + 1, dtype=np.int64)
    place[order] = np.arange(order.size)
    parents = place[before[order[1:]]]
    begin, end = 1, 1 + len(starts)
    while begin < end:
        yield order[begin:end]
        begin, end = end, 1 + int(np.searchsorted(parents, end))


def _from_one(
    G: SparseGraph,
    lengths: Lengths | None,
    source: Any,
    cutoff: float | None,
    run: SearchOptions,
    *,
    reverse: bool = False,
) -> Distances:
    """Distances from one node, or to it."""
    at = require(G, source, lengths)
    if lengths is None and not (reverse and G.directed):
        found: Distances = {}
        for steps, layer in enumerate(_layers(G, [at])):
            if steps and cutoff is not None and not cutoff > steps - 1:
                break
            found.update(dict.fromkeys(map(G.names.__getitem__, layer.tolist()), steps))
        return found
    [(_, row)] = distance_rows(G, lengths, np.array([at]), run, reverse=reverse)
    return _nearest_first(G, lengths, at, row, cutoff)


def _all_pairs(
    G: SparseGraph, lengths: Lengths | None, cutoff: float | None, run: SearchOptions
) -> Iterator[tuple[Any, Distances]]:
    """Distances from each node in turn."""
    for at, row in distance_rows(G, lengths, np.arange(len(G)), run):
        yield G.names[at], _nearest_first(G, lengths, at, row, cutoff)


def _nearest_first(
    G: SparseGraph,
    lengths: Lengths | None,
    source: int,
    row: NDArray[np.float64],
    cutoff: float | None,
) -> Distances:
    """Distances by node, rising, up to a cutoff; a step that begins below it counts whole."""
    within = np.isfinite(row)
    if cutoff is not None:
        within &= row - 1 < cutoff if lengths is None else row <= cutoff
        within[source] = True
    order = np.flatnonzero(within)
    order = order[row[order].argsort(kind="stable")]
    values = row[order]
    if lengths is None or lengths.integer:
        values = values.astype(np.int64)
    names: Iterable[Any] = map(G.names.__getitem__, order.tolist())
    found: Distances = dict(zip(names, values.tolist(), strict=True))
    found[G.names[source]] = 0  # an int in NetworkX, whatever the lengths are
    return found


def _between(
    G: SparseGraph, lengths: Lengths | None, source: Any, target: Any, run: SearchOptions
) -> float:
    """Distance from one node to another."""
    start = require(G, source, lengths)
    if lengths is None and target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    if source == target:
        return 0
    missing = f"No path between {source} and {target}."
    if lengths is not None:
        missing = f"Node {target} not reachable from {source}"
    [(_, row)] = distance_rows(G, lengths, np.array([start]), run)
    distance = row[G.index[target]] if target in G else np.inf
    if np.isinf(distance):
        raise nx.NetworkXNoPath(missing)
    return number(distance, lengths)
