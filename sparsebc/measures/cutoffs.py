"""The argument ``cutoff``, the largest distance of a pair, checked and as engines take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..errors import OptionError
from ..graph.csr import Matrix
from ..graph.diameter import is_within
from ..graph.edge_weights import WHOLE
from ..graph.graph import Graph
from .arguments import array_of

if TYPE_CHECKING:
    from ..engines.devices import CSRDownload

# Columns of the scores, by their places among the cutoffs of the graph: one for each cutoff of a
# list, or that of a single one, or None where there is none.
Columns = NDArray[np.int64] | int | None

# Sources from which it pays to look for a bound of all distances, which takes up to four searches.
ENOUGH_SOURCES = 512


def read(cutoff: ArrayLike | None) -> NDArray[np.float64] | None:
    """Cutoffs of the argument, checked, a number or shape (c,); None if it was left out."""
    if cutoff is None:
        return None
    array = array_of("cutoff", cutoff, "iuf", "be a number or a list of numbers")
    if array.ndim > 1:
        raise OptionError(
            f"cutoff must be a number or a list of numbers, got {array.ndim} dimensions", "cutoff"
        )
    if array.size == 0:
        raise OptionError("cutoff is empty: leave it out for paths of any length", "cutoff")
    given = array.astype(np.float64)
    wrong = ~(given >= 0)
    if wrong.any():
        raise OptionError(
            f"cutoff must be at least 0, got {given[wrong][0]}: leave it out, or give "
            "numpy.inf, for paths of any length",
            "cutoff",
        )
    return given


def within(
    graph: Graph, cutoff: NDArray[np.float64], tie_rtol: float, sources: int
) -> tuple[Graph, Columns]:
    """The graph with distinct cutoffs, ascending, and the place of each column among them.

    Distances on the graph are compared by ``tie_rtol`` unless they are whole. Cutoffs that no
    distance can pass are none; which these are is looked at where so many ``sources`` pay.
    """
    with np.errstate(over="ignore"):  # beyond floats is beyond all distances
        bounds = np.atleast_1d(cutoff) * (1 + (0 if is_whole(graph) else tie_rtol))
        limits = bounds if graph.lengths else _levels(bounds, graph)
    top = np.inf if graph.lengths else graph.n
    finite = np.unique(limits[limits < top])[::-1]
    if sources < ENOUGH_SOURCES:
        finite = finite[:0]
    for limit in takewhile(partial(is_within, graph), finite):
        limits[limits >= limit] = top
    distinct, columns = np.unique(limits, return_inverse=True)
    if distinct.tolist() != [top]:
        graph = replace(graph, cutoffs=tuple(distinct.tolist()))
    return graph, columns.ravel() if cutoff.ndim else int(columns[0])


def within_support(
    cutoff: NDArray[np.float64] | None, support: float
) -> NDArray[np.float64] | None:
    """The cutoffs, none beyond the distance from which on pairs count nothing."""
    if support == np.inf:
        return cutoff
    return np.minimum(np.inf if cutoff is None else cutoff, support)


def delivered(
    rows: Sequence[Any], columns: Columns, origin: str | None, begun: CSRDownload | None = None
) -> Any:
    """Results for each cutoff in the shape of the argument, on the device of the matrix.

    Of a list, arrays are stacked along a last axis, and matrices become a list. ``begun``: what
    `devices.handover` returned for a matrix that is one.
    """
    if not isinstance(columns, np.ndarray):
        return devices.deliver(rows[columns or 0], origin, begun)
    chosen = [rows[column] for column in columns]
    if isinstance(chosen[0], Matrix):
        return [devices.deliver(matrix, origin) for matrix in chosen]
    return devices.deliver(np.stack(chosen, axis=-1), origin)


def is_whole(graph: Graph) -> bool:
    """Whether all distances are whole numbers, which compare exactly."""
    if graph.lengths is None:
        return graph.unit.is_integer() and graph.unit < WHOLE
    return graph.lengths.whole


def _levels(bounds: NDArray[np.float64], graph: Graph) -> NDArray[np.int64]:
    """Largest number of edges of a path within each length; `Graph.n` where every path is."""
    most = np.full(bounds.size, graph.n - 1.0)
    levels = np.minimum(np.floor(bounds / graph.unit), most)
    levels -= levels * graph.unit > bounds  # the quotient may have been rounded
    levels += (levels < most) & ((levels + 1) * graph.unit <= bounds)
    return np.where(levels < most, levels, graph.n).astype(np.int64)
