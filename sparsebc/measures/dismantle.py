"""Dismantling: take away the node or edge of highest betweenness, again and again."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..run import options
from ..run.options import RunOptions
from ..run.progress import counting
from .arguments import check_flags, is_int
from .attack import Attack, By
from .query import validate


class Dismantling(NamedTuple):
    """What `dismantle` took away, and what was left.

    Attributes
    ----------
    order : ndarray, shape (steps,) or (steps, 2), dtype int64
        The nodes in the order in which they were removed; or the edges, from which node to which,
        the smaller first where directions do not count.
    scores : ndarray, shape (steps,), dtype float64
        The score for which each was removed.
    largest : ndarray, shape (steps,), dtype int64
        Nodes of the largest component after each step, weak where edges have directions.
    """

    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    largest: NDArray[np.int64]


def dismantle(
    A: Adjacency,
    by: By = "betweenness",
    *,
    steps: int | None = None,
    recompute: bool = True,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> Dismantling:
    r"""Take away the node or edge of highest betweenness, step after step.

    How soon a network falls apart under such an attack says how much it hangs on few of its parts
    [1]_; with edges, it is the method of Girvan and Newman [2]_ (`communities.girvan_newman`).

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`; it stays as it is.
    by : {"betweenness", "edge_betweenness"}
        Remove nodes, each with its edges, or edges.
    steps : int, optional
        How many to remove, at least one; no more than there are. By default all.
    recompute : bool, default True
        Score what is left anew after each step; False removes all by their first scores.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, which is removed as
        one.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    normalized : bool, default True
        Scale the scores as `betweenness` does on the nodes that are left, or as `edge_betweenness`.
    tie_rtol : float, default 1e-10
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`, without ``checkpoint``; ``progress`` counts steps.

    Returns
    -------
    Dismantling
        With fields ``order``, ``scores`` and ``largest``.

    Raises
    ------
    TypeError
        If `steps` is not an int; as `betweenness` does.
    ValueError
        If `by` is neither of the two, or `steps` is less than 1; if ``checkpoint`` is given; as
        `betweenness` does.
    RuntimeError, MemoryError, OverflowError
        As in `betweenness`.

    See Also
    --------
    betweenness, edge_betweenness : The scores.
    communities.girvan_newman : The components that edges hold together.

    Notes
    -----
    Of those that score highest the first is removed: the node of the least number, the edge that
    comes first in the order of rows and columns. Scores that agree to one part in 10**9 of the
    highest tie, for sums of floats in another order differ in their last digits.

    The scores after a step are those of the graph that is left, as if computed from scratch, to
    roundings. But only sources are swept again whose shortest paths changed: those from which an
    edge is on a shortest path, on one of its two sides where directions do not count, on the graph
    before and after, unless it is less to sweep what is left of their component; and those that
    reach a node. A step costs at most one run of the measure on the component concerned.
    Memory is that of the measure, and about 60 bytes an edge and 400 a node for what is kept. The
    graph stays on the GPU that computes, and its edges drop out there.

    References
    ----------
    .. [1] P. Holme, B. J. Kim, C. N. Yoon and S. K. Han, "Attack vulnerability of complex
       networks", Physical Review E 65, 056109 (2002), doi:10.1103/PhysRevE.65.056109
    .. [2] M. Girvan and M. E. J. Newman, "Community structure in social and biological networks",
       PNAS 99, 7821-7826 (2002), doi:10.1073/pnas.122653799

    Examples
    --------
    Two triangles that an edge joins: its ends, 2 and 3, are as high as each other, and once 2 is
    gone no node is between any.

    >>> import scipy.sparse
    >>> from sparsebc import dismantle
    >>> ends = [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]
    >>> A = scipy.sparse.csr_array(([1] * 7, ends), shape=(6, 6))
    >>> found = dismantle(A, steps=2, directed=False)
    >>> found.order, found.scores, found.largest
    (array([2, 0]), array([0.6, 0. ]), array([3, 3]))
    >>> dismantle(A, "edge_betweenness", steps=1, directed=False, normalized=False)
    Dismantling(order=array([[2, 3]]), scores=array([9.]), largest=array([3]))
    """
    if steps is not None:
        if not is_int(steps):
            raise TypeError(f"steps must be an int, got {steps!r}: leave it out to remove all")
        if steps < 1:
            raise ValueError(f"steps must be at least 1, got {steps}")
    check_flags(recompute=recompute, normalized=normalized)
    settings = options.parse(run)
    with settings:
        attack = attacked(
            A, by, directed=directed, weighted=weighted, tie_rtol=tie_rtol, run=settings
        )
        total = len(attack) if steps is None else min(steps, len(attack))
        found = []
        with counting(settings.progress, total, unit="step") as advance:
            for removal in islice(attack.removals(recompute=recompute), total):
                found.append(removal)
                advance(1)
    order = np.array([removal.item for removal in found], dtype=np.int64)
    raw = np.array([removal.raw for removal in found])
    largest = np.array([removal.largest for removal in found], dtype=np.int64)
    halves = 1 if directed else 2
    if by == "edge_betweenness":
        scores = raw / (attack.n * (attack.n - 1.0) if normalized else halves)
        return Dismantling(attack.ends[order].astype(np.int64), scores, largest)
    left = attack.n - np.arange(order.size, dtype=float) * recompute
    pairs = np.where(left > 2, (left - 1) * (left - 2), 1)
    return Dismantling(order, raw / (pairs if normalized else halves), largest)


def attacked(
    A: Adjacency, by: Any, *, directed: Any, weighted: Any, tie_rtol: float, run: options.Run
) -> Attack:
    """The graph that is to lose its parts, arguments checked."""
    if by not in get_args(By):
        raise ValueError(f"by must be one of {', '.join(map(repr, get_args(By)))}, got {by!r}")
    run.without_checkpoint("what is taken apart step by step")
    engine = devices.select(run.device, devices.home(A))
    quiet = replace(run, progress=False)
    with engine.here():
        graph = validate(
            A,
            ops_for=engine.ops_for,
            workers=run.threads,
            flags={"directed": directed},
            weighted=weighted,
            tie_rtol=tie_rtol,
        ).graph
        return Attack(graph, by, engine, quiet, directed=bool(directed))
