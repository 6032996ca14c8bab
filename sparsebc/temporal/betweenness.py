"""Betweenness of the nodes of a temporal network."""

from __future__ import annotations

from typing import Any, Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_flags
from ..engines.common.pairwise_sum import PairwiseSum, Span
from ..errors import OptionError
from ..measures.centralities import pairs_through, rescale
from ..sweep.options import SearchOptions
from .contacts import Contacts
from .query import batch_results, read

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
    Definitions and formulas: :doc:`/temporal`. The algorithm is that of [1]_, in batches of 64
    sources: time is O(k m) for k sources and m edges. A worker takes 770 bytes for each event, a
    run of arrivals at a node with the departures after it; random contacts have one event for two
    edges, and with a limit of waiting up to two for each edge. Scores are bitwise equal for any
    number of workers or GPUs and any order of the edges given; those of GPUs and CPUs differ by
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
    check_kind(kind)
    query = read(contacts, wait, directed, sources, run)
    tree: PairwiseSum[Any] = PairwiseSum(np.add)
    for number, (_, scores) in enumerate(batch_results(query, "betweenness", kind != "shortest")):
        tree.take(Span(number, 0), scores)
    raw = tree.total()
    if raw is None:
        return np.zeros(contacts.n)
    pairs = pairs_through(contacts.n)
    scaled: NDArray[np.float64] = rescale(raw, pairs, pairs, directed=True, normalized=normalized)
    return scaled


def check_kind(kind: Any) -> None:
    """Refuse a kind of walks that cannot be counted."""
    known = isinstance(kind, str)
    if known and kind in get_args(Kind):
        return
    wanted = " or ".join(map(repr, get_args(Kind)))
    if known and kind in ("foremost", "fastest"):
        raise OptionError(
            f"kind={kind!r} is refused: to count {kind} walks is #P-hard (Buß et al. 2020); use "
            f"{wanted}",
            f"kind={kind!r}",
        )
    raise OptionError(f"kind must be {wanted}, got {kind!r}", "kind")
