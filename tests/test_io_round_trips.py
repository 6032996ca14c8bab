"""Any text: what csv and this package write comes back, and the rest is read or refused."""

import csv
import io as stdio
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_io_tables import edges, read

from sparsebc import edge_betweenness, frames, io


def test_what_this_package_writes_comes_back(tmp_path):
    """The table of edge scores, of names that begin as comments do."""
    network = frames.read({"source": ["#a", "%b", "#a"], "target": ["%b", "c", "c"]})
    scores = edge_betweenness(network.matrix).tocoo()
    path = tmp_path / "scores.csv"
    ends = {"source": scores.row, "target": scores.col}
    named = {title: [network.names[v] for v in at] for title, at in ends.items()}
    io.write_table(path, named, {"weight": [1.0] * 3, "edge_betweenness": scores.data})
    with pytest.warns(io.ReadWarning) if b"\n#" in path.read_bytes() else nullcontext():
        again = io.read(path)
    assert edges(again) == edges(network)


WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]


@given(
    st.dictionaries(st.tuples(WORDS, WORDS), st.floats(-1e9, 1e9), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(ENCODINGS),
    st.sampled_from([("source", "target", "weight"), ("From", "TO", "Score"), None]),
)
@pytest.mark.filterwarnings("ignore::sparsebc.io.ReadWarning")
def test_what_csv_writes_is_read_or_refused(want, separator, quoting, encoding, header):
    """Any names, any separator, any quoting: never another network."""
    text = stdio.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting)
    if header:
        writer.writerow(header)
    writer.writerows((*pair, weight) for pair, weight in want.items())
    try:
        content = text.getvalue().encode(encoding)
    except UnicodeEncodeError:
        return
    told = None if encoding in ENCODINGS[:3] else encoding
    try:
        network = read(content, encoding=told)
    except ValueError:
        assert not header or any(name[0] in "#%" for pair in want for name in pair)
        return
    assert edges(network) == {f"{u} {v}": weight for (u, v), weight in want.items()}


PIECES = [*',;\t |\n"#%01u', "a b", "{'a': 1}", "{}", "0,5", "source", "target", "weight", "Type"]
OPTIONS = [
    *({}, {"weighted": True}, {"weighted": False}, {"header": True}, {"header": False}),
    *({"source": 1, "target": 2}, {"source": 1, "target": 2, "weight": 3}, {"comment": ""}),
]


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join), st.sampled_from(OPTIONS))
@pytest.mark.filterwarnings("ignore::sparsebc.io.ReadWarning")
def test_any_text_is_read_or_refused(text, told):
    """By a ValueError that names the file, and nothing else."""
    try:
        matrix, names = read(text, **told)
    except ValueError as error:
        found = str(error)
    else:
        assert matrix.shape == (len(names),) * 2
        assert all(names)
        return
    assert found.startswith("edges.csv:")
