"""Networks with names, and values of nodes that have labels: columns of pandas."""

import io as streams

import hypothesis
import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from pages import Page, reported

import sparsebc
from sparsebc import betweenness, datasets, frames, io, streets

NETWORK = datasets.load("karate")
MATRIX, NAMES = NETWORK
WEIGHTS = np.arange(1.0, 35)
SCRAMBLED = np.random.default_rng(1).permutation(34)


def test_a_network_is_taken_for_its_matrix():
    """By measures, searches and what makes other matrices, with the results of its matrix."""
    s = sparsebc
    for function in (
        lambda A: betweenness(A, directed=False),
        lambda A: s.edge_betweenness(A, directed=False).toarray(),
        lambda A: s.closeness(A, weighted=True),
        lambda A: s.bfs(A, [0]),
        lambda A: s.shortest_paths(A, [0], weighted=True)[0],
        lambda A: s.connected_components(A)[1],
        lambda A: s.percolation(A, WEIGHTS),
        lambda A: s.group_betweenness(A, [[0, 1]]),
        lambda A: s.strength_to_distance(A).toarray(),
        lambda A: s.part_of(A, largest_component=True)[0].toarray(),
        lambda A: s.dismantle(A, by="betweenness", steps=3).order,
        lambda A: s.approximate_betweenness(A, epsilon=0.1, rng=1).scores,
    ):
        np.testing.assert_array_equal(function(NETWORK), function(MATRIX))
    assert s.explain(NETWORK).kernels == s.explain(MATRIX).kernels
    assert list(s.networkx.from_matrix(NETWORK)) == list(NAMES)


def test_names_come_with_a_network(tmp_path):
    """To files and pages; a matrix has numbers."""
    for given, name in ((NETWORK, "34"), (MATRIX, "33")):
        io.write_network(tmp_path / "a.gexf", given)
        assert f'label="{name}"' in (tmp_path / "a.gexf").read_text()
        assert ('label="34"' in (tmp_path / "a.gexf").read_text()) == (given is NETWORK)
        page = reported(given, nodes={"x": WEIGHTS})
        assert ("34" in page.columns()["t0"]) == (given is NETWORK)


def test_a_network_says_in_a_line_what_it_is():
    """In a line, whatever its matrix is."""
    said = "<Network of 34 nodes, 156 entries, symmetric: undirected with directed=False; names"
    said += " '1', '2', '3', ...>"
    assert repr(NETWORK) == str(NETWORK) == said
    one_way = io.Network(sp.csr_array([[0, 1], [0, 0]]), ("a", "b"))
    assert repr(one_way) == "<Network of 2 nodes, 1 entries, directed; names 'a', 'b'>"
    broken = sp.csr_array([[0, 1], [0, 0]])
    broken.indices[0] = 10**9
    assert "A.indices[0] must lie in 0..1" in repr(io.Network(broken, ("a", "b")))
    assert len(repr(io.Network(None, ()))) < 500


def column(values, labels):
    """A Series whose rows are scrambled."""
    pandas = pytest.importorskip("pandas")
    return pandas.Series(values, index=labels).iloc[SCRAMBLED]


@pytest.mark.parametrize("argument", ["source_weights", "target_weights", "states"])
def test_weights_with_labels_are_taken_by_name(argument):
    """By the names of a network; of a matrix they have the order of its rows or are refused."""

    def scores(A, values):
        if argument == "states":
            return sparsebc.percolation(A, values, directed=False)
        return betweenness(A, directed=False, **{argument: values})

    want = scores(MATRIX, WEIGHTS)
    labelled = column(WEIGHTS, NAMES)
    np.testing.assert_array_equal(scores(NETWORK, labelled), want)
    np.testing.assert_array_equal(scores(MATRIX, column(WEIGHTS, range(34)).sort_index()), want)
    wrong = f"{argument} has an index .*reindex"
    for A, values in (
        (MATRIX, labelled),
        (MATRIX, column(WEIGHTS, range(34))),
        (NETWORK, column(WEIGHTS, range(34))),
        (NETWORK, column(WEIGHTS, range(1, 35))),
        (NETWORK, column(WEIGHTS, [*NAMES[:-1], "35"])),
        (NETWORK, column(WEIGHTS, [*NAMES[:-1], "33"])),
    ):
        with pytest.raises(ValueError, match=wrong):
            scores(A, values)
    assert list(labelled.index) == [NAMES[v] for v in SCRAMBLED]


def test_lists_of_nodes_may_be_columns():
    """Their values are nodes, whatever the index."""
    nodes = column(np.arange(34), NAMES).iloc[:5]
    want = betweenness(MATRIX, sources=nodes.to_numpy(), targets=nodes.to_numpy())
    np.testing.assert_array_equal(betweenness(MATRIX, sources=nodes, targets=nodes), want)


WRITERS = {
    ".csv": lambda path, values: io.write_scores(path, {"x": values}, NAMES),
    ".gexf": lambda path, values: io.write_network(path, MATRIX, NAMES, {"x": values}),
    ".html": lambda path, values: sparsebc.report(path, MATRIX, NAMES, {"x": values}),
    "half-widths.html": lambda path, values: sparsebc.report(
        path, MATRIX, NAMES, {"x": WEIGHTS}, half_widths={"x": values}
    ),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_scores_with_labels_are_written_by_name(tmp_path, suffix):
    """Tables, files and pages have them by the names of the nodes, or refuse them."""
    path, write = tmp_path / f"out{suffix}", WRITERS[suffix]
    write(path, WEIGHTS)
    want = path.read_text()
    path.unlink()
    with pytest.raises(ValueError, match=r"\['x'\] has an index .*reindex"):
        write(path, column(WEIGHTS, range(34)))
    assert not path.exists()
    write(path, column(WEIGHTS, NAMES))
    found, want = (  # columns of a page, or the text of a file
        Page(text).columns() if suffix.endswith("html") else text
        for text in (path.read_text(), want)
    )
    np.testing.assert_equal(found, want)


def test_positions_with_labels_are_taken_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.stack([WEIGHTS, -WEIGHTS], axis=1), index=NAMES)
    pages = []
    for places in (frame.iloc[SCRAMBLED], frame.to_numpy()):
        pages.append(reported(MATRIX, NAMES, {"x": WEIGHTS}, positions=places).columns())
    np.testing.assert_equal(*pages)


def test_columns_of_one_frame_need_no_names_of_nodes():
    """Columns that were filtered together have one index, which is no names of nodes."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["p", "q", "r"], "b": ["q", "r", "p"], "x": [1.0, 2.0, 3.0]})
    some = frame[frame.x > 1]
    table = streams.StringIO()
    io.write_table(table, {"source": some.a, "target": some.b}, {"x": some.x})
    assert table.getvalue() == "source,target,x\nq,r,2.0\nr,p,3.0\n"
    with pytest.raises(ValueError, match=r"columns 'source' and 'target' have other indices"):
        frames.read({"source": frame.a, "target": frame.b.iloc[::-1]})
    assert frames.read({"source": some.a, "target": some.b}).names == ("q", "r", "p")


def test_scores_of_junctions_with_labels_are_taken_by_node():
    """By the nodes of the graph, where each is a junction."""
    pandas = pytest.importorskip("pandas")
    city = streets.from_networkx(nx.path_graph(["p", "q", "r"]), weight=None)
    scores = pandas.Series([2.0, 0.0, 1.0], index=["r", "p", "q"])
    assert city.on_nodes(scores).to_dict() == {"p": 0.0, "q": 1.0, "r": 2.0}
    frame = city.on_nodes(pandas.DataFrame({"jobs": scores, "homes": scores + 1}))
    assert frame.to_dict("list") == {"jobs": [0.0, 1.0, 2.0], "homes": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match="scores has an index"):
        city.on_nodes(scores.rename({"r": "s"}))


@pytest.mark.parametrize("kind", ["object", "str", "string"])
def test_columns_of_streets_with_labels_are_taken_by_street(kind):
    """By the labels of the streets, in any order, though their lengths could be labels."""
    pandas, geopandas = pytest.importorskip("pandas"), pytest.importorskip("geopandas")
    pytest.importorskip("bokeh")
    from shapely import LineString

    labels = [5, 3, 1, 2, 4]
    lines = [LineString([(9 * k, 0), (9 * k, k + 1)]) for k in range(5)]
    city = sparsebc.streets.from_geodataframe(geopandas.GeoDataFrame(geometry=lines, index=labels))
    texts = ["High Street", "", None, float("nan"), pandas.NA]
    frame = pandas.DataFrame({"x": np.arange(5.0), "of": texts, ("jobs", 400): 1.0}, labels)
    rows = reported(city, edges=frame.astype({"of": kind}).sort_index()).columns("edges")
    assert [*rows["s0"]] == [*(rows["b0"] - 1)] == [4, 3, 2, 1, 0]  # x, and lengths
    assert [*rows["t2"]] == ["", "", "", "", "High Street"]
    assert {*rows["s1"]} == {1}


@hypothesis.given(st.data())
def test_trips_with_names_are_taken_by_name(data):
    """By the names of a network, whose nodes may have no trips, in whatever order."""
    some = data.draw(st.lists(st.integers(0, 33), min_size=2, max_size=9, unique=True))
    trips = 1.0 - np.eye(len(some)) * data.draw(st.integers(0, 1))
    demand = io.Network(sp.csr_array(trips), tuple(NAMES[v] for v in some))
    whole = np.zeros((34, 34))
    whole[np.ix_(some, some)] = trips
    run = {"directed": False, "device": "reference"}
    want = betweenness(MATRIX, demand=sp.csr_array(whole), **run)
    np.testing.assert_array_equal(betweenness(NETWORK, demand=demand, **run), want)
    stranger = demand._replace(names=(*demand.names[1:], "nobody"))
    with pytest.raises(ValueError, match="demand has names that are not nodes of A, as 'nobody'"):
        betweenness(NETWORK, demand=stranger, **run)
