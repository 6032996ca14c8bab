"""What is read from: archives of every kind, told by suffix or first bytes, and open files."""

import bz2
import gzip
import io as stdio
import lzma
import os
import re
import threading
import zipfile

import numpy as np
import pytest
import scipy.sparse

from sparsebc import io

TEXT = b"from,to,weight\na,b,0.5\nb,c,2\n"
MATRIX = b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 2\n"
WANT = [[0, 0.5, 0], [0, 0, 2], [0, 0, 0]]


def zipped(content, *names):
    """Archive of files of equal content."""
    buffer = stdio.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return buffer.getvalue()


def npz():
    buffer = stdio.BytesIO()
    scipy.sparse.save_npz(buffer, scipy.sparse.csr_array(WANT))
    return buffer.getvalue()


COMPRESSIONS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda content: zipped(content, "__MACOSX/x", "folder/", "folder/member.csv"),
}


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
@pytest.mark.parametrize(("name", "content"), [("edges.csv", TEXT), ("a.mtx", MATRIX)])
def test_compressed(tmp_path, suffix, name, content):
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
    "npz": npz(),
    "gz": gzip.compress(TEXT),
    "short": b"a b 0.5\nb c 2",
}


@pytest.mark.parametrize("content", SLOW)
def test_a_slow_pipe(content):
    """Whose first read does not tell the format."""
    np.testing.assert_array_equal(io.read(Drip(SLOW[content])).matrix.toarray(), WANT)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe(tmp_path):
    pipe = tmp_path / "edges.csv.gz"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(TEXT)), daemon=True)
    writer.start()
    assert io.read(pipe).names == ("a", "b", "c")
    writer.join(timeout=10)


def test_text_that_begins_as_an_archive_does(tmp_path):
    """Names may begin with BZh."""
    (tmp_path / "edges.txt").write_bytes(b"BZh9 b\nb c\n")
    assert io.read(tmp_path / "edges.txt").names == ("BZh9", "b", "c")


def flipped(content):
    """A bit of the checksum at the end is another one."""
    return content[:-6] + bytes([content[-6] ^ 1]) + content[-5:]


PACKED = {f"a.csv{suffix}": pack(TEXT * 99) for suffix, pack in COMPRESSIONS.items()}
PACKED |= {"a.mtx.gz": gzip.compress(MATRIX), "a.npz": npz()}
INTACT = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip"}
BROKEN = [
    *((f"a.csv{s}", damage(PACKED[f"a.csv{s}"]), f"expected an intact {INTACT[s]} file")
      for s in INTACT for damage in (lambda b: b[: len(b) // 2], lambda b: b"junk")),
    *((name, damage(PACKED[name]), "; expected ") for name in ("a.npz", "a.mtx.gz")
      for damage in (lambda b: b"", lambda b: b"junk", lambda b: b[: len(b) // 2])),
    ("a.csv.gz", b"", "; expected "),
    ("a.csv.gz", flipped(PACKED["a.csv.gz"]), "CRC check failed"),
    ("a.zip", zipped(TEXT, "a.csv", "b.csv"), ": an archive of 2 files ['a.csv', 'b.csv']"),
    ("a.zip", zipped(TEXT), ": an archive of 0 files []; expected one"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), BROKEN, ids=range(len(BROKEN)))
def test_what_is_damaged(tmp_path, name, content, message):
    """Archives of no file or of several as well."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".*" + re.escape(message)):
        io.read(path)


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.npz", "a.csv.gz"])
def test_what_is_not_there(tmp_path, name):
    """Errors of the system; a folder is no file."""
    with pytest.raises(FileNotFoundError, match=re.escape(name)):
        io.read(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        io.read(tmp_path)


def test_open_files(tmp_path):
    """Are read in binary mode, and named by messages."""
    with pytest.raises(TypeError, match=r"must be open in binary mode.*'rb'"):
        io.read(stdio.StringIO("a b\n"))
    path = tmp_path / "edges.txt"
    path.write_text("a b\nb\n")
    with open(path, "rb") as file, pytest.raises(ValueError, match=re.escape(f"{path}:2: 1 col")):
        io.read(file)
    with pytest.raises(ValueError, match=r"^the file:2: 1 columns"):
        io.read(stdio.BytesIO(b"a b\nb\n"))
