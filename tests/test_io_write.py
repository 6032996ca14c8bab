"""Writing scores and matrices: the round trips, and files that are never half written."""

import csv
import gzip
import io as stdio
import os
import re
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_io import NAMES

from sparsebc import io

SCORES = {"betweenness": np.array([0.1 + 0.2, 5e-324, np.nan]), "eccentricity": np.array([1, 2, 3])}
PLACES = ["a", 'b, "c"', "d\ne"]


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_scores_file(tmp_path, name):
    path = tmp_path / name
    io.write_scores(path, SCORES, PLACES)
    content = path.read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    assert text == (
        "node,betweenness,eccentricity\na,0.30000000000000004,1\n"
        '"b, ""c""",5e-324,2\n"d\ne",nan,3\n'
    )
    assert os.listdir(tmp_path) == [name]


def test_equal_scores_give_equal_bytes(tmp_path, monkeypatch):
    written = []
    for now in (0.0, 1e9):
        monkeypatch.setattr("time.time", lambda now=now: now)
        io.write_scores(str(tmp_path / "s.csv.gz"), SCORES, PLACES)
        written.append((tmp_path / "s.csv.gz").read_bytes())
    assert written[0] == written[1]


@given(st.lists(st.tuples(NAMES, st.floats(), st.floats(width=32)), max_size=8))
def test_scores_round_trip(rows):
    """Every float comes back as the same bits, NaN aside, and every name as it was."""
    names = [name for name, _, _ in rows]
    double = np.array([x for _, x, _ in rows], np.float64)
    single = np.array([x for _, _, x in rows], np.float32)
    file = stdio.StringIO()
    io.write_scores(file, {"x": double, "y, z": single}, names)
    file.seek(0)
    header, *lines = csv.reader(file)
    assert header == ["node", "x", "y, z"]
    assert [line[0] for line in lines] == names
    np.testing.assert_array_equal(np.array([float(line[1]) for line in lines]), double)
    np.testing.assert_array_equal(np.array([line[2] for line in lines], np.float32), single)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1.0], ValueError, "scores['x'] has shape (1,); expected (2,), one value for each of"),
        ([[1.0, 2.0]], ValueError, "scores['x'] has shape (1, 2); expected (2,)"),
        (["1", "2"], TypeError, "scores['x'] has dtype <U1; expected real numbers"),
        ([1j, 2], TypeError, "scores['x'] has dtype complex128; expected real numbers"),
        ([True, False], TypeError, "scores['x'] has dtype bool; expected real numbers"),
    ],
)
def test_unsuitable_scores(tmp_path, values, error, message):
    with pytest.raises(error, match=re.escape(message)):
        io.write_scores(tmp_path / "scores.csv", {"x": values}, ["a", "b"])
    assert os.listdir(tmp_path) == []


def test_scores_into_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        io.write_scores(tmp_path / "none" / "scores.csv", {}, [])


def test_scores_onto_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError):
        io.write_scores(tmp_path, {}, [])
    assert tmp_path.is_dir()


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_the_old_file_stays_until_all_is_written(tmp_path, monkeypatch, name, fails):
    """And for good where a writer fails."""
    path, seen = tmp_path / name, []
    names = list(map(str, range(50_000)))  # enough that a part is on the disk at the last one

    class Names(list):
        def __iter__(self):
            for name in super().__iter__():
                if name == names[-1]:
                    seen.append((path.read_text(), len(os.listdir(tmp_path))))
                    if fails and seen[-1][1] == 2:
                        raise OSError(28, "No space left on device")
                yield name

    path.write_text("old")
    with pytest.raises(OSError, match="No space left") if fails else nullcontext():
        io.write_scores(path, {"x": np.zeros(len(names))}, Names(names))
    assert seen[-1] == ("old", 2)
    assert (path.read_bytes() == b"old") == fails
    assert os.listdir(tmp_path) == [name]


def test_write_matrix(tmp_path):
    """A line for each source; inf, names and quotes come back as they were."""
    path = tmp_path / "matrix.csv.gz"
    io.write_matrix(path, [[0.1 + 0.2, np.inf], [-1, 3]], ["a", "b,c"], ["a", "b,c"])
    with gzip.open(path, "rt", newline="") as file:
        assert list(csv.reader(file)) == [
            ["source", "a", "b,c"],
            ["a", "0.30000000000000004", "inf"],
            ["b,c", "-1.0", "3.0"],
        ]


def test_write_matrix_refuses_another_shape(tmp_path):
    """Before a file appears."""
    with pytest.raises(ValueError, match=r"shape \(1, 2\); expected \(2, 1\)"):
        io.write_matrix(tmp_path / "matrix.csv", [[1, 2]], ["a", "b"], ["a"])
    assert not list(tmp_path.iterdir())
