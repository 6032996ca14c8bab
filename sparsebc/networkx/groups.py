"""Betweenness of groups of nodes, and a group that meets many paths, by their definitions."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..measures.group_betweenness import group_betweenness
from ..measures.prominent_group import prominent_group as greedy_group
from ..run.options import SearchOptions
from .backend_info import SINCE_3_7
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Weight, raw_scores


def group_betweenness_centrality(
    G: SparseGraph,
    C: Any,
    normalized: bool,
    weight: Weight | None,
    endpoints: bool,
    *,
    run: SearchOptions,
) -> float | list[float]:
    """``networkx.group_betweenness_centrality``, by its definition.

    NetworkX has other numbers for some groups of three nodes and more, before 3.7 for more of them.
    """
    one = any(node in G for node in C)
    groups = [set(group) for group in ([C] if one else C)]
    _check(set().union(*groups), G)
    raw = _raw(G, groups, weight, endpoints=endpoints, run=run)
    # NetworkX divides by all pairs where ends count from 3.7 on.
    counted = [len(G) if endpoints and SINCE_3_7 else len(G) - len(group) for group in groups]
    scores = [_scaled(G, *pair, normalized) for pair in zip(raw, counted, strict=True)]
    return scores[0] if one else scores


def prominent_group(
    G: SparseGraph,
    k: int,
    weight: Weight | None,
    C: Iterable[Any] | None,
    endpoints: bool,
    normalized: bool,
    greedy: bool,
    *,
    run: SearchOptions,
) -> tuple[float, list[Any]]:
    """``networkx.prominent_group`` with ``greedy=True``; of nodes that tie, the greatest."""
    if not greedy:
        raise handed_back("sparsebc has no exact search for a group: use greedy=True")
    left_out = set(C or ())
    _check(left_out, G)
    lengths = G.lengths(weight)
    order = np.arange(len(G))
    with suppress(TypeError):  # names that do not compare
        falling: list[Any] = sorted(G, reverse=True)
        order = G.numbers(falling)
    candidates = [at for at, node in enumerate(order.tolist()) if G.names[node] not in left_out]
    matrix = G.matrix(weight)[order][:, order]
    chosen: dict[str, Any] = {"size": k, "directed": G.directed, "candidates": candidates}
    found = raw_scores(greedy_group, matrix, lengths, **chosen, **run)
    group = [G.names[node] for node in order[found.nodes]]
    (raw,) = _raw(G, [set(group)], weight, endpoints=endpoints, run=run)
    score = _scaled(G, raw, len(G) - len(group), normalized)
    return float(f"{score:.2f}"), group  # as NetworkX rounds it


def _check(nodes: set[Any], G: SparseGraph) -> None:
    missing = {node for node in nodes if node not in G}
    if missing:
        raise nx.NodeNotFound(f"The node(s) {missing} are in C but not in G.")


def _raw(
    G: SparseGraph, groups: list[set[Any]], weight: Weight | None, *, endpoints: bool, run: Any
) -> list[float]:
    """Sum over ordered pairs of each group; 0 of one without nodes."""
    lengths = G.lengths(weight)
    raw: NDArray[np.float64] = np.zeros(len(groups))
    asked = [i for i, group in enumerate(groups) if group]
    if asked:
        chosen: dict[str, Any] = {"directed": G.directed, "endpoints": bool(endpoints)}
        chosen["groups"] = [G.numbers(groups[i]) for i in asked]
        raw[asked] = raw_scores(group_betweenness, G.adjacency(lengths), lengths, **chosen, **run)
    listed: list[float] = (raw * (1 if G.directed else 2)).tolist()
    return listed


def _scaled(G: SparseGraph, raw: float, counted: int, normalized: bool) -> float:
    """A score from a sum over the ordered pairs of so many nodes."""
    if normalized:
        return raw / (counted * (counted - 1))
    return raw / (1 if G.directed else 2)
