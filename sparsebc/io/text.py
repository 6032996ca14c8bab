"""Text as UTF-8, in blocks of whole lines, whatever encoding and ends of lines a file has."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from ..errors import InputError
from .columns import AmbiguousFile

SIZE = 1 << 22  # bytes of a block
# What a file begins with in these encodings; the longer marks first.
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Block(NamedTuple):
    r"""Whole lines, each ended by ``\n``."""

    text: bytes  # UTF-8
    before: int  # number of lines before it
    lines: int

    def decoded(self) -> list[str]:
        """The lines."""
        return self.text.decode().split("\n")[:-1]


def blocks(name: str, stream: IO[bytes], encoding: str | None) -> Iterator[Block]:
    """Lines of a file; `encoding` is by default what its first bytes tell, else UTF-8."""
    first = stream.read(SIZE)
    mark = next((mark for mark in MARKS if first.startswith(mark)), None)
    encoding = _checked(encoding) if encoding else MARKS[mark] if mark else "utf-8"
    if encoding in ("utf-8", "utf-8-sig"):
        first = first.removeprefix(codecs.BOM_UTF8)
    else:
        stream, first = io.BytesIO(_recoded(name, first + stream.read(), encoding)), b""
    before = 0
    while True:
        text = b"".join((first, stream.read(SIZE), stream.readline()))
        first = b""
        if not text:
            return
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not text.endswith(b"\n"):
            text += b"\n"
        _check(name, text, before)
        lines = int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")))
        yield Block(text, before, lines)
        before += lines


def _checked(encoding: str) -> str:
    """Name of an encoding as Python has it."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise InputError(
            f"encoding must be one that Python knows, as 'utf-8', 'cp1252' or 'latin-1', got "
            f"{encoding!r}"
        ) from None


def _recoded(name: str, text: bytes, encoding: str) -> bytes:
    """Text of another encoding as UTF-8."""
    try:
        return text.decode(encoding).removeprefix("\ufeff").encode()
    except (UnicodeError, LookupError) as error:  # LookupError: a codec that is none of text
        raise InputError(f"{name}: {error}; expected text in the encoding {encoding}") from None


def _check(name: str, text: bytes, before: int) -> None:
    """Refuse what is no UTF-8 text."""
    if b"\0" in text:
        line = before + 1 + text.count(b"\n", 0, text.index(b"\0"))
        raise AmbiguousFile(
            f"{name}:{line}: a NUL byte, as in binary files and UTF-16; expected text", "encoding"
        )
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError as error:
        line = before + 1 + text.count(b"\n", 0, error.start)
        raise AmbiguousFile(
            f"{name}:{line}: the byte {text[error.start]:#04x}, which is not UTF-8; expected UTF-8",
            "encoding",
        ) from None
