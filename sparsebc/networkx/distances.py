"""Measures from sums of distances: closeness, harmonic centrality, efficiency, Wiener indices."""

import math
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .call import Call

METHODS = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")


def closeness_centrality(call: Call, u: Any, wf_improved: bool) -> Any:
    """``networkx.closeness_centrality``.

    Inverse of the mean distance from the nodes that reach v; with ``wf_improved`` times the
    fraction of the other nodes that do.
    """
    call.refuse_reversed_callable()
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
    method = method or ("unweighted" if call.weight is None else "dijkstra")
    if method not in METHODS:
        raise InputError(f"method not supported: {method}")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if len(G) == 1:
        return 0
    if method == "unweighted":
        call.weight = None
    sums = call.sums("in")
    if not call.all_connected(sums):
        missing = "strongly connected" if G.directed else "connected"
        raise nx.NetworkXError(f"Graph is not {missing}.")
    return call.number(sums.total.sum()) / (len(G) * (len(G) - 1))


def global_efficiency(call: Call) -> float:
    """``networkx.global_efficiency``."""
    pairs = len(call.G) * (len(call.G) - 1)
    return float(call.sums("in").harmonic.sum()) / pairs if pairs else 0


def global_reaching_centrality(call: Call, normalized: bool) -> float:
    """``networkx.global_reaching_centrality``, unweighted: ``normalized`` has no effect.

    The weighted one depends on which of several shortest paths NetworkX finds.
    """
    G = call.G
    if not G.indices.size:
        raise nx.NetworkXError("Size of G must be positive")
    if len(G) == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    sums, others = call.sums("out"), len(G) - 1
    local: list[float] = ((sums.reached if G.directed else sums.harmonic) / others).tolist()
    most = max(local)
    return math.fsum(most - score for score in local) / others


def wiener_index(call: Call) -> float:
    """``networkx.wiener_index``: the sum of all distances, each unordered pair once."""
    totals = _totals(call)
    total = math.inf if totals is None else call.number(totals.sum())
    return total if call.G.directed else total / 2


def schultz_index(call: Call) -> float:
    """``networkx.schultz_index``: the sum of d(u, v) (deg u + deg v) over unordered pairs."""
    totals = _totals(call)
    # The sum of d(u, v) deg v over ordered pairs: d is symmetric.
    return math.inf if totals is None else float((totals * call.G.degrees).sum())


def gutman_index(call: Call) -> float:
    """``networkx.gutman_index``: the sum of d(u, v) deg u deg v over unordered pairs."""
    degrees = call.G.degrees
    return _of_pairs(call, lambda u, row: degrees[u] * (row @ degrees))


def hyper_wiener_index(call: Call) -> float:
    """``networkx.hyper_wiener_index``: the sum of d + d^2 over unordered pairs."""
    return _of_pairs(call, lambda u, row: (row + row**2).sum())


def _totals(call: Call) -> NDArray[Any] | None:
    """Sum of the distances to each node; None if the graph is not connected."""
    call.require_nodes()
    sums = call.sums("in")
    return sums.total if call.all_connected(sums) else None


def _of_pairs(call: Call, term: Callable[[int, NDArray[np.float64]], float]) -> float:
    """Half the sum of ``term(u, distances of u)`` over all u; inf if the graph is not connected."""
    call.require_nodes()
    total = 0.0
    for u, row in call.rows(np.arange(len(call.G))):
        if np.isinf(row).any():
            return math.inf
        total += float(term(u, row))
    return total / 2
