"""Arguments that every centrality takes, checked, as a graph and the pairs that count."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import as_mask, check_flags, check_int, generator
from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.decay import Seeds
from ..errors import OptionError
from ..matrix import read_matrix
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.graph import Graph
from ..matrix.network import names_of
from ..matrix.read_matrix import Adjacency, canonical
from ..sweep.fingerprint import Question
from ..sweep.options import Run
from ..sweep.plan import check_graph
from . import cutoffs, ties
from .weights import Demand, Weights, check_largest, decay_of, demand_of, node_weights

# Arguments that weigh pairs, and all arguments of `validate` that select or weigh pairs.
WEIGHTS = ("targets", "source_weights", "target_weights", "demand", "decay")
PAIRS = (*WEIGHTS, "sources", "cutoff", "weighted", "tie_rtol")


class Query(NamedTuple):
    """A graph and the pairs of nodes that count, as validated arguments."""

    graph: Graph
    is_source: NDArray[np.bool_]  # (n,)
    sampled: bool  # the sources are a sample that stands for all nodes
    alpha: Weights  # of the sources
    omega: Weights  # of the targets
    weighs_pairs: bool  # weights were given
    columns: cutoffs.Columns = None  # of the scores, among the cutoffs of the graph
    demand: Demand | None = None  # origin-destination matrix
    seeds: Seeds | None = None  # ``demand`` and weights by distance, as engines take them
    tau: float = 0.0  # largest difference of two path lengths that tie

    @property
    def unit(self) -> float:
        """Weight that 1 in the sums stands for, a power of two."""
        of_demand = 1.0 if self.demand is None else self.demand.unit
        return self.alpha.unit * self.omega.unit * of_demand

    @property
    def sample(self) -> NDArray[np.bool_] | None:
        """Mask of the sources if they are a sample, else None."""
        return self.is_source if self.sampled else None

    def question(self, measures: Collection[str], endpoints: bool = False) -> Question:
        """The question of `sweep.accumulate` for some measures: sums over the pairs that count."""
        pairs = self.alpha.counted, self.omega.counted
        return Question(self.graph, *pairs, measures, endpoints, seeds=self.seeds)

    def rows(self, values: Any) -> list[Any]:
        """List of the values for each cutoff of the graph; of one item if there is no cutoff."""
        return list(values) if self.graph.cutoffs else [values]

    @property
    def others_weights(self) -> NDArray[np.float64]:
        """Target weights of the sources, 0 elsewhere, for distance measures; shape (n,)."""
        return np.where(self.is_source, self.omega.given, 0.0)

    @property
    def others(self) -> Any:
        """Number of sources other than each node, or their weight, in the memory of the graph.

        Shape (n,), or (1,) if it is the same for all.
        """
        if self.weighs_pairs:
            weights = np.concatenate(([0.0], self.others_weights, [0.0]))
            others = np.cumsum(weights)[:-2] + np.cumsum(weights[::-1])[-3::-1]
            return self.graph.ops.asarray(others)
        count = np.count_nonzero(self.is_source)
        marked = self.is_source[:1] if count == self.is_source.size else self.is_source
        return count - self.graph.ops.asarray(marked)


@contextmanager
def reading(A: Adjacency, run: Run, **arguments: Any) -> Iterator[tuple[Engine, Query]]:
    """Context with the engine of the run options, current, and the query of the ``arguments``.

    They are those of `validate`.
    """
    engine = devices.select(run.device, devices.home(A))
    with engine.here(), run:
        yield engine, validate(A, engine, run, **arguments)


def validate(
    A: Adjacency,
    engine: Engine,
    run: Run,
    *,
    flags: dict[str, Any],
    weighted: bool,
    tie_rtol: float = TIE_RTOL,
    counts_paths: bool = True,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    k: int | None = None,
    rng: Any = None,
    source_weights: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    demand: Any = None,
    decay: Any = None,
    cutoff: ArrayLike | None = None,
) -> Query:
    """Query of the arguments of a centrality, checked; ``flags`` are those that are True or False.

    The graph is read into the memory of the engine, by as many threads as the run has. Where no
    paths are counted, only cutoffs and decays need a tau, and no length is too short.
    """
    check_flags(**flags, weighted=weighted)
    ties.check_tie_rtol(tie_rtol, weighted)
    if k is None and rng is not None:
        raise OptionError(f"rng={rng!r} has an effect only with k: leave it out, or give k", "rng")
    if k is not None and (sources is not None or targets is not None):
        raise OptionError(
            f"k={k!r} samples its own sources: leave out k, or sources and targets", "k"
        )
    weights = {
        "source_weights": source_weights,
        "target_weights": target_weights,
        "demand": demand,
    }
    weighing = [name for name, given in weights.items() if given is not None]
    if k is not None and weighing:
        name = weighing[0]
        raise OptionError(f"k={k!r} samples pairs that count 1 each: leave out k, or {name}", "k")
    seeded = [name for name, given in (("decay", decay), ("demand", demand)) if given is not None]
    if seeded and run.real == np.float32:
        raise OptionError(
            f"dtype=numpy.float32 has too small a range for {seeded[0]}: take float64",
            "dtype",
        )
    check_graph(A, engine, run)
    limits, columns, tau, names = cutoffs.read(cutoff), None, 0.0, names_of(A)
    how: Any = {"ops_for": engine.ops_for, "workers": run.threads}
    how["directed"] = bool(flags["directed"])
    graph = read_matrix.weighted(A, **how) if weighted else canonical(A, **how)
    counts = counts_paths and graph.lengths is not None
    if weighted and (counts or limits is not None or decay is not None):
        most = np.inf if limits is None else float(limits.max())
        tau = ties.tau_of(graph, engine, tie_rtol, most, counts=counts)
        graph = graph.tied(tau) if tau and graph.lengths else graph
    is_source = as_mask("sources", sources, graph.n) if k is None else _sample(graph.n, k, rng)
    is_target = as_mask("targets", targets, graph.n)
    by_distance = decay_of(decay, tau)
    check_largest(by_distance, graph.lengths.shortest if graph.lengths else graph.unit)
    limits = cutoffs.within_support(limits, by_distance.support)
    if limits is not None:
        graph, columns = cutoffs.within(graph, limits, tau, int(np.count_nonzero(is_source)))
    alpha = node_weights("source_weights", source_weights, is_source, names)
    by_pair, seeds = demand_of(demand, graph.n, names), None
    if by_pair is not None:  # sources of no pair are not swept
        alpha = alpha._replace(counted=alpha.counted * by_pair.is_source)
    if seeded:
        seeds = Seeds(by_distance, by_pair and by_pair.counted)
    return Query(
        graph,
        is_source,
        k is not None and not is_source.all(),
        alpha,
        node_weights("target_weights", target_weights, is_target, names),
        bool(weighing),
        columns,
        by_pair,
        seeds,
        tau,
    )


def _sample(n: int, k: Any, rng: Any) -> NDArray[np.bool_]:
    """Mask of k of n nodes, drawn without replacement."""
    if n == 0:
        raise OptionError(f"A has no nodes to sample, got k={k}: leave k out", "k")
    k = check_int("k", k, n, f"n = {n}")
    marked = np.zeros(n, dtype=bool)
    marked[generator(rng).choice(n, k, replace=False)] = True
    return marked
