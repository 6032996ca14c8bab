"""The arguments that every centrality takes, checked once to a `Query`, and delivery of scores."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import as_mask, check_flags, check_int, generator
from ..engines import devices
from ..engines.common.base import Engine
from ..errors import InputError
from ..matrix import read_matrix
from ..matrix.csr import Matrix
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.matrix_arrays import Network
from ..matrix.read_matrix import Adjacency, canonical
from ..reduce.reduce import Query
from ..sweep.options import Run
from ..sweep.plan import check_graph
from . import tolerance
from .weights import decay_of, pair_weights

# Arguments that weigh pairs, and all arguments of `validate` that select or weigh pairs.
WEIGHTS = ("targets", "source_weights", "target_weights", "demand", "decay")
PAIRS = (*WEIGHTS, "sources", "cutoff", "weighted", "tie_rtol")


@contextmanager
def reading(A: Adjacency, run: Run, **arguments: Any) -> Iterator[tuple[Engine, Query]]:
    """Context with the engine of the run options, current, and the query of the ``arguments``.

    They are those of `validate`.
    """
    origin = devices.home(A)
    engine = devices.select(run.device, origin)
    with engine.here(), run.executor or nullcontext():
        yield engine, validate(A, engine, run, **arguments)._replace(origin=origin)


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
    if weighted or tie_rtol is not TIE_RTOL:
        tolerance.check_tie_rtol(tie_rtol, weighted)
    weights = {
        "source_weights": source_weights,
        "target_weights": target_weights,
        "demand": demand,
    }
    weighing = [name for name, given in weights.items() if given is not None]
    if k is not None or rng is not None:
        check_sample(k, rng, sources is not None or targets is not None, weighing)
    seeded = [name for name, given in (("decay", decay), ("demand", demand)) if given is not None]
    if seeded and run.dtype == np.float32:
        raise InputError(
            f"dtype=numpy.float32 has too small a range for {seeded[0]}: take float64", seeded[0]
        )
    if run.memory_budget:
        check_graph(A, engine, run)
    limits = None if cutoff is None else tolerance.cutoffs_of(cutoff)
    columns, tau, names = None, 0.0, A.names if isinstance(A, Network) else None
    how: Any = {"ops": engine.ops, "workers": run.threads}
    how["directed"] = bool(flags["directed"])
    zeros = read_matrix.POSITIVE if counts_paths else read_matrix.zeros_on(engine.devices)
    graph = read_matrix.weighted(A, **how, zeros=zeros) if weighted else canonical(A, **how)
    counts = counts_paths and graph.lengths is not None
    if weighted and (counts or limits is not None or decay is not None):
        most = np.inf if limits is None else float(limits.max())
        tau = tolerance.tau_of(graph, engine, tie_rtol, most, counts=counts)
        graph = graph.tied(tau) if tau and graph.lengths else graph
    is_source = as_mask("sources", sources, graph.n) if k is None else sampled(graph.n, k, rng)
    is_target = as_mask("targets", targets, graph.n)
    shortest = graph.lengths.shortest if graph.lengths else graph.unit
    by_distance = None if decay is None else decay_of(decay, tau, shortest)
    if by_distance is not None and by_distance.support < np.inf:  # beyond it a decay is 0
        limits = np.minimum(np.inf if limits is None else limits, by_distance.support)
    if limits is not None:
        graph, columns = tolerance.limited(graph, limits, tau, int(np.count_nonzero(is_source)))
    given = source_weights, target_weights, demand, by_distance
    return Query(
        graph,
        measures=measures,
        endpoints=bool(flags.get("endpoints")),
        is_source=is_source,
        sampled=k is not None and not is_source.all(),
        columns=columns,
        names=names,
        tau=tau,
        **pair_weights(*given, is_source, is_target, names),
    )


def delivered(rows: Sequence[Any], query: Query) -> Any:
    """The ``rows`` of results, one a cutoff, in the shape of that argument and on the device of A.

    For a list of cutoffs, arrays are stacked along a last axis, and matrices become a list.
    """
    columns, origin = query.columns, query.origin
    if not isinstance(columns, np.ndarray):
        return devices.deliver(rows[columns or 0], origin)
    chosen = [rows[column] for column in columns]
    if isinstance(chosen[0], Matrix):
        return [devices.deliver(matrix, origin) for matrix in chosen]
    return devices.deliver(np.stack(chosen, axis=-1), origin)


def check_sample(k: Any, rng: Any, chosen: bool, weighing: list[str]) -> None:
    """Refuse a seed without a draw, and a sample beside chosen or weighted nodes."""
    if rng is not None and (k is None or np.iterable(k)):
        raise InputError(
            f"rng={rng!r} has an effect only with k as a number: leave it out, or give k", "rng"
        )
    if k is not None and chosen:
        raise InputError(
            f"k={k!r:.60} samples its own sources: leave out k, or sources and targets", "k"
        )
    if k is not None and weighing:
        raise InputError(
            f"k={k!r:.60} samples pairs that count 1 each: leave out k, or {weighing[0]}", "k"
        )


def sampled(n: int, k: Any, rng: Any) -> NDArray[np.bool_]:
    """Mask of k of n nodes, drawn without replacement, or of those of a list."""
    is_list = np.iterable(k)
    if is_list:
        return as_mask("k", k, n)
    if n == 0:
        raise InputError(f"A has no nodes to sample, got k={k}: leave k out", "k")
    k = check_int("k", k, n, f"n = {n}")
    marked = np.zeros(n, dtype=bool)
    marked[generator(rng).choice(n, k, replace=False)] = True
    return marked
