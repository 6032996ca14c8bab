"""Group betweenness, and a greedy group of high betweenness, by their definitions."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..measures.groups import group_betweenness
from ..measures.groups import prominent_group as greedy_group
from .call import Call
from .functions import SINCE_3_7


def group_betweenness_centrality(
    call: Call, C: Any, normalized: bool, endpoints: bool
) -> float | list[float]:
    """``networkx.group_betweenness_centrality``, by its definition.

    NetworkX has other numbers for some groups of three or more nodes, before 3.7 for more of them.
    """
    is_single = any(node in call.G for node in C)
    groups = [set(group) for group in ([C] if is_single else C)]
    _check(call, set().union(*groups))
    # With endpoints, NetworkX divides by all pairs from 3.7 on.
    scores = _scores(call, groups, normalized, endpoints, all_pairs=endpoints and SINCE_3_7)
    return scores[0] if is_single else scores


def prominent_group(
    call: Call, k: int, C: Iterable[Any] | None, endpoints: bool, normalized: bool, greedy: bool
) -> tuple[float, list[Any]]:
    """``networkx.prominent_group`` with ``greedy=True``; ties go to the greatest node name."""
    G, left_out = call.G, set(C or ())
    _check(call, left_out)
    order = np.arange(len(G))
    with suppress(TypeError):  # names that do not compare
        descending: list[Any] = sorted(G, reverse=True)
        order = G.numbers(descending)
    candidates = [at for at, node in enumerate(order.tolist()) if G.names[node] not in left_out]
    matrix = G.csr(call.lengths)[order][:, order]
    chosen: dict[str, Any] = {"size": k, "directed": G.directed, "candidates": candidates}
    found = call.scores(greedy_group, matrix, **chosen)
    group = [G.names[node] for node in order[found.nodes]]
    (score,) = _scores(call, [set(group)], normalized, endpoints)
    return float(f"{score:.2f}"), group  # as NetworkX rounds it


def _check(call: Call, nodes: set[Any]) -> None:
    """Raise NetworkX's error if a node is not in the graph."""
    missing = {node for node in nodes if node not in call.G}
    if missing:
        raise nx.NodeNotFound(f"The node(s) {missing} are in C but not in G.")


def _scores(
    call: Call,
    groups: list[set[Any]],
    normalized: bool,
    endpoints: bool,
    *,
    all_pairs: bool = False,
) -> list[float]:
    """Score of each group, 0 if empty; normalized by the pairs outside of it, or by all pairs."""
    G = call.G
    raw: NDArray[np.float64] = np.zeros(len(groups))
    nonempty = [i for i, group in enumerate(groups) if group]
    if nonempty:
        chosen: dict[str, Any] = {"directed": G.directed, "endpoints": bool(endpoints)}
        chosen["groups"] = [G.numbers(groups[i]) for i in nonempty]
        raw[nonempty] = call.scores(group_betweenness, **chosen)
    if not normalized:
        return list(map(float, raw))
    ordered_sums: list[float] = (raw * (1 if G.directed else 2)).tolist()
    nodes_counted = [len(G) if all_pairs else len(G) - len(group) for group in groups]
    return [total / (m * (m - 1)) for total, m in zip(ordered_sums, nodes_counted, strict=True)]
