"""Null models: the scores of a graph beside the distribution of those of random graphs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import check_between, check_choice, check_flags, check_int, generator, is_int
from ..engines import devices
from ..errors import InputError
from ..matrix.edge_weights import TIE_RTOL, Tau
from ..matrix.read_matrix import Adjacency
from ..measures.centralities import BY_PATHS, Measure, checked
from ..measures.reading import PAIRS, validate
from ..notebook import as_table, in_one_line
from ..sweep import options
from ..sweep.checkpoint import digest, fingerprint, opened
from ..sweep.options import RunOptions
from ..sweep.plan import check_graph
from ..sweep.progress import counting
from .null_graphs import null_graphs, scores_in_order, stacked
from .null_statistics import NullStatistics

Model = Literal["degree", "edge-probability"]
SWAPS = 10
MOST = 2**31  # of samples, which are numbered, and of tries for each edge


@dataclass(frozen=True, eq=False, repr=False)
class NullModel:
    """Scores of a graph, and their distribution over random graphs.

    With a list of cutoffs, arrays have a column for each, shape (n, c).

    Attributes
    ----------
    score : ndarray, shape (n,), dtype float64
        Score of each node, as the function of the measure returns it.
    mean, std : ndarray, shape (n,), dtype float64
        Mean and standard deviation (with divisor samples - 1) of the samples.
    z : ndarray, shape (n,), dtype float64
        Standard score (score - mean) / std. If all samples are equal, 0 if the score equals them,
        else infinite.
    p : ndarray, shape (n,), dtype float64
        (1 + number of samples at or above the score) / (1 + samples), or its two-sided form; NaN,
        as are z, q, low and high, of a score that is undefined because no pair could count it.
    q : ndarray, shape (n,), dtype float64
        The p-values adjusted by Benjamini and Hochberg: of the nodes with q <= x, a share of at
        most x is expected to be false discoveries.
    low, high : ndarray, shape (n,), dtype float64
        Order statistics between which the central `interval` of the samples lies.
    samples : int
        Number of random graphs.
    seed : int
        Seed of the samples: `rng` if that was an int, else drawn. The same seed gives the same
        samples.
    kept : ndarray, shape (samples, n), dtype float64, or None
        Scores of all samples in their order, with ``keep=True``.
    """

    by_node = ("score", "mean", "std", "z", "p", "q", "low", "high")
    __repr__, _repr_html_ = in_one_line, as_table

    score: Any
    mean: Any
    std: Any
    z: Any
    p: Any
    q: Any
    low: Any
    high: Any
    samples: int
    seed: int
    kept: Any = None


def null_model(
    A: Adjacency,
    measure: Measure | Iterable[Measure] = "betweenness",
    *,
    samples: int = 1000,
    model: Model = "degree",
    rng: Any = None,
    swaps: int = SWAPS,
    weights: Literal["carried", "shuffled"] = "carried",
    probability: Any = None,
    tail: Literal["greater", "two-sided"] = "greater",
    interval: float = 0.95,
    keep: bool = False,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    source_weights: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    demand: Any = None,
    decay: Any = None,
    cutoff: ArrayLike | None = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> Any:
    r"""Scores of a graph beside those of random graphs: of equal degrees, or of uncertain edges.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    measure : str or iterable of str, default "betweenness"
        A measure of nodes, as in `centralities`, or several, each listed once.
    samples : int, default 1000
        Number of random graphs, at least 2. No p-value is below 1 / (1 + samples).
    model : {"degree", "edge-probability"}, default "degree"
        "degree" draws uniformly from the simple graphs in which each node keeps its degree
        (in-degree and out-degree if directed). "edge-probability" keeps each edge of A
        independently, with its own probability.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the samples; an int fixes the result.
    swaps : int, default 10
        Double edge swaps tried for each edge; only for "degree". Few swaps leave samples similar to
        A.
    weights : {"carried", "shuffled"}, default "carried"
        Lengths stay with their edges, or are permuted among the edges of a sample. Only for
        "degree", and with `weighted`.
    probability : sparse array or sparse matrix, shape (n, n), optional
        Probability of each edge of A, in (0, 1], only for "edge-probability". By default the stored
        values of A; required with `weighted`, which takes these for lengths.
    tail : {"greater", "two-sided"}, default "greater"
        Count samples at or above the score, or take twice the smaller of the two tails.
    interval : float, default 0.95
        Share of the samples between ``low`` and ``high``, at least.
    keep : bool, default False
        Keep the scores of all samples, 8 bytes for each sample and node.
    directed, normalized : bool, default True
        As in `centralities`.
    weighted, endpoints : bool, default False
        As in `centralities`.
    sources, targets, source_weights, target_weights, demand, decay, cutoff : optional
        As in `centralities`, for A and for the samples.
    tie_rtol : float, default 1e-11
        As in `centralities`.
    **run
        Run options, as in `betweenness`. ``progress`` counts samples.

    Returns
    -------
    NullModel, or dict of str to NullModel
        For one measure, or for several by name; arrays are on the device of A.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `measure` is "edge_betweenness", as a sample has other edges than A; if an argument is
        outside its range, or an option has no effect on the model; if `probability` has another
        pattern than A, or is left out with `weighted`.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError, OSError
        As `centralities` does.

    See Also
    --------
    centralities : The scores alone.

    Notes
    -----
    "degree": a Markov chain starts at A and tries double edge swaps [1]_; :doc:`/null_models`
    describes it. Self loops of A, which no shortest path takes, are left out. A symmetric A with
    ``directed=True`` is a digraph, whose samples are not symmetric.

    "edge-probability": the mean estimates the expected score, with a standard error of
    std / sqrt(samples). ``z``, ``p`` and ``q`` are NaN, because A itself is not a sample.

    A sample counts as equal to the score within 1e-9 of it plus 1e-12 of the largest score, or 1e-5
    plus 1e-8 for counts of paths with ``dtype=numpy.float32``. If samples are infinite, as
    eccentricities may be, means and deviations may be infinite or NaN.

    Sample i depends on the seed and i alone, and is the same graph on every device. Results have
    the same bits for all workers, executors and stops, and for any number of GPUs of one kind.

    A sample costs one run of the measure and O(swaps * edges). Memory is a graph for each worker,
    and 4 ceil((1 - interval) / 2 samples) numbers a node for ``low`` and ``high``.

    References
    ----------
    .. [1] B. K. Fosdick, D. B. Larremore, J. Nishimura and J. Ugander, "Configuring random graph
       models with fixed degree sequences", SIAM Review 60, 315-355 (2018),
       doi:10.1137/16M1087175

    Examples
    --------
    >>> from sparsebc import datasets, null_model
    >>> A, names = datasets.load("karate")
    >>> found = null_model(A, samples=999, rng=1, directed=False)
    >>> [names[v] for v in (found.q < 0.05).nonzero()[0]]
    ['1']
    """
    given = locals()
    settings = options.parse(run)
    names = checked([measure] if isinstance(measure, str) else measure, "measure")
    check_flags(keep=keep, weighted=weighted)
    _check(names, samples, model, swaps, weights, probability, tail, interval, weighted)
    samples, swaps, interval = int(samples), int(swaps), float(interval)
    flags = {"directed": directed, "normalized": normalized, "endpoints": endpoints}
    asked = {name: given[name] for name in PAIRS}
    seed = int(rng) if is_int(rng) and rng >= 0 else int(generator(rng).integers(2**63))
    how = flags | asked | {"dtype": settings.dtype, "reduce": settings.reduce}
    engine = devices.select(settings.device, devices.home(A))
    with settings.executor or nullcontext():
        limits = {"workers": settings.workers, "memory_budget": settings.memory_budget}
        if settings.memory_budget:
            check_graph(A, engine, settings)
        score = stacked(A, names, how | limits | {"device": settings.device})
        counts_paths = any(name in BY_PATHS for name in names)
        graphs = null_graphs(
            A,
            directed=bool(directed),
            weighted=bool(weighted),
            workers=settings.threads,
            swaps=None if model == "edge-probability" else swaps,
            shuffled=weights == "shuffled",
            probability=probability,
            seed=seed,
        )

        chosen: Any = {"measures": names, "counts_paths": counts_paths, **asked}
        read = partial(validate, A, engine, settings, flags=flags, **chosen)
        if weighted:  # samples have the lengths of A, and keep its tau
            with engine.here():
                how["tie_rtol"] = Tau(read().tau)

        def identity() -> dict[str, str]:
            with engine.here():
                query = read()
            arrays = (graphs.ends, graphs.lengths, graphs.probability)
            present = (array for array in arrays if array is not None)
            return fingerprint(engine, query, settings) | {
                "null model": f"{model}, {graphs.tries} swaps, weights {weights}, seed {seed}",
                "edges": f"blake2b {digest(*present)}",
                "scores": f"blake2b {digest(score)}",
                "samples": f"{samples}, interval {interval}, {'all' if keep else 'none'} kept",
            }

        reals = [str(settings.dtype) if name in BY_PATHS else "float64" for name in names]
        stats = NullStatistics(score, samples, interval, keep=keep, reals=reals)
        with opened(settings, identity) as checkpoint:
            checkpoint.resume("samples", stats)
            left = range(stats.done, samples)
            scores = scores_in_order(engine, graphs, left, names, how, settings)
            with counting(settings.progress, samples, stats.done, "sample") as advance:
                with closing(scores):
                    for sample in scores:
                        stats.take(sample)
                        advance(1)
                        checkpoint.save_if_due()
            checkpoint.save(finished=True)
    models = _models(stats, names, seed, model, tail, devices.home(A))
    return models[names[0]] if isinstance(measure, str) else models


def _check(
    names: list[str],
    samples: Any,
    model: Any,
    swaps: Any,
    weights: Any,
    probability: Any,
    tail: Any,
    interval: Any,
    weighted: Any,
) -> None:
    """Refuse arguments that are out of range, or have no effect on the model."""
    if "edge_betweenness" in names:
        raise InputError(
            "measure must be of nodes, got 'edge_betweenness': random graphs have other edges than "
            "A"
        )
    check_choice("model", model, get_args(Model))
    check_choice("weights", weights, ("carried", "shuffled"))
    check_choice("tail", tail, ("greater", "two-sided"))
    check_int("samples", samples)
    if samples < 2:
        raise InputError(f"samples must be at least 2, got {samples}", "samples")
    check_int("swaps", swaps)
    for name, value in (("samples", samples), ("swaps", swaps)):
        if value >= MOST:
            raise InputError(f"{name} must be below 2**31, got {value}", name)
    check_between("interval", interval, 1)
    by_degree = model == "degree"
    for name, value, has_effect, instead in (
        ("swaps", swaps, by_degree or swaps == SWAPS, "model='degree'"),
        ("weights", weights, by_degree or weights == "carried", "model='degree'"),
        ("weights", weights, weighted or weights == "carried", "weighted=True"),
        ("probability", ..., not by_degree or probability is None, "model='edge-probability'"),
        ("tail", tail, by_degree or tail == "greater", "model='degree'"),
    ):
        if not has_effect:
            given = name if value is ... else f"{name}={value!r}"
            told = f"{given} has an effect only with {instead}: leave it out"
            raise InputError(told, name)
    if weighted and not by_degree and probability is None:
        raise InputError(
            "model='edge-probability' takes the values of A for probabilities, and weighted=True "
            "takes them for lengths: give probability a matrix of its own",
            "weighted",
        )


def _models(
    stats: NullStatistics, names: list[str], seed: int, model: str, tail: str, device: str | None
) -> dict[str, NullModel]:
    """Statistics of each measure, on the device of the matrix."""
    fields = {"score": stats.score} | stats.summary(two_sided=tail == "two-sided")
    if model != "degree":
        fields |= dict.fromkeys("zpq", np.full(stats.score.shape, np.nan))
    kept = stats.kept
    return {
        name: NullModel(
            **{field: devices.deliver(values[row], device) for field, values in fields.items()},
            samples=stats.samples,
            seed=seed,
            kept=None if kept is None else devices.deliver(kept[:, row], device),
        )
        for row, name in enumerate(names)
    }
