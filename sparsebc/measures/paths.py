"""Betweenness of nodes and of edges, stress, percolation: shares or numbers of shortest paths."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..matrix.edge_weights import TIE_RTOL
from ..matrix.matrix_arrays import arrays_of, matrix_of, names_of
from ..matrix.read_matrix import Adjacency
from ..sweep.options import RunOptions
from .centralities import scores_of
from .weights import checked


def betweenness(
    A: Adjacency,
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
) -> NDArray[np.float64]:
    r"""Betweenness of every node: the share of shortest paths that run through it.

    The betweenness of node v is the sum, over all ordered pairs (s, t) of other nodes where a path
    leads from s to t, of the share of the shortest paths from s to t with v in their interior [1]_.
    Scores equal NetworkX's for every `directed`, `normalized`, `endpoints` and `k`.

    Parameters
    ----------
    A : sparse array or matrix, ndarray, or tuple (indptr, indices, n), shape (n, n)
        Adjacency: a matrix of SciPy or CuPy, a sparse tensor of PyTorch or JAX, or the index arrays
        of a csr matrix. A stored entry [i, j], explicit zeros included, is an edge i -> j. The
        diagonal is ignored, repeated entries count once, zeros of a dense array (with `weighted`,
        NaN and infinity) are no edges. A `Network` is replaced by its matrix. A is never modified.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive; repeated entries are summed. With
        ``directed=False`` the smaller of [i, j] and [j, i] counts if both are stored. For
        strengths, such as confidences, see `strength_to_distance`.
    normalized : bool, default True
        Divide by the number of pairs that could count the node; else scores are sums over pairs,
        each unordered pair counted once if ``directed=False``.
    endpoints : bool, default False
        Count a pair at its two ends as well.
    sources, targets : array_like of int, shape (m,), optional
        Count only pairs that start, or end, at these nodes, each given once. Normalized scores are
        still divided by all pairs.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Weight each pair by source_weights[s] * target_weights[t], at least 0, instead of 1.
        Normalized scores are divided by the weights of the pairs that could count the node, and are
        NaN if these are 0. Not with `k`. The index of a pandas.Series holds names, or 0..n - 1.
    demand : sparse array or matrix, shape (n, n), optional
        Weight each pair by demand[s, t], at least 0, times the weights of its ends. If A and
        `demand` are networks, nodes are matched by name. Not with `k`.
    decay : tuple (str, number) or tuple (distances, weights), optional
        Weight each pair by f(d), where d is its distance: ("exponential", beta), exp(-beta d);
        ("linear", range), max(0, 1 - d / range); ("power", exponent), d**-exponent; ("gaussian",
        scale), exp(-d**2 / (2 scale**2)); or the knots of a piecewise linear function, constant
        before the first and 0 beyond the last. Divisors do not change.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only pairs with at most this distance; several cutoffs share a traversal, and each has
        a column. Divisors do not change.
    k : int or array_like of int, optional
        Estimate all from k random sources, or a list of them; the node of a sample of one is NaN.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    tie_rtol : float, default 1e-11
        With `weighted`, two paths tie if their lengths differ by at most tie_rtol * E, where E is
        twice the largest distance from the node with most neighbours. Integers compare exactly.
    **run
        Run options: device, workers, memory, progress, checkpoint, executor; see `RunOptions`.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node; with a list of cutoffs, shape (n, c). A CuPy array on the device of A if
        A is a CuPy matrix, else in host memory.

    Raises
    ------
    TypeError
        If A is not a matrix of real numbers, or another argument has the wrong type.
    ValueError
        If A is not square, stores NaN, an infinity or a negative number, or is malformed; with
        `weighted`, if it stores 0 off the diagonal or a length below 5 max(tie_rtol, 2**-52) E. If
        another argument is outside its range or does not go with the others. The message names the
        argument and the way out.
    RuntimeError
        If `device` names a GPU that is not there, or ``executor`` loses too many workers.
    MemoryError
        If one worker does not fit ``memory_budget``; the message says how many bytes would do.
    OSError
        If ``checkpoint`` cannot be written; what was saved before stays whole.
    OverflowError
        With `weighted` and integer lengths, if a distance exceeds 2**53.

    See Also
    --------
    centralities : Several measures from one traversal.
    approximate_betweenness : Estimates to a stated error, for graphs of millions of nodes.

    Notes
    -----
    ``normalized=True`` divides by (n - 1)(n - 2), or by n (n - 1) with `endpoints`. Time is
    O(sources * edges), with a logarithm by length at worst. Scores have the same bits for any
    ``workers`` and ``memory_budget``. See :doc:`/conventions`, :doc:`/algorithm`, :doc:`/scaling`.

    References
    ----------
    .. [1] U. Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical
       Sociology 25, 163-177 (2001), doi:10.1080/0022250X.2001.9990249

    Examples
    --------
    The path 0 -> 1 -> 2 -> 3 -> 4. Node 2 lies inside the paths of four of twelve ordered pairs:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import betweenness
    >>> A = scipy.sparse.csr_array(np.eye(5, k=1))
    >>> betweenness(A).round(3)
    array([0.   , 0.25 , 0.333, 0.25 , 0.   ])

    Trips from three people at node 0 and one at node 1 to a job at node 3; by length, a tie:

    >>> betweenness(A, source_weights=[3, 1, 0, 0, 0], target_weights=[0, 0, 0, 1, 0])
    array([ 0.,  1.,  1., nan,  0.])
    >>> B = scipy.sparse.csr_array([[0, 0.1, 0.3], [0, 0, 0.2], [0, 0, 0]])
    >>> betweenness(B, weighted=True, normalized=False)
    array([0. , 0.5, 0. ])
    """
    asked: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol, "rng": rng}
    asked |= {"sources": sources, "targets": targets, "source_weights": source_weights, "k": k}
    asked |= {"target_weights": target_weights, "demand": demand, "decay": decay, "cutoff": cutoff}
    asked |= {"normalized": normalized, "endpoints": endpoints}
    scores: dict[str, NDArray[np.float64]] = scores_of(A, ["betweenness"], run, **asked)
    return scores["betweenness"]


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
    k: ArrayLike | None = None,
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
    k : int or array_like of int, optional
        Estimate the scores of all pairs from those that start at k sampled nodes, or at a list of
        nodes, as in `betweenness`.
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
    asked: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol, "rng": rng}
    asked |= {"sources": sources, "targets": targets, "source_weights": source_weights, "k": k}
    asked |= {"target_weights": target_weights, "demand": demand, "decay": decay, "cutoff": cutoff}
    scores = scores_of(A, ["edge_betweenness"], run, normalized=normalized, **asked)
    return scores["edge_betweenness"]


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
    k: ArrayLike | None = None,
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
        Count only pairs with at most this distance, as in `betweenness`.
    k : int or array_like of int, optional
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
    interior. Traversal, cost and memory are those of `betweenness` [2]_ without the tree and block
    reductions.

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
    asked: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol, "rng": rng}
    asked |= {"sources": sources, "targets": targets, "source_weights": source_weights, "k": k}
    asked |= {"target_weights": target_weights, "demand": demand, "decay": decay, "cutoff": cutoff}
    scores: dict[str, NDArray[np.float64]] = scores_of(A, ["stress"], run, **asked)
    return scores["stress"]


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
        state must be above 0. The index of a pandas.Series holds names, or 0..n - 1.
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
    scores: dict[str, NDArray[np.float64]]
    scores = scores_of(A, ["betweenness"], run, source_weights=weights, **how)
    return scores["betweenness"]
