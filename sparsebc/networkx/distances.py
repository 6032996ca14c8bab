"""Distances of all pairs, and what is found from them: sums, extremes, and nodes of extremes."""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..matrix.edge_weights import WHOLE
from .call import BEYOND, Call
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
        if u not in call.G:
            call.fail(u=u, distance=call.lengths and "weight")
        [(_, row)] = call.rows(call.G.numbers([u]), reverse=True)
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
    is_known = method is None or method in METHODS
    if method == "unweighted":
        call.lengths = None
    sums = call.sums("in") if is_known else None
    if sums is None or not call.all_connected(sums):
        call.fail(method=method)
    return call.total(sums.total) / (len(call.G) * (len(call.G) - 1))


def global_efficiency(call: Call) -> float:
    """``networkx.global_efficiency``."""
    return float(call.sums("in").harmonic.sum()) / (len(call.G) * (len(call.G) - 1))


def wiener_index(call: Call) -> float:
    """``networkx.wiener_index``: the sum of all distances, each unordered pair once."""
    sums = call.sums("in")
    total = call.total(sums.total) if call.all_connected(sums) else math.inf
    return total if call.G.directed else total / 2


def eccentricity(call: Call, v: Any) -> Any:
    """``networkx.eccentricity``."""
    found = _eccentricities(call, v)
    return found[v] if v in call.G else found


def _extreme(extreme: Callable[[Iterable[float]], float], call: Call, usebounds: bool) -> float:
    """Extreme eccentricity. ``usebounds`` saves NetworkX searches, and changes errors alone."""
    return extreme(_eccentricities(call, usebounds=usebounds).values())


def _nodes_at(
    extreme: Callable[[Iterable[float]], float], call: Call, usebounds: bool
) -> list[Any]:
    """Nodes of the extreme eccentricity."""
    found = _eccentricities(call, usebounds=usebounds)
    sought = extreme(found.values())
    return [v for v in found if found[v] == sought]


diameter, radius = partial(_extreme, max), partial(_extreme, min)
periphery, center = partial(_nodes_at, max), partial(_nodes_at, min)


def barycenter(call: Call) -> list[Any]:
    """``networkx.barycenter``."""
    G = call.G
    if call.lengths is not None and not call.lengths.whole:
        raise handed_back("ties of sums of fractions depend on the order of addition")
    sums = call.sums("out")
    is_sparse = call.lengths is None and not G.directed and G.number_of_edges() == len(G) - 1
    if is_sparse or not call.all_connected(sums):
        found: list[Any] = call.by_networkx()  # in the order of a search of the tree, or an error
        return found
    if sums.total.max() >= WHOLE:
        raise handed_back(BEYOND)
    return [G.names[at] for at in np.flatnonzero(sums.total == sums.total.min()).tolist()]


centroid = barycenter  # its name in NetworkX 3.7


def _eccentricities(call: Call, v: Any = None, **asked: Any) -> Distances:
    """Distances of the farthest nodes from those of ``v``; NetworkX's error if one is infinite."""
    nodes = list(dict.fromkeys(call.G.nbunch_iter(v)))
    numbers, is_exact = call.G.numbers(nodes), call.lengths is None or call.lengths.whole
    if len(nodes) < len(call.G) or not is_exact:  # inexact sums run outwards, as in NetworkX
        farthest = np.array([row.max() for _, row in call.rows(numbers)])
    else:
        sums = call.sums("out")
        reaches_all = sums.reached == len(call.G) - 1
        farthest = np.where(reaches_all, sums.farthest.astype(np.float64), np.inf)[numbers]
    if np.isinf(farthest).any():
        call.fail(**asked)
    number = int if call.lengths is None or call.lengths.integer else float
    return {v: number(far) if far else 0 for v, far in zip(nodes, farthest.tolist(), strict=True)}


def all_pairs_dijkstra_path_length(
    call: Call, cutoff: float | None, *, by_step: bool = False
) -> Iterator[tuple[Any, Distances]]:
    """``networkx.all_pairs_dijkstra_path_length``: each node with the distances, ascending.

    A path counts up to the cutoff; or ``by_step`` a step that begins below it.
    """
    names = call.G.names
    for source, row in call.rows(np.arange(len(call.G))):
        near = np.isfinite(row)
        if cutoff is not None:
            near &= row - 1 < cutoff if by_step else row <= cutoff
        near[source] = True
        order = np.flatnonzero(near)
        order = order[row[order].argsort(kind="stable")]
        values = row[order]
        if call.lengths is None or call.lengths.integer:
            values = values.astype(np.int64)
        found = dict(zip(map(names.__getitem__, order.tolist()), values.tolist(), strict=True))
        found[names[source]] = 0  # an int in NetworkX, whatever the lengths are
        yield names[source], found


all_pairs_shortest_path_length = partial(all_pairs_dijkstra_path_length, by_step=True)
