"""Networks of other programs: their files and their objects, against what those programs say."""

import gzip
from io import BytesIO

import igraph
import networkx as nx
import numpy as np
import pytest
from graph_texts import assert_canonical, edges

from sparsebc import betweenness, io


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
def test_graphml_is_known_by_its_first_bytes(tmp_path, before):
    """Of an open file, and of one with another suffix, compressed or not."""
    path = tmp_path / "graph.xml"
    nx.write_graphml(nx.DiGraph([("a", "b")]), path)
    content = before + path.read_bytes()
    path.write_bytes(gzip.compress(content))
    for told in (path, BytesIO(content), BytesIO(content.partition(b"?>")[2].lstrip())):
        assert edges(io.read(told)) == {("a", "b"): 1}
    with pytest.raises(ValueError, match=r"the file:1: XML with the root 'svg'; expected graphml"):
        io.read(BytesIO(b"<?xml version='1.0'?><svg></svg>"))


@pytest.mark.parametrize(
    ("header", "one", "two"),
    [
        ("3 2", "2 3", "1"),
        ("3 2 1", "2 5 3 7", "1 5"),
        ("3 2 10", "9 2 3", "9 1"),
        ("3 2 11 2", "9 9 2 5 3 7", "9 9 1 5"),
        ("3 2 111", "8 9 2 5 3 7", "8 9 1 5"),
    ],
)
def test_metis_is_read_with_and_without_weights(tmp_path, header, one, two):
    """With and without sizes and weights, which do not count where they are those of nodes."""
    three = two[:-1] + "7" if header.endswith(("1", "1 2")) else two
    path = tmp_path / "m.graph"
    path.write_text(f"% comment\n{header}\n{one}\n% comment\n{two}\n{three}\n")
    network = io.read(path)
    assert_canonical(network)
    assert network.names == ("1", "2", "3")
    w = (5, 7) if "5" in one else (1, 1)
    np.testing.assert_array_equal(
        network.matrix.toarray(), [[0, w[0], w[1]], [w[0], 0, 0], [w[1], 0, 0]]
    )


def test_nodes_without_neighbours_are_empty_lines_of_metis(tmp_path):
    (tmp_path / "m.metis").write_text("4 1\n\n4\n\n2\n\n")
    assert edges(io.read(tmp_path / "m.metis")) == {("2", "4"): 1, ("4", "2"): 1}


def test_dimacs_is_read_with_the_shortest_of_parallel_arcs(tmp_path, monkeypatch):
    """Across blocks of lines; of parallel arcs the shortest."""
    monkeypatch.setattr("sparsebc.io.matrix_files.BLOCK", 9)
    (tmp_path / "d.gr").write_text(
        "c 9th challenge\np sp 4 4\na 1 2 803\nc\na 2 1 803\n\na 1 2 7\na 3 1 2.5\n"
    )
    network = io.read(tmp_path / "d.gr")
    assert_canonical(network)
    assert network.names == ("1", "2", "3", "4")
    assert edges(network) == {("1", "2"): 7, ("2", "1"): 803, ("3", "1"): 2.5}


@pytest.mark.parametrize("directed", [True, False])
def test_a_graph_of_igraph_has_its_betweenness(directed):
    """Its own betweenness is ours."""
    graph = igraph.Graph.Erdos_Renyi(n=30, m=60, directed=directed)
    graph.vs["name"] = [f"v{k}" for k in range(30)]
    graph.es["w"] = list(range(1, 61))
    network = io.from_igraph(graph)
    assert_canonical(network)
    assert network.names == tuple(graph.vs["name"])
    ours = betweenness(network.matrix, directed=directed, normalized=False, device="reference")
    np.testing.assert_allclose(ours, graph.betweenness())
    weights = io.from_igraph(graph, "w").matrix
    for edge in graph.es:
        assert weights[edge.source, edge.target] == edge["w"]
        assert directed or weights[edge.target, edge.source] == edge["w"]
    assert weights.nnz == (60 if directed else 120)


@pytest.mark.parametrize(("title", "expected"), [("w", 1), ("length", 1), ("score", 6)])
@pytest.mark.parametrize("directed", [True, False])
def test_parallel_edges_have_the_least_length_or_all_strengths(title, expected, directed):
    graph = igraph.Graph(2, [(0, 1)] * 3, directed=directed, edge_attrs={title: [2, 1, 3]})
    with pytest.warns(io.ReadWarning, match="parallel edges have different weights"):
        matrix = io.from_igraph(graph, title).matrix
    np.testing.assert_array_equal(
        matrix.toarray(), [[0, expected], [0 if directed else expected, 0]]
    )


@pytest.mark.parametrize("directed", [True, False])
def test_a_graph_of_graph_tool_has_its_betweenness(directed):
    """Its own betweenness is ours; what is filtered out is not there; reversed views lead back."""
    graph_tool = pytest.importorskip("graph_tool")
    central = pytest.importorskip("graph_tool.centrality")
    rng = np.random.default_rng(7)
    ends = np.unique(np.sort(rng.integers(0, 30, (80, 2)), axis=1), axis=0)  # loops among them
    graph = graph_tool.Graph(directed=directed)
    graph.add_vertex(31)
    graph.add_edge_list(ends[:, :: -1 if directed else 1])
    graph.ep["w"] = graph.new_ep("int", rng.integers(1, 9, len(ends)))
    matrix, names = io.from_graph_tool(graph, "w")
    assert names == tuple(map(str, range(31)))
    assert (io.from_graph_tool(graph, graph.ep["w"]).matrix != matrix).nnz == 0
    assert {*io.from_graph_tool(graph).matrix.data} == {1}
    for weighted in (True, False):
        theirs, _ = central.betweenness(graph, weight=graph.ep["w"] if weighted else None)
        ours = betweenness(matrix, directed=directed, weighted=weighted, device="reference")
        np.testing.assert_allclose(ours, theirs.a, atol=1e-14)
    graph.vp["name"] = graph.new_vp("string", [f"v{k}" for k in range(31)])
    there = edges(io.from_graph_tool(graph, "w"))
    assert_canonical(io.from_graph_tool(graph, "w"))
    found = io.from_graph_tool(graph_tool.GraphView(graph, vfilt=lambda v: int(v) % 3 != 0), "w")
    assert found.names == tuple(f"v{k}" for k in range(31) if k % 3)
    assert edges(found) == {e: w for e, w in there.items() if {*e} <= {*found.names}}
    back = graph_tool.GraphView(graph, reversed=True)
    assert edges(io.from_graph_tool(back, "w")) == {(v, u): w for (u, v), w in there.items()}
    for weight, message in (("x", "no edge property 'x'"), (graph.new_ep("string"), "scalar type")):
        with pytest.raises(ValueError, match=message):
            io.from_graph_tool(graph, weight)
    graph.vp["name"] = graph.new_vp("string", val="twice")
    with pytest.raises(ValueError, match=r"graph\.vp\['name'\] has a name twice"):
        io.from_graph_tool(graph)
