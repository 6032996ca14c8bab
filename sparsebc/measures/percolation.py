"""Percolation centrality: betweenness with pairs weighted by the state of their source."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.edge_weights import TIE_RTOL
from ..matrix.matrix_arrays import arrays_of
from ..matrix.network import matrix_of, names_of
from ..matrix.read_matrix import Adjacency
from ..sweep.options import RunOptions
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
    r"""Percolation centrality of every node: the share of percolated paths that run through it.

    A contagion, such as an infection or a rumour, spreads along shortest paths; each pair of nodes
    counts by the percolation state of its source [1]_. Scores equal those of
    ``networkx.percolation_centrality``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    states : array_like of numbers, shape (n,)
        State of each node, at least 0: usually from 0, not percolated, to 1, fully percolated. Some
        state must be above 0. A pandas.Series is taken by the names of a `sparsebc.io.Network`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, from 0 to 1. NaN for a node if no other has a state above 0, where
        NetworkX divides by zero; 0 in a graph of fewer than three nodes. A CuPy array on the device
        of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If `states` holds anything but numbers.
    ValueError
        If `states` are not n numbers, negative, not finite, all zero, outside of 1e-100..1e100 or
        so small that they are lost beside the sum of all.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError, OSError
        As `betweenness` does.

    See Also
    --------
    betweenness : The same scores with ``source_weights=states``; weights of targets too.
    approximate_betweenness : Estimates of them within proved bounds.

    Notes
    -----
    With x the states, and :math:`\sigma_{st}(v)` of the :math:`\sigma_{st}` shortest paths from s
    to t through v, over pairs with a path,

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
    On the path 0 - 1 - 2 - 3 node 0 has the state 1 and node 3 the state 0.5. Node 1 is on the
    paths from 0 to nodes 2 and 3, and from 3 to node 0: (2 * 1 + 0.5) / (2 * 1.5).

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
