"""The problem an engine is given: trees and bridges counted, blocks apart, twins one, in order.

Trees of an undirected graph are folded into their roots (`trees`, the degree-one reduction). What
is left is taken apart at its cut nodes (`biconnected`); then chains are swept from their ends alone
(`chains`), or else of sources that are twins one is swept (`twins`), where that saves work.

The idea is that of Sariyuce et al., "Shattering and compressing networks for betweenness
centrality", SDM 2013.
"""

import math
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Task
from ..engines.common.decay import Seeds
from ..graph.graph import Graph
from ..graph.ops import GraphOps
from . import biconnected, chains, decayed_trees, twins
from .biconnected import Bridges
from .decayed_trees import DecayedTrees
from .prune import backbone
from .trees import Trees, folded
from .twins import Twins

# Reductions for every engine, by their names in `run.options`; chains need a kernel of their own.
FOR_ALL = frozenset({"prune", "trees", "blocks", "twins"})
# A graph of more components than this, of one size, has their rows one after the other, as blocks.
APART = 64


@dataclass(frozen=True, kw_only=True)
class Problem(Task):
    """Sum of ``alpha(s) * delta_s`` over the sources of ``graph``, and what is known without it."""

    # Where the graph lives: number of each node in the graph given, once for each block, of shape
    # (graph.n,); pairs through each node given, in closed form.
    nodes: NDArray[np.int64]
    through: NDArray[np.float64]
    trees: Trees | None = None  # what was folded away
    decayed: DecayedTrees | None = None  # the same, with seeds
    bridges: Bridges | None = None  # if the graph was taken apart at its cut nodes
    twins: Twins | None = None  # if one source stands for all of a class

    def of_all(self, sums: dict[str, Any]) -> dict[str, Any]:
        """The sums that were swept as those of all sources, those that were left out too."""
        return sums if self.twins is None else self.twins.spread(sums, self.graph)

    def expand(self, values: Any) -> NDArray[np.float64]:
        """Sums on the nodes of ``graph``, added to ``through`` on the nodes given, on the host."""
        ops: GraphOps = self.graph.ops
        if self.bridges is not None:  # a node is in several blocks, added up in their order
            through, nodes, there = map(ops.on_host, (self.through, self.nodes, values))
            return through + np.bincount(nodes, weights=there, minlength=through.size)
        return ops.on_host(ops.plus(self.through, self.nodes, values))

    def expand_paths(
        self, stress: NDArray[np.float64], *ends: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Sums of paths on the nodes of ``graph``, and those of folded trees, on the nodes given.

        ``ends``: what arrives and what departs, if trees were folded. Of a graph in one piece.
        """
        result, ops = np.zeros(self.through.size), self.graph.ops
        if self.trees is not None:
            there = ops.xp.zeros((2, result.size))
            there[:, self.nodes] = ops.xp.stack([ops.asarray(values) for values in ends])
            arrivals, departures = there
            result = ops.on_host(self.trees.paths_through(arrivals, departures, ops))
        result[ops.on_host(self.nodes)] += ops.on_host(stress)
        return result

    def expand_arcs(self, values: Any, given: Graph) -> Any:
        """Sums on the arcs of ``graph``, and pairs along those folded away, on the arcs given.

        They live where the patterns do.
        """
        ops, pattern = given.ops, given.outgoing
        pairs = ops.xp.zeros(given.arcs)
        for apart in (self.trees, self.bridges):
            if apart is not None:
                apart.add_pairs(pattern, pairs, ops)
        part, nodes = self.graph.outgoing, self.nodes
        ops.add_along(pattern, nodes[ops.rows(part)], nodes[part.indices], values, pairs)
        return pairs


def as_given(graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]) -> Problem:
    """Problem on the graph itself, of nodes that are marked, or have weights."""
    sources = np.flatnonzero(alpha)
    return Problem(
        *("paths", graph, False, sources.astype(np.int32), alpha[sources].astype(np.float64)),
        graph.ops.asarray(omega.astype(np.float64)),
        nodes=graph.ops.xp.arange(graph.n),
        through=graph.ops.xp.zeros(graph.n),
    )


def reduced(
    graph: Graph,
    alpha: NDArray[Any],
    omega: NDArray[Any],
    reductions: Set[str] = FOR_ALL,
    *,
    seeds: Seeds | None = None,
    relative_throughput: int = 1,
    wants_near: Callable[[Graph], bool] = lambda graph: True,
) -> Problem:
    """Problem of the same sums on a smaller graph, its nodes in an order of good locality.

    ``alpha`` and ``omega``, shape (n,), mark sources and targets, or are their weights. Those that
    are whole have a sum below 2**31 and are folded; floats leave the trees where they are.
    ``reductions`` may be used where they pay. "trees" are not for stress by length, where no engine
    sums what arrives at a node and what departs; "blocks" not for stress, nor where each node is to
    have one row; "chains" only for an engine that sweeps them; "twins" not where each source is to
    be swept. Without "prune", the trees are those of the graph as given.
    ``relative_throughput`` is the engine's, and says what pays here; so is ``wants_near``, whether
    neighbours on a deep graph should be close together, which the host sees to. With ``seeds`` the
    graph is pruned, and trees are folded where `decayed_trees.fits`.
    """
    count = int(np.count_nonzero(alpha))
    if "prune" in reductions:
        graph = backbone(graph, count, relative_throughput)
    ops, xp = graph.ops, graph.ops.xp
    found = graph.traits
    ends = np.stack((alpha, omega))
    whole = ends.dtype.kind != "f"
    trees = decayed = pieces = None
    ties_stay = graph.lengths is None or (graph.symmetric and graph.lengths.foldable)
    cuttable = whole and ties_stay
    foldable = "trees" in reductions and found.leaves and graph.symmetric and ties_stay
    if foldable and seeds is not None:
        decayed = decayed_trees.folded(graph, omega, seeds)
    if foldable and whole and seeds is None:
        degree, through, trees = folded(graph, ends)
        weights = trees.below
    elif decayed is not None:
        degree, through = decayed.degree, np.zeros(graph.n)
        weights = np.stack((decayed.weight, decayed.weight))
    else:
        degree, through = graph.degrees, xp.zeros(graph.n)
        weights = ops.asarray(ends)
        weights = weights.astype(np.int64) if whole else weights
    enough = biconnected.enough(relative_throughput, graph)
    if "blocks" in reductions and cuttable and _whole_searches(graph, count, enough) >= enough:
        around = trees.around if trees else ops.totals(graph.components, weights)
        pieces = biconnected.split(graph, degree, weights, around, relative_throughput)
    if pieces:
        graph, weights, degree = pieces.graph, pieces.ends, pieces.degree
        through = through + pieces.through
    # Neighbours close together where frontiers are narrow, busy rows close together where not.
    near = found.high_diameter and graph.arcs > 0 and wants_near(graph)
    keep, total = (xp.flatnonzero(degree), None) if near else ops.by_degree(degree)
    arcs = total if graph.symmetric or total is None else total // 2
    high_diameter = found.high_diameter and keep.size > 0
    if high_diameter and near:
        keep = ops.local_order(graph.outgoing, graph.incoming, keep)
    elif not pieces and _whole_searches(graph, count, enough) < count // APART:
        keep = keep[xp.argsort(graph.components[keep], kind="stable")]
    if pieces:
        keep = keep[xp.argsort(pieces.order[keep], kind="stable")]
    core = graph.induced(keep, arcs)
    leaving = None if graph.symmetric else core.outgoing.degrees
    sources, alpha, omega = ops.weighed(weights, keep, leaving)
    batches = alike = None
    if (
        graph.symmetric
        and "chains" in reductions
        and ties_stay
        and count >= chains.enough(relative_throughput)
    ):
        every = np.zeros(core.n)
        every[sources] = alpha
        costs = chains.costs(relative_throughput, core.n)
        chained = chains.find(core, every, costs) if costs else None
        if chained:
            starts, batches = chained
            sources = np.flatnonzero(starts).astype(np.int32)
            alpha = every[sources]
    if (
        "twins" in reductions
        and batches is None
        and graph.lengths is None
        and sources.size >= twins.enough(relative_throughput, graph)
    ):
        sources, alpha, alike = twins.merged(core, sources, alpha, omega)
    return Problem(
        *("paths" if batches is None else "chains", core, high_diameter, sources, alpha, omega),
        passed=None if alike is None else alike.is_led,
        batches=batches,
        nodes=pieces.nodes[keep] if pieces else keep.astype(np.int64, copy=False),
        through=through,
        trees=trees,
        decayed=decayed,
        bridges=pieces.bridges if pieces else None,
        twins=alike,
    )


def ends_in_components(
    graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]
) -> NDArray[np.float64]:
    """Pairs of an undirected graph that begin or end at each node, by their weights, shape (n,).

    A source reaches every other target of its component.
    """
    label = graph.ops.on_host(graph.components)
    begin = alpha * others(label, omega)
    pairs: NDArray[np.float64] = begin + omega * others(label, alpha)
    return pairs


def others(label: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of the values of all other nodes of its component, for each node.

    Beside a large value small ones stay: what rounding took from the sum is added again.
    """
    total = np.bincount(label, values, minlength=1)
    others: NDArray[np.float64] = total[label] - values
    if values.dtype.kind == "f":
        ends = np.cumsum(np.bincount(label, minlength=1))
        parts = np.split(values[np.argsort(label, kind="stable")], ends[:-1])
        pairs = zip(parts, total.tolist(), strict=True)
        others += np.array([math.fsum([*part.tolist(), -whole]) for part, whole in pairs])[label]
    return others


def _whole_searches(graph: Graph, count: int, enough: int) -> int:
    """Searches of the whole graph that so many sources come to, each of its component."""
    return int(count * graph.reach / graph.n) if count >= enough else count
