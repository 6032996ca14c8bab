"""Sources of bytes: a path or an open file, decompressed, and the suffix that tells its format."""

import bz2
import contextlib
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
    """A compression of files: its name, what begins one, and how one is read and written."""

    name: str
    begins: bytes  # pattern of the first bytes
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
HEAD = 1024  # bytes that tell a format


class Source(NamedTuple):
    """A stream of bytes."""

    name: str  # for messages
    suffix: str  # ".csv" of "edges.csv.gz"
    stream: Any
    head: bytes  # the first bytes, which the stream gives out again


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
        head, again = _begun(stream, name)
        if file.suffix and stream.seekable():
            stream.seek(0)
        else:
            stream = again
        if kind not in (*COMPRESSIONS, ".npz", ".zip"):
            kind = ".zip" if head.startswith(ZIP) else kind
            begun = (k for k, one in COMPRESSIONS.items() if re.match(one.begins, head, re.DOTALL))
            kind = next(begun, kind)
        if kind not in (*COMPRESSIONS, ".zip"):
            yield Source(name, kind, stream, head)
            return
        with intact(name, kind):
            if kind == ".zip":
                yield _member(name, stream, stack)
            else:
                inner = file.with_suffix("") if file.suffix.lower() == kind else file
                head, stream = _begun(stack.enter_context(COMPRESSIONS[kind].read(stream)), name)
                yield Source(name, inner.suffix.lower(), stream, head)


def _begun(stream: Any, name: str) -> tuple[bytes, Any]:
    """The first bytes, and the stream from its beginning on.

    A pipe may give less at a time than it is asked for, and cannot be wound back.
    """
    block = stream.read(HEAD)
    if not isinstance(block, bytes):
        raise InputTypeError(f"{name} must be open in binary mode, got text: use open(path, 'rb')")
    head = block
    while len(head) < HEAD and (more := stream.read(HEAD - len(head))):
        head += more
    return head, io.BufferedReader(_Again(head, stream), 1 << 16)


class _Again(io.RawIOBase):
    """Head and rest of a stream, which stays open."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The head, and then what the stream has."""
        block = self._head[: len(buffer)] or self._stream.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(block)] = block
        return len(block)


def _member(name: str, stream: Any, stack: contextlib.ExitStack) -> Source:
    """The one file of an archive; what SciPy saves as npz is one of several arrays."""
    content = io.BytesIO(stream.read())
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
    head, file = _begun(stack.enter_context(archive.open(members[0])), name)
    return Source(name, Path(members[0]).suffix.lower(), file, head)


@contextlib.contextmanager
def intact(name: str, kind: str) -> Iterator[None]:
    """Turn what a decompressor raises into ValueError."""
    try:
        yield
    except (
        EOFError,
        zlib.error,
        lzma.LZMAError,
        zipfile.BadZipFile,
        OSError,
        RuntimeError,
    ) as error:
        of_the_system = isinstance(error, OSError) and error.errno is not None
        # A zip archive may be encrypted, or of an unknown method.
        if of_the_system or (isinstance(error, RuntimeError) and kind != ".zip"):
            raise
        form = COMPRESSIONS[kind].name if kind in COMPRESSIONS else "zip"
        raise InputError(f"{name}: {error}; expected an intact {form} file") from error
