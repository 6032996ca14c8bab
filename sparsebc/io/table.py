"""Edges of a table of text, by blocks; the end tells whether the first line was an edge."""

from __future__ import annotations

import importlib.util
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import quoted
from .column_layout import Layout
from .dialect import ROWS, Dialect, dialect_of, heading, marks_of
from .header_row import FirstRow
from .network import INTEGER, Column, Edges, Network, Numbered, Texts, numbered
from .remarks import AmbiguousFile, fault, remark
from .source import Block, Source, blocks, lines_of
from .titles import Wanted

SAMPLE = 1 << 16  # bytes of the first lines, from which dialect and columns are inferred
# Numbers in any form but that of `INTEGER`.
_ODD = re.compile(
    rf"(?!(?:{INTEGER.pattern})\Z)[+-]?([0-9]{{1,99}}\.?[0-9]{{0,99}}|\.[0-9]{{1,99}})"
    r"([eE][+-]?[0-9]{1,3})?"
)
# The first line of a file of KONECT: two columns of nodes, then weights and times.
_KONECT = re.compile(r"%\s*(sym|asym|bip)\b")
_EXACT = Context(prec=200)
LEAST = 1 << 20  # bytes of a file from which importing PyArrow pays
_NUMBERS = b"0123456789+-.eE\n"


def edges(file: Source, wanted: Wanted) -> Edges | Network:
    """Edges of a table, in file order; of an adjacency matrix, its network."""
    name = file.name
    every = blocks(name, file.stream, wanted.encoding)
    head, lines = _begun(every, wanted)
    dialect, begin = dialect_of(name, lines, wanted)
    sample = list(islice(dialect.rows(name, lines[begin:], begin), ROWS))
    first, rows = sample[0][0] if sample else len(lines) + 1, [row for _, row in sample]
    above = enumerate(lines[begin : first - 1], begin + 1)
    comments = [(number, line.strip(" ")) for number, line in above if line.strip(" ")]
    if not sample and comments:
        place = f"{name}:{len(lines)}: comments and no data"
        raise AmbiguousFile(f"{place}; expected one edge a line", "rows")
    if not sample:
        raise fault(f"{name}:{max(len(lines), 1)}", "no data", "one edge a line")
    told = (wanted.source, wanted.weight, wanted.header, wanted.extras) != (None, None, None, {})
    konect = _KONECT.match(comments[0][1]) if comments and not told else None
    titles = None
    if comments and not konect:
        titles = heading(name, comments, rows[0], dialect, wanted)
    if max(map(len, rows)) > 2 and not (told or konect or titles):
        from . import adjacency_matrix

        if adjacency_matrix.fits(sample, dialect):
            after = chain([(head.split(b"\n", first - 1)[-1], first - 1)], every)
            rest = (dialect.rows(name, lines_of(text), before) for text, before in after)
            return adjacency_matrix.network(name, chain.from_iterable(rest), dialect)
    asked = wanted._replace(source="1", target="2", header=False) if konect else wanted
    row = FirstRow(name, sample, titles or (), dialect, asked)
    if konect and row.width > 2 and wanted.weighted is not False:  # weights, and then times
        asked = asked._replace(weight="3")
    layout = Layout(row, asked)
    dialect.widths, dialect.weight = frozenset(map(len, rows)), layout.weight
    before = first - (not row.is_header)
    head = head.split(b"\n", before)[-1]
    has_modes = konect is not None and konect[1] == "bip"
    by_arrow = len(head) >= LEAST and importlib.util.find_spec("pyarrow") is not None
    found = _Columns(name, dialect, layout, wanted, has_modes, by_arrow)
    nodes = numbered(found.ends(chain([(head, before)], every), first))
    found.remark()
    return found.edges(nodes)


def _begun(blocks: Iterator[Block], wanted: Wanted) -> tuple[bytes, list[str]]:
    """Beginning of a file; its comments above the data, and at least `ROWS` lines of data."""
    comment = "|".join(re.escape(mark) + "[^\n]*+" for mark in marks_of(wanted))
    above = re.compile(rf"(?: *(?:{comment})?\n)*+".encode())
    parts, begin = [b""], 0
    for text, _ in blocks:
        parts.append(text)
        begin = above.match(text).end()  # type: ignore[union-attr]
        if begin < len(text):
            break
    head = b"".join(parts)
    begin += len(head) - len(parts[-1])
    rows = re.compile(rb"(?:[^\n]*+\n){%d}" % ROWS).match(head, begin)
    end = max(head.find(b"\n", begin + SAMPLE) + 1, rows.end() if rows else 0)
    return head, lines_of(head[: end or None])


# Ends, weights (None without any) and other columns of a block.
Parsed = tuple[Sequence[Column], NDArray[np.float64] | None, Sequence[Column]]


@dataclass
class _Columns:
    """Columns of the edges of a file, in file order."""

    name: str
    dialect: Dialect
    layout: Layout
    wanted: Wanted
    has_modes: bool  # sources and targets are numbered apart
    by_arrow: bool  # PyArrow parses plain blocks
    skipped: int = 0  # 1 if the first row turned out to be no edge
    nameless: array[Any] = field(default_factory=partial(array, "q"))  # lines without a name
    are_texts: bool = False  # any ends, which else are integers
    others: list[Sequence[Any]] = field(default_factory=list)  # by blocks
    lines: list[Sequence[int]] = field(default_factory=list)  # of each edge, by blocks
    weights: array[Any] = field(default_factory=partial(array, "d"))  # NaN for no number
    reasons: dict[int, str] = field(default_factory=dict)  # messages of the first NaN, by edge

    def ends(self, blocks: Iterable[Block], first: int) -> Iterator[Sequence[Column]]:
        """Tails and heads of the edges of each block, whose other columns are kept here.

        A block is parsed by the column if all its lines are plain, else line by line. The file is
        refused if there is no edge from its ``first`` line on.
        """
        for text, before in blocks:
            columns, lines = None, array("q")
            if not self.has_modes:
                columns = by_column(text, self.dialect, self.layout, by_arrow=self.by_arrow)
            ends, weights, others = columns or self._by_line(text, before, lines)
            if weights is not None:
                self.weights.frombytes(np.ascontiguousarray(weights).data.cast("B"))
            if count := len(ends[0]):
                self.are_texts |= not isinstance(ends[0], np.ndarray)
                self.lines.append(lines or range(before + 1, before + 1 + count))
                self.others.append(others)
                yield ends
        if not self.lines:
            raise fault(f"{self.name}:{first}", "a header and no edge", "one edge a line")

    def _by_line(self, text: bytes, before: int, lines: array[int]) -> Parsed:
        """Columns of a block that is parsed line by line; the line of each edge is appended."""
        layout, weights, places = self.layout, array("d"), [*self.layout.ends, *self.layout.others]
        fields: list[list[str]] = []
        for number, row in self.dialect.rows(self.name, lines_of(text), before):
            if len(row) != layout.width:
                is_longer = any(row[layout.width :]) and not layout.by_number
                if is_longer or len(row) <= max(places):
                    expected = f"{layout.width} as in the first line"
                    raise fault(f"{self.name}:{number}", f"{len(row)} columns", expected)
                row = [*row, *[""] * (layout.width - len(row))]
            found = [row[place] for place in places]
            if layout.width > 3 and {*found[:2]} & {*layout.nameless}:
                self.nameless.append(number)
                continue
            if self.has_modes:
                found[:2] = f"a{found[0]}", f"b{found[1]}"
            fields.append(found)
            lines.append(number)
            if layout.weight is None:
                continue
            field = row[layout.weight]
            try:
                weights.append(self.dialect.number(field))
            except ValueError:
                problem = f"{self.name}:{number}: weight {quoted(field)}; expected a number"
                if self.wanted.needs_weights:
                    comma = self.dialect.decimal == "." and "," in field
                    ways = ("decimal", "columns") if comma else ("columns",)
                    raise AmbiguousFile(problem, *ways) from None
                if len(self.reasons) < 2:  # the first may be skipped
                    self.reasons[len(self.weights) + len(weights)] = problem
                weights.append(np.nan)
        columns = list(map(list, zip(*fields, strict=True))) or [[] for _ in places]
        read = None if layout.weight is None else np.frombuffer(weights)
        return columns[:2], read, columns[2:]

    def remark(self) -> None:
        """Warn of what was left out, or could be read in another way."""
        if self.has_modes:
            names = "its nodes are named a1, a2, ... and b1, b2, ..."
            remark(f"{self.name}: a network of two modes: {names}")
        if self.nameless:
            left_out = f"a node without a name; such rows are left out: {len(self.nameless)}"
            remark(f"{self.name}:{self.nameless[0]}: {left_out}")
        if self.dialect.doubted:
            (number, taken), *more = self.dialect.doubted
            marks = " or ".join(self.dialect.marks)
            others = f"; {len(more)} more such lines could be either" if more else ""
            remark(
                f"{self.name}:{number}: begins with {marks} and is taken for {taken}{others}; the "
                "option comment sets the prefix of comments"
            )

    def place(self, k: int) -> str:
        """File and line of an edge, for messages."""
        every = chain.from_iterable(self.lines)
        return f"{self.name}:{next(islice(every, k + self.skipped, None))}"

    def edges(self, nodes: Numbered) -> Edges:
        """The edges, whose names are checked."""
        layout, (names, tails, heads) = self.layout, nodes
        if "" in names:
            empty = names.index("")
            k = int(np.argmax((tails == empty) | (heads == empty)))
            raise fault(self.place(k), "an empty name", "a name for both nodes")
        weight = self.weights[0] if self.weights else None
        names, tails, heads = layout.row.settled(layout.ends, nodes, weight, self.place)
        self.skipped = len(nodes[1]) - len(tails)
        if self.are_texts:
            _warn_of_spellings(self.name, names)
        columns: list[Any] = []
        for parts in zip(*self.others, strict=True):
            if all(isinstance(part, np.ndarray) and part.dtype.kind == "i" for part in parts):
                columns.append(np.concatenate(parts)[self.skipped :])
            else:
                columns.append([str(field) for part in parts for field in part][self.skipped :])
        extras = list(zip(self.wanted.extras, columns[: len(layout.extras)], strict=False))
        faults = [InputError(self.reasons[k]) for k in self.reasons if k >= self.skipped]
        weights = faults[0] if faults else np.frombuffer(self.weights)[self.skipped :]
        edges = Edges(names, tails, heads, self.place, others=extras, number=self.dialect.number)
        if layout.weight is not None:
            edges = edges._replace(title=layout.title, weights=weights)
        return edges if layout.direction is None else edges.both_where_undirected(columns[-1])


def _warn_of_spellings(name: str, names: Sequence[str]) -> None:
    """Warn if two names are one number in two spellings, as 1e+05 and 100000."""
    odd = list(filter(_ODD.fullmatch, names))
    known: dict[str, str] = {}  # by text: a file could choose numbers whose hashes collide
    for one in chain(filter(INTEGER.fullmatch, names), odd) if odd else ():
        other = known.setdefault(str(_EXACT.normalize(Decimal(one))), one)
        if other != one:
            remark(
                f"{name}: {one!r} and {other!r} are equal numbers, and the names of two nodes; "
                "spell them alike if they are one node"
            )
            return


def by_column(text: bytes, dialect: Dialect, layout: Layout, *, by_arrow: bool) -> Parsed | None:
    """Columns of a block; None if a line may not be plain.

    A plain line is an edge, its fields without quotes or surrounding spaces. A block with another
    line, or with an error, is to be parsed line by line: that parser takes more kinds of fields and
    reports errors.
    """
    mark = dialect.separator.encode()
    marks = [one for one in map(str.encode, dialect.marks) if one in text]
    begins = any(text.startswith(one) or b"\n" + one in text for one in marks)
    if b'"' in text or begins or len(mark) > 1 or len({*layout.places}) < len(layout.places):
        return None
    if mark == b" " and (b"\t" in text or len(layout.places) == layout.width):
        if b"\t" in text:
            return None
    elif b" " in text:  # spaces at the ends of a field are not part of it
        at_ends = (b" " + one in text or one + b" " in text for one in (mark, b"\n"))
        if text.startswith(b" ") or any(at_ends):
            return None
    columns = (_by_arrow if by_arrow else _by_python)(text, dialect, layout)
    for end in columns[0] if columns else ():
        names = end.names if isinstance(end, Texts) else end
        # Repeated spaces between fields make an empty field.
        if not isinstance(end, np.ndarray) and any(one in names for one in layout.nameless):
            return None
    return columns


def _by_python(text: bytes, dialect: Dialect, layout: Layout) -> Parsed | None:
    """Columns, ends as lists of strings; None if a line has another width or no valid weight."""
    mark, width = dialect.separator, layout.width
    letters = np.frombuffer(text, dtype=np.uint8)
    marks = np.cumsum(letters == ord(mark))[letters == ord("\n")]  # separators up to each line end
    if not np.array_equal(marks, np.arange(1, len(marks) + 1) * (width - 1)):
        return None
    fields = text.decode().replace("\n", mark).split(mark)[:-1]
    ends, others = ([fields[k::width] for k in ks] for ks in (layout.ends, layout.others))
    if layout.weight is None:
        return ends, None, others
    read = dialect.number if dialect.decimal == "," or b"_" in text or not text.isascii() else float
    try:
        weight = np.fromiter(map(read, fields[layout.weight :: width]), dtype=np.float64)
    except ValueError:
        return None
    return ends, weight, others


def _by_arrow(text: bytes, dialect: Dialect, layout: Layout) -> Parsed | None:
    """Ends as arrays of integers, or as texts; None where a line is another."""
    import pyarrow
    from pyarrow import csv

    names = list(map(str, range(layout.width)))
    has_weight, wanted = layout.weight is not None, [names[k] for k in layout.places]
    integer, string = pyarrow.int64(), pyarrow.string()
    kinds = [(pyarrow.dictionary(pyarrow.int32(), string), string)]  # of an end, of another
    if _are_integers(text, dialect.separator):
        kinds.insert(0, (integer, integer))
    for end, other in kinds:
        types = [end, end, *[pyarrow.float64()] * has_weight, *[other] * len(layout.others)]
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
        return ends, others[0] if has_weight else None, others[has_weight:]
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
