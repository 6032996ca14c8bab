"""Any text: what csv and this package write comes back, and the rest is read or refused."""

import csv
import gzip
import io as stdio

import numpy as np
import pytest
from graph_texts import assert_canonical, edges, read
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import io

WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]


ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), min_size=1)
WEIGHTS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(st.tuples(ANY, ANY), WEIGHTS, min_size=1, max_size=8))
@example({("#metoo", "%x"): 1, (" lead", "trail "): 2, ("a\tb", "\x85"): 3, ("é", 'say "x"'): 4.0})
@example({("source", "target"): 2, ("0", "-0"): 3.0})
@pytest.mark.filterwarnings("ignore::sparsebc.io.ReadWarning")
def test_what_this_package_writes_comes_back(want):
    """The table of edges, of names that begin as comments do, or with spaces around them."""
    file = stdio.StringIO(newline="")
    sources, targets = map(list, zip(*want, strict=True))
    ends = {"source": sources, "target": targets}
    io.write_table(file, ends, {"weight": np.array([*want.values()], float)})
    assert edges(read(file.getvalue())) == want


@given(
    st.data(),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(",;\t|"),
    st.sampled_from(ENCODINGS),
    st.sampled_from([("source", "target", "weight"), ("From", "TO", "Score"), None]),
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore::sparsebc.io.ReadWarning")
def test_what_csv_writes_is_read_or_refused(data, quoting, separator, encoding, header, packed):
    """Never another network: read, whatever the names are, where all is quoted and has titles."""
    is_safe = quoting == csv.QUOTE_ALL and header is not None
    names = ANY if is_safe else WORDS
    want = data.draw(st.dictionaries(st.tuples(names, names), WEIGHTS, min_size=1, max_size=12))
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
        network = read(gzip.compress(content) if packed else content, encoding=told)
    except ValueError:
        assert not is_safe
        assert not header or any(name[0] in "#%" for pair in want for name in pair)
        return
    assert_canonical(network)
    assert edges(network) == want
    assert set(network.names) == {name for pair in want for name in pair}


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


def test_a_name_like_a_number_with_a_comma_leaves_weights_their_points():
    assert edges(read("source;target;weight\n0;,5;0.25\n")) == {("0", ",5"): 0.25}
    assert edges(read("source;target;weight\n0;.5;0,25\n")) == {("0", ".5"): 0.25}
