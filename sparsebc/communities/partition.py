"""Communities: partitions by removal of edges, and their modularity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple, Unpack

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..arguments import array_of, by_node, check_flags, check_int
from ..errors import InputError
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.matrix_arrays import arrays_of, check_kind, csr_of, matrix_of, names_of
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.options import PathOptions
from .dismantling import RemainingGraph


def modularity(
    A: Adjacency, labels: ArrayLike, *, directed: bool = False, weighted: bool = False
) -> float:
    r"""Modularity of a partition of a network into communities.

    The share of the edges within communities, less the share expected under the configuration model
    [1]_:

    .. math:: Q = \sum_c \left[ \frac{L_c}{m} - \frac{K_c^{out} K_c^{in}}{m^2} \right]

    with m the total strength of the arcs, :math:`L_c` that of the arcs within community c, and
    :math:`K_c^{out}` and :math:`K_c^{in}` those of the arcs out of its nodes and into them [2]_.
    Scores equal those of ``networkx.community.modularity``.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        The network, on the host or a GPU; every stored entry [i, j] is an arc from i to j.
    labels : array_like of int, shape (n,)
        Community of each node, by any numbers. The index of a pandas.Series holds names, or
        0..n - 1.
    directed : bool, default False
        False takes a stored [i, j] or [j, i] for an edge in both directions, with the larger of
        two strengths; a self loop is two arcs. For a symmetric matrix without self loops True and
        False give the same.
    weighted : bool, default False
        True takes the stored values for strengths; by default every edge counts 1.

    Returns
    -------
    float
        From -1/2 to 1; NaN without edges, or if all strengths are 0.

    Raises
    ------
    TypeError
        If `A` is not a matrix of real numbers, or is a tuple with `weighted`; if `labels` are not
        integers, or another argument has the wrong type.
    ValueError
        If `A` is not square or is malformed (see `sparsebc.betweenness`); if with `weighted` a
        strength is negative or not finite; if `labels` are not one for each node.

    See Also
    --------
    partition : The partition of largest modularity that edge betweenness finds.

    Notes
    -----
    O(edges + n log(n)) time and O(edges + n) memory, on the host.

    References
    ----------
    .. [1] M. E. J. Newman and M. Girvan, "Finding and evaluating community structure in networks",
       Physical Review E 69, 026113 (2004), doi:10.1103/PhysRevE.69.026113
    .. [2] E. A. Leicht and M. E. J. Newman, "Community structure in directed networks", Physical
       Review Letters 100, 118703 (2008), doi:10.1103/PhysRevLett.100.118703

    Examples
    --------
    Two triangles that an edge joins:

    >>> import scipy.sparse
    >>> from sparsebc import communities
    >>> ends = [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]
    >>> A = scipy.sparse.csr_array(([1] * 7, ends), shape=(6, 6))
    >>> round(communities.modularity(A, [0, 0, 0, 1, 1, 1]), 4)
    0.3571
    """
    check_flags(directed=directed, weighted=weighted)
    n, modularity_of = _on_arcs(A, "A", directed=directed, weighted=weighted)
    given = array_of(
        "labels", by_node("labels", labels, names_of(A)), "iu", "be integers, one for each node"
    )
    if given.shape != (n,):
        raise InputError(f"labels has shape {given.shape}; expected {(n,)}")
    return modularity_of(np.unique(given, return_inverse=True)[1])


def _on_arcs(
    A: Any, name: str, *, directed: bool, weighted: bool
) -> tuple[int, Callable[[NDArray[np.integer[Any]]], float]]:
    """Number of nodes, and the modularity of communities, a function of their numbers from 0 on.

    An undirected edge is two arcs. A self-loop of an undirected network counts twice, as in the
    degree of its node.
    """
    if weighted:
        matrix = csr_of(matrix_of(A), name)
    else:
        given = arrays_of(matrix_of(A), name)
        if given.data is not None:
            check_kind(given.data.dtype, name)
        matrix = given._replace(data=np.ones(given.second.size)).matrix().tocsr()
    matrix = matrix.astype(np.float64)
    matrix.sum_duplicates()
    wrong = ~(np.isfinite(matrix.data) & (matrix.data >= 0))
    if wrong.any():
        value = matrix.data[wrong][0]
        raise InputError(
            f"{name} holds {value} among the strengths of edges; expected finite numbers from 0 on"
        )
    if weighted:  # by a power of two, so that no sum overflows
        matrix.data = np.ldexp(matrix.data, -np.frexp(matrix.data.max(initial=0.0))[1])
    else:
        matrix.data[:] = 1  # also for entries that are stored twice
    if not directed:
        matrix = matrix.maximum(matrix.T) + scipy.sparse.diags_array(matrix.diagonal())
    arcs = matrix.tocoo()
    (tails, heads), strengths = arcs.coords, arcs.data
    total, out, into = float(strengths.sum()), arcs.sum(axis=1), arcs.sum(axis=0)

    def modularity_of(labels: NDArray[np.integer[Any]]) -> float:
        if not total:
            return np.nan
        inside = strengths[labels[tails] == labels[heads]].sum() / total
        leaving, entering = (np.bincount(labels, ends) / total for ends in (out, into))
        return float(inside - (leaving * entering).sum())

    return out.size, modularity_of


def girvan_newman(
    A: Adjacency,
    *,
    directed: bool = False,
    weighted: bool = False,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[PathOptions],
) -> Iterator[NDArray[np.int32]]:
    """Levels of communities of a network, from few communities to many.

    The edge of highest betweenness is removed, step after step. Whenever that splits a component,
    the components are the communities of the next level [1]_.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `sparsebc.betweenness`.
    directed : bool, default False
        By default a stored [i, j] or [j, i] is an edge in both directions, as in NetworkX. True
        follows directions, as igraph: an edge in one direction is removed at a time, and
        communities are weak components.
    weighted : bool, default False
        True takes the stored values for lengths, as in `sparsebc.betweenness`, not for strengths:
        a weak tie is long.
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
        As `sparsebc.dismantle` does: the call raises errors of arguments, the iterator others.

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
    settings = options.parse(run, PathOptions)
    how: Any = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol}
    graph = RemainingGraph(A, "edge_betweenness", run=settings, **how)
    return graph.splits(settings.progress)


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
        modularity the first wins.

    Raises
    ------
    TypeError
        If `parts` is not an int, or `directed` not a bool; if `strengths` is not a matrix; as
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
    n, modularity_of = (
        _on_arcs(A, "A", directed=directed, weighted=False)
        if strengths is None
        else _on_arcs(strengths, "strengths", directed=directed, weighted=True)
    )
    settings = options.parse(run, PathOptions)
    how: Any = {"directed": False, "weighted": weighted, "tie_rtol": tie_rtol}
    graph = RemainingGraph(A, "edge_betweenness", run=settings, **how)
    if n != graph.n:
        expected = f"expected that of A, ({graph.n}, {graph.n})"
        raise InputError(f"strengths has shape ({n}, {n}); {expected}")
    if parts is not None:
        advice = ": leave it out for the largest modularity"
        parts = check_int("parts", parts, graph.n, f"n = {graph.n}", advice)
    labels = graph.labels
    levels = {graph.parts: modularity_of(labels)}
    best = max(levels.values())
    with closing(graph.splits(settings.progress)) as splits:
        while parts is None or graph.parts < parts:
            level = next(splits, None)
            if level is None:
                break
            value = levels[graph.parts] = modularity_of(level)
            if parts is not None or value > best:
                labels, best = level, value
    return Partition(labels, np.array([*levels]), np.array([*levels.values()]))
