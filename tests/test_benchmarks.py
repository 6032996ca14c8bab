"""The benchmarks run on small graphs, and measure no wrong values."""

import importlib
import json
import shlex

import pytest

from benchmarks import peers

ROOT = peers.ROOT

# Words of a small run of each suite, and the number of rows that the run writes.
RUNS = json.loads((ROOT / "tests" / "data" / "benchmarks.json").read_text())
# Small cases in place of those of a suite that take long.
PARTS = {"streets": {"helsinki": lambda: streets_of("bubenec")}}
LIBRARIES = {
    "headline": ["igraph", "networkit", "networkx"],
    "streets": ["cityseer", "momepy"],
}


def streets_of(town):
    """Streets of an example of momepy, which brings them along."""
    import geopandas
    import momepy

    return geopandas.read_file(momepy.datasets.get_path(town), layer="streets")[["geometry"]]


@pytest.mark.filterwarnings("ignore:frame has coordinates of web maps")  # momepy's town
@pytest.mark.long
@pytest.mark.parametrize("suite", RUNS)
def test_a_suite_writes_what_it_prints(suite, tmp_path, monkeypatch, capsys):
    """Rows that agree with their reference, in a JSON file without this machine's folders."""
    for library in LIBRARIES.get(suite, []):
        pytest.importorskip(library)
    module, (words, count) = importlib.import_module(f"benchmarks.{suite}"), RUNS[suite]
    for name, part in PARTS.get(suite, {}).items():
        monkeypatch.setattr(module, name, part)
    output = tmp_path / "new" / "out.json"
    assert not module.main([*shlex.split(words), "--output", str(output)])
    record = json.loads(output.read_text())
    assert {"date", "machine", "commit", "sparsebc"} <= record.keys()
    assert record["command"].startswith(f"python -m benchmarks.{suite}")
    assert str(tmp_path) not in output.read_text()
    rows = record["cases"]
    assert len(rows) == count
    checked = [*rows, *(each for row in rows for each in row.get("results", {}).values())]
    assert all(row.get("deviation", 0) <= 1e-9 for row in checked)
    assert len(capsys.readouterr().out.splitlines()) >= len(rows)
