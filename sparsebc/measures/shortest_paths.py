"""Shortest paths from many sources: distances and predecessors."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..matrix.read_matrix import Adjacency
from ..sweep.options import SearchOptions, parse
from .rows import rows_of


def shortest_paths(
    A: Adjacency,
    sources: ArrayLike,
    *,
    directed: bool = True,
    weighted: bool = False,
    **run: Unpack[SearchOptions],
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Shortest paths from each source to every node: distances and predecessors.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`; a tuple only without `weighted`.
    sources : array_like of int, shape (k,)
        Where the paths start; a node may be named more than once.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, the shorter if both
        are stored.
    weighted : bool, default False
        True takes the stored values for lengths, those of repeated entries summed; by default every
        edge has length 1.
    **run
        Run options, as in `bfs`.

    Returns
    -------
    distances : ndarray, shape (k, n), dtype float64
        Entry [i, v] is the length of a shortest path from ``sources[i]`` to v, inf without a path.
    predecessors : ndarray, shape (k, n), dtype int32
        Entry [i, v] is the node before v on a shortest path, -9999 for the source itself and
        without a path. Without `weighted`, and on a GPU, it is the one of least index, nearer nodes
        before others if a length is so small that rounding loses it.

        Both are CuPy arrays on the device of A if A is a CuPy matrix, else in host memory.

    Raises
    ------
    TypeError
        As `bfs`; if `weighted` is not a bool, or A is a tuple and ``weighted=True``.
    ValueError
        As `bfs`; with `weighted`, if a length is not positive, below 1e-300 or so long that sums
        may leave the range of floats.
    RuntimeError, MemoryError, concurrent.futures.BrokenExecutor
        As `bfs`.

    See Also
    --------
    bfs : Distances without `weighted`, as integers.
    scipy.sparse.csgraph.shortest_path : The same conventions.

    Notes
    -----
    Without `weighted`, searches as in `bfs`, then one pass over the edges into each node; with it,
    Dijkstra's algorithm, source by source, at worst O(k * edges * log(edges)). A GPU relaxes the
    edges of 1024 sources at a time, near nodes before far ones [1]_, until no distance decreases:
    at worst O(k * n * edges), in practice a few times k * edges. Distances have the same bits on
    every device. Memory is 12 k n bytes for the results; a worker takes 56 bytes a node, with
    `weighted` 153 and 64 an arc, a GPU up to 24 bytes more a node and each of 1024 sources.

    References
    ----------
    .. [1] A. Davidson et al., "Work-efficient parallel GPU methods for single-source shortest
       paths", IPDPS 2014, 349-359, doi:10.1109/IPDPS.2014.45

    Examples
    --------
    The edge 0 -> 2 is longer than the way through node 1:

    >>> import scipy.sparse
    >>> from sparsebc import shortest_paths
    >>> A = scipy.sparse.csr_array([[0, 1, 5], [0, 0, 1], [0, 0, 0]])
    >>> shortest_paths(A, [0])
    (array([[0., 1., 1.]]), array([[-9999,     0,     0]], dtype=int32))
    >>> shortest_paths(A, [0], weighted=True)
    (array([[0., 1., 2.]]), array([[-9999,     0,     1]], dtype=int32))
    """
    flags = {"directed": directed, "weighted": weighted}
    distances, predecessors = rows_of("paths", A, sources, parse(run, SearchOptions), **flags)
    return distances, predecessors
