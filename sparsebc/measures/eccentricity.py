"""Eccentricity: the distance to the farthest other node."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.read_matrix import Adjacency
from ..sweep.options import DistanceOptions
from .distance_measures import Direction, scores


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
        True takes the stored values for lengths, all positive, as in `betweenness`, and measures
        distances by them.
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
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``.
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
    return scores("eccentricity", **locals())
