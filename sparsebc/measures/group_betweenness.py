"""Betweenness of groups of nodes: the share of shortest paths that meet a group."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines.common.batch import NodeSets
from ..errors import InputTypeError, OptionError
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.options import GroupOptions
from ..sweep.sweep import accumulate
from .arguments import distinct
from .query import reading


def group_betweenness(
    A: Adjacency,
    groups: Sequence[ArrayLike],
    *,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[GroupOptions],
) -> NDArray[np.float64]:
    r"""Betweenness of groups of nodes: the share of shortest paths that meet a group.

    The betweenness of group C is the sum, over all ordered pairs (s, t) of nodes outside of C where
    a path leads from s to t, of the share of the shortest paths from s to t that have a node of C
    on them [1]_. A path that meets several nodes of the group counts once. Scores equal those of
    ``networkx.group_betweenness_centrality`` from NetworkX 3.7 on.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    groups : sequence of array_like of int, each of shape (c,)
        The c nodes of each group, at least one, each given once; groups may overlap, and be sets.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    normalized : bool, default True
        Divide by (n - c)(n - c - 1) for a group of c nodes, the ordered pairs outside of it, with
        `endpoints` by n (n - 1), all ordered pairs; else scores are sums over pairs, each unordered
        pair counted once if ``directed=False``.
    endpoints : bool, default False
        Count the pairs that begin or end in the group as well, each once.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.GroupOptions`. A ``checkpoint`` keeps sums of 8 bytes a group.

    Returns
    -------
    ndarray, shape (len(groups),), dtype float64
        Score of each group, in the memory of the host.

    Raises
    ------
    TypeError
        If `groups` is no list of lists of ints, such as a single group; as `betweenness` does.
    ValueError
        If `groups` or a group is empty; if a group repeats a node or names one outside 0..n - 1; if
        scores are `normalized` and no pair could count for a group; if ``checkpoint`` holds another
        run, such as one of other groups; as `betweenness` does.
    MemoryError
        If not even one worker fits ``memory_budget``.
    RuntimeError, OverflowError, OSError
        As in `betweenness`.
    concurrent.futures.BrokenExecutor
        If an ``executor`` breaks, as in `bfs`.

    See Also
    --------
    prominent_group : A group of high betweenness.
    betweenness : That of single nodes.

    Notes
    -----
    With :math:`\sigma_{st}(C)` of the :math:`\sigma_{st}` shortest paths from s to t through some
    node of C,

    .. math:: c(C) = \sum_{s \neq t,\ s, t \notin C,\ \sigma_{st} > 0}
              \frac{\sigma_{st}(C)}{\sigma_{st}}

    From each source there is one search, the forward phase of Brandes' algorithm, and a second
    forward phase for the paths to each node that meet a group, of all groups side by side:
    O(n (edges + n + groups * edges)) time, and no n x n matrix, where [2]_ and NetworkX keep three.
    A GPU prepares the graph, and the CPU sweeps it. A worker takes 173 bytes a node, 24 an arc (up
    to 40 without `weighted`) and 8 a node and group; all share a mask of a byte a node and group.
    Results are the same to the last bit for any ``workers``, ``memory_budget`` and ``executor``. A
    task of an executor sends back 8 bytes a group; its process gets the mask once.

    References
    ----------
    .. [1] M. G. Everett and S. P. Borgatti, "The centrality of groups and classes", Journal of
       Mathematical Sociology 23, 181-201 (1999), doi:10.1080/0022250X.1999.9990219
    .. [2] R. Puzis, Y. Elovici and S. Dolev, "Fast algorithm for successive computation of group
       betweenness centrality", Physical Review E 76, 056709 (2007),
       doi:10.1103/PhysRevE.76.056709

    Examples
    --------
    The path 0 - 1 - 2 - 3 - 4. Nodes 1 and 3 separate the three pairs of other nodes: {0, 2},
    {0, 4} and {2, 4}. Nodes 1 and 2 are on the paths from 0 to 3 and to 4.

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import group_betweenness
    >>> A = scipy.sparse.csr_array(np.eye(5, k=1))
    >>> group_betweenness(A, [[1, 3], [1, 2]], directed=False)
    array([1.        , 0.66666667])
    >>> group_betweenness(A, [[1, 3], [1, 2]], directed=False, normalized=False)
    array([3., 2.])
    """
    settings = options.parse(run, GroupOptions)
    flags = {"directed": directed, "normalized": normalized, "endpoints": endpoints}
    asked = reading(A, settings, flags=flags, weighted=weighted, tie_rtol=tie_rtol)
    with asked as (engine, query):
        graph = query.graph
        member = _members(groups, graph.n)
        inside = np.count_nonzero(member, axis=0)
        counted = graph.n - (np.zeros_like(inside) if endpoints else inside)
        if normalized and counted.min() < 2:
            at = int(counted.argmin())
            raise OptionError(
                f"groups[{at}] leaves {counted[at]} of {graph.n} nodes, and no pair to divide by: "
                "leave out nodes, or use normalized=False",
                "groups",
                "normalized=False",
            )
        question = query.question(["group_betweenness"], endpoints)
        question = question._replace(node_sets=NodeSets(member, bool(endpoints)))
        raw = accumulate(engine, question, settings)["group_betweenness"]
    return scaled(raw, counted, directed=directed, normalized=normalized)


def _members(groups: Any, n: int) -> NDArray[np.uint8]:
    """Mask of the nodes of each group, shape (n, groups)."""
    listed = None
    if not isinstance(groups, str):
        with suppress(TypeError):  # of what has no length, as iterators, which may have no end
            listed = list(groups) if len(groups) else []
    if listed is None:
        raise InputTypeError(f"groups must be a list of lists of nodes, got {groups!r:.60}")
    if not listed:
        raise OptionError("groups is empty: list at least one group", "groups")
    member = np.zeros((n, len(listed)), dtype=np.uint8)
    for i, group in enumerate(listed):
        if isinstance(group, (int, np.integer)):
            raise InputTypeError(
                f"groups[{i}] is {group}, not a list of nodes: for one group use [group]"
            )
        nodes = list(group) if isinstance(group, (set, frozenset)) else group
        member[distinct(f"groups[{i}]", nodes, n), i] = 1
    return member


def scaled(
    raw: NDArray[np.float64], counted: NDArray[np.int64], *, directed: bool, normalized: bool
) -> NDArray[np.float64]:
    """Scores from sums over the ordered pairs of so many ``counted`` nodes."""
    if normalized:
        return raw / (counted * (counted - 1.0))
    return raw / (1 if directed else 2)
