"""Distances from a node, to a node or between all nodes, and the layers of a search."""

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..errors import InputError
from .call import Call
from .graph import SparseGraph
from .lengths import handed_back

Distances = dict[Any, float]


def all_pairs_shortest_path_length(
    call: Call, cutoff: float | None
) -> Iterator[tuple[Any, Distances]]:
    """``networkx.all_pairs_shortest_path_length``, weighted too."""
    for at, row in call.rows(np.arange(len(call.G))):
        yield call.G.names[at], _nearest_first(call, at, row, cutoff)


def all_pairs_dijkstra_path_length(
    call: Call, cutoff: float | None
) -> Iterator[tuple[Any, Distances]]:
    """``networkx.all_pairs_dijkstra_path_length``."""
    return all_pairs_shortest_path_length(call, _of_dijkstra(call, cutoff))


def single_source_shortest_path_length(
    call: Call, source: Any, cutoff: float | None, *, reverse: bool = False
) -> Distances:
    """``networkx.single_source_shortest_path_length``, weighted too; to the node if ``reverse``."""
    at = call.require(source)
    if call.lengths is None and not (reverse and call.G.directed):
        found: Distances = {}
        for steps, layer in enumerate(_layers(call.G, [at])):
            if steps and cutoff is not None and not cutoff > steps - 1:
                break
            found.update(dict.fromkeys(map(call.G.names.__getitem__, layer.tolist()), steps))
        return found
    [(_, row)] = call.rows(np.array([at]), reverse=reverse)
    return _nearest_first(call, at, row, cutoff)


def single_source_dijkstra_path_length(call: Call, source: Any, cutoff: float | None) -> Distances:
    """``networkx.single_source_dijkstra_path_length``."""
    if source not in call.G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    return single_source_shortest_path_length(call, source, _of_dijkstra(call, cutoff))


def _of_dijkstra(call: Call, cutoff: float | None) -> float | None:
    """Cutoff that no distance exceeds: without lengths whole, as `_nearest_first` rounds up."""
    return cutoff if cutoff is None or call.lengths is not None else float(np.floor(cutoff))


def shortest_path_length(call: Call, source: Any, target: Any, method: str) -> Any:
    """``networkx.shortest_path_length``."""
    if method not in ("dijkstra", "bellman-ford"):
        raise InputError(f"method not supported: {method}")
    if method == "bellman-ford" and call.weight is not None:
        raise handed_back("sparsebc finds distances by Dijkstra's algorithm")
    if source is None and target is not None:
        return single_source_shortest_path_length(call, target, None, reverse=True)
    if source is None:
        return all_pairs_dijkstra_path_length(call, None)
    if target is None:
        return single_source_shortest_path_length(call, source, None)
    return _between(call, source, target)


def _between(call: Call, source: Any, target: Any) -> float:
    """Distance from ``source`` to ``target``."""
    start, has_target = call.require(source), target in call.G
    if call.lengths is None and not has_target:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    if source == target:
        return 0
    [(_, row)] = call.rows(np.array([start]))
    distance = row[call.G.index[target]] if has_target else np.inf
    if np.isinf(distance):
        raise nx.NetworkXNoPath(
            f"No path between {source} and {target}."
            if call.lengths is None
            else f"Node {target} not reachable from {source}"
        )
    return call.number(distance)


def bfs_layers(call: Call, sources: Any) -> Iterator[list[Any]]:
    """``networkx.bfs_layers``."""
    G = call.G
    first = list({sources} if sources in G else set(sources))
    for source in first:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if first:
        for layer in _layers(G, [G.index[source] for source in first]):
            yield [G.names[at] for at in layer.tolist()]


def descendants_at_distance(call: Call, source: Any, distance: int) -> set[Any]:
    """``networkx.descendants_at_distance``."""
    layers = enumerate(bfs_layers(call, [source]))
    return next((set(layer) for steps, layer in layers if steps == distance), set())


def _layers(G: SparseGraph, starts: list[int]) -> Iterator[NDArray[np.int32]]:
    """Yield the nodes at each distance from the nearest start, in NetworkX's order.

    SciPy's breadth-first search, in the order of the adjacency, starts from an extra node n with
    arcs to all starts. A layer ends before the first node whose predecessor lies in that layer.
    """
    n = len(G)
    indptr = np.append(G.indptr, G.indptr[-1] + len(starts))
    indices = np.append(G.indices, np.array(starts, dtype=np.int32))
    matrix = scipy.sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(n + 1, n + 1))
    order, predecessors = csgraph.breadth_first_order(matrix, n)
    position = np.empty(n + 1, dtype=np.int64)
    position[order] = np.arange(order.size)
    parents = position[predecessors[order[1:]]]
    begin, end = 1, 1 + len(starts)
    while begin < end:
        yield order[begin:end]
        begin, end = end, 1 + int(np.searchsorted(parents, end))


def _nearest_first(
    call: Call, source: int, row: NDArray[np.float64], cutoff: float | None
) -> Distances:
    """Distances by node, ascending, up to a cutoff; unweighted, a step that begins below counts."""
    within = np.isfinite(row)
    if cutoff is not None:
        within &= row - 1 < cutoff if call.lengths is None else row <= cutoff
        within[source] = True
    order = np.flatnonzero(within)
    order = order[row[order].argsort(kind="stable")]
    values = row[order]
    if call.lengths is None or call.lengths.integer:
        values = values.astype(np.int64)
    names: Iterable[Any] = map(call.G.names.__getitem__, order.tolist())
    found: Distances = dict(zip(names, values.tolist(), strict=True))
    found[call.G.names[source]] = 0  # an int in NetworkX, whatever the lengths are
    return found
