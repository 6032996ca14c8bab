"""Graph files that are not read: refused by name, before anything large is made of them."""

import subprocess
import tarfile
import zipfile
from io import BytesIO

import igraph
import networkx
import pytest
from graph_texts import BANNER, GRAPHML, edges, gexf, gml, graphml, pajek, read_in, ties

from sparsebc.io.read import begins_like


@pytest.fixture
def read(tmp_path):
    return read_in(tmp_path)


REFUSED = [
    ("a.net", pajek("*Edges", "1 5"), ":7: vertex '5'; expected a number from 1 to 4"),
    ("a.net", pajek("*Edges", "0 1"), ":7: vertex '0'"),
    ("a.net", pajek("*Arcslist", "1 2 -3"), ":7: vertex '-3'"),
    ("a.net", "*Edges\n0 1\n", ":2: vertex '0'; expected a number from 1 on"),
    ("a.net", pajek("*Edges", "1"), ":7: '1'; expected two vertices"),
    ("a.net", "*Vertices 2\n1 a\n1 b\n", ":3: vertex 1 again; expected each vertex once"),
    ("a.net", "*Vertices 2\n3 a\n", ":2: vertex '3'; expected a number from 1 to 2"),
    ("a.net", "*Vertices 2\na\n", ":2: vertex 'a'"),
    ("a.net", "*Vertices x\n", ":1: *Vertices 'x'; expected the number of vertices"),
    ("a.net", "*Vertices\n", ":1: *Vertices ''; expected the number of vertices"),
    ("a.net", "*Vertices 3 2 1\n", ":1: *Vertices '3 2 1'; expected the number of vertices"),
    ("a.net", "*Vertices 2 3\n", ":1: 3 of 2 vertices"),
    ("a.net", "*Vertices 2\n1 New York\n", ":2: label 'New York' of several words"),
    ("a.net", '*Vertices 2\n1 "New York\n', ":2: label '\"New York'; expected a label in quotes"),
    ("a.net", '*Vertices 2\n1 "a "b" c" 1\n', ":2: label"),
    ("a.net", "*Vertices 2\n*Matrix\n0 1\n0\n", ":2: a matrix of 3 numbers; expected 4"),
    ("a.net", "*Vertices 2\n*Matrix\n0 1\n0 1 1\n", ":2: a matrix of 5 numbers; expected 4"),
    ("a.net", "*Vertices 2\n*Matrix\n0 1\n0 0,5\n", ":4: '0,5'; expected a number"),
    ("a.net", "*Matrix\n0 1\n", ":1: *Matrix before *Vertices"),
    ("a.net", pajek() + pajek(), ":6: a second *Vertices; expected one network a file"),
    ("a.net", pajek("*Events", "TI 1"), ":6: a section '*events'; expected *Vertices"),
    ("a.net", "a b\nb c\n", ":1: 'a b'; expected a Pajek file"),
    ("a.net", "", ": no node; expected one at least"),
    ("a.net", b"*Vertices 2\n1 \0\n", ":2: a NUL byte, as in"),
    ("a.paj", f"*Network x\n{pajek()}*Network y\n{pajek()}", ": a project of 2 networks, 'x', 'y'"),
    ("a.gml", gml("0 target 1", "0 target 9"), ":6: an edge of '9', which is not the id of a node"),
    ("a.gml", "graph [ node [ id 1 ] node [ id 1 ] ]", ":1: node '1' again; expected each node"),
    ("a.gml", "graph [ node [ label 1 ] ]", ":1: a node without id"),
    ("a.gml", gml("0"), ":5: an edge without target"),
    ("a.gml", 'graph [\nnode [ id 0 label "x ]\n]', ":2: an unclosed quote"),
    ("a.gml", "graph [ node [ id ] ]", ":1: a key 'id' without value"),
    ("a.gml", "graph [ ] ]", ":1: ']'; expected the key of a GML file"),
    ("a.gml", 'graph [ "id" 1 ]', ":1: 'id'; expected the key of a GML file"),
    ("a.gml", "graph [\n[ ] ]", ":2: '['; expected the key of a GML file"),
    ("a.gml", gml() + gml(), ":6: a second graph; expected one graph a file"),
    ("a.gml", 'graph [ node [ id 1 label "a \\"b\\" c" ] ]', ":1: 'b\\\\'; expected the key"),
    ("a.gml", "graph [ " + "a [ " * 5000, ":1: the end of the file within a list; expected a ']'"),
    ("a.gml", "a b\n", ": no 'graph ['; expected a GML file"),
    ("a.graphml", graphml(within="</graph><graph>"), "a second graph, or a nested one"),
    ("a.graphml", graphml(within="<hyperedge/>"), ":2: a hyperedge; expected edges of two ends"),
    ("a.graphml", graphml(default="no"), ":2: edges that are 'no' by default; expected"),
    ("a.graphml", graphml(("ab", 'directed="x"')),
     ":2: an edge whose attribute directed is 'x'; expected one of directed, undi"),
    ("a.graphml", graphml(("ab", 'directed=""')), ":2: an edge whose attribute directed is ''"),
    ("a.graphml", graphml("az"), ":2: an edge of 'z', which is not the id of a node"),
    ("a.graphml", graphml(within="<node/>"), ":2: an element without 'id'"),
    ("a.graphml", graphml("ab")[:-5], ":2: unclosed token; expected XML"),
    ("a.graphml", graphml("ab").replace("UTF-8", "no"), "unknown encoding"),
    ("a.graphml", graphml("ab").replace("UTF-8", "shift_jis"),
     "multi-byte encodings are not supported; expected XML in UTF-8, or the encoding, as in"),
    ("a.graphml", graphml(within=f'<node id="z">{"<x>" * 5000}'),
     ":2: 101 nested elements; expected 100"),
    ("a.graphml", "<!DOCTYPE graphml [<!ENTITY a 'b'>]>" + GRAPHML + "</graphml>",
     ":1: the document declares an entity 'a'; expected none"),
    ("a.graphml", "<!DOCTYPE graphml [<!ENTITY % a SYSTEM '/etc/passwd'>]><graphml/>", "an entity"),
    ("a.xml", "<svg/>", ":1: XML with the root 'svg'; expected graphml or gexf"),
    ("a.gexf", gexf("", "sideways"), ":1: edges that are 'sideways' by default"),
    ("a.gexf", gexf('<edge source="0" target="1" type="x"/>'),
     ":1: an edge whose attribute type is 'x'"),
    ("a.gexf", gexf("").replace('"a"/>', '"a"><nodes><node id="z"/></nodes></node>'),
     ":1: a node within a node"),
    ("a.graph", "3 3\n2 2\n1 1 3\n2\n", ":2: node 1 has the neighbour 2 2 times; expected each"),
    ("a.net", "*Vertices 1\n*Edges\n1 7 x\n", ":3: vertex '7'; expected a number from 1 to 1"),
    ("a.gml", "graph [ ]", ": no node; expected one at least"),
    ("a.graph", "", ": no data; expected a line 'nodes edges'"),
    ("a.graph", "2\n", ":1: [2]; expected 'nodes edges [format [weights]]'"),
    ("a.graph", "2 1 2\n2\n1\n", ":1: format 002; expected three digits of 0 and 1"),
    ("a.graph", "2 1\n2\nx\n",
     ":3: 'x'; expected integers"),
    ("a.graph", "2 1\n3\n1\n", ":2: a neighbour out of range; expected 1 to 2"),
    ("a.graph", "2 1\n2\n", ": 1 lines of nodes; expected 2, one for each node, as"),
    ("a.graph", "2 1\n2\n1\n1\n", ":4: a line too many; expected 2, one for each node"),
    ("a.graph", "2 2\n2\n1\n", ": 2 neighbours; expected 4, each of the 2 edges in the lin"),
    ("a.graph", "2 1 1\n2 5\n1 6\n", ": an edge in one direction only, or with two weights; exp"),
    ("a.graph", "2 1 1\n2\n1 6\n", ":2: 1 numbers; expected all weights"),
    ("a.gr", "c\n", ":2: ''; expected 'p sp nodes arcs'"),
    ("a.gr", "p max 2 1\n",
     ":1: 'p max 2 1'; expected 'p sp nodes arcs', both integers"),
    ("a.gr", "p sp 2 2\na 1 2 3\n", ": 1 fewer entries than the 2 that"),
    ("a.gr", "p sp 2 1\nc\na 1 3 3\n",
     ":3: 'a 1 3 3'; expected 'a tail head length' with node"),
    ("a.gr", "p sp 9 2\na 1 2\na 3 4 5 6\n",
     ":2: 'a 1 2'; expected 'a tail head length' with "),
    ("a.gr", "p sp 2 1\na 1 2 x\n",
     ":2: 'a 1 2 x'; expected 'a tail head length' with nodes f"),
    ("a.gr", "p sp 3 1\na 1\r 2 3\n", ":2: 'a 1\\r 2 3'; expected 'a tail head length'"),
    ("a.gr", "p sp 2 1\na 1 2 inf\n", ":2: 'a 1 2 inf'; expected 'a tail head length'"),
    ("a.gr", "p sp 2 1\nb 1 2 3\n", ":2: 'b 1 2 3'; expected 'a tail head length'"),
    ("a.mtx", "%%MatrixMarket \x1b[31m x\n", ":1: '%%MatrixMarket \\x1b[31m x'; expected "),
    ("a.mtx", "", ":1: ''; expected %%MatrixMarket matrix"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2 x\n", ":3: '1 2 x'; expected row, column"),
    ("a.mtx", f"{BANNER}integer general\n2 2 1\n1 2 {10**30}\n", ":3: '1 2 1000000"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2 1\0\n", ":3: '1 2 1\\x00'; expected row"),
    ("a.mtx", BANNER.encode() + b"r\xe9al general\n", ":1: '%%MatrixMarket matrix coordinate r"),
    ("a.mtx", BANNER + "real general\n2 2 2\n1 2 1.5 ", ": 1 fewer entries than the 2 that"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2 3\n1 1 3\n", ": more than the 1 entries that"),
    ("a.mtx", BANNER + "integer general\n2 2 1\n1 2 1.5\n", ":3: '1 2 1.5'; expected row"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2.7 3\n", ":3: '1 2.7 3'; expected"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2 1.5D3\n", ":3: '1 2 1.5D3'; expected"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2 1 3\n", ":3: '1 2 1 3'; expected"),
    ("a.mtx", BANNER + "real general\n%\n\n2 2 2\n\n2 2 1\n1 3 1\n", ":7: '1 3 1'"),
    ("a.mtx", BANNER + "real general\n% " + "x" * 70000, ":2: '% xxx"),
    ("a.mtx", BANNER + "pattern general\n2 2 1\n1 3\n", ":3: '1 3'; expected row, column"),
    ("a.mtx", BANNER + "pattern general\n2 2\n", ":2: '2 2'; expected the numbers of"),
    ("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n", ": 3 fewer entries than the 4"),
    ("a.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n1\n1\n1\n", ": more than"),
    ("a.mtx", "%%MatrixMarket matrix array real symmetric\n1 2\n1\n", ": matrix of shape (1, 2)"),
    ("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1 2\n", ":3: '1 2'; expected real"),
    ("a.mtx", "%%MatrixMarket matrix array pattern general\n1 1\n1\n", ":1: "),
    ("a.mtx", BANNER + "pattern general\n2 3 1\n1 2\n", ": matrix of shape (2, 3); expected"),
    ("a.mtx", BANNER + "complex general\n2 2 1\n1 2 1 1\n", ":1: '%%MatrixMarket matrix coord"),
    ("a.mtx", BANNER + "real general\n2 2 1\n1 2 nan\n", ":3: '1 2 nan'; expected row"),
    ("a.mtx", BANNER + "real general\n2 2 2\n1 2 1\n1 2 2\n",
     ": entry [1, 2] counted from 1: weight 2.0 for an edge that has weight 1.0 at "),
    ("a.graph", "3 3\n2\n1 3\n2\n", ": 4 neighbours; expected 6"),
    ("a.json", '{"nodes": []}', ": JSON, which is not read; save the network as GraphML or as an"),
    ("a.geojson", '{"type": "FeatureCollection"}', ": a layer of lines, which is not read; give g"),
    ("a.txt", '{ "type":"FeatureCollection", ', ": a layer of lines, which is not read"),
    ("a.gpkg", "SQLite format 3\0", ": a layer of lines, which is not read"),
    ("a.osm", "<?xml version='1.0'?><osm/>", ": OpenStreetMap, which is not read; read it with os"),
    ("a.txt", '[["a", "b"]]', ": JSON, which is not read"),
    ("a.gdf", "nodedef>name\n", ": GDF of GUESS, which is not read"),
    ("a.vna", "*Node data\n", ": VNA of NetDraw, which is not read"),
    ("a.dl", "DL\nNR=3 NC=4\n", ": DL of UCINET, which is not read; export it for Pajek"),
    ("a.txt", "dl n=2 format=el1\n", ": DL of UCINET, which is not read"),
    ("a.dot", "graph { a -- b }", ": DOT of Graphviz, which is not read; use networkx.write_gexf"),
    ("a.txt", "// c\nstrict digraph {\n a -> b }", ": DOT of Graphviz, which is not read"),
    ("a.ncol", "1 5\n6 5\n", ": NCOL, which is not read; use igraph.Graph.Read_Ncol(path, dir"),
    ("a.lgl", "# a\nb 1\n", ": LGL, which is not read; use igraph.Graph.Read_Lgl(path, directed"),
    ("a.tgf", "1 a\n2 b\n#\n1 2\n", ": TGF, which is not read; write its edges alone, as awk"),
    ("a.txt", "# c\na,b,{'weight': 0.5}\n", ": an edge list of NetworkX with data, which is not"),
    ("a.txt", "a b {}\nb c {}\n", ": an edge list of NetworkX with data, which is not read; use n"),
    ("a.cx2", "[]", ": JSON, which is not read; save the network as GraphML"),
    ("a.g6", "DQc", ": graph6, sparse6 or digraph6, which is not read"),
    ("a.parquet", b"PAR1", ": a data frame, which is not read; pass the frame to frames.read"),
    ("a.txt", b"\x89HDF\r\n", ": HDF5, which is not read"),
    ("a.txt", b"\xd0\xcf\x11\xe0", ": a spreadsheet, which is not read; save the sheet as csv"),
    # Files that have no columns to name are known by their suffix.
    ("edges.sif", "a pp b\nb pd\n", ":2: 'b pd'; expected a node, a relation and its targets"),
    ("edges.csv", "SUID,name\n1,a\n", ":1: a table of Cytoscape with the columns"),
    ("edges.csv", "SUID,name,interaction\n1,a (b) c,d\n", ":2: the name 'a (b) c'"),
    ("a.adjlist", "0 1 2\n1 2\n", ": an adjacency list, which is not read; use"),
    ("a.mtx", BANNER, ": Matrix Market, which has no columns", {"header": False}),
    ("a.mtx", BANNER, ": Matrix Market, which has", {"source": "a", "target": "b"}),
    ("d.gr", "p sp 1 0\n", ": DIMACS, which has no columns", {"weight": "w"}),
    ("a.gml", "graph [ ]", "expected only weight", {"source": "a", "target": "b"}),
    ("a.csv", "<!DOCTYPE html><html>", ": a web page, which is not read; look at the download"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: str(case[::2])[:70])
def test_what_is_refused(read, case):
    """In one line without control characters, by the place and what was expected."""
    name, content, message, *told = case
    with pytest.raises(ValueError, match=r"\A[ -~]*\Z") as caught:
        read(name, content, **dict(*told))
    assert f"{name}{message}" in str(caught.value) or message in str(caught.value)
    assert "; " in str(caught.value)


LINES = {
    "a.lgl": "# a\nb 1\nc 3\n# b\nc 2\n",
    "a.ncol": "a b 1\na c 3\nb c 2\n",
    "a.dl": "DL n=3\nformat=edgelist1\nlabels:\na,b,c\ndata:\n1 2 1\n1 3 3\n2 3 2\n",
    "a.edgelist": "a b {'weight': 1}\na c {'weight': 3}\nb c {'weight': 2}\n",
    "a.adjlist": "a b c\nb c\n",
}


@pytest.mark.parametrize("name", LINES)
def test_the_line_of_a_refusal_makes_a_file_that_is_read(tmp_path, monkeypatch, read, name):
    """With the edges, weights and names of the one that is refused."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="which is not read") as caught:
        read(name, LINES[name])
    line = str(caught.value).rpartition("use ")[2]
    eval(line, {"igraph": igraph, "networkx": networkx, "path": str(tmp_path / name)})
    network, _ = read("network.graphml", (tmp_path / "network.graphml").read_bytes())
    found, weights = edges(network), {"ab": 1, "ac": 3, "bc": 2}
    assert {"".join(sorted(pair)) for pair in found} == {*weights}
    is_bare = name == "a.adjlist"
    assert all(found[pair] == (is_bare or weights["".join(sorted(pair))]) for pair in found)


def test_the_awk_line_of_a_refused_tgf_prints_its_edges(read):
    text = "1 a\n2 b\n3 c d\n#\n1 2 to b\n2 3\n"
    with pytest.raises(ValueError, match="TGF, which is not read") as caught:
        read("a.tgf", text)
    program = str(caught.value).split("'")[1]
    done = subprocess.run(["awk", program], input=text, capture_output=True, text=True, check=True)
    assert edges(read("a.txt", done.stdout)[0]) == {("1", "2"): 1, ("2", "3"): 1}


@pytest.mark.parametrize("name", ["edges.sif", "edges.json", "edges.ncol"])
def test_a_table_under_a_suffix_that_is_refused(read, name):
    """Where its columns are named."""
    network, _ = read(name, "a pp b\nb pd c\n", source=1, target=3)
    assert edges(network) == ties("a>b b>c")


def test_archives(read):
    """Are unpacked if they hold one file, and named if it is tar or a spreadsheet."""
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("karate.txt")
        archive.addfile(info, BytesIO(b""))
    for name in ("karate.tar.gz", "karate.tgz", "karate.gz", "karate"):
        with pytest.raises(ValueError, match=f"{name}: a tar archive, which is not read; unpack"):
            read(name, packed.getvalue())
    sheet = BytesIO()
    with zipfile.ZipFile(sheet, "w") as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("xl/workbook.xml", "")
    with pytest.raises(ValueError, match=r"a\.xlsx: a spreadsheet"):
        read("a.xlsx", sheet.getvalue())
    with zipfile.ZipFile(sheet := BytesIO(), "w") as archive:
        archive.writestr("a.gml", gml("0 target 1"))
    assert edges(read("a.zip", sheet.getvalue())[0]) == ties("a-b")


CLAIMS = {
    "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n{0} {0} 1\n1 2\n",
    "a.gr": "p sp {0} 1\na 1 2 3\n",
    "a.net": "*Vertices {0}\n*Edges\n1 2\n",
    "a.graph": "{0} 1\n2\n1\n",
}


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("n", [200_000_000, 2**31 + 7, 2**62])
def test_a_claim_of_many_nodes(read, name, n, monkeypatch):
    """Is refused before anything of that size is made."""

    def no_names(*_):
        raise AssertionError("names were made")

    monkeypatch.setattr("sparsebc.io.graph_files.GraphBuilder.node", no_names)
    monkeypatch.setattr("sparsebc.io.network.scipy.sparse.csr_array", no_names)
    with pytest.raises(ValueError, match=r"nodes|out of range|too large"):
        read(name, CLAIMS[name].format(n))


def test_nodes_beyond_memory(read, monkeypatch):
    monkeypatch.setattr("sparsebc.io.network.free_memory", lambda: 1 << 20)
    with pytest.raises(MemoryError, match=r"a\.mtx: 100000 nodes take 11 MiB, and 1 MiB are free"):
        read("a.mtx", CLAIMS["a.mtx"].format(100_000))


@pytest.mark.parametrize(
    "head", ["\n", " \n", "# c\n", "% c\n", "c\n", "/*", "version 1\n", "// x\n"]
)
def test_first_lines_that_go_on(head):
    """Take no time that grows faster than they do."""
    assert begins_like((head * 1000)[:1023].encode() + b"x") == []
