"""The level of Girvan and Newman's of largest modularity, or of a given number of communities."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ..arguments import check_flags, check_int
from ..errors import InputError
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.options import PathOptions
from ..sweep.progress import counting
from .dismantling import remaining
from .modularity import Arcs


class Partition(NamedTuple):
    """Communities of a network, and the modularity of each level that `partition` computed.

    Attributes
    ----------
    labels : ndarray, shape (n,), dtype int32
        Community of each node, numbered from 0 in the order of their first nodes.
    parts : ndarray, shape (levels,), dtype int64
        Number of communities of each level, ascending from the number of components of the graph.
    modularity : ndarray, shape (levels,), dtype float64
        Modularity of each level; NaN without edges, or if all strengths are 0.
    """

    labels: NDArray[np.int32]
    parts: NDArray[np.int64]
    modularity: NDArray[np.float64]


def partition(
    A: Adjacency,
    parts: int | None = None,
    *,
    directed: bool = False,
    weighted: bool = False,
    strengths: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[PathOptions],
) -> Partition:
    """Partition a network into communities by the edges of highest betweenness.

    The levels are the components of the graph and the levels of `girvan_newman`. The result is the
    one of largest modularity [1]_, or the first with at least `parts` communities.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `girvan_newman`.
    parts : int, optional
        Stop at this number of communities, from 1 to n; there are more if the graph has more
        components. By default all edges are removed, and the largest modularity decides.
    directed : bool, default False
        Whether modularity is that of a directed network, as in `modularity`; paths ignore the
        directions of edges in any case.
    weighted : bool, default False
        True takes the stored values for lengths, as in `girvan_newman`.
    strengths : sparse array, sparse matrix or ndarray, shape (n, n), optional
        Strengths of the edges, of which the modularity is computed, for example those from which
        the lengths in `A` were made. By default every edge counts 1.
    tie_rtol : float, default 1e-11
        As in `girvan_newman`; only with `weighted`.
    **run
        Run options of `sparsebc.PathOptions`; ``progress`` counts the edges that are removed.

    Returns
    -------
    Partition
        With fields ``labels``, ``parts`` and ``modularity``, in host memory. Of levels with equal
        modularity the first is taken.

    Raises
    ------
    TypeError
        If `parts` is not an int, or `directed` not a bool; if `strengths` is no matrix; as
        `sparsebc.dismantle` does.
    ValueError
        If `parts` is out of its range; if `strengths` has another shape than A, or an entry that is
        negative or not finite; as `sparsebc.dismantle` does.
    RuntimeError, MemoryError, OverflowError
        As in `sparsebc.dismantle`.

    See Also
    --------
    girvan_newman : Iterator over the levels.
    modularity : Modularity of any partition.

    Notes
    -----
    Cost is that of `sparsebc.dismantle` by edges, and O(edges + n log(n)) for each level; memory is
    that of `sparsebc.dismantle`, and O(edges + n).

    References
    ----------
    .. [1] M. E. J. Newman and M. Girvan, "Finding and evaluating community structure in networks",
       Physical Review E 69, 026113 (2004), doi:10.1103/PhysRevE.69.026113

    Examples
    --------
    Two triangles that an edge joins:

    >>> import scipy.sparse
    >>> from sparsebc import communities
    >>> ends = [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]
    >>> A = scipy.sparse.csr_array(([1] * 7, ends), shape=(6, 6))
    >>> found = communities.partition(A)
    >>> found.labels
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> found.parts, found.modularity.round(2)
    (array([1, 2, 3, 4, 5, 6]), array([ 0.  ,  0.36,  0.17,  0.09, -0.07, -0.17]))
    """
    check_flags(directed=directed)
    arcs = (
        Arcs(A, "A", directed=directed, weighted=False)
        if strengths is None
        else Arcs(strengths, "strengths", directed=directed, weighted=True)
    )
    settings = options.parse(run, PathOptions)
    how: Any = {"directed": False, "weighted": weighted, "tie_rtol": tie_rtol}
    with settings:
        graph = remaining(A, "edge_betweenness", run=settings, **how)
        if arcs.out.size != graph.n:
            size = arcs.out.size
            expected = f"expected that of A, ({graph.n}, {graph.n})"
            raise InputError(f"strengths has shape ({size}, {size}); {expected}")
        if parts is not None:
            advice = ": leave it out for the largest modularity"
            parts = check_int("parts", parts, graph.n, f"n = {graph.n}", advice)
        labels = graph.labels
        levels = {graph.parts: arcs.modularity(labels)}
        best = max(levels.values())
        with counting(settings.progress, len(graph), unit="step") as advance:
            splits = graph.splits(advance)
            while parts is None or graph.parts < parts:
                level = next(splits, None)
                if level is None:
                    break
                value = levels[graph.parts] = arcs.modularity(level)
                if parts is not None or value > best:
                    labels, best = level, value
    return Partition(labels, np.array([*levels]), np.array([*levels.values()]))
