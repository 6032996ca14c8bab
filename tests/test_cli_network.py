"""The network of a command: how it is read, which part of it, and what is told of it."""

import gzip
import io as stdio
import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "tutorial_proteins.rst"
PROTEINS = [f"9606.ENSP{k:011d}" for k in range(40)]
_draw = random.Random(7)
SCORES = {
    (u, v): _draw.randint(150, 999) for u in range(40) for v in range(u) if _draw.random() < 0.2
}
# A table of edges, and how it is told; a table of nodes, its column and options, and the name or
# the number that it gives node a.
EDGES, TABLES = json.loads((Path(__file__).parent / "data" / "tables.json").read_text()).values()
WEIGHTS = "source,target,weight\na,b,900\nb,c,800\nc,d,100\n"


@pytest.fixture
def told(told):
    """What a command says of all rows, the highest first."""
    return lambda *argv: told(*argv, "-n", "all")


@pytest.fixture
def put(folder):
    """Write a file in the folder that is worked in; give its name."""

    def write(content, name="edges.csv"):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


@pytest.mark.parametrize(("text", "options"), EDGES)
def test_options_tell_how_a_table_is_read(put, told, text, options):
    """By options that are called as the arguments of `io.read`."""
    record = told("paths", put(text), "--sources", "a", "--weighted", *options.split("|"))
    assert [row["distance"] for row in record["rows"]] == [0, 0.5, 2.5]


@pytest.mark.parametrize(
    "content",
    [
        b"a b\nb c\n",
        b"a b\nb\n",
        b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    ],
)
def test_standard_input_is_read_in_any_format(run, monkeypatch, content):
    """Of any format; what is wrong with it is told by that name."""
    buffer = stdio.BytesIO(content)
    buffer.name = "<stdin>"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))
    status, out, err = run("betweenness", "-")
    if status:
        assert "error: standard input:2: 1 columns; expected 2" in err
        return
    name = "2" if content.startswith(b"%") else "b"  # those of Matrix Market begin with 1
    assert f"\n{name}\t1.0\n" in out


ONE_WAY = "each edge is taken both ways; --directed takes it from source to target"
UNUSED = "weights are ignored; --strength takes them for strengths, --weighted for lengths"
ZEROS = "1 of 3 weights are 0: their edges stay"
MATRIX = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0\n2 3 1\n3 1 2\n"


@pytest.mark.parametrize(
    ("text", "options", "notes"),
    [
        ("a b\nb c\n", [], [ONE_WAY]),
        ("a b\nb c\n", ["--directed"], []),
        ("a b\nb a\n", [], []),
        ("a b 1\nb c 2\n", [], [ONE_WAY, UNUSED]),
        ("a b 1\nb c 2\n", ["--weighted"], [ONE_WAY]),
        ("a b 1\nb c 2\n", ["--strength", "reciprocal", "--directed"], []),
        ("a b 3\nb c 3\n", ["--directed"], []),
        (MATRIX, ["--directed"], [ZEROS, UNUSED]),
    ],
)  # fmt: skip
def test_how_edges_and_weights_were_taken_is_noted(put, told, text, options, notes):
    """Where it can make a difference."""
    path = put(text, "edges.mtx" if text is MATRIX else "edges.txt")
    assert told("betweenness", path, *options)["notes"] == notes
    assert told("betweenness", path, "--error", 0.1, *options)["notes"] == notes


def test_eccentricity_of_a_network_in_parts_is_noted_to_be_inf(put, told):
    """That is said with the option that counts what is reached."""
    path = put("a b\nb c\nd e\n", "edges.txt")
    for line in ("eccentricity", "closeness --also eccentricity", "eccentricity --cutoff 1,2"):
        command, *options = line.split()
        _, note = told(command, path, *options)["notes"]
        assert note.startswith("eccentricity is inf where a node does not reach all others; ")
        assert "--reachable-only" in note
    line = ("eccentricity", path, "--reachable-only", "--also", "closeness")
    record = told(*line)
    assert record["notes"] == [ONE_WAY]
    found = {row["node"]: row["eccentricity"] for row in record["rows"]}
    assert found == {"a": 2, "b": 1, "c": 2, "d": 1, "e": 1}


def test_names_that_are_no_nodes_are_refused_or_left_out(run, told, put):
    """Up to 20 of them are listed; they can be left out, which a note tells."""
    path = put("a,b\nb,c\nc,d\n")
    put("\n".join(["a", *(f"x{k}" for k in range(25)), "d"]), "genes.txt")
    status, _, err = run("betweenness", path, "--sources", "@genes.txt")
    assert (status, "'x19' and 5 more (25 in all); the nodes are 'a', 'b', " in err) == (1, True)
    for words in (["betweenness", "--sources"], ["paths", "--sources"], ["group", "--nodes"]):
        notes = told(words[0], path, words[1], "@genes.txt", "--ignore-missing")["notes"]
        assert "25 of 27 names are not nodes: 'x0', 'x1', " in " ".join(notes)


def graph_of(least):
    """The graph of STRING's network above a score, built from the definition."""
    graph = nx.Graph()
    graph.add_nodes_from({f"GENE{k}" for pair in SCORES for k in pair})
    for (u, v), score in SCORES.items():
        if score >= least:
            graph.add_edge(f"GENE{u}", f"GENE{v}", length=-np.log(score / 1000))
    return graph


@pytest.fixture
def string(put):
    """Files as STRING has them."""
    pairs = {**SCORES, **{(v, u): score for (u, v), score in SCORES.items()}}
    lines = [f"{PROTEINS[u]} {PROTEINS[v]} {score}\n" for (u, v), score in pairs.items()]
    text = "protein1 protein2 combined_score\n" + "".join(lines)
    more = "90\tits 3' \"quoted, word; two words"
    info = "".join(f"{p}\tGENE{k}\t{more}\n" for k, p in enumerate(PROTEINS))
    head = "#string_protein_id\tpreferred_name\tprotein_size\tannotation\n"
    put(gzip.compress((head + info).encode()), "9606.protein.info.txt.gz")
    return put(gzip.compress(text.encode()), "9606.links.txt.gz")


def test_a_network_of_string_is_scored_in_one_line(run, string):
    """As its page prints it: threshold, scale, strengths, names, and a network that igraph and
    NetworkX read, and score alike.
    """
    line = PAGE.read_text().partition("sparsebc betweenness 9606.links")[2].partition("\n\n")[0]
    words = f"betweenness 9606.links{line}".replace("\\\n", " ").split()
    assert words[-2:] == ["-o", "network.graphml"]
    status, _, out = run(*words, "--device", "reference")
    want = graph_of(700)
    assert status == 0
    assert (words[1], words[3], words[5], words[7]) == (string, "700", "1000", "log")
    count = want.number_of_edges()
    assert f"--threshold 700 keeps {count} of {len(SCORES)} edges" in out
    alone = nx.number_of_isolates(want)
    assert alone > 0
    assert f"{alone} of {len(want)} nodes have no edge left, stay, and count in normal" in out
    found = nx.read_graphml("network.graphml")
    assert nx.utils.graphs_equal(nx.Graph(found.edges), nx.Graph(want.edges))
    assert set(found) == set(want)
    scores = nx.betweenness_centrality(want, weight="length")
    for name, score in scores.items():
        assert found.nodes[name]["betweenness"] == pytest.approx(score, abs=1e-12)
    for u, v, data in found.edges(data=True):
        assert data["weight"] == pytest.approx(np.exp(-want.edges[u, v]["length"]))
    graph = igraph.Graph.Read_GraphML("network.graphml")
    pairs = (graph.vcount() - 1) * (graph.vcount() - 2) / 2
    theirs = np.array(graph.betweenness(weights=-np.log(graph.es["weight"]))) / pairs
    np.testing.assert_allclose(graph.vs["betweenness"], theirs, atol=1e-12)
    # In another unit than the file's, all is kept, and its least weight says what scores are like.
    out = run("betweenness", string, "--threshold", "0.7")[2]
    whole, least = len(SCORES), min(SCORES.values())
    assert f"keeps {whole} of {whole} edges, whose least weight is {least}" in out
    out = run("betweenness", string, "--threshold", "0.7", "--directed")[2]
    assert f"keeps {2 * whole} of {2 * whole} edges" in out


def test_isolated_nodes_are_dropped_as_told(put, told):
    """In normalized scores too, and the notes say what is left."""
    line = ("betweenness", put(WEIGHTS), "--threshold", 700)
    record = told(*line)
    assert (record["nodes"], record["rows"][0]["betweenness"]) == (4, pytest.approx(1 / 3))
    assert "1 of 4 nodes have no edge left, stay" in record["notes"][0]
    assert "--keep linked leaves them out" in record["notes"][0]
    record = told(*line, "--keep", "linked")
    assert (record["nodes"], record["rows"][0]["betweenness"]) == (3, 1)
    assert "--keep linked keeps 3 of 4 nodes" in record["notes"]


def test_names_that_two_nodes_share_are_told_apart_in_brackets(put, told):
    """What the table lacks keeps its own."""
    put('node,name\na,"x, y"\nb,"x, y"\n', "names.csv")
    record = told("betweenness", put("from,to\na,b\nb,c\n"), "--names", "names.csv")
    assert [row["node"] for row in record["rows"]] == ["x, y (b)", "x, y (a)", "c"]
    assert "1 of 3 nodes are not in names.csv, and keep their names" in record["notes"]
    assert "2 nodes share names in names.csv: their own follow in brackets" in record["notes"]


@pytest.mark.parametrize(("text", "words", "given"), TABLES)
def test_tables_of_nodes_are_read_as_those_of_edges(put, told, text, words, given):
    """Separators divide no cells that are quoted; a semicolon makes a comma the decimal point."""
    column, *options = words.split(" ")
    edges, named = "a,b\nb,c\n", isinstance(given, str)
    path = put(edges.replace(",", "|") if "|" in words else edges)
    put(text, "table.txt")
    line = ("betweenness", path, "--raw", "--directed", *filter(None, options))
    rows = told(*line, "--names" if named else "--source-weights", f"table.txt{column}")["rows"]
    want = {"b": 1, given: 0, "c": 0} if named else {"b": given, "a": 0, "c": 0}
    assert {row["node"]: row["betweenness"] for row in rows} == want


def test_a_node_that_a_table_lacks_counts_nothing(put, told):
    """What the table does not name counts nothing; that is told once of a table."""
    weights = "--source-weights places.csv:homes --target-weights places.csv:jobs --raw"
    put("place,homes,jobs\na,3,0\nc,0,2\nz,9,9\n", "places.csv")
    record = told("betweenness", put("from,to\na,b\nb,c\n"), *weights.split())
    assert record["rows"][0] == {"node": "b", "betweenness": 3}
    assert record["notes"].count("1 of 3 nodes are not in places.csv, and count 0") == 1
    assert record["notes"].count("rows of places.csv that name no node: 1") == 1


def test_places_and_trips_of_the_same_nodes_add_up(put, told):
    path = put("from,to,length\na,b,1\nb,c,2\n")
    put("node,shops\na,1.5\nc,2\nc,2\nc,0.25\n", "shops")
    put("from;to;trips\na;c;0,5\na;c;2\nb;c;1\n", "trips")
    record = told("access", path, "--places", "shops:shops", "--cutoff", "1")
    found = {row["node"]: row["accessibility"] for row in record["rows"]}
    assert found == {"a": 1.5, "b": 5.75, "c": 4.25}
    record = told("betweenness", path, "--directed", "--raw", "--demand", "trips")
    assert record["rows"][0]["betweenness"] == 2.5


def test_one_of_two_attributes_is_chosen_by_an_option(run, put):
    """Of two that may be the weight, the one to take is an option, and the error says which."""
    put("")
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=1.0, score=3.0)
    nx.write_graphml(graph, "graph.graphml")
    line = ("edge-betweenness", "graph.graphml", "--weighted")
    status, _, err = run(*line)
    assert status == 1
    assert "--columns weight=... with the attribute of the weights" in err
    status, out, _ = run(*line, "--columns", "weight=score", "--quiet")
    assert (status, out.splitlines()[1][:5]) == (0, "a\tb\t3")


@pytest.mark.parametrize("suffix", ["csv", "graphml"])
@pytest.mark.parametrize(
    ("title", "is_score"),
    [("combined_score", True), ("Confidence value", True), ("TOM", True), ("edge_strength", True),
     ("weight", False), ("Distance", False), ("probe_distance", False)],
)  # fmt: skip
def test_strengths_that_are_taken_for_lengths_are_noted(put, told, title, is_score, suffix):
    """A note, where --weighted takes a score for a length, and nowhere else."""
    put(f'from,to,"{title}"\na,b,900\nb,c,150\n')
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 900), ("b", "c", 150)], weight=title)
    nx.write_graphml(graph, "edges.graphml")
    line = ("betweenness", f"edges.{suffix}", "--columns", f"weight={title}")
    for options in ((), ("--weighted",), ("--strength", "reciprocal"), ("--threshold", "1")):
        notes = [note for note in told(*line, *options)["notes"] if "and no lengths" in note]
        assert len(notes) == (is_score and "--weighted" in options)
        assert all(repr(title) in note and "--strength makes lengths" in note for note in notes)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-8-sig", "cp850"])
def test_the_encoding_told_is_that_of_every_table_and_list(put, told, encoding):
    edges, tables = "from,to\nå,b\nb,ç\n", {"names.csv": "å,Ångström\n", "list.txt": "å\nç\n"}
    put("")
    for name, content in {"edges.csv": edges, **tables}.items():
        Path(name).write_bytes(content.encode(encoding))
    line = ("betweenness", "edges.csv", "--encoding", encoding)
    found = told(*line, "--names", "names.csv")
    assert {row["node"] for row in found["rows"]} == {"Ångström", "b", "ç"}
    found = told(*line, "--sources", "@list.txt", "--raw", "--directed")
    assert found["rows"][0]["betweenness"] == 1


def test_options_of_text_serve_the_tables_of_a_dataset(put, told):
    put("")
    Path("names.csv").write_bytes("1;Ångström\n".encode("cp1252"))
    found = told("betweenness", "karate", "--names", "names.csv", "--encoding", "cp1252")
    assert found["rows"][0]["node"] == "Ångström"
