"""Networks with scores, Parquet and JSON: what other programs read is what was written."""

import gzip
import json
import os
import re

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from sparsebc import betweenness, datasets, edge_betweenness, frames, io

KARATE, MEMBERS = datasets.load("karate")
NODES = betweenness(KARATE, directed=False, device="reference")
TIES = edge_betweenness(KARATE, directed=False, device="reference")
ODD = ("a b<&\"'é\r\n\t", "☃ ]]>", *MEMBERS[2:])
READ = {"graphml": nx.read_graphml, "gexf": nx.read_gexf}
ARCS = scipy.sparse.csr_array(([0.1 + 0.2, 5e-324, 3.0], ([0, 1, 2], [1, 0, 2])), shape=(4, 4))


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_networkx_reads_names_scores_and_ties(tmp_path, kind, packed):
    """Every double to the bit, the names as keys, an undirected edge once."""
    path = tmp_path / f"karate.{kind}{packed}"
    io.write_network(path, KARATE, ODD, {"b": NODES}, {"tie": TIES}, directed=False)
    if packed:
        (tmp_path / f"karate.{kind}").write_bytes(gzip.decompress(path.read_bytes()))
    graph = READ[kind](tmp_path / f"karate.{kind}")
    assert not graph.is_directed()
    assert list(graph) == list(ODD)
    assert [graph.nodes[name]["b"] for name in ODD] == NODES.tolist()
    assert graph.number_of_edges() == 78
    dense = TIES.toarray()
    number = {name: v for v, name in enumerate(ODD)}
    for u, v, data in graph.edges(data=True):
        assert data["tie"] == dense[number[u], number[v]]
        assert data["weight"] == 1


@pytest.mark.parametrize("kind", READ)
def test_directions_loops_and_isolated_nodes(tmp_path, kind):
    """A weight to the bit; a score of a matrix of its own, 0 where that has none."""
    path = tmp_path / f"arcs.{kind}"
    scores = scipy.sparse.coo_array(([np.inf, -2.5], ([0, 1], [1, 0])), shape=(4, 4))
    nodes = {"far": [np.inf, -np.inf, np.nan, 1.0], "n": [1, 2, 3, 2**62], "of": [*"ab<", "é"]}
    io.write_network(path, ARCS, [*"wxyz"], nodes, {"e": scores})
    graph = READ[kind](path)
    assert graph.is_directed()
    assert {(u, v): d["weight"] for u, v, d in graph.edges(data=True)} == {
        ("w", "x"): 0.1 + 0.2, ("x", "w"): 5e-324, ("y", "y"): 3.0
    }  # fmt: skip
    assert [graph.edges[edge]["e"] for edge in ("wx", "xw", "yy")] == [np.inf, -2.5, 0]
    far = [graph.nodes[name]["far"] for name in "wxyz"]
    np.testing.assert_array_equal(far, nodes["far"])
    assert [graph.nodes[name]["n"] for name in "wxyz"] == nodes["n"]
    assert [graph.nodes[name]["of"] for name in "wxyz"] == nodes["of"]


def test_undirected_weights_that_differ(tmp_path):
    """The smaller of two, that which there is, and the larger score."""
    path = tmp_path / "g.graphml"
    matrix = scipy.sparse.csr_array([[0, 3, 0], [2, 0, 5], [0, 0, 0]])
    io.write_network(path, matrix, [*"abc"], edges={"e": matrix}, directed=False)
    edges = nx.read_graphml(path).edges(data=True)
    assert sorted((u, v, d["weight"], d["e"]) for u, v, d in edges) == [
        ("a", "b", 2, 3.0), ("b", "c", 5, 5.0)
    ]  # fmt: skip


def test_igraph_opens_the_graphml(tmp_path):
    """Its own scores are those that came along, to rounding; names and weights are there."""
    path = tmp_path / "karate.graphml"
    io.write_network(path, KARATE, ODD, {"b": NODES}, {"tie": TIES}, directed=False)
    graph = igraph.Graph.Read_GraphML(str(path))
    assert (graph.is_directed(), graph.vcount(), graph.ecount()) == (False, 34, 78)
    assert graph.vs["name"] == list(ODD)
    assert graph.vs["b"] == NODES.tolist()
    np.testing.assert_allclose(np.array(graph.betweenness()) / (33 * 32 / 2), graph.vs["b"])
    np.testing.assert_allclose(np.array(graph.edge_betweenness()) / (34 * 33 / 2), graph.es["tie"])


def test_cx2_as_the_format_orders_it(tmp_path):
    """One array of aspects, the descriptor first and the status last, counts as told."""
    path = tmp_path / "arcs.cx2"
    io.write_network(path, ARCS, [*"wxyz"], {"far": [np.inf, np.nan, -np.inf, 1.5]})
    aspects = json.loads(path.read_text())
    assert [next(iter(aspect)) for aspect in aspects] == [
        *("CXVersion", "metaData", "attributeDeclarations", "networkAttributes", "nodes"),
        *("edges", "status"),
    ]
    content = {name: value for aspect in aspects[1:] for name, value in aspect.items()}
    for told in content["metaData"]:
        assert told["elementCount"] == len(content[told["name"]])
    assert content["nodes"] == [
        {"id": 0, "v": {"name": "w", "far": np.inf}},
        {"id": 1, "v": {"name": "x"}},
        {"id": 2, "v": {"name": "y", "far": -np.inf}},
        {"id": 3, "v": {"name": "z", "far": 1.5}},
    ]
    assert content["edges"][0] == {"id": 0, "s": 0, "t": 1, "v": {"weight": 0.1 + 0.2}}
    declared = content["attributeDeclarations"][0]
    assert declared["nodes"] == {"name": {"d": "string"}, "far": {"d": "double"}}
    assert content["networkAttributes"] == [{"directed": True}]
    assert not re.search("NaN|Infinity", path.read_text())


def test_cx2_of_no_edge(tmp_path):
    """An aspect without elements is left out, and so is its count."""
    path = tmp_path / "alone.cx2"
    io.write_network(path, scipy.sparse.csr_array((1, 1)), ["a"])
    aspects = json.loads(path.read_text())
    assert "edges" not in {name for aspect in aspects for name in aspect}
    assert [told["name"] for told in aspects[1]["metaData"]][-1] == "nodes"


def test_ndex_reads_the_cx2(tmp_path):
    """By its own class, declarations applied."""
    cx2 = pytest.importorskip("ndex2.cx2")
    path = tmp_path / "karate.cx2"
    io.write_network(path, KARATE, ODD, {"b": NODES}, {"tie": TIES}, directed=False)
    network = cx2.CX2Network()
    network.create_from_raw_cx2(str(path))
    nodes = network.get_nodes()
    assert [nodes[v]["v"]["name"] for v in range(34)] == list(ODD)
    assert [nodes[v]["v"]["b"] for v in range(34)] == NODES.tolist()
    dense = TIES.toarray()
    edges = network.get_edges().values()
    assert len(edges) == 78
    assert all(edge["v"]["tie"] == dense[edge["s"], edge["t"]] for edge in edges)


def test_parquet_keeps_types(tmp_path):
    """Scores of nodes, and a table of edges that frames.read takes back."""
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "scores.parquet"
    scores = {
        "x": np.array([0.1 + 0.2, np.inf, np.nan]),
        "single": np.array([0.1, 2, 3], np.float32),
        "level": np.array([-1, 2, 3], np.int32),
    }
    io.write_scores(path, scores, ["a", "☃", ""])
    table = parquet.read_table(path)
    assert [str(kind) for kind in table.schema.types] == ["string", "double", "float", "int32"]
    assert table["node"].to_pylist() == ["a", "☃", ""]
    for title, values in scores.items():
        np.testing.assert_array_equal(table[title].to_numpy(), values)
    coo = KARATE.tocoo()
    ends = {
        "source": [MEMBERS[v] for v in coo.row],
        "target": [MEMBERS[v] for v in coo.col],
    }
    io.write_table(path, ends, {"weight": coo.data, "edge_betweenness": TIES.tocoo().data})
    matrix, names = frames.read(parquet.read_table(path))
    assert names == MEMBERS
    assert (matrix != KARATE).nnz == 0


def test_parquet_of_more_rows_than_a_block(tmp_path, monkeypatch):
    """And of none."""
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("sparsebc.io.parquet._BLOCK", 3)
    io.write_scores(tmp_path / "s.parquet", {"x": np.arange(8)}, [*"abcdefgh"])
    assert parquet.read_table(tmp_path / "s.parquet")["x"].to_pylist() == list(range(8))
    io.write_pairs(tmp_path / "p.parquet", {"level": [[0, 1]]}, ["a"], ["a", "b"])
    assert parquet.read_table(tmp_path / "p.parquet").to_pylist()[1] == {
        "source": "a", "node": "b", "level": 1
    }  # fmt: skip
    io.write_scores(tmp_path / "none.parquet", {"x": np.zeros(0)}, [])
    assert parquet.read_table(tmp_path / "none.parquet").num_rows == 0


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    """The message names the package, and no file is left."""
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match="python -m pip install pyarrow"):
        io.write_scores(tmp_path / "s.parquet", {}, [])
    assert os.listdir(tmp_path) == []


def test_json_tables(tmp_path):
    """An array of objects; of pairs and of nothing too."""
    io.write_pairs(tmp_path / "p.json.gz", {"d": [[0.0, np.inf]]}, ["a"], ["a", "☃"])
    text = gzip.decompress((tmp_path / "p.json.gz").read_bytes()).decode()
    assert text == (
        '[\n{"source":"a","node":"a","d":0.0},\n{"source":"a","node":"☃","d":1e999}\n]\n'
    )
    io.write_scores(tmp_path / "s.json", {}, [])
    assert json.loads((tmp_path / "s.json").read_text()) == []
