"""Numbers of strong components beside SciPy's, whichever way the installed one searches."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM
from numpy.testing import assert_array_equal
from scipy.sparse import csgraph

from sparsebc.engines.cpu.common.scc_numbering import number_as_completed
from sparsebc.graph import kernels
from sparsebc.jit import interruptible


@pytest.mark.parametrize("name", {**MEDIUM, **LARGE})
def test_numbers_are_scipys(name):
    """From any node of each component for its label."""
    A = {**MEDIUM, **LARGE}[name]
    count, want = csgraph.connected_components(A, connection="strong")
    node = np.empty(count, np.int32)
    node[want] = np.arange(A.shape[0])
    fork = sp.csr_array(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]))
    last_first = csgraph.connected_components(fork, connection="strong")[1][2] == 0
    indptr, indices = A.indptr.astype(np.int64), A.indices.astype(np.int32)
    got = number_as_completed(indptr, indices, node[want], last_first)
    assert got[0] == count
    assert_array_equal(got[1], want)


def test_both_ways():
    """A fork: the first branch is complete first, or the last one."""
    indptr, indices = np.array([0, 2, 2, 2]), np.array([1, 2], np.int32)
    label = np.arange(3, dtype=np.int32)
    assert number_as_completed(indptr, indices, label, False)[1].tolist() == [2, 0, 1]
    assert number_as_completed(indptr, indices, label, True)[1].tolist() == [2, 1, 0]


@pytest.mark.parametrize("name", {**MEDIUM, **LARGE})
def test_arcs_between_components(name):
    """Components are SciPy's; an arc between two is there once, towards the smaller number."""
    A = {**MEDIUM, **LARGE}[name]
    want, label = csgraph.connected_components(A, connection="strong")
    indptr, indices = A.indptr.astype(np.int64), A.indices.astype(np.int32)
    count, number = interruptible(A.nnz, kernels.strong_components, indptr, indices)
    assert count == want == np.unique(np.column_stack((label, number)), axis=0).shape[0]
    tails, heads = number[np.repeat(np.arange(A.shape[0]), np.diff(indptr))], number[indices]
    pairs = {(a, b) for a, b in zip(tails.tolist(), heads.tolist(), strict=True) if a != b}
    assert all(a > b for a, b in pairs)
    into, found = interruptible(A.nnz, kernels.arcs_between, indptr, indices, number, count)
    listed = list(
        zip(np.repeat(np.arange(count), np.diff(into)).tolist(), found.tolist(), strict=True)
    )
    assert len(listed) == len(pairs)
    assert set(listed) == pairs
