"""The command null-model: the numbers of the public function to the bit, in every format."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command import columns
from numpy.testing import assert_array_equal
from pages import Page

EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (8, 9)]


@pytest.fixture(autouse=True)
def network(folder):
    """Edges with a length and a score up to 1000, in names; the last one is apart."""
    rows = [f"g{u},g{v},{1 + k / 8},{990 - 40 * k}\n" for k, (u, v) in enumerate(EDGES)]
    Path("edges.csv").write_text("source,target,length,score\n" + "".join(rows))


LINE = "null-model edges.csv --samples 12 --quiet".split()


@pytest.fixture
def ask(told):
    """What the command says of the edges as JSON."""
    return lambda *words: told(*LINE, *words, "-o", "out.csv")


def test_weights_that_are_probabilities_are_not_ignored(ask):
    how = "--columns source=source,target=target,weight=score --scale 1000"
    record = ask(*how.split(), "--model", "edge-probability", "--seed", "3")
    assert not any("weights are ignored" in note for note in record["notes"])


def test_the_seed_that_was_drawn(ask):
    """It is told, and with it the samples are the same; by rank, the highest z comes first."""
    first = ask("-n", "all", "--provenance")
    seed = first["seed"]
    for title, value in {"seed": seed, "samples": 12, "model": "degree"}.items():
        assert first["provenance"][title] == value
        assert f"# {title}: {value}\n" in Path("out.csv").read_text()
    assert ask("-n", "all", "--seed", str(seed))["rows"] == first["rows"]
    z = [row["z"] for row in first["rows"]]
    assert z == sorted(z, reverse=True)
    assert z[0] > z[-1]


def test_samples_that_are_too_few(told):
    """A note says so where p cannot be small enough."""
    few = told("null-model", "karate", "--samples", 12, "--seed", 1, "--quiet")
    assert few["significant"] == 0
    assert any("p cannot fall below 0.077 with 12 samples; add" in note for note in few["notes"])


@pytest.mark.parametrize("suffix", ["graphml", "json"])
def test_formats(ask, told, suffix):
    """The network with all columns, or a table."""
    told(*LINE, "--seed", "1", "-o", f"out.{suffix}")
    ask("--seed", "1")
    want = {title: values for title, values in columns().items() if title != "node"}
    if suffix == "graphml":
        rows = [row for _, row in nx.read_graphml("out.graphml").nodes(data=True)]
    else:
        rows = json.loads(Path("out.json").read_text())
    for title, values in want.items():
        assert [row[title] for row in rows] == values


def test_the_page(ask, told):
    """Columns of expectation, z and q beside the score."""
    ask("--seed", "1")
    want = columns()
    told(*LINE, "--seed", "1", "-o", "out.html")
    shown = Page(Path("out.html").read_text())
    rows = shown.columns()
    order = np.argsort(-np.array(want["betweenness"]), kind="stable")
    for key, title in {"s0": "betweenness", "b0": "mean", "b1": "z", "b2": "q"}.items():
        assert_array_equal(rows[key], np.array(want[title])[order])
    assert shown.texts["h1"] == ["Betweenness of edges.csv"]
