"""Blocks of lines of an edge list, parsed by PyArrow where it is there and the lines are plain."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Layout
from .numbering import Column, Register, Texts
from .text_table import TextTable, has_empty

SIZE = 1 << 22  # bytes of a block
LEAST = 1 << 20  # bytes that are worth importing PyArrow for
_END = re.compile(rb"\r\n?|\n")
_INTEGERS = b"0123456789+-.eE\n"
_BOM = b"\xef\xbb\xbf"


class Blocks:
    r"""Lines of a stream, one at a time and then many: whatever ends them, ``\n`` does here."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""
        self.lines = 0  # number of lines given out

    def line(self) -> bytes | None:
        """The next line, without its end; None after the last."""
        raw = self._rest or self._stream.readline()
        if not raw:
            return None
        end = _END.search(raw)
        at, self._rest = (end.start(), raw[end.end() :]) if end else (len(raw), b"")
        self.lines += 1
        return raw[:at].removeprefix(_BOM) if self.lines == 1 else raw[:at]

    def block(self) -> bytes:
        """The next whole lines; none after the last."""
        raw = b"".join((self._rest, self._stream.read(SIZE), self._stream.readline()))
        self._rest = b""
        if b"\r" in raw:
            raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if raw and not raw.endswith(b"\n"):
            raw += b"\n"
        self.lines += int(np.count_nonzero(np.frombuffer(raw, dtype=np.uint8) == ord("\n")))
        return raw


class Edges(NamedTuple):
    """The edges of a block."""

    source: Column
    target: Column
    weight: NDArray[np.float64] | None
    lines: Sequence[int]  # the number of the line of each


def register_for(block: bytes) -> TextTable | None:
    """Register of an edge list with this first block; None where `parse` is of no use."""
    if len(block) < LEAST or importlib.util.find_spec("pyarrow") is None:
        return None
    return TextTable()


def parse(
    block: bytes, numbers: range, separator: str, width: int, layout: Layout, register: Register
) -> Edges | None:
    """Edges of a block, whose lines have these numbers; None where they may be more than plain.

    Plain is an edge a line, of fields without quotes and without spaces that do not count. Others,
    and those in which PyArrow finds a fault, are to be read one by one: that takes more kinds of
    fields, and has words for what is wrong.
    """
    import pyarrow
    from pyarrow import csv

    mark, names = separator.encode(), list(map(str, range(width)))
    wanted = [names[k] for k in layout[:3] if k is not None]
    # Between spaces, those that do not count make an empty field, which is found below if wanted.
    spaces = b" " in block and (separator != " " or len(wanted) < width)
    if b'"' in block or _has_comments(block) or len(set(wanted)) < len(wanted):
        return None
    if not _is_text(block) or (spaces and _has_spaces(block, mark)):
        return None
    texts = pyarrow.string()
    for kind in [pyarrow.int64(), texts] if _plain_integers(block, mark) else [texts]:
        types = dict(zip(wanted, (kind, kind, pyarrow.float64()), strict=False))
        try:
            table = csv.read_csv(
                pyarrow.py_buffer(block),
                csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
                csv.ParseOptions(delimiter=separator, quote_char=False),
                csv.ConvertOptions(column_types=types, include_columns=wanted, null_values=[]),
            )
        except pyarrow.ArrowInvalid:
            continue
        if len(table) < len(numbers):  # empty lines were passed over
            return None
        columns = [column.combine_chunks() for column in table.columns]
        weight = None if layout.weight is None else columns.pop().to_numpy()
        if kind is not texts:
            return Edges(_narrow(columns[0]), _narrow(columns[1]), weight, numbers)
        if any(map(has_empty, columns)):
            return None
        tails, heads = register.pairs(*columns)
        return Edges(Texts(tails, register), Texts(heads, register), weight, numbers)
    return None


def _has_comments(block: bytes) -> bool:
    return any(
        mark in block and (block.startswith(mark) or b"\n" + mark in block) for mark in (b"#", b"%")
    )


def _has_spaces(block: bytes, mark: bytes) -> bool:
    """Whether spaces begin a field or end a line, where they do not count."""
    text = np.frombuffer(b"\n" + block, dtype=np.uint8)
    space, end = text == ord(" "), text == ord("\n")
    before_field = end | space | (text == ord(mark))
    return bool((before_field[:-1] & space[1:]).any() or (space[:-1] & end[1:]).any())


def _is_text(block: bytes) -> bool:
    """Whether a block is UTF-8."""
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _plain_integers(block: bytes, mark: bytes) -> bool:
    """Whether fields look like numbers, and those that are integers are written in one way only.

    That is without zeros before other digits: 007 and 7 are two names, and so are -0 and 0.
    """
    others = _INTEGERS + mark
    if block[:80].translate(None, others) or block.translate(None, others):
        return False
    text = np.frombuffer(b"\n\n" + block, dtype=np.uint8)
    # A zero that begins a field, after its sign if there is one, or the exponent of another.
    zeros = np.flatnonzero((text[2:-1] == ord("0")) & (text[1:-2] < ord("."))) + 2
    after, signed = text[zeros + 1], text[zeros - 1] == ord("-")
    own = text[zeros - 2] < ord(".")
    digit = (after >= ord("0")) & (after <= ord("9"))
    return not np.where(signed, own & (after != ord(".")), digit).any()


def _narrow(column: Any) -> NDArray[Any]:
    """Integers, of 32 bits where that is enough."""
    values: NDArray[Any] = column.to_numpy()
    bound = np.iinfo(np.int32)
    fits = values.size and bound.min <= values.min() and values.max() <= bound.max
    return values.astype(np.int32) if fits else values
