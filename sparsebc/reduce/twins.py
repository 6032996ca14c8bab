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

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import CSR
from ..graph.graph import Graph

# Sources, for an engine of relative throughput 1, from which it pays to look for twins: that takes
# the time of six to fifteen.
ENOUGH_SOURCES = 800
# So many times as many within a cutoff of a deep graph, where a search meets few nodes.
NEAR = 32
# Share of the sources that twins must save.
LEAST_SAVED = 0.01
# Rows that are compared at a time: what that takes beside them stays small.
COMPARED = 1 << 16


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
        """The sums of sweeps from leaders as those from all sources, by name of `contract.SUMS`."""
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
    is_near = graph.cutoffs and graph.traits.deep
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
    leader = graph.ops.on_host(leaders(graph, graph.ops.asarray(sources), omega))
    swept, total, *of_nodes = classes(leader, sources, alpha)
    if swept.size == sources.size or swept.size > (1 - LEAST_SAVED) * sources.size:
        return sources, alpha, None
    return swept, total, Twins(*of_nodes)


def leaders(graph: Graph, nodes: Any, omega: Any) -> Any:
    """The first twin among some nodes, which rise, for each of them; every other node itself.

    Rows are hashed, those of one hash compared. Hashing is universal [Carter and Wegman, "Universal
    classes of hash functions", Journal of Computer and System Sciences 18, 143-154 (1979)]: a node
    has a word of 64 bits, and a row the sum of those of its columns. The word of the row of v is
    that of open twins; with the word of v added, that of closed ones.
    """
    xp = graph.ops.xp
    every = xp.arange(graph.n)
    target = xp.where(graph.incoming.degrees > 0, omega, 0.0)
    words, own = every.astype(np.uint64), xp.zeros(graph.n, np.uint64)
    sums, leader = scrambled(target.view(np.uint64)), every.copy()
    for pattern in graph.patterns:
        words = scrambled(words)
        before = xp.zeros(pattern.indices.size + 1, np.uint64)
        xp.cumsum(words[pattern.indices], out=before[1:])
        sums += before[pattern.indptr[1:]] - before[pattern.indptr[:-1]]  # modulo 2**64
        own += words
    for is_closed in (False, True):
        order = nodes[xp.argsort(sums[nodes], kind="stable")]
        is_first = xp.ones(order.size, bool)
        is_first[1:] = sums[order[1:]] != sums[order[:-1]]
        proposed = every.copy()
        proposed[order] = order[xp.flatnonzero(is_first)[xp.cumsum(is_first) - 1]]
        found = xp.flatnonzero((proposed != every) & (target == target[proposed]))
        for start in range(0, found.size, COMPARED):
            some = found[start : start + COMPARED]
            for pattern in graph.patterns:
                if some.size:
                    some = some[are_alike(pattern, proposed[some], some, is_closed, xp)]
            leader[some] = proposed[some]
        sums += own
    return leader


def scrambled(words: Any) -> Any:
    """Words that look random: the finalizer of splitmix64, one to one."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def are_alike(pattern: CSR, first: Any, second: Any, is_closed: bool, xp: Any) -> Any:
    """Whether rows of some pairs of nodes, first < second, are the same with the two exchanged.

    Closed twins are in the other's row and not in their own, so that what lies between them is one
    place earlier in the row of the second.
    """
    (indptr, indices), degrees = pattern, pattern.degrees
    alike = degrees[first] == degrees[second]
    end = xp.cumsum(xp.where(alike, degrees[second], 0))
    pair = xp.searchsorted(end, xp.arange(int(end[-1])), side="right")
    before = xp.arange(pair.size) - end[pair]  # places from the end of the row
    u, place = indices[indptr[second + 1][pair] + before], indptr[first + 1][pair] + before
    is_leader = u == first[pair]
    if is_closed:
        place += (u > second[pair]).astype(np.int64) - (u > first[pair])
        is_linked = xp.zeros(alike.size, bool)
        is_linked[pair[is_leader]] = True
        alike &= is_linked
    alike[pair[(indices[place] != u) & ~(is_leader & is_closed)]] = False
    return alike


def classes(
    leader: NDArray[np.int64], sources: NDArray[np.int32], alpha: NDArray[np.float64]
) -> tuple[NDArray[Any], ...]:
    """Who is swept, with what weight, and by node its leader, one that is not swept, and its share.

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
