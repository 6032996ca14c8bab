"""Reading of the arguments that every centrality takes: they are checked, once, to a `Query`."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import as_mask, check_flags, check_int, generator
from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.decay import Seeds
from ..errors import OptionError
from ..matrix import read_matrix
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.network import names_of
from ..matrix.read_matrix import Adjacency, canonical
from ..reduce.query import Query
from ..sweep.options import Run
from ..sweep.plan import check_graph
from . import cutoffs, ties
from .weights import check_largest, decay_of, demand_of, node_weights, of_pairs

# Arguments that weigh pairs, and all arguments of `validate` that select or weigh pairs.
WEIGHTS = ("targets", "source_weights", "target_weights", "demand", "decay")
PAIRS = (*WEIGHTS, "sources", "cutoff", "weighted", "tie_rtol")


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
    measures: Collection[str] = ("betweenness",),
    counts_paths: bool = True,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    k: ArrayLike | None = None,
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
    weights = {
        "source_weights": source_weights,
        "target_weights": target_weights,
        "demand": demand,
    }
    weighing = [name for name, given in weights.items() if given is not None]
    check_sample(k, rng, sources is not None or targets is not None, weighing)
    seeded = [name for name, given in (("decay", decay), ("demand", demand)) if given is not None]
    if seeded and run.real == np.float32:
        raise OptionError(
            f"dtype=numpy.float32 has too small a range for {seeded[0]}: take float64", seeded[0]
        )
    check_graph(A, engine, run)
    limits, columns, tau, names = cutoffs.read(cutoff), None, 0.0, names_of(A)
    how: Any = {"ops_for": engine.ops_for, "workers": run.threads}
    how["directed"] = bool(flags["directed"])
    zeros = read_matrix.POSITIVE if counts_paths else read_matrix.zeros_on(engine.devices)
    graph = read_matrix.weighted(A, **how, zeros=zeros) if weighted else canonical(A, **how)
    counts = counts_paths and graph.lengths is not None
    if weighted and (counts or limits is not None or decay is not None):
        most = np.inf if limits is None else float(limits.max())
        tau = ties.tau_of(graph, engine, tie_rtol, most, counts=counts)
        graph = graph.tied(tau) if tau and graph.lengths else graph
    is_source = as_mask("sources", sources, graph.n) if k is None else sampled(graph.n, k, rng)
    is_target = as_mask("targets", targets, graph.n)
    by_distance = decay_of(decay, tau)
    check_largest(by_distance, graph.lengths.shortest if graph.lengths else graph.unit)
    limits = cutoffs.within_support(limits, by_distance.support)
    if limits is not None:
        graph, columns = cutoffs.within(graph, limits, tau, int(np.count_nonzero(is_source)))
    alpha = node_weights("source_weights", source_weights, is_source, names)
    omega = node_weights("target_weights", target_weights, is_target, names)
    by_pair, counted = demand_of(demand, graph.n, names), alpha.counted
    if by_pair is not None:  # sources of no pair are not swept
        counted = counted * by_pair.is_source
    pairs = partial(by_pair.of_pairs if by_pair else of_pairs, alpha.given, omega.given)
    return Query(
        graph,
        counted,
        omega.counted,
        measures,
        bool(flags.get("endpoints")),
        seeds=Seeds(by_distance, by_pair and by_pair.counted) if seeded else None,
        is_source=is_source,
        sampled=k is not None and not is_source.all(),
        weight_of_pairs=pairs if weighing else None,
        target_weights=omega.given if weighing else None,
        unit=alpha.unit * omega.unit * (by_pair.unit if by_pair else 1.0),
        columns=columns,
        tau=tau,
    )


def check_sample(k: Any, rng: Any, chosen: bool, weighing: list[str]) -> None:
    """Refuse a seed without a draw, and a sample beside chosen or weighted nodes."""
    if rng is not None and (k is None or np.ndim(k)):
        raise OptionError(
            f"rng={rng!r} has an effect only with k as a number: leave it out, or give k", "rng"
        )
    if k is not None and chosen:
        raise OptionError(
            f"k={k!r:.60} samples its own sources: leave out k, or sources and targets", "k"
        )
    if k is not None and weighing:
        raise OptionError(
            f"k={k!r:.60} samples pairs that count 1 each: leave out k, or {weighing[0]}", "k"
        )


def sampled(n: int, k: Any, rng: Any) -> NDArray[np.bool_]:
    """Mask of k of n nodes, drawn without replacement, or of those of a list."""
    if np.ndim(k):
        return as_mask("k", k, n)
    if n == 0:
        raise OptionError(f"A has no nodes to sample, got k={k}: leave k out", "k")
    k = check_int("k", k, n, f"n = {n}")
    marked = np.zeros(n, dtype=bool)
    marked[generator(rng).choice(n, k, replace=False)] = True
    return marked
