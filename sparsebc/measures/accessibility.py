"""Accessibility: the places within reach of every node, weighted by how far they are."""

from __future__ import annotations

from typing import Any, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.common.decay import Decay
from ..graph.network import names_of
from ..graph.read_matrix import Adjacency
from ..run import options
from ..run.options import DistanceOptions
from . import cutoffs, pair_weights
from .arguments import check_choice
from .distance_measures import Direction
from .distance_sums import accumulate_access
from .query import reading


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
    r"""Accessibility of every node: the places that it reaches, weighted by their distances.

    With a cutoff and no decay these are the cumulative opportunities of transport planning [1]_,
    with a decay its gravity measure [2]_.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    W : array_like of numbers, shape (n,) or (n, q), optional
        What there is at each node, as jobs, shops or seats, from 0 on; or a column for each of q
        kinds of places, which share all searches. By default 1 at each node: then nodes are
        counted. A pandas Series or DataFrame is taken by the names of a `sparsebc.io.Network`.
    decay : tuple, optional
        Weight f(d) of a place by its distance d: ("exponential", beta) for exp(-beta d),
        ("linear", range) for max(0, 1 - d / range), ("power", exponent) for d**-exponent,
        ("gaussian", scale) for exp(-d**2 / (2 scale**2)), or any function as two arrays
        (distances, weights): distances ascending, linear in between, the first weight before the
        first distance and 0 beyond the last. By default 1 at any distance.
    cutoff : number or array_like of numbers, shape (c,), optional
        Look only at the places at most so far away, in edges or, with `weighted`, by length.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, all positive, as in `betweenness`, and measures
        distances by them.
    direction : {"out", "in"}
        Distances from the node to the places, or from the places to the node.
    **run
        Run options of `sparsebc.DistanceOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor``, ``retries`` and ``reduce``.

    Returns
    -------
    ndarray, shape (n,), (n, q), (n, c) or (n, q, c), dtype float64
        Sum for each node, for each kind if W has columns, within each cutoff if they are a list.
        A CuPy array on the device of A if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If A is no sparse matrix or tuple, or does not hold real numbers; if `W` or `cutoff` holds
        anything but numbers; if `decay` is no pair of the kinds above; if `directed` or `weighted`
        is not a bool; if an option is of the wrong type.
    ValueError
        If A is not square or is malformed (see `betweenness`); if `W` has another shape, or a
        number below 0, above 1e100 or NaN; if the parameter of `decay` is not above 0 and finite,
        or its arrays are not of one length, ascending and finite; if f exceeds 1e50 at the shortest
        length; if `direction` is neither of the two; if `cutoff` is negative, NaN, empty or of two
        dimensions; if ``workers`` or ``memory_budget`` is less than 1. With `weighted`, as
        `betweenness` does.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a group of places; the
        message says how many bytes would do.

    See Also
    --------
    nearest : Distance of the k-th nearest place.
    harmonic, closeness : With weights of the other nodes, without the node itself.

    Notes
    -----
    With d the distance from node i to node j, the places of j = i at d = 0 included,

    .. math:: a_k(i) = \sum_{j \colon d(i, j) \le c} W_{jk} f(d(i, j))

    The power is 0 at d = 0: it counts no places of the node itself. Searches start at the nodes
    that have places, against the edges, and each adds up all kinds within all cutoffs: q kinds take
    little longer than one, and few places little time. A search ends at the largest cutoff, and
    where a linear decay or the arrays of one end.

    Cost is that of `harmonic` from as many sources; by edges, 64 of them share a search on shallow
    graphs, and by length near ones on deep graphs without a cutoff. Memory is that of `harmonic`,
    and 16 bytes a node, kind, cutoff and worker. Places have weights of their own, so that of the
    reductions only "prune" is used. Scores are the same to the last bit for any `workers` and
    `memory_budget`.

    Trips that spread over all jobs by their distances, a node's trips adding up to its population
    (an origin-constrained gravity model), are those of betweenness with
    ``source_weights=population / (accessibility(A, jobs, decay=f) - jobs * f(0))``,
    ``target_weights=jobs`` and the same decay.

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
    asked = {"weighted": weighted, "decay": decay, "cutoff": cutoff}
    with reading(A, settings, flags={"directed": directed}, **asked) as (engine, query):
        graph = query.graph
        function = query.seeds.decay if query.seeds else Decay()
        given = pair_weights.of_kinds("W", W, graph.n, names_of(A))
        kinds = given if given.ndim == 2 else given[:, np.newaxis]
        found = accumulate_access(engine, query, kinds, (function,), direction, settings)
        own = graph.ops.asarray(kinds * function.of(0))
        rows = [(row[:, 0] + own).reshape(given.shape) for row in found]
        delivered: NDArray[np.float64] = cutoffs.delivered(rows, query.columns, devices.home(A))
        return delivered
