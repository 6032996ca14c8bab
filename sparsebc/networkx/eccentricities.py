"""Eccentricity, and the nodes that have the least or the greatest of it; barycentres."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from .backend_info import SINCE_3_7
from .call import Call
from .lengths import handed_back

# Searches from more than one in so many nodes cost no less than those from all.
FEW = 8
Known = dict[Any, float]  # eccentricities by node


def eccentricity(call: Call, v: Any) -> Any:
    """``networkx.eccentricity``."""
    found = _eccentricities(call, v)
    return found[v] if v in call.G else found


def _of_all(call: Call, e: Any, usebounds: bool, *, answer: Callable[[Known], Any]) -> Any:
    """An answer about the eccentricities of all nodes.

    ``usebounds`` asks NetworkX for fewer searches; the result is the same.
    """
    if e is None:
        by_bounds, missing = usebounds is True and not call.G.directed, ""
        if by_bounds and not len(call.G):
            max(())  # NetworkX looks for the busiest node first, and this is how it fails
        if by_bounds:
            missing = "Cannot compute metric because graph is not connected."
        e = _eccentricities(call, missing=missing)
    return answer(e)


def _nodes_at(extreme: Callable[[Iterable[float]], float], known: Known) -> list[Any]:
    """The nodes of the least or of the greatest eccentricity."""
    sought = extreme(known.values())
    return [v for v in known if known[v] == sought]


diameter = partial(_of_all, answer=lambda known: max(known.values()))
radius = partial(_of_all, answer=lambda known: min(known.values()))
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
        raise handed_back("which sums of fractions are equal depends on their order")
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
        # NetworkX walks through a tree from its first node, and meets the nearer one first.
        [(_, away)] = call.rows(np.zeros(1, dtype=np.int64))
        best = best[away[best].argsort(kind="stable")]
    return [G.names[at] for at in best.tolist()]


centroid = barycenter  # as NetworkX 3.7 calls it


def _eccentricities(call: Call, v: Any = None, *, missing: str = "") -> Known:
    """Eccentricities of the nodes that ``v`` names; ``missing`` is said where there is no path."""
    G = call.G
    if SINCE_3_7 and not len(G):  # before, there was none to give
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    nodes = list(dict.fromkeys(G.nbunch_iter(v)))
    if not nodes:
        return {}
    farthest = _farthest(call, G.numbers(nodes))
    if np.isinf(farthest).any():
        kind = "digraph is not strongly" if G.directed else "graph is not"
        raise nx.NetworkXError(
            missing or f"Found infinite path length because the {kind} connected"
        )
    return {v: call.number(far) for v, far in zip(nodes, farthest.tolist(), strict=True)}


def _farthest(call: Call, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Greatest distance from each node; fractions are added up from the node on, as in NetworkX."""
    if len(nodes) * FEW < len(call.G) or not call.exact:
        return np.array([row.max() for _, row in call.rows(nodes)])
    sums = call.sums("out")
    reaches_all = sums.reached[nodes] == len(call.G) - 1
    return np.where(reaches_all, sums.farthest[nodes].astype(np.float64), np.inf)
