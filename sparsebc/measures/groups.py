"""Betweenness of groups of nodes, and a greedy search for a group of high betweenness."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import as_mask, check_int, listed
from ..engines.common.base import Engine
from ..engines.common.sums import NodeSets
from ..errors import InputError, InputTypeError
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..reduce import reduce
from ..sweep import options
from ..sweep.options import GroupOptions, SearchOptions
from ..sweep.progress import reporting
from ..sweep.sum_by_range import accumulate, prepared, sum_blocks
from .reading import reading


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
        If `groups` is not a list of lists of ints (for example, a single group); as `betweenness`
        does.
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
    how: Any = {"measures": ("group_betweenness",), "weighted": weighted, "tie_rtol": tie_rtol}
    with reading(A, settings, flags=flags, **how) as (engine, query):
        graph = query.graph
        member = _members(groups, graph.n)
        inside = np.count_nonzero(member, axis=0)
        counted = graph.n - (np.zeros_like(inside) if endpoints else inside)
        if normalized and counted.min() < 2:
            at = int(counted.argmin())
            raise InputError(
                f"groups[{at}] leaves {counted[at]} of {graph.n} nodes, and no pair to divide by: "
                "leave out nodes, or use normalized=False",
                "groups",
            )
        query = query._replace(node_sets=NodeSets(member, query.endpoints))
        raw = accumulate(engine, query, settings)["group_betweenness"]
    return scaled(raw, counted, directed=directed, normalized=normalized)


def _members(groups: Any, n: int) -> NDArray[np.uint8]:
    """Mask of the nodes of each group, shape (n, groups)."""
    given = None
    if not isinstance(groups, str):
        with suppress(TypeError):  # of what has no length, as iterators, which may have no end
            given = list(groups) if len(groups) else []
    if given is None:
        raise InputTypeError(f"groups must be a list of lists of nodes, got {groups!r:.60}")
    if not given:
        raise InputError("groups is empty: list at least one group", "groups")
    member = np.zeros((n, len(given)), dtype=np.uint8)
    for i, group in enumerate(given):
        if isinstance(group, (int, np.integer)):
            raise InputTypeError(
                f"groups[{i}] is {group}, not a list of nodes: for one group use [group]"
            )
        nodes = list(group) if isinstance(group, (set, frozenset)) else group
        member[listed(f"groups[{i}]", nodes, n, repeats=False), i] = 1
    return member


def scaled(
    raw: NDArray[np.float64], counted: NDArray[np.int64], *, directed: bool, normalized: bool
) -> NDArray[np.float64]:
    """Scores from sums over the ordered pairs of so many ``counted`` nodes."""
    if normalized:
        return raw / (counted * (counted - 1.0))
    return raw / (1 if directed else 2)


# Relative tolerance of ties with the largest gain; the node of least index is chosen.
TIED = 1e-9


class ProminentGroup(NamedTuple):
    """A group of high betweenness, as `prominent_group` finds it.

    Attributes
    ----------
    nodes : ndarray, shape (size,), dtype int64
        The group, in the order in which its nodes were chosen.
    scores : ndarray, shape (size,), dtype float64
        ``scores[i]`` is the betweenness of the first i + 1 of them, endpoints counted.
    bound : float
        No group of this size among the candidates has a higher score. The group found has at
        least the share ``scores[-1] / bound`` of the best score, and that is at least 1 - 1/e.
    """

    nodes: NDArray[np.int64]
    scores: NDArray[np.float64]
    bound: float


def prominent_group(
    A: Adjacency,
    size: int,
    *,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    candidates: ArrayLike | None = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[SearchOptions],
) -> ProminentGroup:
    r"""Find a group of nodes of high betweenness, one node after the other.

    Each node is the one that increases the `group_betweenness` of the group most, with
    ``endpoints=True``. In a strongly connected graph that is also the order without endpoints,
    since all groups of one size have equally many pairs with an end in the group.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    size : int
        Number of nodes of the group, from 1 to the number of candidates.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    normalized : bool, default True
        Divide scores and bound by n (n - 1), all ordered pairs; else they are sums over pairs, each
        unordered pair counted once if ``directed=False``.
    candidates : array_like of int, shape (m,), optional
        Nodes to choose from, each given once; by default every node.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.SearchOptions`; ``progress`` counts the sources of all rounds.

    Returns
    -------
    ProminentGroup
        With fields ``nodes``, ``scores`` and ``bound``, in host memory.

    Raises
    ------
    TypeError
        If `size` is not an int, or `candidates` holds anything but ints; as `group_betweenness`.
    ValueError
        If `size` is out of its range; if `candidates` is empty, repeats a node or names one outside
        0..n - 1; as `group_betweenness`.
    RuntimeError, MemoryError, OverflowError, concurrent.futures.BrokenExecutor
        As in `group_betweenness`.

    See Also
    --------
    group_betweenness : The scores of given groups.

    Notes
    -----
    With ``endpoints=True`` the betweenness of a group is a monotone and submodular function of the
    group [1]_: the gain of a node never increases as the group grows. So this greedy group scores
    at least 1 - 1/e = 0.63 of the best one of candidates [2]_. ``bound``, of the graph at hand, is
    mostly much nearer: no group scores more than the group before a round and the `size` largest
    gains of the round.

    A round is one traversal of O(n edges): from each source outside of the group a search, the
    share of the paths that avoid the group forward, and its gains backward; `size` rounds in all.
    Memory is that of `group_betweenness` of one group; a GPU prepares the graph, and the CPU sweeps
    it. An ``executor`` gets the graph once for all rounds, and a task sends back 8 bytes a node.
    Gains that agree to one part in 10**9 tie; the node of least index is chosen.

    References
    ----------
    .. [1] R. Puzis, Y. Elovici and S. Dolev, "Finding the most prominent group in complex
       networks", AI Communications 20, 287-296 (2007)
    .. [2] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher, "An analysis of approximations for
       maximizing submodular set functions", Mathematical Programming 14, 265-294 (1978),
       doi:10.1007/BF01588971

    Examples
    --------
    On the path 0 - 1 - ... - 6 node 3 has the largest gain, then nodes 1 and 5 have equal ones:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import prominent_group
    >>> A = scipy.sparse.csr_array(np.eye(7, k=1))
    >>> found = prominent_group(A, 2, directed=False, normalized=False)
    >>> found.nodes, found.scores
    (array([3, 1]), array([15., 18.]))
    >>> found.bound
    21.0
    """
    settings = options.parse(run, SearchOptions)
    flags = {"directed": directed, "normalized": normalized, "endpoints": True}
    how: Any = {"measures": ("prominent_group",), "weighted": weighted, "tie_rtol": tie_rtol}
    with reading(A, settings, flags=flags, **how) as (engine, query):
        graph = query.graph
        allowed = as_mask("candidates", candidates, graph.n)
        most = int(np.count_nonzero(allowed))
        size = check_int("size", size, most, f"{most}, the candidates")
        chosen, nodes, sums, bounds = np.zeros(graph.n, dtype=bool), [], [0.0], []
        empty = NodeSets(np.zeros(graph.n, dtype=np.uint8), True)
        problem = prepared(engine, query._replace(node_sets=empty), settings)[0]
        each = problem.sources.size
        with reporting(settings.progress, size * each) as report:
            for step in range(size):
                before, remark = step * each, f"step {step + 1} of {size}"

                def progress(done: int, _: int, before: int = before, remark: str = remark) -> None:
                    report(before + done, size * each, remark)

                gains = _gains(engine, problem, chosen, replace(settings, progress=progress))
                gains = np.where(allowed & ~chosen, gains, -1.0)
                best = int(np.flatnonzero(gains >= (1 - TIED) * gains.max())[0])
                largest = np.sort(gains)[-size:].clip(0)
                bounds.append(sums[-1] + float(largest.sum()))
                nodes.append(best)
                sums.append(sums[-1] + float(gains[best]))
                chosen[best] = True
            report(size * each, size * each, "")
    # Rounding aside, no bound is below the betweenness of the group.
    raw = np.array([*sums[1:], max(min(bounds), sums[-1])])
    counted = np.full(raw.size, max(graph.n, 2))
    scores = scaled(raw, counted, directed=directed, normalized=normalized)
    return ProminentGroup(np.array(nodes), scores[:-1], float(scores[-1]))


def _gains(
    engine: Engine, problem: reduce.Problem, chosen: NDArray[np.bool_], run: options.Run
) -> NDArray[np.float64]:
    """Gain of each node: pairs that it would add to a group, from the sources outside of it."""
    inside = chosen[problem.graph.ops.on_host(problem.nodes)]
    outside = ~inside[problem.sources]
    left = replace(
        problem,
        sources=problem.sources[outside],
        alpha=problem.alpha[outside],
        node_sets=NodeSets(inside.astype(np.uint8), True),
    )
    return problem.expand(sum_blocks(engine, left, run)["dependency"])
