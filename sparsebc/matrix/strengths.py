"""Networks of strengths: lengths from strengths, and the part of the strongest ties."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..arguments import check_flags, is_number
from ..errors import EdgeError, InputError, InputTypeError
from ..foreign import on_host
from .matrix_arrays import Network, arrays_of, csr_of, matrix_of
from .read_matrix import Adjacency, SparseMatrix, checked

RULES: dict[str, Callable[[Any], Any]] = {
    "reciprocal": lambda strength: 1 / strength,
    "-log": lambda strength: -np.log(strength),
}
STRENGTHS = (  # remedies of `checked`
    "set such entries to 0 and call A.eliminate_zeros()",
    "a strength is positive; use abs(A) if the sign does not matter",
)


def strength_to_distance(A: Adjacency, how: str | Callable[[Any], Any] = "reciprocal") -> Any:
    """Lengths for `sparsebc.betweenness` from strengths, such as confidences or rates.

    A length says how far apart two nodes are, a strength how closely they are tied: contacts
    counted, the confidence of an interaction, a correlation. Taken for a length, a strength makes
    shortest paths avoid the strong ties.

    Parameters
    ----------
    A : sparse array or sparse matrix, or ndarray, shape (n, n)
        Strengths, of SciPy or CuPy, all positive; of a dense array those that are not zero.
        Repeated entries are summed first. A is never modified.
    how : {"reciprocal", "-log"} or callable, default "reciprocal"
        "reciprocal" takes 1 / strength, for counts and rates: twice the rate is half the length.
        "-log" takes minus the natural logarithm, for probabilities between 0 and 1: the shortest
        path is then the one most likely to hold, if its edges hold independently. A callable gets
        the strengths, a one-dimensional float64 array, and returns as many lengths.

    Returns
    -------
    sparse array or sparse matrix, shape (n, n), dtype float64
        Lengths, in the class of A if that is csr, csc or coo and in csr else, with its pattern,
        without repeated entries. Entries on the diagonal do not count; those of which the rule
        makes no length are 0.

    Raises
    ------
    TypeError
        If A is not a matrix, or holds anything but real numbers and booleans; if `how` is neither a
        string nor callable.
    ValueError
        If A is not square, or stores NaN, an infinity, 0 or a negative number; if `how` is another
        string, returns another number of lengths, or makes a length that is not positive and
        finite, as "-log" does of strengths from 1 on. The message names the entry.

    See Also
    --------
    sparsebc.betweenness : Takes the lengths, with ``weighted=True``.

    Notes
    -----
    Cost and memory are those of a copy of A.

    The reciprocal is how Newman [1]_ turned the strength of a collaboration into a length.

    References
    ----------
    .. [1] M. E. J. Newman, "Scientific collaboration networks. II. Shortest paths, weighted
       networks, and centrality", Physical Review E 64, 016132 (2001),
       doi:10.1103/PhysRevE.64.016132

    Examples
    --------
    A triangle whose edge 0 - 2 is weak: the path through node 1 is shorter.

    >>> import scipy.sparse
    >>> from sparsebc import betweenness, strength_to_distance
    >>> A = scipy.sparse.csr_array([[0, 900, 150], [900, 0, 800], [150, 800, 0]])
    >>> betweenness(strength_to_distance(A), weighted=True)
    array([0., 1., 0.])
    >>> strength_to_distance(A / 1000, "-log").toarray().round(3) + 0.0
    array([[0.   , 0.105, 1.897],
           [0.105, 0.   , 0.223],
           [1.897, 0.223, 0.   ]])
    """
    if not callable(how) and not isinstance(how, str):
        raise InputTypeError(f"how must be 'reciprocal', '-log' or a callable, got {how!r}")
    if isinstance(how, str) and how not in RULES:
        raise InputError(f"how must be 'reciprocal', '-log' or a callable, got {how!r}", "how")
    matrix: Any = matrix_of(A)
    if isinstance(matrix, tuple):
        raise InputTypeError(
            "A as a tuple (indptr, indices, n) has no strengths: give a sparse matrix"
        )
    if hasattr(matrix, "__cuda_array_interface__"):
        raise InputTypeError("A is a dense array of a GPU: use cupyx.scipy.sparse.csr_matrix(A)")
    host_matrix: Any = on_host(matrix)
    _, given, *_ = checked(arrays_of(host_matrix), STRENGTHS)
    lengths = given.matrix().astype(np.float64)
    lengths.sum_duplicates()
    entries = lengths.tocoo()
    proper = entries.row != entries.col
    strengths = lengths.data
    _refuse(
        entries,
        strengths,
        proper & (strengths == 0),
        "0 is not a strength: use A.eliminate_zeros()",
    )
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        made = (RULES[how] if isinstance(how, str) else how)(strengths)
    kind = getattr(getattr(made, "dtype", None), "kind", "")
    if kind not in ("b", "i", "u", "f") or made.shape != strengths.shape:
        raise InputError(
            f"how must return an array of {strengths.size} lengths, one for each strength, got "
            f"{made!r:.60}",
            "how",
        )
    bad = ~((made > 0) & np.isfinite(made))
    hint = "lengths are positive and finite"
    if how == "-log":
        hint = "scale A below 1 for '-log', as A / 1.001 if its largest is 1, or take 'reciprocal'"
    _refuse(entries, strengths, proper & bad, f"how={how!r} maps it to an invalid length; {hint}")
    lengths.data = np.where(bad, 0, made).astype(np.float64)
    compressed = getattr(host_matrix, "format", None) in ("csr", "csc", "coo")
    if host_matrix is not matrix:  # with the GPU that the matrix is on
        with matrix.data.device:
            return type(matrix if compressed else matrix.tocsr())(lengths)
    if compressed:
        return type(host_matrix)(lengths)
    is_matrix = isinstance(host_matrix, scipy.sparse.spmatrix)
    return (scipy.sparse.csr_matrix if is_matrix else scipy.sparse.csr_array)(lengths)


def _refuse(entries: Any, strengths: Any, bad: Any, reason: str) -> None:
    """Raise for the first strength of the mask ``bad``, if there is one."""
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        edge = int(entries.row[at]), int(entries.col[at])
        raise EdgeError(f"A[{edge[0]}, {edge[1]}] is {strengths[at]}: {reason}", edge)


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
        Matrix of strengths, of SciPy, CuPy or NumPy. It is not modified.
    threshold : float, optional
        Keep only the edges of at least this strength.
    isolated : bool, default True
        Keep the nodes left without an edge to another node. They change no sum over pairs, but the
        number of nodes, and so every normalized score: False divides by the pairs of the others
        alone. It has no effect with `largest_component`.
    largest_component : bool, default False
        Keep only the largest weakly connected component; if several are as large, the first one.

    Returns
    -------
    part : csr_array, shape (m, m)
        Matrix of the subgraph.
    nodes : ndarray, shape (m,), dtype int64
        Index in A of each of its nodes, ascending: ``[names[v] for v in nodes]`` are their names.

    Raises
    ------
    TypeError
        If A is not a matrix, or another argument has the wrong type.
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
        if not is_number(threshold):
            raise InputTypeError(f"threshold must be a number, got {threshold!r}")
        least: Any = threshold.item() if isinstance(threshold, np.generic) else threshold
        if not abs(least) <= sys.float_info.max:  # an integer may have any size
            raise InputError(f"threshold must be finite, got {threshold}")
        coo = matrix.tocoo()
        kept = coo.data >= threshold
        if not kept.any():
            most = f"; the largest is {coo.data.max():g}" if coo.nnz else ""
            raise InputError(f"threshold={threshold:g}: no edge reaches it{most}")
        entries = coo.data[kept], (coo.row[kept], coo.col[kept])
        matrix = scipy.sparse.csr_array(entries, shape=matrix.shape)
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
