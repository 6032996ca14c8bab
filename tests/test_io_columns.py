"""Which columns an edge list has: no header is taken for an edge, and no edge for a header."""

import pickle
import re

import pytest
from test_io import edges

from sparsebc import io
from sparsebc.io.columns import AmbiguousFile

LINES = "TP53{0}MDM2\nMDM2{0}MDM4\nMDM4{0}TP53\n"
CYCLE = {("TP53", "MDM2"), ("MDM2", "MDM4"), ("MDM4", "TP53")}


@pytest.fixture
def read(tmp_path):
    """Network of a text."""

    def call(text, name="edges.csv", **told):
        path = tmp_path / name
        path.write_text(text)
        return io.read(path, **told)

    return call


@pytest.mark.parametrize("header", ["gene_a,gene_b", "x,y", "ProteinA\tProteinB", "gene gene"])
def test_an_unknown_header_is_refused(read, header):
    """With the titles that are known, and both ways out."""
    separator = re.search(r"\W", header)[0]
    with pytest.raises(AmbiguousFile) as caught:
        read(f"{header}\n{LINES.format(separator)}")
    for word in (
        f"edges.csv:1: the names {header.split(separator)}, which no other line has",
        "from/to, source/target, protein1/protein2, node1/node2",
        "weight, score, combined_score",
        "source='gene_a', target='gene_b'",
        "header=False",
    ):
        assert word in str(caught.value)


def test_both_ways_out(read):
    """The columns named, or told to be none."""
    text = "gene_a,gene_b\n" + LINES.format(",")
    assert set(edges(read(text, source="gene_a", target="gene_b"))) == CYCLE
    assert set(edges(read(text, header=False))) == CYCLE | {("gene_a", "gene_b")}
    assert ("MDM2", "TP53") in edges(read(text, source="gene_b", target="gene_a"))


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n",  # one line: a header would leave no edge
        "a,b\nb,c\n",
        "a,b\nc,a\n",
        "a,b\na,b\n",
        "hub,leaf\nhub,other\n",
        "7,8\n1,2\n",  # numbers are no titles
        "007,x\n1,2\n",
        "a,b,1\nc,d,2\n",  # a number is no title of a weight
    ],
)
def test_first_lines_that_are_edges(read, text):
    """Nothing needs to be told."""
    lines = [tuple(line.split(",")[:2]) for line in text.splitlines()]
    assert set(edges(read(text))) == set(lines)


def test_the_header_of_another_case_and_a_column_of_three(read):
    """Weights are found by their known titles, or named."""
    text = "Gene A,Gene B,method,score,p\nTP53,MDM2,y2h,0.5,7\nMDM2,MDM4,ms,2,9\n"
    ends = {"source": "Gene A", "target": "Gene B"}
    assert list(edges(read(text, **ends)).values()) == [0.5, 2]
    assert list(edges(read(text, **ends, weight="p")).values()) == [7, 9]
    assert list(edges(read(text.replace("score", "s"), **ends)).values()) == [1, 1]
    known = text.replace("Gene A", "from").replace("Gene B", "to")
    assert list(edges(read(known, weight="p")).values()) == [7, 9]


@pytest.mark.parametrize(
    ("text", "told", "message"),
    [
        ("a,b\nb,c\n", {"source": "a"}, "source='a' and target=None: give both"),
        ("a,b\nb,c\n", {"source": "a", "target": "x"}, "edges.csv:1: no column 'x'; expected one"),
        ("a,a\nb,c\n", {"source": "a", "target": "a"}, "edges.csv:1: 2 columns 'a'; expected one"),
        ("a,b\nb,c\n", {"header": False, "weight": "w"}, "header=False leaves no titles"),
        ("a,b,c\nb,c,1\n", {}, "1: an unknown header ['a', 'b', 'c']; expected one pair of"),
        ("a,b,c\nb,c,1\n", {"header": True}, "1: 3 columns ['a', 'b', 'c']; expected source"),
        ("a,b,c\nb,c,1\n", {"header": False, "weighted": True}, "1: weight 'c'; expected a number"),
        ("from,to,score,weight\na,b,1,2\n", {"weighted": True}, "columns ['score', 'weight'], m"),
        (
            "a,b,score,weight\na,b,1,2\n",
            {"source": "a", "target": "b", "weighted": True},
            "more than one of them weights; expected one, or the columns, by title",
        ),
        ("a pp b\nb pd c\n", {}, "1: three columns of words, as in SIF (node, relation, node)"),
        ("node,betweenness\na,1\nb,0\n", {}, "1: the header node,betweenness of a file of scores"),
    ],
)
def test_what_is_refused(read, text, told, message):
    """The place, what was found, what was expected."""
    with pytest.raises(ValueError, match=re.escape(message)):
        read(text, **told)


def test_sif_by_its_suffix(read):
    """Whatever its lines look like."""
    with pytest.raises(ValueError, match=re.escape("edges.sif:1: three columns of words, as in S")):
        read("a pp b c d\n", "edges.sif")


def test_every_file_of_scores_is_refused(tmp_path):
    """What this package writes of nodes does not come back as a network."""
    path = tmp_path / "scores.csv"
    names = ["a", "b", "c"]
    for measures in (["component"], ["closeness", "stress"], ["betweenness", "half_width"]):
        io.write_scores(path, {measure: [1.0, 2.0, 3.0] for measure in measures}, names)
        with pytest.raises(ValueError, match="of a file of scores; expected edges"):
            io.read(path)


@pytest.mark.parametrize("told", [{"source": "a", "target": "b"}, {"header": False}])
def test_a_matrix_has_no_columns(tmp_path, told):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n1 1 0\n")
    with pytest.raises(ValueError, match="a matrix, which has no columns to name"):
        io.read(path, **told)


def test_the_error_can_be_pickled(read):
    """As a pool of processes needs it."""
    with pytest.raises(AmbiguousFile) as caught:
        read("x,y\na,b\n")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (AmbiguousFile, str(caught.value))
