"""Girvan-Newman partitions: the edge of highest betweenness is removed, repeatedly."""

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..communities.dismantling import RemainingGraph, remaining
from ..matrix.edge_weights import TIE_RTOL
from .call import Call


def edge_betweenness_partition(call: Call, number_of_sets: int) -> list[set[Any]]:
    """``networkx.community.edge_betweenness_partition``."""
    G = call.G
    if number_of_sets <= 0:
        raise nx.NetworkXError("number_of_sets must be >0")
    if number_of_sets == 1:
        return [set(G)]
    if number_of_sets == len(G):
        return [{node} for node in G]
    if number_of_sets > len(G):
        raise nx.NetworkXError("number_of_sets must be <= len(G)")
    partitions = _partitions(call, _remaining(call))
    return next(sets for sets in partitions if len(sets) >= number_of_sets)


def girvan_newman(call: Call) -> Iterator[tuple[set[Any], ...]]:
    """``networkx.community.girvan_newman`` by edge betweenness."""
    partitions = _partitions(call, _remaining(call))
    first = next(partitions)
    return map(tuple, partitions if call.G.indices.size else [first])


def _partitions(call: Call, graph: RemainingGraph) -> Iterator[list[set[Any]]]:
    """Yield the node sets of the components, first of the whole graph, then after each split."""
    with call.settings:
        yield _sets(call, graph.labels)
        for labels in graph.splits():
            yield _sets(call, labels)


def _remaining(call: Call) -> RemainingGraph:
    """Graph from which edges are removed; of tied edges, the first of ``G.edges`` goes first."""
    G = call.G
    graph = remaining(
        G.adjacency(call.lengths),
        "edge_betweenness",
        directed=False,
        weighted=call.lengths is not None,
        tie_rtol=TIE_RTOL if call.lengths is None else 0.0,
        run=call.settings,
    )
    chosen = G.edge_pairs
    ends = np.sort([G.rows[chosen], G.indices[chosen]], axis=0).astype(np.int64)
    position = {tuple(pair): at for at, pair in enumerate(ends.T.tolist())}
    graph.rank = np.array([position[tuple(pair)] for pair in graph.ends.tolist()], dtype=np.int64)
    return graph


def _sets(call: Call, labels: NDArray[np.int32]) -> list[set[Any]]:
    """Nodes of each component, in the order of their first nodes."""
    sets: dict[int, set[Any]] = {}
    for node, label in zip(call.G, labels.tolist(), strict=True):
        sets.setdefault(label, set()).add(node)
    return list(sets.values())
