"""The benchmark of groups: it checks values, and writes what it prints."""

import json

import pytest

from benchmarks import groups


@pytest.mark.parametrize("name", ["ba-40x2", "road-8x8w"])
def test_what_it_writes(tmp_path, capsys, name):
    """Times of every call."""
    output = tmp_path / "out.json"
    assert groups.main(["--repeats", "1", "--output", str(output), "--cases", name]) == 0
    (row,) = json.loads(output.read_text())["cases"]
    assert row["deviation"] <= groups.TOLERANCE
    assert row["by_length"] == ("w" in name)
    assert set(row["median_seconds"]) == {"betweenness", "one group", "8 groups", "prominent 5"}
    assert f"{name}: betweenness " in capsys.readouterr().out


def test_it_believes_no_wrong_values(monkeypatch):
    """A deviation ends the run."""
    right = groups.sparsebc.group_betweenness
    monkeypatch.setattr(
        groups.sparsebc, "group_betweenness", lambda *args, **options: right(*args, **options) + 1
    )
    with pytest.raises(RuntimeError, match="road-8x8: groups of one node deviate by"):
        groups.measure("road-8x8", folder=None, repeats=1, where="cpu")
