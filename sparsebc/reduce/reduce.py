"""Reduction of a graph to the problem that an engine sweeps, and expansion of its sums.

Trees of an undirected graph are folded into their roots (`trees`, the degree-one reduction). The
remaining graph is split at its cut nodes (`blocks`). Then chains are swept from their ends
alone (`chains`), or else one source of each class of twins is swept (`twins`), where it saves work.

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
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from . import blocks, chains, twins
from .blocks import Bridges
from .choice import IN_VAIN, Choice
from .prune import pruned
from .trees import SPREAD, DecayedTrees, Trees, folded, folded_decayed
from .twins import Twins

# Reductions for every engine, by their names in `run.options`; chains need a kernel of their own.
FOR_ALL = frozenset({"prune", "trees", "blocks", "twins"})
# Rows are ordered by component if searches reach less than 1/64 of the graph.
APART = 64


@dataclass(frozen=True, kw_only=True)
class Problem(Task):
    """The sum of ``alpha(s) * delta_s`` over the sources of a reduced graph, and how to expand it.

    ``omega``, ``nodes`` and ``through`` are on the device of the graph.
    """

    nodes: NDArray[np.int64]  # (graph.n,) original node of each row; a cut node has several rows
    through: NDArray[np.float64]  # (n,) pairs through each original node, in closed form
    trees: Trees | None = None  # folded trees
    decayed: DecayedTrees | None = None  # folded trees, with seeds
    bridges: Bridges | None = None  # if the graph was split at its cut nodes
    twins: Twins | None = None  # if one source is swept for all of a class

    def of_all(self, sums: dict[str, Any]) -> dict[str, Any]:
        """Sums over all sources, from those over the sources swept (one per class of twins)."""
        return sums if self.twins is None else self.twins.spread(sums, self.graph)

    def expand(self, values: Any) -> NDArray[np.float64]:
        """Sums on the original nodes, ``through`` included, from those on ``graph``; on host."""
        ops: GraphOps = self.graph.ops
        if self.bridges is not None:  # a cut node is in several blocks, added in their order
            through, nodes, there = map(ops.on_host, (self.through, self.nodes, values))
            return through + np.bincount(nodes, weights=there, minlength=through.size)
        return ops.on_host(ops.plus(self.through, self.nodes, values))

    def expand_paths(
        self, stress: NDArray[np.float64], *ends: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Stress of the original nodes, from that on ``graph`` and the folded trees.

        ``ends`` are the sums "arrivals" and "departures", if trees were folded. Not for blocks.
        """
        result, ops = np.zeros(self.through.size), self.graph.ops
        if self.trees is not None:
            original = ops.xp.zeros((2, result.size))
            original[:, self.nodes] = ops.xp.stack([ops.asarray(values) for values in ends])
            arrivals, departures = original
            result = ops.on_host(self.trees.paths_through(arrivals, departures, ops))
        result[ops.on_host(self.nodes)] += ops.on_host(stress)
        return result

    def expand_arcs(self, values: Any, given: Graph) -> Any:
        """Sums on the arcs of ``given``, on its device, from those on ``graph``, trees, bridges."""
        ops, pattern = given.ops, given.outgoing
        pairs = ops.xp.zeros(given.arcs)
        for closed_form in (self.trees, self.bridges):
            if closed_form is not None:
                closed_form.add_pairs(pattern, pairs, ops)
        part, nodes = self.graph.outgoing, self.nodes.astype(np.int32)  # the type of the others
        ops.add_along(pattern, nodes[ops.rows(part)], nodes[part.indices], values, pairs)
        return pairs


def as_given(graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]) -> Problem:
    """The problem without reductions; ``alpha`` and ``omega`` are masks or weights."""
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
    """The problem on a reduced graph, its nodes in an order of good locality.

    ``alpha`` and ``omega``, shape (n,), are masks of sources and targets, or their weights.
    Integers have a sum below 2**31; with floats trees and blocks are not used. ``reductions`` are
    used where they apply and pay; ``left_out`` has the reasons against the others. The caller
    leaves out "trees" for weighted stress, whose "arrivals" and "departures" no engine sums;
    "blocks" for stress, and where each node needs a single row; "chains" for engines without a
    kernel of them; "twins" where each source must be swept. Without "prune", the trees are those of
    the original graph. ``relative_throughput`` and ``wants_near`` are of the engine's profile: what
    pays, and whether neighbours in high-diameter graphs are to be close together in memory. With
    ``seeds`` the graph is pruned, and trees are folded where `trees.folds_decayed`.
    """
    count, choice = int(np.count_nonzero(alpha)), Choice(reductions)
    graph = pruned(graph, count, choice, relative_throughput)
    ops, xp = graph.ops, graph.ops.xp
    found = graph.traits
    ends = np.stack((alpha, omega))
    whole = ends.dtype.kind != "f"
    trees = decayed = pieces = batches = alike = None
    _leave_out(choice, graph, whole, seeds)
    if "trees" in choice and seeds is not None:
        decayed = folded_decayed(graph, omega, seeds)
        spread = f"the weights left would differ by a factor of {1 / SPREAD:.0e}"
        choice.leave_out(["trees"], [(decayed is None, spread)])
    if "trees" in choice and seeds is None:
        degree, through, trees = folded(graph, ends)
        weights = trees.below
    elif decayed is not None:
        degree, through = decayed.degree, np.zeros(graph.n)
        weights = np.stack((decayed.weight, decayed.weight))
    else:
        degree, through = graph.degrees, xp.zeros(graph.n)
        weights = ops.asarray(ends)
        weights = weights.astype(np.int64) if whole else weights
    enough = blocks.enough(relative_throughput, graph)
    if "blocks" in choice and _whole_searches(graph, count, enough) >= enough:
        totals = trees.totals if trees else ops.totals(graph.components, weights)
        pieces = blocks.split(graph, degree, weights, totals, relative_throughput)
    choice.leave_out(["blocks"], [_few(count, enough), (pieces is None, IN_VAIN)])
    if pieces:
        graph, weights, degree = pieces.graph, pieces.ends, pieces.degree
        through = through + pieces.through
    # Small frontiers: neighbours close together in memory. Large ones: rows by degree.
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
    choice.leave_out(["chains"], [_few(count, chains.enough(relative_throughput))])
    if "chains" in choice:
        every = np.zeros(core.n)
        every[sources] = alpha
        costs = chains.costs(relative_throughput, core.n)
        chained = chains.find(core, every, costs) if costs else None
        if chained:
            starts, batches = chained
            sources = np.flatnonzero(starts).astype(np.int32)
            alpha = every[sources]
    choice.leave_out(["chains"], [(batches is None, IN_VAIN)])
    enough = twins.enough(relative_throughput, graph)
    by_chains = batches is not None, "chain reduction is used instead"
    choice.leave_out(["twins"], [_few(sources.size, enough), by_chains])
    if "twins" in choice:
        sources, alpha, alike = twins.merged(core, sources, alpha, omega)
    choice.leave_out(["twins"], [(alike is None, IN_VAIN)])
    return Problem(
        *("paths" if batches is None else "chains", core, high_diameter, sources, alpha, omega),
        passed=None if alike is None else alike.is_led,
        batches=batches,
        left_out=choice.left_out,
        nodes=pieces.nodes[keep] if pieces else keep.astype(np.int64, copy=False),
        through=through,
        trees=trees,
        decayed=decayed,
        bridges=pieces.bridges if pieces else None,
        twins=alike,
    )


def _leave_out(choice: Choice, graph: Graph, whole: bool, seeds: Seeds | None) -> None:
    """Leave out the reductions that do not apply to a pruned graph and its weights."""
    lengths = graph.lengths
    choice.leave_out(["twins"], [(lengths, "lengths of edges differ")])
    ties = (
        lengths and not lengths.foldable,
        "sums of lengths in another order could create or break ties",
    )
    directed = lengths and not graph.symmetric, "by length, and with directions"
    choice.leave_out(["trees", "blocks", "chains"], [directed, ties])
    choice.leave_out(["trees", "chains"], [(not graph.symmetric, "edges have directions")])
    choice.leave_out(["trees"], [(not graph.traits.leaves, IN_VAIN)])
    names = ["trees", "blocks"] if seeds is None else ["blocks"]
    choice.leave_out(names, [(not whole, "weights are not integers")])


def _few(sources: int, enough: int) -> tuple[bool, str]:
    """The rule that a search for a reduction takes so many sources."""
    return sources < enough, f"fewer than {enough} sources"


def ends_in_components(
    graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]
) -> NDArray[np.float64]:
    """Weight of the pairs of an undirected graph that begin or end at each node, shape (n,)."""
    label = graph.ops.on_host(graph.components)
    begin = alpha * others(label, omega)
    pairs: NDArray[np.float64] = begin + omega * others(label, alpha)
    return pairs


def others(label: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of the values of all other nodes of the component of each node.

    With floats the rounding error of each total is added, so that small values survive large ones.
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
    """Cost of ``count`` searches, each of one component, in searches of the whole graph."""
    return int(count * graph.reach / graph.n) if count >= enough else count
