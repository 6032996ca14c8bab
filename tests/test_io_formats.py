"""Graph files as programs write them and people have them: read rightly."""

import codecs
import gzip

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from graph_texts import cases, edges, noted, ties
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsebc import io
from sparsebc.io.remarks import AmbiguousFile

RIGHT = {name: case for name, *case in cases("graphs")}  # content, ties


@pytest.mark.parametrize("name", RIGHT)
def test_files_of_programs_are_read_rightly(name):
    """By the suffix; by their first lines under any, and compressed."""
    content, want = RIGHT[name]
    want = ties(want)
    network, remarks = noted(name, content)
    assert (edges(network), remarks) == (want, [])
    content = content if isinstance(content, bytes) else content.encode()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16").encode()
    assert edges(noted("file.txt.gz", gzip.compress(content))[0]) == want


@pytest.mark.parametrize(
    ("content", "names", "pairs"),
    [
        ("a pp b c\nd\nc pd a\n", "a b c d", "ab ac ca"),  # a line of one field is a node
        ("a\tx y\tb\t\u2003\r\n\nb\tpd\ta\t\n \x1c\n", "a b \u2003 \x1c", "ab a\u2003 ba"),
    ],
)
def test_sif_has_any_number_of_targets_between_spaces_or_tabs(content, names, pairs):
    network, remarks = noted("a.sif", content)
    assert (network.names, remarks) == (tuple(names.split(" ")), [])
    assert edges(network) == dict.fromkeys(map(tuple, pairs.split(" ")), 1)


NAMED = {name: case for name, *case in cases("names")}


@pytest.mark.parametrize("name", NAMED)
def test_labels_are_names_where_they_tell_nodes_apart(name):
    """Labels where they tell most nodes apart; repeated ones with the identifier of each."""
    content, names = NAMED[name]
    network, remarks = noted(name, content)
    assert network.names == tuple(names)
    assert remarks == [] or (len(remarks) == 1 and "read as Windows-1252" in remarks[0])
    assert bool(remarks) == name.startswith("latin")


def test_an_encoding_that_is_told_is_used():
    content = '*Vertices 2\n1 "Иван"\n2 "b"\n'.encode("cp1251")
    network, remarks = noted("a.net", content, encoding="cp1251")
    assert (network.names, remarks) == (("Иван", "b"), [])
    for encoding in ("shift_jis", "utf-16-le", "utf-8-sig"):
        xml = RIGHT["prefixed.graphml"][0].replace('"a"', '"名"').encode(encoding)
        assert noted("a.graphml", xml, encoding=encoding)[0].names == ("名", "b")
    with pytest.raises(ValueError, match=r"a\.net: 'ascii' codec .*; expected text in ascii"):
        noted("a.net", content, encoding="ascii")
    with pytest.raises(ValueError, match=r"encoding must be one of Python's encodings .* got 'x'"):
        noted("a.net", content, encoding="x")


REMARKED = {name: case for name, *case in cases("remarks")}  # content, ties, note


@pytest.mark.parametrize("name", REMARKED)
def test_weights_that_cannot_be_read_are_remarked(name):
    """Weights that cannot be read stop no run that looks at none."""
    content, want, message = REMARKED[name]
    network, remarks = noted(name, content)
    assert edges(network) == ties(want)
    assert len(remarks) == 1
    assert message in remarks[0]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in REMARKED
        if "; expected" in REMARKED[name][2] or "weight" in REMARKED[name][2]
    ],
)
def test_unreadable_weights_that_are_asked_for_are_errors(name):
    content, want, _ = REMARKED[name]
    with pytest.raises(ValueError, match=r"; expected|expected one"):
        noted(name, content, weighted=True)
    assert edges(noted(name, content, weighted=False)[0]) == ties(want)
    assert noted(name, content, weighted=False)[1] == []


OTHERS = dict(cases("attributes"))


@pytest.mark.parametrize("name", OTHERS)
def test_weights_by_another_name_are_taken_if_it_is_told(name):
    """In any case; without that they are no weights, and a run by length is refused."""
    title = name.partition(".")[0]
    assert edges(noted(name, OTHERS[name])[0])["a", "b"] == 1
    with pytest.raises(AmbiguousFile, match=rf"s are \['{title}'\]") as caught:
        noted(name, OTHERS[name], weighted=True)
    assert "weight='w'" in str(caught.value)
    for told in (title, title.upper()):
        assert edges(noted(name, OTHERS[name], weight=told, weighted=True)[0])["a", "b"] == 3
    with pytest.raises(ValueError, match=rf"no attribute 'x'.*\['{title}'\]"):
        noted(name, OTHERS[name], weight="x")


@pytest.mark.parametrize("name", ["list.net", "parallel.gml", "ports.graphml"])
def test_a_run_by_length_of_edges_without_weights_is_refused(name):
    with pytest.raises(AmbiguousFile, match="no attribute is titled as weights"):
        noted(name, RIGHT[name][0], weighted=True)


def written(kind, graph, path):
    """Write a graph of igraph by the program and in the format of a kind; its suffix."""
    program, _, form = kind.partition(" ")
    if program == "networkx":
        names, theirs = graph.vs["name"], nx.DiGraph() if graph.is_directed() else nx.Graph()
        theirs.add_nodes_from(names)
        for edge in graph.es:
            theirs.add_edge(*(names[v] for v in edge.tuple), weight=edge["weight"])
        getattr(nx, f"write_{form}")(theirs, path)
    else:
        if form == "pajek":  # where igraph before 0.12 has the labels
            graph.vs["id"] = graph.vs["name"]
        getattr(graph, f"write_{form}")(str(path))
    return {"edgelist": "txt", "pajek": "net"}.get(form, form)


KINDS = [f"igraph {form}" for form in ("pajek", "gml", "graphml", "edgelist")]
KINDS += [f"networkx {form}" for form in ("graphml", "gml", "pajek", "gexf")]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_of_other_programs_are_read_rightly(tmp_path, kind, directed):
    """With the names and weights that the format has; an undirected edge both ways, a loop once."""
    rng, form = np.random.default_rng(1), kind.partition(" ")[2]
    graph = igraph.Graph.Erdos_Renyi(n=30, m=50, directed=directed)
    if kind.startswith("networkx"):
        graph.add_edge(3, 3)
    is_bare = form == "edgelist"
    graph.vs["name"] = [f"n {k}é" for k in range(30)]
    graph.es["weight"] = rng.choice([1e-7, 0.5, 2, 3e9], graph.ecount()).tolist()
    suffix = written(kind, graph, tmp_path / "written")
    network, remarks = noted(f"graph.{suffix}", (tmp_path / "written").read_bytes())
    want = {}
    for edge in graph.es:
        pair = tuple(str(v) if is_bare else graph.vs["name"][v] for v in edge.tuple)
        want[pair] = 1.0 if is_bare else edge["weight"]
        if not graph.is_directed() and not is_bare:
            want[pair[::-1]] = want[pair]
    found = edges(network)
    assert set(found) == set(want)
    np.testing.assert_allclose([found[pair] for pair in want], list(want.values()), rtol=1e-5)
    assert remarks == []
    assert is_bare or network.names == tuple(graph.vs["name"])


NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=2, max_size=5,
    unique=True,
)  # fmt: skip


@given(names=NAMES, directed=st.booleans(), kind=st.sampled_from(["graphml", "gexf"]))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
def test_networks_that_are_written_come_back(tmp_path, names, directed, kind):
    """Any names, weights to the bit, and columns whose titles are those of names and weights."""
    n = len(names)
    path = scipy.sparse.csr_array(np.diag(np.arange(1, n) / 3, 1))
    matrix = path if directed else path + path.T
    nodes, scores = {"label": ["x"] * n, "b": np.arange(n)}, {"score": matrix, "tie": matrix}
    io.write_network(tmp_path / f"a.{kind}", matrix, names, nodes, scores, directed=directed)
    network = io.read(tmp_path / f"a.{kind}", weight="weight")
    assert network.names == tuple(names)
    assert (network.matrix != matrix).nnz == 0
