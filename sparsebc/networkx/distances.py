"""Measures that add up distances: closeness, harmonic centrality, mean path length, indices."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from . import settings
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Weight
from .sums import all_connected, distance_rows, distance_sums, lengths_against, number, require

METHODS = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")


def closeness_centrality(
    G: SparseGraph,
    u: Any = None,
    distance: Weight | None = None,
    wf_improved: bool = True,
    *,
    sp: Any = None,
    **run: Any,
) -> Any:
    """``networkx.closeness_centrality``; ``sp`` as of NetworkX 3.7."""
    if sp is not None:
        raise handed_back("sp holds all distances: nothing is left for sparsebc to do")
    options, lengths = settings.for_searches(run), lengths_against(G, distance)
    if u is None:
        sums = distance_sums(G, lengths, "in", options)
        return G.named(_closeness(sums.reached, sums.total, len(G), wf_improved))
    here = np.array([require(G, u, lengths)])
    [(_, row)] = distance_rows(G, lengths, here, options, reverse=True)
    there = row[np.isfinite(row)]
    reached, total = np.array([there.size - 1]), there.sum(keepdims=True)
    return _closeness(reached, total, len(G), wf_improved).item()


def _closeness(
    reached: NDArray[np.int64], total: NDArray[Any], n: int, wf_improved: bool
) -> NDArray[np.float64]:
    """One over the mean distance from the nodes that reach it, times their share of all."""
    scores = np.zeros(reached.size)
    some = total > 0
    scores[some] = reached[some] / total[some]
    if wf_improved:
        scores[some] *= reached[some] / (n - 1)
    return scores


def harmonic_centrality(
    G: SparseGraph,
    nbunch: Any = None,
    distance: Weight | None = None,
    sources: Any = None,
    **run: Any,
) -> dict[Any, float]:
    """``networkx.harmonic_centrality``."""
    options, lengths = settings.for_searches(run), G.lengths(distance)
    nodes, starts = set(G.nbunch_iter(nbunch)), set(G.nbunch_iter(sources))
    scores: dict[Any, float] = dict.fromkeys(nodes, 0)
    from_all = G.numbers(starts)
    if len(nodes) < len(starts):
        lengths = lengths_against(G, distance)
        for at, row in distance_rows(G, lengths, G.numbers(nodes), options, reverse=True):
            there = row[from_all]
            there = there[(there > 0) & np.isfinite(there)]
            if there.size:
                scores[G.names[at]] = float((1 / there).sum())
    elif starts:
        sums = distance_sums(G, lengths, "in", options, None if len(starts) == len(G) else from_all)
        for at in G.numbers(nodes).tolist():
            if sums.reached[at]:
                scores[G.names[at]] = float(sums.harmonic[at])
    return scores


def average_shortest_path_length(
    G: SparseGraph, weight: Weight | None = None, method: str | None = None, **run: Any
) -> float:
    """``networkx.average_shortest_path_length``."""
    options = settings.for_searches(run)
    method = method or ("unweighted" if weight is None else "dijkstra")
    if method not in METHODS:
        raise InputError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if n == 1:
        return 0
    lengths = G.lengths(None if method == "unweighted" else weight)
    sums = distance_sums(G, lengths, "in", options)
    if not all_connected(G, sums):
        missing = "strongly connected" if G.directed else "connected"
        raise nx.NetworkXError(f"Graph is not {missing}.")
    return number(sums.total.sum(), lengths) / (n * (n - 1))


def global_efficiency(G: SparseGraph, **run: Any) -> float:
    """``networkx.global_efficiency``."""
    options, pairs = settings.for_searches(run), len(G) * (len(G) - 1)
    if not pairs:
        return 0
    return float(distance_sums(G, None, "in", options).harmonic.sum()) / pairs


def global_reaching_centrality(
    G: SparseGraph, weight: Weight | None = None, normalized: bool = True, **run: Any
) -> float:
    """``networkx.global_reaching_centrality``, without lengths: ties would depend on an order.

    ``normalized`` has no effect without lengths.
    """
    if weight is not None:
        raise handed_back("sparsebc serves global_reaching_centrality without a weight")
    options, n = settings.for_searches(run), len(G)
    if not G.indices.size:
        raise nx.NetworkXError("Size of G must be positive")
    if n == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    sums = distance_sums(G, None, "out", options)
    local: list[float] = ((sums.reached if G.directed else sums.harmonic) / (n - 1)).tolist()
    most = max(local)
    return math.fsum(most - score for score in local) / (n - 1)


def wiener_index(G: SparseGraph, weight: Weight | None = None, **run: Any) -> float:
    """``networkx.wiener_index``: the sum of all distances, unordered pairs once."""
    options, lengths = settings.for_searches(run), G.lengths(weight)
    _check_not_null(G)
    sums = distance_sums(G, lengths, "in", options)
    if not all_connected(G, sums):
        return math.inf
    total = number(sums.total.sum(), lengths)
    return total if G.directed else total / 2


def schultz_index(G: SparseGraph, weight: Weight | None = None, **run: Any) -> float:
    """``networkx.schultz_index``: the sum of d(u, v) (deg u + deg v) over unordered pairs."""
    options, lengths = settings.for_searches(run), G.lengths(weight)
    _check_not_null(G)
    sums = distance_sums(G, lengths, "in", options)
    if not all_connected(G, sums):
        return math.inf
    return float((sums.total * G.degrees).sum())  # d(u, v) deg u and d(v, u) deg v, halved


def gutman_index(G: SparseGraph, weight: Weight | None = None, **run: Any) -> float:
    """``networkx.gutman_index``: the sum of d(u, v) deg u deg v over unordered pairs."""
    degrees = G.degrees
    return _of_pairs(G, weight, run, lambda u, row: degrees[u] * (row @ degrees))


def hyper_wiener_index(G: SparseGraph, weight: Weight | None = None, **run: Any) -> float:
    """``networkx.hyper_wiener_index``: the sum of d + d^2 over unordered pairs."""
    return _of_pairs(G, weight, run, lambda u, row: (row + row**2).sum())


def _of_pairs(G: SparseGraph, weight: Weight | None, run: Any, term: Any) -> float:
    """Half the sum of a term of each node and its distances; inf if the graph is not connected."""
    options, lengths = settings.for_searches(run), G.lengths(weight)
    _check_not_null(G)
    total = 0.0
    for u, row in distance_rows(G, lengths, np.arange(len(G)), options):
        if np.isinf(row).any():
            return math.inf
        total += float(term(u, row))
    return total / 2


def _check_not_null(G: SparseGraph) -> None:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
