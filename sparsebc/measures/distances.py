"""Closeness, harmonic centrality and eccentricity: what the distances to or from a node say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.contract import DistanceSums, Engine
from ..errors import InputError
from ..graph.read_matrix import Adjacency
from ..run import options
from ..run.options import DistanceOptions
from . import cutoffs
from .arguments import check_flags
from .distance_sums import ALL, accumulate
from .query import Query, reading

Direction = Literal["in", "out"]


def closeness(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "in",
    wf_improved: bool = True,
    sources: ArrayLike | None = None,
    k: int | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Closeness of every node: one over its mean distance from the nodes that reach it.

    Distances are counted in edges, or by length with `weighted`. Scores equal those of
    ``networkx.closeness_centrality(G, wf_improved=..., distance=...)``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive, as in `betweenness`, and measures
        distances by them.
    direction : {"in", "out"}
        Distances to the node, as in NetworkX, or from it.
    wf_improved : bool, default True
        Multiply by the share of nodes that reach it, as Wasserman and Faust do [1]_; else a node of
        a small component may score highest.
    sources : array_like of int, shape (m,), optional
        Count only distances from these nodes (to them, if `direction` is "out"), each given once;
        by default from every node. A uniform sample estimates the scores.
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Look only at the nodes at most so far away, in edges or, with `weighted`, by length. Of
        several, the scores have a column each.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, 0 where no other node reaches it; with a list of cutoffs of shape
        (n, c), a column each. A CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If A is no sparse matrix or tuple, or does not hold real numbers; if `sources` holds
        anything but ints, or `cutoff` anything but numbers; if `directed` or `wf_improved` is not a
        bool; if an option is of the wrong type.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `direction` is neither of the
        two; if `sources` is empty, not one-dimensional, repeats a node or names one outside
        0..n - 1; if `k` is outside 1..n or comes with `sources`, or `rng` comes without `k`; if
        `cutoff` is negative, NaN, empty or of two dimensions; if ``workers`` or ``memory_budget``
        is less than 1. With `weighted`, as `betweenness` does.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a group of sources, or
        one source with `weighted`; the message says how many bytes would do.

    See Also
    --------
    harmonic : Where not every node reaches every other, the simpler measure.

    Notes
    -----
    With r the number of sources other than v that reach v, d their distances and m the number of
    sources other than v (n - 1 by default),

    .. math:: c(v) = \frac{r}{\sum d} \cdot \frac{r}{m}

    the second factor with `wf_improved`. With a `cutoff`, r and d are of the nodes within it, and
    without `wf_improved` scores are those of ``igraph.Graph.closeness(cutoff=...)``, but 0 for its
    NaN; a search ends at the largest cutoff, and serves all of them. Scores are the same to the
    last bit for any `workers` and `memory_budget`. 512 sources share a search, 1024 on a GPU; on
    deep graphs a CPU searches from those that lie apart one by one. Cost is O(n * edges / 512) on
    shallow graphs, O(n * edges) at worst. Memory is about 220 bytes a node and worker, 100 with up
    to 64 sources; a GPU takes 289 bytes a node for each 1024 sources in flight, as many as fit, and
    32 more for each further cutoff.
    With `weighted`, near sources share a search and others have one of their own: cost is O(n *
    (edges + n)) where lengths are of one magnitude, at worst O(n * edges * log(edges)), and memory
    up to 720 bytes a node and 28 an edge and worker; a GPU takes 48 to 164 bytes a node for each
    source in flight, 4 more within a cutoff, and 24 more for each further one.

    References
    ----------
    .. [1] S. Wasserman and K. Faust, "Social Network Analysis", Cambridge University Press (1994),
       page 201

    Examples
    --------
    The path 0 -> 1 -> 2: node 2 is reached from distances 1 and 2.

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
    check_flags(wf_improved=wf_improved)
    return _scores(
        lambda sums, others: _closeness(sums, others, wf_improved),
        READS["closeness"],
        *(A, directed, weighted, direction, sources, k, rng, cutoff, run),
    )


def harmonic(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "in",
    sources: ArrayLike | None = None,
    k: int | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Harmonic centrality of every node: the sum of one over the distances of all other nodes.

    Distances are counted in edges, or by length with `weighted`, and a node that does not reach it
    adds nothing [1]_. Scores equal those of
    ``networkx.harmonic_centrality(G, distance=..., sources=...)``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive, as in `betweenness`, and measures
        distances by them.
    direction : {"in", "out"}
        Distances to the node, as in NetworkX, or from it.
    sources : array_like of int, shape (m,), optional
        Sum only over these nodes, each given once; by default over all.
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``, and scale the sum up to
        n - 1 nodes; NaN for the node of a sample of one.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Look only at the nodes at most so far away, as in `closeness`.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, from 0 to n - 1; with a list of cutoffs of shape (n, c), a column each.
        A CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError
        As `closeness`.

    See Also
    --------
    closeness : One over the mean of the distances.

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
    return _scores(_harmonic, ALL, A, directed, weighted, direction, sources, k, rng, cutoff, run)


def eccentricity(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "out",
    reachable_only: bool = False,
    reciprocal: bool = False,
    sources: ArrayLike | None = None,
    k: int | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    """Eccentricity of every node: how far the farthest other node is.

    Distances are counted in edges, or by length with `weighted`. Where all nodes reach each other,
    the numbers are those of ``networkx.eccentricity(G, weight=...)``, which refuses other graphs.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive, as in `betweenness`, and measures
        distances by them.
    direction : {"out", "in"}
        Distances from the node, as in NetworkX, or to it.
    reachable_only : bool, default False
        The farthest of the nodes that it reaches; else a node that does not reach all others has
        the eccentricity inf.
    reciprocal : bool, default False
        One over it, a centrality as gpu-fan has it [1]_: 0 for inf, and where there is no distance.
    sources : array_like of int, shape (m,), optional
        Look only at distances to these nodes (from them, if `direction` is "in"), each given once;
        by default at all. A sample gives lower bounds.
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Look only at the nodes at most so far away, as in `closeness`; farther ones
        count as out of reach.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Eccentricity of each node, 0 where there is no other node to reach; with a list of cutoffs
        of shape (n, c), a column each. A CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        As `closeness`; if `reachable_only` or `reciprocal` is not a bool.
    ValueError, RuntimeError, MemoryError
        As `closeness`.

    See Also
    --------
    bfs : All distances from some nodes.

    Notes
    -----
    Cost and memory are those of `closeness`. The greatest eccentricity is the diameter of the
    graph, and the least its radius.

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
    check_flags(reachable_only=reachable_only, reciprocal=reciprocal)
    return _scores(
        lambda sums, others: _eccentricity(sums, others, reachable_only, reciprocal),
        READS["eccentricity"],
        *(A, directed, weighted, direction, sources, k, rng, cutoff, run),
    )


def from_one_traversal(
    engine: Engine, query: Query, names: Iterable[str], run: options.Run
) -> dict[str, list[NDArray[np.float64]]]:
    """Measures of those in `MEASURES` with their default options, by name; where the graph is.

    In a digraph those that look the other way take a traversal of their own. Of each, the scores
    for every cutoff.
    """
    wanted: dict[str, set[str]] = {}
    direction_of = {}
    for name in names:
        direction, _ = MEASURES[name]
        direction_of[name] = "in" if query.graph.symmetric else direction
        wanted.setdefault(direction_of[name], set()).update(READS.get(name, ALL))
    sums = {
        direction: accumulate(engine, query, direction, run, reads)
        for direction, reads in wanted.items()
    }
    return {
        name: _of_each(MEASURES[name][1], sums[there], query)
        for name, there in direction_of.items()
    }


def _closeness(
    sums: DistanceSums, others: NDArray[np.int64], wf_improved: bool = True
) -> NDArray[np.float64]:
    share = _ratio(sums.reached, others) if wf_improved else 1.0
    return _ratio(sums.reached, sums.total) * share


def _harmonic(sums: DistanceSums, others: NDArray[np.int64]) -> NDArray[np.float64]:
    return sums.harmonic


def _eccentricity(
    sums: DistanceSums,
    others: NDArray[np.int64],
    reachable_only: bool = False,
    reciprocal: bool = False,
) -> NDArray[np.float64]:
    farthest = sums.farthest.astype(np.float64)
    if not reachable_only:
        farthest[sums.reached < others] = np.inf
    return _ratio(1.0, farthest) if reciprocal else farthest


# Direction of the distances and formula, by default.
MEASURES: dict[str, tuple[Direction, Callable[..., NDArray[np.float64]]]] = {
    "closeness": ("in", _closeness),
    "harmonic": ("in", _harmonic),
    "eccentricity": ("out", _eccentricity),
}
# Sums that a formula reads; by default all. What none reads leaves room for reductions.
READS: dict[str, frozenset[str]] = {
    "closeness": frozenset({"total"}),
    "eccentricity": frozenset({"farthest"}),
}


def _scores(
    formula: Callable[..., NDArray[np.float64]],
    reads: frozenset[str],
    A: Adjacency,
    directed: bool,
    weighted: bool,
    direction: str,
    sources: ArrayLike | None,
    k: int | None,
    rng: Any,
    cutoff: ArrayLike | None,
    run: DistanceOptions,
) -> NDArray[np.float64]:
    """A formula of what the searches say about each node, and of the sources other than itself."""
    if direction not in ("in", "out"):
        raise InputError(f"direction must be 'in' or 'out', got {direction!r}")
    settings = options.parse(run, DistanceOptions)
    asked = reading(
        A,
        settings,
        flags={"directed": directed},
        weighted=weighted,
        sources=sources,
        k=k,
        rng=rng,
        cutoff=cutoff,
    )
    with asked as (engine, query):
        sums = accumulate(engine, query, direction, settings, reads)
        scores: NDArray[np.float64] = cutoffs.delivered(
            _of_each(formula, sums, query), query.columns, devices.home(A)
        )
        return scores


def _of_each(
    formula: Callable[..., NDArray[np.float64]], sums: DistanceSums, query: Query
) -> list[NDArray[np.float64]]:
    """The formula of the sums within each cutoff, or of those that are all there is."""
    others = query.others
    if not query.graph.cutoffs:
        return [formula(sums, others)]
    return [formula(DistanceSums(*row), others) for row in zip(*sums, strict=True)]


def _ratio(a: Any, b: NDArray[Any]) -> NDArray[np.float64]:
    """Quotient, 0 where the divisor is 0."""
    quotient: NDArray[np.float64] = a / np.where(b == 0, np.inf, b)
    return quotient
