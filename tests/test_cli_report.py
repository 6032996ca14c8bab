"""Pages from the command: the scores of its measures, and maps."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command import columns
from pages import Page

import sparsebc
from sparsebc import datasets

PLACES = "a,0,1\nb,1,0\nc,2,2\nd,3,1\n"


@pytest.fixture
def shown(folder, done):
    """The page of a command on the CPU, and its table beside it."""
    Path("edges.csv").write_text("source,target\na,b\nb,c\nb,d\n")
    Path("two.csv").write_text("source,target\n<i>,z\na,b\nb,c\nb,d\n")
    Path("states.csv").write_text("a,1\nc,0.5\n")
    Path("places.csv").write_text(PLACES)

    def of(line):
        for words, file in ((line, "out.html"), (line.partition(" --positions")[0], "out.csv")):
            assert done(*words.split(), "--device", "cpu", "-o", file) == ""
        return Page(Path("out.html").read_text())

    return of


def marked(page):
    """The first text and the score of each node."""
    shown = page.columns()
    rows = zip(shown["t1"].tolist(), shown["s0"].tolist(), strict=True)
    return dict(zip(shown["t0"].tolist(), rows, strict=True))


def units(page):
    """What the axes of scores are titled."""
    return {
        axis.get("axis_label")
        for axis in page.models.get("LogAxis", []) + page.models["LinearAxis"]
    }


@pytest.mark.parametrize(
    ("crs", "options"), [("epsg:4326", ""), ("epsg:32635", " --keep largest"), ("", "")]
)
def test_a_file_of_osmnx_has_a_map(shown, crs, options):
    """Attributes x and y of a file that has a crs, as osmnx writes it, are positions."""
    graph = nx.MultiDiGraph(**({"crs": crs} if crs else {}))
    graph.add_nodes_from((name, {"x": str(x), "y": "0"}) for x, name in enumerate("zabc"))
    graph.add_edges_from([("c", "b"), ("b", "a")])
    nx.write_graphml(graph, "city.graphml")
    page = shown(f"closeness city.graphml{options}")
    columns = page.columns()
    assert (page.texts["h2"][0] == "Map") == bool(crs)
    if crs:
        east = dict(zip(columns["t0"].tolist(), columns["east"].tolist(), strict=True))
        degree = 111319.49079327357 if crs == "epsg:4326" else 1
        want = {name: x * degree for x, name in enumerate("zabc") if name != "z" or not options}
        assert east == pytest.approx(want)


def test_a_dataset_with_positions_has_a_map_and_its_attribution(shown):
    known = datasets.nodes("roxel-streets")
    page = shown("closeness roxel-streets --threshold 100 --keep largest")
    columns = page.columns()
    assert page.texts["h2"][0] == "Map"
    assert "© OpenStreetMap contributors" in Path("out.html").read_text()
    degrees = dict(zip(known["node"], known["longitude"], strict=True))
    names = columns["t0"].tolist()
    want = np.array([degrees[name] for name in names]) * 111319.49079327357
    np.testing.assert_allclose(columns["east"], want)
    assert len(names) < len(degrees)


def test_a_dynamic_graph_is_noted_once(shown, recwarn):
    """Its file, read a second time for positions, warns of nothing."""
    node = '<node id="{0}"/>'.format
    Path("city.xml").write_text(
        f'<gexf><graph mode="dynamic"><nodes>{node("a")}{node("b")}</nodes>'
        '<edges><edge source="a" target="b"/></edges></graph></gexf>'
    )
    shown("closeness city.xml")
    assert not recwarn.list


def cells(page, title):
    """Rows of a listing of a page, without their types."""
    columns = page.data(page.source(f"listing-{title}")).values()
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_page_has_all_measures_asked_for(shown):
    """All scores asked for, the one of the command first; raw scores count pairs; half-widths."""
    page = shown("betweenness karate --also stress,closeness")
    assert page.texts["h1"] == ["Betweenness, stress, closeness of karate"]
    np.testing.assert_array_equal(page.columns()["s0"], np.sort(columns()["betweenness"])[::-1])
    want = {"betweenness (share of all pairs)", "stress (paths)", "closeness (1 / edges)"}
    assert want <= units(page)
    assert "edge betweenness (pairs)" in units(shown("edge-betweenness edges.csv --raw"))
    page = shown("betweenness edges.csv --error 0.5 --seed 1")
    assert page.columns().keys() >= {"s0", "b0"}
    assert page.texts["h1"] == ["Betweenness of edges.csv"]


@pytest.mark.parametrize(
    ("table", "degree"),  # metres along the equator
    [
        (f"{PLACES}e,9,9\n", 1),
        (f"node,lon,lat\n{PLACES}", 111319.49079327358),
        ("node,Latitude,Longitude\na,1,0\nb,0,1\nc,2,2\nd,1,3\n", 111319.49079327358),
    ],
)
def test_positions_make_a_map(shown, table, degree):
    """With or without titles, of a plane or of degrees, whichever comes first."""
    Path("places.csv").write_text(table)
    page = shown("percolation edges.csv --source-weights states.csv --positions places.csv")
    rows = page.columns()
    east = dict(zip(rows["t0"].tolist(), rows["east"].tolist(), strict=True))
    assert east == pytest.approx({"a": 0, "b": degree, "c": 2 * degree, "d": 3 * degree})
    assert page.texts["h2"][0] == "Map"
    assert [*rows["s0"]] == sorted(columns()["percolation"], reverse=True)


def test_groups_have_a_row_each_and_mark_their_members(shown):
    """A row for each; its members are marked with the highest score and all its numbers."""
    page = shown("group karate --nodes 1,34 --nodes 34,2,3")
    scores = columns()["score"]
    assert page.texts["h1"] == ["Group betweenness of karate"]
    assert cells(page, "Groups") == [(1, "1,34", scores[0]), (2, "34,2,3", scores[1])]
    found = marked(page)
    assert (found["34"], found["3"]) == (("1 2", max(scores)), ("2", scores[1]))
    assert sum(score == score for _, score in found.values()) == 4
    assert found["5"][0] == ""


def test_attacks_tell_what_went_when(shown):
    """What went when, and the curve of the largest component that is left."""
    page, steps = shown("dismantle karate --steps 3"), columns()
    want = zip((1, 2, 3), steps["node"], steps["score"], steps["largest component"], strict=True)
    assert cells(page, "Steps") == [*want]
    assert page.sources("curve") == {page.source("listing-Steps")}
    went = marked(page)
    assert [went[name] for name in steps["node"]] == [*zip("123", steps["score"], strict=True)]


def test_edges_that_went_have_their_score_and_others_0(shown):
    """Those that went have their score, the others 0."""
    edges = shown("dismantle karate -m edge-betweenness --steps 3").columns("edges")
    rows = zip(*(edges[key].tolist() for key in ("t0", "t1", "s0")), strict=True)
    want = {*zip(*(columns()[title] for title in ("source", "target", "score")), strict=True)}
    assert {row for row in rows if row[2]} == want


def test_components_are_listed_with_their_sizes(shown):
    """Their sizes, and the component of each node."""
    page = shown("components two.csv")
    assert cells(page, "Components") == [(1, 4, "a"), (0, 2, "<i>")]
    want = {**dict.fromkeys("abcd", ("1", 4)), **dict.fromkeys(("<i>", "z"), ("0", 2))}
    assert marked(page) == want


def test_communities_are_listed_with_the_modularity_of_each_level(shown):
    """The modularity of each level, and the community of each node."""
    page, table = shown("communities karate"), columns()
    found = sparsebc.communities.partition(datasets.load("karate")[0], device="cpu")
    rows = zip(
        (f"{label:.0f}" for label in table["community"]), table["community_size"], strict=True
    )
    assert marked(page) == dict(zip(table["node"], rows, strict=True))
    levels = zip(found.parts.tolist(), found.modularity.tolist(), strict=True)
    assert cells(page, "Modularity") == [*levels]
    told = f"5 communities, modularity {found.modularity.max():.6g}; the largest of 34 levels"
    assert told in page.texts["p"]
