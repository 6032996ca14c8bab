"""Damaged matrices: an error that names the matrix, or the reading of a plain loop; no signal."""

import copy

import broken
import numpy as np
import pytest
import scipy.sparse as sp
from damage import FORMS, damaged, plain
from hypothesis import example, given
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")


@pytest.fixture(scope="module")
def child():
    """A process that may die; the next call starts another."""
    made = broken.Child()
    yield made
    made.close()


def with_parts(A, **parts):
    """The matrix with other arrays."""
    for name, part in parts.items():
        setattr(A, name, np.array(part))
    return A


def squares():
    """A bsr matrix of two blocks."""
    return sp.bsr_array(np.kron(np.eye(4), np.ones((2, 2))), blocksize=(2, 2))


def test_damaged_matrices_are_refused_by_name_or_read_as_by_a_plain_loop(child):
    @given(
        st.sampled_from(list(FORMS)).flatmap(damaged),
        st.sets(st.sampled_from(list(broken.FUSSY)), max_size=6),
    )
    @example(with_parts(squares(), indptr=[0, 2000000, 0, 0, 0]), {"betweenness"})
    @example(with_parts(squares(), indptr=[0, -5, 0, 0, 0]), {*broken.FUSSY})
    @example(with_parts(sp.eye_array(4, format="dia"), offsets=[-(2**63)]), {"bfs", "report"})
    @example(with_parts(sp.eye_array(4, format="dia"), offsets=[2**63]), set())
    def check(A, functions):
        state = A if isinstance(A, tuple) else vars(A)
        before = copy.deepcopy(state)
        want = plain(A)
        parts = type(A).__name__, state
        for name, said in child(broken.called, functions, *parts).items():
            assert said or want is not None, f"{name} takes it"
        got = child(broken.stored, *parts)
        assert isinstance(got, str) == (want is None), (got, want)
        if isinstance(A, tuple) and want is not None:
            assert got.keys() == {(i, j) for i, j in want if i != j}
        elif want is not None:
            np.testing.assert_equal(got, want)
        assert repr(state) == repr(before)

    check()
