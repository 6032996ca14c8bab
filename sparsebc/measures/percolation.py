"""Percolation centrality: betweenness whose pairs count by the state of their source."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.edge_weights import TIE_RTOL
from ..graph.matrix_arrays import arrays_of
from ..graph.network import matrix_of, names_of
from ..graph.read_matrix import Adjacency
from ..run.options import RunOptions
from .centralities import centrality
from .pair_weights import checked


def percolation(
    A: Adjacency,
    states: ArrayLike,
    *,
    directed: bool = True,
    weighted: bool = False,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> NDArray[np.float64]:
    r"""Percolation centrality of every node: the share of what percolates that runs through it.

    Something spreads along shortest paths, an infection or a rumour, from each node by how far it
    is percolated [1]_. Scores equal those of ``networkx.percolation_centrality``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    states : array_like of numbers, shape (n,)
        State of each node, at least 0: usually from 0, not percolated, to 1, fully so. Some state
        must be above 0.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    tie_rtol : float, default 1e-10
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, from 0 to 1. NaN for a node that alone has a state above 0, where
        NetworkX divides by zero; zeros in a graph of fewer than three nodes. A CuPy array if A is a
        CuPy matrix.

    Raises
    ------
    TypeError
        If `states` holds anything but numbers.
    ValueError
        If `states` are not n numbers, or hold one that is negative or not finite, or zeros alone.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `betweenness` does.

    See Also
    --------
    betweenness : With ``source_weights=states``, the same; and weights of targets.
    approximate_betweenness : With ``source_weights=states``, estimates within proved bounds.

    Notes
    -----
    With x the states, and :math:`\sigma_{st}(v)` of the :math:`\sigma_{st}` shortest paths from s
    to t through v,

    .. math:: PC(v) = \frac{1}{n - 2} \sum_{s \neq v \neq t,\ s \neq t}
              \frac{\sigma_{st}(v)}{\sigma_{st}} \frac{x_s}{\sum_i x_i - x_v}

    which is betweenness with the source weights x, divided by the sum of the weights of the pairs
    that could count v. Cost and memory are those of `betweenness`.

    References
    ----------
    .. [1] M. Piraveenan, M. Prokopenko and L. Hossain, "Percolation centrality: quantifying
       graph-theoretic impact of nodes during percolation in networks", PLoS ONE 8, e53095 (2013),
       doi:10.1371/journal.pone.0053095

    Examples
    --------
    On the path 0 - 1 - 2 - 3, node 0 is percolated and node 3 half so. Node 1 lies on the way from
    0 to both of the targets behind it, and from 3 to one of its two: (2 * 1 + 0.5) / (2 * 1.5).

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import percolation
    >>> A = scipy.sparse.csr_array(np.eye(4, k=1))
    >>> percolation(A, [1, 0, 0, 0.5], directed=False).round(3)
    array([0.   , 0.833, 0.667, 0.   ])
    """
    n = arrays_of(matrix_of(A)).n
    weights = checked("states", states, n, names_of(A))
    how: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol}
    scores: NDArray[np.float64] = centrality("betweenness", A, run, source_weights=weights, **how)
    return scores
