"""What is asked, the rules that choose reductions, and the reduced problem that an engine sweeps.

Trees of an undirected graph are folded into their roots (`trees`, the degree-one reduction). The
remaining graph is split at its cut nodes (`blocks`). Then chains are swept from their ends
alone (`chains`), or else one source of each class of twins is swept (`twins`), where it saves work.
The tables of rules decide by what is asked and by the graph. What they leave is looked for, and is
left out where it finds nothing or saves too little. So `explain` has the reasons of the call.

The idea is that of Sariyuce et al., "Shattering and compressing networks for betweenness
centrality", SDM 2013.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common import batching
from ..engines.common.base import Engine, Task
from ..engines.common.decay import Seeds
from ..engines.common.sums import NodeSets
from ..errors import RangeError
from ..matrix.graph import Graph
from ..matrix.ops import GraphOps
from . import blocks, chains, twins
from .blocks import Bridges
from .prune import backbone
from .trees import SPREAD, DecayedTrees, Trees, folded_decayed, folds_decayed
from .twins import Spread

# Index among the cutoffs of the graph: an array with one for each cutoff of a list, an int for a
# single cutoff, None without cutoff.
Columns = NDArray[np.int64] | int | None


class Query(NamedTuple):
    """Sums over the pairs (s, t) of a graph, where a pair counts alpha(s) omega(t).

    With ``seeds`` it counts f(d(s, t)) D(s, t) times that. The fields up to ``seeds`` determine the
    sums over paths, the others what becomes of them.
    """

    graph: Graph
    # (n,), a mask of the sources, or their weights: int64, or float64 if not whole
    alpha: NDArray[Any]
    omega: NDArray[Any]  # (n,), that of the targets
    measures: Collection[str] = ("betweenness",)  # of paths
    endpoints: bool = False
    node_sets: NodeSets | None = None  # groups of nodes, in place of nodes
    seeds: Seeds | None = None  # distance decay f and origin-destination matrix D

    is_source: NDArray[np.bool_] = np.empty(0, np.bool_)  # (n,), those of weight 0 too
    sampled: bool = False  # the sources are a sample that stands for all nodes
    # of the pairs that could count each node, if pairs have weights, given ``endpoints``
    weight_of_pairs: Callable[..., NDArray[np.float64]] | None = None
    target_weights: NDArray[np.float64] | None = None  # as given, with those of the pairs
    unit: float = 1.0  # weight that 1 in the sums stands for, a power of two
    columns: Columns = None  # of the scores, among the cutoffs of the graph
    names: Sequence[str] | None = None  # of the nodes, if A has some
    origin: str | None = None  # device of A, where scores are delivered; None for the host
    tau: float = 0.0  # largest difference of two path lengths that tie

    @property
    def others_weights(self) -> NDArray[np.float64]:
        """Target weights of the sources, 0 elsewhere, for distance measures; shape (n,)."""
        weights: Any = self.target_weights
        return np.where(self.is_source, weights, 0.0)

    @property
    def others(self) -> Any:
        """Number of sources other than each node, or their weight, in the memory of the graph.

        Shape (n,), or (1,) if it is the same for all.
        """
        if self.target_weights is not None:
            weights = np.concatenate(([0.0], self.others_weights, [0.0]))
            others = np.cumsum(weights)[:-2] + np.cumsum(weights[::-1])[-3::-1]
            return self.graph.ops.asarray(others)
        count = np.count_nonzero(self.is_source)
        marked = self.is_source[:1] if count == self.is_source.size else self.is_source
        return count - self.graph.ops.asarray(marked)


# Names of the reductions, in the order in which they are used.
ORDER = ("prune", "trees", "blocks", "chains", "twins")


# Least sources for the search for what a reduction would leave out, which costs sweeps. Chains: as
# many sweeps as the search takes. Twins: it takes the time of six to fifteen; on an engine of a
# relative throughput so many times more, and with a cutoff on a high-diameter graph, where a sweep
# visits few nodes, `LEAST_NEAR` times as many.
LEAST_CHAINS, LEAST_TWINS, LEAST_NEAR = 128, 800, 32
# Blocks on a CPU, where the search takes a few sweeps, in vain on many graphs; on a GPU, where it
# takes some hundred; and there of high-diameter graphs, which are searched by the host.
LEAST_BLOCKS, LEAST_BLOCKS_ON_GPU, LEAST_BLOCKS_OF_HIGH_DIAMETER = 128, 1 << 14, 1 << 15
# Rows are ordered by component if searches reach less than 1/64 of the graph.
APART = 64
IN_VAIN = "finds nothing, or would take longer than it saves"
EQUAL = "every edge has the same length"
FAR = "a node stands for others, which may be beyond the cutoff"


class Choice:
    """A set of reductions, from which rules remove some."""

    def __init__(self, allowed: Iterable[str] = ORDER) -> None:
        kept = frozenset(allowed)
        self.left_out = {name: "left out by reduce" for name in ORDER if name not in kept}
        self.left = [name for name in ORDER if name in kept]
        self.of_none = False  # whether the graph is swept as it was given
        self.reaches_little = False  # whether searches do, each one of a component

    def leave_out(self, names: str, holds: object, reason: str) -> None:
        """Remove those of the ``names`` that are left if a rule holds; the first reason counts."""
        if holds:
            gone = [name for name in names.split() if name in self.left]
            self.left_out |= dict.fromkeys(gone, reason)
            self.left = [name for name in self.left if name not in gone]


def of_paths(allowed: Iterable[str], query: Query, engine: Engine, sources: int) -> Choice:
    """Reductions for sums over paths, by the question."""
    choice, (graph, measures) = Choice(allowed), (query.graph, query.measures)
    rule = choice.leave_out
    literal = engine.profile.literal
    brief = engine.profile.shares_rows and batching.is_brief(graph, sources)
    rule("prune trees blocks chains twins", literal, f"device {engine.name!r} reduces nothing")
    reason = f"on a graph of this size it takes longer than {sources} sweeps"
    rule("prune trees blocks chains twins", brief, reason)
    choice.of_none = literal or brief
    of_sets = query.node_sets is not None
    rule("trees blocks chains twins", of_sets, "the nodes of a set stay in one graph")
    stress, directed = "stress" in measures, query.endpoints and not graph.symmetric
    rule("trees blocks", stress, "stress counts paths, which multiply where parts are joined")
    if query.seeds is not None:
        reason = "by demand or decay a node cannot stand for others"
        pairs = query.alpha, query.omega, query.seeds
        rule("trees", "trees" in choice.left and not folds_decayed(graph, *pairs), reason)
        rule("blocks chains twins", True, reason)
    sweeps_chains = any("chains" in kernel.kinds for kernel in engine.kernels)
    rule("chains", not sweeps_chains, f"device {engine.name!r} has no kernel of chains")
    rule("trees blocks", graph.cutoffs, FAR)
    rule("blocks", directed, "endpoints of a directed graph are counted in the sweep")
    rule("prune", graph.lengths is None, EQUAL)
    return choice


def of_pruned(
    choice: Choice,
    graph: Graph,
    sources: int,
    relative_throughput: int,
    whole: bool,
    seeds: Seeds | None,
) -> None:
    """Reductions for sums over paths, by the pruned graph; ``whole``: weights are integers."""
    rule, lengths = choice.leave_out, graph.lengths
    directed, ties = not graph.symmetric, lengths is not None and not lengths.foldable
    rule("twins", lengths, "lengths of edges differ")
    rule("trees blocks chains", lengths and directed, "by length, and with directions")
    reason = "sums of lengths in another order could create or break ties"
    rule("trees blocks chains", ties, reason)
    rule("trees chains", directed, "edges have directions")
    rule("trees", "trees" in choice.left and not graph.traits.leaves, IN_VAIN)
    rule("trees blocks" if seeds is None else "blocks", not whole, "weights are not integers")
    least, searches = LEAST_BLOCKS, sources
    if relative_throughput > 1:
        is_deep = graph.symmetric and graph.traits.high_diameter
        least = LEAST_BLOCKS_OF_HIGH_DIAMETER if is_deep else LEAST_BLOCKS_ON_GPU
    rule("blocks", sources < least, f"fewer than {least} sources")
    rule("chains", sources < LEAST_CHAINS, f"fewer than {LEAST_CHAINS} sources")
    if sources >= least and graph.n:  # each is of one component: in searches of the whole graph
        searches = int(sources * graph.reach / graph.n)
    rule("blocks", searches < least, IN_VAIN)
    choice.reaches_little = searches < sources // APART


def of_distances(allowed: Iterable[str], graph: Graph, engine: Engine, wanted: Set[str]) -> Choice:
    """Reductions for sums of distances; none are ``wanted`` if targets have weights."""
    choice, known = Choice(allowed), engine.profile.of_distances
    rule, literal = choice.leave_out, engine.profile.literal
    rule("prune trees blocks chains twins", literal, f"device {engine.name!r} reduces nothing")
    rule("chains", True, "searches in batches save more than chains")
    rule("twins", True, "searches in batches save more than twins")
    rule("trees blocks", graph.cutoffs, FAR)
    rule("trees blocks", graph.lengths and graph.lengths.has_zeros, "lengths of 0")
    rule("trees blocks", not wanted, "sums with weights of targets cannot be decomposed")
    rule("trees blocks", "harmonic" in wanted, "harmonic sums cannot be decomposed")
    rule("trees", "trees" not in known, "not implemented on GPUs")
    rule("blocks", "blocks" not in known, "not implemented on GPUs")
    reason = "on a GPU trees are folded for closeness by edges without directions"
    folds = graph.symmetric and graph.lengths is None and "farthest" not in wanted
    rule("trees", "blocks" not in known and not folds, reason)
    rule("prune", graph.lengths is None, EQUAL)
    return choice


def pruned(graph: Graph, sources: int, choice: Choice, relative_throughput: int) -> Graph:
    """The `backbone` of the graph; if it is the graph, "prune" is left out."""
    left = backbone(graph, sources, relative_throughput)
    choice.leave_out("prune", left is graph, IN_VAIN)
    return left


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
    spread: Spread | None = None  # if one source is swept for all of a class of twins

    def scores(self, sums: dict[str, Any], query: Query) -> dict[str, Any]:
        """Raw scores by measure on the graph of the query, from the sums on the reduced one."""
        graph, alpha, omega, measures, endpoints, node_sets = query[:6]
        # From the sums over one source of each class of twins those over all sources.
        total = sums if self.spread is None else self.spread(sums)
        raw: dict[str, Any] = {}
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
                # The pairs of an undirected graph that begin or end at each node.
                label = graph.ops.on_host(graph.components)
                begin = alpha * others(label, omega)
                raw["betweenness"] += begin + omega * others(label, alpha)
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
        total = self.through.copy()
        total[self.nodes] += values
        return ops.on_host(total)

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
    given = graph
    if "prune" in choice.left:
        given = pruned(graph, count, choice, relative_throughput)
    of_pruned(choice, given, count, relative_throughput, ends.dtype.kind != "f", seeds)
    degree, ends, through, trees, decayed = _without_trees(given, ends, seeds, choice)
    found, left, bridges = None, given, None
    if "blocks" in choice.left:
        totals = trees.totals if trees else None
        if totals is None:
            label = given.components
            totals = given.ops.add_up(label, ends, given.n).take(label, axis=1)
        found = blocks.split(given, degree, ends, totals, relative_throughput)
    if found:
        left, degree, order, between, bridges = found
        ends, through = bridges.ends, through + between
    is_near = given.traits.high_diameter and left.arcs > 0 and wants_near(left)
    if is_near:  # small frontiers want neighbours close together in memory
        keep, arcs = given.ops.xp.flatnonzero(degree), None
        if keep.size:
            keep = given.ops.local_order(left.outgoing, left.incoming, keep)
    else:  # large ones rows by degree
        keep, total = given.ops.by_degree(degree)
        arcs = total if left.symmetric else total // 2
    if bridges:
        keep = keep[given.ops.xp.argsort(order[keep], kind="stable")]
    elif choice.reaches_little and not is_near:
        keep = keep[given.ops.xp.argsort(given.components[keep], kind="stable")]
    core = left.induced(keep, arcs)
    alpha, omega = ends.take(keep, axis=1)
    if not left.symmetric:  # a source has arcs that leave it
        alpha = alpha * (core.outgoing.degrees > 0)
    is_source = given.ops.xp.flatnonzero(alpha)
    sources = given.ops.on_host(is_source.astype(np.int32))
    weights = given.ops.on_host(alpha[is_source].astype(np.float64))
    targets = omega.astype(np.float64)
    batches = passed = spread = None
    if "chains" in choice.left:
        batches, sources, weights = chains.find(core, sources, weights)
    is_apart = left.cutoffs and left.traits.high_diameter
    least = LEAST_TWINS * relative_throughput * (LEAST_NEAR if is_apart else 1)
    if "twins" in choice.left and batches is None and sources.size >= least:
        sources, weights, passed, spread = twins.merged(core, sources, weights, targets)
    choice.leave_out("twins", sources.size < least, f"fewer than {least} sources")
    choice.leave_out("twins", batches is not None, "chain reduction is used instead")
    for name, result in (("blocks", bridges), ("chains", batches), ("twins", spread)):
        choice.leave_out(name, result is None, IN_VAIN)
    high_diameter = given.traits.high_diameter and keep.size > 0
    return Problem(
        "paths" if batches is None else "chains",
        *(core, high_diameter, sources, weights, targets),
        passed=passed,
        batches=batches,
        left_out=choice.left_out,
        nodes=(bridges.nodes[keep] if bridges else keep).astype(np.int64, copy=False),
        through=through,
        trees=trees,
        decayed=decayed,
        bridges=bridges,
        spread=spread,
    )


def _without_trees(
    graph: Graph, ends: NDArray[Any], seeds: Seeds | None, choice: Choice
) -> tuple[Any, Any, Any, Trees | None, DecayedTrees | None]:
    """Fold the trees of a graph, if the choice has "trees"; ``ends`` holds alpha and omega.

    Returns the arcs of each node, 0 of the folded ones, the weights as source and as target,
    (2, n), and the pairs through each node in closed form; on the device of the graph.
    """
    ops = graph.ops
    if "trees" in choice.left and seeds is None:
        label, own = graph.components, ops.asarray(ends).astype(np.int64)
        totals = ops.add_up(label, own, graph.n).take(label, axis=1)
        degree, children, parent, below = ops.fold(graph.outgoing, label, own)
        (from_others, to_others), (from_outside, to_outside) = totals - own, totals - below
        through = from_others * to_others - from_outside * to_outside - children  # as in `trees`
        trees = Trees(parent, below, totals)
        return degree, below, through.astype(np.float64), trees, None
    if "trees" in choice.left and seeds is not None:
        decayed = folded_decayed(graph, ends[1], seeds)
        if decayed is not None:
            both = np.stack((decayed.weight, decayed.weight))
            return decayed.degree, both, np.zeros(graph.n), None, decayed
        reason = f"the weights left would differ by a factor of {1 / SPREAD:.0e}"
        choice.leave_out("trees", True, reason)
    weights = ops.asarray(ends)
    weights = weights if ends.dtype.kind == "f" else weights.astype(np.int64)
    return graph.degrees, weights, ops.xp.zeros(graph.n), None, None


def others(label: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float64]:
    """For each node, the sum of the values of the other nodes in its component.

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
