"""Text of a file in any encoding, with any line ends: in blocks or whole."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from ..errors import InputError
from .columns import AmbiguousFile, remark
from .source import Source

SIZE = 1 << 22  # bytes of a block
LONGEST = 1 << 24  # bytes of a line: the cells of longer ones take more memory than any table needs
# Byte-order marks; that of UTF-32-LE begins with that of UTF-16-LE, and comes first.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Block(NamedTuple):
    r"""Complete lines in UTF-8, each ended by ``\n``, and the number of lines before them."""

    text: bytes
    before: int = 0

    def lines(self) -> list[str]:
        """Lines of the block as text."""
        return self.text.decode().split("\n")[:-1]

    def after(self, number: int) -> Block:
        """Block of the lines after a line, given by its number."""
        return Block(self.text.split(b"\n", number - self.before)[-1], number)


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
    """Lines of a file, in blocks of about `SIZE` bytes."""
    first = stream.read(SIZE)
    encoding = encoding_of(first, told)
    if encoding != "utf-8":
        try:
            stream = io.BytesIO((first + stream.read()).decode(encoding).encode())
        except UnicodeError as error:
            raise InputError(f"{name}: {error}; expected text in the encoding {encoding}") from None
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
            raise InputError(
                f"{name}:{number}: a line of {LONGEST >> 20} MiB or more; expected shorter ones: "
                "save a matrix as .npz or .mtx"
            )
        yield Block(text, before)
        n_lines = int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")))
        before, first = before + n_lines, stream.read(SIZE)


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
            raise InputError(f"{file.name}: {error}; expected text in {told}") from None
        text = content.decode("cp1252", "replace")
        remark(f"{file.name} is not UTF-8: read as Windows-1252; encoding= names another")
    text = text.removeprefix("\ufeff").rstrip("\x1a")  # end-of-file mark of DOS
    return text.replace("\r\n", "\n").replace("\r", "\n")


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and stripped text of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if line := line.strip(" \t\v\f"):
            yield number, line


def words(text: str, most: int = -1) -> list[str]:
    """Words of a line, after `most` splits the rest; only spaces of ASCII divide them."""
    if text.isascii():
        return text.split(None, most)
    return [word.decode() for word in text.encode().split(None, most)]


def is_whole(text: str) -> bool:
    """Whether a text is a nonnegative integer that an int64 can hold."""
    return text.isascii() and text.isdigit() and len(text) < 19
