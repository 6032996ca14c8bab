"""Subgraph of a network: edges of enough strength, nodes with an edge, the largest component."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..errors import InputError, InputTypeError
from .matrix_arrays import csr_of
from .network import Network, check_flags, matrix_of
from .read_matrix import SparseMatrix


def part_of(
    A: SparseMatrix | Network | NDArray[Any],
    *,
    threshold: float | None = None,
    isolated: bool = True,
    largest_component: bool = False,
) -> tuple[scipy.sparse.csr_array, NDArray[np.int64]]:
    """Subgraph of a network, and the indices of its nodes.

    Parameters
    ----------
    A : sparse array or sparse matrix, Network or ndarray, shape (n, n)
        Strengths of edges, of SciPy, CuPy or NumPy; it is not modified.
    threshold : float, optional
        Keep only the edges of at least this strength.
    isolated : bool, default True
        Keep the nodes left without an edge to another node. They change no sum over pairs, but the
        number of nodes, and so every normalized score: False divides by the pairs of the others
        alone. It has no effect with `largest_component`.
    largest_component : bool, default False
        Keep the largest weakly connected component only; of several as large, that of the first
        node.

    Returns
    -------
    part : csr_array, shape (m, m)
        Matrix of the subgraph.
    nodes : ndarray, shape (m,), dtype int64
        Index in A of each of its nodes, ascending: ``[names[v] for v in nodes]`` are their names.

    Raises
    ------
    TypeError
        If A is no matrix, or an argument has a wrong type.
    ValueError
        If A is not square or malformed (see `betweenness`), `threshold` is not finite, or no entry
        reaches it.

    See Also
    --------
    strength_to_distance : Lengths from the strengths of the subgraph.

    Notes
    -----
    Entries are compared one by one, repeated ones by their sum: of an edge with two strengths one
    direction may be left. Cost is O(n + edges).

    Examples
    --------
    The path 0 - 1 - 2 - 3, and a doubtful edge to node 4. Without it node 1 has one third of the
    pairs that it could have, or two thirds if node 4 does not count:

    >>> import scipy.sparse
    >>> from sparsebc import betweenness, part_of
    >>> ends = [0, 1, 2, 3], [1, 2, 3, 4]
    >>> A = scipy.sparse.csr_array(([900, 800, 950, 150], ends), shape=(5, 5))
    >>> for isolated in (True, False):
    ...     part, nodes = part_of(A, threshold=700, isolated=isolated)
    ...     print(nodes, betweenness(part, directed=False).round(3))
    [0 1 2 3 4] [0.    0.333 0.333 0.    0.   ]
    [0 1 2 3] [0.    0.667 0.667 0.   ]
    """
    check_flags(isolated=isolated, largest_component=largest_component)
    matrix = csr_of(matrix_of(A))
    if threshold is not None:
        matrix = _at_least(matrix, threshold)
    nodes = np.arange(matrix.shape[0])
    if largest_component and nodes.size:
        pattern = scipy.sparse.csr_array(
            (np.ones(matrix.nnz, np.int8), matrix.indices, matrix.indptr), shape=matrix.shape
        )
        _, labels = csgraph.connected_components(pattern, directed=False)
        nodes = np.flatnonzero(labels == np.bincount(labels).argmax())
    elif not isolated:
        rows = np.repeat(nodes, np.diff(matrix.indptr))
        between = rows != matrix.indices
        nodes = np.union1d(rows[between], matrix.indices[between]).astype(np.int64)
    if nodes.size < matrix.shape[0]:
        matrix = matrix[nodes][:, nodes]
    return matrix, nodes


def _at_least(matrix: scipy.sparse.csr_array, least: Any) -> scipy.sparse.csr_array:
    """Matrix of the entries of at least a strength, of the same shape."""
    if isinstance(least, (bool, np.bool_)) or not isinstance(
        least, (int, float, np.integer, np.floating)
    ):
        raise InputTypeError(f"threshold must be a number, got {least!r}")
    number: Any = least.item() if isinstance(least, np.generic) else least
    if not abs(number) <= sys.float_info.max:  # an integer may have any size
        raise InputError(f"threshold must be finite, got {least}")
    coo = matrix.tocoo()
    kept = coo.data >= least
    if not kept.any():
        most = f"; the largest is {coo.data.max():g}" if coo.nnz else ""
        raise InputError(f"threshold={least:g}: no edge reaches it{most}")
    entries = (coo.data[kept], (coo.row[kept], coo.col[kept]))
    return scipy.sparse.csr_array(entries, shape=matrix.shape)
