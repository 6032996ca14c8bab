"""Partitions by the edges of highest betweenness, removed one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..measures.dismantle import RemainingGraph, remaining
from ..run import options
from ..run.options import RunOptions
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Lengths, Weight, stepping_back


def edge_betweenness_partition(
    G: SparseGraph, number_of_sets: int, weight: Weight | None, *, run: RunOptions
) -> list[set[Any]]:
    """``networkx.community.edge_betweenness_partition``."""
    own = options.parse(run)
    if number_of_sets <= 0:
        raise nx.NetworkXError("number_of_sets must be >0")
    if number_of_sets == 1:
        return [set(G)]
    if number_of_sets == len(G):
        return [{node} for node in G]
    if number_of_sets > len(G):
        raise nx.NetworkXError("number_of_sets must be <= len(G)")
    if G.directed:
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    lengths = G.lengths(weight)
    with stepping_back(lengths), own:
        graph = _remaining(G, lengths, own)
        labels, parts = graph.labels, graph.parts
        removals = graph.removals(recompute=True)
        while parts < number_of_sets:
            removal = next(removals)
            labels, parts = removal.labels, removal.parts
    return _sets(G, labels)


def girvan_newman(G: SparseGraph, *, run: RunOptions) -> Iterator[tuple[set[Any], ...]]:
    """``networkx.community.girvan_newman`` by edge betweenness, of undirected graphs."""
    own = options.parse(run)
    if G.directed:
        raise handed_back("sparsebc leaves digraphs to NetworkX, for their order of edges")
    return _levels(G, _remaining(G, None, own), own)


def _levels(
    G: SparseGraph, graph: RemainingGraph, run: options.Run
) -> Iterator[tuple[set[Any], ...]]:
    with run:
        parts = graph.parts
        if not G.number_of_edges():
            yield tuple(_sets(G, graph.labels))
        for removal in graph.removals(recompute=True):
            if removal.parts > parts:
                parts = removal.parts
                yield tuple(_sets(G, removal.labels))


def _remaining(G: SparseGraph, lengths: Lengths | None, run: options.Run) -> RemainingGraph:
    """The graph that loses its edges; of those that tie, the first of ``G.edges``."""
    if G.is_multigraph():
        raise handed_back("sparsebc leaves parallel edges, removed one by one, to NetworkX")
    graph = remaining(
        G.adjacency(lengths),
        "edge_betweenness",
        directed=False,
        weighted=lengths is not None,
        tie_rtol=1e-10 if lengths is None else 0.0,
        run=run,
    )
    chosen = G.edge_pairs
    ends = np.sort([G.rows[chosen], G.indices[chosen]], axis=0).astype(np.int64)
    place = {tuple(pair): at for at, pair in enumerate(ends.T.tolist())}
    graph.rank = np.array([place[tuple(pair)] for pair in graph.ends.tolist()], dtype=np.int64)
    return graph


def _sets(G: SparseGraph, labels: NDArray[np.int32]) -> list[set[Any]]:
    """Nodes of each component, in the order of their first nodes."""
    sets: dict[int, set[Any]] = {}
    for node, label in zip(G, labels.tolist(), strict=True):
        sets.setdefault(label, set()).add(node)
    return list(sets.values())
