"""Several centralities at once: checks of arguments, sums, scaling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, InputTypeError
from ..matrix.csr import Matrix
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..reduce.reduce import Query
from ..sweep import options
from ..sweep.options import RunOptions
from ..sweep.sum_by_range import accumulate
from . import distances
from .reading import WEIGHTS, delivered, reading

#: The name of a measure that `centralities` computes.
Measure = Literal[
    "betweenness", "edge_betweenness", "stress", "closeness", "harmonic", "eccentricity"
]
BY_PATHS = ("betweenness", "edge_betweenness", "stress")


def centralities(
    A: Adjacency,
    names: Iterable[Measure],
    *,
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
    k: ArrayLike | None = None,
    rng: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> dict[str, Any]:
    """Scores of several measures of one graph, from one traversal for paths and one for distances.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    names : iterable of str
        Any of "betweenness", "edge_betweenness", "stress", "closeness", "harmonic" and
        "eccentricity", each once.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    normalized : bool, default True
        As in `betweenness` and `edge_betweenness`; stress is never normalized.
    endpoints : bool, default False
        As in `betweenness`; has no effect on other measures.
    sources, targets : array_like of int, shape (m,), optional
        Count only pairs that start, or end, at these nodes, each given once; normalized scores are
        still divided by all pairs, as in `betweenness`. The last three measures take no targets.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Weights of the nodes as sources and as targets, as in `betweenness`. Closeness and harmonic
        centrality take only `target_weights`, eccentricity takes no weights.
    demand, decay : optional
        Weights of pairs, by origin and destination and by distance, as in `betweenness`; the last
        three measures take neither.
    cutoff : number or array_like of numbers, shape (c,), optional
        Largest distance of a pair that counts, as in `betweenness` and `closeness`.
    k : int or array_like of int, optional
        Estimate from k sampled sources, or a list of them, the same for all measures.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`; ``dtype`` and ``checkpoint`` apply to measures of paths.

    Returns
    -------
    dict of str to ndarray or csr_array
        Result of the function of each name, in the order of `names`: shape (n,), of edges (n, n);
        with a list of cutoffs (n, c), of edges a list of matrices. float64, on the device of A.

    Raises
    ------
    TypeError
        If `names` is a str, not iterable, or holds anything but strs.
    ValueError
        If `names` is empty, repeats a name or holds an unknown one; if `endpoints` is True and
        "betweenness" not among the names; if `targets`, weights, `demand` or `decay` are given with
        a measure that does not take them, or ``checkpoint`` without a measure of paths.
    TypeError, ValueError, RuntimeError, MemoryError, OSError, OverflowError
        As the function of each name does.

    See Also
    --------
    betweenness, edge_betweenness, stress : Definitions of the measures of paths.
    closeness, harmonic, eccentricity : Those of distances, which have their default options here.

    Notes
    -----
    Scores equal those of separate calls, up to rounding. Betweenness, edge betweenness and stress
    share a traversal: all three cost about 1.4 times as much as edge betweenness, and betweenness
    with stress takes 512 bytes a node and worker more than alone. Measures of distances share a
    traversal that does not count paths, at the cost and memory of `closeness`; in a digraph
    eccentricity has its own, along the edges, while the other two search against the edges.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import centralities
    >>> A = scipy.sparse.csr_array(np.eye(4, k=1))
    >>> scores = centralities(A, ["betweenness", "edge_betweenness"], normalized=False)
    >>> scores["betweenness"]
    array([0., 2., 2., 0.])
    >>> scores["edge_betweenness"].data
    array([3., 4., 3.])
    """
    asked: Any = {"weighted": weighted, "sources": sources, "targets": targets, "k": k, "rng": rng}
    asked |= {"source_weights": source_weights, "target_weights": target_weights, "demand": demand}
    asked |= {"decay": decay, "cutoff": cutoff, "tie_rtol": tie_rtol, "directed": directed}
    asked |= {"normalized": normalized, "endpoints": endpoints}
    return scores_of(A, checked(names), run, **asked)


def scores_of(
    A: Adjacency,
    wanted: Sequence[str],
    run: RunOptions,
    *,
    directed: bool,
    normalized: bool = True,
    endpoints: bool = False,
    **asked: Any,
) -> dict[str, Any]:
    """Scores by name; ``asked`` are further arguments of `reading.validate`."""
    flags = {"directed": directed, "normalized": normalized, "endpoints": endpoints}
    settings = options.parse(run)
    check_options(wanted, asked, endpoints=endpoints)
    by_distance = [name for name in wanted if name in distances.MEASURES]
    by_paths = [name for name in wanted if name not in distances.MEASURES]
    if settings.checkpoint is not None and not by_paths:
        raise InputError(
            f"checkpoint={str(settings.checkpoint)!r} has no effect on {by_distance[0]!r}, a "
            "measure of distances: leave it out",
            "checkpoint",
        )
    how: Any = {"flags": flags, "measures": by_paths, "counts_paths": bool(by_paths)}
    with reading(A, settings, **how, **asked) as (engine, query):
        scores = {}
        if by_distance:
            measures = {name: distances.MEASURES[name] for name in by_distance}
            scores = distances.from_one_traversal(engine, query, measures, settings)
        if by_paths:
            raw = accumulate(engine, query, settings)
            unit = query.unit
            for name in by_paths:
                rows = (
                    row if unit == 1 else row * unit
                    for row in (raw[name] if query.graph.cutoffs else [raw[name]])
                )
                scores[name] = [_scaled(name, row, query, **flags) for row in rows]
        return {name: delivered(scores[name], query) for name in wanted}


def check_options(names: Iterable[str], given: Mapping[str, Any], *, endpoints: bool) -> None:
    """Refuse ``endpoints`` without betweenness, and weights that some measure does not take."""
    if isinstance(endpoints, (bool, np.bool_)) and endpoints and "betweenness" not in names:
        raise InputError(
            "endpoints=True has an effect only on 'betweenness': leave it out", "endpoints"
        )
    for name in names:
        measure = distances.MEASURES.get(name)
        for option in WEIGHTS:
            takes = measure is None or (option == "target_weights" and measure.weighed)
            if given.get(option) is not None and not takes:
                verb, it = ("have", "them") if option.endswith("s") else ("has", "it")
                raise InputError(f"{option} {verb} no effect on {name!r}: leave {it} out", option)


def checked(names: Iterable[str], argument: str = "names") -> list[str]:
    """List of the names of measures; unknown and repeated names are refused."""
    if isinstance(names, str):
        raise InputTypeError(f"{argument} must be a list of names, got {names!r}: use [{names!r}]")
    known = [*BY_PATHS, *distances.MEASURES]
    try:
        listed = list(names)
    except TypeError as error:
        raise InputTypeError(f"{argument} must be a list of names, got {names!r:.60}") from error
    if not listed:
        raise InputError(f"{argument} is empty: list some of {', '.join(known)}")
    for name in listed:
        if not isinstance(name, str):
            raise InputTypeError(f"{argument} must hold strs, got {name!r}: try 'betweenness'")
        if name not in known:
            raise InputError(f"{argument} must be among {', '.join(known)}, got {name!r}")
        if listed.count(name) > 1:
            raise InputError(f"{argument} holds {name!r} more than once: list each name once")
    return listed


def _scaled(
    name: str, raw: Any, query: Query, *, directed: bool, normalized: bool, endpoints: bool
) -> Any:
    """Scores of a measure from its sums over ordered pairs; may overwrite ``raw``."""
    graph, by_edge = query.graph, name == "edge_betweenness"
    normalized = normalized and name != "stress"
    endpoints = by_edge or (endpoints and name == "betweenness")
    if by_edge and not directed:
        raw = raw + raw[graph.ops.counterparts(graph.outgoing, graph.incoming)]
    pairs = whole = pairs_through(graph.n, endpoints=endpoints)
    if query.weight_of_pairs is not None and normalized:
        pairs = query.weight_of_pairs(endpoints=endpoints)
        if by_edge:  # any pair could take an edge
            pairs = float(pairs.max(initial=0))
    elif query.sampled:
        pairs = pairs_through(graph.n, query.is_source, endpoints=endpoints)
    scores = rescale(raw, pairs, whole, directed=directed, normalized=normalized)
    return Matrix(graph.outgoing, scores) if by_edge else scores


Pairs = float | NDArray[np.float64]  # one number for all nodes or edges, or one for each


def pairs_through(
    n: int, sampled: NDArray[np.bool_] | None = None, *, endpoints: bool = False
) -> Pairs:
    """Number of ordered pairs (s, t) that could count a node: one for all nodes, or shape (n,).

    Pairs that begin or end at a node count it only with ``endpoints``; with them the number is also
    that of the pairs that could take an edge. ``sampled`` marks the sources of a uniform sample;
    None stands for all n nodes, and for chosen sources, which are not a sample.
    """
    k = n if sampled is None else float(np.count_nonzero(sampled))
    if endpoints:
        return k * (n - 1.0)
    return ((k - 1.0) if sampled is None else np.where(sampled, k - 1.0, k)) * (n - 2.0)


def rescale(raw: Any, pairs: Pairs, whole: Pairs, *, directed: bool, normalized: bool) -> Any:
    """Scores scaled as in NetworkX >= 3.5, from sums over ordered pairs; may overwrite ``raw``.

    normalized:  raw / pairs
    otherwise:   raw * (whole / pairs) / (1 if directed else 2)

    ``pairs`` begin at the sources of a sample, ``whole`` at all nodes. A score that no such pair
    could count (of the only source of a sample of one) is 0 / 0: NaN.
    """
    if isinstance(whole, float) and not whole:
        return raw
    with np.errstate(divide="ignore", invalid="ignore"):
        if normalized:
            raw /= pairs
            return raw
        if pairs is not whole:
            raw *= whole / pairs
        if not directed:
            raw /= 2
    return raw
