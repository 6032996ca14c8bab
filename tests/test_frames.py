"""Networks from data frames: whatever has named columns, every default, every refusal."""

import io as stdio
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import FRAMES, edges

import sparsebc
from sparsebc import frames, io, temporal
from sparsebc.errors import InputTypeError
from sparsebc.foreign import on_host

EDGES = {"from": ["b", "a", "b"], "to": ["a", "c", "c"], "score": [0.5, 2, 1]}
PATH, PLAIN = {"a b": 0.5, "b c": 2}, {"a b": 1, "b c": 1}
WANT = [[0, 0.5, 1], [0, 0, 2], [0, 0, 0]]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_of_every_kind_are_read(make):
    """Nodes in order of first appearance, weights by default from the column that is there."""
    matrix, names = frames.read(make(EDGES))
    assert names == ("b", "a", "c")
    np.testing.assert_array_equal(matrix.toarray(), WANT)


def test_columns_are_taken_by_name():
    """Any titles will do; without a weight, every edge has one."""
    columns = {"u": [10, 9], "v": [9, 30], "mark": [7, 8], "kind": ["x", "y"]}
    matrix, names = frames.read(columns, source="u", target="v", weight="mark")
    assert names == ("9", "10", "30")
    np.testing.assert_array_equal(matrix.toarray(), [[0, 0, 8], [7, 0, 0], [0, 0, 0]])
    assert frames.read({0: ["a"], 1: ["b"]}, source=0, target=1).names == ("a", "b")
    assert frames.read({"u": [2**63, 1], "v": [1, 2]}).names == ("1", "2", str(2**63))
    matrix, _ = frames.read(columns, source="v", target="u")
    np.testing.assert_array_equal(matrix.toarray(), [[0, 1, 0], [0, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("ends", [("source", "target"), ("protein1", "protein2"), ("from", "to")])
@pytest.mark.parametrize("names", [["TP53", "MDM2", "MDM4"], [12, 7, 100], ["12", "7", "100"]])
@pytest.mark.parametrize("title", ["length", "Distance", "travel_time", "mm_len"])
def test_a_frame_is_read_as_a_file_of_its_rows(ends, names, title):
    """Repeated rows are an edge, of the shortest length where a title says so, named or known."""
    a, b, c = names
    rows = {ends[0]: [a, b, a, a], ends[1]: [b, c, b, b], title: [3.0, 4.0, 2.0, 5.0]}
    matrix, found = frames.read(rows, weight=title, weighted=True)
    text = "\n".join(",".join(map(str, row)) for row in [rows, *zip(*rows.values(), strict=True)])
    want = io.read(stdio.BytesIO(text.encode()), weight=title, weighted=True)
    assert (found, (matrix != want.matrix).nnz) == (want.names, 0)
    assert matrix[found.index(str(a)), found.index(str(b))] == 2
    assert matrix.nnz == 2


def _pandas(kind):
    pd = pytest.importorskip("pandas")
    return lambda columns: pd.DataFrame({title: pd.Series(c, dtype=kind) for title, c in columns})


def _polars(kind):
    pl = pytest.importorskip("polars")

    def make(columns):
        kinds = {"Enum": pl.Enum(["9", "2", "10", "b", "a", "", "c", "d", "é"])}
        type_ = kinds.get(kind) or getattr(pl, kind)
        return pl.DataFrame({title: pl.Series(c).cast(type_) for title, c in columns})

    return make


def _pyarrow(kind):
    pa = pytest.importorskip("pyarrow")

    def make(columns):
        plain = {name: getattr(pa, name)() for name in ("string", "large_string", "string_view")}
        kinds = {**plain, "dictionary": pa.dictionary(pa.int8(), pa.string())}
        parts = {
            t: [pa.array(c[:2], kinds[kind]), pa.array(c[2:], kinds[kind])] for t, c in columns
        }
        return pa.table({title: pa.chunked_array(part) for title, part in parts.items()})

    return make


def test_integers_of_128_bits_are_exact_names():
    """Of polars; NumPy has none, and names are exact."""
    pl = pytest.importorskip("polars")
    columns = {"from": [2**100, -5], "to": [2**64, 2**63], "weight": [3, 4]}
    table = pl.DataFrame({t: pl.Series(c, dtype=pl.Int128) for t, c in columns.items()})
    matrix, names = frames.read(table, weighted=True)
    assert names == tuple(map(str, (-5, 2**63, 2**64, 2**100)))
    assert (matrix[3, 2], matrix[0, 1]) == (3, 4)
    assert on_host(table["to"]) == columns["to"]


@pytest.mark.parametrize(
    ("library", "kind"),
    [
        *((_pandas, kind) for kind in ("object", "str", "string", "category")),
        *((_polars, kind) for kind in ("String", "Categorical", "Enum")),
        *((_pyarrow, kind) for kind in ("string", "large_string", "string_view", "dictionary")),
    ],
)
def test_columns_of_text_of_every_type_are_names(library, kind):
    """Of every type that a library has for them, in parts or not; what is missing is named."""
    make = library(kind)
    columns = {"from": ["b", "a", "b", "é"], "to": ["a", "c", "c", "b"]}
    matrix, names = frames.read(make(columns.items()))
    assert names == ("b", "a", "c", "é")
    np.testing.assert_array_equal(
        matrix.toarray(), [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    )
    matrix, names = frames.read(make({"from": ["10", "9", "9"], "to": ["9", "2", "10"]}.items()))
    assert names == ("2", "9", "10")
    for absent in (None, ""):
        broken = {"from": ["b", "a", absent, "d"], "to": ["a", "c", "c", "b"]}
        with pytest.raises(ValueError, match="column 'from' has no name in row 2: drop such rows"):
            frames.read(make(broken.items()))


WORDS = ("x", "y")
# Two columns of pandas, of objects where they are tuples, and the names of the nodes.
MIXED = [
    (WORDS, ("y", "z"), "x y z"),
    (WORDS, ("y", 3), "x y 3"),
    (WORDS, ("y", "\udcff"), "x y \udcff"),  # text that no encoding has
    ((7, "a", 2), ("a", "2", "7"), "7 a 2"),
    ((np.int64(7), "a"), ("a", np.uint8(2)), "7 a 2"),
    ((2**70, 1), (1, 2**63), f"1 {2**63} {2**70}"),
    ([7, 7, 2], ["a", "2", "7"], "7 a 2"),
    (WORDS, [2, 3], "x 2 y 3"),
    (WORDS, "category", "x y z"),
]


@pytest.mark.parametrize(("tails", "heads", "want"), MIXED)
def test_columns_of_objects_and_of_two_types_are_names(tails, heads, want):
    """Text, numbers among it, categories; columns of one title that are no matter."""
    pd = pytest.importorskip("pandas")
    given = {"from": tails, "to": pd.Categorical(["y", "z"]) if heads == "category" else heads}
    objects = {
        t: pd.Series(c, dtype=object) if isinstance(c, tuple) else c for t, c in given.items()
    }
    frame = pd.DataFrame({**objects, "a": 1, "b": 2})
    frame.columns = ["from", "to", "a", "a"]
    assert frames.read(frame).names == tuple(want.split(" "))


def test_titles_in_any_case_and_unread_weights_are_taken_as_in_files():
    columns = {"Source": ["a", "b"], "TARGET": ["b", "c"], "Weight": [0.5, 2]}
    assert edges(frames.read(columns)) == PATH
    columns["Weight"] = [0.5, np.nan]
    with pytest.warns(io.ReadWarning, match="row 1: weight nan.*: the weights are ignored"):
        assert edges(frames.read(columns)) == PLAIN
    with pytest.raises(ValueError, match="row 1: weight nan"):
        frames.read(columns, weighted=True)


NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)


@given(
    st.lists(st.tuples(NAME, NAME, st.sampled_from(["Directed", "undirected"])), min_size=1),
    st.sampled_from(["dict", "pandas"]),
)
def test_an_undirected_row_of_gephi_is_an_edge_each_way(rows, kind):
    """An undirected row is an edge each way, and its names stay as they are: as in a file."""
    columns = dict(
        zip(("Source", "Target", "Type"), map(list, zip(*rows, strict=True)), strict=True)
    )
    frame = columns if kind == "dict" else pytest.importorskip("pandas").DataFrame(columns)
    network = frames.read(frame)
    directed = {(tail, head) for tail, head, _ in rows}
    undirected = {(head, tail) for tail, head, type in rows if type == "undirected"}
    pairs = zip(*network.matrix.nonzero(), strict=True)
    assert {(network.names[i], network.names[j]) for i, j in pairs} == directed | undirected
    contacts = temporal.read({**columns, "time": [*range(len(rows))]})
    count = sum((1 + (type == "undirected")) * (tail != head) for tail, head, type in rows)
    assert len(contacts) == count
    frame = {**columns, "Type": ["Mutual", *columns["Type"][1:], "Directed"]}
    frame = {title: [*column, "x"][: len(rows) + 1] for title, column in frame.items()}
    with pytest.raises(ValueError, match="row 0: type 'Mutual'; expected Directed or Undirected"):
        frames.read(frame)


def test_texts_of_a_list_stay_as_they_are():
    """NumPy would cut off NUL."""
    assert frames.read({"from": ["a\0", "a"], "to": ["b", "c"]}).names == ("a\0", "b", "a", "c")


def table_of(module, name, **methods):
    """A table without rows of a library that need not be there."""
    return type(name, (), {"__module__": module, "columns": ["from", "to"], **methods})()


LAZY = {
    "collect": table_of("polars.lazyframe.frame", "LazyFrame", collect=None),
    "toPandas": table_of("pyspark.sql.dataframe", "DataFrame", toPandas=None, collect=None),
    "df": table_of("_duckdb", "DuckDBPyRelation", df=None),
    "to_pandas": table_of("ibis.expr.types.relations", "Table", to_pandas=None),
    "to_table": table_of("pyarrow._dataset", "FileSystemDataset", to_table=None),
    "read_all": table_of("pyarrow.lib", "RecordBatchReader", read_all=None),
}


@pytest.mark.parametrize("fetch", LAZY)
def test_a_lazy_table_is_refused_with_the_call_that_fetches(fetch):
    """As edges, as a matrix, as weights of nodes, and as scores to write: the call that fetches."""
    table, A = LAZY[fetch], np.eye(3)
    takers = {
        "frame": frames.read,
        "A": sparsebc.betweenness,
        "sources": lambda table: sparsebc.bfs(A, table),
        "source_weights": lambda table: sparsebc.betweenness(A, source_weights=table),
        "scores['x']": lambda table: io.write_scores("x.csv", {"x": table}, ["a", "b", "c"]),
    }
    for argument, take in takers.items():
        with pytest.raises(InputTypeError, match=re.escape(f"{argument}.{fetch}()")):
            take(table)
    with pytest.raises(InputTypeError, match=r"sparsebc\.frames\.read takes a table"):
        io.read(table)
