"""Stress of nodes: the number of shortest paths through each."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep.options import RunOptions
from .centralities import centrality


def stress(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    source_weights: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    demand: Any = None,
    decay: Any = None,
    cutoff: ArrayLike | None = None,
    k: int | None = None,
    rng: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> NDArray[np.float64]:
    r"""Stress of every node: the number of shortest paths that run through it.

    The stress of node v is the number, over all ordered pairs (s, t) of other nodes, of the
    shortest paths from s to t that have v in their interior [1]_. Each pair counts by the number of
    its paths, in betweenness by their share.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, and counts the paths
        of each unordered pair once.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    sources, targets : array_like of int, shape (m,), optional
        Count only paths that start, or end, at these nodes, each given once; by default all.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Weights of the nodes as sources and as targets, as in `betweenness`.
    demand : sparse array or sparse matrix, shape (n, n), optional
        Weights of the pairs, as in `betweenness`.
    decay : tuple (str, number) or tuple (distances, weights), optional
        Weights of the pairs by their distance, as in `betweenness`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only pairs at most so far apart, as in `betweenness`.
    k : int, optional
        Estimate the stress from the paths that start at k sampled nodes, scaled as `betweenness`
        is with ``normalized=False``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    tie_rtol : float, default 1e-11
        Which paths by length tie, as in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Number of paths through each node; without float weights or `k` exact up to 2**53, and to
        some roundings beyond. With a list of cutoffs of shape (n, c), a column each. A CuPy array
        on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError, OSError
        As `betweenness` does; OverflowError also if a stress is beyond float64 (1.8e308).

    See Also
    --------
    betweenness : The sum of the shares of the shortest paths of each pair.

    Notes
    -----
    .. math:: c(v) = \sum_{s \neq v \neq t,\ s \neq t} \sigma_{st}(v)

    where :math:`\sigma_{st}(v)` is the number of shortest paths from s to t with v in their
    interior. Traversal, cost and memory are those of `betweenness` [2]_. Trees are folded as there,
    but not with `weighted`: paths within a tree are unique, and those into it are counted at its
    root. Graphs are not split at their cut nodes. On a CPU, chains of an undirected graph are swept
    from their ends alone, too.

    References
    ----------
    .. [1] A. Shimbel, "Structural parameters of communication networks", Bulletin of Mathematical
       Biophysics 15, 501-507 (1953), doi:10.1007/BF02476438
    .. [2] U. Brandes, "On variants of shortest-path betweenness centrality and their generic
       computation", Social Networks 30, 136-145 (2008), doi:10.1016/j.socnet.2007.11.001

    Examples
    --------
    Two shortest paths lead from 0 to 3, through 1 and through 2. Both go on to 4 through 3, as do
    those from 1 and 2 to 4.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import stress
    >>> rows, columns = [0, 0, 1, 2, 3], [1, 2, 3, 3, 4]
    >>> A = scipy.sparse.csr_array((np.ones(5), (rows, columns)), shape=(5, 5))
    >>> stress(A)
    array([0., 2., 2., 4., 0.])
    """
    scores: NDArray[np.float64] = centrality("stress", **locals())
    return scores
