"""Breadth-first searches from many sources: a row of levels for each."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.read_matrix import Adjacency
from ..sweep.options import SearchOptions, parse
from .rows import rows_of


def bfs(
    A: Adjacency,
    sources: ArrayLike,
    *,
    directed: bool = True,
    **run: Unpack[SearchOptions],
) -> NDArray[np.int32]:
    """Number of edges on a shortest path from each source to every node, by breadth-first search.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    sources : array_like of int, shape (k,)
        Sources, a search each; a node may be named more than once.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    **run
        Run options of `sparsebc.SearchOptions`: ``device``, or a list of GPUs that share the
        sources, ``workers``, ``memory_budget`` (without the result), ``progress``, ``executor`` and
        ``retries``. A batch has 64 sources, on a GPU 1024.

    Returns
    -------
    ndarray, shape (k, n), dtype int32
        Entry [i, v] is the number of edges on a shortest path from ``sources[i]`` to v, -1 if v is
        not reached. A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        As `betweenness` for A and run options; if `sources` holds anything but ints; if `directed`
        is not a bool.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `sources` is empty, not
        one-dimensional or names a node outside 0..n - 1; if ``device`` is no device, or lists
        several GPUs beside an ``executor``; if ``workers`` or ``memory_budget`` is less than 1, or
        ``retries`` less than 0.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources.
    concurrent.futures.BrokenExecutor
        If an ``executor`` that no function made breaks, or one that a function made loses the same
        sources more than ``retries`` times.

    See Also
    --------
    shortest_paths : Distances and predecessors, also by length.
    scipy.sparse.csgraph.breadth_first_order : One source.

    Notes
    -----
    64 sources share a search, with a bit each in a word per node [1]_, at a cost near O(edges) for
    every 64 sources. On a high-diameter graph each source has a queue of its own, O(k * edges) in
    all. Memory is 4 k n bytes for the result, and 56 bytes a node and worker. On a GPU 1024 sources
    share a search, at about 290 bytes a node, and the result stays there if A is a CuPy matrix.

    Workers of an ``executor`` return rows, 4 n bytes a source, which the caller copies into the
    result. Each has at most two tasks at a time, and all unread rows fit ``memory_budget``. Sending
    a row takes longer than the search: on one machine threads are faster.

    References
    ----------
    .. [1] M. Then et al., "The more the merrier: efficient multi-source graph traversal",
       Proceedings of the VLDB Endowment 8, 449-460 (2014), doi:10.14778/2735496.2735507

    Examples
    --------
    The path 0 -> 1 -> 2 -> 3:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import bfs
    >>> A = scipy.sparse.csr_array(np.eye(4, k=1))
    >>> bfs(A, [0, 2])
    array([[ 0,  1,  2,  3],
           [-1, -1,  0,  1]], dtype=int32)
    >>> bfs(A, [2], directed=False)
    array([[2, 1, 0, 1]], dtype=int32)
    """
    levels: NDArray[np.int32]
    (levels,) = rows_of("levels", A, sources, parse(run, SearchOptions), directed=directed)
    return levels
