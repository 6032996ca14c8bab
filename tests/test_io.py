"""Matrices that are read: of Matrix Market and of SciPy, in every type and layout."""

import gzip
import io as stdio
import re
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from graph_texts import BANNER, PACK, assert_canonical, edges, zipped

from sparsebc import io


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("fmt", ["csr", "csc", "coo"])
@pytest.mark.parametrize(
    ("stored", "dtype"),
    [(np.float32, np.float64), (np.float64, np.float64), (np.int16, np.int16), (bool, bool)],
)
def test_npz_files_are_read_in_every_type_and_layout(tmp_path, kind, fmt, stored, dtype):
    data, row, column = np.array([1, 0, 1, 1], stored), [2, 0, 0, 2], [0, 2, 1, 0]
    matrix = getattr(sp, f"coo_{kind}")((data, (row, column)), shape=(3, 3))
    if fmt != "coo":
        matrix = matrix.asformat(fmt)
        matrix.data[:] = matrix.data.astype(bool)  # asformat() sums the repeated entry
    sp.save_npz(tmp_path / "a.npz", matrix)
    network = io.read(tmp_path / "a.npz")
    assert edges(network) == {("2", "0"): 1, ("0", "2"): 0, ("0", "1"): 1}
    assert network.matrix.dtype == dtype
    assert_canonical(network)


def npz(values, dtype=float):
    """An npz file of a dense matrix."""
    sp.save_npz(buffer := stdio.BytesIO(), sp.csr_array(np.array(values, dtype)))
    return buffer.getvalue()


# Files with weights, and without.
WEIGHED = {
    "a.mtx": (f"{BANNER}integer general\n2 2 1\n1 2 5\n", f"{BANNER}pattern general\n2 2 1\n1 2\n"),
    "a.graph": ("2 1 1\n2 5\n1 5\n", "2 1\n2\n1\n"),
    "a.npz": (npz([[0, 5], [0, 0]], int), npz([[0, 5], [0, 0]], bool)),
    "a.gr": ("p sp 2 1\na 1 2 5\n",),
    "a.csv": (",a,b\na,0,5\nb,5,0\n",),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_weights_of_a_matrix_are_read_if_they_are_wanted(tmp_path, name):
    """They are left out if they are not wanted, and a file without is refused if they are."""
    path = tmp_path / name
    for content in WEIGHED[name]:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        assert {*edges(io.read(path, weighted=False)).values()} == {1}
        if content is WEIGHED[name][0]:
            assert {*edges(io.read(path, weighted=True)).values()} == {5}
        else:
            with pytest.raises(ValueError, match=rf"{name}: no weights; expected one for each ed"):
                io.read(path, weighted=True)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (sp.csr_array((2, 3)), r"matrix of shape \(2, 3\); expected a square one"),
        (sp.csr_array([[1j]]), "matrix of dtype complex128; expected real numbers"),
        (sp.csc_array([[0, np.inf], [0, 0]]), r"entry \[0, 1\] counted from 0: weight inf"),
        (sp.bsr_array(np.eye(2)), r"matrix in bsr format; save matrix.tocsr\(\); expected"),
        (sp.dia_array(np.eye(2)), r"matrix in dia format; save matrix.tocsr\(\); expected"),
        # SciPy before 1.15.3 cannot read one dimension.
        (sp.coo_array(np.ones(3)), "m.*; expected a (square one|matrix saved by)"),
    ],
)
def test_an_unsuitable_npz_file_is_refused(tmp_path, matrix, message):
    path = tmp_path / "a.npz"
    sp.save_npz(path, matrix)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + message):
        io.read(path)


TEXT = b"from,to,weight\na,b,0.5\nb,c,2\n"
MATRIX = b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 2\n"
WANT = [[0, 0.5, 0], [0, 0, 2], [0, 0, 0]]


COMPRESSIONS = {
    **{f".{suffix}": pack for suffix, pack in PACK.items()},
    ".zip": lambda content: zipped(content, "__MACOSX/x", "folder/", "folder/member.csv"),
}


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
@pytest.mark.parametrize(("name", "content"), [("edges.csv", TEXT), ("a.mtx", MATRIX)])
def test_a_compressed_file_is_known_by_its_suffix_or_first_bytes(tmp_path, suffix, name, content):
    """By its suffix; and by its first bytes, whatever it is called or where it comes from."""
    packed = COMPRESSIONS.get(suffix, bytes)(content)
    named, unnamed = tmp_path / f"{name}{suffix}", tmp_path / "network"
    for path in (named, unnamed):
        path.write_bytes(packed)
        np.testing.assert_array_equal(io.read(path).matrix.toarray(), WANT)
    with open(named, "rb") as file:
        np.testing.assert_array_equal(io.read(file).matrix.toarray(), WANT)
        assert not file.closed


class Drip(stdio.RawIOBase):
    """A pipe that gives a byte at a time."""

    def __init__(self, content):
        self.content = stdio.BytesIO(content)

    def readable(self):
        return True

    def read(self, size=-1):
        return self.content.read(1 if size > 0 else size)


SLOW = {
    "edges": TEXT,
    "mtx": MATRIX,
    "npz": npz(WANT),
    "gz": gzip.compress(TEXT),
    "short": b"a b 0.5\nb c 2",
}


@pytest.mark.parametrize("content", SLOW)
def test_a_slow_pipe_is_read(content):
    """Whose first read does not tell the format."""
    np.testing.assert_array_equal(io.read(Drip(SLOW[content])).matrix.toarray(), WANT)


def test_text_that_begins_as_an_archive_does_is_text(tmp_path):
    """Names may begin with BZh."""
    (tmp_path / "edges.txt").write_bytes(b"BZh9 b\nb c\n")
    assert io.read(tmp_path / "edges.txt").names == ("BZh9", "b", "c")


ONE = zipped(TEXT)
BROKEN = [
    ("a.npz", npz(WANT)[:99], "; expected "),
    ("a.csv.gz", gzip.compress(TEXT)[:-6] + bytes(6), "CRC check failed"),
    ("a.zip", zipped(TEXT, "a.csv", "b.csv"), ": an archive of 2 files ['a.csv', 'b.csv']"),
    ("a.zip", zipped(TEXT, "folder/"), ": an archive of 0 files []; expected one"),
    ("a.zip", ONE.replace(b"PK\3\4\x14\0\0", b"PK\3\4\x14\0\1").replace(
        b"\x14\3\x14\0\0", b"\x14\3\x14\0\1"), "expected an intact zip file"),  # a password
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), BROKEN, ids=range(len(BROKEN)))
def test_a_damaged_file_is_refused_by_name(tmp_path, name, content, message):
    """Archives of no file or of several as well."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".*" + re.escape(message)):
        io.read(path)


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.npz", "a.csv.gz"])
def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path, name):
    """Errors of the system; a folder is no file."""
    with pytest.raises(FileNotFoundError, match=re.escape(name)):
        io.read(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        io.read(tmp_path)


def test_open_files_are_read_in_binary_mode_and_named(tmp_path):
    """By messages; one that is begun is read on."""
    with pytest.raises(TypeError, match=r"must be open in binary mode.*'rb'"):
        io.read(stdio.StringIO("a b\n"))
    path = tmp_path / "edges.txt"
    path.write_text("a b\nb\n")
    with open(path, "rb") as file, pytest.raises(ValueError, match=re.escape(f"{path}:2: 1 col")):
        io.read(file)
    with pytest.raises(ValueError, match=r"^the file:2: 1 columns"):
        io.read(stdio.BytesIO(b"a b\nb\n"))
    path = path.with_suffix(".metis")
    path.write_text("2 1\n2\n1\n")
    with open(path, "rb") as file:  # a format that only its suffix tells
        assert io.read(file).names == ("1", "2")
    begun = stdio.BytesIO(b"x y\na b\nb c\n")
    begun.readline()
    assert io.read(begun).names == ("a", "b", "c")


@pytest.mark.parametrize("content", [b"\0a b\n", b"a b\n\xff\0", b"\xe9\0\n"])
def test_a_nul_byte_is_named_with_its_line(content):
    """They are named first, and wherever they are: such a file is no text."""
    with pytest.raises(ValueError, match=rf"file:{content.count(10, 0, -2) + 1}: a NUL byte"):
        io.read(stdio.BytesIO(content))


@pytest.mark.parametrize("name", ["a.npz", "a.mtx", "a.zip", "a.csv", "a.gml", "b.npz", "b.zip"])
def test_a_sparse_file_is_refused_by_name(tmp_path, name):
    """Of a terabyte no more than its first megabytes is read."""
    with open(tmp_path / name, "wb") as file:
        file.write(b"PK\3\4" if name[0] == "b" else b"")
        file.truncate(1 << 40)  # beyond any memory
    tracemalloc.start()
    with pytest.raises(ValueError, match=name):
        io.read(tmp_path / name)
    assert tracemalloc.get_traced_memory()[1] < 1 << 27
    tracemalloc.stop()
