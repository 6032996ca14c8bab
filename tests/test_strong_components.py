"""Numbers of strong components beside SciPy's, whichever way the installed one searches."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM
from numpy.testing import assert_array_equal
from scipy.sparse import csgraph

from sparsebc.matrix import components
from sparsebc.matrix.csr import CSR


def numbers(A, last_first):
    """How many components there are, and the number of each node's."""
    pattern = CSR(A.indptr.astype(np.int64), A.indices.astype(np.int32))
    return components.strong_components(pattern, last_first)


FORK = sp.csr_array(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]))


@pytest.mark.parametrize("name", {**MEDIUM, **LARGE})
def test_numbers_are_scipys(name):
    """In the order of its search."""
    A = {**MEDIUM, **LARGE}[name]
    want = csgraph.connected_components(A, connection="strong")
    last_first = csgraph.connected_components(FORK, connection="strong")[1][2] == 0
    got = numbers(A, last_first)
    assert got[0] == want[0]
    assert_array_equal(got[1], want[1])


def test_both_ways():
    """A fork: the first branch is complete first, or the last one."""
    assert numbers(FORK, False)[1].tolist() == [2, 0, 1]
    assert numbers(FORK, True)[1].tolist() == [2, 1, 0]
