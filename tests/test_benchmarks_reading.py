"""The benchmark of reading: it runs processes on small files, and writes what it prints."""

import json
import sys

import pytest

from benchmarks import csv_peers, reading
from sparsebc import io


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_what_it_writes(tmp_path, capsys, monkeypatch):
    """Our reader and another for text, and a frame, on the same edges."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    for table, kept in (
        (reading.READERS, ["sparsebc.io.read"]),
        (reading.FRAMES, []),
        (reading.TYPES, ["pandas, category"]),
    ):
        for name in set(table) - set(kept):
            monkeypatch.delitem(table, name)
    monkeypatch.setattr(reading, "NUMBERED", ["pandas"])
    output = tmp_path / "out.json"
    words = ["--edges", "1e3", "--kinds", "STRING", "--repeats", "1", "--output", str(output)]
    assert reading.main(words) == 0
    rows = json.loads(output.read_text())["cases"]
    assert [(row["form"], row["reader"]) for row in rows] == [
        ("text", "sparsebc.io.read"),
        ("text", "pandas, numbered"),
        ("frame", "pandas, category"),
    ]
    for row in rows:
        assert row["edges_per_second"] == row["edges"] / row["processor_seconds"] > 0
        assert row["times_the_arrays"] == pytest.approx(row["bytes_per_edge"] / 24)
    assert capsys.readouterr().out.count("STRING") == 3


@pytest.mark.parametrize("peer", reading.NUMBERED)
def test_the_peers_return_the_same_network(tmp_path, peer):
    """By the names of the nodes: their order is the library's."""
    for library in ("pyarrow", peer.partition("_")[0]):
        pytest.importorskip(library)
    path = tmp_path / "edges.csv"
    reading.write(reading.edges(reading.NAMES, 300), path, " ")
    found, want = getattr(csv_peers, peer)(str(path), " "), io.read(path)
    assert sorted(found[1]) == sorted(want.names)
    place = [found[1].index(name) for name in want.names]
    assert (found[0][place][:, place] != want.matrix).nnz == 0


def test_a_process_that_fails_has_no_time(tmp_path):
    path = tmp_path / "edges.csv"
    with pytest.raises(RuntimeError, match=r"sparsebc\.nothing\(\) of edges\.csv: "):
        reading.spent("sparsebc.nothing", "", "sparsebc.nothing()", [path], ",", 1)
