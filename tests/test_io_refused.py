"""Graph files that are not read: refused by name, before anything large is made of them."""

import subprocess
import tarfile
from io import BytesIO

import igraph
import networkx
import pytest
from graph_texts import BANNER, cases, edges, noted, ties, zipped

from sparsebc.io.read import reader_of
from sparsebc.io.source import Source
from sparsebc.io.titles import Wanted

LONG = [
    ("a.gml", "graph [ " + "a [ " * 5000, ":1: the end of the file within a list; expected a ']'"),
    ("a.graphml", f'<graphml><graph edgedefault="directed">{"<x>" * 5000}',
     ":1: 101 nested elements; expected 100"),
    ("a.mtx", BANNER + "real general\n% " + "x" * 70000, ":2: '% xxx"),
    # A line that ends beyond a block and the longest line is not two lines.
    ("a.mtx", f"{BANNER}real general\n3 3 2\n1 2 5{' ' * (2 << 20)}2 3 5\n", ":3: ''; expected a"),
]  # fmt: skip


@pytest.mark.parametrize("case", [*cases("refused"), *LONG], ids=lambda case: str(case[::2])[:70])
def test_a_file_is_refused_in_one_line_by_place_and_reason(case):
    """In one line without control characters, by the place and what was expected."""
    name, content, message, *told = case
    with pytest.raises(ValueError, match=r"\A[ -~]*\Z") as caught:
        noted(name, content, **dict(*told))
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
def test_the_line_of_a_refusal_makes_a_file_that_is_read(folder, name):
    """With the edges, weights and names of the one that is refused."""
    with pytest.raises(ValueError, match="which is not read") as caught:
        noted(name, LINES[name])
    (folder / name).write_text(LINES[name])
    line = str(caught.value).rpartition("use ")[2]
    eval(line, {"igraph": igraph, "networkx": networkx, "path": name})
    network, _ = noted("network.graphml", (folder / "network.graphml").read_bytes())
    found, weights = edges(network), {"ab": 1, "ac": 3, "bc": 2}
    assert {"".join(sorted(pair)) for pair in found} == {*weights}
    is_bare = name == "a.adjlist"
    assert all(found[pair] == (is_bare or weights["".join(sorted(pair))]) for pair in found)


def test_the_awk_line_of_a_refused_tgf_prints_its_edges():
    text = "1 a\n2 b\n3 c d\n#\n1 2 to b\n2 3\n"
    with pytest.raises(ValueError, match="TGF, which is not read") as caught:
        noted("a.tgf", text)
    program = str(caught.value).split("'")[1]
    done = subprocess.run(["awk", program], input=text, capture_output=True, text=True, check=True)
    assert edges(noted("a.txt", done.stdout)[0]) == {("1", "2"): 1, ("2", "3"): 1}


@pytest.mark.parametrize("name", ["edges.sif", "edges.json", "edges.ncol"])
def test_a_table_under_a_refused_suffix_is_read_if_columns_are_named(name):
    network, _ = noted(name, "a pp b\nb pd c\n", source=1, target=3)
    assert edges(network) == ties("a>b b>c")


def test_archives_of_one_file_are_unpacked_and_others_named():
    """Those of tar, and spreadsheets, by what they are."""
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("karate.txt")
        archive.addfile(info, BytesIO(b""))
    for name in ("karate.tar.gz", "karate.tgz", "karate.gz", "karate"):
        with pytest.raises(ValueError, match=f"{name}: a tar archive, which is not read; unpack"):
            noted(name, packed.getvalue())
    with pytest.raises(ValueError, match=r"a\.xlsx: a spreadsheet"):
        noted("a.xlsx", zipped("", "[Content_Types].xml", "xl/workbook.xml"))
    assert edges(noted("a.zip", zipped("a b\n", "a.txt"))[0]) == ties("a>b")


CLAIMS = {
    "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n{0} {0} 1\n1 2\n",
    "a.gr": "p sp {0} 1\na 1 2 3\n",
    "a.net": "*Vertices {0}\n*Edges\n1 2\n",
    "a.graph": "{0} 1\n2\n1\n",
}


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("n", [200_000_000, 2**31 + 7, 2**62])
def test_a_claim_of_many_nodes_is_refused_before_anything_is_made(name, n, monkeypatch):

    def no_names(*_):
        raise AssertionError("names were made")

    monkeypatch.setattr("sparsebc.io.graph_files.GraphBuilder.node", no_names)
    monkeypatch.setattr("sparsebc.io.network.scipy.sparse.csr_array", no_names)
    with pytest.raises(ValueError, match=r"nodes|numbers? of|integers below"):
        noted(name, CLAIMS[name].format(n))


def test_nodes_beyond_memory_are_refused(monkeypatch):
    monkeypatch.setattr("sparsebc.io.network.free_memory", lambda: 1 << 20)
    with pytest.raises(MemoryError, match=r"a\.mtx: 100000 nodes take 11 MiB, and 1 MiB are free"):
        noted("a.mtx", CLAIMS["a.mtx"].format(100_000))


@pytest.mark.parametrize(
    "head", ["\n", " \n", "# c\n", "% c\n", "c\n", "/*", "version 1\n", "// x\n"]
)
def test_first_lines_that_go_on_are_of_no_format(head):
    """In no time that grows faster than they do."""
    begun = (head * 1000)[:1023].encode() + b"x"
    assert reader_of(Source("a.txt", ".txt", None, begun), Wanted()) is None
