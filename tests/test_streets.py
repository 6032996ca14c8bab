"""Streets in and scores back, on graphs and frames of osmnx, momepy and GeoPandas themselves."""

from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from pages import reported

from sparsebc import accessibility, betweenness, closeness, edge_betweenness, streets
from sparsebc.io import ReadWarning

# Two ways between a and b, equal ones between b and c, a loop, a way back.
CITY = [
    ("a", "b", 3.0),
    ("a", "b", 9.0),
    ("b", "c", 2.0),
    ("b", "c", 2.0),
    ("c", "a", 6.5),
    ("c", "c", 1.0),
    ("c", "d", 4.0),
]


def graph_of(kind, edges):
    graph = kind()
    for u, v, length in edges:
        graph.add_edge(u, v, length=length)
    return graph


@pytest.mark.parametrize("kind", [nx.MultiDiGraph, nx.MultiGraph, nx.DiGraph, nx.Graph])
@pytest.mark.parametrize("weight", ["length", None])
def test_scores_by_street_are_those_of_networkx(kind, weight):
    """Scores by (u, v, key), split over parallel streets as NetworkX does; its graph unchanged."""
    pytest.importorskip("pandas")
    graph = graph_of(kind, CITY)
    before = nx.to_dict_of_dicts(graph.copy())
    city = streets.from_networkx(graph, weight)
    run = {"directed": city.directed, "weighted": True, "device": "reference"}
    edges = city.on_edges(edge_betweenness(city.matrix, **run))
    want = nx.edge_betweenness_centrality(graph, weight=weight)
    assert list(edges.index) == list(want)
    assert edges.index.names == (["u", "v", "key"] if graph.is_multigraph() else ["u", "v"])
    assert edges.to_dict() == pytest.approx(want)
    nodes = city.on_nodes(betweenness(city.matrix, **run))
    assert nodes.to_dict() == pytest.approx(nx.betweenness_centrality(graph, weight=weight))
    assert nx.to_dict_of_dicts(graph) == before
    nx.set_edge_attributes(graph, edges.to_dict(), "score")
    assert nx.get_edge_attributes(graph, "score") == pytest.approx(want)


@pytest.mark.parametrize("kind", [nx.MultiDiGraph, nx.Graph])
def test_several_cutoffs_are_columns(kind):
    """Of nodes and of streets, each the column of its cutoff alone."""
    pandas = pytest.importorskip("pandas")
    city = streets.from_networkx(graph_of(kind, [*CITY, ("d", "e", 1.0)]))
    run = {"directed": city.directed, "weighted": True, "device": "cpu"}
    radii = [5.0, 9.0, 100.0]
    for measure, back in ((betweenness, city.on_nodes), (closeness, city.on_nodes),
                          (edge_betweenness, city.on_edges)):  # fmt: skip
        found = back(measure(city.matrix, cutoff=radii, **run))
        assert list(found.columns) == [0, 1, 2]
        for place, radius in enumerate(radii):
            alone = back(measure(city.matrix, cutoff=radius, **run))
            pandas.testing.assert_series_equal(found[place], alone, check_names=False)
    places = np.arange(2.0 * city.matrix.shape[0]).reshape(-1, 2)
    found = accessibility(city.matrix, places, cutoff=radii, **run)
    columns = city.on_nodes(found)
    assert columns.shape == (len(city.nodes), 6)
    for kind_of_place, place in np.ndindex(2, 3):
        column = columns[kind_of_place, place].to_numpy()
        np.testing.assert_array_equal(column, found[city.junction, kind_of_place, place])


@pytest.mark.parametrize("kind", [nx.MultiDiGraph, nx.MultiGraph])
def test_a_street_of_length_zero_is_refused_or_merged(kind):
    """Refused by name, or the contracted graph's scores at all nodes of a junction."""
    pytest.importorskip("pandas")
    graph = graph_of(
        kind, [*CITY, ("b", "e", 0.0), ("f", "e", 0), ("f", "g", 1.0), ("e", "b", 7.0)]
    )
    with pytest.raises(
        ValueError, match=r"street \('b', 'e', 0\): length 0, as of 2 of 11 streets"
    ):
        streets.from_networkx(graph)
    city = streets.from_networkx(graph, zero="merge")
    merged = nx.relabel_nodes(graph, {"e": "b", "f": "b"})
    run = {"directed": city.directed, "weighted": True, "device": "reference"}
    merged.remove_edges_from(list(nx.selfloop_edges(merged, keys=True)))
    nodes = city.on_nodes(closeness(city.matrix, directed=city.directed, weighted=True))
    want = nx.closeness_centrality(merged, distance="length")
    assert nodes.to_dict() == pytest.approx({**want, "e": want["b"], "f": want["b"]})
    edges = city.on_edges(edge_betweenness(city.matrix, **run))
    want = nx.edge_betweenness_centrality(merged, weight="length")
    assert edges["c", "d", 0] == pytest.approx(want["c", "d", 0])
    assert edges["f", "g", 0] == pytest.approx(want["b", "g", 0])
    assert edges["b", "c", 1] == pytest.approx(want["b", "c", 1])
    assert np.isnan(edges["b", "e", 0])
    assert edges["c", "c", 0] == 0  # a loop is on no shortest path
    back = ("e", "b", 0) if kind is nx.MultiDiGraph else ("b", "e", 1)
    assert edges[back] == 0


def test_nodes_without_streets_keep_their_scores():
    pytest.importorskip("pandas")
    city = streets.from_networkx(nx.empty_graph(3, nx.MultiDiGraph))
    assert len(city.on_edges(city.matrix)) == 0
    assert list(city.on_nodes([1, 2, 3]).index) == [0, 1, 2]


def town(**attributes):
    """Two ways between a and b, one of them bent and drawn from b to a; a street of length zero."""
    graph = nx.MultiGraph(**attributes)
    places = {"a": (0.0, 0.0), "b": (4.0, 0.0), "c": (4.0, 3.0), 7: (4.0, 3.0)}
    graph.add_nodes_from((node, {"x": x, "y": y}) for node, (x, y) in places.items())
    bent = SimpleNamespace(coords=[(4, 0, 9), (2, 2, 9), (0, 0, 9)])  # as shapely has lines
    graph.add_edge("a", "b", length=4.0, name="High Street")
    graph.add_edge("a", "b", length=6.0, name=["Bow", "Bend"], geometry=bent)
    graph.add_edge("b", "c", length=3.0, name=np.nan)
    graph.add_edge("c", 7, length=0.0)
    return graph


def test_lines_run_from_the_first_end_of_their_street():
    """Each from its first end to its last, with the names it has."""
    lines = streets.from_networkx(town(), zero="merge").lines()
    points = [(0, 0), (4, 0), (0, 0), (2, 2), (4, 0), (4, 0), (4, 3), (4, 3), (4, 3)]
    np.testing.assert_array_equal(lines.points, points)
    np.testing.assert_array_equal(lines.starts, [0, 2, 5, 7, 9])
    assert lines.names == ("High Street", "Bow, Bend", "", "")
    assert not lines.geographic
    with pytest.raises(ValueError, match="'geometry', and its nodes have no 'x' and 'y'"):
        streets.from_networkx(graph_of(nx.Graph, CITY)).lines()


@pytest.mark.parametrize("line", ["text", "empty", "several", "place"])
def test_a_street_whose_line_is_none_is_named(line):
    """A line that is missing is straight."""
    shapely = pytest.importorskip("shapely")
    lines = {
        "text": "LINESTRING (0 0, 4 0)",
        "empty": shapely.LineString(),
        "several": shapely.MultiLineString([[(0, 0), (4, 0)]]),
    }
    graph = town()
    graph.add_edge("a", "c", length=5.0, geometry=lines.get(line, np.nan))
    if line == "place":
        graph.nodes["a"]["x"] = "east"
    with pytest.raises(ValueError, match=r"street \('a', '[bc]'\)"):
        streets.from_networkx(graph, None).lines()
    graph.nodes["a"]["x"] = "0.0"
    graph.add_edge("a", "c", 0, geometry=np.nan)
    assert streets.from_networkx(graph, None).lines().points[5:7].tolist() == [[0, 0], [4, 3]]


def test_a_report_of_streets_has_a_row_and_a_line_for_each():
    """A row and a line for each street, parallel ones too; junctions have the name of one node."""
    pytest.importorskip("bokeh")
    city = streets.from_networkx(town(), zero="merge")
    scores = [3.0, 0.5, 2.0, np.nan]
    nodes = {"reach": [1.0, 2.0, 3.0], "of nodes": [1.0, 2.0, 3.0, 3.0]}
    page = reported(city, nodes=nodes, edges={"trips": scores, "class": ["x", "y", "x", "y"]})
    rows = page.columns("edges")
    np.testing.assert_array_equal(rows["s0"], [3, 2, 0.5, np.nan])
    assert rows["t0"].tolist() == ["a", "b", "a", "c"]
    assert rows["t2"].tolist() == ["x", "x", "y", "y"]
    assert rows["t3"].tolist() == ["High Street", "", "Bow, Bend", ""]
    assert rows["b0"].tolist() == [4, 3, 6, 0]
    nodes = page.columns()
    assert nodes["t0"].tolist() == ["c", "b", "a"]
    np.testing.assert_array_equal(nodes["s1"], nodes["s0"])
    places = np.column_stack((nodes["east"], nodes["north"]))
    np.testing.assert_array_equal(places, [(4, 3), (4, 0), (0, 0)])
    lines = city.lines()
    for k, v in enumerate((0, 2, 1, 3)):
        points = lines.points[lines.starts[v] : lines.starts[v + 1]]
        np.testing.assert_array_equal(np.column_stack((rows["xs"][k], rows["ys"][k])), points)
    for more in ({"names": ["a", "b", "c"]}, {"positions": np.zeros((3, 2))}):
        with pytest.raises(ValueError, match="streets have names and positions of their own"):
            reported(city, nodes={"reach": [1.0, 2.0, 3.0]}, **more)
    with pytest.raises(ValueError, match=r"edges\['trips'\] has shape \(2,\); expected \(4,\)"):
        reported(city, edges={"trips": [1.0, 2.0]})


def test_a_report_takes_columns_by_their_labels():
    """As on_nodes and on_edges return them, by their labels; without coordinates it is drawn."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("bokeh")
    city = streets.from_networkx(graph_of(nx.MultiDiGraph, CITY))
    scores = edge_betweenness(city.matrix, weighted=True, device="reference")
    reach = city.on_nodes(np.arange(4.0))[::-1]
    tables = []
    for column in (scores, city.on_edges(scores)):
        page = reported(city, nodes={"reach": reach}, edges={"trips": column})
        tables.append(page.columns("edges"))
        assert page.columns()["t0"].tolist() == ["d", "c", "b", "a"]
        assert "Network" in page.texts["h2"]
    for key, column in tables[0].items():
        np.testing.assert_array_equal(column, tables[1][key])
    run = {"cutoff": [5, 9], "weighted": True, "device": "reference"}
    several = edge_betweenness(city.matrix, **run)
    nodes = city.on_nodes(betweenness(city.matrix, **run))
    rows = reported(city, nodes=nodes, edges=city.on_edges(several)).columns("edges")
    for key, column in zip(("s0", "s1"), city.on_edges(several).to_numpy().T, strict=True):
        np.testing.assert_array_equal(np.sort(rows[key]), np.sort(column))
    other = pandas.Series(np.ones(7), index=range(7, 14))
    for given in (
        {"nodes": np.ones(4)},
        {"nodes": nodes[0]},
        {"nodes": {"reach": nodes}},
        {"nodes": nodes.set_axis(["b", "b"], axis=1)},
        {"edges": {"trips": several}},
        {"edges": {"trips": other}},
    ):
        with pytest.raises((TypeError, ValueError), match=next(iter(given))):
            reported(city, **given)


def test_a_report_of_degrees_is_in_mercators_projection():
    """Longitudes and latitudes, as osmnx has them, are drawn in Mercator's projection."""
    pytest.importorskip("bokeh")
    pytest.importorskip("pyproj")
    city = streets.from_networkx(town(crs="epsg:4326"), zero="merge")
    east = reported(city, nodes={"reach": [1.0, 2.0, 3.0]}).columns()["east"]
    np.testing.assert_allclose(east, 111319.49079327358 * np.array([4, 4, 0]))


OSM = Path(__file__).parent / "data" / "city.osm"


def test_graphs_of_osmnx_give_networkxs_scores_back_to_osmnx(tmp_path):
    """From a file of OpenStreetMap to columns of the frames that osmnx draws and saves."""
    osmnx = pytest.importorskip("osmnx")
    graph = osmnx.graph_from_xml(OSM, retain_all=True)
    assert any(key for *_, key in graph.edges(keys=True)), "no parallel streets to tell apart"
    city = streets.from_networkx(graph)
    nodes, edges = osmnx.convert.graph_to_gdfs(graph)
    run = {"directed": city.directed, "weighted": True}
    edges["betweenness"] = city.on_edges(edge_betweenness(city.matrix, **run))
    nodes["closeness"] = city.on_nodes(closeness(city.matrix, **run))
    want = nx.edge_betweenness_centrality(graph, weight="length")
    assert edges["betweenness"].to_dict() == pytest.approx(want)
    want = nx.closeness_centrality(graph, distance="length")
    assert nodes["closeness"].to_dict() == pytest.approx(want)
    osmnx.save_graphml(graph, tmp_path / "city.graphml")
    loaded = streets.from_networkx(osmnx.load_graphml(tmp_path / "city.graphml"))
    assert (loaded.matrix != city.matrix).nnz == 0
    assert loaded.lines().geographic
    np.testing.assert_array_equal(loaded.lines().points, city.lines().points)
    again = osmnx.convert.graph_from_gdfs(nodes, edges)
    assert sum(nx.get_edge_attributes(again, "betweenness").values()) > 0
    both = osmnx.convert.to_undirected(graph)
    city = streets.from_networkx(both)
    edges = city.on_edges(edge_betweenness(city.matrix, directed=False, weighted=True))
    assert edges.to_dict() == pytest.approx(nx.edge_betweenness_centrality(both, weight="length"))


@pytest.fixture
def bubenec():
    """Streets of momepy's example, which it brings along."""
    momepy = pytest.importorskip("momepy")
    geopandas = pytest.importorskip("geopandas")
    return geopandas.read_file(momepy.datasets.get_path("bubenec"), layer="streets").to_crs(5514)


def test_graphs_and_lines_of_momepy_give_its_scores(bubenec):
    """momepy's own numbers, from its graph and from the lines themselves."""
    momepy = pytest.importorskip("momepy")
    graph = momepy.gdf_to_nx(bubenec)
    lines = streets.from_geodataframe(bubenec)
    city = streets.from_networkx(graph, "mm_len")
    assert lines.nodes == city.nodes == tuple(graph)
    assert (lines.matrix != city.matrix).nnz == 0
    theirs = momepy.betweenness_centrality(graph, verbose=False)
    theirs = momepy.closeness_centrality(theirs, verbose=False)
    theirs = momepy.betweenness_centrality(theirs, name="of_edges", mode="edges", verbose=False)
    run = {"directed": False, "weighted": True}
    for network in (lines, city):
        ours = network.on_nodes(betweenness(network.matrix, endpoints=True, **run))
        assert ours.to_dict() == pytest.approx(nx.get_node_attributes(theirs, "betweenness"))
        ours = network.on_nodes(closeness(network.matrix, **run))
        assert ours.to_dict() == pytest.approx(nx.get_node_attributes(theirs, "closeness"))
    ours = city.on_edges(edge_betweenness(city.matrix, **run))
    assert ours.to_dict() == pytest.approx(nx.get_edge_attributes(theirs, "of_edges"))
    bubenec["score"] = lines.on_edges(edge_betweenness(lines.matrix, **run))
    _, edges = momepy.nx_to_gdf(theirs)
    by_line = dict(zip(edges.geometry.to_wkb(), edges["of_edges"], strict=True))
    assert dict(zip(bubenec.geometry.to_wkb(), bubenec["score"], strict=True)) == pytest.approx(
        by_line
    )


def test_a_frame_keeps_its_index_whatever_its_lines(bubenec):
    """An index of the caller's, a column of lengths, lines of length zero, lines that close."""
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    corners = [
        [(0, 0), (3, 0)],
        [(3, 0), (3, 4)],
        [(3, 4), (3, 4)],
        [(0, 0), (0, 9), (3, 4)],
        [(3, 4), (5, 4), (5, 6), (3, 4)],
    ]
    frame = geopandas.GeoDataFrame(
        {"minutes": [1, 1, 1, 5, 1]}, geometry=[*map(shapely.LineString, corners)], index=[*"vwxyz"]
    )
    with pytest.raises(ValueError, match=r"street x: length 0, as of 1 of 5 streets"):
        streets.from_geodataframe(frame)
    city = streets.from_geodataframe(frame, zero="merge")
    assert city.nodes == ((0, 0), (3, 0), (3, 4))
    length = 9 + 34**0.5
    np.testing.assert_allclose(city.matrix.toarray(), [[0, 3, length], [3, 0, 4], [length, 4, 0]])
    scores = city.on_edges(edge_betweenness(city.matrix, directed=False, weighted=True))
    assert list(scores.index) == list("vwxyz")
    np.testing.assert_allclose(scores, [2 / 3, 2 / 3, np.nan, 0, 0])
    by_minutes = streets.from_geodataframe(frame, "minutes")
    np.testing.assert_array_equal(by_minutes.matrix.toarray(), [[0, 1, 5], [1, 0, 1], [5, 1, 0]])


def test_bad_frames_are_refused(bubenec):
    """Lengths in degrees, rows without a line, and columns that are none; web maps with a note."""
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    degrees = bubenec.to_crs(4326)
    degrees["name"] = "street"
    with pytest.warns(ReadWarning, match="estimate_utm"):
        streets.from_geodataframe(bubenec.to_crs(3857))
    cases = [
        ((geopandas.GeoDataFrame({"a": [1]}),), ValueError, "geometry"),
        ((bubenec.geometry,), TypeError, "GeoDataFrame"),
        ((degrees,), ValueError, "estimate_utm_crs"),
        ((degrees, "w"), ValueError, "column 'w'"),
        ((degrees, "name"), TypeError, "column 'name'"),
    ]
    several = shapely.MultiLineString([[(0, 0), (1, 0)]])
    for line in (several, shapely.LineString(), None):
        frame = geopandas.GeoDataFrame(geometry=[bubenec.geometry[0], line])
        cases.append(((frame,), ValueError, "row 1 of frame"))
    for given, error, message in cases:
        with pytest.raises(error, match=message):
            streets.from_geodataframe(*given)
