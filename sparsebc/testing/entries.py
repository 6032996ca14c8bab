"""Strategies for matrices by their entries, and the call that prints and makes a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from ..errors import MissingPackageError

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise MissingPackageError(
        "sparsebc.testing needs Hypothesis, which is not installed: "
        "python -m pip install hypothesis"
    ) from error

CLASSES: tuple[type, ...] = (
    sp.csr_array,
    sp.csc_array,
    sp.coo_array,
    sp.csr_matrix,
    sp.csc_matrix,
    sp.coo_matrix,
)
"""The SciPy classes that sparsebc reads."""

DEFAULTS = {"form": "csr_array", "dtype": "float64", "index_dtype": "int32"}
Pair = tuple[int, int]
Pattern = tuple[int, list[Pair]]


def adjacency(
    n: int,
    edges: Sequence[Pair],
    values: Sequence[float] | None = None,
    *,
    form: str = DEFAULTS["form"],
    dtype: DTypeLike = DEFAULTS["dtype"],
    index_dtype: DTypeLike = DEFAULTS["index_dtype"],
) -> Any:
    """Sparse matrix of the given entries: what `matrices` and `graphs` draw is printed as its call.

    Parameters
    ----------
    n : int
        Number of nodes.
    edges : sequence of (int, int)
        Row and column of each entry, stored in this order: unsorted and repeated if they are.
    values : sequence of numbers, optional
        Value of each entry; by default 1.
    form : str, default "csr_array"
        Name of one of `CLASSES`.
    dtype, index_dtype : dtype, default "float64" and "int32"
        Types of the values and of the index arrays.

    Returns
    -------
    sparse array or sparse matrix, shape (n, n)

    Examples
    --------
    >>> from sparsebc.testing import adjacency
    >>> adjacency(3, [(0, 1), (1, 2)], [1, 0.5]).toarray()
    array([[0. , 1. , 0. ],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """
    cls = getattr(sp, form)
    data = np.array([1] * len(edges) if values is None else values).astype(dtype)
    row, column = np.array(edges, dtype=index_dtype).reshape(-1, 2).T
    if form.startswith("coo"):
        A = cls((data, (row, column)), shape=(n, n))
        A.coords = (row.copy(), column.copy())
        return A
    major, minor = (row, column) if form.startswith("csr") else (column, row)
    order = np.argsort(major, kind="stable")
    start = np.searchsorted(major[order], np.arange(n + 1)).astype(index_dtype)
    A = cls((data[order], minor[order], start), shape=(n, n))
    # The *_matrix constructors narrow 64-bit indices to 32 bits: restore the given ones.
    A.indices, A.indptr = minor[order], start
    return A


def called(n: int, edges: list[Pair], *values: list[float], **kinds: str) -> Any:
    """Strategy for one matrix, which Hypothesis prints as the call of `adjacency`."""
    arguments = (n, [(i, j) for i, j in edges], *values)
    kinds = {name: kind for name, kind in kinds.items() if kind != DEFAULTS[name]}
    return st.builds(
        adjacency, *map(st.just, arguments), **{name: st.just(kind) for name, kind in kinds.items()}
    )


@st.composite
def patterns(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    max_edges: int = 24,
    symmetric: bool = False,
    self_loops: bool = True,
    duplicates: bool = True,
    ordered: bool = False,
) -> Pattern:
    """Strategy for ``(n, edges)``: a number of nodes and a list of node pairs.

    Parameters
    ----------
    min_nodes, max_nodes : int, default 0 and 8
        Smallest and largest number of nodes.
    max_edges : int, default 24
        Largest number of pairs, before mirroring.
    symmetric : bool, default False
        Whether each pair ``(i, j)``, ``i != j``, is followed by ``(j, i)``.
    self_loops : bool, default True
        Whether pairs ``(i, i)`` occur.
    duplicates : bool, default True
        Whether a pair may occur more than once.
    ordered : bool, default False
        Whether the pairs are sorted by row, then column; by default they are in any order.

    Returns
    -------
    strategy
        Draws tuples ``(n, edges)``: an int, and a list of pairs of ints in 0..n - 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> from sparsebc.testing import patterns
    >>> find(patterns(), lambda graph: len(graph[1]) >= 2)
    (1, [(0, 0), (0, 0)])
    >>> find(patterns(self_loops=False, symmetric=True), lambda graph: graph[1] != [])
    (2, [(0, 1), (1, 0)])
    """
    n = draw(st.integers(min_nodes, max_nodes), label="n")
    if n == 0 or (n == 1 and not self_loops):
        return n, []
    node = st.integers(0, n - 1)
    pair = st.tuples(node, node)
    if not self_loops:
        pair = pair.filter(lambda edge: edge[0] != edge[1])
    edges = draw(st.lists(pair, max_size=max_edges), label="edges")
    if symmetric:
        edges = [edge for i, j in edges for edge in ([(i, j)] if i == j else [(i, j), (j, i)])]
    if not duplicates:
        edges = list(dict.fromkeys(edges))
    return n, sorted(edges) if ordered else edges


@st.composite
def matrices(
    draw: st.DrawFn,
    *,
    classes: Sequence[type] = CLASSES,
    dtypes: Sequence[DTypeLike] = (np.float64, np.float32, np.int64, np.int8, np.bool_),
    index_dtypes: Sequence[DTypeLike] = (np.int32, np.int64),
    explicit_zeros: bool = True,
    min_nodes: int = 0,
    max_nodes: int = 8,
    max_edges: int = 24,
    symmetric: bool = False,
    self_loops: bool = True,
    duplicates: bool = True,
    ordered: bool = False,
) -> Any:
    """Strategy for SciPy sparse adjacency matrices.

    Parameters
    ----------
    classes : sequence of type, default all six of `CLASSES`
        Sparse array and matrix classes to draw from; examples shrink towards the first.
    dtypes : sequence of dtype, default float64, float32, int64, int8 and bool
        Types of the stored values, which are 0, 1, 2 or 3 (for bool, False or True).
    index_dtypes : sequence of dtype, default int32 and int64
        Types of the index arrays.
    explicit_zeros : bool, default True
        Whether stored values may be 0.
    min_nodes, max_nodes, max_edges, self_loops, duplicates, ordered
        As in `patterns`.
    symmetric : bool, default False
        Whether the matrix equals its transpose, in its pattern and in its values.

    Returns
    -------
    strategy
        Draws sparse matrices of shape (n, n).

    Notes
    -----
    Entries are stored as drawn: unsorted, with duplicates and zeros. A failing example is printed
    as a call of `adjacency`. The first call of a sparsebc function loads or compiles its kernels,
    which takes longer than Hypothesis' deadline for an example: turn the deadline off.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> from sparsebc import betweenness
    >>> from sparsebc.testing import matrices
    >>> @settings(deadline=None)  # the first call loads kernels, or compiles them
    ... @given(matrices(max_nodes=4))
    ... def scores_are_shares(A):
    ...     scores = betweenness(A)
    ...     assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()
    >>> scores_are_shares()
    """
    n, edges = draw(
        patterns(
            min_nodes=min_nodes,
            max_nodes=max_nodes,
            max_edges=max_edges,
            symmetric=symmetric,
            self_loops=self_loops,
            duplicates=duplicates,
            ordered=ordered,
        )
    )
    # A repeated pair has one value, so that its mirror image has the same sum.
    names = [(min(edge), max(edge)) if symmetric else at for at, edge in enumerate(edges)]
    value = st.integers(0 if explicit_zeros else 1, 3)
    value_of = {name: draw(value) for name in dict.fromkeys(names)}
    kinds = {
        "form": draw(st.sampled_from(classes), label="class").__name__,
        "dtype": str(np.dtype(draw(st.sampled_from(dtypes), label="dtype"))),
        "index_dtype": str(np.dtype(draw(st.sampled_from(index_dtypes), label="index dtype"))),
    }
    return draw(called(n, edges, [value_of[name] for name in names], **kinds))
