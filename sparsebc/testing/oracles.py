"""Betweenness twice, in plain Python: by Brandes' algorithm, and by its definition.

The two share how their arguments are read, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise, permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Measure = Literal["betweenness", "edge_betweenness", "stress"]
Path = tuple[int, ...]
Edges = list[dict[int, Any]]  # of each node its successors, with the length of the edge
Search = tuple[list[int], dict[int, list[int]], dict[int, int]]


def brandes(
    A: Any,
    measure: Measure = "betweenness",
    *,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    sources: Iterable[int] | None = None,
    targets: Iterable[int] | None = None,
    source_weights: Sequence[float] | None = None,
    target_weights: Sequence[float] | None = None,
    cutoff: float = math.inf,
) -> NDArray[np.float64]:
    """Betweenness by Brandes' algorithm, in plain Python.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n)
        Adjacency: an entry off the diagonal is an edge.
    measure : {"betweenness", "edge_betweenness", "stress"}
        What is returned.
    directed, weighted, normalized, endpoints : bool
        As in `sparsebc.betweenness`; `endpoints` counts for "betweenness" alone. Sums of lengths
        are compared as floats, without a tolerance: give `weighted` lengths whose sums are exact,
        such as those that `lengths` draws.
    sources, targets, source_weights, target_weights, cutoff : optional
        As in `sparsebc.betweenness`.

    Returns
    -------
    ndarray, shape (n,) or, for "edge_betweenness", (n, n)
        Score of each node, or of each edge at its row and column.

    See Also
    --------
    by_definition : The same without the algorithm.

    Notes
    -----
    A search from each source counts the shortest paths to every node; then dependencies accumulate
    from the farthest node back [1]_. Stress, edges, endpoints and weights of targets are variants
    of the accumulation [2]_.

    References
    ----------
    .. [1] U. Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical
       Sociology 25, 163-177 (2001), doi:10.1080/0022250X.2001.9990249
    .. [2] U. Brandes, "On variants of shortest-path betweenness centrality and their generic
       computation", Social Networks 30, 136-145 (2008), doi:10.1016/j.socnet.2007.11.001

    Examples
    --------
    Two shortest paths lead from 0 to 3.

    >>> from sparsebc.testing import adjacency, brandes
    >>> A = adjacency(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    >>> brandes(A, normalized=False)
    array([0. , 0.5, 0.5, 0. ])
    >>> brandes(A, "stress")
    array([0., 1., 1., 0.])
    """
    edges = _read(A, directed, weighted)
    n = len(edges)
    a, alpha = _weights(n, source_weights, sources)
    o, omega = _weights(n, target_weights, targets)
    nodes, arcs, stress = np.zeros(n), np.zeros((n, n)), np.zeros(n)
    for s in range(n):
        stack, before, sigma = _search(edges, s, cutoff)
        delta, beyond = dict.fromkeys(stack, 0.0), dict.fromkeys(stack, 0.0)
        for w in reversed(stack):
            for v in before[w]:
                share = sigma[v] / sigma[w] * (omega[w] + delta[w])
                delta[v] += share
                beyond[v] += omega[w] + beyond[w]
                arcs[v, w] += alpha[s] * share
            if w != s:
                nodes[w] += alpha[s] * (delta[w] + endpoints * omega[w])
                nodes[s] += alpha[s] * endpoints * omega[w]
                stress[w] += alpha[s] * sigma[w] * beyond[w]

    pairs: Any = a.sum() * o.sum() - (a * o).sum()
    if measure == "stress" or not normalized:
        pairs = 1 if directed else 2
    elif measure == "betweenness" and not endpoints:  # pairs that v is no end of
        pairs = (a.sum() - a) * (o.sum() - o) - ((a * o).sum() - a * o)
    has_score: Any = n >= (2 if endpoints else 3)
    raw = nodes if measure == "betweenness" else stress
    if measure == "edge_betweenness":
        raw = arcs if directed else arcs + arcs.T
        has_score = np.array([w in ends for ends in edges for w in range(n)], dtype=bool)
        has_score = has_score.reshape(n, n)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN
        divisor = np.asarray(pairs, dtype=float)
        np.divide(raw, divisor, where=has_score, out=raw)
    return raw


def _search(edges: Edges, s: int, cutoff: float) -> Search:
    """Dijkstra's algorithm: nodes by distance from s, and their predecessors and path counts."""
    stack, before = list[int](), {s: list[int]()}
    sigma, distance, queue = {s: 1}, {s: 0.0}, [(0.0, s)]
    while queue:
        d, v = heappop(queue)
        if d > distance[v]:
            continue
        stack.append(v)
        for w, length in edges[v].items():
            if d + length <= cutoff and d + length < distance.get(w, math.inf):
                distance[w], sigma[w], before[w] = d + length, 0, []
                heappush(queue, (d + length, w))
            if d + length == distance.get(w):
                sigma[w] += sigma[v]
                before[w].append(v)
    return stack, before, sigma


def by_definition(
    A: Any,
    measure: Measure = "betweenness",
    *,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    sources: Iterable[int] | None = None,
    targets: Iterable[int] | None = None,
    source_weights: Sequence[float] | None = None,
    target_weights: Sequence[float] | None = None,
    cutoff: float = math.inf,
) -> NDArray[np.float64]:
    """Betweenness by its definition: shares of enumerated paths, added up as fractions.

    There is no recurrence, and no path is counted but by writing it down. The cost is that of all
    shortest paths.

    Parameters
    ----------
    A, measure, directed, weighted, normalized, endpoints
        As in `brandes`; sums of lengths are exact whatever they are.
    sources, targets, source_weights, target_weights, cutoff : optional
        As in `brandes`.

    Returns
    -------
    ndarray, shape (n,) or, for "edge_betweenness", (n, n)
        Score of each node, or of each edge at its row and column: a fraction, rounded once.

    See Also
    --------
    all_shortest_paths : The paths, for definitions of your own.

    Notes
    -----
    A pair (s, t) of nodes counts alpha(s) omega(t), of which each of its shortest paths has an
    equal share, or, for stress, all of it. It counts at the nodes of the path, without its ends
    unless `endpoints`, or at its edges. Normalized scores are divided by what all pairs count that
    could count there.

    Examples
    --------
    >>> from sparsebc.testing import adjacency, by_definition
    >>> A = adjacency(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    >>> by_definition(A, normalized=False)
    array([0. , 0.5, 0.5, 0. ])
    """
    n, of_edges = A.shape[0], measure == "edge_betweenness"
    a, alpha = _weights(n, source_weights, sources)
    o, omega = _weights(n, target_weights, targets)
    paths = all_shortest_paths(A, directed=directed, weighted=weighted, cutoff=cutoff)
    endpoints = endpoints and measure == "betweenness"
    edges = [(i, j) for i, ends in enumerate(_read(A, directed, weighted)) for j in ends]
    places: list[Any] = edges if of_edges else list(range(n))
    score = dict.fromkeys(places, Fraction())
    most: dict[Any, Fraction] = {}  # of each place that some pair could count at
    for s, t in permutations(range(n), 2):
        for place in places:
            if of_edges or endpoints or place not in (s, t):
                most[place] = most.get(place, 0) + a[s] * o[t]
        for path in paths.get((s, t), []):
            share = 1 if measure == "stress" else Fraction(1, len(paths[s, t]))
            for place in pairwise(path) if of_edges else path if endpoints else path[1:-1]:
                score[place] += share * alpha[s] * omega[t]
    if of_edges and not directed:
        score = {(i, j): score[i, j] + score[j, i] for i, j in places}
    if measure == "stress" or not normalized:
        most = dict.fromkeys(places, Fraction(1 if directed else 2))
    result = np.zeros((n, n) if of_edges else n)
    for place, count in most.items():
        result[place] = score[place] / count if count else math.nan
    return result


def all_shortest_paths(
    A: Any, *, directed: bool = True, weighted: bool = False, cutoff: float = math.inf
) -> dict[tuple[int, int], list[Path]]:
    """Every shortest path of every pair of nodes, written down.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n)
        Adjacency, as in `brandes`.
    directed, weighted : bool
        As in `brandes`; sums of lengths are exact.
    cutoff : number, optional
        Longest path that is looked for.

    Returns
    -------
    dict of (int, int) to list of tuple of int
        Of each pair (s, t) of different nodes with a path, its shortest paths, from s to t.

    Examples
    --------
    >>> from sparsebc.testing import adjacency, all_shortest_paths
    >>> A = adjacency(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    >>> all_shortest_paths(A)[0, 3]
    [(0, 1, 3), (0, 2, 3)]
    """
    edges = _read(A, directed, weighted)
    least: dict[tuple[int, int], Fraction] = {}
    found: dict[tuple[int, int], list[Path]] = {}
    for s in range(len(edges)):
        queue: list[tuple[Fraction, Path]] = [(Fraction(), (s,))]
        while queue:  # paths are extended in their order
            far, path = heappop(queue)
            pair = s, path[-1]
            if far == least.setdefault(pair, far):
                if len(path) > 1:
                    found.setdefault(pair, []).append(path)
                for v, length in edges[path[-1]].items():
                    if v not in path and far + Fraction(length) <= cutoff:
                        heappush(queue, (far + Fraction(length), (*path, v)))
    return found


def _read(A: Any, directed: bool, weighted: bool) -> Edges:
    """Edges of a matrix: entries off the diagonal, with their lengths, or 1.

    Lengths of repeated entries are summed; of two directions the shorter counts, if not directed.
    """
    A = A.tocoo()
    edges: Edges = [{} for _ in range(A.shape[0])]
    for i, j, value in zip(A.row.tolist(), A.col.tolist(), A.data.tolist(), strict=True):
        if i != j:
            edges[i][j] = edges[i].get(j, 0) + value if weighted else 1
    if not directed:
        for i, j in [(i, j) for i, ends in enumerate(edges) for j in ends]:
            edges[i][j] = edges[j][i] = min(edges[i][j], edges[j].get(i, math.inf))
    return edges


def _weights(
    n: int, weights: Sequence[float] | None, nodes: Iterable[int] | None
) -> tuple[NDArray[Any], list[Any]]:
    """Weight of each node, as a fraction, by default 1; and the same, but 0 where none of nodes."""
    given = [Fraction(float(weight)) for weight in ([1] * n if weights is None else weights)]
    some = range(n) if nodes is None else set(nodes)
    chosen = [weight if v in some else 0 for v, weight in enumerate(given)]
    return np.array(given, dtype=object), chosen
