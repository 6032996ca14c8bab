"""The command approximate: what it prints and writes, and what it refuses."""

import csv
import json
import os
import signal
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.io
from graphs import matrix

from sparsebc import approximate_betweenness, datasets
from sparsebc.measures.sampling import sampler as sampling
from sparsebc.run import progress

GRID, NAMES = datasets.load("power-grid-europe")
UNUSED = (
    "note: weights are not looked at; --weighted takes them for lengths, --strength for strengths\n"
)


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ([], {"directed": False}),
        (["--directed"], {"directed": True}),
        (["--weighted"], {"directed": False, "weighted": True}),
    ],
)
def test_prints_and_writes_what_the_function_returns(run, tmp_path, options, asked):
    """Samples, half-width, the top of the ranking; the file has every bit of all nodes."""
    path = tmp_path / "scores.csv"
    status, out, err = run(
        *("approximate", "power-grid-europe", "--epsilon", 0.1, "--delta", 0.2, "--seed", 3),
        *("--top", 2, "-o", path, *options),
    )
    assert (status, err) == (0, "")
    near = approximate_betweenness(GRID, epsilon=0.1, delta=0.2, rng=3, **asked)
    assert ("note: weights are not looked at; --weighted" in out) is ("weighted" not in asked)
    out = out.replace(UNUSED, "")
    head, about, _, titles, *rows, _, marked, last = out.splitlines()
    assert marked.startswith(f"note: these are estimates, from {near.samples} of 9241 sources")
    assert "drawn with seed 3" in marked
    assert head.startswith("power-grid-europe: 9241 nodes, ")
    kind = "directed" if asked["directed"] else "undirected"
    assert f" {kind}{', by length' * ('weighted' in asked)}; " in head
    assert about == (
        f"{near.samples} of 9241 sources; every score within {near.half_widths.max():.2g} with "
        "probability 0.8"
    )
    assert titles.split() == ["rank", "node", "betweenness", "half-width"]
    order = np.argsort(-near.scores, kind="stable")[:2]
    assert [row.split()[1] for row in rows] == [NAMES[v] for v in order]
    assert [row.split()[2] for row in rows] == [f"{near.scores[v]:.6f}" for v in order]
    assert last == f"scores of all nodes: {path}"
    with open(path, newline="") as file:
        columns, *lines = csv.reader(file)
    assert columns == ["node", "betweenness", "half_width"]
    assert [name for name, _, _ in lines] == list(NAMES)
    np.testing.assert_array_equal([float(score) for _, score, _ in lines], near.scores)
    np.testing.assert_array_equal([float(half) for *_, half in lines], near.half_widths)


def test_rank(run, tmp_path):
    """The hub of a wheel is certain, the rim is not, and all nodes are printed."""
    path = tmp_path / "wheel.mtx"
    scipy.io.mmwrite(path, matrix(nx.wheel_graph(20)))
    status, out, _ = run("approximate", path, "--epsilon", 0.01, "--rank", 2, "--top", 0)
    assert status == 0
    assert out.splitlines()[1] == "all 20 sources; every score exact"
    _, titles, first, *rest = out.splitlines()[2:]
    assert titles.split()[-1] == "certain"
    # Of 342 ordered pairs on the rim, 38 are adjacent and 38 have a second path along the rim.
    assert first.split() == ["1", "1", f"{(266 + 38 / 2) / 342:.6f}", "0.000000", "yes"]
    assert len(rest) == 19
    assert not any(row.endswith("yes") for row in rest)


def test_in_a_given_time(run):
    """Time enough for all of a small network; time alone, and with an error."""
    status, out, err = run("approximate", "karate", "--seconds", 3600, "--top", 1)
    assert (status, err) == (0, "")
    assert out.splitlines()[1] == "all 34 sources; every score exact"
    status, out, _ = run(
        *("approximate", "power-grid-europe", "--seconds", 3600, "--epsilon", 0.1, "--seed", 3)
    )
    assert status == 0
    assert "of 9241 sources; every score within 0." in out


def test_live_line(run, monkeypatch):
    """On a terminal: samples of those expected, and the largest half-width."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(progress, "BAR_DELAY", 0.0)
    status, _, err = run("approximate", "power-grid-europe", "--epsilon", 0.2, "--seed", 1)
    assert status == 0
    assert "source" in err
    assert "within 0." in err
    status, _, err = run(
        "approximate", "power-grid-europe", "--epsilon", 0.2, "--seed", 1, "--quiet"
    )
    assert (status, err) == (0, "")


@pytest.fixture
def ctrl_c():
    """SIGINT does what it does in a terminal; background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 75), ("SIGUSR1", 75), ("SIGINT", 130)])
def test_stopped(run, monkeypatch, tmp_path, name, status):
    """It tells and writes the estimate so far, and says by its status that it did not end."""
    draw, number = sampling.Sampler.draw, getattr(signal, name)

    def drawn(sample, *args, **options):
        found = draw(sample, *args, **options)
        if sample.drawn > 500:
            os.kill(os.getpid(), number)
        return found

    monkeypatch.setattr(sampling.Sampler, "draw", drawn)
    handler = signal.getsignal(number)
    path = tmp_path / "scores.csv"
    line = ["approximate", "power-grid-europe", "--epsilon", "0.01", "--seed", "1"]
    got, out, err = run(*line, "--device", "cpu", "-o", path)
    assert got == status
    assert err.startswith("sparsebc: stopped")
    assert (name in err) == (status == 75)
    assert " of 9241 sources; every score within 0." in out
    assert "note: it was stopped early: these are the half-widths that were reached by then" in out
    assert len(path.read_text().splitlines()) == 9242
    assert signal.getsignal(number) is handler
    got, out, _ = run(*line, "--device", "cpu", "--json")
    assert (got, json.loads(out)["stopped"]) == (status, True)


@pytest.mark.usefixtures("ctrl_c")
def test_stopped_before_there_is_an_estimate(run, monkeypatch):
    """There is nothing to tell."""
    monkeypatch.setattr(sampling.Sampler, "draw", lambda *_, **__: os.kill(os.getpid(), 2))
    status, out, err = run("approximate", "karate", "--epsilon", "0.1", "--device", "cpu")
    assert (status, out, err) == (130, "", "sparsebc: stopped\n")


def test_paths_are_told_from_sources(run):
    """What was sampled is said in text and in JSON, and a plan of it takes the option."""
    line = ("approximate", "karate", "--epsilon", 0.2, "--seed", 1, "--sampled", "paths")
    status, out, _ = run(*line, "--top", 1, "--device", "cpu")
    near = approximate_betweenness(
        datasets.load("karate")[0], epsilon=0.2, rng=1, directed=False, samples="paths"
    )
    assert status == 0
    assert out.splitlines()[1].startswith(f"{near.samples} paths; every score within 0.")
    status, out, _ = run(*line, "--json", "--device", "cpu")
    record = json.loads(out)
    assert (record["paths"], record["population"], record["exact"]) == (near.samples, None, False)
    status, out, _ = run(*line, "--dry-run", "--device", "cpu")
    assert (status, "epsilon=0.01" in out) == (0, True)


def test_pairs_by_their_nodes_and_weights(run, tmp_path):
    """The options of betweenness, and what scores are divided by."""
    A, names = datasets.load("karate")
    table = tmp_path / "people.csv"
    table.write_text("name,state\n1,3\n2,1\n33,2.5\n")
    states = [{"1": 3, "2": 1, "33": 2.5}.get(name, 0) for name in names]
    line = ("approximate", "karate", "--epsilon", 0.05, "--seed", 1, "--device", "cpu", "--json")
    weighed = ["--source-weights", f"{table}:state", "--target-weights", f"{table}:state"]
    chosen = ["--sources", "1", "2", "--targets", "33", "34"]
    for words, asked in (
        (weighed, {"source_weights": states, "target_weights": states}),
        ([*chosen, "--sampled", "paths"], {"sources": [0, 1], "targets": [32, 33]}),
    ):
        status, out, err = run(*line, *words)
        kind = "paths" if "paths" in words else None
        near = approximate_betweenness(
            A, epsilon=0.05, rng=1, directed=False, samples=kind, device="cpu", **asked
        )
        assert (status, err) == (0, "")
        record = json.loads(out)
        assert record["paths" if near.population is None else "sources"] == near.samples
        assert ("divided by all pairs" in out) is ("--sources" in words)
        top = np.argsort(-near.scores, kind="stable")[:10]
        ranking = record["ranking"]
        assert [row["node"] for row in ranking] == [names[v] for v in top]
        assert [row["betweenness"] for row in ranking] == near.scores[top].tolist()
    status, out, _ = run(*line[:-1], *weighed, "--dry-run")
    assert (status, "epsilon=0.01" in out) == (0, True)
