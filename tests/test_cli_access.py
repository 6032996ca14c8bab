"""The commands accessibility and nearest: the numbers of the public functions to the bit."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsebc import accessibility, io, nearest

PLACES = {"a": (3, 0), "b": (0, 2.5), "d": (1, 1)}


@pytest.fixture(autouse=True)
def network(tmp_path, monkeypatch):
    """Streets with directions and lengths, and a table of two kinds of places."""
    monkeypatch.chdir(tmp_path)
    Path("streets.csv").write_text("source,target,weight\na,b,1\nb,c,2\nc,d,1.5\nd,a,4\nb,d,5\n")
    rows = [f"{name},{jobs},{beds}" for name, (jobs, beds) in PLACES.items()]
    Path("places.csv").write_text("\n".join(["node,jobs,beds", *rows, "z,9,9"]) + "\n")
    return io.read("streets.csv")


def columns(path="out.csv"):
    """Columns of a csv file, without the names."""
    rows = csv.reader(Path(path).read_text().splitlines())
    return {title: [*map(float, cells)] for title, *cells in list(zip(*rows, strict=True))[1:]}


def numbers(names):
    """What the table says of the nodes."""
    return np.array([PLACES.get(name, (0, 0)) for name in names])


DECAYS = {
    "exponential:0.3": ("exponential", 0.3),
    "power:1.5": ("power", 1.5),
    "0:1,2:0.5,4.5:0": ([0, 2, 4.5], [1, 0.5, 0]),
}


@pytest.mark.parametrize("decay", DECAYS)
@pytest.mark.parametrize("directed", [True, False])
def test_kinds_and_cutoffs_are_columns(run, network, decay, directed):
    """Each named after its kind and its cutoff."""
    words = ["--places", "places.csv:jobs", "places.csv:beds", "--cutoff", "2,4", "--decay", decay]
    words += ["--directed", "--from-places"] if directed else []
    status, out, err = run("accessibility", "streets.csv", "--weighted", *words, "-o", "out.csv")
    assert (status, err) == (0, "")
    assert "1 of 4 nodes are not in places.csv, and count 0" in out
    ways = {"directed": directed, "direction": "in" if directed else "out", "weighted": True}
    W = numbers(network.names)
    want = accessibility(network, W, decay=DECAYS[decay], cutoff=[2, 4], **ways)
    found = columns()
    kinds = [f"accessibility_{kind}_{cutoff}" for kind in ("jobs", "beds") for cutoff in (2, 4)]
    assert list(found) == kinds
    assert_array_equal(np.array([*found.values()]), want.reshape(4, 4).T)


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_nearest(run, network, nth):
    """The farthest first; inf where there are fewer places."""
    words = ["--places", "places.csv:jobs", "--nth", nth, "--weighted", "-o", "out.csv"]
    status, out, _ = run("nearest", "streets.csv", *words)
    want = nearest(network, numbers(network.names)[:, 0], nth, directed=False, weighted=True)
    assert status == 0
    assert_array_equal(columns()["nearest"], want)
    first = out.split("rank")[1].splitlines()[1].split()
    assert float(first[2]) == pytest.approx(want.max())


def test_nodes_without_places(run, network):
    """They count one each; JSON and a page hold the same numbers."""
    words = ["--cutoff", "1", "--top", "0", "--json", "-o", "out.html"]
    status, out, _ = run("accessibility", "streets.csv", *words)
    told = json.loads(out)
    assert status == 0
    assert told["provenance"]["cutoff"] == ["1"]
    found = {row["node"]: row["accessibility"] for row in told["ranking"]}
    want = accessibility(network, cutoff=1, directed=False)
    assert found == dict(zip(network.names, want.tolist(), strict=True))
    assert "Accessibility of streets.csv" in Path("out.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["accessibility", "--places", "places.csv", "places.csv"], "two kinds called 'places'"),
        (["accessibility", "--places", "places.csv:shops"], "there is no column 'shops'"),
        (["accessibility", "--decay", "step:3"], "expected one of exponential, linear"),
        (["accessibility", "--decay", "0:1,1"], "expected one of exponential, linear"),
        (["accessibility", "--decay", "3:1,2:1"], "distances of --decay must be ascending"),
        (["accessibility", "--from-places"], "--from-places has an effect only with --directed"),
        (["nearest"], "required: --places"),
        (["nearest", "--places", "places.csv", "--nth", "0"], "expected an integer from 1 on"),
    ],
)
def test_what_is_refused(run, words, said):
    """In one line, in words of the command."""
    command, *rest = words
    status, _, err = run(command, "streets.csv", *rest)
    assert status in (1, 2)
    assert said in err
