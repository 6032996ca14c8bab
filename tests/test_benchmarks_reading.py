"""The benchmark of reading: it runs processes on small files, and writes what it prints."""

import json
import sys

import pytest

from benchmarks import reading


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_what_it_writes(tmp_path, capsys, monkeypatch):
    """Our reader and another for text, and a frame, on the same edges."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    for table, kept in (
        (reading.TEXTS, [reading.STRING]),
        (reading.READERS, ["pandas", "sparsebc.io.read"]),
        (reading.FRAMES, ["pandas"]),
    ):
        for name in set(table) - set(kept):
            monkeypatch.delitem(table, name)
    output = tmp_path / "out.json"
    words = ["--edges", "1e3", "--repeats", "1", "--output", str(output)]
    assert reading.main(words) == 0
    rows = json.loads(output.read_text())["cases"]
    assert [(row["form"], row["reader"]) for row in rows] == [
        ("text", "pandas"),
        ("text", "sparsebc.io.read"),
        ("frame", "pandas"),
    ]
    for row in rows:
        assert row["edges_per_second"] == row["edges"] / row["processor_seconds"] > 0
        assert row["times_the_arrays"] == pytest.approx(row["bytes_per_edge"] / 24)
    assert capsys.readouterr().out.count("STRING") == 3


def test_a_process_that_fails_has_no_time(tmp_path):
    path = tmp_path / "edges.csv"
    with pytest.raises(RuntimeError, match=r"sparsebc\.nothing\(\) of edges\.csv: "):
        reading.spent("sparsebc.nothing", "", "sparsebc.nothing()", path, ",", 1)
