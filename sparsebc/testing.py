"""Hypothesis strategies for sparse adjacency matrices, for tests of graph code.

The matrices are small and have every irregularity that SciPy allows: no nodes, isolated nodes, self
loops, duplicate entries, explicit zeros, unsorted indices, every format, class and index width. A
failing example shrinks entry by entry, and is printed as a call that makes it.

Needs Hypothesis: ``python -m pip install hypothesis``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from .errors import MissingPackageError

try:
    from hypothesis import strategies as st
    from hypothesis.vendor import pretty
except ImportError as error:
    raise MissingPackageError(
        "sparsebc.testing needs Hypothesis, which is not installed: "
        "python -m pip install hypothesis"
    ) from error

__all__ = ["CLASSES", "matrices", "patterns"]

CLASSES: tuple[type, ...] = (
    sp.csr_array,
    sp.csc_array,
    sp.coo_array,
    sp.csr_matrix,
    sp.csc_matrix,
    sp.coo_matrix,
)
"""The SciPy classes that sparsebc reads."""

Pattern = tuple[int, list[tuple[int, int]]]


def _show(A: Any, printer: Any, cycle: bool) -> None:
    """Print a matrix as the call that makes it; ``np`` is NumPy, ``sp`` is ``scipy.sparse``."""
    parts = (A.data, A.coords) if A.format == "coo" else (A.data, A.indices, A.indptr)
    printer.text(f"sp.{type(A).__name__}({_call(parts)}, shape={A.shape})")


def _call(parts: Any) -> str:
    if isinstance(parts, tuple):
        return f"({', '.join(map(_call, parts))})"
    return f"np.array({parts.tolist()}, '{parts.dtype}')"


for _class in CLASSES:
    pretty.for_type_by_name(_class.__module__, _class.__name__, _show)


@st.composite
def patterns(
    draw: st.DrawFn,
    *,
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
    max_nodes : int, default 8
        Largest number of nodes; the smallest is 0.
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
    n = draw(st.integers(0, max_nodes), label="n")
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
    /,
    *,
    classes: Sequence[type] = CLASSES,
    dtypes: Sequence[DTypeLike] = (np.float64, np.float32, np.int64, np.int8, np.bool_),
    index_dtypes: Sequence[DTypeLike] = (np.int32, np.int64),
    explicit_zeros: bool = True,
    **pattern: Any,
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
        Whether stored values may be 0. The values of a symmetric pattern are drawn
        independently and need not be symmetric.
    **pattern
        Passed to `patterns`: `max_nodes`, `max_edges`, `symmetric`, `self_loops`,
        `duplicates`, `ordered`.

    Returns
    -------
    strategy
        Draws sparse matrices of shape (n, n).

    Notes
    -----
    Entries are stored as drawn: unsorted, with duplicates and zeros. A failing example is printed
    as a call of the class, such as
    ``sp.csr_array((np.array([2.0], 'float64'), np.array([0], 'int32'), np.array([0, 1], 'int32')),
    shape=(1, 1))``. The first call of a sparsebc function loads or compiles its kernels, which
    takes longer than Hypothesis' deadline for an example: turn the deadline off.

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
    n, edges = draw(patterns(**pattern))
    values = draw(
        st.lists(
            st.integers(0 if explicit_zeros else 1, 3), min_size=len(edges), max_size=len(edges)
        ),
        label="values",
    )
    cls = draw(st.sampled_from(classes), label="class")
    index_dtype = np.dtype(draw(st.sampled_from(index_dtypes), label="index dtype"))
    data = np.array(values).astype(draw(st.sampled_from(dtypes), label="dtype"))
    row, column = np.array(edges, dtype=index_dtype).reshape(-1, 2).T
    if issubclass(cls, sp.coo_array | sp.coo_matrix):
        A = cls((data, (row, column)), shape=(n, n))
        A.coords = (row.copy(), column.copy())
        return A
    major, minor = (row, column) if issubclass(cls, sp.csr_array | sp.csr_matrix) else (column, row)
    order = np.argsort(major, kind="stable")
    start = np.searchsorted(major[order], np.arange(n + 1)).astype(index_dtype)
    A = cls((data[order], minor[order], start), shape=(n, n))
    # The *_matrix constructors narrow 64-bit indices to 32 bits: restore the drawn ones.
    A.indices, A.indptr = minor[order], start
    return A
