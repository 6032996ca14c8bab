"""Measures that add up distances: closeness, harmonic centrality, mean path length, indices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..run.options import SearchOptions
from .graph import SparseGraph
from .lengths import Lengths, Weight
from .sums import (
    all_connected,
    distance_rows,
    distance_sums,
    lengths_against,
    number,
    require,
    require_nodes,
)

METHODS = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")


def closeness_centrality(
    G: SparseGraph,
    u: Any,
    distance: Weight | None,
    wf_improved: bool,
    *,
    run: SearchOptions,
) -> Any:
    """``networkx.closeness_centrality``."""
    lengths = lengths_against(G, distance)
    if u is None:
        sums = distance_sums(G, lengths, "in", run)
        return G.named(_closeness(sums.reached, sums.total, len(G), wf_improved))
    here = np.array([require(G, u, lengths)])
    [(_, row)] = distance_rows(G, lengths, here, run, reverse=True)
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
    G: SparseGraph, nbunch: Any, distance: Weight | None, sources: Any, *, run: SearchOptions
) -> dict[Any, float]:
    """``networkx.harmonic_centrality``."""
    lengths = G.lengths(distance)
    nodes, starts = set(G.nbunch_iter(nbunch)), set(G.nbunch_iter(sources))
    scores: dict[Any, float] = dict.fromkeys(nodes, 0)
    from_all = G.numbers(starts)
    if len(nodes) < len(starts):
        lengths = lengths_against(G, distance)
        for at, row in distance_rows(G, lengths, G.numbers(nodes), run, reverse=True):
            there = row[from_all]
            there = there[(there > 0) & np.isfinite(there)]
            if there.size:
                scores[G.names[at]] = float((1 / there).sum())
    elif starts:
        sums = distance_sums(G, lengths, "in", run, None if len(starts) == len(G) else from_all)
        for at in G.numbers(nodes).tolist():
            if sums.reached[at]:
                scores[G.names[at]] = float(sums.harmonic[at])
    return scores


def average_shortest_path_length(
    G: SparseGraph, weight: Weight | None, method: str | None, *, run: SearchOptions
) -> float:
    """``networkx.average_shortest_path_length``."""
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
    sums = distance_sums(G, lengths, "in", run)
    if not all_connected(G, sums):
        missing = "strongly connected" if G.directed else "connected"
        raise nx.NetworkXError(f"Graph is not {missing}.")
    return number(sums.total.sum(), lengths) / (n * (n - 1))


def global_efficiency(G: SparseGraph, *, run: SearchOptions) -> float:
    """``networkx.global_efficiency``."""
    pairs = len(G) * (len(G) - 1)
    if not pairs:
        return 0
    return float(distance_sums(G, None, "in", run).harmonic.sum()) / pairs


def global_reaching_centrality(G: SparseGraph, normalized: bool, *, run: SearchOptions) -> float:
    """``networkx.global_reaching_centrality``, without lengths: ties would depend on an order.

    ``normalized`` has no effect without lengths.
    """
    n = len(G)
    if not G.indices.size:
        raise nx.NetworkXError("Size of G must be positive")
    if n == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    sums = distance_sums(G, None, "out", run)
    local: list[float] = ((sums.reached if G.directed else sums.harmonic) / (n - 1)).tolist()
    most = max(local)
    return math.fsum(most - score for score in local) / (n - 1)


def wiener_index(G: SparseGraph, weight: Weight | None, *, run: SearchOptions) -> float:
    """``networkx.wiener_index``: the sum of all distances, unordered pairs once."""
    lengths, totals = _totals(G, weight, run)
    total = math.inf if totals is None else number(totals.sum(), lengths)
    return total if G.directed else total / 2


def schultz_index(G: SparseGraph, weight: Weight | None, *, run: SearchOptions) -> float:
    """``networkx.schultz_index``: the sum of d(u, v) (deg u + deg v) over unordered pairs."""
    _, totals = _totals(G, weight, run)
    # d(u, v) deg u and d(v, u) deg v, halved
    return math.inf if totals is None else float((totals * G.degrees).sum())


def gutman_index(G: SparseGraph, weight: Weight | None, *, run: SearchOptions) -> float:
    """``networkx.gutman_index``: the sum of d(u, v) deg u deg v over unordered pairs."""
    degrees = G.degrees
    return _of_pairs(G, weight, run, lambda u, row: degrees[u] * (row @ degrees))


def hyper_wiener_index(G: SparseGraph, weight: Weight | None, *, run: SearchOptions) -> float:
    """``networkx.hyper_wiener_index``: the sum of d + d^2 over unordered pairs."""
    return _of_pairs(G, weight, run, lambda u, row: (row + row**2).sum())


def _totals(
    G: SparseGraph, weight: Weight | None, run: SearchOptions
) -> tuple[Lengths | None, NDArray[Any] | None]:
    """The lengths, and the sum of distances to each node; None if the graph is not connected."""
    lengths = G.lengths(weight)
    require_nodes(G)
    sums = distance_sums(G, lengths, "in", run)
    return lengths, sums.total if all_connected(G, sums) else None


def _of_pairs(
    G: SparseGraph,
    weight: Weight | None,
    run: SearchOptions,
    term: Callable[[int, NDArray[np.float64]], float],
) -> float:
    """Half the sum of a term of each node and its distances; inf if the graph is not connected."""
    lengths = G.lengths(weight)
    require_nodes(G)
    total = 0.0
    for u, row in distance_rows(G, lengths, np.arange(len(G)), run):
        if np.isinf(row).any():
            return math.inf
        total += float(term(u, row))
    return total / 2
