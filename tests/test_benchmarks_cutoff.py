"""The benchmark of cutoffs: it checks values, and writes what it prints."""

import json

import pytest

from benchmarks import cutoff


@pytest.mark.parametrize("name", ["road-8x8", "road-8x8w:20"])
def test_what_it_writes(fast_device, tmp_path, capsys, name):
    """Times of every way, the share of the whole run, and a radius that is no whole run."""
    output = tmp_path / "out.json"
    words = ["--share", "0.3", "--repeats", "1", "--output", str(output), "--cases", name]
    words += ["--device", fast_device]
    assert cutoff.main(words) == 0
    found = json.loads(output.read_text())
    assert ("device" in found) == (fast_device == "cuda")
    (row,) = found["cases"]
    assert row["deviation"] <= cutoff.TOLERANCE
    assert row["by_length"] == ("w" in name)
    assert row["sources"] == (20 if ":" in name else row["nodes"])
    times = row["median_seconds"]
    assert len(times) == 3 * len(cutoff.MEASURES)
    for measure, share in row["shares"].items():
        assert share == pytest.approx(times[f"{measure}, one"] / times[f"{measure}, whole"])
    assert f"{name} within {row['radius']:g}: betweenness, whole" in capsys.readouterr().out


def test_it_believes_no_wrong_values(monkeypatch):
    """A deviation ends the run."""
    right = cutoff.sparsebc.betweenness

    def wrong(*args, device, **options):
        return right(*args, device=device, **options) * (1 + (device == "reference"))

    monkeypatch.setattr(cutoff.sparsebc, "betweenness", wrong)
    with pytest.raises(RuntimeError, match=r"road-8x8 within .*: deviates by"):
        cutoff.measure("road-8x8", folder=None, share=0.3, repeats=1)
