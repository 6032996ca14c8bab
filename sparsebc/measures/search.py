"""Searches from many sources at once: levels, distances, predecessors, components."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..errors import InputError, InputTypeError
from ..graph import read_weights
from ..graph.read_matrix import Adjacency, canonical
from ..run import options
from ..run.options import SearchOptions
from . import rows
from .arguments import check_flags, listed


def bfs(
    A: Adjacency,
    sources: ArrayLike,
    *,
    directed: bool = True,
    **run: Unpack[SearchOptions],
) -> NDArray[np.int32]:
    """Breadth-first searches: the number of edges from each source to every node.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    sources : array_like of int, shape (k,)
        Where the searches start, one each; a node may be named more than once.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    **run
        Run options of `sparsebc.SearchOptions`: ``device``, or a list of GPUs that share the
        sources, ``workers``, ``memory_budget`` (the result aside), ``progress``, ``executor`` and
        ``retries``, in groups of 64 sources, or of 1024 on a GPU.

    Returns
    -------
    ndarray, shape (k, n), dtype int32
        Entry [i, v] is the number of edges on a shortest path from ``sources[i]`` to v, -1 where
        there is none; a CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If A is no sparse matrix or tuple, or does not hold real numbers; if `sources` holds
        anything but ints; if `directed` is not a bool; if an option is of the wrong type.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `sources` is empty, not
        one-dimensional or names a node outside 0..n - 1; if ``device`` lists GPUs
        beside an ``executor``; if ``workers`` or ``memory_budget`` is less than 1, or
        ``retries`` less than 0.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a group of sources.
    concurrent.futures.BrokenExecutor
        If an ``executor`` breaks that was not made by a function, or does so too often for
        ``retries``.

    See Also
    --------
    shortest_paths : Distances and predecessors, along lengths too.
    scipy.sparse.csgraph.breadth_first_order : One source.

    Notes
    -----
    64 sources share a search, a bit each in one word a node [1]_; cost is near O(edges) for each 64
    of them. On a graph of many levels each has a queue of its own, O(k * edges) in all. Memory is
    4 k n bytes for the result and 36 bytes a node and worker. On a GPU 1024 sources share a search,
    at 257 bytes a node, and the result stays there if A is a CuPy matrix.

    Workers of an ``executor`` send rows back, 4 n bytes a source, which are copied to their places
    in the result as they come: as many are under way as ``memory_budget`` holds, two tasks a worker
    at most. Rows are quickly found, and slow to send: on one machine threads are faster.

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
    check_flags(directed=directed)
    settings, origin = options.parse(run, SearchOptions), devices.home(A)
    engine = devices.select(settings.device, origin)
    how: Any = {"ops_for": engine.ops_for, "workers": settings.threads}
    with engine.here(), settings:
        graph = canonical(A, directed=bool(directed), **how)
        nodes = listed("sources", sources, graph.n)
        searches = rows.levels(engine, graph)
        (levels,) = rows.filled(engine, searches, nodes, origin, settings)
        delivered: NDArray[np.int32] = devices.deliver(levels, origin)
    return delivered


def shortest_paths(
    A: Adjacency,
    sources: ArrayLike,
    *,
    directed: bool = True,
    weighted: bool = False,
    **run: Unpack[SearchOptions],
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Shortest paths from each source to every node: how long, and by which last edge.

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
        Take the stored values for lengths, those of repeated entries summed; else every edge has
        length 1.
    **run
        Run options, as in `bfs`.

    Returns
    -------
    distances : ndarray, shape (k, n), dtype float64
        Entry [i, v] is the length of a shortest path from ``sources[i]`` to v, inf where there is
        none.
    predecessors : ndarray, shape (k, n), dtype int32
        Entry [i, v] is the node before v on one such path, -9999 for the source itself and where
        there is no path. Without `weighted`, and on a GPU, it is the one with the smallest number,
        nearer nodes before others where a length is so small that rounding swallows it.

        Both are CuPy arrays on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        As `bfs`; if `weighted` is not a bool, or A is a tuple and ``weighted=True``.
    ValueError
        As `bfs`; with `weighted`, if a length is zero, below 1e-300 or so long that sums may leave
        the range of floats.
    RuntimeError, MemoryError, concurrent.futures.BrokenExecutor
        As `bfs`.

    See Also
    --------
    bfs : Distances without `weighted`, as whole numbers.
    scipy.sparse.csgraph.shortest_path : The same conventions.

    Notes
    -----
    Without `weighted`, searches as in `bfs`, then a look at the edges into each node; with it,
    Dijkstra's algorithm, source by source, at worst O(k * edges * log(edges)). A GPU relaxes the
    edges of 1024 sources at a time, near nodes before far ones [1]_, until no distance falls: at
    worst O(k * n * edges), in practice a few times k * edges. Distances are the same to the last
    bit. Memory is 12 k n bytes for the results and 292 bytes a node and worker; on a GPU up to 24
    bytes more a node and each of 1024 sources.

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
    check_flags(directed=directed, weighted=weighted)
    settings, origin = options.parse(run, SearchOptions), devices.home(A)
    engine = devices.select(settings.device, origin)
    how: Any = {"ops_for": engine.ops_for, "workers": settings.threads}
    with engine.here(), settings:
        if weighted:
            lengths = read_weights.read(A, settings.threads)
            nodes = listed("sources", sources, lengths.shape[0])
            searches = rows.paths_along(engine, lengths, bool(directed), nodes.size)
        else:
            graph = canonical(A, directed=bool(directed), **how)
            nodes = listed("sources", sources, graph.n)
            searches = rows.paths(engine, graph)
        distances, predecessors = rows.filled(engine, searches, nodes, origin, settings)
        return devices.deliver(distances, origin), devices.deliver(predecessors, origin)


def connected_components(
    A: Adjacency,
    *,
    directed: bool = True,
    connection: Literal["weak", "strong"] = "weak",
    device: str | None = None,
) -> tuple[int, NDArray[np.int32]]:
    """Components: the sets of nodes that paths join.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions; weak and strong
        components are the same then.
    connection : {"weak", "strong"}
        Nodes of a strong component reach each other along the edges; in a weak one, directions do
        not count.
    device : {None, "cpu", "cuda", "cuda:1", ...}
        Where to search. None takes the device of a CuPy matrix, and for others the first GPU that
        CuPy sees, or the CPU where there is none.

    Returns
    -------
    count : int
        Number of components.
    labels : ndarray, shape (n,), dtype int32
        Component of each node, 0..count - 1, numbered as the `scipy.sparse.csgraph` that is
        installed does on sorted rows; a CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If A is no sparse matrix or tuple, or does not hold real numbers; if `directed` is not a
        bool, or `device` is not a string.
    ValueError
        If A is not square or is malformed (see `betweenness`), or `connection` is neither of the
        two.
    RuntimeError
        If `device` names a GPU that is not there.
    MemoryError
        If the device has not the memory for the graph and a group of sources.

    See Also
    --------
    scipy.sparse.csgraph.connected_components : The same conventions.

    Notes
    -----
    On the CPU SciPy's: O(n + edges) in time and memory. On a GPU the two ends of every edge are
    joined for weak components. For strong ones, nodes on no cycle are peeled off, the component of
    the busiest node is where it leads and what leads to it, and the others are found by colours
    [1]_: O(edges) for each step of the longest search. SciPy numbers strong components as a
    depth-first search completes them, which the host then does; that takes longer than to find
    them.

    References
    ----------
    .. [1] G. M. Slota, S. Rajamanickam and K. Madduri, "BFS and coloring-based parallel algorithms
       for strongly connected components and related problems", IPDPS 2014, 550-559,
       doi:10.1109/IPDPS.2014.64

    Examples
    --------
    >>> import scipy.sparse
    >>> from sparsebc import connected_components
    >>> A = scipy.sparse.csr_array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    >>> connected_components(A)
    (2, array([0, 0, 0, 1], dtype=int32))
    >>> connected_components(A, connection="strong")
    (3, array([1, 1, 0, 2], dtype=int32))
    """
    if connection not in ("weak", "strong"):
        raise InputError(f"connection must be 'weak' or 'strong', got {connection!r}")
    check_flags(directed=directed)
    if isinstance(device, (list, tuple)):
        raise InputTypeError(
            f"device must be a string or None, got {device!r}: such a search runs on one device, "
            "name it by a string"
        )
    origin = devices.home(A)
    engine = devices.select(device, origin)
    with engine.here():
        graph = canonical(A, directed=bool(directed), ops_for=engine.ops_for)
        count, labels = engine.components(graph, bool(directed) and connection == "strong")
        return count, devices.deliver(labels, origin)
