"""Betweenness from its definition, in exact fractions: the yardstick of every engine.

Nothing here follows Brandes: there are no path counts, no dependencies and no recurrences. All
shortest paths are enumerated and the nodes on them are counted. The cost is that of enumerating
simple paths, so n must stay below about ten.
"""

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

from sparsebc.testing.oracles import paths_from

Path = tuple[int, ...]


def successors(n: int, edges: Iterable[tuple[int, int]], *, directed: bool) -> list[set[int]]:
    """Set of successors of each node; self loops and repeated edges have no effect."""
    steps = [set() for _ in range(n)]
    for i, j in edges:
        if i != j:
            steps[i].add(j)
            if not directed:
                steps[j].add(i)
    return steps


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


def simple_paths(steps: list[set[int]], path: Path):
    """Yield every simple path that begins with `path`."""
    yield path
    for v in steps[path[-1]]:
        if v not in path:
            yield from simple_paths(steps, (*path, v))


def weight(s, t, alpha=None, omega=None):
    """Weight of a pair: the product of its ends' weights, exactly."""
    return Fraction(1 if alpha is None else alpha[s]) * Fraction(1 if omega is None else omega[t])


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


def pairs(
    n,
    edges,
    *,
    directed=True,
    sources=None,
    targets=None,
    length=None,
    alpha=None,
    omega=None,
    cutoff=math.inf,
    demand=None,
    decay=None,
):
    """Yield of each ordered pair (s, t), s != t, what it counts, and all its shortest paths.

    Paths are measured in edges, or by the `length` of each edge, as `merged` has it. A pair counts
    alpha(s) omega(t), or one, times what `demand`, a dict, has for (s, t), times `decay` of its
    distance, a function; if it is farther apart than `cutoff`, it is left out.
    """
    steps = successors(n, edges, directed=directed)
    edges_of = [{j: 1 if length is None else length[i, j] for j in steps[i]} for i in range(n)]
    wanted = range(n) if targets is None else set(targets)
    for s in range(n) if sources is None else sources:
        for t, paths in paths_from(edges_of, s, cutoff).items():
            if t != s and t in wanted:
                counts = weight(s, t, alpha, omega)
                if demand is not None:
                    counts *= Fraction(demand.get((s, t), 0))
                if decay is not None:
                    steps_of = itertools.pairwise(paths[0])
                    counts *= decay(sum(1 if length is None else length[edge] for edge in steps_of))
                yield counts, paths


def raw(n, edges, *, endpoints=False, **question):
    """Sum over `pairs` of the share of their shortest paths through v."""
    score = [Fraction(0)] * n
    for counts, paths in pairs(n, edges, **question):
        for path in paths:
            for v in path if endpoints else path[1:-1]:
                score[v] += counts / len(paths)
    return score


def raw_edges(n, edges, *, directed=True, **question):
    """Sum over `pairs` of the share of their shortest paths along each arc.

    An undirected edge has the sum of its two arcs, at both.
    """
    steps = successors(n, edges, directed=directed)
    score = {(i, j): Fraction(0) for i in range(n) for j in steps[i]}
    for counts, paths in pairs(n, edges, directed=directed, **question):
        for path in paths:
            for arc in itertools.pairwise(path):
                score[arc] += counts / len(paths)
    if directed:
        return score
    return {(i, j): score[i, j] + score[j, i] for i, j in score}


def raw_group(n, edges, group, *, endpoints=False, **question):
    """Sum over `pairs` of the share of their paths that meet a group.

    Pairs that begin or end in it count with `endpoints` alone.
    """
    group, score = set(group), Fraction(0)
    for counts, paths in pairs(n, edges, **question):
        if endpoints or not {paths[0][0], paths[0][-1]} & group:
            score += counts * sum(not group.isdisjoint(path) for path in paths) / len(paths)
    return score


def raw_stress(n, edges, **question):
    """Sum over `pairs` of their shortest paths with v in their interior."""
    score = [0] * n
    for counts, paths in pairs(n, edges, **question):
        for path in paths:
            for v in path[1:-1]:
                score[v] += counts
    return score


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
