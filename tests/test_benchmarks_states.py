"""An earlier state is measured beside this one, each by a process of its own."""

import json

import pytest

from benchmarks import states
from benchmarks.interpreters import ROOT


def test_two_states_agree_and_are_timed_in_turn(tmp_path, capsys):
    path = tmp_path / "states.json"
    states.main(
        ["--before", str(ROOT), "--cases", "ba-20x2", "--repeats", "2", "--output", str(path)]
    )
    (row,) = json.loads(path.read_text())["cases"]
    assert set(row["median_seconds"]) == {"before", "now"}
    assert all(len(times) == 2 for times in row["all_seconds"].values())
    assert row["ratio"] == row["median_seconds"]["before"] / row["median_seconds"]["now"]
    assert "ba-20x2" in capsys.readouterr().out


def test_a_state_with_other_scores_is_no_faster_one(tmp_path):
    package = tmp_path / "sparsebc"
    package.mkdir()
    package.joinpath("__init__.py").write_text(
        "import numpy as np\ndef betweenness(A, **options): return np.ones(A.shape[0])\n"
    )
    with pytest.raises(AssertionError):
        states.main(
            ["--before", str(tmp_path), "--cases", "ba-20x2", "--output", str(tmp_path / "out")]
        )


def test_a_state_that_fails_is_told(tmp_path):
    tmp_path.joinpath("sparsebc.py").write_text("raise ImportError\n")
    with pytest.raises(SystemExit, match="ended with code 1"):
        states.main(
            ["--before", str(tmp_path), "--cases", "ba-20x2", "--output", str(tmp_path / "out")]
        )


def test_without_git(tmp_path, monkeypatch):
    """A machine may lack it: the commit is unknown then, as that of a folder is."""
    assert states.commit(tmp_path) == "unknown"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert states.commit(ROOT) == "unknown"
