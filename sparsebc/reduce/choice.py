"""What is asked, a query; and the rules that leave a reduction out, with their reasons.

The tables below decide by what is asked and by the graph. What they leave is looked for if there
are sources enough, and is left out where it finds nothing or saves too little. So `explain` gives
the reasons of the call itself.
"""

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common import batching
from ..engines.common.base import Engine, sweeps_chains
from ..engines.common.decay import Seeds
from ..engines.common.sums import NodeSets
from ..matrix.graph import Graph
from .trees import folds_decayed

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
    def sample(self) -> NDArray[np.bool_] | None:
        """Mask of the sources if they are a sample, else None."""
        return self.is_source if self.sampled else None

    def rows(self, values: Any) -> list[Any]:
        """List of the values for each cutoff of the graph; of one item if there is no cutoff."""
        return list(values) if self.graph.cutoffs else [values]

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


class Least:
    """Least sources for the search for what a reduction would leave out, which costs sweeps.

    On an engine of a relative throughput, chains and twins take so many times more.
    """

    chains = 128  # as many sweeps as the search takes
    twins = 800  # it takes the time of six to fifteen
    near = 32  # times those, with a cutoff on a high-diameter graph: a sweep visits few nodes
    blocks = 128  # on a CPU, where the search takes a few sweeps, in vain on many graphs
    # On a GPU, where it takes some hundred; high-diameter graphs are searched by the host.
    blocks_on_gpu, blocks_of_high_diameter = 1 << 14, 1 << 15

    @classmethod
    def of(cls, name: str, graph: Graph, relative_throughput: int) -> int:
        """That of a reduction of a graph."""
        if name == "chains":
            return cls.chains * relative_throughput
        if name == "twins":
            is_near = graph.cutoffs and graph.traits.high_diameter
            return cls.twins * relative_throughput * (cls.near if is_near else 1)
        if relative_throughput == 1:
            return cls.blocks
        is_deep = graph.symmetric and graph.traits.high_diameter
        return cls.blocks_of_high_diameter if is_deep else cls.blocks_on_gpu


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
    on_gpu = bool(engine.devices) and "chains" in choice.left
    elsewhere = on_gpu and not sweeps_chains(engine, graph, measures)
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
