"""Reduction of a graph to the problem that an engine sweeps, and expansion of its sums.

Trees of an undirected graph are folded into their roots (`trees`, the degree-one reduction). The
remaining graph is split at its cut nodes (`blocks`). Then chains are swept from their ends
alone (`chains`), or else one source of each class of twins is swept (`twins`), where it saves work.

The idea is that of Sariyuce et al., "Shattering and compressing networks for betweenness
centrality", SDM 2013.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine, Task
from ..engines.common.decay import Seeds
from ..engines.common.sums import Batch
from ..errors import RangeError
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from . import blocks, chains, twins
from .blocks import Bridges
from .choice import IN_VAIN, Choice, Least, Query, of_paths, of_pruned
from .prune import pruned
from .trees import SPREAD, DecayedTrees, Trees, folded, folded_decayed
from .twins import Twins

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

    def scores(self, sums: dict[str, Any], query: Query) -> dict[str, Any]:
        """Raw scores by measure on the graph of the query, from the sums on the reduced one."""
        graph, alpha, omega, measures, endpoints, node_sets = query[:6]
        total, raw = self.of_all(sums), {}
        on_host, trees = self.graph.ops.on_host, self.decayed
        outside: Any = None if trees is None else trees.weights_outside(total["ends"], self.nodes)
        if node_sets is not None:
            raw["group_betweenness"] = on_host(total["dependency"])
        if "betweenness" in measures:
            raw["betweenness"] = self.expand(total["dependency"])
            if trees is not None:
                raw["betweenness"] += trees.through(outside)
                if endpoints:
                    raw["betweenness"] += trees.ends(outside)
            elif "ends" in total:
                raw["betweenness"][on_host(self.nodes)] += on_host(total["ends"])
            elif endpoints:
                raw["betweenness"] += ends_in_components(graph, alpha, omega)
        if "edge_betweenness" in measures:
            raw["edge_betweenness"] = self.expand_arcs(total["arcs"], graph)
            if trees is not None:
                trees.add_pairs(graph.outgoing, raw["edge_betweenness"], outside, graph.ops)
        if "stress" in measures:
            raw["stress"] = np.zeros(self.through.size)
            raw["stress"][on_host(self.nodes)] = on_host(total["stress"])
            if not np.isfinite(raw["stress"]).all():
                node = np.flatnonzero(~np.isfinite(raw["stress"]))[0]
                raise RangeError(
                    f"more shortest paths pass through node {node} than float64 can represent "
                    "(1.8e308): use betweenness, or fewer sources and targets"
                )
        return raw

    def expand(self, values: Any) -> NDArray[np.float64]:
        """Sums on the original nodes, ``through`` included, from those on ``graph``; on host."""
        ops: GraphOps = self.graph.ops
        if self.bridges is not None:  # a cut node is in several blocks, added in their order
            through, nodes, there = map(ops.on_host, (self.through, self.nodes, values))
            return through + np.bincount(nodes, weights=there, minlength=through.size)
        return ops.on_host(ops.plus(self.through, self.nodes, values))

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


def problem_of(
    engine: Engine, query: Query, reductions: Iterable[str], dtype: np.dtype[Any]
) -> Problem:
    """The problem of a query, by those of the ``reductions`` that fit, with the sums to compute.

    ``left_out`` has the reasons against the others.
    """
    graph, alpha, omega, measures, endpoints, node_sets, seeds = query[:7]
    profile, sources = engine.profile, int(np.count_nonzero(alpha))
    choice = of_paths(reductions, query, engine, sources)
    if choice.of_none:
        problem = as_given(graph, alpha, omega)
    else:
        how: Any = {"relative_throughput": profile.relative_throughput}
        how["wants_near"] = profile.wants_near
        problem = reduced(graph, alpha, omega, choice, seeds=seeds, **how)
    problem = replace(problem, dtype=dtype, left_out=choice.left_out)
    on_host = problem.graph.ops.on_host
    if node_sets is not None:
        member = np.ascontiguousarray(node_sets.member[on_host(problem.nodes)])
        sums, there = frozenset({"dependency"}), node_sets._replace(member=member)
        return replace(problem, kind="node sets", node_sets=there, sums=sums)
    by_pair = seeds is not None or bool(graph.cutoffs)
    # Pruning may make a directed graph symmetric, so that trees are folded: test the reduced graph.
    ends_known = problem.graph.symmetric and not profile.literal and not by_pair
    wanted = {
        "dependency": "betweenness" in measures or "edge_betweenness" in measures,
        "arcs": "edge_betweenness" in measures,
        "stress": "stress" in measures,
        "ends": problem.decayed is not None
        or (endpoints and "betweenness" in measures and not ends_known),
    }
    sums = frozenset(name for name, is_wanted in wanted.items() if is_wanted)
    return replace(problem, sums=sums, seeds=seeds and seeds.induced(on_host(problem.nodes)))


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
    choice: Choice,
    *,
    seeds: Seeds | None = None,
    relative_throughput: int = 1,
    wants_near: Callable[[Graph], bool] = lambda graph: True,
) -> Problem:
    """The problem on a graph that is pruned, folded, split and renumbered, as the choice allows.

    ``alpha`` and ``omega``, shape (n,), are masks of sources and targets, or weights: integers of a
    sum below 2**31, or floats. Without "prune", the trees are those of the original graph.
    ``relative_throughput`` and ``wants_near`` are of the engine's profile: what pays, and whether
    neighbours in high-diameter graphs are to be close together in memory.
    """
    ends, count = np.stack((alpha, omega)), int(np.count_nonzero(alpha))
    given = pruned(graph, count, choice, relative_throughput)
    of_pruned(choice, given, ends.dtype.kind != "f", seeds)
    left = _without_trees(given, ends, seeds, choice)
    pieces = None
    enough = Least.of("blocks", given, relative_throughput)
    looks = choice.looks_for("blocks", count, enough)
    if looks and _whole_searches(given, count, enough) >= enough:
        totals = left.trees.totals if left.trees else given.ops.totals(given.components, left.ends)
        pieces = blocks.split(given, left.degree, left.ends, totals, relative_throughput)
    choice.leave_out("blocks", pieces is None, IN_VAIN)
    through = left.through
    if pieces:
        left = left._replace(graph=pieces.graph, degree=pieces.degree, ends=pieces.ends)
        through = through + pieces.through
    is_near = given.traits.high_diameter and left.graph.arcs > 0 and wants_near(left.graph)
    keep, arcs = _rows(left, is_near)
    if pieces:
        keep = keep[given.ops.xp.argsort(pieces.order[keep], kind="stable")]
    elif not is_near and _whole_searches(given, count, enough) < count // APART:
        keep = keep[given.ops.xp.argsort(given.components[keep], kind="stable")]
    core = left.graph.induced(keep, arcs)
    leaving = None if left.graph.symmetric else core.outgoing.degrees
    sources, weights, targets = given.ops.weighed(left.ends, keep, leaving)
    batches = alike = None
    if choice.looks_for("chains", count, Least.of("chains", left.graph, relative_throughput)):
        batches, sources, weights = _chained(core, sources, weights, relative_throughput)
    choice.leave_out("chains", batches is None, IN_VAIN)
    looks = choice.looks_for(
        "twins", sources.size, Least.of("twins", left.graph, relative_throughput)
    )
    choice.leave_out("twins", batches is not None, "chain reduction is used instead")
    if looks and batches is None:
        sources, weights, alike = twins.merged(core, sources, weights, targets)
    choice.leave_out("twins", alike is None, IN_VAIN)
    high_diameter = given.traits.high_diameter and keep.size > 0
    return Problem(
        "paths" if batches is None else "chains",
        *(core, high_diameter, sources, weights, targets),
        passed=None if alike is None else alike.is_led,
        batches=batches,
        left_out=choice.left_out,
        nodes=pieces.nodes[keep] if pieces else keep.astype(np.int64, copy=False),
        through=through,
        trees=left.trees,
        decayed=left.decayed,
        bridges=pieces.bridges if pieces else None,
        twins=alike,
    )


class _Left(NamedTuple):
    """What is left of a graph without its trees, on the device of the graph."""

    graph: Graph
    degree: Any  # (graph.n,) arcs of each node, 0 of the folded ones
    ends: Any  # (2, graph.n) weights as source and as target
    through: Any  # (n,) pairs through each node in closed form
    trees: Trees | None = None
    decayed: DecayedTrees | None = None


def _without_trees(graph: Graph, ends: NDArray[Any], seeds: Seeds | None, choice: Choice) -> _Left:
    """Fold the trees of a graph, if the choice has "trees"; ``ends`` holds alpha and omega."""
    ops = graph.ops
    if "trees" in choice.left and seeds is None:
        degree, through, trees = folded(graph, ends)
        return _Left(graph, degree, trees.below, through, trees)
    if "trees" in choice.left and seeds is not None:
        decayed = folded_decayed(graph, ends[1], seeds)
        if decayed is not None:
            both = np.stack((decayed.weight, decayed.weight))
            return _Left(graph, decayed.degree, both, np.zeros(graph.n), decayed=decayed)
        reason = f"the weights left would differ by a factor of {1 / SPREAD:.0e}"
        choice.leave_out("trees", True, reason)
    weights = ops.asarray(ends)
    weights = weights if ends.dtype.kind == "f" else weights.astype(np.int64)
    return _Left(graph, graph.degrees, weights, ops.xp.zeros(graph.n))


def _rows(left: _Left, is_near: bool) -> tuple[Any, int | None]:
    """Nodes that are left, in the order of their rows, and the number of arcs if it is known.

    Small frontiers (``is_near``) want neighbours close together in memory, large ones rows by
    degree.
    """
    graph, ops = left.graph, left.graph.ops
    if not is_near:
        keep, total = ops.by_degree(left.degree)
        return keep, total if graph.symmetric else total // 2
    keep = ops.xp.flatnonzero(left.degree)
    return ops.local_order(graph.outgoing, graph.incoming, keep) if keep.size else keep, None


def _chained(
    core: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], relative_throughput: int
) -> tuple[Sequence[Batch] | None, NDArray[np.int32], NDArray[np.float64]]:
    """Batches of the ends of chains, None if they do not pay; sources to sweep, their weights."""
    costs, every = chains.costs(relative_throughput, core.n), np.zeros(core.n)
    every[sources] = alpha
    found = chains.find(core, every, costs) if costs else None
    if found is None:
        return None, sources, alpha
    is_swept, batches = found
    swept = np.flatnonzero(is_swept).astype(np.int32)
    return batches, swept, every[swept]


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
