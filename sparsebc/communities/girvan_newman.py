"""Communities by the method of Girvan and Newman: edges of highest betweenness are removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..errors import InputTypeError
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.options import PathOptions
from ..sweep.progress import counting
from .dismantling import RemainingGraph, remaining


def girvan_newman(
    A: Adjacency,
    *,
    weighted: bool = False,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[PathOptions],
) -> Iterator[NDArray[np.int32]]:
    """Levels of communities of a network, from few communities to many.

    The edge of highest betweenness is removed, step after step. Whenever that splits a component,
    the components are the communities of the next level [1]_. Directions are ignored.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `sparsebc.betweenness`; a stored [i, j] or [j, i] is an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `sparsebc.betweenness`; they are no
        strengths, for a weak tie is long.
    tie_rtol : float, default 1e-11
        As in `sparsebc.betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.PathOptions`; ``progress`` counts the edges that are removed.

    Yields
    ------
    ndarray, shape (n,), dtype int32
        Community of each node, in host memory, numbered from 0 in the order of their first nodes.
        The first level has one community more than the graph has components, each other level one
        more than the level before; in the last each node is alone.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `sparsebc.dismantle` does: errors of arguments in the call, others as levels are taken.

    See Also
    --------
    sparsebc.dismantle : The edges, in their order.

    Notes
    -----
    Ties are those of `sparsebc.dismantle`: the edge that comes first in the order of rows and
    columns is removed first. Cost and memory are those of `sparsebc.dismantle`; a level is computed
    when it is taken.

    References
    ----------
    .. [1] M. Girvan and M. E. J. Newman, "Community structure in social and biological networks",
       PNAS 99, 7821-7826 (2002), doi:10.1073/pnas.122653799

    Examples
    --------
    Two triangles that an edge joins:

    >>> import scipy.sparse
    >>> from sparsebc import communities
    >>> ends = [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]
    >>> A = scipy.sparse.csr_array(([1] * 7, ends), shape=(6, 6))
    >>> next(communities.girvan_newman(A))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    if "directed" in run:
        raise InputTypeError(
            "unknown option 'directed': an entry is an edge both ways, whatever its direction; "
            "leave it out"
        )
    settings = options.parse(run, PathOptions)
    how: Any = {"directed": False, "weighted": weighted, "tie_rtol": tie_rtol}
    return _levels(remaining(A, "edge_betweenness", run=settings, **how), settings)


def _levels(graph: RemainingGraph, run: options.Run) -> Iterator[NDArray[np.int32]]:
    with run, counting(run.progress, len(graph), unit="step") as advance:
        yield from graph.splits(advance)
