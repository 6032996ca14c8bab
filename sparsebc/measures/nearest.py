"""Nearest places: the distance of every node to the k-th nearest of each kind."""

from __future__ import annotations

from contextlib import closing
from typing import Any, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.common.base import Sweep, Task, kernel_for
from ..matrix.network import names_of
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.options import SearchOptions
from ..sweep.plan import Need
from ..sweep.progress import counting
from ..sweep.window import in_order
from . import pair_weights
from .arguments import check_choice, check_int
from .distance_measures import Direction
from .query import reading


def nearest(
    A: Adjacency,
    places: ArrayLike,
    k: int = 1,
    *,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "out",
    **run: Unpack[SearchOptions],
) -> NDArray[np.float64]:
    """Distance from every node to the k-th nearest place of each kind.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    places : array_like of bool or numbers, shape (n,) or (n, q)
        Which nodes are places: those of True, or of a number above 0, as in the W of
        `accessibility`; or a column for each of q kinds. A node is one place, whatever the number.
    k : int, default 1
        Rank of the place by its distance, 1 for the nearest.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive, as in `betweenness`.
    direction : {"out", "in"}
        Distances from the node to the places, or from the places to the node, as from a fire
        station.
    **run
        Run options of `sparsebc.SearchOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor`` and ``retries``.

    Returns
    -------
    ndarray, shape (n,) or (n, q), dtype float64
        Distance in edges or by length, 0 at a place with ``k=1``, and inf where fewer than k places
        are reached. A CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If A is no matrix or tuple, a tuple with `weighted`, or holds no real numbers; if `places`
        holds anything but bools and numbers; if `k` is no int; if `directed` or `weighted` is not a
        bool; if an option is of the wrong type.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `places` has another shape, or a
        number below 0, above 1e100 or NaN; if `k` is below 1; if `direction` is neither of the two;
        if ``workers`` or ``memory_budget`` is less than 1, or ``retries`` less than 0. With
        `weighted`, if a length is zero, below 1e-300 or so long that sums may leave the range of
        floats.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If ``memory_budget`` has no room for the graph and a search.
    concurrent.futures.BrokenExecutor
        If an ``executor`` breaks, as in `bfs`.

    See Also
    --------
    accessibility : The number of places within a distance, or sums of a function of the distance.
    shortest_paths : Distances from given nodes to all.

    Notes
    -----
    One search for each kind, from all its places at once, by Dijkstra's algorithm with k labels a
    node [1]_: O(k * edges * log(k * edges)), and O(k * k * edges) to keep the labels in order. Each
    worker searches for one kind at a time, with 12 k + 16 bytes a node and 16 k an arc, 8 more
    without `weighted`. The CPU searches also if ``device`` is a GPU.

    References
    ----------
    .. [1] M. Erwig, "The graph Voronoi diagram with applications", Networks 36, 156-163 (2000),
       doi:10.1002/1097-0037(200010)36:3<156::AID-NET2>3.0.CO;2-L

    Examples
    --------
    A street of four nodes with schools at both ends:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import nearest
    >>> A = scipy.sparse.csr_array(np.diag([100.0, 100.0, 100.0], k=1))
    >>> schools = [True, False, False, True]
    >>> nearest(A, schools, directed=False, weighted=True)
    array([  0., 100., 100.,   0.])
    >>> nearest(A, schools, 2, directed=False, weighted=True)
    array([300., 200., 200., 300.])
    """
    check_choice("direction", direction, get_args(Direction))
    k = check_int("k", k)
    settings = options.parse(run, SearchOptions)
    how: Any = {"flags": {"directed": directed}, "counts_paths": False}
    asked = reading(A, settings, weighted=weighted, **how)
    with asked as (engine, query):
        graph = query.graph if direction == "in" else query.graph.reverse()
        given = pair_weights.of_kinds("places", places, graph.n, names_of(A))
        columns = given if given.ndim == 2 else given[:, np.newaxis]
        kinds = [np.flatnonzero(kind).astype(np.int32) for kind in columns.T]
        distances = np.full((graph.n, len(kinds)), np.inf)
        enough = [column for column, kind in enumerate(kinds) if kind.size >= k]
        if enough:
            kernel = kernel_for(engine, Task("nearest", graph))
            sweep = Sweep(kernel.name, k)
            what = f"one search for the nearest of {k} places on {graph.n} nodes"
            least = kernel.least_bytes(graph, sweep)
            rows = in_order(
                devices.engine_of(engine, kernel),
                [kinds[column] for column in enough],
                sweep.state,
                _nearest,
                graph=graph,
                need=Need("nearest places", what, 2 * graph.nbytes, least, 16 * graph.n),
                run=settings,
            )
            with counting(settings.progress, len(enough)) as advance, closing(rows):
                for column, row in zip(enough, rows, strict=True):
                    distances[:, column] = row * graph.unit
                    advance(1)
        delivered: NDArray[np.float64] = devices.deliver(
            distances.reshape(given.shape), devices.home(A)
        )
        return delivered


def _nearest(state: Any, places: NDArray[np.int32]) -> NDArray[np.float64]:
    distances: NDArray[np.float64] = state.nearest(places)
    return distances
