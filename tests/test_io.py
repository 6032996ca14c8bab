"""Matrices that are read: of Matrix Market and of SciPy, in every type and layout."""

import re

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from graph_texts import BANNER, assert_canonical, edges

from sparsebc import io


@pytest.mark.parametrize(
    ("field", "dtype"), [("pattern", np.float64), ("real", np.float64), ("integer", np.int64)]
)
def test_fields_of_matrix_market(tmp_path, field, dtype):
    """Nodes are counted as the file counts; those without an entry stay."""
    value = "" if field == "pattern" else " 1"
    for entries, want in (
        ([], {}),
        (["3 1", "1 2", "1 2"], {("3", "1"): 1, ("1", "2"): 1}),
    ):
        lines = [f"{BANNER}{field} general", f"4 4 {len(entries)}", *(e + value for e in entries)]
        (tmp_path / "a.mtx").write_text("\n".join([*lines, ""]))
        network = io.read(tmp_path / "a.mtx")
        assert (edges(network), network.names) == (want, tuple("1234"))
        assert network.matrix.dtype == dtype
    (tmp_path / "a.mtx").write_text(f"{BANNER}{field} general\n0 0 0\n")
    assert io.read(tmp_path / "a.mtx").matrix.shape == (0, 0)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("fmt", ["csr", "csc", "coo"])
@pytest.mark.parametrize(
    ("stored", "dtype"),
    [(np.float32, np.float64), (np.float64, np.float64), (np.int16, np.int16), (bool, bool)],
)
def test_npz(tmp_path, kind, fmt, stored, dtype):
    data, row, column = np.array([1, 0, 1, 1], stored), [2, 0, 0, 2], [0, 2, 1, 0]
    matrix = getattr(sp, f"coo_{kind}")((data, (row, column)), shape=(3, 3))
    if fmt != "coo":
        matrix = matrix.asformat(fmt)
        matrix.data[:] = matrix.data.astype(bool)  # asformat() sums the repeated entry
    sp.save_npz(tmp_path / "a.npz", matrix)
    network = io.read(tmp_path / "a.npz")
    assert edges(network) == {("2", "0"): 1, ("0", "2"): 0, ("0", "1"): 1}
    assert network.matrix.dtype == dtype
    assert_canonical(network)


def test_npz_with_unsorted_and_repeated_indices(tmp_path):
    matrix = sp.csr_array(([1, 2, 1], [1, 0, 1], [0, 3, 3]), shape=(2, 2))
    sp.save_npz(tmp_path / "a.npz", matrix)
    assert edges(io.read(tmp_path / "a.npz")) == {("0", "0"): 2, ("0", "1"): 1}


def with_indices(*indices):
    """A matrix that would make compiled code read foreign memory."""
    matrix = sp.csr_array(np.eye(2))
    matrix.indices[:] = indices
    return matrix


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (sp.csr_array((2, 3)), r"matrix of shape \(2, 3\); expected a square one"),
        (sp.csr_array([[1j]]), "matrix of dtype complex128; expected real numbers"),
        (
            sp.csc_array([[0, np.inf], [0, 0]]),
            r"entry \[0, 1\] counted from 0: weight inf",
        ),
        (
            sp.bsr_array(np.eye(2)),
            r"matrix in bsr format; save matrix.tocsr\(\); expected",
        ),
        (
            sp.dia_array(np.eye(2)),
            r"matrix in dia format; save matrix.tocsr\(\); expected",
        ),
        # SciPy before 1.15.3 cannot read one dimension.
        (sp.coo_array(np.ones(3)), "m.*; expected a (square one|matrix saved by)"),
        (with_indices(0, 7), ".*; expected a matrix saved by"),
        (with_indices(0, -1), ".*; expected a matrix saved by"),
    ],
)
def test_unsuitable_npz(tmp_path, matrix, message):
    path = tmp_path / "a.npz"
    sp.save_npz(path, matrix)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + message):
        io.read(path)


def test_memory_error_is_not_reworded(tmp_path, monkeypatch):
    def exhausted(_, **options):
        raise MemoryError

    monkeypatch.setattr(scipy.io, "mmread", exhausted)
    (tmp_path / "a.mtx").write_text(BANNER)
    with pytest.raises(MemoryError):
        io.read(tmp_path / "a.mtx")
