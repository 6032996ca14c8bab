"""The command approximate: what it prints and writes, and what it refuses."""

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
from sparsebc.cli.stops import SIGNALS
from sparsebc.estimates import sampler as sampling
from sparsebc.sweep import progress

GRID, NAMES = datasets.load("human-proteins")


@pytest.mark.parametrize("words", [[], ["--directed"], ["--weighted"]], ids=str)
def test_what_is_printed(done, tmp_path, words):
    """Samples, half-width, the top of the ranking, and how the network was taken."""
    path, of_network = tmp_path / "scores.csv", "human-proteins"
    line = ("approximate", of_network, "--epsilon", 0.1, "--delta", 0.2, "--seed", 3, "--top", 2)
    out = done(*line, "-o", path, *words)
    asked = {"directed": words == ["--directed"], "weighted": words == ["--weighted"]}
    near = approximate_betweenness(GRID, epsilon=0.1, delta=0.2, rng=3, **asked)
    head, about, _, titles, *rows, _, marked, last = out.splitlines()
    assert marked.startswith(
        f"note: these are estimates, from {near.samples} of {near.population} sources"
    )
    assert "drawn with seed 3" in marked
    assert head.startswith("human-proteins: 5956 nodes, ")
    kind = "directed" if asked["directed"] else "undirected"
    assert f" {kind}{', by length' * asked['weighted']}; " in head
    assert about == (
        f"{near.samples} of {near.population} sources; every score within "
        f"{near.half_widths.max():.2g} with probability 0.8"
    )
    assert titles.split() == ["rank", "node", "betweenness", "half-width"]
    order = np.argsort(-near.scores, kind="stable")[:2]
    assert [row.split()[1] for row in rows] == [NAMES[v] for v in order]
    assert [row.split()[2] for row in rows] == [f"{near.scores[v]:.6f}" for v in order]
    assert last == f"scores of all nodes: {path}"


def test_rank(done, tmp_path):
    """The hub of a wheel is certain, the rim is not, and all nodes are printed."""
    path = tmp_path / "wheel.mtx"
    scipy.io.mmwrite(path, matrix(nx.wheel_graph(20)))
    out = done("approximate", path, "--epsilon", 0.01, "--rank", 2, "--top", 0)
    assert out.splitlines()[1] == "all 20 sources; every score exact"
    _, titles, first, *rest = out.splitlines()[2:]
    assert titles.split()[-1] == "certain"
    # Of 342 ordered pairs on the rim, 38 are adjacent and 38 have a second path along the rim.
    assert first.split() == ["1", "1", f"{(266 + 38 / 2) / 342:.6f}", "0.000000", "yes"]
    assert len(rest) == 19
    assert not any(row.endswith("yes") for row in rest)


def test_in_a_given_time(done):
    """Time enough for all of a small network; time alone, and with an error."""
    out = done("approximate", "karate", "--seconds", 3600, "--top", 1)
    assert out.splitlines()[1] == "all 34 sources; every score exact"
    out = done(*("approximate", "human-proteins", "--seconds", 3600, "--epsilon", 0.1, "--seed", 3))
    assert " sources; every score within 0." in out


def test_live_line(run, done, monkeypatch):
    """On a terminal: samples of those expected, and the largest half-width."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(progress, "BAR_DELAY", 0.0)
    line = ("approximate", "human-proteins", "--epsilon", 0.2, "--seed", 1)
    status, _, err = run(*line)
    assert status == 0
    assert "source" in err
    assert "within 0." in err
    done(*line, "--quiet")


@pytest.fixture
def ctrl_c():
    """SIGINT does what it does in a terminal; background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(("name", "status"), [*((one, 75) for one in SIGNALS), ("SIGINT", 130)])
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
    line = ["approximate", "human-proteins", "--epsilon", "0.01", "--seed", "1"]
    got, out, err = run(*line, "--device", "cpu", "-o", path)
    assert got == status
    assert err.startswith("sparsebc: stopped")
    assert (name in err) == (status == 75)
    assert " of 5586 sources; every score within 0." in out
    assert "note: the estimate was stopped early: half-widths are those reached so far" in out
    assert len(path.read_text().splitlines()) == 5957
    assert signal.getsignal(number) is handler
    got, out, _ = run(*line, "--device", "cpu", "--json")
    assert (got, json.loads(out)["stopped"]) == (status, True)


@pytest.mark.usefixtures("ctrl_c")
def test_stopped_before_there_is_an_estimate(run, monkeypatch):
    """There is nothing to tell."""
    monkeypatch.setattr(sampling.Sampler, "draw", lambda *_, **__: os.kill(os.getpid(), 2))
    status, out, err = run("approximate", "karate", "--epsilon", "0.1", "--device", "cpu")
    assert (status, out, err) == (130, "", "sparsebc: stopped\n")


def test_paths_are_told_from_sources(run, done):
    """What was sampled is said in text and in JSON, and a plan of it takes the option."""
    A, names = datasets.load("karate")
    line = ("approximate", "karate", "--epsilon", 0.2, "--seed", 1, "--device", "cpu")
    line += ("--sampled", "paths")
    near = approximate_betweenness(A, epsilon=0.2, rng=1, directed=False, samples="paths")
    out = done(*line, "--top", 1)
    assert out.splitlines()[1].startswith(f"{near.samples} paths; every score within 0.")
    _, out, _ = run(*line, "--json", "--top", 3)
    record = json.loads(out)
    assert (record["paths"], record["population"], record["exact"]) == (near.samples, None, False)
    assert "divided by all pairs" not in out
    top = np.argsort(-near.scores, kind="stable")[:3]
    ranked = [(row["node"], row["betweenness"]) for row in record["ranking"]]
    assert ranked == [(names[v], near.scores[v]) for v in top]
    assert "divided by all pairs" in run(*line, "--json", "--sources", "1", "2")[1]
