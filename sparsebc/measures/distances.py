"""Closeness, harmonic centrality, eccentricity: formulas of distances, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_choice, check_flags
from ..engines.common.base import Engine
from ..engines.common.decay import POWER, Decay
from ..engines.common.distances import DistanceSums
from ..errors import RangeError
from ..matrix.read_matrix import Adjacency
from ..reduce.reduce import Query
from ..sweep import options
from ..sweep.options import DistanceOptions
from .distance_sums import ALL, accumulate, accumulate_access
from .reading import delivered, reading

Direction = Literal["in", "out"]


class DistanceMeasure(NamedTuple):
    """A measure of distances: default direction, and formula of the sums."""

    direction: Direction
    # (DistanceSums, others among the sources, others that these stand for, **flags)
    formula: Callable[..., NDArray[np.float64]]
    reads: frozenset[str] = ALL  # sums in the formula; fewer sums allow more reductions
    weighed: tuple[str, ...] = ()  # sums in the formula with target weights; empty: takes none
    flags: tuple[str, ...] = ()  # keyword arguments of the formula


def _closeness(
    sums: DistanceSums,
    others: NDArray[np.int64],
    every: NDArray[np.int64],
    wf_improved: bool = True,
    normalized: bool = True,
) -> NDArray[np.float64]:
    share = _ratio(sums.reached, others) if wf_improved else 1.0
    return _ratio(sums.reached if normalized else _ratio(others, every), sums.total) * share


def _harmonic(
    sums: DistanceSums,
    _: NDArray[np.int64],
    every: NDArray[np.int64],
    normalized: bool = False,
) -> NDArray[np.float64]:
    return _ratio(sums.harmonic, every) if normalized else sums.harmonic


def _eccentricity(
    sums: DistanceSums,
    others: NDArray[np.int64],
    _: NDArray[np.int64],
    reachable_only: bool = False,
    reciprocal: bool = False,
) -> NDArray[np.float64]:
    farthest = sums.farthest.astype(np.float64)
    if not reachable_only:
        farthest[sums.reached < others] = np.inf
    return _ratio(1.0, farthest) if reciprocal else farthest


MEASURES = {
    "closeness": DistanceMeasure(
        *("in", _closeness, frozenset({"reached", "total"}), ("reached", "total")),
        flags=("wf_improved", "normalized"),
    ),
    "harmonic": DistanceMeasure(
        "in", _harmonic, frozenset({"harmonic"}), ("harmonic",), ("normalized",)
    ),
    "eccentricity": DistanceMeasure(
        *("out", _eccentricity, frozenset({"reached", "farthest"})),
        flags=("reachable_only", "reciprocal"),
    ),
}


# Functions of the distance whose weighted sums these are: 1, d and 1 / d, 0 at d = 0.
FUNCTIONS = {
    "reached": Decay(),
    "total": Decay(POWER, -1.0),
    "harmonic": Decay(POWER, 1.0),
}
# Range of distances with target weights: `engines.common.decay.LEAST` exceeds neither d nor 1 / d.
RANGE = (1e-140, 1e140)


def scores(
    name: str,
    A: Adjacency,
    direction: Direction,
    run: DistanceOptions,
    *,
    directed: bool,
    **question: Any,
) -> NDArray[np.float64]:
    """Scores of a measure; ``question`` has its flags and the arguments of `reading.validate`."""
    check_choice("direction", direction, get_args(Direction))
    measure, settings = MEASURES[name], options.parse(run, DistanceOptions)
    flags = {flag: question.pop(flag) for flag in measure.flags}
    check_flags(**flags)
    asked = measure._replace(direction=direction, formula=partial(measure.formula, **flags))
    question |= {"flags": {"directed": directed}, "counts_paths": False}
    with reading(A, settings, **question) as (engine, query):
        rows = from_one_traversal(engine, query, {name: asked}, settings)[name]
        found: NDArray[np.float64] = delivered(rows, query)
        return found


def from_one_traversal(
    engine: Engine, query: Query, asked: Mapping[str, DistanceMeasure], run: options.Run
) -> dict[str, list[NDArray[np.float64]]]:
    """Scores by name, an array for each cutoff, in the memory of the graph.

    Measures of one direction share a traversal; on an undirected graph all measures do.
    """
    found: dict[str, list[NDArray[np.float64]]] = {}
    for way in get_args(Direction):
        of_way = {
            name: measure
            for name, measure in asked.items()
            if ("in" if query.graph.symmetric else measure.direction) == way
        }
        if of_way:
            sums = _sums(engine, query, way, [*of_way.values()], run)
            rows = list(zip(*sums, strict=True)) if query.graph.cutoffs else [sums]
            others = query.others
            every = 0 * others + (query.graph.n - 1) if query.sampled else others
            for name, measure in of_way.items():
                found[name] = [measure.formula(DistanceSums(*row), others, every) for row in rows]
    return found


def _sums(
    engine: Engine, query: Query, way: str, asked: list[DistanceMeasure], run: options.Run
) -> DistanceSums:
    """Sums that the measures read; sums that none of them reads are undefined."""
    if query.target_weights is None:
        reads = frozenset[str]().union(*(measure.reads for measure in asked))
        return accumulate(engine, query, way, run, reads)
    places, functions = weighed(query, asked)
    found = accumulate_access(engine, query, places, tuple(functions.values()), way, run)[..., 0]
    found = found if query.graph.cutoffs else found[0]
    sums = {name: found[..., column] for column, name in enumerate(functions)}
    return DistanceSums(*(sums.get(name, found[..., 0]) for name in DistanceSums._fields))


def weighed(
    query: Query, asked: Iterable[DistanceMeasure]
) -> tuple[NDArray[np.float64], dict[str, Decay]]:
    """Weights of the sources, shape (n, 1), and functions of the distance by the names of sums."""
    graph = query.graph
    shortest = graph.lengths.shortest if graph.lengths else graph.unit
    longest = float(graph.lengths.outgoing.max()) if graph.lengths and graph.arcs else graph.unit
    if shortest < RANGE[0] or graph.n * longest > RANGE[1]:
        raise RangeError(
            f"distances with target_weights must lie in {RANGE[0]:g}..{RANGE[1]:g}, and lengths "
            f"begin at {shortest:g} and come to {graph.n * longest:g} at most: multiply all "
            "by a common factor"
        )
    read = dict.fromkeys(name for measure in asked for name in measure.weighed)
    return query.others_weights[:, np.newaxis], {name: FUNCTIONS[name] for name in read}


def _ratio(a: Any, b: NDArray[Any]) -> NDArray[np.float64]:
    """Quotient, 0 where the divisor is 0."""
    quotient: NDArray[np.float64] = a / np.where(b == 0, np.inf, b)
    return quotient


def closeness(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "in",
    wf_improved: bool = True,
    normalized: bool = True,
    sources: ArrayLike | None = None,
    k: ArrayLike | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Closeness of every node: the reciprocal of its mean distance from the nodes that reach it.

    Distances are numbers of edges, or lengths with `weighted`. Scores equal those of
    ``networkx.closeness_centrality(G, wf_improved=..., distance=...)``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True measures distances by the stored values, which must be finite and not negative. A
        stored 0 is an edge of length 0; a GPU refuses it.
    direction : {"in", "out"}
        Distances to the node, as in NetworkX, or from it.
    wf_improved : bool, default True
        Multiply by the share of the other nodes that reach the node, as Wasserman and Faust do
        [1]_; else a node of a small component may score highest.
    normalized : bool, default True
        False takes the sum of the distances in place of their mean, as networkit does; with `k` it
        is scaled to n - 1 nodes.
    sources : array_like of int, shape (m,), optional
        Count only distances from these nodes (to them, if `direction` is "out"), each given once;
        by default from every node. Scores of a uniform sample are estimates.
    k : int or array_like of int, optional
        Estimate from k random sources, drawn by
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``, or from a list of nodes.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only nodes within this distance, in edges or, with `weighted`, by length. Each of
        several cutoffs has a column.
    target_weights : array_like of numbers, shape (n,), optional
        Weight of each other node, at least 0, such as its inhabitants or jobs; 1 by default.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, 0 if no other node reaches it; with a list of cutoffs, shape (n, c). A
        CuPy array on the device of A if A is a CuPy matrix, else in the memory of the host.

    Raises
    ------
    TypeError
        If A is not a matrix of real numbers, or another argument has the wrong type.
    ValueError
        As `betweenness` for A and run options; if another argument is outside its range or does not
        go with the others, as `k` with `sources` or `target_weights`.
    RuntimeError
        If ``device`` names a GPU that is not there, or ``executor`` fails as in `betweenness`.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources; the
        message says how many bytes would do.
    OverflowError
        With `target_weights`, if distances may leave 1e-140..1e140.

    See Also
    --------
    harmonic : A simpler measure of graphs where not all nodes reach each other.

    Notes
    -----
    With r the number of sources other than v that reach v, d their distances and m the number of
    sources other than v (n - 1 by default),

    .. math:: c(v) = \frac{r}{\sum d} \cdot \frac{r}{m}

    the second factor with `wf_improved`. With `target_weights`, r and m are sums of weights, and
    each distance is multiplied by its weight; searches are those of `accessibility`. With a
    `cutoff`, r and d are of the nodes within it, and without `wf_improved` scores equal
    ``igraph.Graph.closeness(cutoff=...)``, with 0 for its NaN; a search ends at the largest cutoff,
    and all cutoffs share it. Scores are the same to the last bit for any `workers` and
    `memory_budget`. Nodes at distance 0, at the other end of edges of length 0, are reached.

    512 sources share a search, 1024 on a GPU: cost is O(n * edges / 512) on low-diameter graphs,
    O(n * edges) at worst, and with `weighted` O(n * edges * log(edges)). Memory is 232 bytes a node
    and worker, and 64 for each further cutoff; with `weighted` up to 722 a node and 44 an arc.

    References
    ----------
    .. [1] S. Wasserman and K. Faust, "Social Network Analysis", Cambridge University Press (1994),
       page 201

    Examples
    --------
    The path 0 -> 1 -> 2: the distances to node 2 are 2 and 1.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import closeness
    >>> A = scipy.sparse.csr_array(np.eye(3, k=1))
    >>> closeness(A).round(3)
    array([0.   , 0.5  , 0.667])
    >>> closeness(A, direction="out").round(3)
    array([0.667, 0.5  , 0.   ])
    >>> closeness(A, wf_improved=False).round(3)
    array([0.   , 1.   , 0.667])
    """
    asked: Any = {"directed": directed, "weighted": weighted, "cutoff": cutoff, "sources": sources}
    asked |= {"k": k, "rng": rng, "target_weights": target_weights, "wf_improved": wf_improved}
    asked |= {"normalized": normalized}
    return scores("closeness", A, direction, run, **asked)


def harmonic(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "in",
    normalized: bool = False,
    sources: ArrayLike | None = None,
    k: ArrayLike | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Harmonic centrality of every node: the sum of the reciprocal distances from all other nodes.

    Distances are numbers of edges, or lengths with `weighted`; nodes at distance 0 or without a
    path add 0 [1]_. Scores equal those of
    ``networkx.harmonic_centrality(G, distance=..., sources=...)``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `closeness`, and measures distances by them.
    direction : {"in", "out"}
        Distances to the node, as in NetworkX, or from it.
    normalized : bool, default False
        Divide by the number of other nodes, or by the sum of their weights, as networkit and igraph
        do: the mean reciprocal distance.
    sources : array_like of int, shape (m,), optional
        Sum only over these nodes, each given once; by default over every node.
    k : int or array_like of int, optional
        Estimate the sum over n - 1 nodes from k random sources, drawn as in `closeness`, or from a
        list of nodes; the node of a sample of one is NaN.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only nodes within this distance, as in `closeness`.
    target_weights : array_like of numbers, shape (n,), optional
        Weights of the other nodes, as in `closeness`: a node adds its weight divided by its
        distance.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, at least 0; by edges at most n - 1, or the sum of the weights. With a
        list of cutoffs of shape (n, c), a column each. A CuPy array on the device of A if A is a
        CuPy matrix.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError
        As `closeness`.
    OverflowError
        With `target_weights`, if distances may leave 1e-140..1e140.
    concurrent.futures.BrokenExecutor
        If an ``executor`` breaks, as in `bfs`.

    See Also
    --------
    closeness : The reciprocal of the mean distance.
    accessibility : Other functions of the distances, and several kinds of places.

    Notes
    -----
    Cost and memory are those of `closeness`. Sums are added up in an order that depends on the
    graph and the sources alone: scores are the same to the last bit for any `workers` and
    `memory_budget`.

    References
    ----------
    .. [1] P. Boldi and S. Vigna, "Axioms for centrality", Internet Mathematics 10, 222-262 (2014),
       doi:10.1080/15427951.2013.865686

    Examples
    --------
    The path 0 -> 1 -> 2: node 2 is reached from distances 1 and 2.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import harmonic
    >>> harmonic(scipy.sparse.csr_array(np.eye(3, k=1)))
    array([0. , 1. , 1.5])
    """
    asked: Any = {"directed": directed, "weighted": weighted, "cutoff": cutoff, "sources": sources}
    asked |= {"k": k, "rng": rng, "target_weights": target_weights, "normalized": normalized}
    return scores("harmonic", A, direction, run, **asked)


def eccentricity(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "out",
    reachable_only: bool = False,
    reciprocal: bool = False,
    sources: ArrayLike | None = None,
    k: ArrayLike | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    """Eccentricity of every node: its distance to the farthest other node.

    Distances are numbers of edges, or lengths with `weighted`. If all nodes reach each other,
    scores equal ``networkx.eccentricity(G, weight=...)``, which refuses other graphs.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `closeness`, and measures distances by them.
    direction : {"out", "in"}
        Distances from the node, as in NetworkX, or to it.
    reachable_only : bool, default False
        Take the farthest reachable node; else a node that does not reach all others has the
        eccentricity inf.
    reciprocal : bool, default False
        Return the reciprocals, a centrality as in gpu-fan [1]_: 0 for inf and for 0.
    sources : array_like of int, shape (m,), optional
        Take only distances to these nodes (from them, if `direction` is "in"), each given once; by
        default to all nodes. Eccentricities of a sample are lower bounds.
    k : int or array_like of int, optional
        Take k random sources, drawn as in `closeness`, or a list of nodes.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Largest distance of a node that counts, as in `closeness`; farther nodes are unreachable.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Eccentricity of each node, 0 if there is no node to reach; with a list of cutoffs, shape
        (n, c). A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        As `closeness`; if `reachable_only` or `reciprocal` is not a bool.
    ValueError, RuntimeError, MemoryError
        As `closeness`.

    See Also
    --------
    bfs : All distances from given nodes.

    Notes
    -----
    Cost and memory are those of `closeness`. The largest eccentricity is the diameter of the graph,
    the least its radius.

    References
    ----------
    .. [1] Z. Shi and B. Zhang, "Fast network centrality analysis using GPUs", BMC Bioinformatics
       12, 149 (2011), doi:10.1186/1471-2105-12-149

    Examples
    --------
    The path 0 -> 1 -> 2:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import eccentricity
    >>> A = scipy.sparse.csr_array(np.eye(3, k=1))
    >>> eccentricity(A)
    array([ 2., inf, inf])
    >>> eccentricity(A, reachable_only=True)
    array([2., 1., 0.])
    >>> eccentricity(A, directed=False, reciprocal=True)
    array([0.5, 1. , 0.5])
    """
    asked: Any = {"directed": directed, "weighted": weighted, "cutoff": cutoff, "sources": sources}
    asked |= {"k": k, "rng": rng, "reachable_only": reachable_only, "reciprocal": reciprocal}
    return scores("eccentricity", A, direction, run, **asked)
