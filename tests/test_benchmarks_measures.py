"""The benchmark of several measures: it checks values, and writes what it prints."""

import json

import pytest

from benchmarks import measures


def test_what_it_writes(tmp_path, capsys):
    """Every set of measures, and its ratio to betweenness."""
    output = tmp_path / "out.json"
    words = ["--device", "cpu", "--repeats", "1", "--output", str(output)]
    assert measures.main([*words, "--cases", "rmat-6x4:20"]) == 0
    (row,) = json.loads(output.read_text())["cases"]
    assert row["sources"] == 20
    assert row["deviation"] <= 1e-9
    times, ratios = row["median_seconds"]["host"], row["ratios"]["host"]
    assert times.keys() == ratios.keys() == measures.SETS.keys()
    for name, value in times.items():
        assert ratios[name] == pytest.approx(value / times["betweenness"])
    assert "rmat-6x4:20 float64 host: betweenness" in capsys.readouterr().out


def test_some_sets_by_length(tmp_path):
    """Lengths of a graph are heeded; the sets that are asked for, and betweenness."""
    output = tmp_path / "out.json"
    words = ["--device", "cpu", "--repeats", "1", "--output", str(output)]
    assert measures.main([*words, "--cases", "road-6x5w:7ball", "--sets", "edge_betweenness"]) == 0
    (row,) = json.loads(output.read_text())["cases"]
    assert (row["weighted"], row["sources"]) == (True, 7)
    assert list(row["ratios"]["host"]) == ["betweenness", "edge_betweenness"]


def test_it_believes_no_wrong_values(monkeypatch):
    """A deviation ends the run."""
    right = measures.sparsebc.centralities

    def wrong(*args, device, **options):
        found = right(*args, **{**options, "device": "cpu"})
        return {k: 2 * v for k, v in found.items()} if device == "reference" else found

    monkeypatch.setattr(measures.sparsebc, "centralities", wrong)
    with pytest.raises(RuntimeError, match=r"rmat-6x4:20 in float64: deviates by"):
        measures.measure("rmat-6x4:20", dtype="float64", folder=None, where="reference", repeats=1)


def test_measures_without_a_value_are_left_out(monkeypatch):
    """Stress beyond float64 has no time; the others have theirs."""
    right = measures.sparsebc.centralities

    def overflowing(A, names, **options):
        if "stress" in names:
            raise OverflowError
        return right(A, names, **options)

    monkeypatch.setattr(measures.sparsebc, "centralities", overflowing)
    row = measures.measure("mesh-4x5", dtype="float64", folder=None, where="cpu", repeats=1)
    without = [label for label, names in measures.SETS.items() if "stress" not in names]
    assert list(row["ratios"]["host"]) == without
