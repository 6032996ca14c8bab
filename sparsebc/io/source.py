"""Input: a path or an open file, decompressed, the suffix that names its format, and its text."""

from __future__ import annotations

import bz2
import codecs
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from ..errors import InputError, InputTypeError, SparsebcError
from ..plain_text import quoted
from .remarks import AmbiguousFile, fault, remark


class Compression(NamedTuple):
    """A compression of files: its name, signature, and functions that read and write a file."""

    name: str
    signature: bytes  # pattern of the first bytes
    read: Callable[[Any], Any]
    write: Callable[[Any, str], Any]  # to a file of this name


COMPRESSIONS = {
    # No time stamp: equal scores give equal bytes.
    ".gz": Compression("gzip", rb"\x1f\x8b\x08", gzip.open,
                       lambda file, name: gzip.GzipFile(name, "wb", fileobj=file, mtime=0)),
    # Text may begin with BZh as well, and a digit after it.
    ".bz2": Compression("bzip2", rb"BZh.1AY&SY", bz2.open, lambda file, _: bz2.open(file, "wb")),
    ".xz": Compression("xz", rb"\xfd7zXZ\x00", lzma.open, lambda file, _: lzma.open(file, "wb")),
}  # fmt: skip
ZIP = b"PK\x03\x04"
HEAD = 1024  # first bytes, by which a format is recognized
# A file may expand to so many bytes, or so many times its size: numbers as text, to some ten times.
EXPANDED, RATIO = 1 << 26, 100


class Source(NamedTuple):
    """An input stream, decompressed."""

    name: str  # for messages
    suffix: str  # ".csv" of "edges.csv.gz"
    stream: Any
    head: bytes  # the first bytes, which the stream yields again


@contextlib.contextmanager
def opened(path_or_file: str | os.PathLike[str] | IO[bytes]) -> Iterator[Source]:
    """Source of a path, or of an open binary file, which stays open."""
    stream: Any = path_or_file
    with contextlib.ExitStack() as stack:
        if isinstance(path_or_file, (str, os.PathLike)):
            name, path = os.fspath(path_or_file), Path(path_or_file)
            stream = stack.enter_context(open(path_or_file, "rb"))
        elif hasattr(stream, "read"):
            label = getattr(stream, "name", None)
            name = "standard input" if label in ("<stdin>", 0) else str(label or "the file")
            is_unpacked = isinstance(stream, (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile))
            path = Path(name).with_suffix("") if is_unpacked else Path(name)
        else:
            raise InputTypeError(
                f"path_or_file must be a path or an open file, got {type(stream).__name__}: "
                "sparsebc.frames.read takes a table of edges"
            )
        try:
            yield _source(name, path, stream, stack)
        except MemoryError as error:  # errors that name no file get its name
            if str(error).startswith(name):
                raise
            found = error if error.args else "its content takes more memory than there is"
            raise MemoryError(f"{name}: {found}") from error
        except OSError as error:
            if error.errno is not None and error.filename is None:
                error.filename = name
            raise


def _source(
    name: str, path: Path, stream: Any, stack: contextlib.ExitStack, packed: Any = None
) -> Source:
    """Source of a stream, or of a decompressor, which made it of ``packed()`` bytes so far."""
    counted = _Counted(name, stream, packed)
    again: Any = io.BufferedReader(counted, 1 << 16)
    head, kind = again.peek()[:HEAD], path.suffix.lower()
    if packed:
        return Source(name, kind, again, head)
    if kind not in (*COMPRESSIONS, ".npz", ".zip"):  # first bytes go before other suffixes
        begun = (k for k, c in COMPRESSIONS.items() if re.match(c.signature, head, re.DOTALL))
        kind = ".zip" if head.startswith(ZIP) else next(begun, kind)
    if kind in (".npz", ".zip"):  # whose parts are found from the end
        if getattr(stream, "seekable", bool)():
            stream.seek(-counted.count, os.SEEK_CUR)
            again = stream
        else:
            again = io.BytesIO(again.read())
    if kind in (".zip", *COMPRESSIONS):
        stack.enter_context(intact(name, kind))
        if kind == ".zip":
            return _member(name, again, head, stack)
        inner = path.with_suffix("") if path.suffix.lower() == kind else path
        unpacked = stack.enter_context(COMPRESSIONS[kind].read(again))
        return _source(name, inner, unpacked, stack, lambda: counted.count)
    return Source(name, kind, again, head)


class _Counted(io.RawIOBase):
    """The bytes of a stream, counted; closing it leaves the stream open."""

    def __init__(self, name: str, stream: Any, packed: Callable[[], int] | None) -> None:
        self._name, self._stream, self._packed = name, stream, packed
        self.count = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; a pipe may return less than it is asked for."""
        size = 0
        while size < len(buffer) and (block := self._stream.read(len(buffer) - size)):
            if not isinstance(block, bytes):
                found = f"{self._name} must be open in binary mode, got text"
                raise InputTypeError(f"{found}: use open(path, 'rb')")
            buffer[size : size + len(block)] = block
            size += len(block)
        self.count += size
        if self._packed and self.count > max(EXPANDED, RATIO * self._packed()):
            found = f"{self._packed()} bytes expand to more than {self.count >> 20} MiB"
            expected = f"{RATIO} times their size at most: unpack the file if it is sound"
            raise fault(self._name, found, expected)
        return size


def _member(name: str, content: Any, head: bytes, stack: contextlib.ExitStack) -> Source:
    """The only file of a zip archive; an npz file of SciPy is returned as a whole."""
    if not head.startswith(ZIP[:2]):
        raise BadZipFile("File is not a zip file")
    begin = content.tell()
    archive = stack.enter_context(ZipFile(content))
    members = [
        member.filename
        for member in archive.infolist()
        if not member.filename.endswith("/") and not member.filename.startswith("__MACOSX/")
    ]
    if "format.npy" in members:
        content.seek(begin)
        return Source(name, ".npz", content, ZIP)
    if "[Content_Types].xml" in members:
        raise fault(name, "a spreadsheet or document", "a network: save it as csv")
    if len(members) != 1:
        found = f"an archive of {len(members)} files {quoted(members[:3])}"
        raise fault(name, found, "one: unpack it")
    size = content.seek(0, os.SEEK_END)
    member = stack.enter_context(archive.open(members[0]))
    return _source(name, Path(members[0]), member, stack, lambda: size)


@contextlib.contextmanager
def intact(name: str, kind: str) -> Iterator[None]:
    """Turn the errors of a decompressor into InputError."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError):  # a place before the beginning is EINVAL
            is_damage = error.errno in (None, errno.EINVAL)
        elif isinstance(error, RuntimeError):  # encrypted, or of an unknown method
            is_damage = kind == ".zip" and not isinstance(error, SparsebcError)
        elif kind == ".zip" and type(error) in (ValueError, UnicodeDecodeError):
            # A place before the beginning, or a name that is not UTF-8.
            is_damage = "seek" in str(error) or isinstance(error, UnicodeError)
        else:
            is_damage = isinstance(error, (EOFError, zlib.error, lzma.LZMAError, BadZipFile))
        if not is_damage:
            raise  # an error of the system
        form = COMPRESSIONS[kind].name if kind in COMPRESSIONS else "zip"
        found = "a place before its beginning" if getattr(error, "errno", None) else error
        raise fault(name, str(found), f"an intact {form} file") from error


Block = tuple[bytes, int]  # complete lines, and the number of lines before them
SIZE = 1 << 22  # bytes of a block
LONGEST = 1 << 24  # bytes of a line: the cells of longer ones take more memory than any table needs
# Byte-order marks; that of UTF-32-LE begins with that of UTF-16-LE, and comes first.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def encoding_of(first: bytes, told: str | None) -> str:
    """Encoding of a file: the one `told`, else that of a byte-order mark, else UTF-8."""
    try:
        known = next((name for mark, name in MARKS.items() if first.startswith(mark)), "utf-8")
        "".encode(told or known)  # LookupError also for a codec that is not of text
        return codecs.lookup(told or known).name
    except LookupError:
        raise InputError(
            "encoding must be one of Python's encodings of text, as 'utf-8', 'cp1252' or "
            f"'latin-1', got {told!r}"
        ) from None


def blocks(name: str, stream: IO[bytes], told: str | None) -> Iterator[Block]:
    r"""Lines of a file in UTF-8, each ended by ``\n``, in blocks of about `SIZE` bytes."""
    first = stream.read(SIZE)
    encoding = encoding_of(first, told)
    if encoding != "utf-8":
        try:
            stream = io.BytesIO((first + stream.read()).decode(encoding).encode())
        except UnicodeError as error:
            raise fault(name, str(error), f"text in the encoding {encoding}") from None
        first = stream.read(SIZE)
    before, first = 0, first.removeprefix(codecs.BOM_UTF8)
    while text := first + (line := stream.readline(LONGEST)):
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not text.endswith(b"\n"):
            text += b"\n"
        _check(name, text, before)
        if len(line) == LONGEST:
            number = before + text.count(b"\n")
            found = f"a line of {LONGEST >> 20} MiB or more"
            expected = "shorter ones: save a matrix as .npz or .mtx"
            raise fault(f"{name}:{number}", found, expected)
        yield text, before
        n_lines = int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")))
        before, first = before + n_lines, stream.read(SIZE)


def lines_of(text: bytes) -> list[str]:
    """Lines of a block as text."""
    return text.decode().split("\n")[:-1]


def _check(name: str, text: bytes, before: int) -> None:
    """Refuse bytes that are not UTF-8 text: raise AmbiguousFile with the line."""
    at, found = text.find(b"\0"), "a NUL byte, as in binary files and UTF-16; expected text"
    if at < 0 and not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            at = error.start
            found = f"the byte {text[at]:#04x}, which is not UTF-8; expected UTF-8"
    if at >= 0:
        line = before + 1 + text.count(b"\n", 0, at)
        raise AmbiguousFile(f"{name}:{line}: {found}", "encoding")


def whole(file: Source, told: str | None) -> str:
    """Text of a graph file; Windows-1252 if it is not UTF-8 and no encoding is `told`."""
    content = file.stream.read(SIZE)
    encoding = encoding_of(content, told)
    if encoding == "utf-8" and b"\0" in content:  # before the rest of a sparse file is read
        _check(file.name, content, 0)
    content += file.stream.read()
    if encoding == "utf-8" and b"\0" in content:
        _check(file.name, content, 0)
    try:
        text: str = content.decode(encoding)
    except UnicodeError as error:
        if told:
            raise fault(file.name, str(error), f"text in {told}") from None
        text = content.decode("cp1252", "replace")
        remark(f"{file.name} is not UTF-8: read as Windows-1252; for another, give", "encoding")
    text = text.removeprefix("\ufeff").rstrip("\x1a")  # end-of-file mark of DOS
    return text.replace("\r\n", "\n").replace("\r", "\n")


SPACES = re.compile("[ \t\v\f]+")  # between the words of a line; others are parts of names


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and stripped text of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if line := line.strip(" \t\v\f"):
            yield number, line


def is_whole(text: str) -> bool:
    """Whether a text is a nonnegative integer that an int64 can hold."""
    return text.isascii() and text.isdigit() and len(text) < 19
