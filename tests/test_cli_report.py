"""Pages from the command: the scores of its measures, and maps."""

import numpy as np
import pytest
from pages import Page, array

import sparsebc
from sparsebc import betweenness, datasets

EDGES = "source,target\na,b\nb,c\nb,d\n"


@pytest.fixture
def edges(tmp_path, monkeypatch):
    """A star, in the folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text(EDGES)
    return tmp_path


def test_the_page_of_a_measure(tmp_path, done):
    """All scores asked for, the one of the command first; the file is named below the table."""
    path = tmp_path / "karate.html"
    options = "--measures", "stress,closeness", "--device", "cpu"
    out = done("betweenness", "karate", *options, "-o", path)
    assert out.endswith(f"\nscores of all nodes: {path}\n")
    page = Page(path.read_text())
    assert page.texts["h1"] == ["Betweenness, stress, closeness of karate"]
    exact = betweenness(datasets.load("karate").matrix, directed=False, device="cpu")
    np.testing.assert_array_equal(page.columns()["s0"], np.sort(exact)[::-1])
    titles = {axis.get("axis_label") for axis in page.models["LogAxis"] + page.models["LinearAxis"]}
    assert {"betweenness (share of all pairs)", "stress (paths)", "closeness (1 / edges)"} <= titles


def test_the_page_of_edges(edges, done):
    """Ranked by their score, each with its ends; a raw score counts pairs."""
    done("edge-betweenness", "edges.csv", "--raw", "-o", "out.html")
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
def test_positions(edges, done, table, kind):
    """With or without titles, of a plane or of degrees, whichever comes first."""
    (edges / "places.csv").write_text(table)
    done("betweenness", "edges.csv", "--positions", "places.csv", "-o", "m.html")
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


KARATE, NAMES = datasets.load("karate")
ATTACK = {"steps": 3, "directed": False, "device": "cpu"}


@pytest.fixture
def shown(tmp_path, done):
    """The page of a command on the CPU, its notes, and its scores of nodes by their names."""

    def of(*line):
        path = tmp_path / "out.html"
        done(*line, "--device", "cpu", "-o", path)
        page = Page(path.read_text())
        columns = page.columns()
        scores = {key: columns[key].tolist() for key in columns if key in ("t1", "s0")}
        rows = zip(*scores.values(), strict=True)
        return page, dict(zip(columns["t0"].tolist(), rows, strict=True))

    return of


def cells(page):
    """Rows of the listings of a page, each a text for each head."""
    heads, texts = page.texts["th"], page.texts["td"]
    return [texts[k : k + len(heads)] for k in range(0, len(texts), len(heads))]


def curve(page):
    """The points of the plot beside a listing."""
    (plot,) = [one for one in page.models["Figure"] if one.get("name") == "curve"]
    points = page.named[plot["renderers"][0]["attributes"]["data_source"]["id"]]
    return dict(points["data"]["entries"])


def test_the_page_of_groups(shown):
    """A row for each; its members are marked with the highest score and all its numbers."""
    groups = [["1", "34"], ["34", "2", "3"]]
    page, marked = shown("group", "karate", "--nodes", *groups[0], "--nodes", *groups[1])
    numbers = [[NAMES.index(name) for name in group] for group in groups]
    scores = sparsebc.group_betweenness(KARATE, numbers, directed=False, device="cpu")
    assert page.texts["h1"] == ["Group betweenness of karate"]
    assert cells(page) == [["1", "1 34", f"{scores[0]:.6g}"], ["2", "34 2 3", f"{scores[1]:.6g}"]]
    assert marked["34"] == ("1 2", scores.max())
    assert marked["3"] == ("2", scores[1])
    assert sum(score == score for _, score in marked.values()) == 4
    assert marked["5"][0] == ""


def test_the_page_of_an_attack(shown):
    """What went when, and the curve of the largest component that is left."""
    found = sparsebc.dismantle(KARATE, **ATTACK)
    page, marked = shown("dismantle", "karate", "--steps", "3")
    steps = dict(zip(found.order.tolist(), found.scores.tolist(), strict=True))
    order = [NAMES[v] for v in steps]
    assert [row[:2] for row in cells(page)] == [[str(k + 1), name] for k, name in enumerate(order)]
    assert [int(row[3]) for row in cells(page)] == found.largest.tolist()
    assert {name: marked[name] for name in order} == {
        NAMES[v]: (str(k), score) for k, (v, score) in enumerate(steps.items(), 1)
    }
    drawn = {key: array(values) for key, values in curve(page).items()}
    np.testing.assert_array_equal(drawn["x"], [1, 2, 3])
    np.testing.assert_array_equal(drawn["y"], found.largest)


def test_the_page_of_an_attack_on_edges(tmp_path, done):
    """Those that went have their score, the others 0."""
    path, found = tmp_path / "e.html", sparsebc.dismantle(KARATE, "edge_betweenness", **ATTACK)
    done("dismantle", "karate", "--edges", "--steps", "3", "-o", path)
    columns = Page(path.read_text()).columns("edges")
    shown = {
        (source, target): score
        for source, target, score in zip(*(columns[k] for k in ("t0", "t1", "s0")), strict=True)
    }
    want = {(NAMES[u], NAMES[v]): s for (u, v), s in zip(found.order, found.scores, strict=True)}
    assert {pair: score for pair, score in shown.items() if score} == want


def test_the_page_of_components(edges, shown):
    """Their sizes, and each node in the colour of its own."""
    (edges / "two.csv").write_text("source,target\n<i>,z\na,b\nb,c\nb,d\n")
    page, marked = shown("components", "two.csv")
    assert cells(page) == [["1", "4", "a"], ["0", "2", "<i>"]]
    assert marked == {**dict.fromkeys("abcd", ("1", 4)), **dict.fromkeys(("<i>", "z"), ("0", 2))}
    (mapper,) = page.models["CategoricalColorMapper"]
    assert mapper["factors"] == ["0", "1"]
    (choice,) = page.models["Select"]
    assert dict(choice["options"])[choice["value"]] == "component"


def test_the_page_of_communities(shown):
    """The modularity of each level, and the community of each node as its first colour."""
    found = sparsebc.communities.partition(KARATE, device="cpu")
    page, marked = shown("communities", "karate")
    sizes = np.bincount(found.labels)
    assert marked == {
        name: (str(label), sizes[label]) for name, label in zip(NAMES, found.labels, strict=True)
    }
    np.testing.assert_array_equal(array(curve(page)["x"]), found.parts)
    np.testing.assert_array_equal(array(curve(page)["y"]), found.modularity)
    told = f"5 communities, modularity {found.modularity.max():.6g}; the largest of 34 levels"
    assert told in page.texts["p"]
    (choice,) = page.models["Select"]
    assert dict(choice["options"])[choice["value"]] == "community"


def test_the_page_of_percolation(edges, shown):
    """Its scores, on a map."""
    (edges / "states.csv").write_text("a,1\nc,0.5\n")
    (edges / "places.csv").write_text("a,0,1\nb,1,0\nc,2,2\nd,3,1\n")
    told = "--states", "states.csv", "--positions", "places.csv"
    page, _ = shown("percolation", "edges.csv", *told)
    matrix = sparsebc.io.read("edges.csv").matrix
    exact = sparsebc.percolation(matrix, [1, 0, 0.5, 0], directed=False, device="cpu")
    np.testing.assert_array_equal(page.columns()["s0"], np.sort(exact)[::-1])
    assert page.texts["h2"][0] == "Map"
