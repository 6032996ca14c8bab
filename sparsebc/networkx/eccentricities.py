"""Eccentricity, radius and diameter; center, periphery and barycenter."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .call import Call
from .functions import SINCE_3_7
from .lengths import handed_back

# Single searches from n / FEW nodes cost as much as batches of all n nodes.
FEW = 8
Eccentricities = dict[Any, float]  # by node


def eccentricity(call: Call, v: Any) -> Any:
    """``networkx.eccentricity``."""
    found = _eccentricities(call, v)
    return found[v] if v in call.G else found


def _of_all(call: Call, e: Any, usebounds: bool, *, answer: Callable[[Eccentricities], Any]) -> Any:
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


def _nodes_at(extreme: Callable[[Iterable[float]], float], by_node: Eccentricities) -> list[Any]:
    """Nodes of the extreme (least or greatest) eccentricity."""
    sought = extreme(by_node.values())
    return [v for v in by_node if by_node[v] == sought]


diameter = partial(_of_all, answer=lambda by_node: max(by_node.values()))
radius = partial(_of_all, answer=lambda by_node: min(by_node.values()))
periphery = partial(_of_all, answer=partial(_nodes_at, max))


def center(call: Call, e: Any, usebounds: bool) -> Any:
    """``networkx.center``."""
    is_plain = e is None and call.weight is None and usebounds is not True
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
    best = np.flatnonzero(sums.total == sums.total.min())
    if undirected and G.number_of_edges() == len(G) - 1:
        # In a tree, NetworkX lists the barycenter nearest to the first node first.
        [(_, away)] = call.rows(np.zeros(1, dtype=np.int64))
        best = best[away[best].argsort(kind="stable")]
    return [G.names[at] for at in best.tolist()]


centroid = barycenter  # its name in NetworkX 3.7


def _eccentricities(call: Call, v: Any = None, *, message: str = "") -> Eccentricities:
    """Eccentricities of the nodes of ``v``; an infinite one raises an error with ``message``."""
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
    if len(nodes) * FEW < len(call.G) or not call.exact:
        return np.array([row.max() for _, row in call.rows(nodes)])
    sums = call.sums("out")
    reaches_all = sums.reached[nodes] == len(call.G) - 1
    return np.where(reaches_all, sums.farthest[nodes].astype(np.float64), np.inf)
