"""Eccentricity, and the nodes that have the least or the greatest of it; barycentres."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..run.options import SearchOptions
from .backend_info import SINCE_3_7
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Lengths, Weight
from .sums import all_connected, distance_rows, distance_sums, number

# Searches from more than one in so many nodes cost no less than those from all.
FEW = 8


def eccentricity(G: SparseGraph, v: Any, weight: Weight | None, *, run: SearchOptions) -> Any:
    """``networkx.eccentricity``."""
    found = _eccentricities(G, v, weight, run)
    return found[v] if v in G else found


def _served(answer: Callable[[dict[Any, float]], Any]) -> Callable[..., Any]:
    """NetworkX's function that gives one answer about the eccentricities of all nodes.

    ``usebounds`` asks NetworkX for fewer searches; the result is the same.
    """

    def function(
        G: SparseGraph, e: Any, usebounds: bool, weight: Weight | None, *, run: SearchOptions
    ) -> Any:
        if e is not None:
            return answer(e)
        if usebounds is not True or G.directed:
            return answer(_eccentricities(G, None, weight, run))
        if not len(G):
            max(())  # NetworkX looks for the busiest node first, and this is how it fails
        missing = "Cannot compute metric because graph is not connected."
        return answer(_eccentricities(G, None, weight, run, missing))

    return function


def _nodes_at(extreme: Callable[[Iterable[float]], float], known: dict[Any, float]) -> list[Any]:
    """The nodes of the least or of the greatest eccentricity."""
    sought = extreme(known.values())
    return [v for v in known if known[v] == sought]


diameter = _served(lambda known: max(known.values()))
radius = _served(lambda known: min(known.values()))
periphery = _served(partial(_nodes_at, max))
_center = _served(partial(_nodes_at, min))


def center(
    G: SparseGraph, e: Any, usebounds: bool, weight: Weight | None, *, run: SearchOptions
) -> Any:
    """``networkx.center``."""
    if not len(G) and e is None and weight is None and not G.directed and usebounds is not True:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return _center(G, e, usebounds, weight, run=run)


def barycenter(G: SparseGraph, weight: Weight | None, *, run: SearchOptions) -> list[Any]:
    """``networkx.barycenter``."""
    lengths = G.lengths(weight)
    if lengths is not None and not lengths.whole:
        raise handed_back("which sums of fractions are equal depends on their order")
    if not len(G):
        if lengths is None and not G.directed:
            raise nx.NetworkXPointlessConcept("G has no nodes.")
        return []
    sums = distance_sums(G, lengths, "out", run)
    if not all_connected(G, sums):
        raise nx.NetworkXNoPath(
            f"Input graph {G} is disconnected, so every induced subgraph has infinite "
            "barycentricity."
        )
    best = np.flatnonzero(sums.total == sums.total.min())
    if lengths is None and not G.directed and G.number_of_edges() == len(G) - 1:
        # NetworkX walks through a tree from its first node, and meets the nearer one first.
        [(_, away)] = distance_rows(G, None, np.zeros(1, dtype=np.int64), run)
        best = best[away[best].argsort(kind="stable")]
    return [G.names[at] for at in best.tolist()]


centroid = barycenter  # as NetworkX 3.7 calls it


def _eccentricities(
    G: SparseGraph, v: Any, weight: Weight | None, run: SearchOptions, missing: str | None = None
) -> dict[Any, float]:
    """Eccentricities of the nodes that ``v`` names; ``missing`` is said where there is no path."""
    if SINCE_3_7 and not len(G):  # before, there was none to give
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    lengths, nodes = G.lengths(weight), list(dict.fromkeys(G.nbunch_iter(v)))
    if not nodes:
        return {}
    missing = missing or (
        "Found infinite path length because the digraph is not strongly connected"
        if G.directed
        else "Found infinite path length because the graph is not connected"
    )
    farthest = _farthest(G, lengths, nodes, run)
    if np.isinf(farthest).any():
        raise nx.NetworkXError(missing)
    return {v: number(far, lengths) for v, far in zip(nodes, farthest.tolist(), strict=True)}


def _farthest(
    G: SparseGraph, lengths: Lengths | None, nodes: list[Any], run: SearchOptions
) -> NDArray[np.float64]:
    """Greatest distance from each node; fractions are added up from the node on, as in NetworkX."""
    numbers = G.numbers(nodes)
    if len(nodes) * FEW < len(G) or not (lengths is None or lengths.whole):
        rows = distance_rows(G, lengths, numbers, run)
        return np.array([row.max() for _, row in rows])
    sums = distance_sums(G, lengths, "out", run)
    farthest: NDArray[np.float64] = sums.farthest.astype(np.float64)
    farthest[sums.reached < len(G) - 1] = np.inf
    chosen: NDArray[np.float64] = farthest[numbers]
    return chosen
