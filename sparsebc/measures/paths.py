"""Betweenness of nodes and of edges, stress, percolation: shares or numbers of shortest paths."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..matrix.edge_weights import TIE_RTOL
from ..matrix.matrix_arrays import arrays_of
from ..matrix.network import matrix_of, names_of
from ..matrix.read_matrix import Adjacency
from ..sweep.options import RunOptions
from .centralities import centrality
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
        Adjacency, a sparse matrix of SciPy or CuPy, or a sparse tensor of PyTorch or JAX, of any
        real dtype or bool; or the two index arrays of its csr form. A stored entry [i, j], explicit
        zeros included, is an edge from node i to node j. Entries on the diagonal do not count;
        repeated entries count once. Formats other than csr, csc and coo are converted first, and so
        are dense arrays of NumPy or CuPy, where zeros are no edges as in `scipy.sparse.csgraph`,
        nor with `weighted` NaN and infinity. Of a `sparsebc.io.Network` the matrix is taken. A is
        never modified.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive: a shortest path has the least total
        length. Repeated entries are summed, as in SciPy; with ``directed=False`` the smaller of
        [i, j] and [j, i] counts if both are stored. Strengths, such as confidences, are no lengths:
        see `strength_to_distance`.
    normalized : bool, default True
        Divide by the number of pairs that could count the node; else scores are sums over pairs,
        each unordered pair counted once if ``directed=False``.
    endpoints : bool, default False
        Count a pair at its two ends as well.
    sources : array_like of int, shape (m,), optional
        Count only pairs that start at these nodes, each given once; by default every node.
        Normalized scores are still divided by all pairs of the graph, as in NetworkX, and are small
        if sources are few: ``normalized=False`` gives the sum over the pairs selected (half of it
        with ``directed=False``), and `source_weights` and `target_weights` of 1 at the nodes
        selected and 0 elsewhere their mean.
    targets : array_like of int, shape (m,), optional
        Count only pairs that end at these nodes, each given once; by default every node.
        Normalized as with `sources`.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Let a pair (s, t) count source_weights[s] * target_weights[t] instead of 1: trips from homes
        to jobs, populations, expression. Weights are at least 0, 1 by default. Normalized scores
        are divided by the sum of the weights of the pairs that could count the node, and are NaN if
        that is 0. Not with `k`. The index of a pandas.Series is the names of a `Network`, or
        0..n - 1 in order.
    demand : sparse array or sparse matrix, shape (n, n), optional
        Trips of each pair: let a pair (s, t) count demand[s, t] times the weights of its ends;
        pairs that are not stored do not count. Rows and columns are node numbers; if both are a
        `sparsebc.io.Network`, names of nodes of A in any order. Values are of any real dtype and at
        least 0; repeated entries are summed, and the diagonal does not count. With
        ``directed=False`` trips of both directions take the same edges, and ``normalized=False``
        halves their sum, so that a symmetric demand counts each pair once. Not with `k`.
    decay : tuple (str, number) or tuple (distances, weights), optional
        Let a pair count f(d) times, d its distance in edges or, with `weighted`, by length:
        ("exponential", beta), f = exp(-beta d); ("linear", range), f = max(0, 1 - d / range);
        ("power", exponent), f = d**-exponent; ("gaussian", scale), f = exp(-d**2 / (2 scale**2));
        or the knots of a piecewise linear function, two arrays of shape (m,), distances ascending:
        the first weight before the first distance, and 0 beyond the last. f below 1e-150 counts as
        0. Divisors of normalized scores do not change, as with `cutoff`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Count only pairs with at most this distance, in edges or, with `weighted`, by length:
        betweenness within a radius, in terms of planning. 0 counts no pair; all pairs by default.
        Several cutoffs share a traversal, and each has a column.
    k : int, optional
        Estimate the scores of all pairs from those that start at k sampled nodes,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``. The node of a sample of
        one has no pair that could count it: its score is NaN unless ``endpoints``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample, as `numpy.random.default_rng` takes it; only with `k`.
    tie_rtol : float, default 1e-11
        With `weighted`, two paths tie if their lengths differ by at most tau, this share of the
        scale E of all distances (see Notes), from 0 on and below 1e-3, because sums of floats
        round. 0 compares the sums themselves, as NetworkX does, and leaves of the reductions only
        "prune". Integers (of any integer type, or integer-valued floats) compare exactly, whatever
        `tie_rtol`.
    **run
        Run options, which do not change the definition; see `sparsebc.RunOptions`.

        - ``device``: "cpu", "cuda", "cuda:1", "reference", a list of GPUs that share the work, or
          None: that of a CuPy matrix, else the first GPU, else the CPU
        - ``dtype``: numpy.float64 (default) or numpy.float32, of the state of a sweep on a GPU; a
          CPU computes in float64, and scores are float64
        - ``workers``: number of threads
        - ``memory_budget``: bytes the computation may take
        - ``progress``: True for a bar, or a callable ``(done, total)``
        - ``reduce``: "all" (default), "none" or some of {"trees", "blocks", "chains", "twins",
          "prune"}, the exact reductions that may be used
        - ``executor``, ``retries``: a pool of processes or a cluster that sweeps the sources, and
          how often blocks lost with a worker are submitted again
        - ``checkpoint``, ``checkpoint_every``: a directory from which a stopped run is resumed, and
          the seconds between two saves

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, in the order of the rows of A; with a list of cutoffs, shape (n, c). A
        CuPy array on the device of A if A is a CuPy matrix, else in the memory of the host.

    Raises
    ------
    TypeError
        If A is neither a matrix of SciPy, CuPy or NumPy nor a tuple, or holds anything but real
        numbers and booleans (complex numbers, objects), or is a tuple, without lengths, with
        `weighted`; if index arrays, `sources` or `targets` hold anything but ints, or weights of
        nodes, `demand`, `decay` or `cutoff` anything but numbers; if `directed`, `weighted`,
        `normalized` or `endpoints` is not a bool, `k` not an int, `tie_rtol` not a number or `rng`
        no seed; if `decay` is no pair; if a run option is unknown or of the wrong type.
    ValueError
        If A is not square and two-dimensional, stores NaN, an infinity or a negative number, has
        more than 2**31 - 1 rows, or has malformed index arrays. If `sources` or `targets` is
        empty, not one-dimensional, repeats a node or names one outside 0..n - 1. If `k` is outside
        1..n or comes with `sources`, `targets`, weights of nodes or `demand`; if `rng` is negative
        or comes without `k`. If weights of nodes are not n numbers, negative, not finite, all zero,
        outside 1e-100..1e100, or a positive one is less than 2**-53 of their sum. If `demand` is
        not of shape (n, n), negative, not finite, zero for all pairs, outside 1e-50..1e50, spread
        by a factor above 1e50, or has names that A lacks. If `decay` has an unknown name, a
        parameter not above 0 and finite, values of f above 1e50, or a table not of one length,
        empty, negative, not finite or not ascending. If `demand` or `decay` comes with
        ``dtype=numpy.float32``. If `cutoff` is negative, NaN, empty or of two dimensions. If
        `tie_rtol` is outside its range or comes without `weighted`. If a run option is out of its
        range, or ``checkpoint`` is damaged, in use, or holds another run. With `weighted`, if A
        stores 0 off the diagonal, lengths below 1e-300 or so long that sums may overflow, or a
        length that would be lost beside distances: less than 5 max(tie_rtol, 2**-52) E.
    RuntimeError
        If `device` names a GPU that is not there, or ``executor`` loses blocks more often than
        ``retries``, or breaks and no function made it (`concurrent.futures.BrokenExecutor`).
    MemoryError
        If one worker does not fit `memory_budget`; the message says how many bytes would do. If the
        graph does not fit on the GPU.
    OSError
        If ``checkpoint`` cannot be written; what was saved before stays whole.
    OverflowError
        With `weighted` and integer lengths, if a distance exceeds 2**53.

    See Also
    --------
    edge_betweenness : Betweenness of every edge.
    centralities : Several measures from one traversal.
    sparsebc.io.read : Matrix and node names of a file.
    sparsebc.datasets.load : Networks of the package.

    Notes
    -----
    With :math:`\sigma_{st}` the number of shortest paths from s to t, and
    :math:`\sigma_{st}(v)` the number of those with v in their interior,

    .. math:: c(v) = \sum_{s \neq v \neq t,\ s \neq t,\ \sigma_{st} > 0}
              \frac{\sigma_{st}(v)}{\sigma_{st}}

    ``normalized=True`` divides c(v) by (n - 1)(n - 2), or by n (n - 1) with `endpoints`;
    otherwise ``directed=False`` halves it. With weights of nodes a pair counts
    :math:`\alpha_s\,\omega_t` times, and the divisor is the sum of these over the pairs that could
    count v. Integer weights with a sum below 2**31 cost nothing; with others trees and blocks stay
    in the graph. With `demand` and `decay` a pair counts
    :math:`\alpha_s\,\omega_t\,D_{st}\,f(d(s, t))` times: target weights are computed for each
    source, and sources without demand are not swept. On a CPU, by edges, sources are then swept one
    at a time, with `decay` alone 64 clustered sources at once. Of the reductions only "prune" is
    used, and on a CPU "trees" with an exponential `decay` and equal source and target weights.
    Memory is up to 24 bytes a node and worker more, 90 if eight sources share an order by length,
    and 24 for each value of `demand`. Path counts above 1e100 have a separate exponent, so that no
    weight over a count underflows. `sources` and `targets` restrict the sum and not the divisor, as
    in ``networkx.betweenness_centrality_subset``: only `k` extrapolates.

    A `cutoff` L selects the pairs with a distance d(s, t) <= L; floats may exceed L by tau,
    integers compare exactly. The divisors of ``normalized=True`` do not change, so that columns are
    comparable; ``normalized=False`` equals ``igraph.Graph.betweenness``. No search passes the
    largest cutoff: with m(s, L) the edges within L of s, cost is the sum over s of m(s, L) for the
    forward phase, which all cutoffs share, and of m(s, L) for the backward phase within each cutoff
    [7]_, in place of O(sources * edges). Several cutoffs take one more real a node for each source
    of a batch. Trees and blocks stay in the graph, for their pairs have many distances.

    The algorithm is Brandes' [1]_, with sources and targets as in [2]_, on the levels of 64
    sources at a time, or of one (on a GPU, of many batches of 128, or of many single sources), as
    masked sparse products in the manner of [3]_. In an undirected graph, or a symmetric matrix,
    trees are folded into their roots first, exactly, in integers [4]_. The remaining graph is split
    at its cut nodes if that saves work; one of many sources with the same neighbours is swept.
    Chains of nodes of degree 2 are swept from their ends alone if these are few (on a GPU by edges,
    in high-diameter graphs of few edges a node).

    With `weighted`, 64 clustered sources share a search that relaxes the nodes in the order of one
    search from all of them (on a high-diameter graph eight sources, which also count paths
    together). Other sources use Dijkstra's algorithm [5]_, one at a time; on a GPU many at once use
    delta-stepping [6]_. The two sums run over the edges u -> v that satisfy d(u) + w(u, v) <= d(v)
    + tau, with d the shortest distances from the source and tau = tie_rtol E, or 0 if all lengths
    are integers. E is twice the largest distance, edges taken both ways, from the node of most
    neighbours (of several the first) of each weak component; or the largest cutoff plus the longest
    length, if that is less. It depends on nothing else, and takes one search. Equal lengths give
    the scores without lengths, to the last bit; a power of two as a factor of all lengths changes
    no bit (of integers, if they remain integers: fractions compare by tau).

    Cost is O(sources * edges) of the graph that `reduce` leaves, and nothing for a source without
    edges. One worker takes about 1040 bytes a node at most, and 7 an arc; with chains 3000 to 4000
    a node. If not all workers fit `memory_budget`, fewer run. A GPU takes as many batches of 128
    sources at once as fit, at about 1300 bytes a node, 800 with float32, and 256 more if nodes have
    32 edges or more on average. With `weighted`, cost is O(sources * (edges + n)) if the longest
    edge is at most 1024 times the shortest, at worst O(sources * edges * log(edges)), and one
    worker takes up to 210 bytes a node and 25 an arc (of a high-diameter graph 500 and
    50), a GPU up to 170 bytes a node for each source in flight.
    Results are the same to the last bit for any `workers` and `memory_budget`, and on every repeat.

    If a source has more than 2**1016 (about 7e305) shortest paths to some node, its batch is swept
    again with a mantissa and an exponent for each count, one source at a time, to the accuracy of
    float64; in float32 on a GPU, counts above 2**120 (about 1e36) are first swept in float64.

    The first call on a machine compiles the CPU kernels, with one warning of the logger
    ``sparsebc``; later processes load them from Numba's cache.

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

    Twelve ordered pairs could count a node, or six unordered pairs:

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

    Five trips from node 0 to node 2 and one to node 4; then weights that decrease with distance:

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
    asked: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol, "rng": rng}
    asked |= {"sources": sources, "targets": targets, "source_weights": source_weights, "k": k}
    asked |= {"target_weights": target_weights, "demand": demand, "decay": decay, "cutoff": cutoff}
    asked |= {"normalized": normalized, "endpoints": endpoints}
    scores: NDArray[np.float64] = centrality("betweenness", A, run, **asked)
    return scores


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
    asked: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol, "rng": rng}
    asked |= {"sources": sources, "targets": targets, "source_weights": source_weights, "k": k}
    asked |= {"target_weights": target_weights, "demand": demand, "decay": decay, "cutoff": cutoff}
    return centrality("edge_betweenness", A, run, normalized=normalized, **asked)


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
    asked: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol, "rng": rng}
    asked |= {"sources": sources, "targets": targets, "source_weights": source_weights, "k": k}
    asked |= {"target_weights": target_weights, "demand": demand, "decay": decay, "cutoff": cutoff}
    scores: NDArray[np.float64] = centrality("stress", A, run, **asked)
    return scores


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
