"""Modularity of a partition: the share of edges within communities, less the expected share."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..arguments import array_of, check_flags
from ..errors import InputError
from ..matrix.matrix_arrays import arrays_of, check_kind, csr_of
from ..matrix.network import by_node, matrix_of, names_of
from ..matrix.read_matrix import Adjacency


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
        Community of each node, by any numbers. A pandas.Series is taken by the names of a
        `sparsebc.io.Network`.
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
        If `A` is no matrix, or is complex, or with `weighted` a tuple; if `labels` are no
        integers, or a flag is no bool.
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
    arcs = Arcs(A, "A", directed=directed, weighted=weighted)
    given = array_of(
        "labels", by_node("labels", labels, names_of(A)), "iu", "be integers, one for each node"
    )
    if given.shape != arcs.out.shape:
        raise InputError(f"labels has shape {given.shape}; expected {arcs.out.shape}")
    return arcs.modularity(np.unique(given, return_inverse=True)[1])


class Arcs:
    """Arcs with their strengths; an undirected edge is two arcs.

    A self-loop of an undirected network counts twice, as in the degree of its node.
    """

    def __init__(self, A: Any, name: str, *, directed: bool, weighted: bool) -> None:
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
                f"{name} holds {value} among the strengths of edges; expected finite numbers from "
                "0 on"
            )
        if weighted:  # by a power of two, so that no sum overflows
            matrix.data = np.ldexp(matrix.data, -np.frexp(matrix.data.max(initial=0.0))[1])
        else:
            matrix.data[:] = 1  # also for entries that are stored twice
        if not directed:
            matrix = matrix.maximum(matrix.T) + scipy.sparse.diags_array(matrix.diagonal())
        arcs = matrix.tocoo()
        self._tails, self._heads = arcs.coords
        self.total = float(arcs.data.sum())
        self._strengths = arcs.data
        self.out, self._in = arcs.sum(axis=1), arcs.sum(axis=0)

    def modularity(self, labels: NDArray[np.integer[Any]]) -> float:
        """Modularity of communities that are numbered from 0 on."""
        if not self.total:
            return np.nan
        inside = self._strengths[labels[self._tails] == labels[self._heads]].sum() / self.total
        out, into = (np.bincount(labels, ends) / self.total for ends in (self.out, self._in))
        return float(inside - (out * into).sum())
