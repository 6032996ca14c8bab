"""Twins: nodes with the same neighbours, of which one is swept for all.

u and v are twins if exchanging them changes neither the graph nor the weights omega: they have the
same neighbours other than u and v, in a directed graph both in and out. Twins that are neighbours
are closed, others open. By symmetry the sweeps from a class C of twins differ only on C, and no
twin is an inner node of a shortest path from another, as the next node is a neighbour of both. So
one of them, the leader r, is swept with the weight of all, A = sum of alpha over C, and

    dependency, squares, stress    are those of all sweeps, unchanged

Sums on a node of C, or an arc of it, have a part of sweeps from outside of C, equal for all of C,
and a part of sweeps from C, in which the leader r differs from any other member o. With the shares
l(v) = alpha(v) / A of v and m(v) = sum of alpha over C without v / A of the others

    x(v) = l(v) x(r) + m(v) x(o)       for ends, and arcs out of v or into v

An arc u -> v within C is used by the sweep from u alone: l(u) times the sum on r -> v, or on r -> u
if v is r. All terms are non-negative. m is a sum, not 1 - l, which would lose small weights beside
a large one. A node without in-arcs is not a target, whatever its omega.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..matrix.graph import Graph

# Least share of the sources that twins must save.
LEAST_SAVED = 0.01


Spread = Callable[[dict[str, Any]], dict[str, Any]]  # sums over all sources from those over leaders


def merged(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], omega: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_] | None, Spread | None]:
    """Sources to sweep, their weights, the mask of the twins that are not, and `spread`.

    The last two are None if twins save too little. ``sources``, ascending, have the weights
    ``alpha``, of equal shape, targets ``omega``, shape (n,). The graph is unweighted. Takes
    O(arcs), on the device of the graph.
    """
    if not sources.size:
        return sources, alpha, None, None
    leader = graph.ops.twins(graph.patterns, sources, omega)
    swept, total, other, shares = classes(leader, sources, alpha)
    if swept.size == sources.size or swept.size > (1 - LEAST_SAVED) * sources.size:
        return sources, alpha, None, None
    is_left = leader != np.arange(graph.n)
    return swept, total, is_left, partial(spread, graph, leader, other, shares)


def spread(
    graph: Graph,
    leader: NDArray[np.int64],
    other: NDArray[np.int64],
    shares: NDArray[np.float64],
    sums: dict[str, Any],
) -> dict[str, Any]:
    """Sums over all sources, by name, from the sums over the leaders.

    ``leader``, (n,), is the member of each node's class that is swept, ``other`` one that is not;
    both are the node itself if it has no twin. ``shares``, (2, n), are l and m, then 1 and 0.
    """
    total, ops = dict(sums), graph.ops
    if "arcs" in sums:  # on the device of the graph
        of_nodes = map(ops.asarray, (leader, other, shares))
        total["arcs"] = ops.mixed(graph.outgoing, sums["arcs"], *of_nodes)
    if "ends" in sums:
        values = ops.on_host(sums["ends"])
        total["ends"], v = values.copy(), np.flatnonzero(leader != other)
        own, others = shares[:, v]
        total["ends"][v] = own * values[leader[v]] + others * values[other[v]]
    return total


def classes(
    leader: NDArray[np.int64], sources: NDArray[np.int32], alpha: NDArray[np.float64]
) -> tuple[NDArray[Any], ...]:
    """Sources to sweep, their weights, and ``other`` and ``shares`` of `spread`."""
    n, first = leader.size, leader[sources]
    total = np.bincount(first, weights=alpha, minlength=n)  # in the order of the sources
    is_swept = first == sources
    other, shares = np.arange(n), np.repeat([[1.0], [0.0]], n, axis=1)
    other[first[~is_swept]] = sources[~is_swept]  # the last of each class
    rest, is_most = total[first] - alpha, alpha > total[first] / 2
    if is_most.any():  # one of a class at most; the difference loses digits, the others' sum none
        smaller = np.bincount(first[~is_most], alpha[~is_most], n)
        rest[is_most] = smaller[first[is_most]]
    shares[:, sources] = np.stack((alpha, rest)) / total[first]
    swept = sources[is_swept]
    return swept, total[swept], other, shares
