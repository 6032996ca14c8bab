"""The commands of the measures: each alone, by length, and several at once."""

import csv

import numpy as np
import pytest

import sparsebc
from sparsebc import centralities, datasets, io, strength_to_distance

KARATE, NAMES = datasets.load("karate")


def column(path, title):
    """Numbers of a column of a csv file."""
    with open(path, newline="", encoding="utf-8") as file:
        return [float(row[title]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("weights", [(), ("--weighted",), ("--strength", "reciprocal")])
@pytest.mark.parametrize(
    "measure", ["betweenness", "stress", "closeness", "harmonic", "eccentricity"]
)
def test_each_measure_is_a_command(run, tmp_path, measure, weights):
    """By edges, by length and by strength; the table and the file have the scores."""
    ties = tmp_path / "ties.csv"
    ties.write_text("from,to,weight\na,b,1\nb,c,2\nc,d,4\na,d,2\n")
    path = tmp_path / "scores.csv"
    status, out, _ = run(measure, ties, "--directed", *weights, "--device", "cpu", "-o", path)
    assert status == 0
    assert measure in out
    matrix = io.read(ties).matrix
    if "--strength" in weights:
        matrix = strength_to_distance(matrix)
    function = getattr(sparsebc, measure)
    want = function(matrix, weighted=bool(weights), device="cpu")
    np.testing.assert_array_equal(column(path, measure), want)


def test_several_measures_at_once(run, tmp_path):
    """A column each; the first ranks, and a name that comes twice is one column."""
    path = tmp_path / "scores.csv"
    status, out, _ = run(
        "stress", "karate", "--measures", "closeness,stress,harmonic", "--top", "2", "-o", path
    )
    assert status == 0
    head, first, *_ = out.splitlines()[2:]
    assert head.split() == ["rank", "node", "stress", "closeness", "harmonic", "degree"]
    assert first.split()[:2] == ["1", NAMES[0]]
    want = centralities(KARATE, ["stress", "closeness", "harmonic"], directed=False)
    for name, scores in want.items():
        np.testing.assert_array_equal(column(path, name), scores)


def test_edges_by_length(run, tmp_path):
    """An undirected edge once, with the score of both directions."""
    ties, path = tmp_path / "ties.csv", tmp_path / "scores.csv"
    ties.write_text("from,to,weight\na,b,1\nb,c,2\na,c,4\n")
    status, out, _ = run("edge-betweenness", ties, "--weighted", "--raw", "-o", path)
    assert status == 0
    assert "by length" in out
    assert column(path, "edge_betweenness") == [2, 0, 2]
