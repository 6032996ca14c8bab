"""``--cutoff``: one column of scores, or one for each of several."""

import csv
import json

import numpy as np
import pytest

import sparsebc
from sparsebc import datasets, edge_betweenness, io

KARATE, NAMES = datasets.load("karate")


def columns(path):
    """Numbers of a csv file by title, but for names."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {title: [row[title] for row in rows] for title in rows[0]}


@pytest.mark.parametrize("measure", ["betweenness", "stress", "closeness", "eccentricity"])
def test_one_cutoff(run, tmp_path, measure):
    """The column keeps the name of the measure."""
    path = tmp_path / "scores.csv"
    assert run(measure, "karate", "--cutoff", "2", "--device", "cpu", "-o", path)[0] == 0
    want = getattr(sparsebc, measure)(KARATE, directed=False, cutoff=2, device="cpu")
    np.testing.assert_array_equal(np.array(columns(path)[measure], float), want)


def test_several_cutoffs(run, tmp_path):
    """A column for each, of each measure, by length; the first ranks, and JSON has them too."""
    ties, path = tmp_path / "ties.csv", tmp_path / "scores.csv"
    ties.write_text("from,to,weight\na,b,100\nb,c,250.5\nc,d,400\na,d,900\n")
    asked = ("betweenness", ties, "--weighted", "--measures", "harmonic", "--raw")
    asked += ("--device", "cpu")
    status, out, _ = run(*asked, "--cutoff", "350.5,800", "-o", path)
    assert status == 0
    titles = ["betweenness_350.5", "betweenness_800", "harmonic_350.5", "harmonic_800"]
    assert out.splitlines()[2].split() == ["rank", "node", *titles, "degree"]
    found = columns(path)
    assert list(found) == ["node", *titles]
    matrix, names = io.read(ties).matrix, io.read(ties).names
    want = sparsebc.centralities(
        matrix, ["betweenness", "harmonic"], cutoff=[350.5, 800], normalized=False,
        directed=False, weighted=True, device="cpu",
    )  # fmt: skip
    assert found["node"] == list(names)
    got = np.array([found[title] for title in titles], float)
    np.testing.assert_array_equal(got, np.vstack([scores.T for scores in want.values()]))
    assert got[0].tolist() == [0, 1, 0, 0]
    assert got[1].tolist() == [0, 2, 2, 0]
    status, out, _ = run(*asked, "--cutoff", "350.5,800", "--json", "--top", "1")
    assert set(titles) < json.loads(out)["ranking"][0].keys()


def test_edges_and_networks(run, tmp_path):
    """Edges have their columns; a network file holds the scores of every cutoff."""
    path, network = tmp_path / "edges.csv", tmp_path / "edges.graphml"
    for output in (path, network):
        assert run("edge-betweenness", "karate", "--cutoff", "1,3", "-o", output)[0] == 0
    ways = {"directed": False, "device": "cpu"}
    one, three = (edge_betweenness(KARATE, cutoff=most, **ways) for most in (1, 3))
    found = columns(path)
    for title, want in (("edge_betweenness_1", one), ("edge_betweenness_3", three)):
        assert sum(map(float, found[title])) == pytest.approx(want.sum() / 2)
        assert title in network.read_text()


def test_inf_beyond_the_cutoff(run):
    """Eccentricity says why, and what to do."""
    status, out, _ = run("eccentricity", "karate", "--cutoff", "1,2")
    assert status == 0
    assert "--reachable-only" in out
    status, out, _ = run("eccentricity", "karate", "--cutoff", "1,2", "--reachable-only")
    assert (status, "inf" in out) == (0, False)


@pytest.mark.parametrize("text", ["", "5,", "-1", "a", "2,2", "nan"])
def test_what_is_no_cutoff(run, text):
    """Status 2, with an example."""
    status, _, err = run("betweenness", "karate", f"--cutoff={text}")
    assert status == 2
    assert "--cutoff: expected numbers as in 400,800,1600" in err


def test_a_plan(run):
    """``--dry-run`` says why trees stay."""
    status, out, _ = run("betweenness", "karate", "--cutoff", "1,2", "--dry-run")
    assert status == 0
    assert "may be too far away" in out


@pytest.mark.parametrize(
    "command",
    [["betweenness"], ["betweenness", "--dry-run"], ["explain", "--measure", "closeness"]],
)
def test_a_cutoff_that_leaves_no_pair(run, tmp_path, command):
    """By edges a score below 1 is no distance: what was meant is told; by length it may be one."""
    ties = tmp_path / "ties.csv"
    ties.write_text("from,to,weight\na,b,0.9\nb,c,0.4\n")
    status, out, err = run(*command, ties, "--cutoff", "0.7,2")
    assert status == 0
    assert "--cutoff 0.7 leaves no pair of nodes" in out + err
    assert "--threshold keeps" in out + err
    assert "--cutoff 2 leaves" not in out + err
    status, out, err = run(*command, ties, "--cutoff", "0.7", "--weighted")
    assert (status, "leaves no pair" in out + err) == (0, False)
