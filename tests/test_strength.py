"""Strengths become lengths: the rules, the classes, and what is turned away."""

import numpy as np
import pytest
import scipy.sparse as sp

from sparsebc import betweenness, strength_to_distance
from sparsebc.testing import CLASSES

ENDS = ([0, 1, 2, 0], [1, 2, 0, 2])


def strengths(*values, dtype=None):
    """Four ties among three nodes."""
    return sp.csr_array((np.array(values, dtype=dtype), ENDS), shape=(3, 3))


RULES = [
    ("reciprocal", lambda x: 1 / x),
    ("-log", lambda x: -np.log(x)),
    (lambda x: 1 - x, lambda x: 1 - x),
]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(("how", "formula"), RULES, ids=["reciprocal", "-log", "callable"])
def test_strengths_become_lengths_by_rule(cls, how, formula):
    """Entry by entry, in the class that came in, which is left alone."""
    A = cls(strengths(0.5, 0.25, 0.75, 0.125))
    before = A.toarray()
    got = strength_to_distance(A, how)
    assert type(got) is cls
    assert got.dtype == np.float64
    np.testing.assert_array_equal(A.toarray(), before)
    want = np.zeros((3, 3))
    want[ENDS] = formula(before[ENDS])
    np.testing.assert_allclose(got.toarray(), want, rtol=1e-15)


def test_reciprocal_is_the_default():
    """Whole numbers, too."""
    got = strength_to_distance(strengths(1, 2, 4, 8, dtype=np.int16))
    np.testing.assert_array_equal(got.toarray()[ENDS], [1, 0.5, 0.25, 0.125])


def test_repeated_entries_are_one_strength():
    """Contacts add up before they become a length."""
    A = sp.coo_array(([1.0, 3.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert strength_to_distance(A).toarray()[0, 1] == 0.25


def test_the_diagonal_is_no_tie():
    """A matrix of correlations has ones there, whose logarithm is 0."""
    A = sp.csr_array(np.array([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]]))
    got = betweenness(strength_to_distance(A, "-log"), weighted=True, normalized=False)
    np.testing.assert_array_equal(got, [0, 1, 0])  # a quarter is half of a half: a tie


def test_an_array_of_half_precision_is_taken():
    """SciPy has no class for it."""
    A = np.array([[0, 0.5], [0.25, 0]], np.float16)
    np.testing.assert_array_equal(strength_to_distance(A).toarray(), [[0, 2], [4, 0]])


@pytest.mark.parametrize(("how", "loop"), [("-log", 2.0), ("reciprocal", 0.0), (np.sqrt, 0.0)])
def test_a_loop_of_which_there_is_no_length_becomes_0(how, loop):
    """It is 0, and the lengths can be taken for such."""
    ends = [[*nodes, 1] for nodes in ENDS]
    A = sp.csr_array(([0.5, 0.25, 0.5, 0.125, loop], ends), shape=(3, 3))
    got = strength_to_distance(A, how)
    assert got.nnz == 5
    assert got[1, 1] == 0
    want = strength_to_distance(strengths(0.5, 0.25, 0.5, 0.125), how)
    np.testing.assert_array_equal(betweenness(got, weighted=True), betweenness(want, weighted=True))


def test_a_matrix_without_ties_stays_empty():
    assert strength_to_distance(sp.csr_array((2, 2))).nnz == 0
