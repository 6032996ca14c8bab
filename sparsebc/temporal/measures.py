"""Betweenness, earliest arrival, reach and closeness in temporal networks."""

from __future__ import annotations

from typing import Any, Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_choice, check_flags
from ..engines.common.sums import PairwiseSum
from ..errors import InputError
from ..measures.centralities import pairs_through, rescale
from ..sweep.options import SearchOptions
from .contacts import Contacts
from .query import batch_results, validated

Kind = Literal["shortest", "shortest foremost"]


def betweenness(
    contacts: Contacts,
    *,
    kind: Kind = "shortest",
    wait: float | None = None,
    directed: bool = True,
    sources: ArrayLike | None = None,
    normalized: bool = True,
    **run: Unpack[SearchOptions],
) -> NDArray[np.float64]:
    r"""Temporal betweenness: the share of optimal temporal walks via each node, over all pairs.

    In a temporal walk each edge departs once the edge before it has arrived.

    Parameters
    ----------
    contacts : Contacts
        Timed edges.
    kind : {"shortest", "shortest foremost"}
        Walks of fewest edges, or of fewest edges among those that arrive first.
    wait : number, optional
        Longest wait at a node between two edges, in the unit of time; by default unlimited. The
        wait before the first edge is not limited. With a limit, a walk may pass a node more than
        once, and each visit counts.
    directed : bool, default True
        If False, each edge can be taken in both directions.
    sources : array_like of int, shape (k,), optional
        Count only walks from these nodes, each given once; by default from every node.
    normalized : bool, default True
        Divide by (n - 1)(n - 2), the number of pairs of other nodes.
    **run
        Run options of `sparsebc.SearchOptions`: ``device``, ``workers``, ``memory_budget``,
        ``progress``, ``executor`` and ``retries``.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node.

    Raises
    ------
    TypeError
        If `contacts` is not a `Contacts`, `wait` not a number, `sources` holds anything but ints, a
        flag is not a bool, or an option is of the wrong type.
    ValueError
        If `kind` is unknown; foremost and fastest walks are #P-hard to count [2]_. If `wait` is
        negative or NaN; if `sources` is empty, not one-dimensional, repeats a node or names one
        outside 0..n - 1; if there are 2**30 edges; if ``workers`` or ``memory_budget`` is less
        than 1.
    OverflowError
        If the numbers of walks from a node leave the range of floats even with a weight for each
        edge of a walk, or if there are walks of 2**24 edges.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If ``memory_budget``, or 80% of the free memory, has no room for a batch of sources.

    Notes
    -----
    Definitions and formulas: :doc:`/tutorial_temporal`. The algorithm is that of [1]_, in batches
    of 64 sources: time is O(k m) for k sources and m edges. A worker takes 770 bytes for each
    event, a run of arrivals at a node with the departures after it; random contacts have one event
    for two edges, and with a limit of waiting up to two for each edge. Scores are bitwise equal for
    any number of workers or GPUs and any order of the edges given; those of GPUs and CPUs differ by
    rounding.

    References
    ----------
    .. [1] F. Brunelli, P. Crescenzi, L. Viennot, "Making temporal betweenness computation faster
       and restless", arXiv:2501.12708
    .. [2] S. Buß, H. Molter, R. Niedermeier, M. Rymar, "Algorithmic aspects of temporal
       betweenness", KDD (2020), arXiv:2006.08668

    Examples
    --------
    Two walks lead from 0 to 2: via 1 at times 1 and 2, and via 3 at times 1 and 5:

    >>> from sparsebc import temporal
    >>> contacts = temporal.Contacts([0, 1, 0, 3], [1, 2, 3, 2], [1, 2, 1, 5])
    >>> temporal.betweenness(contacts, normalized=False)
    array([0. , 0.5, 0. , 0.5])
    >>> temporal.betweenness(contacts, kind="shortest foremost", normalized=False)
    array([0., 1., 0., 0.])
    >>> temporal.betweenness(contacts, wait=1, normalized=False)
    array([0., 1., 0., 0.])
    """
    check_flags(normalized=normalized)
    if isinstance(kind, str) and kind in ("foremost", "fastest"):
        raise InputError(
            f"kind={kind!r} is refused: to count {kind} walks is #P-hard (Buß et al. 2020); use "
            + " or ".join(map(repr, get_args(Kind))),
            "kind",
        )
    check_choice("kind", kind, get_args(Kind))
    task, settings = validated(contacts, wait, directed, sources, run)
    batches = batch_results(task, settings, scores=True, foremost=kind != "shortest")
    tree: PairwiseSum[Any] = PairwiseSum(np.add)
    for number, (_, scores) in enumerate(batches):
        tree.take(range(number, number + 1), scores)
    raw = tree.total()
    if raw is None:
        return np.zeros(contacts.n)
    pairs = pairs_through(contacts.n)
    scaled: NDArray[np.float64] = rescale(raw, pairs, pairs, directed=True, normalized=normalized)
    return scaled


def arrival(
    contacts: Contacts,
    sources: ArrayLike,
    start: float,
    *,
    wait: float | None = None,
    directed: bool = True,
    **run: Unpack[SearchOptions],
) -> NDArray[np.float64]:
    """Earliest arrival of temporal walks from each source at each node.

    Parameters
    ----------
    contacts : Contacts
        Timed edges.
    sources : array_like of int, shape (k,)
        Nodes from which walks start, each given once.
    start : number
        Edges that depart earlier are ignored.
    wait : number, optional
        Longest wait at a node between two edges; by default unlimited.
    directed : bool, default True
        If False, each edge can be taken in both directions.
    **run
        Run options of `sparsebc.SearchOptions`, as for `betweenness`.

    Returns
    -------
    ndarray, shape (k, n), dtype float64
        Arrival times in the unit of the contacts; ``inf`` if no walk arrives, and ``start`` for a
        source at itself.

    Raises
    ------
    TypeError, ValueError, OverflowError, RuntimeError, MemoryError
        As `betweenness`; also ValueError if `start` is NaN, TypeError if it is not a number.

    Notes
    -----
    Takes about half the time of `betweenness` from the same number of sources, and equal memory.

    Examples
    --------
    >>> from sparsebc import temporal
    >>> contacts = temporal.Contacts([0, 1, 0, 3], [1, 2, 3, 2], [1, 2, 1, 5])
    >>> temporal.arrival(contacts, [0], 0)
    array([[0., 1., 2., 1.]])
    >>> temporal.arrival(contacts, [1], 3)
    array([[inf,  3., inf, inf]])
    """
    task, settings = validated(contacts, wait, directed, sources, run, start=start)
    times = np.append(task.graph.times.astype(np.float64), np.inf)  # [-1]: no arrival
    rows = np.empty((task.sources.size, contacts.n))
    done = 0
    for batch, (_, first) in batch_results(task, settings, scores=False, foremost=True):
        rows[done : done + batch.sources.size] = times[first.T]
        done += batch.sources.size
    rows[np.arange(done), task.sources] = start
    return rows


def reach(
    contacts: Contacts,
    start: float | None = None,
    *,
    wait: float | None = None,
    directed: bool = True,
    **run: Unpack[SearchOptions],
) -> NDArray[np.int64]:
    """Number of other nodes that temporal walks from each node reach.

    Parameters
    ----------
    contacts : Contacts
        Timed edges.
    start : number, optional
        Edges that depart earlier are ignored; by default none.
    wait : number, optional
        Longest wait at a node between two edges; by default unlimited.
    directed : bool, default True
        If False, each edge can be taken in both directions.
    **run
        Run options of `sparsebc.SearchOptions`, as for `betweenness`.

    Returns
    -------
    ndarray, shape (n,), dtype int64
        Number of nodes that each node reaches, without itself.

    Raises
    ------
    TypeError, ValueError, OverflowError, RuntimeError, MemoryError
        As `arrival`.

    Examples
    --------
    >>> from sparsebc import temporal
    >>> contacts = temporal.Contacts([0, 1, 2], [1, 2, 3], [1, 2, 2])
    >>> temporal.reach(contacts)
    array([3, 2, 1, 0])
    >>> temporal.reach(contacts, 2)
    array([0, 2, 1, 0])
    """
    task, settings = validated(contacts, wait, directed, None, run, start=start)
    numbers = np.zeros(contacts.n, dtype=np.int64)
    for batch, (_, first) in batch_results(task, settings, scores=False, foremost=True):
        columns = np.arange(batch.sources.size)
        numbers[batch.sources] = np.count_nonzero(first >= 0, axis=0)
        numbers[batch.sources] -= first[batch.sources, columns] >= 0
    return numbers


def closeness(
    contacts: Contacts,
    *,
    wait: float | None = None,
    directed: bool = True,
    direction: str = "in",
    sources: ArrayLike | None = None,
    **run: Unpack[SearchOptions],
) -> NDArray[np.float64]:
    r"""Temporal closeness: 1 over the mean number of edges on the shortest walks to each node.

    Parameters
    ----------
    contacts : Contacts
        Timed edges.
    wait : number, optional
        Longest wait at a node between two edges; by default unlimited.
    directed : bool, default True
        If False, each edge can be taken in both directions.
    direction : {"in", "out"}
        Walks to the node, or from it.
    sources : array_like of int, shape (k,), optional
        Count only walks from these nodes (to them, if `direction` is "out"), each given once.
    **run
        Run options of `sparsebc.SearchOptions`, as for `betweenness`.

    Returns
    -------
    ndarray, shape (n,), dtype float64
        Score of each node, 0 if no other node reaches it.

    Raises
    ------
    TypeError, ValueError, OverflowError, RuntimeError, MemoryError
        As `betweenness`; also ValueError if `direction` is unknown.

    Notes
    -----
    With r the number of sources other than v that reach v, h the fewest edges of a walk from each,
    and m the number of sources other than v,

    .. math:: c(v) = \frac{r}{\sum h} \cdot \frac{r}{m}

    as for `sparsebc.closeness`, to which it is equal if all edges have one time and duration 0.

    Examples
    --------
    Walks lead to node 2 from both others, and from node 0 to both others:

    >>> from sparsebc import temporal
    >>> contacts = temporal.Contacts([0, 1], [1, 2], [1, 2])
    >>> temporal.closeness(contacts).round(3)
    array([0.   , 0.5  , 0.667])
    >>> temporal.closeness(contacts, direction="out").round(3)
    array([0.667, 0.5  , 0.   ])
    """
    check_choice("direction", direction, ("in", "out"))
    reverse = direction == "out"
    task, settings = validated(contacts, wait, directed, sources, run, backward=reverse)
    total, reached = np.zeros(contacts.n), np.zeros(contacts.n)
    others = np.full(contacts.n, float(task.sources.size))
    others[task.sources] -= 1
    for batch, (best, _) in batch_results(task, settings, scores=False, foremost=False):
        best[batch.sources, np.arange(batch.sources.size)] = np.inf
        arrives = np.isfinite(best)
        reached += np.count_nonzero(arrives, axis=1)
        total += np.where(arrives, best, 0).sum(axis=1, dtype=np.float64)
    scores: NDArray[Any] = reached / np.maximum(total, 1) * reached / np.maximum(others, 1)
    return scores
