"""Sources of bytes: a path or an open file, decompressed, and the suffix that tells its format."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import InputError, InputTypeError

# How to open what has these suffixes, or begins with these bytes.
OPENERS: dict[str, tuple[bytes, Callable[[Any], Any]]] = {
    ".gz": (b"\x1f\x8b\x08", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\0", lzma.open),
}
NAMES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip"}
BZ2_BLOCK = b"1AY&SY"  # after the digit of the size; text may begin with BZh as well
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
        if kind not in (*OPENERS, ".npz", ".zip"):
            kind = next((k for k in (*OPENERS, ".zip") if _begins(head, k)), kind)
        if kind not in (*OPENERS, ".zip"):
            yield Source(name, kind, stream, head)
            return
        with intact(name, kind):
            if kind == ".zip":
                yield _member(name, stream, stack)
            else:
                inner = file.with_suffix("") if file.suffix.lower() == kind else file
                head, stream = _begun(stack.enter_context(OPENERS[kind][1](stream)), name)
                yield Source(name, inner.suffix.lower(), stream, head)


def _begins(head: bytes, kind: str) -> bool:
    """Whether these are the first bytes of a file compressed so."""
    magic = OPENERS[kind][0] if kind in OPENERS else ZIP
    return head.startswith(magic) and (kind != ".bz2" or head[4:10] == BZ2_BLOCK)


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
        raise InputError(f"{name}: {error}; expected an intact {NAMES[kind]} file") from error
