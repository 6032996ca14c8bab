"""Pages from the command: the scores of its measures, and maps."""

import numpy as np
import pytest
from pages import Page

from sparsebc import betweenness, datasets

EDGES = "source,target\na,b\nb,c\nb,d\n"


@pytest.fixture
def edges(tmp_path, monkeypatch):
    """A star, in the folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text(EDGES)
    return tmp_path


def test_the_page_of_a_measure(tmp_path, run):
    """All scores asked for, the one of the command first; the file is named below the table."""
    path = tmp_path / "karate.html"
    options = "--measures", "stress,closeness", "--device", "cpu"
    status, out, _ = run("betweenness", "karate", *options, "-o", path)
    assert status == 0
    assert out.endswith(f"\nscores of all nodes: {path}\n")
    page = Page(path.read_text())
    assert page.texts["h1"] == ["Betweenness, stress, closeness of karate"]
    exact = betweenness(datasets.load("karate").matrix, directed=False, device="cpu")
    np.testing.assert_array_equal(page.columns()["s0"], np.sort(exact)[::-1])
    titles = {axis.get("axis_label") for axis in page.models["LogAxis"] + page.models["LinearAxis"]}
    assert {"betweenness (share of all pairs)", "stress (paths)", "closeness (1 / edges)"} <= titles


def test_the_page_of_edges(edges, run):
    """Ranked by their score, each with its ends; a raw score counts pairs."""
    assert run("edge-betweenness", "edges.csv", "--raw", "-o", "out.html")[0] == 0
    page = Page((edges / "out.html").read_text())
    assert page.columns("edges")["s0"].tolist() == [3, 3, 3]
    titles = {axis.get("axis_label") for axis in page.models["LinearAxis"]}
    assert "edge betweenness (pairs)" in titles


def test_the_page_of_an_estimate(edges, run):
    """With its half-widths."""
    assert (
        run("approximate", "edges.csv", "--epsilon", "0.5", "--seed", "1", "-o", "a.html")[0] == 0
    )
    page = Page((edges / "a.html").read_text())
    assert page.columns().keys() >= {"s0", "b0"}
    assert page.texts["h1"] == ["Betweenness of edges.csv"]


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("a,0,1\nb,1,0\nc,2,2\nd,3,1\ne,9,9\n", "plane"),
        ("node\tx\ty\na\t0\t1\nb\t1\t0\nc\t2\t2\nd\t3\t1\n", "plane"),
        ("node,lon,lat\na,0,1\nb,1,0\nc,2,2\nd,3,1\n", "globe"),
        ("node,Latitude,Longitude\na,1,0\nb,0,1\nc,2,2\nd,1,3\n", "globe"),
    ],
)
def test_positions(edges, run, table, kind):
    """With or without titles, of a plane or of degrees, whichever comes first."""
    (edges / "places.csv").write_text(table)
    status, _, err = run("betweenness", "edges.csv", "--positions", "places.csv", "-o", "m.html")
    assert (status, err) == (0, "")
    page = Page((edges / "m.html").read_text())
    columns = page.columns()
    east = dict(zip(columns["t0"].tolist(), columns["east"].tolist(), strict=True))
    degree = 111319.49079327358 if kind == "globe" else 1  # metres along the equator
    assert east == pytest.approx({"a": 0, "b": degree, "c": 2 * degree, "d": 3 * degree})
    assert "Map" in page.texts["h2"]


def test_what_was_there_stays_until_all_is_written(edges, run, monkeypatch):
    """If the page fails."""

    def fails(content):
        raise OSError("no page today")

    (edges / "out.html").write_text("kept")
    monkeypatch.setattr("sparsebc.reports.page.render", fails)
    status, _, err = run("betweenness", "edges.csv", "-o", "out.html")
    assert status != 0
    assert "no page today" in err
    assert (edges / "out.html").read_text() == "kept"
    assert sorted(path.name for path in edges.iterdir()) == ["edges.csv", "out.html"]
