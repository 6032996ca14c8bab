"""Patterns on the host, beside SciPy's conversions of the same entries."""

from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sparsebc.matrix import csr
from sparsebc.matrix.csr import Matrix
from sparsebc.matrix.ops import GraphOps
from sparsebc.matrix.read_matrix import canonical, weighted
from sparsebc.testing import matrices

REAL = {"dtypes": (np.float64,), "explicit_zeros": False}


def plain(pattern):
    """The entries of a pattern, as a set of pairs, and a check that its rows are sorted."""
    n = pattern.indptr.size - 1
    assert pattern.indptr.dtype == np.int64
    assert pattern.indices.dtype == np.int32
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
    keys = rows * max(n, 1) + pattern.indices
    assert (np.diff(keys) > 0).all()
    return set(zip(rows.tolist(), pattern.indices.tolist(), strict=True))


def entries(A):
    """The entries of a SciPy matrix off the diagonal."""
    A = A.tocoo()
    return {(i, j) for i, j in zip(A.row.tolist(), A.col.tolist(), strict=True) if i != j}


@given(st.sampled_from([1, 3, 8]), matrices(), st.booleans(), st.randoms(use_true_random=False))
def test_patterns_of_any_matrix(threads, A, directed, random):
    """Read, reversed, and on some of the nodes, in any order; by any number of threads."""
    with patch.multiple(csr, PIECE=1, ROW_PIECE=0):
        check_patterns(threads, A, directed, random)


def check_patterns(threads, A, directed, random):
    """The entries of each pattern, and where they come from."""
    want = entries(A)
    if not directed:
        want |= {(j, i) for i, j in want}
    graph = canonical(A, directed=directed, workers=threads)
    assert plain(graph.outgoing) == want
    assert plain(graph.incoming) == {(j, i) for i, j in want}
    assert graph.symmetric == (want == {(j, i) for i, j in want})
    nodes = random.sample(range(graph.n), random.randint(0, graph.n))
    number = {v: i for i, v in enumerate(nodes)}
    back = GraphOps().counterparts(graph.outgoing, graph.incoming)
    values = np.arange(graph.arcs, dtype=float)
    there = Matrix(graph.outgoing, values), Matrix(graph.incoming, values[back])
    part, places = graph.ops.induced(*there, np.array(nodes, dtype=np.int32))
    assert plain(part) == {(number[i], number[j]) for i, j in want if i in number and j in number}
    rows, columns = (np.array(nodes, dtype=int)[at] for at in (part.rows, part.indices))
    np.testing.assert_array_equal(graph.outgoing.rows[places.astype(int)], rows)
    np.testing.assert_array_equal(graph.outgoing.indices[places.astype(int)], columns)
    np.testing.assert_array_equal(graph.outgoing.rows[back], graph.incoming.indices)
    np.testing.assert_array_equal(graph.outgoing.indices[back], graph.incoming.rows)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("read", [canonical, weighted])
def test_a_pattern_in_order_is_copied_once(read, index):
    """What a caller writes into the matrix meanwhile is not seen, and nothing is sorted anew."""
    indptr, indices = np.array([0, 1, 3, 4], dtype=index), np.array([1, 0, 2, 1], dtype=index)
    A = sp.csr_array((np.array([1.0, 1.0, 2.0, 2.0]), indices, indptr), shape=(3, 3))
    A.indptr, A.indices = indptr, indices
    graph = read(A, directed=True)
    assert graph.symmetric
    assert not np.shares_memory(graph.outgoing.indices, A.indices)
    assert not np.shares_memory(graph.outgoing.indptr, A.indptr)
    assert graph.incoming.indices is graph.outgoing.indices
    if graph.lengths is not None:
        assert not np.shares_memory(graph.lengths.outgoing, A.data)
    if read is canonical:
        bare = read((indptr, indices, 3), directed=True)
        assert not np.shares_memory(bare.outgoing.indices, indices)


def frozen(array):
    """A copy that is read-only, as memory that processes share."""
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "of", [frozen, lambda array: np.repeat(array, 2)[::2]], ids=["read-only", "strided"]
)
@pytest.mark.parametrize("read", [canonical, weighted])
def test_what_kernels_were_not_compiled_for_is_copied(read, of):
    """To Numba it is of another type: all that sees the graph would be compiled once more."""
    A = sp.csr_array(np.array([[0, 1.0, 0], [2, 0, 3], [0, 4, 0]]))
    A.data, A.indices, A.indptr = of(A.data), of(A.indices.astype(np.int32)), of(A.indptr)
    graph = read(A, directed=True)
    lengths = graph.lengths
    for array in (*graph.outgoing, *graph.incoming, *([lengths.outgoing] if lengths else [])):
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert plain(graph.outgoing) == entries(A)
