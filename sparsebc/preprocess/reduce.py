"""The problem an engine is given: trees and bridges counted, blocks apart, twins one, in order.

In an undirected graph every shortest path into or out of a tree that hangs on the graph runs
through the node it hangs on. So trees are folded into that node, which from then on stands for
all their sources (alpha) and all their targets (omega); the pairs that they send through each node
are counted in closed form. With S(v), T(v) the sources and targets in the tree below v (v too),
S, T those of its component, [s], [t] whether v is one itself:

    through(v) = (S - [s]) (T - [t]) - (S - S(v)) (T - T(v)) - sum over children c of S(c) T(c)

What is left is taken apart at its cut nodes (`blocks`); then chains are swept from their ends alone
(`chains`), or else of sources that are twins one is swept (`twins`), where that saves work.

The idea is that of Sariyuce et al., "Shattering and compressing networks for betweenness
centrality", SDM 2013.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Group, NodeGroups
from ..graph.csr import filtered
from ..graph.graph import Graph
from . import blocks, chains, twins
from .blocks import Bridges
from .degree_one import Trees
from .prune import backbone
from .twins import Twins

# Reductions that serve every engine, by their names in `run.options`; chains need one with arms.
FOR_ALL = frozenset({"prune", "trees", "blocks", "twins"})
# A graph of more components than this, of one size, has their rows one after the other.
APART = 64


@dataclass(frozen=True)
class Problem:
    """Sum of ``alpha(s) * delta_s`` over the sources of ``graph``, and what is known without it."""

    graph: Graph
    deep: bool  # a search takes many levels
    sources: NDArray[np.int32]  # nodes of `graph`
    alpha: NDArray[np.float64]  # (len(sources),) weight of each source
    omega: NDArray[np.float64]  # (graph.n,) weight of each node as a target
    nodes: NDArray[np.int64]  # (graph.n,) its number in the graph given, once for each block
    through: NDArray[np.float64]  # (n,) pairs that pass each node given, counted in closed form
    trees: Trees | None = None  # what was folded away
    kept: Any = None  # mask of the arcs given that some shortest path may use, if not all
    bridges: Bridges | None = None  # if the graph was taken apart at its cut nodes
    groups: Sequence[Group] | None = None  # of the sources, if chains are left to their ends
    twins: Twins | None = None  # if one source stands for all of a class
    asked: NodeGroups | None = None  # groups of nodes of `graph` that the sums are of, if they are

    def of_all(self, sums: dict[str, Any]) -> dict[str, Any]:
        """The sums that were swept as those of all sources, those that were left out too."""
        return sums if self.twins is None else self.twins.spread(sums, self.graph)

    def expand(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums on the nodes of ``graph``, added to ``through`` on the nodes given."""
        n = self.through.size
        return self.through + np.bincount(self.nodes, weights=values, minlength=n)

    def expand_paths(
        self, stress: NDArray[np.float64], *ends: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Sums of paths on the nodes of ``graph``, and those of folded trees, on the nodes given.

        ``ends``: what arrives and what departs, if trees were folded. Of a graph in one piece.
        """
        result = np.zeros(self.through.size)
        if self.trees is not None:
            ops = self.graph.ops
            there = ops.xp.zeros((2, result.size))
            there[:, ops.asarray(self.nodes)] = ops.asarray(np.stack(ends))
            arrivals, departures = there
            result = ops.on_host(self.trees.paths_through(arrivals, departures, ops.xp))
        result[self.nodes] += stress
        return result

    def expand_arcs(self, values: Any, given: Graph) -> Any:
        """Sums on the arcs of ``graph``, and pairs along those folded away, on the arcs given.

        They live where the patterns do.
        """
        ops, pattern = given.ops, given.outgoing
        result = ops.xp.zeros(given.arcs)
        if self.trees is not None:
            result = self.trees.along(pattern, ops)
        if self.bridges is not None:
            result += self.bridges.along(pattern, ops)
        there = pattern if self.kept is None else filtered(pattern, self.kept, ops.xp)
        part, nodes = self.graph.outgoing, ops.asarray(self.nodes)
        keys = nodes[ops.rows(part)] * given.n + nodes[part.indices]
        places = ops.xp.searchsorted(ops.keys(there), keys)
        if self.kept is not None:
            places = ops.xp.flatnonzero(self.kept)[places]
        result[places] += values  # an arc is in one block
        return result


def as_given(graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]) -> Problem:
    """Problem on the graph itself, of nodes that are marked, or have weights."""
    sources = np.flatnonzero(alpha)
    return Problem(
        graph,
        False,
        sources.astype(np.int32),
        alpha[sources].astype(np.float64),
        omega.astype(np.float64),
        np.arange(graph.n),
        np.zeros(graph.n),
    )


def reduced(
    graph: Graph,
    alpha: NDArray[Any],
    omega: NDArray[Any],
    reductions: Set[str] = FOR_ALL,
    *,
    relative_throughput: int = 1,
) -> Problem:
    """Problem of the same sums on a smaller graph, its nodes in an order of good locality.

    ``alpha`` and ``omega``, shape (n,), mark sources and targets, or are their weights. Those that
    are whole have a sum below 2**31 and are folded; floats leave the trees where they are.
    ``reductions`` may be used where they pay. "trees" are not for stress by length, where no engine
    sums what arrives at a node and what departs; "blocks" not for stress, nor where each node is to
    have one row; "chains" only for an engine that takes arms; "twins" not where each source is to
    be swept. Without "prune", the trees are those of the graph as given.
    ``relative_throughput`` is the engine's, and says what pays here.
    """
    kept, count = None, int(np.count_nonzero(alpha))
    if "prune" in reductions:
        graph, kept = backbone(graph, count, relative_throughput)
    ops, xp = graph.ops, graph.ops.xp
    found = graph.traits
    ends = np.stack((alpha, omega))
    whole = ends.dtype.kind != "f"
    through, trees, pieces = np.zeros(graph.n), None, None
    ties_stay = graph.lengths is None or (graph.symmetric and graph.lengths.foldable)
    cuttable = whole and ties_stay
    degree = _degrees(graph)
    if "trees" in reductions and found.leaves and graph.symmetric and cuttable:
        degree, through, trees = _fold(graph, ends)
    weights = trees.below if trees else ends
    # Searches of the whole graph that as many sources come to, each of its component.
    whole_searches, enough = count, blocks.enough(relative_throughput, graph)
    if count >= enough:
        whole_searches = int(count * graph.reach / graph.n)
    if "blocks" in reductions and cuttable and whole_searches >= enough:
        own = ops.asarray(weights).astype(np.int64)
        around = trees.around if trees else ops.totals(graph.components, own)
        pieces = blocks.split(graph, degree, own, around, relative_throughput)
    if pieces:
        graph, weights = pieces.graph, pieces.ends
        degree, through = _degrees(graph), through + pieces.through
    linked = int(xp.count_nonzero(degree))
    deep = found.deep and linked > 0
    # Neighbours close together where frontiers are narrow, busy rows close together where not.
    if deep:
        keep = ops.local_order(graph.outgoing, xp.flatnonzero(degree), graph.symmetric)
    else:
        keep = xp.argsort(-degree, kind="stable")[:linked]
        if whole_searches < count // APART:
            keep = keep[xp.argsort(graph.components[keep], kind="stable")]
    if pieces:  # large blocks first
        keep = keep[xp.argsort(-ops.asarray(pieces.sizes)[keep], kind="stable")]
    core, rows = _induced(graph, keep), ops.on_host(keep)
    if trees or pieces:  # in 32 bits, for no sum of weights is larger
        alpha, omega = ops.on_host(ops.asarray(weights)[:, keep].astype(np.int32))
    else:
        alpha, omega = ends[:, rows]
    starts: NDArray[np.bool_] = alpha > 0
    groups = None
    if not graph.symmetric:
        starts &= ops.on_host(core.outgoing.degrees) > 0
    elif "chains" in reductions and ties_stay and count >= chains.enough(relative_throughput):
        costs = chains.costs(relative_throughput, core.n)
        chained = chains.find(core, alpha, costs) if costs else None
        if chained:
            starts, groups = chained
    sources, alpha = np.flatnonzero(starts).astype(np.int32), alpha[starts].astype(np.float64)
    alike = None
    if (
        "twins" in reductions
        and groups is None
        and graph.lengths is None
        and sources.size >= twins.enough(relative_throughput)
    ):
        sources, alpha, alike = twins.merged(core, sources, alpha, omega)
    return Problem(
        core,
        deep,
        sources,
        alpha,
        omega.astype(np.float64),
        pieces.nodes[rows] if pieces else rows.astype(np.int64, copy=False),
        through,
        trees,
        kept,
        pieces.bridges if pieces else None,
        groups,
        alike,
    )


def ends_in_components(
    graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]
) -> NDArray[np.float64]:
    """Pairs of an undirected graph that begin or end at each node, by their weights, shape (n,).

    A source reaches every other target of its component.
    """
    label = graph.ops.on_host(graph.components)
    total_alpha, total_omega = (np.bincount(label, ends, minlength=1) for ends in (alpha, omega))
    begin = alpha * (total_omega[label] - omega)
    pairs: NDArray[np.float64] = begin + omega * (total_alpha[label] - alpha)
    return pairs


def _degrees(graph: Graph) -> Any:
    """Arcs of each node, either way."""
    outgoing = graph.outgoing.degrees
    return outgoing if graph.symmetric else outgoing + graph.incoming.degrees


def _fold(graph: Graph, ends: NDArray[Any]) -> tuple[Any, NDArray[np.float64], Trees]:
    """Fold trees: what degree is left, ``through``, and the trees, with alpha and omega below."""
    ops, label = graph.ops, graph.components
    own = ops.asarray(ends).astype(np.int64)
    around, below = ops.totals(label, own), own.copy()
    degree, children, parent = ops.fold(graph.outgoing, label, below)
    trees = Trees(parent, children, own, below, around)
    through = ops.on_host(trees.through(around).astype(np.float64))
    return degree, through, trees


def _induced(graph: Graph, nodes: Any) -> Graph:
    """Graph on the given nodes, numbered in that order."""
    ops = graph.ops
    outgoing = ops.induced(graph.outgoing, graph.incoming, nodes)
    incoming = outgoing
    if not graph.symmetric:
        incoming = ops.induced(graph.incoming, graph.outgoing, nodes)
    lengths = graph.lengths
    if lengths is not None:
        there = lengths.outgoing[ops.places(graph.outgoing, outgoing, nodes)]
        back = there
        if not graph.symmetric:
            back = lengths.incoming[ops.places(graph.incoming, incoming, nodes)]
        lengths = replace(lengths, outgoing=there, incoming=back)
    return replace(graph, n=int(nodes.size), outgoing=outgoing, incoming=incoming, lengths=lengths)
