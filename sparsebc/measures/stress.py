"""Stress: shortest paths counted one by one."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..run.options import RunOptions
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
    shortest paths from s to t that have v in their interior [1]_. Where betweenness gives each
    pair one vote, stress gives one to each path.

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
        Count only paths that start, or end, at these nodes, each given once.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Weights of the nodes as sources and as targets, as in `betweenness`.
    demand, decay
        Weights of pairs by themselves and by their distance, as in `betweenness`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only pairs at most so far apart, as in `betweenness`.
    k : int, optional
        Estimate the numbers of all paths from those that start at k sampled nodes, scaled as
        `betweenness` is with ``normalized=False``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    tie_rtol : float, default 1e-10
        Which paths by length tie, as in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Paths through each node; exact up to 2**53, and to some roundings beyond. With a list of
        cutoffs of shape (n, c), a column each. A CuPy array if A is a CuPy matrix.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `betweenness` does; OverflowError also if the stress itself is beyond float64 (1.8e308).

    See Also
    --------
    betweenness : Pairs, each by its share of paths.

    Notes
    -----
    .. math:: c(v) = \sum_{s \neq v \neq t,\ s \neq t} \sigma_{st}(v)

    where :math:`\sigma_{st}(v)` is the number of shortest paths from s to t with v in their
    interior. The traversal is that of `betweenness`, and so is the cost [2]_. Trees are folded away
    as there, but not by length: paths within one are unique, and those that enter it are counted
    where it hangs. On a CPU, chains of an undirected graph are swept from their ends alone, too.

    References
    ----------
    .. [1] A. Shimbel, "Structural parameters of communication networks", Bulletin of Mathematical
       Biophysics 15, 501-507 (1953), doi:10.1007/BF02476438
    .. [2] U. Brandes, "On variants of shortest-path betweenness centrality and their generic
       computation", Social Networks 30, 136-145 (2008), doi:10.1016/j.socnet.2007.11.001

    Examples
    --------
    Two paths lead around the square 0, 1, 3, 2 from 0 to 3, one through 1 and one through 2; and
    node 3 is on both of them if they go on to 4.

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
