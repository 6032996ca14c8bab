"""Edge lists: text, one edge a line."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate, chain
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from . import adjacency_matrix, numbering, plain_edges, text
from .columns import KNOWN, AmbiguousFile, Wanted, is_number, remark
from .dialect import ROWS, Dialect, dialect_of, fields_at, heading, remarks, rows_of
from .layout import Layout, Table, sif
from .network import INTEGER, Network, assemble
from .numbering import StringInterner, Texts
from .plain_edges import Edges

SAMPLE = 1 << 16  # bytes of the first lines, which tell how the others are meant
_NUMBER = re.compile(r"[+-]?([0-9]{1,99}\.?[0-9]{0,99}|\.[0-9]{1,99})([eE][+-]?[0-9]{1,3})?")


class _Start(NamedTuple):
    """What the first lines of a file tell."""

    place: str  # of the first row
    found: Dialect
    numbers: list[int]  # of the lines of the first rows
    rows: list[list[str]]
    titles: list[str] | None  # in a comment
    whole: bool  # there are no other rows
    adjacency: bool  # a comment is that of an adjacency list of NetworkX


class _Weights:
    """Weights of all edges; NaN where there is none that can be read, for the first reason."""

    def __init__(self, *, needed: bool) -> None:
        self.needed, self.reason = needed, ""
        self.values = array("d")  # an array grows where it is

    def add(self, field: str, place: str, found: Dialect) -> None:
        try:
            value = found.number(field)
        except ValueError:
            value = np.nan
            comma = found.decimal == "." and "," in field
            ways = ("decimal", "columns") if comma else ("columns",)
            error = AmbiguousFile(f"{place}: weight {field!r}; expected a number", *ways)
            if self.needed:
                raise error from None
            self.reason = self.reason or error.args[0]
        self.values.append(value)


def parse(name: str, suffix: str, stream: IO[bytes], wanted: Wanted) -> Network:
    """Network of an edge list; `name` and `suffix` are those of its file."""
    blocks = text.blocks(name, stream, wanted.encoding)
    head = next(blocks, text.Block(b"", 0, 0))
    start = _start(name, head, wanted)
    if wanted.source is None:
        _refuse_others(suffix, start)
    rows = (
        row
        for block in chain([_without(head, start.numbers[0] - 1)], blocks)
        for row in rows_of(name, block.decoded(), block.before, start.found)
    )
    free = (wanted.source, wanted.weight, wanted.header) == (None, None, None)
    if free and adjacency_matrix.has_labels(start.rows, start.found):
        square = adjacency_matrix.network(name, rows, start.found)
        if square is None:
            raise InputError(
                f"{start.place}: names of nodes above and before numbers; expected an adjacency "
                "matrix, the rows of which are the nodes of its columns"
            )
        return square
    if free and start.whole and adjacency_matrix.is_small(start.rows, start.found):
        some = iter(list(zip(start.numbers, start.rows, strict=True)))
        square = adjacency_matrix.network(name, some, start.found)
        if square is not None:
            return square
    try:
        layout = Table(start.place, start.rows, start.titles, wanted, start.found).layout()
    except AmbiguousFile:
        square = adjacency_matrix.network(name, rows, start.found) if free else None
        if square is None:
            raise
        return square
    found = replace(start.found, width=layout.width, weight=layout.weight,
                    decimal=wanted.decimal or _decimal(start, layout))  # fmt: skip
    head = _without(head, start.numbers[0] - (not layout.header))
    interner, weights = StringInterner(), _Weights(needed=wanted.needs_weights)
    by_arrow = plain_edges.is_worth(head)
    parts: list[Edges] = []
    for block in chain([head], blocks):
        part = plain_edges.parse(block, found, layout, interner, by_arrow=by_arrow)
        if part is None:
            part = _one_by_one(name, block, found, layout, interner, weights)
        elif part.weight is not None:
            weights.values.frombytes(part.weight.view(np.uint8).data)
        parts.append(part._replace(weight=None))
    if not any(len(part.lines) for part in parts):
        raise InputError(f"{start.place}: a header and no edge; expected one edge a line")
    for message in remarks(name, found):
        remark(message)
    del interner  # the names are in the parts, which _network frees
    return _network(name, parts, weights, layout, start.rows[0])


def _start(name: str, head: text.Block, wanted: Wanted) -> _Start:
    """Dialect and first rows of a file that begins with this block."""
    cut = head.text.find(b"\n", SAMPLE) + 1
    sample = head.text[:cut] if cut else head.text
    lines = head._replace(text=sample).decoded()
    found, begin = dialect_of(name, lines, wanted)
    told = [(k, line.strip(" ")) for k, line in enumerate(lines, 1) if k > begin and line.strip()]
    data = [(k, line) for k, line in told if not line.startswith(found.marks)]
    if not data:
        last = f"{name}:{max(head.lines, 1)}"
        if told:
            raise AmbiguousFile(f"{last}: comments and no data; expected one edge a line", "rows")
        raise InputError(f"{last}: no data; expected one edge a line")
    numbers, kept = zip(*data[:ROWS], strict=True)
    rows = [fields_at(name, *one, found) for one in zip(numbers, kept, strict=True)]
    if found.keys is not None:
        titles: list[str] | None = ["source", "target", *found.keys]
    else:
        titles = heading(name, [one for one in told if one[0] < numbers[0]], rows[0], found, wanted)
    adjacency = any(line.startswith("# GMT ") for _, line in told)
    whole = sample is head.text and len(sample) < text.SIZE and len(data) <= ROWS
    return _Start(f"{name}:{numbers[0]}", found, list(numbers), rows, titles, whole, adjacency)


def _refuse_others(suffix: str, start: _Start) -> None:
    """Refuse other layouts by what their files or comments are called."""
    if suffix == ".sif":
        raise sif(start.place)
    if suffix == ".adjlist" or start.adjacency:
        raise AmbiguousFile(
            f"{start.place}: an adjacency list, as networkx.write_adjlist has them, which is not "
            "read; expected an edge list, as networkx.write_edgelist has them",
            "columns",
        )


def _decimal(start: _Start, layout: Layout) -> str:
    """Decimal point: a comma where semicolons separate and weights have one."""
    at = layout.weight
    fields = [row[at] for row in start.rows[layout.header :] if at is not None and len(row) > at]
    return "," if start.found.separator == ";" and any("," in one for one in fields) else "."


def _without(block: text.Block, count: int) -> text.Block:
    """The lines of a block behind so many."""
    at = 0
    for _ in range(count - block.before):
        at = block.text.index(b"\n", at) + 1
    return text.Block(block.text[at:], count, block.lines - (count - block.before))


def _one_by_one(
    name: str,
    block: text.Block,
    found: Dialect,
    layout: Layout,
    interner: StringInterner,
    weights: _Weights,
) -> Edges:
    """Edges of a block of any lines; their weights are added to the others."""
    sources: list[str] = []
    targets: list[str] = []
    numbers = array("q")
    width, weight, direction = layout.width, layout.weight, layout.direction
    least = max(layout.source, layout.target, direction or 0) + 1
    for number, row in rows_of(name, block.decoded(), block.before, found):
        if len(row) != width:
            row = _of_width(row, layout, least, f"{name}:{number}")
        source, target = row[layout.source], row[layout.target]
        both = direction is not None and _is_undirected(row[direction], f"{name}:{number}")
        for tail, head in ((source, target), (target, source)) if both else ((source, target),):
            sources.append(tail)
            targets.append(head)
            numbers.append(number)
            if weight is not None:
                weights.add(row[weight], f"{name}:{number}", found)
    tails, heads = interner.pairs(sources, targets)
    return Edges(Texts(tails, interner), Texts(heads, interner), None, numbers)


def _of_width(row: list[str], layout: Layout, least: int, place: str) -> list[str]:
    """A row of another length: its weight may be missing, or nothing be behind the last field."""
    width = layout.width
    lacks_weight = layout.short and len(row) == width - 1
    empty_end = not any(row[width:])
    if len(row) < least or not (
        layout.by_number or lacks_weight or (len(row) > width and empty_end)
    ):
        raise InputError(f"{place}: {len(row)} columns; expected {width} as in the first line")
    return [*row, *[""] * (width - len(row))]


def _is_undirected(kind: str, place: str) -> bool:
    """What Gephi says of an edge."""
    if kind.lower() not in ("directed", "undirected"):
        raise InputError(f"{place}: type {kind!r}; expected Directed or Undirected")
    return kind.lower() == "undirected"


def _network(
    name: str, parts: list[Edges], weights: _Weights, layout: Layout, first: Sequence[str]
) -> Network:
    """Network of the edges; `first` are the fields of the first row."""
    lines = [part.lines for part in parts]
    ends = list(accumulate(map(len, lines)))

    def place(k: int) -> str:
        part = bisect_right(ends, k)
        return f"{name}:{lines[part][k - ends[part]]}"

    columns = [part.source for part in parts], [part.target for part in parts]
    parts.clear()  # what is put together below takes their room
    spelt = any(isinstance(column, Texts) for side in columns for column in side)
    names, tails, heads = numbering.number(*columns)
    del columns
    if "" in names:
        empty = names.index("")
        k = int(np.argmax((tails == empty) | (heads == empty)))
        raise InputError(f"{place(k)}: an empty name; expected a name for both nodes")
    if layout.unsure:
        _check_first(name, place, names, tails, heads, layout, first)
    if spelt:
        _tell_spellings(name, names)
    ones, data = np.ones(ends[-1]), np.frombuffer(weights.values)
    try:
        if weights.reason:
            raise InputError(weights.reason)
        matrix = assemble(tails, heads, data if len(data) else ones, len(names), place)
    except ValueError as error:
        if weights.needed:
            raise
        remark(f"{error}: weights are left out, and all are 1")
        matrix = assemble(tails, heads, ones, len(names), place)
    return Network(matrix, names)


def _check_first(
    name: str,
    place: Callable[[int], str],
    names: Sequence[str],
    tails: NDArray[Any],
    heads: NDArray[Any],
    layout: Layout,
    first: Sequence[str],
) -> None:
    """Refuse a first line that may be a header, and one taken for a header that may be an edge."""
    two = [first[layout.source], first[layout.target]]
    if layout.header:
        again = next((one for one in two if one in set(names)), None)
        if again is not None:
            raise AmbiguousFile(
                f"{name}: the first line {two} may be a header, and {again!r} is a node as well; "
                f"expected a header with {KNOWN}",
                *("columns", "no header"),
            )
    elif len(tails) > 1 and not any(map(is_number, two)):
        ahead = max(tails[0], heads[0])  # words are in order of appearance
        alone = min(tails[1:].min(), heads[1:].min()) > ahead
        if alone and (layout.weight is None or all(map(INTEGER.fullmatch, names[ahead + 1 :]))):
            raise AmbiguousFile(
                f"{place(0)}: the names {two}, which no other line has: a header or an edge; "
                f"expected a header with {KNOWN}",
                *("columns", "no header"),
            )


def _tell_spellings(name: str, names: Sequence[str]) -> None:
    """Remark where a number is the name of two nodes, in two spellings, as 1e+05 and 100000."""
    odd = [one for one in names if one[0] in "+-.0123456789" and _is_odd(one)]
    if not odd:
        return
    known = {_value(one): one for one in names if INTEGER.fullmatch(one)}
    for one in odd:
        other = known.setdefault(_value(one), one)
        if other != one:
            remark(
                f"{name}: {one!r} and {other!r} are two nodes, though one number; write it in one "
                "way if they are the same"
            )
            return


def _value(text: str) -> tuple[int, str, int]:
    """Sign, digits and exponent of a number: the same of all its spellings.

    A `Decimal` itself has a hash that a file can choose.
    """
    sign, numerals, exponent = Decimal(text).as_tuple()
    digits = "".join(map(str, numerals)).lstrip("0")
    short = digits.rstrip("0")
    return sign, short, int(exponent) + len(digits) - len(short) if short else 0


def _is_odd(text: str) -> bool:
    """Whether this is a number that is not written as whole numbers are."""
    return bool(_NUMBER.fullmatch(text)) and not INTEGER.fullmatch(text)
