"""Earliest arrival, reach and closeness in temporal networks."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_choice
from ..sweep.options import SearchOptions
from .contacts import Contacts
from .query import batch_results, read


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
    query = read(contacts, wait, directed, sources, run, start=start)
    times = np.append(query.line.times.astype(np.float64), np.inf)  # [-1]: no arrival
    rows = np.empty((query.sources.size, contacts.n))
    done = 0
    for batch, (_, first) in batch_results(query, "optimal", True):
        rows[done : done + batch.sources.size] = times[first.T]
        done += batch.sources.size
    rows[np.arange(done), query.sources] = start
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
    query = read(contacts, wait, directed, None, run, start=start)
    numbers = np.zeros(contacts.n, dtype=np.int64)
    for batch, (_, first) in batch_results(query, "optimal", True):
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
    r"""Temporal closeness: inverse of the mean number of edges of shortest walks to each node.

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
    query = read(contacts, wait, directed, sources, run, backward=direction == "out")
    total, reached = np.zeros(contacts.n), np.zeros(contacts.n)
    others = np.full(contacts.n, float(query.sources.size))
    others[query.sources] -= 1
    for batch, (best, _) in batch_results(query, "optimal", False):
        best[batch.sources, np.arange(batch.sources.size)] = np.inf
        arrives = np.isfinite(best)
        reached += np.count_nonzero(arrives, axis=1)
        total += np.where(arrives, best, 0).sum(axis=1, dtype=np.float64)
    scores: NDArray[Any] = reached / np.maximum(total, 1) * reached / np.maximum(others, 1)
    return scores
