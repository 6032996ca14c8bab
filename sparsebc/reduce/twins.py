"""Twins: nodes with the same neighbours, of which one is swept for all.

u and v are twins if exchanging them leaves the graph and the weights omega as they are: the same
neighbours, among themselves apart, in a directed graph both in and out. Twins that are neighbours
are called closed, others open. By symmetry the sweeps from a class C of twins differ only on C, and
no shortest path from one twin has another inside of it, for what comes after that is a neighbour of
both. So one of them, the leader r, is swept with the weight of all, A = sum of alpha over C, and

    dependency, squares, stress    are those of all sweeps as they stand
    departures of v in C           are those of r

An arc or a node of C itself has what sweeps from elsewhere say, which is the same for all of C, and
what sweeps from C say, by how far the leader stands out from any other member o. With the share
l(v) = alpha(v) / A

    x(v) = l(v) x(r) + (1 - l(v)) x(o)       for arrivals and ends, and arcs out of v or into v

An arc u -> v within C is taken by the sweep of u alone: l(u) times that of r -> v, or r -> u if v
is r. These are mixtures of numbers that are not negative, so that nothing cancels. A node that no
arc leads to is no target, whatever its omega.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph

# Sources, for an engine of relative throughput 1, from which it pays to look for twins: that takes
# the time of six to fifteen.
ENOUGH_SOURCES = 800
# So many times as many within a cutoff of a deep graph, where a search meets few nodes.
NEAR = 32
# Share of the sources that twins must save.
LEAST_SAVED = 0.01


@dataclass(frozen=True)
class Twins:
    """Classes of sources that are twins, by node of the graph that is swept."""

    leader: NDArray[np.int64]  # (n,) the one of its class that is swept; itself where alone
    other: NDArray[np.int64]  # (n,) one of its class that is not swept; itself where alone
    share: NDArray[np.float64]  # (n,) alpha / A; 1 where alone

    @property
    def is_led(self) -> NDArray[np.bool_]:
        """Marks the sources that another one stands for, shape (n,)."""
        marks: NDArray[np.bool_] = self.leader != np.arange(self.leader.size)
        return marks

    @property
    def is_twin(self) -> NDArray[np.bool_]:
        """Marks those that are not alone, shape (n,)."""
        marks: NDArray[np.bool_] = self.leader != self.other
        return marks

    def spread(self, sums: dict[str, Any], graph: Graph) -> dict[str, Any]:
        """The sums of sweeps from leaders as those from all sources, by their names."""
        on_host = graph.ops.on_host
        ways: dict[str, Callable[[Any], Any]] = {
            "arcs": lambda values: self._of_arcs(values, graph),
            "arrivals": lambda values: self._mixed(on_host(values)),
            "ends": lambda values: self._mixed(on_host(values)),
            "departures": lambda values: on_host(values)[self.leader],
        }
        return {name: ways[name](sums[name]) if name in ways else sums[name] for name in sums}

    def _mixed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mixture x(v) of each twin."""
        result, v = values.copy(), np.flatnonzero(self.is_twin)
        swept, other, share = values[self.leader[v]], values[self.other[v]], self.share[v]
        result[v] = share * swept + (1 - share) * other
        return result

    def _of_arcs(self, values: Any, graph: Graph) -> Any:
        """The mixture of each arc, where the graph lives."""
        ops = graph.ops
        of_nodes = map(ops.asarray, (self.leader, self.other, self.share))
        return ops.mixed(graph.outgoing, values, *of_nodes)


def enough(relative_throughput: int, graph: Graph) -> int:
    """Sources from which twins are worth looking for."""
    is_near = graph.cutoffs and graph.traits.high_diameter
    return ENOUGH_SOURCES * relative_throughput * (NEAR if is_near else 1)


def merged(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], omega: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.float64], Twins | None]:
    """Sources to sweep, their weights, and the twins that they stand for, if that saves enough.

    ``sources``, ascending, weigh ``alpha``, of the same shape, targets ``omega``, shape (n,). The
    graph has no lengths. It takes O(arcs), where the graph lives.
    """
    if not sources.size:
        return sources, alpha, None
    leader = graph.ops.twins(graph.patterns, sources, omega)
    swept, total, *of_nodes = classes(leader, sources, alpha)
    if swept.size == sources.size or swept.size > (1 - LEAST_SAVED) * sources.size:
        return sources, alpha, None
    return swept, total, Twins(*of_nodes)


def classes(
    leader: NDArray[np.int64], sources: NDArray[np.int32], alpha: NDArray[np.float64]
) -> tuple[NDArray[Any], ...]:
    """Sources to sweep, their weights, and by node leader, one that is not swept, and share.

    ``leader`` is that of each class among the sources.
    """
    n, first = leader.size, leader[sources]
    total = np.bincount(first, weights=alpha, minlength=n)  # one source after the other
    is_swept = first == sources
    other, share = np.arange(n), np.ones(n)
    other[first[~is_swept]] = sources[~is_swept]  # the last of each class
    share[sources] = alpha / total[first]
    swept = sources[is_swept]
    return swept, total[swept], leader, other, share
