"""Estimates of betweenness by the command: what it prints and writes, and how it stops."""

import json
import os
import signal
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.io
from graphs import matrix
from kept import header

from sparsebc import approximate_betweenness, datasets
from sparsebc.cli.signals import SIGNALS
from sparsebc.estimates import sampler as sampling
from sparsebc.sweep import progress

A, NAMES = datasets.load("human-proteins")
LINE = ("betweenness", "human-proteins", "--seed", "3", "--device", "cpu")


@pytest.mark.usefixtures("terminal")
def test_an_estimate_shows_its_samples_and_half_width(run):
    """Samples, half-width, the top of the ranking."""
    status, out, err = run(*LINE, "--error", 0.1, "--confidence", 0.8, "-n", 2)
    near = approximate_betweenness(A, epsilon=0.1, delta=0.2, rng=3, directed=False, device="cpu")
    titles, *rows, _, head, what, drawn, _ = out.splitlines()
    order = np.argsort(-near.scores, kind="stable")[:2]
    assert status == 0
    assert titles.split() == ["rank", "node", "betweenness", "half_width"]
    assert [row.split()[1] for row in rows] == [NAMES[v] for v in order]
    assert head.startswith("human-proteins: 5956 nodes, undirected; ")
    assert what == "betweenness: share of all pairs"
    kind = "paths" if near.population is None else f"of {near.population} sources"
    assert drawn.startswith(f"{near.samples} {kind}; every score within ")
    assert drawn.endswith(f"{near.half_widths.max():.2g} with probability 0.8")
    assert f"note: these are estimates, from {near.samples} {kind} drawn with seed 3" in err


def test_the_best_of_a_wheel_is_certain(run, told, tmp_path):
    """The hub of a wheel is certain, the rim is not."""
    path = tmp_path / "wheel.mtx"
    scipy.io.mmwrite(path, matrix(nx.wheel_graph(20)))
    record = told("betweenness", path, "--best", 2)
    # Of 342 ordered pairs on the rim, 38 are adjacent and 38 have a second path along the rim.
    assert record["rows"][0]["betweenness"] == pytest.approx((266 + 38 / 2) / 342)
    assert (record["certain"], record["exact"]) == (["1"], True)


def test_ample_time_ends_in_exact_scores_or_at_the_error(told):
    """Time enough for all of a small network; time alone, and with an error."""
    assert told("betweenness", "karate", "--seconds", 3600)["exact"] is True
    record = told(*LINE[:-2], "--seconds", 3600, "--error", 0.1)
    assert record["exact"] is False
    assert max(row["half_width"] for row in record["rows"]) <= 0.1


def test_the_live_line_tells_the_half_width(run, done, monkeypatch):
    """On a terminal: samples of those expected, and the largest half-width."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(progress, "BAR_DELAY", 0.0)
    status, _, err = run(*LINE, "--error", 0.2)
    assert status == 0
    assert "within 0." in err
    done(*LINE, "--error", 0.2, "--quiet")


@pytest.fixture
def in_a_terminal():
    """Signals do what they do in a terminal: background jobs ignore SIGINT, nohup SIGHUP."""
    does = dict.fromkeys(
        (getattr(signal, one) for one in SIGNALS if hasattr(signal, one)), signal.SIG_DFL
    )
    does[signal.SIGINT] = signal.default_int_handler
    before = {number: signal.signal(number, what) for number, what in does.items()}
    yield
    for number, what in before.items():
        signal.signal(number, what)


@pytest.mark.usefixtures("in_a_terminal")
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(("name", "status"), [*((one, 75) for one in SIGNALS), ("SIGINT", 130)])
def test_a_signal_writes_the_estimate_so_far(run, monkeypatch, tmp_path, name, status):
    """It tells and writes the estimate so far, and says by its status that it did not end.

    With a checkpoint the same command goes on from there.
    """
    draw, number = sampling.Sampler.draw, getattr(signal, name)

    def drawn(sample, *args, **options):
        found = draw(sample, *args, **options)
        if sample.drawn > 500:
            os.kill(os.getpid(), number)
        return found

    monkeypatch.setattr(sampling.Sampler, "draw", drawn)
    handler = signal.getsignal(number)
    path = tmp_path / "scores.csv"
    line = (*LINE, "--error", "0.01", "-o", path, "--json", "--checkpoint", tmp_path / "kept")
    got, out, err = run(*line)
    assert got == status
    assert err.startswith("sparsebc: stopped")
    assert (name in err) == (status == 75)
    record = json.loads(out)
    assert record["stopped"] is True
    assert "the estimate was stopped early: half-widths are those reached so far" in record["notes"]
    assert len(path.read_text().splitlines()) == len(NAMES) + 1
    assert signal.getsignal(number) is handler
    monkeypatch.undo()
    got, out, _ = run(*line)
    assert (got, header(tmp_path / "kept")["finished"]) == (0, True)
    assert json.loads(out)["sources"] > record["sources"] > 0


@pytest.mark.usefixtures("in_a_terminal")
def test_a_stop_before_any_estimate_tells_nothing(run, monkeypatch):
    monkeypatch.setattr(sampling.Sampler, "draw", lambda *_, **__: os.kill(os.getpid(), 2))
    status, out, err = run("betweenness", "karate", "--error", "0.1", "--device", "cpu")
    assert (status, out, err) == (130, "", "sparsebc: stopped\n")
