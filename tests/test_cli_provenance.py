"""How scores came about, in every output of a command."""

import gzip
import hashlib
import json
import os
import re
import threading
import xml.etree.ElementTree as ET

import igraph
import networkx as nx
import pytest
import scipy.io
import scipy.sparse
from pages import Page

import sparsebc
from sparsebc import io

EDGES = "source,target,weight\na,b,900\nb,c,800\nc,d,700\nd,e,300\na,d,500\n"
LINE = "betweenness edges.csv --samples 3 --threshold 400 --strength reciprocal".split()


@pytest.fixture
def edges(folder):
    (folder / "edges.csv").write_text(EDGES)
    return folder


def told(folder, name):
    """What a file says of how its scores came about, as text by title."""
    text = (folder / name).read_text() if not name.endswith("parquet") else ""
    suffix = name.rpartition(".")[2]
    if suffix in ("csv", "tsv", "txt"):
        lines = [line[2:] for line in text.splitlines() if line.startswith("# ")]
        return dict(line.split(": ", 1) for line in lines)
    if suffix == "graphml":
        found = nx.read_graphml(folder / name).graph
        assert igraph.Graph.Read_GraphML(str(folder / name))["command"] == found["command"]
    elif suffix == "gexf":
        nx.read_gexf(folder / name)
        described = ET.parse(folder / name).find(".//{*}description").text
        parts = re.split(r"; (?=\w+: )", described)  # notes have semicolons
        found = dict(one.split(": ", 1) for one in parts)
    elif suffix == "html":
        page = Page(text)
        assert any("these are estimates" in note for note in page.texts["p"])
        found = dict(zip(page.texts["dt"], page.texts["dd"], strict=True))
    elif suffix == "json":
        found = json.loads(text)["provenance"]
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        found = json.loads(parquet.read_schema(folder / name).metadata[b"sparsebc"])
    return {title: str(value) for title, value in found.items()}


@pytest.mark.parametrize(
    "suffix", ["csv", "tsv", "txt", "json", "parquet", "graphml", "gexf", "html"]
)
def test_every_format_tells_how_scores_came_about(edges, done, suffix):
    """Version, date, command, checksum, what was asked, the seed that was drawn, the device."""
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    out = done(*LINE, "--provenance", "-o", f"s.{suffix}", "--device", "cpu", "--json")
    record = json.loads(out)
    want = record["provenance"]
    got = told(edges, f"s.{suffix}")
    assert want["sparsebc"] == sparsebc.__version__
    assert want["sha256"] == {"edges.csv": hashlib.sha256(EDGES.encode()).hexdigest()}
    assert want["estimate"] is True
    assert any("these are estimates, from 3 of 5 sources" in note for note in record["notes"])
    for title in ("sparsebc", "date", "command", "samples", "seed", "threshold", "length"):
        assert got[title] == str(want[title]), title
    assert got["length"] == "1 / weight"
    if suffix != "html":  # which has them in lines of their own
        assert all(note in got["notes"] for note in record["notes"])
    assert got["directed"].lower() == "false"
    assert got["device"] == "cpu"
    assert hashlib.sha256(EDGES.encode()).hexdigest() in got["sha256"]


@pytest.mark.parametrize("line", [LINE, ("null-model", "edges.csv", "--samples", "12")])
def test_the_seed_told_gives_the_same_scores(edges, run, line):
    """And all but the date and the command are the same."""
    first = json.loads(run(*line, "--json")[1])
    seed = first["provenance"]["seed"]
    second = json.loads(run(*line, "--json", "--seed", seed)[1])
    assert first["rows"] == second["rows"]
    for record in (first, second):
        record["provenance"].pop("date")
        record["provenance"].pop("command")
    assert first["provenance"] == second["provenance"]


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.json"])
def test_tables_of_text_tell_how_scores_came_about_on_request(edges, done, name):
    """Else they are what every reader takes."""
    done("betweenness", "edges.csv", "-o", name)
    assert "sparsebc" not in (edges / name).read_text()


@pytest.mark.parametrize("directed", [[], ["--directed"]])
@pytest.mark.parametrize("command", ["betweenness", "edge-betweenness"])
def test_what_scores_of_some_pairs_are_divided_by(edges, run, command, directed):
    """By the number that is told: times that, they are the raw sums."""
    line = (command, "edges.csv", "--sources", "a", "--json", *directed)
    score = command.replace("-", "_")
    normal, raw = (json.loads(run(*line, *more)[1]) for more in ([], ["--raw"]))
    (note,) = [note for note in normal["notes"] if "normalized by all" in note]
    pairs = int(note.split()[3])
    assert not [note for note in raw["notes"] if "normalized by all" in note]
    got = [row[score] * pairs for row in normal["rows"]]
    assert got == pytest.approx([row[score] for row in raw["rows"]])


def test_what_a_full_disk_does_not_take_is_kept(edges, run, monkeypatch):
    """In a folder for temporary files, which the error names."""
    from sparsebc.io.write import Table

    lines = Table.lines

    def fails_at_first(*args, **options):
        monkeypatch.setattr(Table, "lines", lines)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Table, "lines", fails_at_first)
    monkeypatch.setattr("tempfile.tempdir", str(edges))
    status, _, err = run("betweenness", "edges.csv", "-o", "s.csv")
    assert status == 1
    assert "s.csv: No space left on device (the results are kept in " in err
    (kept,) = edges.glob("sparsebc-*/s.csv")
    assert str(kept) in err
    assert kept.read_text().startswith("node,betweenness\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_the_checksum_is_of_the_bytes_that_were_read(edges, done):
    """Of a pipe as well, which can be read only once; of each table and list."""
    content = {"pipe.csv": EDGES, "names.csv": "a,A\n", "list.txt": "b\n"}
    os.mkfifo("pipe.csv")
    writer = threading.Thread(target=(edges / "pipe.csv").write_text, args=[EDGES])
    writer.start()
    for name in ("names.csv", "list.txt"):
        (edges / name).write_text(content[name])
    line = ("betweenness", "pipe.csv", "--names", "names.csv", "--sources", "@list.txt")
    out = done(*line, "--json", "--device", "reference")
    writer.join()
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in content.items()}
    assert json.loads(out)["provenance"]["sha256"] == digests


@pytest.mark.parametrize("name", ["edges.csv.gz", "edges.mtx", "edges.npz", "edges.graphml"])
def test_the_checksum_is_of_the_whole_file(edges, done, name):
    """Also where a reader stops before its end, or moves about in it."""
    graph = nx.Graph([("a", "b"), ("b", "c")])
    if name.endswith("gz"):
        (edges / name).write_bytes(gzip.compress(EDGES.encode()) + b"\0" * 70_000)
    elif name.endswith("mtx"):
        scipy.io.mmwrite(edges / name, nx.to_scipy_sparse_array(graph))
    elif name.endswith("npz"):
        scipy.sparse.save_npz(edges / name, nx.to_scipy_sparse_array(graph))
    else:
        nx.write_graphml(graph, edges / name)
    out = done("betweenness", name, "--json", "--device", "reference", "--quiet")
    want = hashlib.sha256((edges / name).read_bytes()).hexdigest()
    assert json.loads(out)["provenance"]["sha256"] == {name: want}


def test_a_file_that_changes_between_two_readings_is_refused(edges, run, monkeypatch):
    """Weights and probabilities are read one after the other."""
    read, count = io.read, []

    def changing(file, **told):
        count.append(1)
        found = read(file, **told)
        (edges / "edges.csv").write_text(EDGES.replace("900", "800"))
        return found

    monkeypatch.setattr(io, "read", changing)
    line = ("null-model", "edges.csv", "--model", "edge-probability")
    line += ("--columns", "source=source,target=target,probability=weight")
    status, _, err = run(*line, "--scale", "1000", "--samples", "2")
    assert (status, len(count)) == (1, 2)
    assert "edges.csv changed while it was read" in err
