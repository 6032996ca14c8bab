"""The command null-model: the numbers of the public function to the bit, in every format."""

import csv
import json
import shlex
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pages import Page

from sparsebc import null_model, part_of, strength_to_distance
from sparsebc.io import read

FIELDS = ("mean", "std", "z", "p", "q", "low", "high")
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (8, 9)]


@pytest.fixture(autouse=True)
def network(tmp_path, monkeypatch):
    """Edges with a length and a score up to 1000, in names; the last one is apart."""
    monkeypatch.chdir(tmp_path)
    rows = [f"g{u},g{v},{1 + k / 8},{990 - 40 * k}\n" for k, (u, v) in enumerate(EDGES)]
    Path("edges.csv").write_text("source,target,length,score\n" + "".join(rows))
    return lambda column: read("edges.csv", source="source", target="target", weight=column)


def columns(path="out.csv"):
    """Columns of numbers of a csv file."""
    rows = csv.reader(Path(path).read_text().splitlines())
    return {title: [*map(float, cells)] for title, *cells in list(zip(*rows, strict=True))[1:]}


def told(run, *words, line="null-model edges.csv --samples 12 --device cpu --quiet -o out.csv"):
    """What the command says as JSON."""
    status, out, err = run(*shlex.split(line), *words, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", {}),
        ("--directed", {"directed": True}),
        (
            "--swaps 1 --tail two-sided --raw",
            {"swaps": 1, "tail": "two-sided", "normalized": False},
        ),
        ("--sources g0 g1 --targets g6", {"sources": [0, 1], "targets": [6]}),
        ("--weighted --weights shuffled", {"weighted": True, "weights": "shuffled"}),
        ("--measures closeness,stress", {"measure": ["closeness", "stress"]}),
        ("--cutoff 2,3", {"cutoff": [2, 3]}),
    ],
)
def test_same_degrees(run, network, words, options):
    """Statistics are columns, named after their score where there are several."""
    how = "--columns source=source,target=target,weight=length --seed 5"
    told(run, *how.split(), *words.split())
    A = network("length").matrix
    options = {"samples": 12, "rng": 5, "directed": False} | options
    if "cutoff" in options:  # one after the other
        want = {c: null_model(A, **options | {"cutoff": c}) for c in options["cutoff"]}
        want = {f"betweenness_{c}": one for c, one in want.items()}
    else:
        want = null_model(A, **options)
    if isinstance(want, dict):
        expected = {name: one.score for name, one in want.items()}
        expected |= {f"{name}_{f}": getattr(one, f) for name, one in want.items() for f in FIELDS}
    else:
        expected = {"betweenness": want.score} | {f: getattr(want, f) for f in FIELDS}
    found = columns()
    assert list(found) == list(expected)
    for title, values in expected.items():
        assert_array_equal(found[title], values, title)


@pytest.mark.parametrize(
    "words",
    [
        "--columns source=source,target=target,weight=score",
        "--columns source=source,target=target,weight=score --strength log",
        "--columns source=source,target=target,weight=length --weighted --probability share",
    ],
)
def test_edges_with_probabilities(run, network, words):
    """The weights, or a column beside them, of the edges that are left; no z, p and q."""
    lines = Path("edges.csv").read_text().splitlines()
    shares = [f"{line},{int(line.split(',')[3]) / 1000}" for line in lines[1:]]
    Path("edges.csv").write_text("\n".join([f"{lines[0]},share", *shares]))
    A, P = (network(column).matrix.astype(float) for column in ("length", "score"))
    P.data /= 1000
    weighted = "--weighted" in words
    words += " --threshold 1.25" if weighted else " --threshold 700 --scale 1000"
    _, inside = part_of(A, threshold=1.25) if weighted else part_of(P, threshold=0.7)
    del inside  # all nodes stay until the largest part is taken
    keep = (A >= 1.25) if weighted else (P >= 0.7)
    part, nodes = part_of(A.multiply(keep).tocsr(), largest_component=True)
    left = P.multiply(keep).tocsr()[nodes][:, nodes]
    matrix = part if weighted else left
    if "log" in words:
        matrix = strength_to_distance(left, "-log")
    want = null_model(
        matrix, model="edge-probability", probability=left, samples=12, rng=3, directed=False,
        weighted=weighted or "log" in words,
    )  # fmt: skip
    how = "--model edge-probability --seed 3 --largest-component"
    record = told(run, *words.split(), *how.split())
    found = columns()
    assert list(found) == ["betweenness", "mean", "std", "low", "high"]
    assert 1 < len(nodes) < 8
    assert_array_equal(found["betweenness"], want.score)
    for field in ("mean", "std", "low", "high"):
        assert_array_equal(found[field], getattr(want, field))
    assert np.ptp(want.std) > 0
    assert not {"swaps", "weights", "tail"} & {*record["provenance"]}
    assert not any("not looked at" in note for note in record["notes"])


def test_the_seed_that_was_drawn(run):
    """It is told, and with it the samples are the same; the highest z comes first."""
    first = told(run, "--top", "0", "--provenance")
    seed = first["seed"]
    assert first["provenance"]["seed"] == seed
    for title, value in {"samples": 12, "model": "degree", "swaps": 10, "tail": "greater"}.items():
        assert first["provenance"][title] == value
        assert f"# {title}: {value}\n" in Path("out.csv").read_text()
    assert told(run, "--top", "0", "--seed", str(seed))["ranking"] == first["ranking"]
    z = [row["z"] for row in first["ranking"]]
    assert z == sorted(z, reverse=True)
    assert z[0] > z[-1]


def test_samples_that_are_too_few(run):
    """A note says so where p cannot be small enough, and only there."""
    few = told(run, line="null-model karate --samples 12 --seed 1 --device cpu --quiet")
    assert few["significant"] == 0
    q = min(row["q"] for row in few["ranking"])
    assert any(f"their q is {q:.2g} as p is never below 0.077" in note for note in few["notes"])


@pytest.mark.parametrize("suffix", ["graphml", "json"])
def test_formats(run, suffix):
    """The network with all columns, or a table."""
    told(run, "--seed", "1", line=f"null-model edges.csv --samples 12 --quiet -o out.{suffix}")
    told(run, "--seed", "1")
    want = {title: values for title, values in columns().items()}
    if suffix == "graphml":
        rows = [row for _, row in nx.read_graphml("out.graphml").nodes(data=True)]
    else:
        rows = json.loads(Path("out.json").read_text())
    for title, values in want.items():
        assert [row[title] for row in rows] == values


def test_the_page(run):
    """Columns of expectation, z and q beside the score."""
    told(run, "--seed", "1")
    want = columns()
    told(run, line="null-model edges.csv --samples 12 --seed 1 --quiet -o out.html")
    shown = Page(Path("out.html").read_text())
    rows = shown.columns()
    order = np.argsort(-np.array(want["betweenness"]), kind="stable")
    for key, title in {"s0": "betweenness", "b0": "mean", "b1": "z", "b2": "q"}.items():
        assert_array_equal(rows[key], np.array(want[title])[order])
    assert shown.texts["h1"] == ["Betweenness of edges.csv"]


def test_a_checkpoint(run, network):
    """Its status counts samples; resume goes on to the same table."""
    line = "null-model edges.csv --samples 12 --seed 2 --device cpu --quiet"
    assert run(*line.split(), "-o", "want.csv")[0] == 0
    status, _, err = run(*line.split(), "-o", "out.csv", "--checkpoint", "kept")
    assert (status, err) == (0, "")
    assert "samples  12 of 12 (100.0%)" in run("status", "kept")[1]
    assert json.loads(run("status", "kept", "--json")[1])["of_samples"] == 12
    Path("out.csv").unlink()
    assert run("resume", "kept")[0] == 0
    assert Path("out.csv").read_text() == Path("want.csv").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--samples 1", "expected an integer from 2 on"),
        ("--probability share", "--probability has an effect only with --model edge-probability"),
        ("--model edge-probability --weighted", "name the column of --probability"),
        (
            "--model edge-probability",
            "'g0' - 'g1' has probability 990: expected above 0 and up to 1",
        ),
        (
            "--model edge-probability --scale 1000 --swaps 3",
            "--swaps 3 has an effect only with --model degree",
        ),
        (
            "--model edge-probability --scale 1000 --tail two-sided",
            "--tail two-sided has an effect",
        ),
        (
            "--model edge-probability --probability length",
            "has probability 1.125: expected above 0",
        ),
        ("--model edge-probability --probability none", "'none'"),
        ("--weights shuffled", "--weights shuffled has an effect only with --weighted"),
        ("--checkpoint kept", "--checkpoint: without --seed each run draws other networks"),
        ("--measures edge-betweenness", "expected some of betweenness,"),
    ],
)
def test_what_is_refused(run, words, said):
    """In one line, in words of the command."""
    columns = "source=source,target=target,weight=score"
    status, _, err = run("null-model", "edges.csv", "--columns", columns, *words.split())
    assert status in (1, 2)
    assert said in err
    assert err.count("\n") == 1


def test_a_probability_needs_a_file(run, monkeypatch):
    """That can be read twice."""
    words = "--model edge-probability --probability p".split()
    assert "is a dataset" in run("null-model", "karate", *words)[2]
