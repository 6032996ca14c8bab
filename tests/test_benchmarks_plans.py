"""The benchmarks of reductions and of predicted times: they compare, print a line and write."""

import json

import numpy as np
import pytest

import sparsebc
from benchmarks import estimates, reductions


def test_reductions(tmp_path, capsys):
    """Both choices are timed in turn, and equal scores are a condition."""
    output = tmp_path / "out.json"
    words = ["--cases", "leafy-300x4", "leafy-90x3w", "--measures", "closeness", "betweenness"]
    reductions.main([*words, "--repeats", "2", "--output", str(output)])
    record = json.loads(output.read_text())
    assert record["command"].startswith("python -m benchmarks.reductions --cases leafy-300x4")
    assert [row["graph"] for row in record["cases"]] == ["leafy-300x4"] * 2 + ["leafy-90x3w"] * 2
    for row in record["cases"]:
        assert {len(times) for times in row["all_seconds"].values()} == {2}
        assert row["ratio"] == row["median_seconds"]["none"] / row["median_seconds"]["all"]
    assert "leafy-90x3w" in capsys.readouterr().out


def test_reductions_from_some_sources(tmp_path):
    """Whole runs of nodes, spread over all."""
    assert reductions.sampled(700, None).tolist() == list(range(700))
    assert reductions.sampled(2600, 900).tolist() == [
        *range(500),
        *range(1000, 1500),
        *range(2000, 2500),
    ]
    output = tmp_path / "out.json"
    words = ["--cases", "leafy-1200x3", "--measures", "betweenness", "--sources", "600"]
    reductions.main([*words, "--repeats", "1", "--output", str(output)])
    assert json.loads(output.read_text())["cases"][0]["sources"] == 700


def test_reductions_that_change_a_score_are_told(monkeypatch, tmp_path):
    """No time of wrong scores."""
    monkeypatch.setattr(
        sparsebc, "closeness", lambda A, reduce, **_: np.full(3, float(reduce == "all"))
    )
    with pytest.raises(AssertionError, match="Not equal"):
        reductions.main(["--cases", "leafy-90x3", "--output", str(tmp_path / "out.json")])


def test_estimates(tmp_path, capsys, monkeypatch):
    """Plan and call in turn; off where the plan is wrong by more than half."""
    output = tmp_path / "out.json"
    words = ["--cases", "ws-200x4", "--measures", "closeness", "--repeats", "1"]
    estimates.main([*words, "--output", str(output)])
    (row,) = json.loads(output.read_text())["cases"]
    assert row["median_seconds"].keys() == {"predicted", "seconds", "explain"}
    assert row["ratio"] == row["median_seconds"]["predicted"] / row["median_seconds"]["seconds"]
    monkeypatch.setattr(estimates, "GOAL", 1e9)
    estimates.main([*words, "--output", str(output)])
    assert capsys.readouterr().out.count("good") >= 1
