"""Reading networks: every layout, every malformed file, the round trip."""

import csv
import gzip
import re

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsebc import io

BANNER = "%%MatrixMarket matrix coordinate "


@pytest.fixture
def put(tmp_path):
    """Write text or bytes to a file, compressed where its name ends with .gz; give its path."""

    def write(name, content):
        content = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def edges(network):
    """{(source name, target name): weight} of the stored entries."""
    coo = network.matrix.tocoo()
    names = network.names
    pairs = [(names[i], names[j]) for i, j in zip(coo.row, coo.col, strict=True)]
    return dict(zip(pairs, coo.data.tolist(), strict=True))


def assert_canonical(network):
    matrix = network.matrix
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert matrix.has_canonical_format
    assert matrix.shape == (len(network.names),) * 2
    assert matrix.indices.dtype == np.int32
    matrix.check_format(full_check=True)


AB = {("a", "b"): 0.5, ("b", "c"): 2.0}
LAYOUTS = {
    "plain.txt": "a b 0.5\nb c 2\n",
    "plain.edges": "a\tb\t0.5\nb\tc\t2\n",
    "tabs.tsv": "a\tb\t0.5\nb\tc\t2\n",
    "commas.csv": "a,b,0.5\nb,c,2\n",
    "commas.txt": "a,b,0.5\nb,c,2\n",
    "spaces.csv": "a b 0.5\nb c 2\n",
    "compressed.csv.gz": "a,b,0.5\nb,c,2\n",
    "compressed.GZ.txt.gz": "a b 0.5\nb c 2\n",
    "no-final-newline.csv": "a,b,0.5\nb,c,2",
    "windows.csv": "\ufefffrom,to,weight\r\na,b,0.5\r\nb,c,2\r\n",
    "aligned.txt": "  a   b  0.5 \n  b   c  2   \n",
    "blanks.csv": "a, b, 0.5\n\nb, c, 2\n\n",
    "comments.txt": '# SNAP\n% KONECT\na b 0.5\n# "\nb c 2\n',
    "quoted.csv": '"a","b",0.5\n"b","c",2\n',
    "header.txt": "from to score\na b 0.5\nb c 2\n",
    "curnet.csv": "from,to,weight\na,b,0.5\nb,c,2\n",
    "string.txt.gz": "protein1 protein2 combined_score\na b 0.5\nb c 2\n",
    "string-full.txt": "protein1 protein2 textmining combined_score\na b 9 0.5\nb c 9 2\n",
    "cytoscape.tsv": "Source\tTarget\tType\tDistance\na\tb\tpp\t0.5\nb\tc\tpp\t2\n",
    "r.csv": '"","from","to","length"\n"1","a","b",0.5\n"2","b","c",2\n',
    "nodes.csv": "node1,node2,value\na,b,0.5\nb,c,2\n",
    "swapped.csv": "to,from,value\nb,a,0.5\nc,b,2\n",
    "repeats.csv": "a,b,0.5\nb,c,2\na,b,0.5\na,b,5e-1\n",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_gives_the_same_network(put, name):
    network = io.read(put(name, LAYOUTS[name]))
    assert edges(network) == AB
    assert_canonical(network)
    assert network.matrix.dtype == np.float64
    assert network.names == ("a", "b", "c")


@pytest.mark.parametrize(
    "text", ["a b\nb a\n", "from\tto\na\tb\nb\ta\n", "source,target\na,b\nb,a\n"]
)
def test_two_columns_weigh_one(put, text):
    assert edges(io.read(put("edges.txt", text))) == {("a", "b"): 1.0, ("b", "a"): 1.0}


def test_integer_names_are_sorted_as_numbers(put):
    network = io.read(str(put("edges.txt", "10 9\n9 -3\n123456789012345678901 10\n")))
    assert network.names == ("-3", "9", "10", "123456789012345678901")
    assert edges(network) == {
        ("10", "9"): 1.0,
        ("9", "-3"): 1.0,
        ("123456789012345678901", "10"): 1.0,
    }
    assert_canonical(network)


@pytest.mark.parametrize("name", ["007", "1_0", "+1", "1.0", "x", "-0", "9" * 5000])
def test_other_names_are_kept_in_order_of_appearance(put, name):
    assert io.read(put("edges.txt", f"9 8\n{name} 9\n")).names == ("9", "8", name)


def test_names_above_integers_that_recur_are_names(put):
    assert io.read(put("edges.txt", "x y\n1 x\n")).names == ("x", "y", "1")


def test_quoted_names_keep_separators_comments_and_spaces(put):
    text = '"#a, ""b""",%c,1\n" d ",1\te,2\n'
    assert edges(io.read(put("edges.csv", text))) == {
        ('#a, "b"', "%c"): 1.0,
        (" d ", "1\te"): 2.0,
    }


def test_zero_weights_and_self_loops_are_stored(put):
    assert edges(io.read(put("edges.txt", "a a 3\na b 0\n"))) == {("a", "a"): 3.0, ("a", "b"): 0.0}


@pytest.mark.parametrize("name", ["a.mtx", "a.mtx.gz", "A.MTX", "banner-only.txt"])
def test_matrix_market_symmetric_is_expanded(put, name):
    network = io.read(put(name, BANNER + "real symmetric\n% by hand\n3 3 2\n2 1 0.5\n3 3 4\n"))
    assert edges(network) == {("1", "2"): 0.5, ("2", "1"): 0.5, ("3", "3"): 4.0}
    assert_canonical(network)


@pytest.mark.parametrize("end", ["", " ", "\t", "\n", "\n\n", "\r\n"])
def test_matrix_market_may_end_anyhow(put, end):
    """A blank at the end of a last line without newline makes `mmread` alone crash."""
    network = io.read(put("a.mtx", f"{BANNER}real general\n2 2 1\n1 2 0.5{end}"))
    assert edges(network) == {("1", "2"): 0.5}


@pytest.mark.parametrize(
    ("field", "dtype"), [("pattern", np.float64), ("real", np.float64), ("integer", np.int64)]
)
def test_matrix_market_fields(put, field, dtype):
    value = "" if field == "pattern" else " 1"
    text = f"{BANNER}{field} general\n3 3 3\n3 1{value}\n1 2{value}\n1 2{value}\n"
    network = io.read(put("a.mtx", text))
    assert edges(network) == {("3", "1"): 1, ("1", "2"): 1}  # counted as the file counts
    assert network.matrix.dtype == dtype


@pytest.mark.parametrize("n", [0, 4])
def test_matrix_market_without_entries(put, n):
    network = io.read(put("a.mtx", f"{BANNER}pattern general\n{n} {n} 0\n"))
    assert network.matrix.shape == (n, n)
    assert network.names == tuple("1234"[:n])


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("fmt", ["csr", "csc", "coo"])
@pytest.mark.parametrize(
    ("stored", "dtype"),
    [(np.float32, np.float64), (np.float64, np.float64), (np.int16, np.int16), (bool, bool)],
)
def test_npz(tmp_path, kind, fmt, stored, dtype):
    data, row, column = np.array([1, 0, 1, 1], stored), [2, 0, 0, 2], [0, 2, 1, 0]
    matrix = getattr(scipy.sparse, f"coo_{kind}")((data, (row, column)), shape=(3, 3))
    if fmt != "coo":
        matrix = matrix.asformat(fmt)
        matrix.data[:] = matrix.data.astype(bool)  # asformat() sums the repeated entry
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    network = io.read(tmp_path / "a.npz")
    assert edges(network) == {("2", "0"): 1, ("0", "2"): 0, ("0", "1"): 1}
    assert network.matrix.dtype == dtype
    assert_canonical(network)


def test_npz_with_unsorted_and_repeated_indices(tmp_path):
    matrix = scipy.sparse.csr_array(([1, 2, 1], [1, 0, 1], [0, 3, 3]), shape=(2, 2))
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    assert edges(io.read(tmp_path / "a.npz")) == {("0", "0"): 2, ("0", "1"): 1}


MALFORMED_TEXT = {
    "empty": ("", "1: no data; expected one edge a line"),
    "comments only": ("# a\n# b\n", "2: comments and no data; expected one edge a line, or comm"),
    "header only": ("from,to\n", "1: a header and no edge"),
    "one column": ("a\nb\n", "1: 1 columns ['a']; expected source, target"),
    "four columns": ("a b 1 2\n", "1: 4 columns ['a', 'b', '1', '2']; expected source, target"),
    "no ends": ("x,y,z,weight\n", "1: 4 columns ['x', 'y', 'z', 'weight']; expected"),
    "no ends by far": ("x,y,z,w\n", "from/to, source/target, protein1/protein2, node1/node2 and"),
    "ends elsewhere": ("x,y,z,w\n", "one of weight, score, combined_score, distance, length"),
    "two weights": ("from,to,weight,score\n", "1: columns ['weight', 'score'], more than one of"),
    "two ends": ("from,to,source,target,weight\n", "1: 5 columns"),
    "half a pair": ("from,target,x,weight\n", "1: 4 columns"),
    "short line": ("a,b,1,x,\n", "1: 4 columns"),
    "short line below": ("from to weight\na b 1\nb\n", "3: 1 columns; expected 3 as in the first"),
    "long line": ("a,b\n#\nb,c,1,4\n", "3: 4 columns; expected 2 as in the first line"),
    "no weight below": ("a b 1\n#\nb c\n", "3: weight ''; expected a number"),
    "no weight above": ("a b\nb c 1\n", "1: weight ''; expected a number"),
    "word": ("a b 1\nb c heavy\n", "2: weight 'heavy'; expected a number"),
    "unknown header": ("x y z\na b 1\n", "1: an unknown header ['x', 'y', 'z']; expected one pair"),
    "no number": ("a,b,1\nb,c,\n", "2: weight ''; expected a number"),
    "nan": ("a b 1\nb c nan\n", "2: weight nan; expected a finite number"),
    "infinite": ("a b 1\nc a 1\n\nb c -inf\n", "4: weight -inf; expected a finite number"),
    "overflow": ("a b 1e999\n", "1: weight inf; expected a finite number"),
    "empty name": ("a,b\n#\nb,\n", "3: an empty name; expected a name for both nodes"),
    "names above integers": ("x y\n1 2\n", "1: the names ['x', 'y'], which no other line has: a"),
    "contradiction": (
        "a b 1\nb a 3\n#\na b 2\n",
        "4: weight 2.0 for an edge that has weight 1.0 at ",
    ),
    "unpaired quote": ('a b\nb "c\nd e\n', "2: an unpaired quote; expected quoted fields that"),
    "text after quote": ('a b\n"b"x" c"\n', "2: ' ' expected after '\"'; expected fields quoted"),
    "latin-1": ("a b\n\xe9 b\n".encode("latin-1"), "2: the byte 0xe9, which is not UTF-8; expec"),
    "utf-16": ("a b\n".encode("utf-16-le"), "1: a NUL byte, as in binary files and UTF-16; expec"),
    "field too long": ("a b\n" + "c" * 200_000 + ' "d"\n', "2: field larger than field limit"),
}
# Cases that are refused because weights are asked for, and are read without a look at them.
OF_WEIGHTS = {
    *("two weights", "no weight below", "no weight above", "word", "no number", "nan"),
    *("infinite", "overflow", "contradiction"),
}


@pytest.mark.parametrize("name", ["edges.txt", "edges.csv.gz"])
@pytest.mark.parametrize("case", MALFORMED_TEXT)
def test_malformed_edge_list(put, name, case):
    content, message = MALFORMED_TEXT[case]
    path = put(name, content)
    asked = True if case in OF_WEIGHTS else None
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        io.read(path, weighted=asked)
    assert re.match(re.escape(str(path)) + r":\d+: .*; expected .", str(caught.value))


def test_contradiction_names_both_lines(put):
    path = put("edges.txt", "from to weight\na b 1\nb c 1\na b 2\n")
    with pytest.raises(ValueError, match=re.escape(f"{path}:4: weight 2.0")) as caught:
        io.read(path, weighted=True)
    assert f"weight 1.0 at {path}:2; expected one weight an edge" in str(caught.value)


MALFORMED_MATRIX_MARKET = {
    "empty": ("", ":1: Not a Matrix Market file. Missing banner; expected a Matrix Market file"),
    "banner": ("1 2\n", ":1: Not a Matrix Market file. Missing banner; expected"),
    "value": (BANNER + "real general\n2 2 1\n1 2 x\n", ":3: Invalid floating-point value; exp"),
    "integer": (BANNER + f"integer general\n2 2 1\n1 2 {10**30}\n", ":3: Integer out of range"),
    "nul": (BANNER + "real general\n2 2 1\n1 2 1\0\n", ": a NUL byte; expected a Matrix Market"),
    "latin-1": (BANNER.encode() + b"r\xe9al general\n", ": 'utf-8' codec can't decode byte"),
    "cut in a value": (BANNER + "real general\n2 2 2\n1 2 1.5 ", ": Truncated file."),
    "index": (BANNER + "pattern general\n2 2 1\n1 3\n", ":3: Column index out of bounds; exp"),
    "truncated": (BANNER + "pattern general\n2 2 2\n1 2\n", ": Truncated file."),
    "size": (BANNER + "pattern general\n2 2\n", ": Invalid integer value; expected"),
    "short array": (
        "%%MatrixMarket matrix array real general\n2 2\n1\n",
        ": Truncated file.",
    ),
    "not square": (BANNER + "pattern general\n2 3 1\n1 2\n", ": matrix of shape (2, 3); expected"),
    "complex": (BANNER + "complex general\n2 2 1\n1 2 1 1\n", ": matrix of dtype complex128; exp"),
    "nan": (BANNER + "real general\n2 2 1\n1 2 nan\n", ": entry [1, 2] counted from 1: weight nan"),
    "contradiction": (
        BANNER + "real general\n2 2 2\n1 2 1\n1 2 2\n",
        ": entry [1, 2] counted from 1: weight 2.0 for an edge that has weight 1.0 at ",
    ),
}


@pytest.mark.parametrize("case", MALFORMED_MATRIX_MARKET)
def test_malformed_matrix_market(put, case):
    content, message = MALFORMED_MATRIX_MARKET[case]
    path = put("a.mtx", content)
    with pytest.raises(ValueError, match=re.escape(f"{path}{message}")) as caught:
        io.read(path)
    assert "; expected " in str(caught.value)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (scipy.sparse.csr_array((2, 3)), "matrix of shape (2, 3); expected a square one"),
        (scipy.sparse.csr_array([[1j]]), "matrix of dtype complex128; expected real numbers"),
        (scipy.sparse.csc_array([[0, np.inf], [0, 0]]), "entry [0, 1] counted from 0: weight inf"),
        (scipy.sparse.bsr_array(np.eye(2)), "matrix in bsr format; save matrix.tocsr(); expected"),
        (scipy.sparse.dia_array(np.eye(2)), "matrix in dia format; save matrix.tocsr(); expected"),
    ],
)
def test_unsuitable_npz(tmp_path, matrix, message):
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, matrix)
    with pytest.raises(ValueError, match=re.escape(f"{path}: {message}")):
        io.read(path)


def test_npz_of_one_dimension(tmp_path):
    """SciPy before 1.15.3 cannot read it."""
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, scipy.sparse.coo_array(np.ones(3)))
    with pytest.raises(ValueError, match=r"; expected a (square one|matrix saved by)") as caught:
        io.read(path)
    assert str(caught.value).startswith(f"{path}: m")


@pytest.mark.parametrize("indices", [[0, 7], [0, -1]])
def test_npz_with_indices_out_of_bounds(tmp_path, indices):
    """Such a file would otherwise make compiled code read foreign memory."""
    matrix = scipy.sparse.csr_array(np.eye(2))
    matrix.indices[:] = indices
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, matrix)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + ".*; expected a matrix saved by"):
        io.read(path)


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b"junk", lambda b: b[: len(b) // 2]])
@pytest.mark.parametrize("name", ["a.npz", "a.mtx.gz", "a.csv.gz"])
def test_damaged_archive(tmp_path, name, damage):
    path = tmp_path / name
    if name == "a.npz":
        scipy.sparse.save_npz(path, scipy.sparse.csr_array(np.eye(9)))
    elif name == "a.mtx.gz":
        with gzip.open(path, "wb") as file:
            scipy.io.mmwrite(file, scipy.sparse.coo_array(np.eye(9)))
    else:
        path.write_bytes(gzip.compress(b"a,b\n" * 9))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".*; expected "):
        io.read(path)


def test_flipped_bit_in_a_compressed_edge_list(tmp_path):
    content = bytearray(gzip.compress("".join(f"a{i} b{i}\n" for i in range(999)).encode()))
    content[-6] ^= 1  # the checksum
    (tmp_path / "a.txt.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"CRC check failed.*; expected an intact gzip file"):
        io.read(tmp_path / "a.txt.gz")


def test_memory_error_is_not_reworded(put, monkeypatch):
    def exhausted(_, **options):
        raise MemoryError

    monkeypatch.setattr(scipy.io, "mmread", exhausted)
    with pytest.raises(MemoryError):
        io.read(put("a.mtx", BANNER))


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.npz", "a.csv.gz"])
def test_missing_file(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=re.escape(name)):
        io.read(tmp_path / name)


def test_folder(tmp_path):
    with pytest.raises(IsADirectoryError):
        io.read(tmp_path)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), min_size=1)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.filterwarnings("ignore:.*are two nodes, though one number")
def test_edge_list_round_trip(tmp_path, data):
    """Any names, any finite weights: what csv.writer wrote is what is read."""
    separator, suffix = data.draw(
        st.sampled_from([(",", ".csv"), ("\t", ".tsv"), (",", ".csv.gz"), ("\t", ".tsv.gz")])
    )
    weights = st.floats(allow_nan=False, allow_infinity=False)
    pairs = st.tuples(NAMES, NAMES)
    wanted = data.draw(st.dictionaries(pairs, weights, min_size=1, max_size=12), label="edges")
    path = tmp_path / f"edges{suffix}"
    with (gzip.open if suffix.endswith("gz") else open)(
        path, "wt", encoding="utf-8", newline=""
    ) as file:
        writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL)
        writer.writerow(["from", "to", "weight"])
        writer.writerows([*pair, weight] for pair, weight in wanted.items())
    network = io.read(path)
    assert edges(network) == wanted
    assert_canonical(network)
    assert set(network.names) == {name for pair in wanted for name in pair}
