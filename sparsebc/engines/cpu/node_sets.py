"""Shortest paths that meet a set of nodes, and those that each further node would add.

Products along the tight edges of a search, in its order of nodes. Of several sets at once, the
share of the paths from the source to v that meet set C is a second forward product:

    met      m<v not in C> = A' (sigma m) / sigma,   m<v in C> = 1

Of a single set, for every node v, the share q that avoids C, and the dependency b of the paths that
avoid C beyond v:

    avoid    q<v not in C> = A' (sigma q) / sigma,   q<v in C> = 0
    beyond   b = sigma (A g),   g<v not in C> = (1 + b) / sigma,   g<v in C> = 0
    gain     q (1 + b): pairs whose paths end at v or pass it, and avoid C; b at the source
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel, subroutine
from ...matrix.graph import Graph
from ..common.base import Sweep
from ..common.sums import Batch
from .brandes_weighted import workspace as brandes_weighted
from .brandes_weighted.brandes_weighted import counted
from .brandes_weighted.workspace import WeightedWorkspace
from .common.counts import exponent_of, lowered
from .common.state import DONE
from .sssp.sssp import sssp


@kernel
def meet(paths, member, endpoints, share, pairs, sources, alpha):
    """Add alpha m of several sets to their pairs, one source at a time; returns an outcome.

    ``member`` (n, sets) says whether a node is in a set. Pairs that begin or end in a set count
    with ``endpoints``. ``share`` (n, sets) is room for m.
    """
    for j in range(sources.size):
        outcome, order = _searched(paths, sources[j : j + 1])
        if outcome != DONE:
            return outcome
        _met(paths, member, endpoints, share, pairs, order, alpha[j])
        for v in order:
            paths.search.distance[v] = np.inf
    return DONE


@kernel
def avoid(paths, member, share, gain, sources, alpha):
    """Add alpha q (1 + b) of each node to its gain, one source at a time; returns an outcome.

    ``member`` (n,) says whether a node is in the set; no source is. ``share`` (n,) is room for q.
    """
    for j in range(sources.size):
        outcome, order = _searched(paths, sources[j : j + 1])
        if outcome != DONE:
            return outcome
        _avoided(paths, member, share, order)
        _gained(paths, member, share, gain, order, alpha[j])
    return DONE


@subroutine
def _searched(paths, source):
    """Search and count the paths; returns an outcome and the nodes in order."""
    count, farthest, most = sssp(paths.search, source, paths.tight)
    order = paths.search.order[:count]
    outcome, most = counted(paths, order, farthest, most)
    if outcome == DONE:
        paths.max_sigma[0] = max(paths.max_sigma[0], most)
    return outcome, order


@subroutine
def _met(paths, member, endpoints, share, pairs, order, alpha):
    """Compute m of all sets, and add alpha m to their pairs."""
    sigma, tails, starts, exponent = _tight(paths)
    source, width = order[0], pairs.size
    for k in range(width):
        share[source, k] = member[source, k]
    for i in range(1, order.size):
        v = order[i]
        share[v] = 0.0
        for p in range(starts[i], starts[i + 1]):
            u = tails[p]
            down = exponent_of(exponent, v) - exponent_of(exponent, u)
            through = lowered(exponent, sigma[u], down)
            for k in range(width):
                share[v, k] += through * share[u, k]
        for k in range(width):
            inside = member[v, k]
            share[v, k] = 1.0 if inside else share[v, k] / sigma[v]
            if endpoints or not (inside or member[source, k]):
                pairs[k] += alpha * share[v, k]


@subroutine
def _avoided(paths, member, share, order):
    """Compute q."""
    sigma, tails, starts, exponent = _tight(paths)
    share[order[0]] = 1.0
    for i in range(1, order.size):
        v = order[i]
        around = 0.0
        if not member[v]:
            for p in range(starts[i], starts[i + 1]):
                u = tails[p]
                down = exponent_of(exponent, v) - exponent_of(exponent, u)
                around += lowered(exponent, sigma[u], down) * share[u]
        share[v] = around / sigma[v]


@subroutine
def _gained(paths, member, share, gain, order, alpha):
    """Add alpha q (1 + b) to the gains, farthest node first; resets distances to infinity."""
    sigma, tails, starts, exponent = _tight(paths)
    sum_g = paths.search.distance
    for v in order:
        sum_g[v] = 0
    for i in range(order.size - 1, 0, -1):
        v = order[i]
        if not member[v]:
            from_here = 1 + sigma[v] * sum_g[v]
            gain[v] += alpha * share[v] * from_here
            g = from_here / sigma[v]
            for p in range(starts[i], starts[i + 1]):
                u = tails[p]
                down = exponent_of(exponent, v) - exponent_of(exponent, u)
                sum_g[u] += lowered(exponent, g, down)
        sum_g[v] = np.inf
    source = order[0]
    gain[source] += alpha * sigma[source] * sum_g[source]
    sum_g[source] = np.inf


@subroutine
def _tight(paths):
    """Path counts, tails of tight edges, their starts by node, exponents."""
    return paths.tight.sigma, paths.tight.tails, paths.tight.starts, paths.exponent


class NodeSetWorkspace(WeightedWorkspace):
    """State of one source, and the sum over sources; unweighted edges have length 1."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the state of a search, and of shares and sums."""
        sets = sweep.node_sets
        assert sets is not None
        search = brandes_weighted.source_bytes(graph, sweep._replace(sums=frozenset()))
        lengths = 0 if graph.lengths else 8 * graph.arcs * (1 if graph.symmetric else 2)
        return search + lengths + 8 * sets.member.size + 8 * int(max(graph.n, sets.size))

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        sets = sweep.node_sets
        assert sets is not None
        super().__init__(graph.with_unit_lengths(), sweep._replace(sums=frozenset()), stop)
        self.dependency = np.zeros(sets.size)
        share = np.empty(sets.member.shape)
        self._swept: tuple[Any, ...] = avoid, self._paths, sets.member, share
        if sets.member.ndim > 1:
            self._swept = meet, self._paths, sets.member, sets.endpoints, share

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The kernel of a single set or of several."""
        yield *self._swept, self.dependency, batch.sources, batch.alpha
