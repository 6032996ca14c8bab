"""Large edge lists: what PyArrow parses by the block is what the lines one by one say."""

import warnings

import pytest
from graph_texts import edges, read
from hypothesis import given
from hypothesis import strategies as st

from sparsebc.io import source as text
from sparsebc.io import table

pytest.importorskip("pyarrow")


def told(content, way, **options):
    """Network of a text and what is remarked, or its error: by Arrow, by Python or line by line."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        patch.setattr(table, "LEAST", 0 if way == "arrow" else 10**9)
        if way == "lines":
            patch.setattr(table, "by_column", lambda *given, **options: None)
        patch.setattr(text, "SIZE", 40)
        try:
            matrix, names = read(content, **options)
        except ValueError as error:
            return str(error)
    coo = matrix.tocoo()
    said = [str(one.message) for one in remarks]
    return names, coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), said


ODD = ["", " ", "a b", " a", "a ", '"q"', '"', '"a,b"', '"#c"', "a\rb", "\udcff", "x\x00", "a\tb"]
PLAIN = "0 7 12 007 -0 -3 00 0x1F +5 1e5 a b gene-1 5.0 -05 nan é ç #x % NA null"
BIG = ["9223372036854775807", "9223372036854775808"]
FIELDS = st.sampled_from([*PLAIN.split(), *BIG, *ODD]) | st.sampled_from("0 1 2 31 -4 a".split())
NUMBERS = "1 0.5 2e-05 -0 inf nan 1e999 1_0 x .5 5. 0x1p3 -0.25"
WEIGHTS = st.sampled_from([*NUMBERS.split(), "", " 3 "])
WHOLE = st.sampled_from(["", " ", "# one", "% two", '"', "b"])  # lines of another kind
LINES = st.lists(st.tuples(FIELDS, FIELDS, WEIGHTS) | WHOLE, min_size=1, max_size=12)


@given(
    LINES,
    st.sampled_from(",\t ;§"),
    st.sampled_from([2, 3, 4]),
    st.sampled_from(["source target weight note", "x y", "# c", ""]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([None, True, False]),
)
def test_blocks_are_read_as_lines_one_by_one(lines, separator, width, header, end, weighted):
    """The same network, or the same error at the same line, whatever the fields are."""
    rows = [header.split()[:width]] if header else []
    rows += ([line] if isinstance(line, str) else [*line, line[2]][:width] for line in lines)
    text = end.join(map(separator.join, rows)).encode("utf-8", "surrogateescape")
    options = {"weighted": weighted, "separator": "§" if separator == "§" else None}
    one_by_one = told(text, "lines", **options)
    assert told(text, "arrow", **options) == one_by_one
    assert told(text, "python", **options) == one_by_one


def test_comments_longer_than_a_block_are_passed_over(monkeypatch):
    monkeypatch.setattr(text, "SIZE", 40)
    network = read("# no edge\n" * 20 + "from,to\na,b\nb,c\n")
    assert edges(network) == {("a", "b"): 1, ("b", "c"): 1}


def test_a_weight_that_is_an_end_as_well_is_both():
    network = read("u,v\n1,2\n3,4\n", source="u", target="v", weight="v")
    assert edges(network) == {("1", "2"): 2, ("3", "4"): 4}
