"""All functions and a matrix: broken ones are refused, changed ones do no harm, none is altered."""

import broken
import numpy as np
import pytest
import scipy.sparse as sp

from sparsebc import io, report
from sparsebc.reports import page


def untidy():
    """Unsorted rows with repeated entries, by the arrays that sharing matrices would have."""
    indptr = np.array([0, 2, 5, 7, 8], dtype=np.int32)
    indices = np.array([1, 1, 2, 0, 2, 3, 1, 2], dtype=np.int32)
    return np.arange(1.0, 9), indices, indptr


def given(form):
    """A matrix of four nodes in a format, its entries out of order where that can be."""
    A = sp.csr_array(untidy(), shape=(4, 4))
    if form in ("csc", "coo"):  # SciPy's conversions would put entries in order
        data, indices, indptr = untidy()
        rows = np.repeat(np.arange(4, dtype=np.int32), np.diff(indptr))
        if form == "coo":
            return sp.coo_array((data, (rows, indices)), shape=(4, 4))
        return sp.csc_array(untidy(), shape=(4, 4))
    return A if form == "csr" else A.asformat(form)


def state(value):
    """All that an object holds: bytes of arrays, and what SciPy remembers of them."""
    if isinstance(value, np.ndarray):
        held = value.tolist() if value.dtype == object else value.tobytes()
        return id(value), held, value.dtype, value.flags.writeable
    if isinstance(value, (tuple, list)):
        return [state(item) for item in value]
    if isinstance(value, dict):
        return [(key, state(item)) for key, item in value.items()]
    return state(vars(value)) if sp.issparse(value) else value


@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
def test_nothing_given_is_changed(form, writeable, monkeypatch):
    """Not a byte of an array, nor a flag of a matrix, by any function."""
    monkeypatch.setattr(page, "render", lambda content: content.title)  # which takes half a second
    functions = (
        broken.FUNCTIONS
        if form in ("csr", "csc", "coo")
        else {
            name: broken.FUNCTIONS[name] for name in ("betweenness", "report", "part_of, isolated")
        }
    )
    for name, function in functions.items():
        A = given(form)
        for array in vars(A).values():
            for part in array if isinstance(array, tuple) else [array]:
                if isinstance(part, np.ndarray):
                    part.flags.writeable = writeable
        before = state(A)
        function(A)
        assert state(A) == before, name


@pytest.mark.parametrize("write", ["report", "write_network"])
def test_scores_that_share_the_arrays_of_the_matrix(write, tmp_path):
    """The weights of the matrix stay on their edges."""
    A = sp.csr_array(untidy(), shape=(4, 4))
    scores = sp.csr_array((np.ones(8), A.indices, A.indptr), shape=(4, 4))
    assert np.shares_memory(scores.indices, A.indices)
    dense = A.toarray()
    if write == "report":
        report(tmp_path / "a.html", A, edges={"x": scores})
    else:
        io.write_network(tmp_path / "a.gexf", A, edges={"x": scores})
    np.testing.assert_array_equal(A.toarray(), dense)
    np.testing.assert_array_equal(A.indices, untidy()[1])
