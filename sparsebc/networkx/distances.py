"""Distances of all pairs, and what is found from them: sums, extremes, and nodes of extremes."""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..matrix.edge_weights import WHOLE
from .call import BEYOND, Call
from .functions import SINCE_3_7
from .graph import handed_back

Distances = dict[Any, float]  # by node
METHODS = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")


def closeness_centrality(call: Call, u: Any, wf_improved: bool) -> Any:
    """``networkx.closeness_centrality``.

    Inverse of the mean distance from the nodes that reach v; with ``wf_improved`` times the
    fraction of the other nodes that do.
    """
    if u is None:
        sums = call.sums("in")
        reached, total = sums.reached, sums.total
    else:
        [(_, row)] = call.rows(np.array([call.require(u)]), reverse=True)
        finite = row[np.isfinite(row)]
        reached, total = np.array([finite.size - 1]), finite.sum(keepdims=True)
    scores = np.zeros(reached.size)
    positive = total > 0
    scores[positive] = reached[positive] / total[positive]
    if wf_improved:
        scores[positive] *= reached[positive] / (len(call.G) - 1)
    return call.G.named(scores) if u is None else scores.item()


def harmonic_centrality(call: Call, nbunch: Any, sources: Any) -> dict[Any, float]:
    """``networkx.harmonic_centrality``."""
    G = call.G
    nodes, starts = set(G.nbunch_iter(nbunch)), set(G.nbunch_iter(sources))
    scores: dict[Any, float] = dict.fromkeys(nodes, 0)
    start_indices = G.numbers(starts)
    if len(nodes) < len(starts):
        for at, row in call.rows(G.numbers(nodes), reverse=True):
            distances = row[start_indices]
            distances = distances[(distances > 0) & np.isfinite(distances)]
            if distances.size:
                scores[G.names[at]] = float((1 / distances).sum())
    elif starts:
        sums = call.sums("in", None if len(starts) == len(G) else start_indices)
        for at in G.numbers(nodes).tolist():
            if sums.reached[at]:
                scores[G.names[at]] = float(sums.harmonic[at])
    return scores


def average_shortest_path_length(call: Call, method: str | None) -> float:
    """``networkx.average_shortest_path_length``."""
    G = call.G
    if method is None:
        method = "unweighted" if call.lengths is None else "dijkstra"
    if method not in METHODS:
        raise InputError(f"method not supported: {method}")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if len(G) == 1:
        return 0
    if method == "unweighted":
        call.lengths = None
    sums = call.sums("in")
    if not call.all_connected(sums):
        missing = "strongly connected" if G.directed else "connected"
        raise nx.NetworkXError(f"Graph is not {missing}.")
    return call.total(sums.total) / (len(G) * (len(G) - 1))


def global_efficiency(call: Call) -> float:
    """``networkx.global_efficiency``."""
    pairs = len(call.G) * (len(call.G) - 1)
    return float(call.sums("in").harmonic.sum()) / pairs if pairs else 0


def wiener_index(call: Call) -> float:
    """``networkx.wiener_index``: the sum of all distances, each unordered pair once."""
    totals = _totals(call)
    total = math.inf if totals is None else call.total(totals)
    return total if call.G.directed else total / 2


def _totals(call: Call) -> NDArray[Any] | None:
    """Sum of the distances to each node; None if the graph is not connected."""
    _require_nodes(call)
    sums = call.sums("in")
    return sums.total if call.all_connected(sums) else None


def _require_nodes(call: Call) -> None:
    """Raise NetworkX's error if the graph has no nodes."""
    if not len(call.G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


def eccentricity(call: Call, v: Any) -> Any:
    """``networkx.eccentricity``."""
    found = _eccentricities(call, v)
    return found[v] if v in call.G else found


def _of_all(call: Call, e: Any, usebounds: bool, *, answer: Callable[[Distances], Any]) -> Any:
    """``answer`` of the eccentricities ``e``, by default those of all nodes.

    ``usebounds`` saves NetworkX searches; it changes errors, but no result.
    """
    if e is None:
        by_bounds, message = usebounds is True and not call.G.directed, ""
        if by_bounds and not len(call.G):
            max(())  # the error of NetworkX, which looks for the node of highest degree first
        if by_bounds:
            message = "Cannot compute metric because graph is not connected."
        e = _eccentricities(call, message=message)
    return answer(e)


def _nodes_at(extreme: Callable[[Iterable[float]], float], by_node: Distances) -> list[Any]:
    """Nodes of the extreme (least or greatest) eccentricity."""
    sought = extreme(by_node.values())
    return [v for v in by_node if by_node[v] == sought]


diameter = partial(_of_all, answer=lambda by_node: max(by_node.values()))
radius = partial(_of_all, answer=lambda by_node: min(by_node.values()))
periphery = partial(_of_all, answer=partial(_nodes_at, max))


def center(call: Call, e: Any, usebounds: bool) -> Any:
    """``networkx.center``."""
    is_plain = e is None and call.lengths is None and usebounds is not True
    if is_plain and not len(call.G) and not call.G.directed:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return _of_all(call, e, usebounds, answer=partial(_nodes_at, min))


def barycenter(call: Call) -> list[Any]:
    """``networkx.barycenter``."""
    G, undirected = call.G, call.lengths is None and not call.G.directed
    if not call.exact:
        raise handed_back("ties of sums of fractions depend on the order of addition")
    if not len(G):
        if undirected:
            raise nx.NetworkXPointlessConcept("G has no nodes.")
        return []
    sums = call.sums("out")
    if not call.all_connected(sums):
        raise nx.NetworkXNoPath(
            f"Input graph {G} is disconnected, so every induced subgraph has infinite "
            "barycentricity."
        )
    if sums.total.max() >= WHOLE:
        raise handed_back(BEYOND)
    best = np.flatnonzero(sums.total == sums.total.min())
    if undirected and G.number_of_edges() == len(G) - 1:
        # In a tree, NetworkX lists the barycenter nearest to the first node first.
        [(_, away)] = call.rows(np.zeros(1, dtype=np.int64))
        best = best[away[best].argsort(kind="stable")]
    return [G.names[at] for at in best.tolist()]


centroid = barycenter  # its name in NetworkX 3.7


def _eccentricities(call: Call, v: Any = None, *, message: str = "") -> Distances:
    """Distances of the nodes of ``v``; an infinite one raises an error with ``message``."""
    G = call.G
    if SINCE_3_7 and not len(G):  # before 3.7 the result is empty
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    nodes = list(dict.fromkeys(G.nbunch_iter(v)))
    if not nodes:
        return {}
    farthest = _farthest(call, G.numbers(nodes))
    if np.isinf(farthest).any():
        kind = "digraph is not strongly" if G.directed else "graph is not"
        raise nx.NetworkXError(
            message or f"Found infinite path length because the {kind} connected"
        )
    return {v: call.number(far) for v, far in zip(nodes, farthest.tolist(), strict=True)}


def _farthest(call: Call, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Greatest distance from each node; inexact sums run from the node outwards, as in NetworkX."""
    if nodes.size < len(call.G) or not call.exact:
        return np.array([row.max() for _, row in call.rows(nodes)])
    sums = call.sums("out")
    reaches_all = sums.reached == len(call.G) - 1
    return np.where(reaches_all, sums.farthest.astype(np.float64), np.inf)[nodes]


def all_pairs_shortest_path_length(
    call: Call, cutoff: float | None
) -> Iterator[tuple[Any, Distances]]:
    """``networkx.all_pairs_shortest_path_length``: a step counts if it begins below the cutoff."""
    return _by_source(call, lambda row: row - 1 < cutoff if cutoff is not None else row < np.inf)


def all_pairs_dijkstra_path_length(
    call: Call, cutoff: float | None
) -> Iterator[tuple[Any, Distances]]:
    """``networkx.all_pairs_dijkstra_path_length``."""
    return _by_source(call, lambda row: row <= cutoff if cutoff is not None else row < np.inf)


def _by_source(
    call: Call, within: Callable[[NDArray[np.float64]], NDArray[np.bool_]]
) -> Iterator[tuple[Any, Distances]]:
    """Yield each node with the distances by node that are finite and ``within``, ascending."""
    names = call.G.names
    for source, row in call.rows(np.arange(len(call.G))):
        near = within(row) & np.isfinite(row)
        near[source] = True
        order = np.flatnonzero(near)
        order = order[row[order].argsort(kind="stable")]
        values = row[order]
        if call.lengths is None or call.lengths.integer:
            values = values.astype(np.int64)
        found = dict(zip(map(names.__getitem__, order.tolist()), values.tolist(), strict=True))
        found[names[source]] = 0  # an int in NetworkX, whatever the lengths are
        yield names[source], found
