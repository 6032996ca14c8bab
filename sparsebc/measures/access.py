"""Places: sums over those that a node reaches, and the distances of the nearest."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Any, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_choice, check_int
from ..engines import devices
from ..engines.common.base import Sweep, Task, kernel_for
from ..engines.common.decay import Decay
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.in_order import by_name, in_order
from ..sweep.options import DistanceOptions, SearchOptions
from ..sweep.plan import Need
from ..sweep.progress import counting
from . import weights as weights_of
from .distance_sums import accumulate_access
from .distances import Direction
from .reading import delivered, reading


def accessibility(
    A: Adjacency,
    W: ArrayLike | None = None,
    *,
    decay: Any = None,
    cutoff: ArrayLike | None = None,
    directed: bool = True,
    weighted: bool = False,
    direction: Direction = "out",
    **run: Unpack[DistanceOptions],
) -> NDArray[np.float64]:
    r"""Accessibility of every node: the sum over the places that it reaches, weighted by distance.

    With a cutoff and no decay, scores are the cumulative opportunities of transport planning [1]_;
    with a decay, its gravity measure [2]_.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    W : array_like of bool or numbers, shape (n,) or (n, q), optional
        Places at each node, such as jobs, shops or seats, in 0..1e100; or a column for each of q
        kinds of places, which share all searches. 1 at each node by default. The index of a pandas
        Series or DataFrame is the names of a `sparsebc.io.Network`, or 0..n - 1 in order.
    decay : tuple (str, number) or tuple (distances, weights), optional
        Weight f(d) of a place at distance d: ("exponential", beta), f = exp(-beta d); ("linear",
        range), f = max(0, 1 - d / range); ("power", exponent), f = d**-exponent; ("gaussian",
        scale), f = exp(-d**2 / (2 scale**2)); or the knots of a piecewise linear function, two
        arrays of shape (m,), distances ascending: the first weight before the first distance, 0
        beyond the last. f below 1e-150 counts as 0. By default f = 1.
    cutoff : number or array_like of numbers, shape (c,), optional
        Largest distance of a place that counts, in edges or, with `weighted`, by length.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `closeness`, and measures distances by them.
    direction : {"out", "in"}
        Distances from the node to the places, or from the places to the node.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), (n, q), (n, c) or (n, q, c), dtype float64
        Sum of each node, for each kind if W has columns, within each cutoff of a list. A CuPy
        array on the device of A if A is a CuPy matrix, else in the memory of the host.

    Raises
    ------
    TypeError
        As `betweenness` for A and run options; if `W` or `cutoff` holds anything but numbers; if
        `decay` is neither (str, number) nor two arrays of numbers; if `directed` or `weighted` is
        not a bool.
    ValueError
        As `betweenness` for A, `cutoff`, `decay`, run options and, with `weighted`, values that are
        no lengths; if `W` has another shape, or a number below 0, above 1e100 or NaN; if
        `direction` is neither of the two.
    RuntimeError
        If ``device`` names a GPU that is not there, or ``executor`` fails as in `betweenness`.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources; the
        message says how many bytes would do.

    See Also
    --------
    nearest : Distance of the k-th nearest place.
    harmonic, closeness : With weights of the other nodes, without the node itself.

    Notes
    -----
    With d(i, j) the distance from node i to node j, and the places of node i itself at d = 0,

    .. math:: a_k(i) = \sum_{j \colon d(i, j) \le c} W_{jk} f(d(i, j))

    A power is 0 at d = 0: the places of the node itself do not count. Sources of the searches are
    the nodes with places, along reversed edges if `direction` is "out". Each search sums all kinds
    within all cutoffs, so q kinds take little longer than one. It ends at the largest cutoff, and
    at the end of a linear decay or of the arrays.

    Cost is that of `closeness` from as many sources, but by edges at most 64 clustered sources
    share a search. Memory is 56 bytes a node and worker, with `weighted` that of `closeness`, and
    16 a node, kind and cutoff. By edges the CPU searches also where ``device`` is a GPU. Of the
    reductions only "prune" is used. Scores are the same to the last bit for any `workers` and
    `memory_budget`.

    References
    ----------
    .. [1] M. Wachs and T. G. Kumagai, "Physical accessibility as a social indicator",
       Socio-Economic Planning Sciences 7, 437-456 (1973), doi:10.1016/0038-0121(73)90041-4
    .. [2] W. G. Hansen, "How accessibility shapes land use", Journal of the American Institute of
       Planners 25, 73-76 (1959), doi:10.1080/01944365908978307

    Examples
    --------
    A street of four nodes 100 m apart, with 10 jobs at one end and 40 at the other:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import accessibility
    >>> A = scipy.sparse.csr_array(np.diag([100.0, 100.0, 100.0], k=1))
    >>> jobs = [10, 0, 0, 40]
    >>> street = {"directed": False, "weighted": True}
    >>> accessibility(A, jobs, cutoff=[100, 200, 300], **street)
    array([[10., 10., 50.],
           [10., 50., 50.],
           [40., 50., 50.],
           [40., 40., 50.]])
    >>> accessibility(A, jobs, decay=("linear", 400), **street)
    array([20. , 27.5, 35. , 42.5])
    """
    check_choice("direction", direction, get_args(Direction))
    settings = options.parse(run, DistanceOptions)
    asked: Any = {"weighted": weighted, "decay": decay, "cutoff": cutoff, "counts_paths": False}
    with reading(A, settings, flags={"directed": directed}, **asked) as (engine, query):
        graph = query.graph
        function = query.seeds.decay if query.seeds else Decay()
        weights = weights_of.of_kinds("W", W, graph.n, query.names)
        kinds = weights if weights.ndim == 2 else weights[:, np.newaxis]
        sums = accumulate_access(engine, query, kinds, (function,), direction, settings)
        own = graph.ops.asarray(kinds * function.of(0))
        rows = [(row[:, 0] + own).reshape(weights.shape) for row in sums]
        found: NDArray[np.float64] = delivered(rows, query)
        return found


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
        Which nodes are places: nodes whose entry is True or positive, or a column for each of q
        kinds. A node is one place, whatever the number.
    k : int, default 1
        Rank of the place by its distance, 1 for the nearest.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `closeness`.
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
        If A is not a matrix of real numbers or a tuple, or is a tuple with `weighted`; if another
        argument has the wrong type.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `places` has another shape, or a
        number below 0, above 1e100 or NaN; if `k` is below 1; if `direction` is neither of the two;
        if ``workers`` or ``memory_budget`` is less than 1, or ``retries`` less than 0. With
        `weighted`, if a value is not a length, as in `shortest_paths`.
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
        given = weights_of.of_kinds("places", places, graph.n, query.names)
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
                partial(by_name, "nearest"),
                graph=graph,
                need=Need("nearest places", what, 2 * graph.nbytes, least, 16 * graph.n),
                run=settings,
            )
            with counting(settings.progress, len(enough)) as advance, closing(rows):
                for column, row in zip(enough, rows, strict=True):
                    distances[:, column] = row * graph.unit
                    advance(1)
        found: NDArray[np.float64] = devices.deliver(distances.reshape(given.shape), query.origin)
        return found
