"""Graph files as programs write them and people have them: read rightly."""

import codecs
import gzip

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from graph_texts import BANNER, GRAPHML, data, edges, gexf, gml, graphml, key, pajek, read_in, ties
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsebc import io
from sparsebc.io.columns import AmbiguousFile


@pytest.fixture
def read(tmp_path):
    return read_in(tmp_path)


SAME = pajek("*Edges", "1 3", "2 4", vertices=["Li", "Li", "Ng", "Wu"])
PARTITION = "*Partition p\n*Vertices 4\n1\n1\n2\n2\n"
YED = (
    '<key for="node" id="d6" yfiles.type="nodegraphics"/>',
    '<data key="d6"><y:ShapeNode xmlns:y="http://www.yworks.com/xml/graphml"><y:Geometry/>'
    "<y:NodeLabel>{}<y:LabelModel/></y:NodeLabel></y:ShapeNode></data>",
)

RIGHT = {
    # Pajek
    "both.net": (pajek("*Arcs", "1 2", "*Edges", "2 3", "3 4"), "a>b b-c c-d"),
    "list.net": (pajek("*Edgeslist", "1 2 3", "3 4"), "a-b a-c c-d"),
    "matrix.net": (pajek("*Matrix", "0 1 0 0", "0 0 2 0", "0 0 0 0", "0 0 0 0"), "a>b b>c:2"),
    "wrapped.net": (pajek("*Matrix", "0 1 0", "0 0 0 2 0", "0 0 0 0", "0 0 0 0"), "a>b b>c:2"),
    "modes.net": ("*Vertices 3 1\n*Edges\n1 2\n1 3\n", "1-2 1-3"),
    "one-mode.net": ("*Vertices 2 2\n*Edges\n1 2\n", "1-2"),
    "modes-matrix.net": ("*Vertices 3 1\n*Matrix\n1 2\n", "1-2 1-3:2"),
    "one-relation.net": (pajek('*Arcs :1 "x"', "1 2", "*Arcs :2", "*Edges", "2 3"), "a>b b-c"),
    "case.net": ("*VERTICES 2\r\n1 a\r\n2 b\r\n*ARCS\r\n1 2\r\n", "a>b"),
    "dos.net": ("*Vertices 2\r\n*Arcs\r\n1 2\r\n\x1a", "1>2"),
    "mac.net": ("*vertices 2\r*edges\r1 2\r", "1-2"),
    "tabs.net": ("*Vertices\t2\n1\ta\n2\tb\n*Arcs\n1\t2\t3\n", "a>b:3"),
    "no-lines.net": ("*Vertices 3\n*Edges\n1 2\n2 3\n", "1-2 2-3"),
    "some-lines.net": ('*Vertices 3\n2 "b"\n*Edges\n1 2\n2 3\n', "1-b b-3"),
    "no-vertices.net": ("*Edges\n2 7\n7 10\n", "2-7 7-10"),
    "comments.net": ("% by hand\n\n*Vertices 2\n% c\n\n*Arcs\n%\n1 2\n", "1>2"),
    "mark.net": ("\ufeff*Vertices 2\n*Arcs\n1 2\n", "1>2"),
    "utf-16.net": ("*Vertices 2\n*Arcs\n1 2\n".encode("utf-16"), "1>2"),
    "words.net": ("*Vertices 2\n1 O'Neil\n2 d'Arc 0.1 0.2 ellipse\n*Edges\n1 2\n", "O'Neil-d'Arc"),
    "columns.net": (
        '*Vertices 2\n1 "a" 0.1 0.2 0.5 box ic Red\n2 "b" ellipse lc "x y"\n*Arcs\n1 2 3 c Blue '
        'l "to b"\n2 1 c Red\n',
        "a>b:3 b>a",
    ),
    "quotes.net": (pajek("*Arcs", "1 2", vertices=[r'a\"b\\c', 'd"e"f']), 'a"b\\c>d"e"f'),
    "relation-numbers.net": (pajek("*Arcs", "1: 1 2 1", "2: 2 3 1"), "a>b b>c"),
    "project.paj": ("*Network x y\n" + pajek("*Edges", "1 2"), "a-b"),
    "networkless.paj": (pajek("*Edges", "1 2"), "a-b"),
    # GML
    "lists.gml": (gml("0 target 1", above="meta [ x 1 ]\n") + "meta [ directed 1 ]\n", "a-b"),
    "CASE.GML": (
        'GRAPH [ Directed 1 NODE [ ID 0 label "a" ] Node [ Id 1 label "b" ] '
        "EDGE [ Source 0 Target 1 Weight 3 ] ]",
        "a>b:3",
    ),
    "directed-last.gml": (gml("0 target 1").replace("\n]\n", " directed 1 ]"), "a>b"),
    "exponents.gml": (gml("0 target 1 weight 5e-05", "1 target 2 weight 1E5"), "a-b:5e-05 b-c:1e5"),
    "negative.gml": (gml("0 target 1 weight -1"), "a-b:-1"),
    "title.gml": (gml("0 target 1 Weight 2"), "a-b:2"),
    "comments.gml": ("# c [\n" + gml("0 target 1").replace("node", "# ]\n node"), "a-b"),
    "parallel.gml": (gml("0 target 1", "0 target 1", "1 target 0"), "a-b"),
    "nested.gml": (
        gml('0 target 1 graphics [ weight 9 Line [ p [ x 1 ] ] ] weight 3 label "[ ]"'), "a-b:3"
    ),
    "above.gml": ('Creator "x [ y"\nVersion 1\nmeta [ a [ b 1 ] ]\n' + gml("0 target 1"), "a-b"),
    "upper.gml": (gml("0 target 1").replace("node", "Node").replace("graph", "Graph"), "a-b"),
    "ids.gml": ("graph [ node [ id 7 ] node [ id 9 ] edge [ source 9 target 7 ] ]", "7-9"),
    # GraphML
    "default.graphml": (
        graphml("ab", ("bc", "", data(2)), keys=key("weight", 5)), "a-b:5 b-c:2"
    ),
    "some-directed.graphml": (
        graphml("ab", ("bc", 'directed="false"'), default="directed"), "a>b b-c"
    ),
    "some-undirected.graphml": (graphml(("ab", 'directed="true"'), "bc"), "a>b b-c"),
    "no-attr-name.graphml": (
        graphml(("ab", "", data(4)), keys='<key id="k" for="edge"><desc>d</desc></key>'), "a-b"
    ),
    "text.graphml": (graphml(("ab", "", data(" 100.25\n")), keys=key("length")), "a-b:100.25"),
    "parallel-length.graphml": (
        graphml(("ab", "", data(4)), ("ab", "", data(3)), ("ba", "", data(5)), keys=key("length")),
        "a-b:3",
    ),
    "for-all.graphml": (graphml(("ab", "", data(4)), keys=key("Weight", what="all")), "a-b:4"),
    "booleans.graphml": (
        graphml("ab", keys=key("flag", "yes", "node").replace("string", "boolean")), "a-b"
    ),
    "doctype.graphml": (
        f'<!DOCTYPE graphml SYSTEM "http://x.invalid/graphml.dtd">{GRAPHML}<graph '
        'edgedefault="directed"><edge source="a" target="b"/><node id="a"/><node id="b"/></graph>'
        "</graphml>",
        "a>b",
    ),
    "ports.graphml": (
        graphml(("ab", 'sourceport="N"'), within='<node id="d"><port name="N"/></node>'),
        "a-b",
    ),
    "latin.graphml": (
        graphml("ab").replace("UTF-8", "ISO-8859-1").encode("latin-1"), "a-b"
    ),
    "prefixed.graphml": (
        '<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">'
        '<g:graph edgedefault="directed"><g:node id="a"/><g:node id="b"/>'
        '<g:edge source="a" target="b"/></g:graph></g:graphml>',
        "a>b",
    ),
    "yed.graphml": (
        graphml(keys=YED[0], nodes="", within="".join(
            f'<node id="n{k}">{YED[1].format(label)}</node>' for k, label in enumerate("ab")
        ) + '<edge id="e0" source="n0" target="n1"/>', default="directed"),
        "a>b",
    ),
    # GEXF
    "plain.gexf": (
        gexf('<edge id="0" source="0" target="1" weight="2.5"/><edge source="1" target="2"/>'),
        "a-b:2.5 b-c",
    ),
    "directed.gexf": (
        gexf(
            '<edge source="0" target="1"/><edge source="1" target="2" type="mutual"/>', "directed"
        ),
        "a>b b-c",
    ),
    "undirected.gexf": (
        gexf('<edge source="0" target="1" type="directed"/><edge source="1" target="2"/>'),
        "a>b b-c",
    ),
    "weight-of-nodes.graphml": (graphml("ab", keys=key("weight", 3, what="node")), "a-b"),
    "two-weights.gexf": (
        gexf(
            '<edge source="0" target="1" weight="2" type=""><attvalues>'
            '<attvalue for="7" value="4"/></attvalues></edge>',
            more='<attributes class="edge"><attribute id="7" title="Weight" type="double"/>'
            "</attributes>",
        ),
        "a-b:2",
    ),
    "values.gexf": (
        gexf(
            '<edge source="0" target="1"><attvalues><attvalue for="7" value="4"/></attvalues>'
            '</edge><edge source="1" target="2"/>',
            more='<attributes class="edge"><attribute id="7" title="length" type="double"><default>'
            "3</default></attribute></attributes>",
        ),
        "a-b:4 b-c:3",
    ),
    # Matrices
    "array.mtx": ("%%MatrixMarket matrix array real general\n2 2\n0\n0\n3\n0\n", "1>2:3"),
    "array-symmetric.mtx": (
        "%%MatrixMarket matrix array integer symmetric\n2 2\n0\n3\n0\n", "1-2:3"
    ),
    "SYMMETRIC.MTX": (
        f"{BANNER}real symmetric\n% by hand\n3 3 2\n2 1 0.5\n3 3 4\n", "1-2:0.5 3>3:4"
    ),
    # A blank at the end of a last line without newline makes `mmread` alone crash.
    **{
        f"end-{k}.mtx": (f"{BANNER}real general\n2 2 1\n1 2 0.5{end}", "1>2:0.5")
        for k, end in enumerate(["", " ", "\t", "\n\n", "\r\n"])
    },
    "mark.mtx": (
        "\ufeff%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "1-2"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_what_programs_write(read, name):
    """By the suffix; by their first lines under any, and compressed."""
    content, want = RIGHT[name]
    want = ties(want)
    network, remarks = read(name, content)
    assert (edges(network), remarks) == (want, [])
    content = content if isinstance(content, bytes) else content.encode()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16").encode()
    assert edges(read("file.txt.gz", gzip.compress(content))[0]) == want


@pytest.mark.parametrize(
    ("content", "names", "pairs"),
    [
        ("a pp b c\nd\nc pd a\n", "a b c d", "ab ac ca"),  # a line of one field is a node
        ("a\tx y\tb\t\u2003\r\n\nb\tpd\ta\t\n \x1c\n", "a b \u2003 \x1c", "ab a\u2003 ba"),
    ],
)
def test_sif_has_any_number_of_targets_between_spaces_or_tabs(read, content, names, pairs):
    network, remarks = read("a.sif", content)
    assert (network.names, remarks) == (tuple(names.split(" ")), [])
    assert edges(network) == dict.fromkeys(map(tuple, pairs.split(" ")), 1)


NAMED = {
    "same.net": (SAME, ("Li (1)", "Li (2)", "Ng", "Wu")),
    "categories.net": (pajek(vertices=["m", "m", "m", "f"]), ("1", "2", "3", "4")),
    "ambiguous.net": (pajek(vertices=["a", "a", "a (1)", "b", "c"]), tuple("12345")),
    "backslash.net": ('*Vertices 1\n1 "a\\"\n', ("a\\",)),
    "codes.net": (pajek(vertices=["&#381;i&#34;", "R&D &amp;"]), ('Ži"', "R&D &amp;")),
    "utf-8.gml": (gml(nodes=["Žižek", "中文"]), ("Žižek", "中文")),
    "entities.gml": (gml(nodes=["&#381;i&quot;", "R&D", "&amp;amp;"]), ('Ži"', "R&D", "&amp;")),
    "numbers.gml": (gml(nodes="xyz").replace('"x"', "123").replace('"y"', "7"), ("123", "7", "z")),
    "two-lines.gml": (gml(nodes=["a\nb", "x [y", "a # b"]), ("a\nb", "x [y", "a # b")),
    "latin.gml": (gml(nodes=["é", "b"]).encode("latin-1"), ("é", "b")),
    "latin.net": (pajek(vertices=["Müller", "b"]).encode("cp1252"), ("Müller", "b")),
    "name.graphml": (
        graphml(nodes="", keys=key("Name", what="node"), within="".join(
            f'<node id="{k}">{data(f" {k}x")}</node>' for k in range(2)
        )), (" 0x", " 1x"),
    ),
    "some.graphml": (
        graphml(nodes="a", keys=key("label", what="node"), within="".join(
            f'<node id="{node}">{data(node + "x")}</node>' for node in "bcd"
        )), ("a", "b", "c", "d"),
    ),
    "empty.gml": (gml(nodes=["a", "b", ""]), ("0", "1", "2")),
    "spaces.net": ('*Vertices 3\n1 a\xa0b\n2 \xa0\n3 "c\td"\n', ("a\xa0b", "\xa0", "c\td")),
    "name.gexf": (
        gexf("", nodes="12", more='<attributes class="node"><attribute id="0" title="name">'
             "<default>a</default></attribute></attributes>").replace(
            '"2"/>', '"2"><attvalues><attvalue for="0" value="b"/></attvalues></node>'),
        ("a", "b"),
    ),
    "label.gexf": (gexf("", nodes=["x y", "<&gt;".replace("<", "&lt;")]), ("x y", "<>")),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_names(read, name):
    """Labels where they tell most nodes apart; repeated ones with the identifier of each."""
    content, names = NAMED[name]
    network, remarks = read(name, content)
    assert network.names == names
    assert remarks == [] or (len(remarks) == 1 and "read as Windows-1252" in remarks[0])
    assert bool(remarks) == name.startswith("latin")


def test_an_encoding_that_is_told(read):
    content = pajek(vertices=["Иван", "b"]).encode("cp1251")
    network, remarks = read("a.net", content, encoding="cp1251")
    assert (network.names, remarks) == (("Иван", "b"), [])
    for encoding in ("shift_jis", "utf-16-le", "utf-8-sig"):
        xml = graphml(nodes="名").encode(encoding)
        assert read("a.graphml", xml, encoding=encoding)[0].names == ("名",)
    with pytest.raises(ValueError, match=r"a\.net: 'ascii' codec .*; expected text in ascii"):
        read("a.net", content, encoding="ascii")
    with pytest.raises(ValueError, match=r"encoding must be one of Python's encodings .* got 'x'"):
        read("a.net", content, encoding="x")


REMARKED = {
    "times.gexf": (
        gexf('<edge source="0" target="1" start="1"/>').replace("<graph", '<graph mode="dynamic"'),
        "a-b", "a dynamic graph: its times are ignored",
    ),
    "relations.net": (
        pajek('*Arcs :1 "cites"', "1 2", '*Arcs :2 "path"', "2 3"), "a>b b>c",
        "2 relations, ':1 \"cites\"', ':2 \"path\"': their edges make one network",
    ),
    "matrices.net": (
        "*Vertices 2\n*Matrix :1\n0 1\n0 0\n*Matrix :2\n0 0\n1 0\n", "1-2", "2 relations",
    ),
    "project.paj": (f"*Network x\n{pajek('*Edges', '1 2')}{PARTITION}", "a-b", "'*Partition p'"),
    "first.paj": (f"{PARTITION}*Network x\n{pajek('*Edges', '1 2')}", "a-b", "'*Partition p'"),
    "comma.net": (pajek("*Edges", "1 2 0,5", "2 3 0,5"), "a-b b-c", "weight is '0,5'; expected"),
    "nan.gml": (gml("0 target 1 weight NaN"), "a-b", "weight is 'NaN'; expected a finite number"),
    "missing.graphml": (
        graphml(("ab", "", data(2)), "bc", keys=key("weight")), "a-b b-c",
        "edge 'b' - 'c': no weight; expected a finite",
    ),
    "word.graphml": (graphml(("ab", "", data("x")), keys=key("weight")), "a-b", "weight is 'x'"),
    "contrary.gml": (
        gml("0 target 1 weight 1", "0 target 1 weight 2"), "a-b", "for an edge that has weight 1.0",
    ),
    "two.gml": (gml("0 target 1 weight 1 score 2"), "a-b", "all may be weights"),
    "missing.gexf": (
        gexf(
            '<edge source="0" target="1"><attvalues><attvalue for="length" value="3"/>'
            '</attvalues></edge><edge source="1" target="2"/>'
        ),
        "a-b b-c", "no length; expected",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REMARKED)
def test_what_is_remarked(read, name):
    """Weights that cannot be read stop no run that looks at none."""
    content, want, message = REMARKED[name]
    network, remarks = read(name, content)
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
def test_weights_that_are_asked_for(read, name):
    """Are an error where they cannot be read."""
    content, want, _ = REMARKED[name]
    with pytest.raises(ValueError, match=r"; expected|expected one"):
        read(name, content, weighted=True)
    assert edges(read(name, content, weighted=False)[0]) == ties(want)
    assert read(name, content, weighted=False)[1] == []


OTHERS = {
    "travel_time.graphml": graphml(("ab", "", data(3)), keys=key("travel_time")),
    "value.gml": gml("0 target 1 value 3"),
    "value.gexf": gexf(
        '<edge source="0" target="1"><attvalues><attvalue for="value" value="3"/></attvalues>'
        "</edge>"
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_weights_by_another_name(read, name):
    """Are named, in any case; without that they are no weights, and a run by length is refused."""
    title = name.partition(".")[0]
    assert edges(read(name, OTHERS[name])[0])["a", "b"] == 1
    with pytest.raises(AmbiguousFile, match=rf"s are \['{title}'\]") as caught:
        read(name, OTHERS[name], weighted=True)
    assert "weight='w'" in str(caught.value)
    for told in (title, title.upper()):
        assert edges(read(name, OTHERS[name], weight=told, weighted=True)[0])["a", "b"] == 3
    with pytest.raises(ValueError, match=rf"no attribute 'x'.*\['{title}'\]"):
        read(name, OTHERS[name], weight="x")


@pytest.mark.parametrize("name", ["list.net", "parallel.gml", "ports.graphml"])
def test_a_run_by_length_of_edges_without_weights(read, name):
    with pytest.raises(AmbiguousFile, match="no attribute is titled as weights"):
        read(name, RIGHT[name][0], weighted=True)


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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_of_other_programs(tmp_path, read, kind, directed, seed):
    """With the names and weights that the format has; an undirected edge both ways, a loop once."""
    rng, form = np.random.default_rng(seed), kind.partition(" ")[2]
    graph = igraph.Graph.Erdos_Renyi(n=30, m=50, directed=directed)
    if kind.startswith("networkx"):
        graph.add_edge(3, 3)
    is_bare = form == "edgelist"
    graph.vs["name"] = [f"n {k}é" for k in range(30)]
    graph.es["weight"] = rng.choice([1e-7, 0.5, 2, 3e9], graph.ecount()).tolist()
    suffix = written(kind, graph, tmp_path / "written")
    network, remarks = read(f"graph.{suffix}", (tmp_path / "written").read_bytes())
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
def test_networks_come_back(tmp_path, names, directed, kind):
    """Any names, weights to the bit, and columns whose titles are those of names and weights."""
    n = len(names)
    path = scipy.sparse.csr_array(np.diag(np.arange(1, n) / 3, 1))
    matrix = path if directed else path + path.T
    nodes, scores = {"label": ["x"] * n, "b": np.arange(n)}, {"score": matrix, "tie": matrix}
    io.write_network(tmp_path / f"a.{kind}", matrix, names, nodes, scores, directed=directed)
    network = io.read(tmp_path / f"a.{kind}", weight="weight")
    assert network.names == tuple(names)
    assert (network.matrix != matrix).nnz == 0
