"""Large edge lists: what PyArrow parses by the block is what the lines one by one say."""

import io as standard
import random
import warnings

import numpy as np
import pytest
from graph_texts import assert_canonical, edges
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import io
from sparsebc.io import source as text
from sparsebc.io import table

pytest.importorskip("pyarrow")


@pytest.fixture
def blocks(monkeypatch):
    """Blocks of a few lines, all of them worth PyArrow; the numbers of lines each was handed."""
    seen = []
    parse = table.by_column

    def counted(block, *given, **options):
        found = parse(block, *given, **options)
        seen.append((block.lines, found is not None))
        return found

    monkeypatch.setattr(text, "SIZE", 40)
    monkeypatch.setattr(table, "LEAST", 0)
    monkeypatch.setattr(table, "by_column", counted)
    return seen


def told(content, way, **options):
    """Network of a text and what is remarked, or its error: by Arrow, by Python or line by line."""
    file = standard.BytesIO(content)
    file.name = "edges.csv"
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        patch.setattr(table, "LEAST", 0 if way == "arrow" else 10**9)
        if way == "lines":
            patch.setattr(table, "by_column", lambda *given, **options: None)
        patch.setattr(text, "SIZE", 40)
        try:
            matrix, names = io.read(file, **options)
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
def test_one_by_one_or_by_the_block(lines, separator, width, header, end, weighted):
    """The same network, or the same error at the same line, whatever the fields are."""
    rows = [header.split()[:width]] if header else []
    rows += ([line] if isinstance(line, str) else [*line, line[2]][:width] for line in lines)
    text = end.join(map(separator.join, rows)).encode("utf-8", "surrogateescape")
    options = {"weighted": weighted, "separator": "§" if separator == "§" else None}
    one_by_one = told(text, "lines", **options)
    assert told(text, "arrow", **options) == one_by_one
    assert told(text, "python", **options) == one_by_one


@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("kind", ["integers", "names", "both"])
def test_every_block_is_parsed_at_once(blocks, tmp_path, kind, separator):
    """Plain lines are never taken one by one, and there are several blocks."""
    rng = random.Random(3)
    named = {"integers": 300, "names": 0, "both": 150}[kind]  # from this edge on
    want = {
        tuple(f"{'v' * (k >= named)}{rng.randrange(50)}" for _ in range(2)): rng.randrange(1, 9)
        for k in range(300)
    }
    path = tmp_path / "edges.txt"
    rows = [("from", "to", "score"), *((*ends, str(w)) for ends, w in want.items())]
    path.write_text("".join(f"{separator.join(row)}\n" for row in rows))
    network = io.read(path)
    assert_canonical(network)
    assert edges(network) == want
    assert len(blocks) > 20
    assert all(at_once for _, at_once in blocks)
    if kind != "integers":
        assert network.names == tuple(dict.fromkeys(name for edge in want for name in edge))


def test_a_column_twice(tmp_path):
    """A weight that is an end as well."""
    path = tmp_path / "edges.csv"
    path.write_text("u,v\n1,2\n3,4\n")
    network = io.read(path, source="u", target="v", weight="v")
    np.testing.assert_array_equal(network.matrix.tocoo().data, [2, 4])
