"""Betweenness of nodes."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..run.options import RunOptions
from .centralities import centrality


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
    k: int | None = None,
    rng: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> NDArray[np.float64]:
    r"""Betweenness of every node: the share of shortest paths that run through it.

    The betweenness of node v is the sum, over all ordered pairs (s, t) of other nodes where a
    path leads from s to t, of the share of the shortest paths from s to t that have v in their
    interior [1]_. Paths are counted in edges, and the values stored in the matrix say only where
    the edges are; with `weighted`, they are the lengths of the edges. Scores equal those of
    NetworkX 3.5 and later for every combination of `directed`, `normalized`, `endpoints` and `k`,
    given the same sample.

    Parameters
    ----------
    A : sparse array or sparse matrix, or ndarray, shape (n, n), or tuple (indptr, indices, n)
        Adjacency, a sparse matrix of SciPy or CuPy of any real dtype or bool; or the two index
        arrays of its csr form, without values. A stored entry [i, j] is an edge from node i to
        node j, an explicit zero too. Entries on the diagonal do not count, and repeated ones count
        once. Formats other than csr, csc and coo are converted first, and dense arrays of NumPy or
        CuPy, whose zeros are no edges, as in `scipy.sparse.csgraph`. A `sparsebc.io.Network` is
        taken for its matrix. A is never modified.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive: a shortest path is one of least
        total length. Repeated entries are summed, as SciPy does; with ``directed=False`` the
        smaller of [i, j] and [j, i] counts where both are stored. Strengths, such as confidences,
        are no lengths: see `strength_to_distance`.
    normalized : bool, default True
        Divide by the number of pairs that could have counted; else scores are sums over pairs,
        each unordered pair counted once if ``directed=False``.
    endpoints : bool, default False
        Count a pair at its two ends as well.
    sources : array_like of int, shape (m,), optional
        Count only pairs that start at these nodes, each given once; by default every node.
        Normalized scores are divided by all pairs of the graph all the same, as in NetworkX, and
        are small where few are asked for: ``normalized=False`` gives the sum over those asked for
        (half of it with ``directed=False``), and `source_weights` and `target_weights` of 1 at the
        nodes and 0 elsewhere their mean.
    targets : array_like of int, shape (m,), optional
        Count only pairs that end at these nodes, each given once; by default every node.
        Normalized as with `sources`.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Let a pair (s, t) count source_weights[s] * target_weights[t] instead of 1: trips from homes
        to jobs, populations, expression. Weights are at least 0; those left out are 1. Normalized
        scores are divided by the sum of the weights of the pairs that could have counted; it is
        NaN where there are none. Not with `k`. A pandas.Series is taken by the names of a
        `Network`, else its index must be 0..n - 1 in order.
    demand : sparse array or sparse matrix, shape (n, n), optional
        Trips of each pair: let a pair (s, t) count demand[s, t] times the weights of its ends, and
        pairs that are not stored nothing. Rows and columns are node numbers, or have the names of
        a `sparsebc.io.Network`, in any order, where A is one too; values are of any real
        dtype and at least 0, repeated ones are summed, and the diagonal does not count. With
        ``directed=False`` a trip of either direction takes the same edges; the sum over both is
        halved as ever by ``normalized=False``, so that a symmetric demand counts each pair once.
        Not with `k`.
    decay : tuple (str, number) or tuple (distances, weights), optional
        Let a pair count f(d) times, d its distance in edges or, with `weighted`, by length:
        ("exponential", beta), f = exp(-beta d); ("linear", range), f = max(0, 1 - d / range);
        ("power", exponent), f = d**-exponent; ("gaussian", scale), f = exp(-d**2 / (2 scale**2));
        or the knots of any function, two arrays of shape (m,), distances ascending: linear in
        between, the first weight before the first distance, and 0 beyond the last. f below 1e-150
        counts as 0. Divisors of normalized scores stay, as with `cutoff`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only pairs at most so far apart, in edges or, with `weighted`, by length: what
        planners call betweenness within a radius. 0 counts none, and by default all do. Several
        are counted in one traversal, a column each.
    k : int, optional
        Estimate the scores of all pairs from those that start at k sampled nodes,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``. The node of a sample of
        one has no pair that could count it, so its score is NaN unless ``endpoints``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample, as `numpy.random.default_rng` takes it; only with `k`.
    tie_rtol : float, default 1e-10
        With `weighted`, two paths tie when the longer exceeds the shorter by at most this share of
        it, from 0 on and below 1: sums of floats round. 0 compares them as they come out, as
        NetworkX does. Whole numbers (of any integer type, or floats that all are) compare exactly,
        whatever `tie_rtol`.
    **run
        Run options, none of which changes the question; `sparsebc.RunOptions` has the details.

        - ``device``: "cpu", "cuda", "cuda:1", "reference", a list of GPUs that share the work, or
          None: where a CuPy matrix lives, for others the best there is
        - ``dtype``: numpy.float64 (default) or numpy.float32, of the state in flight; not of the
          scores, which are float64
        - ``workers``: number of threads
        - ``memory_budget``: bytes the computation may take
        - ``progress``: True for a bar, or a callable ``(done, total)``
        - ``reduce``: "all" (default), "none" or some of {"trees", "blocks", "chains", "twins",
          "prune"}, the exact reductions that may be used
        - ``executor``, ``retries``: a pool of processes or a cluster that sweeps the sources, and
          how often blocks lost with a worker are submitted again
        - ``checkpoint``, ``checkpoint_every``: a directory from which a run that was stopped goes
          on, and the seconds between two saves

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, in the order of the rows of A; with a list of cutoffs of shape (n, c), a
        column each. A CuPy array on the device of A if A is a CuPy matrix, else in the memory of
        the host.

    Raises
    ------
    TypeError
        If A is neither a matrix of SciPy, CuPy or NumPy nor a tuple, or holds anything but real
        numbers and booleans (complex numbers, objects); if an index array,
        `sources` or `targets` holds anything but ints; if `directed`, `weighted`, `normalized` or
        `endpoints` is not a bool, `k` not an int or `tie_rtol` not a number; if a run option is
        unknown or of the wrong type; if weights of nodes or `cutoff` are no numbers; if `weighted`
        comes with a tuple, which has no lengths.
    ValueError
        If A is not square and two-dimensional, stores NaN, an infinity or a negative number, has
        more than 2**31 - 1 rows, or is a tuple that is no csr pattern; if `sources` or `targets`
        is empty, not one-dimensional, repeats a node or names one outside 0..n - 1; if `k` is
        outside 1..n or comes with `sources`, `targets` or weights of nodes; if those are not n
        numbers, negative, not finite, all zero, outside of 1e-100..1e100 or so small that they are
        lost beside the sum of all, or come with `endpoints` for a directed graph, or within a
        `cutoff`, on a GPU; if `demand` is not of shape (n, n), negative, not finite, zero for all
        pairs, outside of 1e-50..1e50 or comes with `k`; if `decay` is none of those above, if its
        parameter is not above 0, if it may pass 1e50, or if distances of a table do not ascend; if
        `demand` or `decay` comes with ``dtype=numpy.float32``; if `cutoff` is negative, NaN, empty
        or of two dimensions; if `rng` comes without `k`; if `device` or `dtype` is none of those
        above, or `workers` or `memory_budget` is less than 1; if ``checkpoint`` is damaged, in use,
        or holds another run, and what differs. With `weighted`, also if A stores 0 off the
        diagonal, or lengths below 1e-300 or so long that sums may leave the range of floats; if a
        length is so small beside a distance it is added to that rounding or `tie_rtol` would lose
        it. If `tie_rtol` is outside its range, or comes without `weighted`.
    RuntimeError
        If `device` names a GPU that is not there; the message says what is missing.
    MemoryError
        If not even one worker fits `memory_budget`, where the message says how many bytes would do;
        if the graph does not fit on the GPU.
    OSError
        If ``checkpoint`` cannot be written; what was saved before stays whole.
    OverflowError
        With `weighted` and whole numbers, if a distance passes 2**53.

    See Also
    --------
    edge_betweenness : The same of every edge.
    centralities : Several measures from one traversal.
    sparsebc.io.read : The matrix and the node names in a file.
    sparsebc.datasets.load : Networks that come with the package.

    Notes
    -----
    With :math:`\sigma_{st}` the number of shortest paths from s to t, and
    :math:`\sigma_{st}(v)` the number of those with v in their interior,

    .. math:: c(v) = \sum_{s \neq v \neq t,\ s \neq t,\ \sigma_{st} > 0}
              \frac{\sigma_{st}(v)}{\sigma_{st}}

    ``normalized=True`` divides c(v) by (n - 1)(n - 2), or by n (n - 1) with `endpoints`;
    otherwise ``directed=False`` halves it. With weights of nodes a pair counts
    :math:`\alpha_s\,\omega_t` times, and the divisor is the sum of these over the pairs that could
    count v; weights that are whole, and add up to less than 2**31, cost nothing, and with others
    trees are not folded away. With `demand` and `decay` it counts :math:`\alpha_s\,\omega_t\,
    D_{st}\,f(d(s, t))` times: weights of targets are filled in anew for each source, and sources
    without demand are not swept. By edges sources are swept one at a time then, with `decay` alone
    64 that lie close together. Of the reductions "prune" alone is used, and on a CPU "trees" with
    an exponential `decay` of pairs that count alike both ways; memory is up to 24 bytes a node more
    for each worker, 90 where eight sources share an order by length, and 24 for each value of
    `demand`. Path counts beyond 1e100 have exponents of their own, so that no weight over them is
    lost. `sources` and `targets` restrict the sum and change neither divisor, as in
    ``networkx.betweenness_centrality_subset``: only `k` extrapolates.

    A `cutoff` L leaves the pairs with a distance d(s, t) <= L, where a float may pass it by
    tie_rtol L, and whole numbers compare exactly. The divisors of ``normalized=True`` stay, so that
    columns compare; ``normalized=False`` gives the numbers of ``igraph.Graph.betweenness``. Nothing
    beyond the largest cutoff is entered: with m(s, L) the edges within L of s, cost is the sum over
    s of m(s, L) for the way out, shared by all cutoffs, and again for the way back within each of
    them [7]_, in place of O(sources * edges). Several take one more real a node for each source in
    flight than one. Trees and blocks, whose pairs lie at many distances, stay in the graph.

    The algorithm is Brandes' [1]_, with sources and targets as in [2]_, on the levels of 64
    sources at a time, or of one (on a GPU of many groups of 128, or of many sources alone), as
    masked sparse products in the manner of [3]_. In an undirected graph, or a symmetric matrix,
    trees that hang on the rest are folded away first, exactly, in whole numbers [4]_, and what is
    left is taken apart at its cut nodes where that saves work; of many sources with the same
    neighbours one is swept. Chains of nodes of degree 2 are swept from their ends alone where these
    are few (on a GPU by edges, in deep graphs of few edges a node).

    With `weighted`, 64 sources that lie close together find their distances at once, by sweeps over
    the nodes in the order of one of them (on a deep graph eight, and count their paths at once,
    too), and others by Dijkstra's algorithm [5]_, one after the other; on a GPU many sources at
    once, by delta-stepping [6]_. The same two sums run over the edges u -> v that satisfy d(u) +
    w(u, v) <= d(v) + tie_rtol d(v), where d are the shortest distances from the source. Lengths
    that are all equal give the scores without lengths, to the last bit; lengths scaled by a power
    of two change no bit (whole numbers, that is, as long as they stay whole: fractions compare by
    `tie_rtol`).

    Cost is O(sources * edges) of what `reduce` leaves, and nothing for a source without edges. One
    worker's state takes about 980 bytes a node at most, 710 with float32, and 8 an edge; from the
    ends of chains 3000 to 4000 a node; fewer workers run where `memory_budget` would not hold them
    all. A GPU takes as many groups at once as the budget holds, at about 1300 bytes a node for 128
    sources, 800 with float32, and 256 more where a node has 32 edges or more on average. With
    `weighted`, cost is O(sources * (edges + n)) where the longest edge is at most 1024 times the
    shortest, at worst O(sources * edges * log(edges)), and one worker takes up to 780 bytes a node
    and 32 an arc, a GPU up to 164 bytes a node for each source in flight.
    Results are the same to the last bit for any `workers` and `memory_budget`, and on every repeat.

    Where a source has more than 2**1016 (about 7e305) shortest paths to some node, the batches of
    sources concerned are swept again with a mantissa and an exponent for each count, one source at
    a time, to the accuracy of float64; with float32 from 2**120 (about 1e36) on first in float64.

    The first call on a machine compiles the CPU kernels and says so once, as a warning of the
    logger ``sparsebc``; later processes find them in Numba's cache.

    References
    ----------
    .. [1] U. Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical
       Sociology 25, 163-177 (2001), doi:10.1080/0022250X.2001.9990249
    .. [2] U. Brandes, "On variants of shortest-path betweenness centrality and their generic
       computation", Social Networks 30, 136-145 (2008), doi:10.1016/j.socnet.2007.11.001
    .. [3] O. Artiles and F. Saeed, "TurboBC: a memory efficient and scalable GPU based
       betweenness centrality algorithm in the language of linear algebra", ICPP Workshops (2021),
       doi:10.1145/3458744.3474047
    .. [4] A. E. Sariyuce, E. Saule, K. Kaya and U. V. Catalyurek, "Shattering and compressing
       networks for betweenness centrality", SIAM International Conference on Data Mining (2013),
       arXiv:1209.6007
    .. [5] E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische
       Mathematik 1, 269-271 (1959), doi:10.1007/BF01386390
    .. [6] U. Meyer and P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
       Journal of Algorithms 49, 114-152 (2003), doi:10.1016/S0196-6774(03)00076-2
    .. [7] M. Ercsey-Ravasz, R. N. Lichtenwalter, N. V. Chawla and Z. Toroczkai, "Range-limited
       centrality measures in complex networks", Physical Review E 85, 066103 (2012),
       doi:10.1103/PhysRevE.85.066103

    Examples
    --------
    The path 0 -> 1 -> 2 -> 3 -> 4. Node 2 lies inside the paths of four pairs: (0, 3), (0, 4),
    (1, 3) and (1, 4).

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import betweenness
    >>> A = scipy.sparse.csr_array(np.eye(5, k=1))
    >>> betweenness(A, normalized=False)
    array([0., 3., 4., 3., 0.])

    Twelve ordered pairs could count a node, and so could six unordered ones:

    >>> betweenness(A).round(3)
    array([0.   , 0.25 , 0.333, 0.25 , 0.   ])
    >>> betweenness(A, directed=False).round(3)
    array([0.   , 0.5  , 0.667, 0.5  , 0.   ])

    Three people live at node 0 and one at node 1, all jobs are at node 3: four trips.

    >>> betweenness(A, source_weights=[3, 1, 0, 0, 0], target_weights=[0, 0, 0, 1, 0])
    array([ 0.,  1.,  1., nan,  0.])

    Only the pair (0, 3), at its ends too:

    >>> betweenness(A, sources=[0], targets=[3], endpoints=True, normalized=False)
    array([1., 1., 1., 1., 0.])

    Five trips from node 0 to node 2 and one to node 4, and pairs that count less the farther apart:

    >>> D = scipy.sparse.coo_array(([5, 1], ([0, 0], [2, 4])), shape=(5, 5))
    >>> betweenness(A, demand=D, normalized=False)
    array([0., 6., 1., 1., 0.])
    >>> betweenness(A, decay=("power", 1), normalized=False).round(3)
    array([0.   , 1.083, 1.417, 1.083, 0.   ])

    Pairs at most two edges apart, and at most three:

    >>> betweenness(A, cutoff=[2, 3], normalized=False)
    array([[0., 0.],
           [1., 2.],
           [1., 3.],
           [1., 2.],
           [0., 0.]])

    By length: the detour 0 -> 1 -> 2 of 0.1 + 0.2 ties with the edge 0 -> 2 of 0.3.

    >>> B = scipy.sparse.csr_array([[0, 0.1, 0.3], [0, 0, 0.2], [0, 0, 0]])
    >>> betweenness(B, weighted=True, normalized=False)
    array([0. , 0.5, 0. ])
    """
    scores: NDArray[np.float64] = centrality("betweenness", **locals())
    return scores
