"""Searches from many sources, whose rows are the result, and components."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_choice, check_flags
from ..engines import devices
from ..errors import InputTypeError
from ..matrix.read_matrix import Adjacency, canonical
from ..sweep.options import SearchOptions, parse
from .rows import from_nearest, rows_of


def bfs(
    A: Adjacency,
    sources: ArrayLike | None = None,
    *,
    directed: bool = True,
    targets: ArrayLike | None = None,
    cutoff: float | None = None,
    min_only: bool = False,
    **run: Unpack[SearchOptions],
) -> NDArray[np.int32]:
    """Number of edges on a shortest path from each source to every node, by breadth-first search.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    sources : int, array_like of int, shape (k,), or of bool, shape (n,), optional
        Sources: nodes, or a mask; a node may occur more than once. By default all nodes.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    targets : array_like as `sources`, shape (m,), optional
        Nodes whose columns are returned, in this order. By default all nodes.
    cutoff : number, optional
        Largest distance, compared exactly, as SciPy's ``limit``; nodes beyond it are not reached.
    min_only : bool, default False
        Return one row, the distance of each node from its nearest source. One search on a CPU
        finds it.
    **run
        Run options: device, workers, memory, progress, executor; see `sparsebc.SearchOptions`.
        ``memory_budget`` does not include the result.

    Returns
    -------
    ndarray, shape (k, n), dtype int32
        Entry [i, v] is the number of edges on a shortest path from ``sources[i]`` to v, -1 if v is
        not reached. `targets` make the shape (k, m); a single int as `sources` returns its row
        alone. A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        If A is not a matrix of real numbers, `sources` or `targets` is a mask of another size, or
        another argument has the wrong type.
    ValueError
        As `betweenness` for A and run options; if `sources` or `targets` is empty, not
        one-dimensional or names a node outside 0..n - 1; if `cutoff` is negative; if ``device``
        lists several GPUs beside an ``executor``.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources.
    concurrent.futures.BrokenExecutor
        If an ``executor`` breaks; if a function makes it, only after it lost the same sources more
        than ``retries`` times.

    See Also
    --------
    shortest_paths : Distances and predecessors, also by length.
    scipy.sparse.csgraph.breadth_first_order : One source.

    Notes
    -----
    64 sources (1024 on a GPU) share a search [1]_, at a cost near O(edges); on a high-diameter
    graph each source costs that. Memory is 4 k n bytes for the result, and 56 bytes a node and
    worker, or 290 on a GPU. Processes of an ``executor`` send rows back, which takes longer than
    the search: on one machine threads are faster.

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
    levels: NDArray[Any]
    wanted: Any = {"targets": targets, "cutoff": cutoff, "directed": directed}
    settings = parse(run, SearchOptions)
    check_flags(min_only=min_only)
    if min_only:
        levels = from_nearest(A, sources, settings, **wanted)[0]
        levels[levels == np.inf] = -1
        levels = levels.astype(np.int32)
    else:
        (levels,) = rows_of("levels", A, sources, settings, **wanted)
    return levels


def shortest_paths(
    A: Adjacency,
    sources: ArrayLike | None = None,
    *,
    directed: bool = True,
    weighted: bool = False,
    targets: ArrayLike | None = None,
    cutoff: float | None = None,
    min_only: bool = False,
    **run: Unpack[SearchOptions],
) -> tuple[NDArray[Any], ...]:
    """Shortest paths from each source to every node: distances and predecessors.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`; a tuple only without `weighted`.
    sources : int, array_like of int, shape (k,), or of bool, shape (n,), optional
        Where the paths start: nodes, or a mask; a node may occur more than once. By default all
        nodes.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, the shorter if both
        are stored.
    weighted : bool, default False
        True takes the stored values for lengths, which must not be negative; repeated entries are
        summed. By default every edge has length 1.
    targets : array_like as `sources`, shape (m,), optional
        Nodes whose columns are returned, in this order. By default all nodes.
    cutoff : number, optional
        Largest distance, as in `bfs`.
    min_only : bool, default False
        Return one row each: distance and predecessor from the nearest source, and that source. One
        search on a CPU finds them.
    **run
        Run options, as in `bfs`.

    Returns
    -------
    distances : ndarray, shape (k, n), dtype float64
        Entry [i, v] is the length of a shortest path from ``sources[i]`` to v, inf without a path.
    predecessors : ndarray, shape (k, n), dtype int32
        Entry [i, v] is the node before v on a shortest path, -9999 for the source itself and
        without a path. Without `weighted`, and on a GPU, it is the lowest of several such nodes.

        Both have the shapes and the device of the result of `bfs`.
    nearest : ndarray, shape (n,), dtype int32
        Only with `min_only`: the nearest source of each node, -9999 without a path.

    Raises
    ------
    TypeError
        As `bfs`; if `weighted` is not a bool, or A is a tuple and ``weighted=True``.
    ValueError
        As `bfs`; with `weighted`, if a length is negative, between 0 and 1e-300, or so long that
        sums may leave the range of floats; on a GPU also if a length is 0.
    RuntimeError, MemoryError, concurrent.futures.BrokenExecutor
        As `bfs`.

    See Also
    --------
    bfs : Distances in edges, as integers.
    scipy.sparse.csgraph.shortest_path : The same conventions.

    Notes
    -----
    Without `weighted`, it searches as `bfs`; with it, a CPU runs Dijkstra's algorithm, at worst
    O(k * edges * log(edges)), and a GPU relaxes the edges of nodes that are near in waves [1]_, in
    practice O(k * edges). Distances have the same bits on every device. Memory is 12 k n bytes for
    the results; a worker takes 56 bytes a node, with `weighted` 153 and 64 an arc, a GPU up to
    24 bytes more a node and source of as many as fit, with `weighted` 48 to 168.

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
    wanted: Any = {"targets": targets, "cutoff": cutoff, "directed": directed, "weighted": weighted}
    settings = parse(run, SearchOptions)
    check_flags(min_only=min_only)
    if min_only:
        return tuple(from_nearest(A, sources, settings, **wanted))
    return tuple(rows_of("paths", A, sources, settings, **wanted))


def connected_components(
    A: Adjacency,
    *,
    directed: bool = True,
    connection: Literal["weak", "strong"] = "weak",
    device: str | None = None,
) -> tuple[int, NDArray[np.int32]]:
    """Number of weak or strong components, and the component of every node.

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
        Device of the search. None takes the device of a CuPy matrix, else the first GPU that CuPy
        sees, else the CPU.

    Returns
    -------
    count : int
        Number of components.
    labels : ndarray, shape (n,), dtype int32
        Component of each node, 0..count - 1, numbered as by the installed `scipy.sparse.csgraph` on
        sorted rows. A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        If A is neither a matrix nor a tuple (see `betweenness`), or does not hold real numbers; if
        `directed` is not a bool, or `device` not a string.
    ValueError
        If A is not square or is malformed (see `betweenness`), `connection` is neither of the two,
        or `device` is not a device.
    RuntimeError
        If `device` names a GPU that is not there.
    MemoryError
        If the graph does not fit on the device.

    See Also
    --------
    scipy.sparse.csgraph.connected_components : The same conventions.

    Notes
    -----
    Time and memory are O(n + edges) on the CPU, by breadth-first search for weak and SciPy for
    strong components. A GPU finds weak ones by union-find of the ends of every edge. For strong
    ones it peels off nodes on no cycle, intersects the descendants and the ancestors of the busiest
    node, and colors the rest [1]_: O(edges) for each step of the longest search. Unless there is
    one component, the host then numbers them as SciPy does, by a depth-first search, which takes
    longer.

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
    check_choice("connection", connection, ("weak", "strong"))
    check_flags(directed=directed)
    if isinstance(device, (list, tuple)):
        raise InputTypeError(
            f"device must be a string or None, got {device!r}: such a search runs on one device, "
            "name it by a string"
        )
    origin = devices.home(A)
    engine = devices.select(device, origin)
    with engine.here():
        graph = canonical(A, directed=bool(directed), ops=engine.ops)
        count, labels = engine.components(graph, bool(directed) and connection == "strong")
        return count, devices.deliver(labels, origin)
