"""Input streams: a path or an open file, decompressed, and the suffix that names its format."""

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import InputError, InputTypeError


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


class Source(NamedTuple):
    """An input stream, decompressed."""

    name: str  # for messages
    suffix: str  # ".csv" of "edges.csv.gz"
    stream: Any
    head: bytes  # the first bytes, which the stream yields again


@contextlib.contextmanager
def opened(path_or_file: str | os.PathLike[str] | IO[bytes]) -> Iterator[Source]:
    """Source of a path, or of an open binary file, which stays open."""
    with contextlib.ExitStack() as stack:
        if isinstance(path_or_file, (str, os.PathLike)):
            name, file = os.fspath(path_or_file), Path(path_or_file)
            stream: Any = stack.enter_context(open(path_or_file, "rb"))
        elif not hasattr(path_or_file, "read"):
            raise InputTypeError(
                f"path_or_file must be a path or an open file, got {type(path_or_file).__name__}: "
                "sparsebc.frames.read takes a table of edges"
            )
        else:
            label, stream = getattr(path_or_file, "name", None), path_or_file
            name = "standard input" if label in ("<stdin>", 0) else str(label or "the file")
            file = Path()
        kind = file.suffix.lower()
        head, again = _head_of(stream, name)
        if file.suffix and stream.seekable():
            stream.seek(0)
        else:
            stream = again
        if kind not in (*COMPRESSIONS, ".npz", ".zip"):
            kind = ".zip" if head.startswith(ZIP) else kind
            begun = (k for k, c in COMPRESSIONS.items() if re.match(c.signature, head, re.DOTALL))
            kind = next(begun, kind)
        if kind not in (*COMPRESSIONS, ".zip"):
            yield Source(name, kind, stream, head)
            return
        with intact(name, kind):
            if kind == ".zip":
                if not head.startswith(ZIP[:2]):
                    raise zipfile.BadZipFile("File is not a zip file")
                yield _member(name, _seekable(name, stream), stack)
            else:
                inner = file.with_suffix("") if file.suffix.lower() == kind else file
                head, stream = _head_of(stack.enter_context(COMPRESSIONS[kind].read(stream)), name)
                yield Source(name, inner.suffix.lower(), stream, head)


def _head_of(stream: Any, name: str) -> tuple[bytes, Any]:
    """First bytes of a stream, and the stream with these bytes put back.

    A pipe may return less than it is asked for, and cannot seek.
    """
    block = stream.read(HEAD)
    if not isinstance(block, bytes):
        raise InputTypeError(f"{name} must be open in binary mode, got text: use open(path, 'rb')")
    head = block
    while more := stream.read(HEAD - len(head)):
        head += more
    return head, io.BufferedReader(_PutBack(head, stream), 1 << 16)


class _PutBack(io.RawIOBase):
    """A stream with its head put back; closing it leaves the stream open."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read from the head, then from the stream."""
        block = self._head[: len(buffer)] or self._stream.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(block)] = block
        return len(block)


def _seekable(name: str, stream: Any) -> Any:
    """The stream, in memory if it cannot seek."""
    try:
        return stream if stream.seekable() else io.BytesIO(stream.read())
    except MemoryError as error:
        raise MemoryError(f"{name}: an archive that memory does not hold") from error


def _member(name: str, content: Any, stack: contextlib.ExitStack) -> Source:
    """The only file of a zip archive; an npz file of SciPy is returned as a whole."""
    archive = stack.enter_context(zipfile.ZipFile(content))
    members = [
        member.filename
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    if "format.npy" in members:
        content.seek(0)
        return Source(name, ".npz", content, ZIP)
    if "[Content_Types].xml" in members:
        raise InputError(f"{name}: a spreadsheet or document; expected a network: save it as csv")
    if len(members) != 1:
        raise InputError(
            f"{name}: an archive of {len(members)} files {members[:3]}; expected one: unpack it"
        )
    head, file = _head_of(stack.enter_context(archive.open(members[0])), name)
    return Source(name, Path(members[0]).suffix.lower(), file, head)


@contextlib.contextmanager
def _archived(kind: str) -> Iterator[None]:
    """Turn the ValueError of zipfile, for a place before the beginning, into BadZipFile."""
    try:
        yield
    except ValueError as error:
        if kind == ".zip" and type(error) is ValueError and "seek" in str(error):
            raise zipfile.BadZipFile(str(error)) from error
        raise


@contextlib.contextmanager
def intact(name: str, kind: str) -> Iterator[None]:
    """Turn the errors of a decompressor into InputError."""
    try:
        with _archived(kind):
            yield
    except (
        EOFError,
        zlib.error,
        lzma.LZMAError,
        zipfile.BadZipFile,
        OSError,
        RuntimeError,
    ) as error:
        # EINVAL: a place before the beginning of a file.
        of_the_system = isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)
        # RuntimeError: an encrypted zip archive, or an unknown method of compression.
        if of_the_system or (isinstance(error, RuntimeError) and kind != ".zip"):
            raise
        form = COMPRESSIONS[kind].name if kind in COMPRESSIONS else "zip"
        raise InputError(f"{name}: {error}; expected an intact {form} file") from error
