"""Edges of a block of plain lines, parsed by PyArrow."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .dialect import Dialect
from .layout import Layout
from .numbering import Column, Register, Texts
from .text import Block

LEAST = 1 << 20  # bytes of a file that are worth importing PyArrow for
_INTEGERS = b"0123456789+-.eE\n"


class Edges(NamedTuple):
    """The edges of a block."""

    source: Column
    target: Column
    weight: NDArray[np.float64] | None
    lines: Sequence[int]  # the number of the line of each


def is_worth(block: Block, found: Dialect, layout: Layout) -> bool:
    """Whether `parse` is of use for a file with this first block."""
    plain = found.keys is None and layout.direction is None
    return plain and len(block.text) >= LEAST and importlib.util.find_spec("pyarrow") is not None


def parse(block: Block, found: Dialect, layout: Layout, register: Register) -> Edges | None:
    """Edges of a block; None where its lines may be more than plain.

    Plain is an edge a line, of fields without quotes and without spaces that do not count. Others,
    and those in which PyArrow finds a fault, are to be read one by one: that takes more kinds of
    fields, and has words for what is wrong.
    """
    import pyarrow
    from pyarrow import csv

    text, mark = block.text, found.separator.encode()
    names = list(map(str, range(layout.width)))
    places = [k for k in (layout.source, layout.target, layout.weight) if k is not None]
    if len(set(places)) < len(places) or b'"' in text or _has_comments(text, found.marks):
        return None
    # Between spaces, those that do not count make an empty field, which is found below if wanted.
    spaces = b" " in text and (mark != b" " or len(places) < layout.width)
    if (spaces and _has_spaces(text, mark)) or (mark == b" " and b"\t" in text):
        return None
    texts, wanted = pyarrow.string(), [names[k] for k in places]
    for kind in [pyarrow.int64(), texts] if _plain_integers(text, mark) else [texts]:
        types = dict(zip(wanted, (kind, kind, pyarrow.float64()), strict=False))
        try:
            table = csv.read_csv(
                pyarrow.py_buffer(text),
                csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=names),
                csv.ParseOptions(delimiter=found.separator, quote_char=False),
                csv.ConvertOptions(
                    column_types=types,
                    include_columns=wanted,
                    null_values=[],
                    decimal_point=found.decimal,
                ),
            )
        except pyarrow.ArrowInvalid:
            continue
        if len(table) < block.lines:  # empty lines were passed over
            return None
        numbers = range(block.before + 1, block.before + block.lines + 1)
        columns = [column.combine_chunks() for column in table.columns]
        weight = None if layout.weight is None else columns.pop().to_numpy()
        if kind is not texts:
            return Edges(_narrow(columns[0]), _narrow(columns[1]), weight, numbers)
        ends = [column.to_numpy(zero_copy_only=False) for column in columns]
        if any((end == "").any() for end in ends):
            return None
        tails, heads = register.pairs(*ends)
        return Edges(Texts(tails, register), Texts(heads, register), weight, numbers)
    return None


def _has_comments(text: bytes, marks: tuple[str, ...]) -> bool:
    """Whether a line may be a comment."""
    begins = [mark.encode() for mark in marks]
    return any(mark in text and (text.startswith(mark) or b"\n" + mark in text) for mark in begins)


def _has_spaces(text: bytes, mark: bytes) -> bool:
    """Whether spaces begin or end a field, where they do not count."""
    letters = np.frombuffer(b"\n" + text, dtype=np.uint8)
    space, end, divides = letters == ord(" "), letters == ord("\n"), letters == ord(mark)
    before_field, after_field = end | space | divides, end if mark == b" " else end | divides
    return bool((before_field[:-1] & space[1:]).any() or (space[:-1] & after_field[1:]).any())


def _plain_integers(text: bytes, mark: bytes) -> bool:
    """Whether fields look like numbers, and those that are integers are written in one way only.

    That is without zeros before other digits: 007 and 7 are two names, and so are -0 and 0.
    """
    others = _INTEGERS + mark
    if mark not in b"\t, " or text[:80].translate(None, others) or text.translate(None, others):
        return False
    letters = np.frombuffer(b"\n\n" + text, dtype=np.uint8)
    # A zero that begins a field, after its sign if there is one, or the exponent of another.
    zeros = np.flatnonzero((letters[2:-1] == ord("0")) & (letters[1:-2] < ord("."))) + 2
    after, signed = letters[zeros + 1], letters[zeros - 1] == ord("-")
    own = letters[zeros - 2] < ord(".")
    digit = (after >= ord("0")) & (after <= ord("9"))
    return not np.where(signed, own & (after != ord(".")), digit).any()


def _narrow(column: Any) -> NDArray[Any]:
    """Integers, of 32 bits where that is enough."""
    values: NDArray[Any] = column.to_numpy()
    bound = np.iinfo(np.int32)
    fits = values.size and bound.min <= values.min() and values.max() <= bound.max
    return values.astype(np.int32) if fits else values
