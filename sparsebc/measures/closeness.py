"""Closeness: the reciprocal of the mean distance from the other nodes."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.read_matrix import Adjacency
from ..sweep.options import DistanceOptions
from .distance_measures import Direction, scores


def closeness(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "in",
    wf_improved: bool = True,
    sources: ArrayLike | None = None,
    k: int | None = None,
    rng: Any = None,
    cutoff: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Closeness of every node: the reciprocal of its mean distance from the nodes that reach it.

    Distances are numbers of edges, or lengths with `weighted`. Scores equal those of
    ``networkx.closeness_centrality(G, wf_improved=..., distance=...)``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive, as in `betweenness`, and measures
        distances by them.
    direction : {"in", "out"}
        Distances to the node, as in NetworkX, or from it.
    wf_improved : bool, default True
        Multiply by the share of the other nodes that reach the node, as Wasserman and Faust do
        [1]_; else a node of a small component may score highest.
    sources : array_like of int, shape (m,), optional
        Count only distances from these nodes (to them, if `direction` is "out"), each given once;
        by default from every node. Scores of a uniform sample are estimates.
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Largest distance of a node that counts, in edges or, with `weighted`, by length; of several,
        each has a column.
    target_weights : array_like of numbers, shape (n,), optional
        Weight, at least 0, of each node as one of the other nodes, such as its inhabitants or jobs;
        1 by default. Paths lead to the other nodes if `direction` is "out", else from them.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, 0 if no other node reaches it; with a list of cutoffs, shape (n, c). A
        CuPy array on the device of A if A is a CuPy matrix, else in the memory of the host.

    Raises
    ------
    TypeError
        As `betweenness` for A and run options; if `sources` holds anything but ints, `cutoff` or
        `target_weights` anything but numbers; if `directed`, `weighted` or `wf_improved` is not a
        bool, `k` not an int or `rng` no seed.
    ValueError
        As `betweenness` for A, `cutoff`, `target_weights`, run options and, with `weighted`, values
        that are no lengths; if `direction` is neither of the two; if `sources` is
        empty, not one-dimensional, repeats a node or names one outside 0..n - 1; if `k` is outside
        1..n or comes with `sources` or `target_weights`; if `rng` is negative or comes without `k`.
    RuntimeError
        If ``device`` names a GPU that is not there, or ``executor`` fails as in `betweenness`.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources; the
        message says how many bytes would do.
    OverflowError
        With `target_weights`, if distances may leave 1e-140..1e140.

    See Also
    --------
    harmonic : A simpler measure of graphs where not all nodes reach each other.

    Notes
    -----
    With r the number of sources other than v that reach v, d their distances and m the number of
    sources other than v (n - 1 by default),

    .. math:: c(v) = \frac{r}{\sum d} \cdot \frac{r}{m}

    the second factor with `wf_improved`. With `target_weights`, r and m are sums of weights, and
    each distance is multiplied by its weight; searches are those of `accessibility`. With a
    `cutoff`, r and d are of the nodes within it, and without `wf_improved` scores equal
    ``igraph.Graph.closeness(cutoff=...)``, with 0 for its NaN; a search ends at the largest cutoff,
    and all cutoffs share it. Scores are the same to the last bit for any `workers` and
    `memory_budget`.

    512 sources share a search, 1024 on a GPU; on high-diameter graphs a CPU searches from scattered
    sources one by one. Cost is O(n * edges / 512) on low-diameter graphs, O(n * edges) at worst.
    Memory is 232 bytes a node and worker, 120 with up to 64 sources, and 64 more for each further
    cutoff; a GPU takes 289 bytes a node for each 1024 sources in flight, and 32 more for each
    further cutoff. With `weighted`, clustered sources share a search: cost is O(n * (edges + n)) if
    lengths are of one magnitude, at worst O(n * edges * log(edges)), and memory up to 722 bytes a
    node and 20 an arc and worker (of a high-diameter graph up to 44); a GPU takes up to 160 bytes a
    node for each source in flight, 4 more within a cutoff, and 24 for each further cutoff.

    References
    ----------
    .. [1] S. Wasserman and K. Faust, "Social Network Analysis", Cambridge University Press (1994),
       page 201

    Examples
    --------
    The path 0 -> 1 -> 2: the distances to node 2 are 2 and 1.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import closeness
    >>> A = scipy.sparse.csr_array(np.eye(3, k=1))
    >>> closeness(A).round(3)
    array([0.   , 0.5  , 0.667])
    >>> closeness(A, direction="out").round(3)
    array([0.667, 0.5  , 0.   ])
    >>> closeness(A, wf_improved=False).round(3)
    array([0.   , 1.   , 0.667])
    """
    return scores("closeness", **locals())
