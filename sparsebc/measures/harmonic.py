"""Harmonic centrality: the sum of the reciprocal distances from all other nodes."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.read_matrix import Adjacency
from ..sweep.options import DistanceOptions
from .distance_measures import Direction, scores


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
    target_weights: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Harmonic centrality of every node: the sum of the reciprocal distances from all other nodes.

    Distances are counted in edges, or by length with `weighted`; nodes without a path to it add 0
    [1]_. Scores equal those of
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
        Sum only over these nodes, each given once; by default over every node.
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``, and scale the sum up to
        n - 1 nodes; NaN for the node of a sample of one.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Look only at the nodes at most so far away, as in `closeness`.
    target_weights : array_like of numbers, shape (n,), optional
        Weights of the other nodes, as in `closeness`: a node adds its weight over its distance.
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
    return scores("harmonic", **locals())
