"""Betweenness of edges."""

from __future__ import annotations

from typing import Any, Unpack

import scipy.sparse
from numpy.typing import ArrayLike

from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep.options import RunOptions
from .centralities import centrality


def edge_betweenness(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
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
) -> scipy.sparse.csr_array:
    r"""Betweenness of every edge: the share of shortest paths that run along it.

    The betweenness of an edge is the sum, over all ordered pairs (s, t) of nodes with a path from s
    to t, of the share of the shortest paths from s to t that take the edge [1]_, [2]_.
    Scores equal those of NetworkX 3.6 and later for every combination of `directed`, `normalized`
    and `k`, given the same sample.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, whose score is the sum
        of both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    normalized : bool, default True
        Divide by the number of pairs; else scores are sums over pairs, each unordered pair counted
        once if ``directed=False``.
    sources, targets : array_like of int, shape (m,), optional
        Count only pairs that start, or end, at these nodes, each given once. Normalized scores are
        still divided by all pairs of the graph, as in `betweenness`.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Weights of the nodes as sources and as targets, as in `betweenness`.
    demand, decay : optional
        Weights of pairs, by origin and destination and by distance, as in `betweenness`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only pairs with at most this distance, as in `betweenness`.
    k : int, optional
        Estimate the scores of all pairs from those that start at k sampled nodes, as in
        `betweenness`.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    tie_rtol : float, default 1e-11
        Tolerance of ties by length, as in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`.

    Returns
    -------
    csr_array, shape (n, n), dtype float64
        Score of the edge from i to j at [i, j], stored for every edge, also if 0. The pattern is
        that of A with sorted rows, without the diagonal and repeated entries; with
        ``directed=False`` that of A + A', where both entries of an edge hold its score. A CuPy
        csr_matrix on the device of A if A is a CuPy matrix, else in the memory of the host. With a
        list of cutoffs, a list of matrices.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError, OSError, OverflowError
        As `betweenness` does.

    See Also
    --------
    betweenness : Betweenness of every node.
    centralities : Several measures from one traversal.

    Notes
    -----
    With :math:`\sigma_{st}` the number of shortest paths from s to t, and
    :math:`\sigma_{st}(e)` the number of those that take e,

    .. math:: c(e) = \sum_{s \neq t,\ \sigma_{st} > 0} \frac{\sigma_{st}(e)}{\sigma_{st}}

    ``normalized=True`` divides c(e) by n (n - 1), or k (n - 1) with `k`; otherwise
    ``directed=False`` halves it, and `k` multiplies it by n / k.

    Scores are summed in the backward phase of `betweenness`: an edge u -> v from level d to level
    d + 1, or with `weighted` on a shortest path, gets alpha(s) sigma(u) g(v) from each source s, in
    the notation of :doc:`/algorithm`. Cost is some 15 to 45% above that of `betweenness`, more on a
    GPU with small frontiers. Memory is up to 32 bytes an arc and worker more, 56 with `weighted`;
    on a GPU 8 bytes an arc for each batch, or single source, in flight. Edges of folded trees are
    scored in closed form. Results are the same to the last bit for any `workers` and
    `memory_budget`.

    References
    ----------
    .. [1] M. Girvan and M. E. J. Newman, "Community structure in social and biological networks",
       PNAS 99, 7821-7826 (2002), doi:10.1073/pnas.122653799
    .. [2] U. Brandes, "On variants of shortest-path betweenness centrality and their generic
       computation", Social Networks 30, 136-145 (2008), doi:10.1016/j.socnet.2007.11.001

    Examples
    --------
    The path 0 - 1 - 2 - 3: three unordered pairs take the first edge, four the middle edge.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import edge_betweenness
    >>> A = scipy.sparse.csr_array(np.eye(4, k=1))
    >>> edge_betweenness(A, directed=False, normalized=False).toarray()
    array([[0., 3., 0., 0.],
           [3., 0., 4., 0.],
           [0., 4., 0., 3.],
           [0., 0., 3., 0.]])
    """
    return centrality("edge_betweenness", **locals())
