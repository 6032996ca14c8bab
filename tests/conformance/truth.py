"""Answers from the definitions: nothing here follows Brandes, or any engine.

Lengths are integers, so that ties are exact. v is on sigma(s, v) sigma(v, t) shortest paths from s
to t if

    d(s, v) + d(v, t) = d(s, t),

with distances by Floyd and Warshall, and sigma(s, v) the sum of sigma(s, u) over the edges u -> v
with d(s, u) + w(u, v) = d(s, v).
"""

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numba import njit

FAR = 2**60
# Options that weight pairs, so that scores are divided by the total weight of all pairs.
WEIGHTS = {"source_weights", "target_weights", "demand"}


def merged(entries, *, directed):
    """Length of each edge: repeated entries are summed, then the smaller direction wins."""
    length = {}
    for i, j, value in entries:
        if i != j:
            length[i, j] = length.get((i, j), 0) + value
    if not directed:
        both = {*length, *((j, i) for i, j in length)}
        length = {
            (i, j): min(length[edge] for edge in ((i, j), (j, i)) if edge in length)
            for i, j in both
        }
    return length


class Network(NamedTuple):
    """Graph of a question, with distances and path counts."""

    n: int
    edges: dict  # (i, j) -> length; in both directions if undirected
    tails: np.ndarray
    heads: np.ndarray
    lengths: np.ndarray
    distance: np.ndarray  # (n, n) integers, FAR if there is no path
    sigma: np.ndarray  # (n, n) numbers of shortest paths


def network(question):
    """The `Network` of a question."""
    edges = merged(question.entries, directed=question.directed)
    if not question.weighted:
        edges = dict.fromkeys(edges, 1)
    edges = dict(sorted(edges.items()))
    ends = np.array([*edges], dtype=np.int64).reshape(-1, 2)
    lengths = np.array([*edges.values()], dtype=np.int64)
    tails, heads = ends[:, 0].copy(), ends[:, 1].copy()
    distance = np.full((question.n, question.n), FAR)
    distance[tails, heads] = lengths
    np.fill_diagonal(distance, 0)
    for v in range(question.n):
        np.minimum(distance, distance[:, [v]] + distance[v], out=distance)
    np.minimum(distance, FAR, out=distance)
    sigma = _counts(distance, tails, heads, lengths, np.zeros(question.n, dtype=bool))
    return Network(question.n, edges, tails, heads, lengths, distance, sigma)


def _counts(d, tails, heads, lengths, avoided):
    """Numbers of shortest paths between all pairs without a node of ``avoided``."""
    by_head = np.argsort(heads)
    first = np.searchsorted(heads[by_head], np.arange(d.shape[0] + 1))
    return _counts_in(np.argsort(d), d, tails[by_head], lengths[by_head], first, avoided)


@njit(cache=True)
def _counts_in(order, d, tails, lengths, first, avoided):
    """`_counts`, given for each source the nodes by distance (``order``), and edges by head."""
    sigma = np.zeros(d.shape)
    for s in range(d.shape[0]):
        sigma[s, s] = 1 - avoided[s]
        for v in order[s]:
            if v != s and d[s, v] < FAR and not avoided[v]:
                for e in range(first[v], first[v + 1]):
                    if d[s, tails[e]] + lengths[e] == d[s, v]:
                        sigma[s, v] += sigma[s, tails[e]]
    return sigma


def pairs(question, options):
    """Weight of each pair of different nodes, at any distance: an (n, n) array."""
    n = question.n
    ends = []
    for end in ("source", "target"):
        weights = np.array(options.get(f"{end}_weights", [1.0] * n), dtype=float)
        ends.append(np.where(np.isin(range(n), options.get(f"{end}s", range(n))), weights, 0.0))
    if "k" in options:
        ends[0] = np.isin(range(n), sample(question)).astype(float)
    if "states" in options:
        ends[0] = np.array(options["states"], dtype=float)
    found = np.outer(*ends)
    if "demand" in options:
        trips = np.zeros((n, n))
        for s, t, value in options["demand"]:
            trips[s, t] += value
        found *= trips
    np.fill_diagonal(found, 0.0)
    return found


class Sums:
    """Raw sums over ordered pairs of different nodes, each with its weight."""

    def __init__(self, question, found, cutoff):
        d, self.found = found.distance, found
        self.weights = np.where((d < FAR) & (d <= cutoff), pairs(question, question.options), 0.0)
        if "decay" in question.options:
            for there in np.unique(d[self.weights > 0]).tolist():
                self.weights[d == there] *= float(question.by_distance(Fraction(there)))

    def of_nodes(self, endpoints):
        """Weighted pairs through each node."""
        ends = self.weights.sum(axis=0) + self.weights.sum(axis=1)
        return self._through(self._shares())[0] + ends * endpoints

    def of_paths(self):
        """Weighted paths through each node."""
        return self._through(self.weights)[0]

    def of_edges(self):
        """Weighted pairs along each edge, in the order of the edges."""
        return self._through(self._shares())[1]

    def _shares(self):
        sigma = self.found.sigma
        return np.divide(self.weights, sigma, out=np.zeros_like(sigma), where=self.weights > 0)

    def _through(self, shares):
        """Sum of the shares of the paths through each node, and along each edge.

        At v, from s: sigma(s, v), or sigma(s, u) along u -> v, times the sum over t of
        share(s, t) sigma(v, t).
        """
        n, _, tails, heads, lengths, d, sigma = self.found
        nodes, edges = np.zeros(n), np.zeros(tails.size)
        for v in range(n):
            on = np.where(d[:, [v]] + d[v] == d, shares, 0.0)
            on[:, v] = on[v] = 0.0
            beyond = on @ sigma[v]
            nodes[v] = sigma[:, v] @ beyond
            arcs = np.flatnonzero(heads == v)
            is_tight = d[:, tails[arcs]] + lengths[arcs] == d[:, [v]]
            edges[arcs] = (beyond + shares[:, v]) @ np.where(is_tight, sigma[:, tails[arcs]], 0.0)
        return nodes, edges


def _possible(question, of_node):
    """Total weight of all pairs, whoever is chosen; if ``of_node``, of those without each node."""
    options = question.options
    whole = {name: options[name] for name in options if name not in ("sources", "targets")}
    weights, nodes = pairs(question, whole), np.arange(question.n)
    if not of_node:
        return np.full(question.n, weights.sum())
    return np.array([weights[nodes != v][:, nodes != v].sum() for v in nodes])


def sample(question):
    """Nodes that `k` samples, as documented."""
    k, rng = question.options["k"], question.options["rng"]
    return np.random.default_rng(rng).choice(question.n, k, replace=False)


def answer(question):
    """Results by measure: an array, or a list of arrays for several cutoffs."""
    found = network(question)
    if question.measure in ASKED_ONCE:
        return {question.measure: ASKED_ONCE[question.measure](question, found)}
    cutoff = question.options.get("cutoff", np.inf)
    names = question.options.get("names", [question.measure])
    columns = []
    for one in cutoff if isinstance(cutoff, list) else [cutoff]:
        if question.measure == "accessibility":
            columns.append({question.measure: _accessibility(question, found, one)})
            continue
        sums = Sums(question, found, one)
        columns.append(
            {
                name: MEASURES[name](question, sums)
                if name in MEASURES
                else _from_distances(question, found, name, one)
                for name in names
            }
        )
    if not isinstance(cutoff, list):
        return columns[0]
    return {name: [column[name] for column in columns] for name in names}


def by_distance(decay, d):
    """Weight of a distance, an exact fraction but for exponentials and roots; 0 below 1e-150."""
    first, second = decay
    if first == "linear":
        f = max(Fraction(0), 1 - d / Fraction(second))
    elif first == "power":
        exact = second == int(second)
        f = Fraction(d) ** -int(second) if exact else Fraction(float(d) ** -second)
    elif first == "exponential":
        f = Fraction(math.exp(-second * float(d)))
    elif first == "gaussian":
        f = Fraction(math.exp(-((float(d) / second) ** 2) / 2))
    else:
        f = _between([*zip(map(Fraction, first), map(Fraction, second), strict=True)], d)
    return f if f >= Fraction(1e-150) else Fraction(0)


def _between(knots, d):
    """Piecewise linear function of its knots (distance, weight)."""
    if d <= knots[0][0]:
        return knots[0][1]
    for (x, y), (next_x, next_y) in itertools.pairwise(knots):
        if d <= next_x:
            return y + (next_y - y) * (d - x) / (next_x - x)
    return Fraction(0)


# Scaling, by the table of conventions: only a sample of k sources is extrapolated to all n.


def _betweenness(question, sums):
    n, options = question.n, question.options
    normalized, endpoints = options.get("normalized", True), options.get("endpoints", False)
    raw = sums.of_nodes(endpoints)
    if not options.keys() & WEIGHTS:
        return _scaled(question, raw, normalized=normalized, endpoints=endpoints)
    if normalized and (n if endpoints else n - 1) >= 2:
        return _over(raw, _possible(question, of_node=not endpoints))
    return raw if normalized else raw / _halves(question)


def _edge_betweenness(question, sums):
    n, options = question.n, question.options
    normalized, raw = options.get("normalized", True), sums.of_edges()
    if not question.directed:
        place = {edge: at for at, edge in enumerate(sums.found.edges)}
        raw = raw + raw[[place[j, i] for i, j in sums.found.edges]]
    if options.keys() & WEIGHTS and normalized:
        whole = _possible(question, of_node=False).max(initial=0)
        return raw / (whole or (np.nan if n > 1 else 1))
    k = options.get("k", n)
    return raw / (k * (n - 1)) if normalized else raw * n / (max(k, 1) * _halves(question))


def _stress(question, sums):
    return _scaled(question, sums.of_paths(), normalized=False)


def _percolation(question, sums):
    n, states = question.n, list(map(Fraction, question.options["states"]))
    if n < 3:
        return np.zeros(n)
    total = sum(states)
    return _over(sums.of_nodes(False), [(n - 2) * (total - state) for state in states])


def scaled(score, *, directed=True, normalized=True, endpoints=False, sampled=None):
    """NetworkX >= 3.5's scaling of `raw`: a sample stands for all sources, a subset does not.

    `sampled` holds the nodes drawn for `k`, and is None for exact scores and for explicit
    sources or targets. The result is NaN where NetworkX has no data.
    """
    n = len(score)
    ends = n if endpoints else n - 1  # that a pair of interest can begin at
    if ends < 2:
        return [Fraction(0)] * n
    drawn = range(n) if sampled is None else sampled
    result = []
    for v, value in enumerate(score):
        sources = len(drawn) if endpoints else len(drawn) - (v in drawn)
        if sources == 0:
            result.append(math.nan)
        elif normalized:
            result.append(value / (sources * (ends - 1)))
        else:
            result.append(value * ends / (sources * (1 if directed else 2)))
    return result


def _scaled(question, raw, **ways):
    """Scores of pairs that count 1 each."""
    sampled = sample(question).tolist() if "k" in question.options else None
    found = scaled(raw.tolist(), directed=question.directed, sampled=sampled, **ways)
    return np.array(found, dtype=float)


def _halves(question):
    return 1 if question.directed else 2


def _over(raw, pairs):
    """Quotients; NaN where the divisor is 0."""
    return np.array([c / float(by) if by else np.nan for c, by in zip(raw, pairs, strict=True)])


MEASURES = {
    "betweenness": _betweenness,
    "edge_betweenness": _edge_betweenness,
    "stress": _stress,
    "percolation": _percolation,
}


def _from_distances(question, found, name, cutoff):
    """Closeness, harmonic centrality and eccentricity, node by node."""
    options, n = question.options, question.n
    direction = options.get("direction", "out" if name == "eccentricity" else "in")
    distance = found.distance if direction == "in" else found.distance.T
    chosen = options.get("sources", range(n))
    sampled = "k" in options and options["k"] < n
    chosen = set(sample(question).tolist() if "k" in options else chosen)
    weights = options.get("target_weights", [1] * n)
    unit, scores = question.scale if question.weighted else 1.0, []
    for v in range(n):
        others = np.array(sorted(chosen - {v}), dtype=int)
        away = distance[others, v]
        is_met = (away < FAR) & (away <= cutoff)
        met, far = others[is_met].tolist(), (away[is_met] * unit).tolist()
        weight = sum(weights[s] for s in met)
        if name == "closeness":
            improved = options.get("wf_improved", True) and weight
            share = weight / sum(weights[s] for s in others) if improved else 1
            total = sum(weights[s] * d for s, d in zip(met, far, strict=True))
            scores.append(weight / total * share if total else 0)
        elif name == "harmonic":
            factor = 1 if not sampled else (n - 1) / len(others) if others.size else np.nan
            terms = (weights[s] / d for s, d in zip(met, far, strict=True) if d)
            scores.append(sum(terms) * factor)
        else:
            reaches = options.get("reachable_only") or len(far) == len(others)
            score = max(far, default=0) if reaches else np.inf
            scores.append((1 / score if score else 0) if options.get("reciprocal") else score)
    return np.array(scores, dtype=float)


def _accessibility(question, found, cutoff):
    """Accessibility of each node, for each kind of points of interest."""
    options, n = question.options, question.n
    distance = found.distance if options["direction"] == "out" else found.distance.T
    W = np.array([1.0] * n if options["W"] is None else options["W"])
    weight_of = {}
    for d in np.unique(distance[(distance < FAR) & (distance <= cutoff)]).tolist():
        weight_of[d] = 1.0
        if "decay" in options:
            is_own = d == 0 and options["decay"][0] == "power"
            weight_of[d] = 0.0 if is_own else float(question.by_distance(Fraction(d)))
    f = np.array([[weight_of.get(d, 0.0) for d in row] for row in distance.tolist()])
    return f.reshape(n, n) @ W


def _nearest(question, found):
    """The k-th smallest distance to points of interest of each kind."""
    options = question.options
    distance = found.distance if options["direction"] == "out" else found.distance.T
    unit = question.scale if question.weighted else 1.0
    distance = np.where(distance < FAR, distance * unit, np.inf)
    places = np.array(options["places"], dtype=float)
    kinds = places.T if places.ndim == 2 else [places]
    enough = np.full((question.n, options["k"]), np.inf)
    rows = [np.sort(np.hstack((distance[:, kind > 0], enough)), axis=1) for kind in kinds]
    return np.array([row[:, options["k"] - 1] for row in rows]).T.reshape(places.shape)


def _bfs(question, found):
    rows = found.distance[question.options["sources"]]
    return np.where(rows < FAR, rows, -1).astype(np.int32)


def _shortest_paths(question, found):
    """Distances alone; `verdict` checks predecessors."""
    rows, unit = found.distance[question.options["sources"]], question.scale
    return np.where(rows < FAR, rows * (unit if question.weighted else 1.0), np.inf)


def _components(question, found):
    """Components, as a set of node sets."""
    reaches = found.distance < FAR
    if question.options["connection"] == "weak":
        for v in range(question.n):  # Warshall
            reaches = reaches | reaches.T
            reaches |= reaches[:, [v]] & reaches[[v]]
    together = reaches & reaches.T
    return {frozenset(np.flatnonzero(row).tolist()) for row in together}


def _group_betweenness(question, found):
    options, n = question.options, question.n
    endpoints = options.get("endpoints", False)
    scores = []
    for group in options["groups"]:
        raw = group_pairs(question, found, group, endpoints)
        left = n if endpoints else n - len(group)
        normalized = options.get("normalized", True)
        scores.append(raw / (left * (left - 1)) if normalized else raw / _halves(question))
    return np.array(scores)


def group_pairs(question, found, group, endpoints):
    """Sum over pairs of the share of shortest paths that meet a group."""
    avoided = np.isin(range(found.n), group)
    _, _, *arcs, distance, sigma = found
    around = _counts(distance, *arcs, avoided)
    outside = ~avoided[:, None] & ~avoided
    counted = (distance < FAR) & ~np.eye(found.n, dtype=bool) & (outside | endpoints)
    return float((1 - around[counted] / sigma[counted]).sum())


def _prominent_group(question, found):
    """The network: `verdict` checks that each chosen node gains as much as any."""
    return found


ASKED_ONCE = {
    "bfs": _bfs,
    "shortest_paths": _shortest_paths,
    "connected_components": _components,
    "group_betweenness": _group_betweenness,
    "prominent_group": _prominent_group,
    "nearest": _nearest,
}
