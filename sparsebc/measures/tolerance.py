"""What distances are compared with: tau, below which two paths tie, and the argument ``cutoff``.

tau is the largest difference of two path lengths that tie, one number of a call:

    tau = tie_rtol E,   E = min(2 max d(hub, v), largest cutoff + longest length)

where d are the distances from the hubs, with edges taken both ways. The hub of a weak component is
its node with most neighbours, the first among equals. If the graph is undirected, E bounds all
distances. E is found once, on the matrix as read: sources, reductions and engine do not change it.
d is the fixpoint of rounded sums, and has the same bits for any search. tau is 0 if all lengths are
integers.
"""

from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import array_of, is_number
from ..engines import devices
from ..engines.common.base import Engine
from ..errors import InputError, InputTypeError
from ..matrix import components
from ..matrix.csr import CSR, busiest
from ..matrix.edge_weights import TIE_RTOL, WHOLE, Tau
from ..matrix.graph import Graph, is_within
from ..matrix.read_matrix import refused, weighted
from ..reduce.reduce import Columns

# Least length over E where paths are counted, in units of tie_rtol: a tight edge gains four fifths.
LEAST = 5
MOST_RTOL = 1e-3
# Least sources for which a bound of all distances pays, which takes up to four searches.
ENOUGH_SOURCES = 512


def check_tie_rtol(tie_rtol: Any, weighted: bool) -> None:
    """Refuse a tolerance outside [0, `MOST_RTOL`), or one without effect."""
    if not is_number(tie_rtol):
        raise InputTypeError(
            f"tie_rtol must be a number from 0 on and below {MOST_RTOL}, got {tie_rtol!r}"
        )
    if not 0 <= tie_rtol < MOST_RTOL and not isinstance(tie_rtol, Tau):
        raise InputError(f"tie_rtol must lie from 0 on and below {MOST_RTOL}, got {tie_rtol}")
    if not weighted and tie_rtol != TIE_RTOL:
        raise InputError(f"tie_rtol={tie_rtol} has an effect only with weighted=True: leave it out")


def tau_of(
    graph: Graph, engine: Engine, tie_rtol: float, most: float = np.inf, *, counts: bool
) -> float:
    """The tau of a graph as read, for cutoffs of at most ``most``.

    Where paths by length are counted, lengths that tau or rounding would lose are refused.
    """
    unit = graph.unit
    whole = graph.lengths.whole if graph.lengths else unit.is_integer() and unit < WHOLE
    if whole or not graph.arcs:  # sums of integers compare exactly
        return 0.0
    if isinstance(tie_rtol, Tau):
        return float(tie_rtol)
    on_host, neighbours = graph.ops.on_host, graph.either_way
    degrees = on_host(neighbours.degrees)
    hubs = busiest(degrees, on_host(graph.components))
    hubs = hubs[degrees[hubs] > 0].astype(np.int32)
    if graph.lengths is None:
        longest = unit
        farthest = unit * float(components.hops(CSR(*map(on_host, neighbours)), hubs).max())
    else:
        longest = float(graph.lengths.outgoing.max())
        farthest = engine.farthest(graph.both_ways(), hubs)
    half = min(farthest, (most + longest) / 2)  # E may exceed the range of floats
    share = max(tie_rtol, float(np.finfo(np.float64).eps))
    short = graph.ways[0].values < 2 * LEAST * share * half
    if counts and short.any():
        by, advice = "2**-52", ""
        if share == tie_rtol:
            by, advice = f"tie_rtol={tie_rtol:g}", "lower tie_rtol, or "
        raise refused(
            graph.ops,
            graph.ways[0],
            short,
            f"below {LEAST} times {by} of E = {2 * half:g}, the scale of distances, it would be "
            f"lost beside them; {advice}merge nodes that are that close",
        )
    return tie_rtol * half * 2


def reached(matrix: Any, cutoff: float) -> float:
    """Largest distance along a matrix of lengths that a cutoff reaches, by the default tie_rtol."""
    graph = weighted(matrix, directed=True)
    return cutoff + tau_of(graph, devices.select("cpu"), TIE_RTOL, cutoff, counts=False)


def cutoffs_of(cutoff: ArrayLike) -> NDArray[np.float64]:
    """Array of the cutoffs of the argument, checked, shape () or (c,)."""
    array = array_of("cutoff", cutoff, "iuf", "be a number or a list of numbers")
    if array.ndim > 1:
        raise InputError(
            f"cutoff must be a number or a list of numbers, got {array.ndim} dimensions", "cutoff"
        )
    if array.size == 0:
        raise InputError("cutoff is empty: leave it out for paths of any length", "cutoff")
    given = array.astype(np.float64)
    wrong = ~(given >= 0)
    if wrong.any():
        raise InputError(
            f"cutoff must be at least 0, got {given[wrong][0]}: leave it out, or give "
            "numpy.inf, for paths of any length",
            "cutoff",
        )
    return given


def limited(
    graph: Graph, cutoff: NDArray[np.float64], tau: float, sources: int
) -> tuple[Graph, Columns]:
    """The graph with distinct cutoffs, ascending, and the index of each column among them.

    Distances may exceed a cutoff by ``tau``. A cutoff that no distance can exceed is no limit; this
    is tested from `ENOUGH_SOURCES` ``sources`` on.
    """
    bounds = np.atleast_1d(cutoff) + tau
    top, limits = (np.inf if graph.lengths else graph.n), bounds
    if graph.lengths is None:  # edges of a path within each length; n if no path exceeds it
        most = np.full(bounds.size, graph.n - 1.0)
        with np.errstate(over="ignore"):
            limits = np.minimum(np.floor(bounds / graph.unit), most)
        limits -= limits * graph.unit > bounds  # the quotient may have been rounded
        limits += (limits < most) & ((limits + 1) * graph.unit <= bounds)
        limits = np.where(limits < most, limits, graph.n).astype(np.int64)
    finite = np.unique(limits[limits < top])[::-1]
    if sources < ENOUGH_SOURCES:
        finite = finite[:0]
    for limit in takewhile(partial(is_within, graph), finite):
        limits[limits >= limit] = top
    distinct, columns = np.unique(limits, return_inverse=True)
    if distinct.tolist() != [top]:
        graph = replace(graph, cutoffs=tuple(distinct.tolist()))
    return graph, columns.ravel() if cutoff.ndim else int(columns[0])
