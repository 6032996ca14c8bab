"""Groups of nodes: the share of shortest paths that meet one, and a group that meets many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.base import Engine
from ..engines.batch import NodeSets
from ..errors import InputTypeError, OptionError
from ..graph.edge_weights import TIE_RTOL
from ..graph.graph import Graph
from ..graph.read_matrix import Adjacency
from ..reduce import reduce
from ..run import options
from ..run.fingerprint import Question
from ..run.options import GroupOptions, SearchOptions
from ..run.progress import reporting
from ..run.sweep import accumulate, prepared, sum_blocks
from .arguments import as_mask, is_int, listed
from .query import validate

# Gains that agree to this share of the largest tie; the node of the least number is chosen.
TIED = 1e-9


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
    groups : sequence of array_like of int
        The nodes of each group, at least one, each given once; groups may overlap.
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
    tie_rtol : float, default 1e-10
        As in `betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.GroupOptions`. A ``checkpoint`` keeps a number for each group.

    Returns
    -------
    ndarray, shape (len(groups),), dtype float64
        Score of each group, in the memory of the host.

    Raises
    ------
    TypeError
        If a group is no list of ints, as where `groups` is one group; as `betweenness` does.
    ValueError
        If `groups` is empty; if a group is, repeats a node or names one outside 0..n - 1; if
        `normalized` and a group leaves fewer than two nodes to divide by; if ``checkpoint`` holds
        another run, as one of other groups; as `betweenness` does.
    MemoryError
        If not even one worker fits `memory_budget`: shares take 9 bytes a node, group and worker on
        the CPU, and 10 a node and group on a GPU.
    RuntimeError, OverflowError, OSError, concurrent.futures.BrokenExecutor
        As in `betweenness`.

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

    From each source one search and the forward product of Brandes' algorithm, and one forward
    product more for the paths to each node that meet the group, of all groups side by side, or on a
    GPU of one after the other: O(n (edges + n + groups * edges)) time, and no n x n matrix, where
    [2]_ and NetworkX keep three.
    Memory on the CPU is that of `betweenness` by length, and 9 bytes a node and group for each
    worker; on a GPU that of `betweenness`, with two numbers for each node and source in flight in
    place of one, and 10 bytes a node and group. Results are the same to the last bit for any
    ``workers``, ``memory_budget`` and ``executor``. A task of an executor sends back 8 bytes a
    group; its process gets the groups once, a byte a node and group.

    References
    ----------
    .. [1] M. G. Everett and S. P. Borgatti, "The centrality of groups and classes", Journal of
       Mathematical Sociology 23, 181-201 (1999), doi:10.1080/0022250X.1999.9990219
    .. [2] R. Puzis, Y. Elovici and S. Dolev, "Fast algorithm for successive computation of group
       betweenness centrality", Physical Review E 76, 056709 (2007),
       doi:10.1103/PhysRevE.76.056709

    Examples
    --------
    The path 0 - 1 - 2 - 3 - 4. Nodes 1 and 3 cut all that is left of it: the pairs {0, 2}, {0, 4}
    and {2, 4}. Nodes 1 and 2 are on one way from 0 to 3 and 4.

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
    with settings, _engine(A, settings) as engine:
        flags = {"directed": directed, "normalized": normalized, "endpoints": endpoints}
        graph = _read(A, engine, flags, weighted, tie_rtol, settings)
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
        everyone = np.ones(graph.n, dtype=bool)
        raw = accumulate(
            engine,
            graph,
            everyone,
            everyone,
            measures=["group_betweenness"],
            endpoints=endpoints,
            node_sets=NodeSets(member, bool(endpoints)),
            run=settings,
        )["group_betweenness"]
    return _scaled(raw, counted, directed=directed, normalized=normalized)


class ProminentGroup(NamedTuple):
    """A group of high betweenness, as `prominent_group` finds it.

    Attributes
    ----------
    nodes : ndarray, shape (size,), dtype int64
        The group, in the order in which its nodes were chosen.
    scores : ndarray, shape (size,), dtype float64
        ``scores[i]`` is the betweenness of the first i + 1 of them, their ends counted.
    bound : float
        No group of this size scores higher. ``scores[-1] / bound`` is what is proved of the group
        at hand; of any it is 1 - 1/e = 0.63 at least.
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
    r"""Find a group of nodes that meets many shortest paths, one node after the other.

    Each is the one that adds most pairs to those whose shortest paths meet the group, their ends
    counted: ``endpoints=True`` of `group_betweenness`. In a connected graph that is the order of
    the scores without their ends too, for all groups of one size have as many pairs at their ends.

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
        Choose among these nodes, each given once; by default among all.
    tie_rtol : float, default 1e-10
        As in `betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.SearchOptions`; ``progress`` counts the sources of all rounds.

    Returns
    -------
    ProminentGroup
        With fields ``nodes``, ``scores`` and ``bound``.

    Raises
    ------
    TypeError
        If `size` is not an int; as `group_betweenness` does.
    ValueError
        If `size` is out of its range; if `candidates` is empty, repeats a node or names one outside
        0..n - 1; as `group_betweenness` does.
    RuntimeError, MemoryError, OverflowError, concurrent.futures.BrokenExecutor
        As in `group_betweenness`.

    See Also
    --------
    group_betweenness : The scores of given groups.

    Notes
    -----
    The pairs that a group meets are a monotone and submodular function of the group [1]_: what a
    node adds never grows with the group. So this greedy group scores at least 1 - 1/e = 0.63 of
    what the best of its size does [2]_. ``bound`` is of the graph at hand, and mostly much nearer:
    from any group on the way, no other can have more than its pairs and the `size` largest gains.

    A round is one traversal: from each source outside of the group a search, the share of the paths
    that avoid the group forward, and what these gain backward, O(n edges); `size` rounds in all. An
    ``executor`` gets the graph once for all of them, and a task sends back 8 bytes a node.
    Gains that agree to one part in 10**9 tie, and the node of the least number is chosen.

    References
    ----------
    .. [1] R. Puzis, Y. Elovici and S. Dolev, "Finding the most prominent group in complex
       networks", AI Communications 20, 287-296 (2007)
    .. [2] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher, "An analysis of approximations for
       maximizing submodular set functions", Mathematical Programming 14, 265-294 (1978),
       doi:10.1007/BF01588971

    Examples
    --------
    On the path 0 - 1 - ... - 6, node 3 meets most pairs, then 1 and 5 add as many as each other.

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
    with settings, _engine(A, settings) as engine:
        flags = {"directed": directed, "normalized": normalized}
        graph = _read(A, engine, flags, weighted, tie_rtol, settings)
        allowed = as_mask("candidates", candidates, graph.n)
        _check_size(size, int(np.count_nonzero(allowed)))
        chosen, nodes, sums, bounds = np.zeros(graph.n, dtype=bool), [], [0.0], []
        problem = _problem(engine, graph, settings)
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
    # Rounding aside, no bound is below what was found.
    raw = np.array([*sums[1:], max(min(bounds), sums[-1])])
    everyone = np.full(raw.size, max(graph.n, 2))
    scores = _scaled(raw, everyone, directed=directed, normalized=normalized)
    return ProminentGroup(np.array(nodes), scores[:-1], float(scores[-1]))


@contextmanager
def _engine(A: Adjacency, run: options.Run) -> Iterator[Engine]:
    """Who looks for the paths, its device made current."""
    engine = devices.select(run.device, devices.home(A))
    with engine.here():
        yield engine


def _read(
    A: Adjacency,
    engine: Engine,
    flags: Mapping[str, bool],
    weighted: bool,
    tie_rtol: float,
    run: options.Run,
) -> Graph:
    """The graph, arguments checked."""
    return validate(
        A,
        ops_for=engine.ops_for,
        workers=run.threads,
        flags=dict(flags),
        weighted=weighted,
        tie_rtol=tie_rtol,
    ).graph


def _members(groups: Any, n: int) -> NDArray[np.uint8]:
    """Mark the nodes of each group, shape (n, groups)."""
    if isinstance(groups, str) or not hasattr(groups, "__len__"):
        raise InputTypeError(f"groups must be a list of lists of nodes, got {groups!r:.60}")
    if len(groups) == 0:
        raise OptionError("groups is empty: list at least one group", "groups")
    member = np.zeros((n, len(groups)), dtype=np.uint8)
    for i, group in enumerate(groups):
        if isinstance(group, (int, np.integer)):
            raise InputTypeError(
                f"groups[{i}] is {group}, not a list of nodes: for one group use [group]"
            )
        nodes = listed(
            f"groups[{i}]", list(group) if isinstance(group, (set, frozenset)) else group, n
        )
        member[nodes, i] = 1
        if np.count_nonzero(member[:, i]) < nodes.size:
            values, counts = np.unique(nodes, return_counts=True)
            raise OptionError(
                f"groups[{i}] names node {values[counts > 1][0]} more than once: use numpy.unique",
                "groups",
            )
    return member


def _check_size(size: Any, candidates: int) -> None:
    if not is_int(size):
        raise InputTypeError(f"size must be an int, the number of nodes of the group, got {size!r}")
    if not 1 <= size <= candidates:
        raise OptionError(f"size must lie in 1..{candidates}, the candidates, got {size}", "size")


def _problem(engine: Engine, graph: Graph, run: options.Run) -> reduce.Problem:
    """What every round sweeps, of all sources and for no group yet."""
    everyone = np.ones(graph.n, dtype=bool)
    nobody = NodeSets(np.zeros(graph.n, dtype=np.uint8), True)
    question = Question(graph, everyone, everyone, ["prominent_group"], True, nobody)
    return prepared(engine, question, run)[0]


def _gains(
    engine: Engine, problem: reduce.Problem, chosen: NDArray[np.bool_], run: options.Run
) -> NDArray[np.float64]:
    """Pairs that each node would add to a group, from the sources outside of it."""
    inside = chosen[problem.graph.ops.on_host(problem.nodes)]
    outside = ~inside[problem.sources]
    left = replace(
        problem,
        sources=problem.sources[outside],
        alpha=problem.alpha[outside],
        node_sets=NodeSets(inside.astype(np.uint8), True),
    )
    return problem.expand(sum_blocks(engine, left, frozenset({"dependency"}), run)["dependency"])


def _scaled(
    raw: NDArray[np.float64], counted: NDArray[np.int64], *, directed: bool, normalized: bool
) -> NDArray[np.float64]:
    """Scores from sums over the ordered pairs of so many nodes."""
    if normalized:
        return raw / (counted * (counted - 1.0))
    return raw / (1 if directed else 2)
