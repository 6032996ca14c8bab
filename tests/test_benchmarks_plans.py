"""The benchmarks of reductions and of predicted times: they compare, print a line and write."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import sparsebc
from benchmarks import chains, estimates, reductions


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
    wrong = lambda A, names, reduce, **_: {names[0]: np.full(3, float(reduce == "all"))}  # noqa: E731
    monkeypatch.setattr(sparsebc, "centralities", wrong)
    with pytest.raises(AssertionError, match="Not equal"):
        reductions.main(["--cases", "leafy-90x3", "--output", str(tmp_path / "out.json")])


def test_reductions_within_a_cutoff_and_of_several_measures(tmp_path):
    """As asked for, and kept in the row."""
    output = tmp_path / "out.json"
    words = ["--cases", "leafy-90x3", "--measures", "betweenness+stress", "--cutoff", "2"]
    reductions.main([*words, "--repeats", "1", "--output", str(output)])
    (row,) = json.loads(output.read_text())["cases"]
    assert (row["measure"], row["cutoff"]) == ("betweenness+stress", 2)


def test_chains(tmp_path, capsys):
    """Ends of chains by kind of question; of a directed graph, what two neighbours would save."""
    chain, back = np.r_[0, np.arange(10, 200)], np.r_[np.arange(10, 200), 1]
    i, j = np.r_[chain, 0, 1, 2], np.r_[back, 1, 2, 0]
    for name, directed in (("streets", False), ("ways", True)):
        A = sp.coo_array((np.ones(i.size), (i, j)), shape=(200, 200))
        A = sp.csr_array(A if directed else A + A.T)
        sp.save_npz(tmp_path / f"{name}.npz", A)
        with np.load(tmp_path / f"{name}.npz") as stored:
            fields = dict(stored)
        np.savez(tmp_path / f"{name}.npz", **fields, directed=directed, weighted=False)
    output = tmp_path / "out.json"
    chains.main(["--folder", str(tmp_path), "--output", str(output)])
    rows = {(row["graph"], row["asked"]): row for row in json.loads(output.read_text())["cases"]}
    of_ends = rows["streets", "stress"]
    assert (of_ends["sources"], of_ends["ends"], of_ends["used"]) == (193, 2, True)
    assert of_ends["cost"] == (2 * 2 + 2 * 2 * 0.25) / 193
    directed = rows["ways", "directed"]
    assert (directed["sources"], directed["one way"], directed["two ways"]) == (193, 191, 0)
    assert "ways" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        chains.main([])


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
