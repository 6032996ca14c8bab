"""Blocks of plain lines, parsed by the column: by PyArrow, if it is there, or by str.split."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .dialect import Dialect
from .layout import Layout
from .numbering import Column, Texts
from .source import Block

LEAST = 1 << 20  # bytes of a file from which importing PyArrow pays
_NUMBERS = b"0123456789+-.eE\n"


class Columns(NamedTuple):
    """Columns of a block: ends and extras are integers or strings."""

    ends: Sequence[Column]
    weights: NDArray[np.float64] | None
    extras: Sequence[Column]


def is_worth(block: Block) -> bool:
    """Whether PyArrow is installed and the first block of a file large enough for it to pay."""
    return len(block.text) >= LEAST and importlib.util.find_spec("pyarrow") is not None


def parse(block: Block, dialect: Dialect, layout: Layout, *, by_arrow: bool) -> Columns | None:
    """Columns of a block; None if a line may not be plain.

    A plain line is an edge, its fields without quotes or surrounding spaces. A block with another
    line, or with an error, is to be parsed line by line: that parser takes more kinds of fields and
    reports errors.
    """
    columns = None
    if _are_plain(block.text, dialect, layout):
        columns = (_by_arrow if by_arrow else _by_python)(block.text, dialect, layout)
    # Repeated spaces between fields make an empty field.
    is_plain = columns and not any(_has(end, layout.nameless) for end in columns.ends)
    return columns if is_plain else None


def _are_plain(text: bytes, dialect: Dialect, layout: Layout) -> bool:
    """Whether splitting at separators gives the fields: no quotes, comments, extra spaces."""
    mark, places = dialect.separator.encode(), _places(layout)
    if b'"' in text or layout.direction is not None or len({*places}) < len(places):
        return False
    if len(mark) > 1:  # bytes are compared with the separator
        return False
    for comment in map(str.encode, dialect.marks):
        if comment in text and (text.startswith(comment) or b"\n" + comment in text):
            return False
    if mark == b" " and (b"\t" in text or len(places) == layout.width):
        return b"\t" not in text
    if b" " not in text:
        return True
    # Spaces at the ends of a field are not part of it.
    at_ends = (b" " + one in text or one + b" " in text for one in (mark, b"\n"))
    return not text.startswith(b" ") and not any(at_ends)


def _places(layout: Layout) -> list[int]:
    """Indices of all columns: the ends, the weight if there is one, the extras."""
    weight = [] if layout.weight is None else [layout.weight]
    return [*layout.ends, *weight, *layout.extras]


def _has(end: Column, texts: Sequence[str]) -> bool:
    """Whether a column has one of some texts."""
    names = end.names if isinstance(end, Texts) else end
    return not isinstance(end, np.ndarray) and any(text in names for text in texts)


def _by_python(text: bytes, dialect: Dialect, layout: Layout) -> Columns | None:
    """Columns, ends as lists of strings; None if a line has another width or no valid weight."""
    mark, width = dialect.separator, layout.width
    letters = np.frombuffer(text, dtype=np.uint8)
    marks = np.cumsum(letters == ord(mark))[letters == ord("\n")]  # separators up to each line end
    if not np.array_equal(marks, np.arange(1, len(marks) + 1) * (width - 1)):
        return None
    fields = text.decode().replace("\n", mark).split(mark)[:-1]
    ends, extras = ([fields[k::width] for k in ks] for ks in (layout.ends, layout.extras))
    if layout.weight is None:
        return Columns(ends, None, extras)
    read = dialect.number if dialect.decimal == "," or b"_" in text or not text.isascii() else float
    try:
        weight = np.fromiter(map(read, fields[layout.weight :: width]), dtype=np.float64)
    except ValueError:
        return None
    return Columns(ends, weight, extras)


def _by_arrow(text: bytes, dialect: Dialect, layout: Layout) -> Columns | None:
    """Ends as arrays of integers, or as texts; None where a line is another."""
    import pyarrow
    from pyarrow import csv

    names = list(map(str, range(layout.width)))
    wanted, has_weight = [names[k] for k in _places(layout)], layout.weight is not None
    integer, string = pyarrow.int64(), pyarrow.string()
    kinds = [(pyarrow.dictionary(pyarrow.int32(), string), string)]  # of an end, of an extra
    if _are_integers(text, dialect.separator):
        kinds.insert(0, (integer, integer))
    for end, extra in kinds:
        types = [end, end, *[pyarrow.float64()] * has_weight, *[extra] * len(layout.extras)]
        try:
            table = csv.read_csv(
                pyarrow.py_buffer(text),
                csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=names),
                csv.ParseOptions(
                    delimiter=dialect.separator, quote_char=False, ignore_empty_lines=False
                ),
                csv.ConvertOptions(
                    column_types=dict(zip(wanted, types, strict=True)),
                    include_columns=wanted,
                    null_values=[],
                    decimal_point=dialect.decimal,
                ),
            )
        except pyarrow.ArrowInvalid:
            continue
        first, others = table.columns[:2], [one.to_numpy() for one in table.columns[2:]]
        ends = [one.to_numpy() if end is integer else Texts.of_arrow(one) for one in first]
        return Columns(ends, others[0] if has_weight else None, others[has_weight:])
    return None


def _are_integers(text: bytes, separator: str) -> bool:
    """Whether fields look like numbers, and no two spellings of one integer can occur.

    Leading zeros and -0 are excluded: 007 and 7 are two names, and so are -0 and 0.
    """
    others = _NUMBERS + separator.encode()
    if separator not in "\t, " or text[:80].translate(None, others) or text.translate(None, others):
        return False
    letters = np.frombuffer(b"\n\n" + text, dtype=np.uint8)
    # A zero at the beginning of a field or of an exponent, or after the sign of either.
    zeros = np.flatnonzero((letters[2:-1] == ord("0")) & (letters[1:-2] < ord("."))) + 2
    after, signed = letters[zeros + 1], letters[zeros - 1] == ord("-")
    own = letters[zeros - 2] < ord(".")
    digit = (after >= ord("0")) & (after <= ord("9"))
    return not np.where(signed, own & (after != ord(".")), digit).any()
