"""What a table may mean besides edges: it is read rightly, noted, or refused; never in silence."""

import warnings

import pytest
from graph_texts import edges as edges_of
from graph_texts import read as read_text
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sparsebc.io import source as text
from sparsebc.io import table


def read(content, name="edges.csv", **told):
    """Nodes and edges of a text, and the warnings; None and the message if it is refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            network = read_text(content, name, **told)
        except ValueError as error:
            return None, None, [str(error)]
    return set(network.names), {*edges_of(network)}, [str(one.message) for one in caught]


WORDS = st.text("abcdefgh", min_size=3, max_size=5)
NUMBERS = st.integers(0, 30).map(str)


def pairs(names, least=3):
    """Edges between drawn names."""
    return st.lists(st.tuples(names, names), min_size=least, max_size=8, unique=True)


FRAMES = st.tuples(
    pairs(WORDS) | pairs(NUMBERS),
    *[st.booleans()] * 3,
    st.sampled_from([",", "\t", ";"]),
)


@given(FRAMES)
@example(([("ant", "bee"), ("bee", "cat"), ("cat", "dog")], False, True, False, ","))
@example(([("1", "2"), ("2", "3"), ("3", "4")], False, True, False, ","))
@example(([("0", "0"), ("0", "2"), ("0", "3")], False, True, False, ","))
@example(([("1", "2"), ("2", "3"), ("3", "4")], True, True, False, ","))
@example(([("1", "2"), ("2", "3"), ("3", "4")], True, False, False, ","))
def test_titles_and_index_of_a_frame_become_no_nodes_in_silence(frame):
    """As pandas writes a frame whose columns are 0, 1, ...: with an index and titles or without."""
    edges, index, titles, weights, separator = frame
    rows = [[*ends, *["2.5"] * weights] for ends in edges]
    if titles:
        rows.insert(0, list(map(str, range(len(rows[0])))))
    if index:
        counts = ["", *range(len(edges))] if titles else range(len(edges))
        rows = [[str(count), *row] for count, row in zip(counts, rows, strict=True)]
    nodes, _, told = read("".join(separator.join(row) + "\n" for row in rows))
    assert told or nodes <= {name for ends in edges for name in ends}


@given(pairs(WORDS), st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_numbers_above_words_are_no_edge(edges, one, other):
    content = "".join(f"{tail},{head}\n" for tail, head in edges)
    nodes, _, told = read(f"{one},{other}\n{content}")
    assert told
    assert nodes is None or nodes == {name for ends in edges for name in ends}


SIZED = pairs(NUMBERS, 1) | pairs(WORDS, 1) | pairs(st.sampled_from("abc"), 1)


@given(SIZED, st.sampled_from([" ", "\t", ","]), st.booleans())
@example([("0", "1"), ("1", "2"), ("2", "3"), ("3", "4"), ("4", "5")], " ", False)
def test_a_line_of_sizes_above_edges_is_skipped_with_a_note(edges, separator, has_weights):
    """Or refused, where lines of three columns are below it; told so, it is an edge."""
    nodes = {name for ends in edges for name in ends}
    first = (str(len(nodes)), str(len(edges)))
    rows = [[*ends, *["0.5"] * has_weights] for ends in edges]
    content = "".join(separator.join(row) + "\n" for row in [first, *rows])
    found, got, told = read(content)
    assert told
    if not has_weights:
        assert (found, got) == (nodes, set(edges))
        assert read(content, header=False)[1] == {first, *edges}


@given(pairs(NUMBERS), st.integers(1, 3))
def test_sizes_with_nodes_that_have_no_edge_are_noted(edges, more):
    nodes = {name for ends in edges for name in ends}
    found, _, told = read(f"{max(map(int, nodes)) + more} {len(edges)}\n" + lines(edges))
    assert told
    assert found == nodes


def lines(edges):
    """Lines of edges, between spaces."""
    return "".join(f"{tail} {head}\n" for tail, head in edges)


NAMES = st.lists(WORDS, min_size=4, max_size=6, unique=True)
ENTRY = st.sampled_from(["0", "1", "2.5", ""])


@given(NAMES, st.data())
def test_a_matrix_is_read_or_its_fault_is_named(names, data):
    """A missing value, rows in another order or of other nodes, one that lacks, no row names."""
    n = len(names)
    rows = data.draw(st.lists(st.lists(ENTRY, min_size=n, max_size=n), min_size=n, max_size=n))
    labels = list(names)
    fault = data.draw(st.sampled_from(["none", "NA", "nan", "order", "names", "rows"]))
    at = data.draw(st.integers(0, n - 1))
    if fault in ("NA", "nan"):
        rows[at][at] = fault
    if fault == "order":
        labels.reverse()
    if fault == "names":
        labels = [f"{name}{name}" for name in labels]
    if fault == "rows":
        del labels[at], rows[at]
    table = [["", *names], *([label, *row] for label, row in zip(labels, rows, strict=True))]
    nodes, got, told = read("".join(",".join(row) + "\n" for row in table))
    if fault == "none":
        ends = [
            (names[i], names[j]) for i in range(n) for j in range(n) if rows[i][j] not in ("", "0")
        ]
        assert (nodes, got, told) == (set(names), set(ends), [])
    else:
        assert nodes is None
        assert "adjacency matrix" in told[0]
        assert fault in told[0].replace(f"and {n - 1} rows", "rows")


@given(st.integers(3, 6), st.data())
@example(3, None)
def test_a_matrix_below_titles_that_count_has_these_names(n, data):
    """As pandas writes a frame of an array without its index."""
    if data is None:
        rows = ["010", "101", "010"]
    else:
        rows = data.draw(st.lists(st.text("01", min_size=n, max_size=n), min_size=n, max_size=n))
    table = [map(str, range(n)), *rows]
    nodes, got, told = read("".join(",".join(row) + "\n" for row in table))
    assert nodes == set(map(str, range(n)))
    assert got == {
        (str(i), str(j)) for i, row in enumerate(rows) for j, one in enumerate(row) if one == "1"
    }
    assert bool(told) == (n == 3)


@given(st.binary(min_size=32, max_size=32), st.integers(0, 10**12))
def test_a_pointer_of_git_lfs_is_named(oid, size):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid.hex()}\nsize {size}\n"
    assert "Git LFS" in read(pointer)[2][0]


@given(
    pairs(WORDS), st.lists(st.integers(0, 200), min_size=1, max_size=40), st.sampled_from("#%"),
    st.sampled_from([1 << 5, 1 << 9]),
)  # fmt: skip
def test_comments_of_any_length_above_data_are_passed_over(edges, lengths, mark, size):
    comments = "".join(f"{mark} {'x ' * length}\n" for length in lengths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "SIZE", size)
        patch.setattr(table, "SAMPLE", 64)
        _, got, _ = read(comments + lines(edges), "edges.txt", header=False)
    assert got == set(edges)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=3, max_size=9))
@example([(1, 2), (3, 4), (1, 2), (2, 3), (1, 2), (3, 4), (4, 5)])
def test_contacts_with_the_time_first_are_refused_where_two_meet_again(ends):
    """The message names both readings, and the columns of either; without repeats it is a note."""
    ends = [(i, j) for i, j in ends if i != j]
    assume({i for i, _ in ends} & {j for _, j in ends} and len(ends) > 2)
    content = "".join(f"{20 * (k + 1)}\t{i}\t{j}\n" for k, (i, j) in enumerate(ends))
    assume(not {20 * (k + 1) for k in range(len(ends))} & {one for pair in ends for one in pair})
    nodes, _, told = read(content, "tij.dat")
    assert "temporal" in told[0]
    assert (nodes is None) == (len({*ends}) < len(ends))
    assert nodes or "source=1, target=2" in told[0]
    assert read(content, "tij.dat", source=2, target=3, header=False)[1] == {
        (str(i), str(j)) for i, j in ends
    }


@given(pairs(WORDS), st.data())
def test_rows_without_a_name_in_a_wide_table_are_left_out_with_a_note(edges, data):
    """An empty field or a dash; between two columns alone an empty name is an error."""
    at = data.draw(st.integers(0, len(edges) - 1))
    gap = data.draw(st.sampled_from(["", "-"]))
    whole = [(tail, head, "x", "y") for tail, head in edges]
    whole[at] = data.draw(st.sampled_from([(gap, whole[at][1], "x", "y"), (gap, gap, "x", "y")]))
    content = "source,target,a,b\n" + "".join(",".join(row) + "\n" for row in whole)
    _, got, told = read(content)
    assert got == {edge for k, edge in enumerate(edges) if k != at}
    assert any(f":{at + 2}: a node without a name" in one for one in told)
    narrow = "source,target\n" + "".join(",".join(row[:2]) + "\n" for row in whole)
    assert gap or read(narrow)[0] is None


def test_equal_rows_are_merged_with_a_note_where_weights_are_needed():
    content = "source,target,weight\na,b,1\na,b,1\nb,c,1\n"
    assert any("count once" in one for one in read(content, weighted=True)[2])
    assert read(content)[2] == []
    lengths = content.replace("weight", "length")  # of which the least counts
    assert read(lengths, weighted=True)[2] == []


@pytest.mark.parametrize("first", ["source,target,x", "ends,and,x", "1,2,3", "a,b,c"])
def test_titles_and_numbers_of_columns_are_not_mixed(first):
    """Two titles that are digits are two titles, whatever else a digit could be."""
    _, got, _ = read("0,1,2\na,b,c\nb,c,a\n", source="0", target="1")
    assert got == {("a", "b"), ("b", "c")}
    _, got, _ = read(f"{first}\na,b,c\nb,c,a\n", source=1, target=3, header=True)
    assert got == {("a", "c"), ("b", "a")}
