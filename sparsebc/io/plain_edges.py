"""Edges of a block of plain lines at once: by PyArrow where it is installed, else by Python."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .dialect import Dialect
from .layout import Layout
from .numbering import Column, StringInterner, Texts
from .text import Block

LEAST = 1 << 20  # bytes of a file that are worth importing PyArrow for
_INTEGERS = b"0123456789+-.eE\n"


class Edges(NamedTuple):
    """The edges of a block."""

    source: Column
    target: Column
    weight: NDArray[np.float64] | None
    lines: Sequence[int]  # the number of the line of each


def is_worth(block: Block) -> bool:
    """Whether PyArrow is of use for a file with this first block."""
    return len(block.text) >= LEAST and importlib.util.find_spec("pyarrow") is not None


def parse(
    block: Block, found: Dialect, layout: Layout, interner: StringInterner, *, by_arrow: bool
) -> Edges | None:
    """Edges of a block; None where its lines may be more than plain.

    Plain is an edge a line, of fields without quotes and without spaces that do not count. Others,
    and those in which there is a fault, are to be read one by one: that takes more kinds of
    fields, and has words for what is wrong.
    """
    if not _are_plain(block.text, found, layout):
        return None
    columns = (_by_arrow if by_arrow else _by_python)(block, found, layout)
    if columns is None:
        return None
    *ends, weight = columns
    numbers = range(block.before + 1, block.before + block.lines + 1)
    if isinstance(ends[0], np.ndarray) and ends[0].dtype.kind == "i":
        return Edges(_narrow(ends[0]), _narrow(ends[1]), weight, numbers)
    # Between spaces, those that do not count make an empty field.
    if any("" in end if isinstance(end, list) else (end == "").any() for end in ends):
        return None
    tails, heads = interner.pairs(*ends)
    return Edges(Texts(tails, interner), Texts(heads, interner), weight, numbers)


def _are_plain(text: bytes, found: Dialect, layout: Layout) -> bool:
    """Whether all fields stand between separators as they are."""
    mark, places = found.separator.encode(), {layout.source, layout.target, layout.weight} - {None}
    if found.keys is not None or layout.direction is not None or layout.weight in layout.ends:
        return False
    if b'"' in text or _has_comments(text, found.marks) or (mark == b" " and b"\t" in text):
        return False
    spaces = b" " in text and (mark != b" " or len(places) < layout.width)
    return not (spaces and _has_spaces(text, mark))


def _by_python(block: Block, found: Dialect, layout: Layout) -> Any:
    """Both ends as lists of text, and the weights; None where a line is another."""
    mark, width = found.separator, layout.width
    letters = np.frombuffer(block.text, dtype=np.uint8)
    marks = np.cumsum(letters == ord(mark))[letters == ord("\n")]  # up to the end of each line
    if not np.array_equal(marks, np.arange(1, block.lines + 1) * (width - 1)):
        return None
    fields = block.text.decode().replace("\n", mark).split(mark)[:-1]
    tails, heads = (fields[end::width] for end in layout.ends)
    if layout.weight is None:
        return tails, heads, None
    number = found.number if found.decimal == "," else float
    try:
        weight = np.fromiter(map(number, fields[layout.weight :: width]), dtype=np.float64)
    except ValueError:
        return None
    return tails, heads, weight


def _by_arrow(block: Block, found: Dialect, layout: Layout) -> Any:
    """Both ends as arrays of integers or of text, and the weights; None where a line is another."""
    import pyarrow
    from pyarrow import csv

    text, mark = block.text, found.separator.encode()
    names = list(map(str, range(layout.width)))
    wanted = [names[k] for k in (*layout.ends, layout.weight) if k is not None]
    texts = pyarrow.string()
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
        columns = [
            column.combine_chunks().to_numpy(zero_copy_only=False) for column in table.columns
        ]
        return columns if layout.weight is not None else [*columns, None]
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


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Integers, of 32 bits where that is enough."""
    bound = np.iinfo(np.int32)
    fits = values.size and bound.min <= values.min() and values.max() <= bound.max
    return values.astype(np.int32) if fits else values
