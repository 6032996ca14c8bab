"""A part of a network by the command, STRING in one line, what is printed as JSON."""

import gzip
import json
import random

import networkx as nx
import numpy as np
import pytest

from sparsebc import datasets

PROTEINS = [f"9606.ENSP{k:011d}" for k in range(40)]
SCORES = {}
_draw = random.Random(7)
for _one in range(40):
    for _other in range(_one):
        if _draw.random() < 0.2:
            SCORES[_one, _other] = _draw.randint(150, 999)


@pytest.fixture
def string(tmp_path, monkeypatch):
    """A folder with files as STRING has them."""
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{PROTEINS[u]} {PROTEINS[v]} {score}"
        for (one, other), score in SCORES.items()
        for u, v in ((one, other), (other, one))
    ]
    text = "\n".join(["protein1 protein2 combined_score", *lines, ""])
    (tmp_path / "9606.links.txt.gz").write_bytes(gzip.compress(text.encode()))
    info = "".join(f'{p}\tGENE{k}\t{k}\tA "quoted, word\n' for k, p in enumerate(PROTEINS))
    head = "#string_protein_id\tpreferred_name\tprotein_size\tannotation\n"
    (tmp_path / "9606.info.txt.gz").write_bytes(gzip.compress((head + info).encode()))
    return tmp_path


def graph_of(least):
    """What the one line is about, built from the definition."""
    graph = nx.Graph()
    graph.add_nodes_from({f"GENE{k}" for pair in SCORES for k in pair})
    for (u, v), score in SCORES.items():
        if score >= least:
            graph.add_edge(f"GENE{u}", f"GENE{v}", length=-np.log(score / 1000))
    return graph


def test_string_in_one_line(run, string):
    """Threshold, scale, strengths, names, and a network that NetworkX reads."""
    status, out, _ = run(
        *("betweenness", "9606.links.txt.gz", "--threshold", "700", "--scale", "1000"),
        *("--strength", "log", "--names", "9606.info.txt.gz", "-o", "network.graphml"),
        *("--device", "reference"),
    )
    want = graph_of(700)
    kept = want.number_of_edges()
    assert status == 0
    assert f"--threshold 700 keeps {2 * kept} of {2 * len(SCORES)} entries" in out
    alone = sum(degree == 0 for _, degree in want.degree)
    assert alone > 0
    assert f"{alone} of {len(want)} nodes have no edge left, stay, and count in normal" in out
    found = nx.read_graphml("network.graphml")
    assert set(found) == set(want)
    assert {frozenset(edge) for edge in found.edges} == {frozenset(edge) for edge in want.edges}
    scores = nx.betweenness_centrality(want, weight="length")
    for name, score in scores.items():
        assert found.nodes[name]["betweenness"] == pytest.approx(score, abs=1e-12)
    for u, v, data in found.edges(data=True):
        assert data["weight"] == pytest.approx(np.exp(-want.edges[u, v]["length"]))


def test_a_threshold_in_another_unit_shows(run, string):
    """All is kept, and the least weight of the file says what the scores are like."""
    command = ("betweenness", "9606.links.txt.gz", "--threshold", "0.7", "--device", "reference")
    status, out, _ = run(*command)
    assert status == 0
    whole, least = 2 * len(SCORES), min(SCORES.values())
    assert least > 1
    assert f"keeps {whole} of {whole} entries of the matrix, whose least weight is {least}" in out


def test_the_largest_component(run, string):
    """As NetworkX finds it, with what is printed as JSON."""
    status, out, err = run(
        *("closeness", "9606.links.txt.gz", "--threshold", "850", "--largest-component"),
        *("--names", "9606.info.txt.gz", "--json", "--top", "0", "--device", "cpu"),
    )
    graph = graph_of(850)
    parts = sorted(nx.connected_components(graph), key=len)
    assert len(parts[-1]) > len(parts[-2])
    want = nx.closeness_centrality(graph.subgraph(parts[-1]))
    assert (status, err) == (0, "")
    record = json.loads(out)
    assert (record["nodes"], record["directed"]) == (len(parts[-1]), False)
    assert f"--largest-component keeps {len(parts[-1])} of {len(graph)} nodes" in record["notes"]
    assert "have no edge left" not in record["notes"][0]
    got = {row["node"]: row["closeness"] for row in record["ranking"]}
    assert got == pytest.approx(want)
    assert [row["rank"] for row in record["ranking"]] == list(range(1, len(want) + 1))
    assert {row["node"]: row["degree"] for row in record["ranking"]} == dict(
        graph.subgraph(parts[-1]).degree
    )


def test_sources_from_a_file(run, tmp_path, monkeypatch):
    """As if they were listed, beside others; a node whose name begins so is a node."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("from,to\na,b\nb,@c\n@c,d\n")
    (tmp_path / "some.txt").write_text("a\n\n d \n")
    listed = run("bfs", "edges.csv", "--sources", "@c", "a", "d", "-o", "-", "--quiet")
    by_file = run("bfs", "edges.csv", "--sources", "@c", "@some.txt", "-o", "-", "--quiet")
    assert listed == by_file
    assert listed[1].startswith("source,node,level\n@c,a,2\n")
    _, out, _ = run("bfs", "edges.csv", "--sources", "@some.txt", "--json")
    assert json.loads(out)["searches"] == [
        {"source": "a", "reached": 3, "levels": 3}, {"source": "d", "reached": 3, "levels": 3}
    ]  # fmt: skip
    scores = ("betweenness", "edges.csv", "--device", "reference", "-o", "-", "--quiet")
    assert run(*scores, "--sources", "@some.txt") == run(*scores, "--sources", "a", "d")


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--threshold", "7"], 1, "--threshold 7: no edge has that weight; the largest is 2"),
        (["--threshold", "x"], 2, "expected a number above 0, got 'x'"),
        (["--scale", "0"], 2, "expected a number above 0, got '0'"),
        (["--names", "none.tsv"], 1, "none.tsv: No such file"),
        (["--names", "other.tsv"], 1, "other.tsv: the first column has none of the nodes"),
        (
            ["--names", "one.tsv"],
            1,
            "one.tsv:2: expected two columns, a name and the one wanted, with tabs or commas",
        ),
        (["--names", "latin.txt"], 1, "latin.txt: expected columns of UTF-8 text"),
        (["--names", "open.csv"], 1, "open.csv:2: unexpected end of data"),
        (["--names", "other.tsv", "-o", "other.tsv"], 1, "other.tsv: this is the table of --names"),
        (["--sources", "@a.txt", "-o", "./a.txt"], 1, "a.txt: this is a list of --sources"),
        (["--names", "twice.tsv"], 1, "twice.tsv:2: 'a' is given once more"),
        (["--sources", "@none.txt"], 1, "none.txt: No such file"),
        (["--sources", "@empty.txt"], 1, "--sources @empty.txt: the file names no node"),
        (["--sources", "@latin.txt"], 1, "--sources @latin.txt: expected UTF-8 text"),
        (["--sources", "@others.txt"], 1, "'z'; the nodes are 'a', 'b', 'c'; --names calls them"),
        (
            ["--sources", "a", "--names", "called.tsv"],
            1,
            "'a'; the nodes are 'x', 'b', 'c', as --names called.tsv calls them; --ignore-missing",
        ),
        (
            ["--source-weights", "a.txt", "--names", "called.tsv"],
            1,
            "none of the nodes, which are 'x' and others, as --names called.tsv calls them\n",
        ),
        (["--sources", "a", "@a.txt"], 1, "--sources lists 'a' more than once"),
    ],
)
def test_what_does_not_serve(run, tmp_path, monkeypatch, options, status, message):
    """One line that names the option or the file."""
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "edges.csv": "from,to,weight\na,b,1\nb,c,2\n",
        "other.tsv": "x\ty\n",
        "one.tsv": "a\tx\nb\n",
        "called.tsv": "a\tx\n",
        "twice.tsv": "a\tx\na\ty\n",
        "open.csv": 'a,"x\nb,y\n',
        "empty.txt": "\n",
        "others.txt": "z\n",
        "a.txt": "a\n",
    }.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "latin.txt").write_bytes(b"\xe9\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    found, out, err = run("betweenness", "edges.csv", *options)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1


def test_names_that_two_nodes_share(run, tmp_path, monkeypatch):
    """Keep their own in brackets; what the table lacks keeps its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("from,to\na,b\nb,c\n")
    (tmp_path / "names.csv").write_text('node,name\na,"x, y"\nb,"x, y"\n')
    status, out, _ = run(
        *("betweenness", "edges.csv", "--names", "names.csv", "--json"),
        *("--device", "reference"),
    )
    record = json.loads(out)
    assert status == 0
    assert [row["node"] for row in record["ranking"]] == ["x, y (b)", "x, y (a)", "c"]
    assert "1 of 3 nodes are not in names.csv, and keep their names" in record["notes"]
    assert "2 nodes share names in names.csv, and have their own in brackets" in record["notes"]


def test_lines_end_where_a_file_says(run, tmp_path, monkeypatch):
    """Other characters that Unicode calls ends of lines are text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("from,to\na,b\nb,c\n")
    (tmp_path / "names.tsv").write_bytes("a\tx\tof\u2028two lines\r\nb\ty\r\n".encode())
    status, out, _ = run(
        *("betweenness", "edges.csv", "--names", "names.tsv", "--json"), "--device", "reference"
    )
    assert status == 0
    assert [row["node"] for row in json.loads(out)["ranking"]] == ["y", "x", "c"]


def test_an_attribute_of_a_graph_file(run, tmp_path, monkeypatch):
    """Of two that may be the weight, the one to take is an option, and the error says which."""
    monkeypatch.chdir(tmp_path)
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=1.0, score=3.0)
    nx.write_graphml(graph, "graph.graphml")
    status, _, err = run("edge-betweenness", "graph.graphml", "--weighted")
    assert status == 1
    assert "--columns weight=... with the one to take" in err
    status, out, _ = run(
        *("edge-betweenness", "graph.graphml", "--columns", "weight=score", "--weighted"),
        *("-o", "-", "--quiet", "--device", "reference"),
    )
    assert status == 0
    assert out.splitlines()[1].startswith("a,b,3")


def test_parts_of_a_dataset(run):
    """Its notes are told as well."""
    _, out, _ = run("components", "karate", "--largest-component", "--json")
    record = json.loads(out)
    assert record["largest"] == [{"component": 0, "nodes": 34, "first": "1"}]
    assert record["notes"] == ["--largest-component keeps 34 of 34 nodes"]


def test_json_of_edges_and_samples(run, tmp_path, monkeypatch):
    """Every digit; files are named."""
    monkeypatch.chdir(tmp_path)
    _, out, _ = run(
        *("edge-betweenness", "karate", "--json", "--top", "1", "--device", "reference"),
        *("-o", "karate.cx2"),
    )
    record = json.loads(out)
    graph = nx.Graph(datasets.load("karate").matrix)
    top = max(nx.edge_betweenness_centrality(graph).values())
    (row,) = record["ranking"]
    assert row["edge_betweenness"] == pytest.approx(top)
    assert record["files"] == {"scores of all edges": "karate.cx2"}
    aspects = {
        name: value
        for one in json.loads((tmp_path / "karate.cx2").read_text())
        for name, value in one.items()
    }
    assert max(edge["v"]["edge_betweenness"] for edge in aspects["edges"]) == pytest.approx(top)
    _, out, _ = run(
        *("approximate", "karate", "--epsilon", "0.3", "--seed", "1", "--json", "--top", "1"),
        *("--device", "reference", "-o", "near.gexf"),
    )
    record = json.loads(out)
    assert (record["population"], record["exact"]) == (34, True)
    near = nx.read_gexf("near.gexf").nodes["1"]
    assert near["betweenness"] == record["ranking"][0]["betweenness"]
    assert near["half_width"] == 0
