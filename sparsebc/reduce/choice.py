"""Choice of the reductions of a call: the rules that leave one out, with their reasons.

The tables below decide by what is asked and by the graph. What they leave is looked for if there
are sources enough, and is left out where it finds nothing or saves too little. So `explain` gives
the reasons of the call itself.
"""

from collections.abc import Iterable, Set

from ..engines.common import batching
from ..engines.common.base import Engine, sweeps_chains
from ..engines.common.decay import Seeds
from ..matrix.graph import Graph
from .query import Query
from .trees import folds_decayed

# Names of the reductions, in the order in which they are used.
ORDER = ("prune", "trees", "blocks", "chains", "twins")
IN_VAIN = "finds nothing, or would take longer than it saves"
FAR = "a node stands for others, which may be beyond the cutoff"


class Choice:
    """A set of reductions, from which rules remove some."""

    def __init__(self, allowed: Iterable[str] = ORDER) -> None:
        kept = frozenset(allowed)
        self.left_out = {name: "left out by reduce" for name in ORDER if name not in kept}
        self.left = [name for name in ORDER if name in kept]
        self.of_none = False  # whether the graph is swept as it was given

    def leave_out(self, names: str, holds: object, reason: str) -> None:
        """Remove those of the ``names`` that are left if a rule holds; the first reason counts."""
        if holds:
            gone = [name for name in names.split() if name in self.left]
            self.left_out |= dict.fromkeys(gone, reason)
            self.left = [name for name in self.left if name not in gone]

    def looks_for(self, name: str, sources: int, least: int) -> bool:
        """Whether a reduction is left, with sources enough to look for what it would reduce."""
        self.leave_out(name, sources < least, f"fewer than {least} sources")
        return name in self.left


def of_paths(allowed: Iterable[str], query: Query, engine: Engine, sources: int) -> Choice:
    """Reductions for sums over paths, by the question."""
    choice, (graph, measures) = Choice(allowed), (query.graph, query.measures)
    rule = choice.leave_out
    literal, brief = engine.profile.literal, is_brief(graph, engine, sources)
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
    where = "unweighted high-diameter graphs of few arcs a node, without cutoff or stress"
    elsewhere = "chains" in choice.left and not sweeps_chains(engine, graph, measures)
    rule("chains", elsewhere, f"on a GPU chains are for {where}")
    rule("trees blocks", graph.cutoffs, FAR)
    rule("blocks", directed, "endpoints of a directed graph are counted in the sweep")
    return choice


def of_pruned(choice: Choice, graph: Graph, whole: bool, seeds: Seeds | None) -> None:
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
    return choice


def is_brief(graph: Graph, engine: Engine, sources: int) -> bool:
    """Whether all workers share the rows of the few sources of a large graph, unreduced."""
    return engine.profile.shares_rows and batching.is_brief(graph, sources)
