"""Writing scores and matrices: the round trips, and files that are never half written."""

import csv
import gzip
import io as stdio
import os
import re

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


class Fails(list):
    """Names that are there when they are looked at, and fail when they are written."""

    looked_at = False

    def __iter__(self):
        for k, name in enumerate(super().__iter__()):
            if self.looked_at and k == len(self) - 1:
                raise OSError(28, "No space left on device")
            yield name
        self.looked_at = True


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_a_writer_that_fails_leaves_the_old_file(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_text("old")
    count = 50_000  # enough that a part is on the disk when the last name fails
    names = Fails(map(str, range(count)))
    monkeypatch.setattr("sparsebc.io.texts.check", lambda texts, **options: None)
    with pytest.raises(OSError, match="No space left"):
        io.write_scores(path, {"x": np.zeros(count)}, names)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_a_file_being_written_is_not_yet_there(tmp_path):
    seen = []

    class Names(list):
        def __iter__(self):
            for name in super().__iter__():
                seen.append(sorted(path.read_text() for path in tmp_path.glob("scores.csv")))
                yield name

    (tmp_path / "scores.csv").write_text("old")
    io.write_scores(tmp_path / "scores.csv", {"x": [1.0, 2.0]}, Names("ab"))
    assert len(seen) >= 2
    assert all(texts == ["old"] for texts in seen)
    assert (tmp_path / "scores.csv").read_text() == "node,x\na,1.0\nb,2.0\n"


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
