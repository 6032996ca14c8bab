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
