"""Writing scores and matrices: the round trips, and files that are never half written."""

import bz2
import csv
import gzip
import json
import lzma
import os
from contextlib import nullcontext

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import datasets, frames, io

SCORES = {"betweenness": np.array([0.1 + 0.2, 5e-324, np.nan]), "eccentricity": np.array([1, 2, 3])}
PLACES = ["a", 'b, "c"', "d\ne"]
OPENERS = {"": open, ".gz": gzip.open, ".GZ": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@pytest.mark.parametrize("name", ["scores.csv", ".//-.csv", "scores.TSV", "scores.txt"])
@pytest.mark.parametrize(("suffix", "opener"), OPENERS.items())
def test_the_suffix_decides_about_separator_and_compression(tmp_path, name, suffix, opener):
    """Commas or tabs, and small letters or capitals."""
    path = tmp_path / f"{name}{suffix}"
    io.write_scores(path, SCORES, PLACES)
    comma = "," if path.name.endswith(f".csv{suffix}") else "\t"
    with opener(path, "rt", newline="") as file:
        assert [*csv.reader(file, delimiter=comma)] == [
            ["node", "betweenness", "eccentricity"],
            ["a", "0.30000000000000004", "1"],
            ['b, "c"', "5e-324", "2"],
            ["d\ne", "nan", "3"],
        ]
    assert os.listdir(tmp_path) == [path.name]


def test_equal_scores_give_equal_bytes(tmp_path, monkeypatch):
    written = []
    for now in (0.0, 1e9):
        monkeypatch.setattr("time.time", lambda now=now: now)
        io.write_scores(str(tmp_path / "s.csv.gz"), SCORES, PLACES)
        written.append((tmp_path / "s.csv.gz").read_bytes())
    assert written[0] == written[1]


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), min_size=1)


@given(st.lists(st.tuples(NAMES, st.floats(), st.floats(width=32)), max_size=8))
def test_every_number_comes_back(tmp_path_factory, rows):
    """The same bits, by csv, GraphML and JSON, where NaN and infinity are null; the names."""
    names, folder = [name for name, _, _ in rows], tmp_path_factory.mktemp("numbers")
    scores = {
        "x": np.array([x for _, x, _ in rows], np.float64),
        "y, z": np.array([x for _, _, x in rows], np.float32),
    }
    for name in ("s.csv", "s.json"):
        io.write_scores(folder / name, scores, names)
    with open(folder / "s.csv", encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    by_json = json.loads((folder / "s.json").read_text(), parse_constant=lambda text: 1 / 0)
    assert header == ["node", "x", "y, z"]
    assert [line[0] for line in lines] == [row["node"] for row in by_json] == names
    matrix = scipy.sparse.csr_array((len(rows),) * 2)
    io.write_network(folder / "g.graphml", matrix, [f"n{v}" for v in range(len(rows))], scores)
    graph = nx.read_graphml(folder / "g.graphml")
    for k, (title, values) in enumerate(scores.items(), 1):
        for found in ([line[k] for line in lines], [data[title] for _, data in graph.nodes.data()]):
            np.testing.assert_array_equal(np.array(found, values.dtype), values)
        numbers = [np.nan if row[title] is None else row[title] for row in by_json]
        finite = np.where(np.isfinite(values), values, np.nan)
        np.testing.assert_array_equal(np.array(numbers, values.dtype), finite)


def test_a_column_of_text_and_numbers_is_refused(tmp_path):
    mixed = {"kind": np.array(["a", 1], dtype=object)}
    with pytest.raises(TypeError, match="real numbers or strings"):
        io.write_network(tmp_path / "n.graphml", np.eye(2, k=1), ["u", "v"], mixed)


FAULTS = [None, OSError(28, "No space left on device"), KeyboardInterrupt("No space left")]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_the_old_file_stays_until_all_is_written(tmp_path, monkeypatch, name, fault):
    """And for good where a writer fails."""
    path, seen = tmp_path / name, []
    names = list(map(str, range(50_000)))  # enough that a part is on the disk at the last one

    class Names(list):
        def __iter__(self):
            for name in super().__iter__():
                if name == names[-1]:
                    seen.append((path.read_text(), len(os.listdir(tmp_path))))
                    if fault and seen[-1][1] == 2:
                        raise fault
                yield name

    path.write_text("old")
    with pytest.raises(type(fault), match="No space left") if fault else nullcontext():
        io.write_scores(path, {"x": np.zeros(len(names))}, Names(names))
    assert seen[-1] == ("old", 2)
    assert (path.read_bytes() == b"old") == bool(fault)
    assert os.listdir(tmp_path) == [name]


def test_a_matrix_is_written_with_a_line_for_each_source(tmp_path):
    """A line for each source; inf, names and quotes come back as they were."""
    path = tmp_path / "matrix.csv.gz"
    io.write_matrix(path, [[0.1 + 0.2, np.inf], [-1, 3]], ["a", "b,c"], ["a", "b,c"])
    with gzip.open(path, "rt", newline="") as file:
        assert list(csv.reader(file)) == [
            ["source", "a", "b,c"],
            ["a", "0.30000000000000004", "inf"],
            ["b,c", "-1.0", "3.0"],
        ]


KARATE, MEMBERS = datasets.load("karate")
ODD = ("a b<&\"'é\r\n\t", "☃ ]]>", *MEMBERS[2:])
READ = {"graphml": nx.read_graphml, "gexf": nx.read_gexf}
ONE_WAY = scipy.sparse.csr_array(([0.1 + 0.2, 5e-324, 3.0], ([0, 1, 2], [1, 0, 2])), shape=(4, 4))


NODES = np.arange(34) / 7
TIES = KARATE.multiply(np.add.outer(NODES, NODES)).tocsr()


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_networkx_and_igraph_read_names_scores_and_ties(tmp_path, kind, packed):
    """Every double to the bit, the names as keys, an undirected edge once."""
    path, plain = tmp_path / f"karate.{kind}{packed}", tmp_path / f"karate.{kind}"
    io.write_network(path, KARATE, ODD, {"b": NODES}, {"tie": TIES}, directed=False)
    if packed:
        plain.write_bytes(gzip.decompress(path.read_bytes()))
    graph = READ[kind](plain)
    assert (list(graph), graph.is_directed()) == (list(ODD), False)
    assert [graph.nodes[name]["b"] for name in ODD] == NODES.tolist()
    number, ends = {name: v for v, name in enumerate(ODD)}, scipy.sparse.triu(KARATE).nonzero()
    found = {tuple(sorted((number[u], number[v]))): data for u, v, data in graph.edges(data=True)}
    want = {(u, v): {"tie": TIES[u, v], "weight": 1} for u, v in zip(*ends, strict=True)}
    assert {
        pair: {title: data[title] for title in ("tie", "weight")} for pair, data in found.items()
    } == want
    if kind == "graphml":
        other = igraph.Graph.Read_GraphML(str(plain))
        assert (other.is_directed(), other.vs["name"]) == (False, list(ODD))
        assert other.vs["b"] == NODES.tolist()
        assert dict(zip(map(tuple, other.get_edgelist()), other.es["tie"], strict=True)) == {
            pair: data["tie"] for pair, data in want.items()
        }


@pytest.mark.parametrize("kind", READ)
def test_directions_loops_and_isolated_nodes_are_written(tmp_path, kind):
    """A weight to the bit; a score of a matrix of its own, 0 where that has none."""
    path = tmp_path / f"arcs.{kind}"
    scores = scipy.sparse.coo_array(([np.inf, -2.5], ([0, 1], [1, 0])), shape=(4, 4))
    nodes = {"far": [np.inf, -np.inf, np.nan, 1.0], "n": [1, 2, 3, 2**62], "of": [*"ab<", "é"]}
    io.write_network(path, ONE_WAY, [*"wxyz"], nodes, {"e": scores})
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


def test_of_undirected_weights_that_differ_the_smaller_is_written(tmp_path):
    """The smaller of two, that which there is, and the larger score."""
    path = tmp_path / "g.graphml"
    matrix = scipy.sparse.csr_array([[0, 3, 0], [2, 0, 5], [0, 0, 0]])
    io.write_network(path, matrix, [*"abc"], edges={"e": matrix}, directed=False)
    edges = nx.read_graphml(path).edges(data=True)
    assert sorted((u, v, d["weight"], d["e"]) for u, v, d in edges) == [
        ("a", "b", 2, 3.0), ("b", "c", 5, 5.0)
    ]  # fmt: skip


def test_facts_that_are_numbers_of_numpy_are_spelt_as_numbers(tmp_path):
    io.write_network(tmp_path / "g.graphml", KARATE, provenance={"seconds": np.float64(0.1)})
    assert nx.read_graphml(tmp_path / "g.graphml").graph["seconds"] == 0.1


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


def test_parquet_of_more_rows_than_a_block_has_them_all(tmp_path, monkeypatch):
    """And of none."""
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("sparsebc.io.write._BLOCK", 3)
    io.write_scores(tmp_path / "s.parquet", {"x": np.arange(8)}, [*"abcdefgh"])
    assert parquet.read_table(tmp_path / "s.parquet")["x"].to_pylist() == list(range(8))
    io.write_pairs(tmp_path / "p.parquet", {"level": [[0, 1]]}, ["a"], ["a", "b"])
    assert parquet.read_table(tmp_path / "p.parquet").to_pylist()[1] == {
        "source": "a", "node": "b", "level": 1
    }  # fmt: skip
    io.write_scores(tmp_path / "none.parquet", {"x": np.zeros(0)}, [])
    assert parquet.read_table(tmp_path / "none.parquet").num_rows == 0


def test_a_json_table_is_an_array_of_objects(tmp_path):
    """An array of objects; of pairs and of nothing too."""
    io.write_pairs(tmp_path / "p.json.gz", {"d": [[0.0, np.inf]]}, ["a"], ["a", "☃"])
    text = gzip.decompress((tmp_path / "p.json.gz").read_bytes()).decode()
    assert text == (
        '[\n{"source":"a","node":"a","d":0.0},\n{"source":"a","node":"☃","d":null}\n]\n'
    )
    io.write_scores(tmp_path / "s.json", {}, [])
    assert json.loads((tmp_path / "s.json").read_text()) == []
