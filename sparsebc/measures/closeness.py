"""Closeness: one over the mean distance from the other nodes."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.read_matrix import Adjacency
from ..run.options import DistanceOptions
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
    r"""Closeness of every node: one over its mean distance from the nodes that reach it.

    Distances are counted in edges, or by length with `weighted`. Scores equal those of
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
        Multiply by the share of nodes that reach it, as Wasserman and Faust do [1]_; else a node of
        a small component may score highest.
    sources : array_like of int, shape (m,), optional
        Count only distances from these nodes (to them, if `direction` is "out"), each given once;
        by default from every node. A uniform sample estimates the scores.
    k : int, optional
        Take k sampled nodes for the sources,
        ``numpy.random.default_rng(rng).choice(n, k, replace=False)``.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    cutoff : number or array_like of numbers, shape (c,), optional
        Look only at the nodes at most so far away, in edges or, with `weighted`, by length. Of
        several, the scores have a column each.
    target_weights : array_like of numbers, shape (n,), optional
        How much each of the other nodes counts, from 0 on, as its inhabitants or jobs; by default
        1. They are those to which distances lead if `direction` is "out", else those from which
        they come.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, 0 where no other node reaches it; with a list of cutoffs of shape
        (n, c), a column each. A CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If A is no sparse matrix or tuple, or does not hold real numbers; if `sources` holds
        anything but ints, or `cutoff` anything but numbers; if `directed` or `wf_improved` is not a
        bool; if an option is of the wrong type.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `direction` is neither of the
        two; if `sources` is empty, not one-dimensional, repeats a node or names one outside 0..n -
        1; if `k` is outside 1..n or comes with `sources` or `target_weights`, or `rng` comes
        without `k`; if `target_weights` are as `betweenness` refuses them; if `cutoff` is negative,
        NaN, empty or of two dimensions; if ``workers`` or ``memory_budget`` is less than 1. With
        `weighted`, as `betweenness` does.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources, or
        one source with `weighted`; the message says how many bytes would do.

    See Also
    --------
    harmonic : Where not every node reaches every other, the simpler measure.

    Notes
    -----
    With r the number of sources other than v that reach v, d their distances and m the number of
    sources other than v (n - 1 by default),

    .. math:: c(v) = \frac{r}{\sum d} \cdot \frac{r}{m}

    the second factor with `wf_improved`. With `target_weights`, r and m are the sums of the weights
    of these nodes, and each distance counts by its weight; then searches are those of
    `accessibility`, and of the reductions only "prune" is used. With a `cutoff`, r and d are of the
    nodes within it, and without `wf_improved` scores are those of
    ``igraph.Graph.closeness(cutoff=...)``, but 0 for its NaN; a search ends at the largest cutoff,
    and is shared by all of them. Scores are the same to the last bit for any `workers` and
    `memory_budget`. 512 sources share a search, 1024 on a GPU; on high-diameter graphs a CPU
    searches from scattered sources one by one. Cost is O(n * edges / 512) on low-diameter graphs,
    O(n * edges) at worst. Memory is about 220 bytes a node and worker, 100 with up to 64 sources; a
    GPU takes 289 bytes a node for each 1024 sources in flight, as many as fit, and 32 more for each
    further cutoff. With `weighted`, clustered sources share a search and others have one of their
    own: cost is O(n * (edges + n)) where lengths are of one magnitude, at worst O(n * edges *
    log(edges)), and memory up to 720 bytes a node and 28 an edge and worker; a GPU takes 48 to 164
    bytes a node for each source in flight, 4 more within a cutoff, and 24 more for each further
    one.

    References
    ----------
    .. [1] S. Wasserman and K. Faust, "Social Network Analysis", Cambridge University Press (1994),
       page 201

    Examples
    --------
    The path 0 -> 1 -> 2: node 2 is reached from distances 1 and 2.

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
