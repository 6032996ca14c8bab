"""The argument ``cutoff``, the largest distance of a pair: checked, and as limits for engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import array_of
from ..engines import devices
from ..errors import OptionError
from ..matrix.csr import Matrix
from ..matrix.graph import Graph, is_within
from ..reduce.query import Columns

if TYPE_CHECKING:
    from ..engines.devices import CSRDownload

# Least sources for which a bound of all distances pays, which takes up to four searches.
ENOUGH_SOURCES = 512


def read(cutoff: ArrayLike | None) -> NDArray[np.float64] | None:
    """Array of the cutoffs of the argument, checked, shape () or (c,); None for None."""
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
    graph: Graph, cutoff: NDArray[np.float64], tau: float, sources: int
) -> tuple[Graph, Columns]:
    """The graph with distinct cutoffs, ascending, and the index of each column among them.

    Distances may exceed a cutoff by ``tau``. A cutoff that no distance can exceed is no limit; this
    is tested from `ENOUGH_SOURCES` ``sources`` on.
    """
    bounds = np.atleast_1d(cutoff) + tau
    with np.errstate(over="ignore"):  # inf is no limit
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
    """The cutoffs, at most ``support``, the distance beyond which a decay is 0."""
    if support == np.inf:
        return cutoff
    return np.minimum(np.inf if cutoff is None else cutoff, support)


def delivered(
    rows: Sequence[Any], columns: Columns, origin: str | None, begun: CSRDownload | None = None
) -> Any:
    """Results of the ``rows`` of all cutoffs in the shape of the argument, on the device of A.

    For a list of cutoffs, arrays are stacked along a last axis, and matrices become a list.
    ``begun`` is the download by `devices.handover` of the pattern of a single matrix.
    """
    if not isinstance(columns, np.ndarray):
        return devices.deliver(rows[columns or 0], origin, begun)
    chosen = [rows[column] for column in columns]
    if isinstance(chosen[0], Matrix):
        return [devices.deliver(matrix, origin) for matrix in chosen]
    return devices.deliver(np.stack(chosen, axis=-1), origin)


def _levels(bounds: NDArray[np.float64], graph: Graph) -> NDArray[np.int64]:
    """Largest number of edges of a path within each length; `Graph.n` if no path exceeds it."""
    most = np.full(bounds.size, graph.n - 1.0)
    levels = np.minimum(np.floor(bounds / graph.unit), most)
    levels -= levels * graph.unit > bounds  # the quotient may have been rounded
    levels += (levels < most) & ((levels + 1) * graph.unit <= bounds)
    return np.where(levels < most, levels, graph.n).astype(np.int64)
