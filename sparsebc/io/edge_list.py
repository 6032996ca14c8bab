"""Edge lists: text, one edge a line."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from . import adjacency_matrix, plain_edges, text
from .columns import DIRECTIONS, KNOWN, AmbiguousFile, Wanted, is_number, remark
from .dialect import ROWS, Dialect, dialect_of, heading
from .layout import Layout, Table, sif
from .network import INTEGER, Network, weighted_network
from .numbering import Ends
from .source import Source

SAMPLE = 1 << 16  # bytes of the first lines, which tell how the others are meant
# Numbers that are not written as whole numbers are.
_ODD = re.compile(
    rf"(?!(?:{INTEGER.pattern})\Z)[+-]?([0-9]{{1,99}}\.?[0-9]{{0,99}}|\.[0-9]{{1,99}})"
    r"([eE][+-]?[0-9]{1,3})?"
)
_EXACT = Context(prec=200)


class _Start(NamedTuple):
    """What the first lines of a file tell."""

    place: str  # of the first row
    first: int  # number of its line
    found: Dialect
    rows: list[tuple[int, list[str]]]  # the first ones, by the numbers of their lines
    titles: list[str] | None  # in a comment
    adjacency: bool  # a comment is that of an adjacency list of NetworkX


def read(file: Source, wanted: Wanted) -> Network:
    """Network of an edge list, or of another table that stands for one."""
    name = file.name
    blocks = text.blocks(name, file.stream, wanted.encoding)
    first_blocks = list(islice(blocks, 2))
    head = first_blocks[0] if first_blocks else text.Block(b"", 0, 0)
    start = _start(name, head, wanted)
    found, sample = start.found, [row for _, row in start.rows]
    if wanted.source is None:
        _refuse_others(file.suffix, start)
    free = (wanted.source, wanted.weight, wanted.header) == (None, None, None)
    try:
        if free and adjacency_matrix.has_labels(sample, found):
            raise AmbiguousFile(
                f"{start.place}: names of nodes above and before numbers; expected an adjacency "
                "matrix, the rows of which are the nodes of its columns",
                "columns",
            )
        layout = Table(start.place, sample, start.titles, wanted, found).layout()
    except AmbiguousFile:
        every = chain([head.after(start.first - 1)], first_blocks[1:], blocks)
        rows = (row for block in every for row in found.rows(name, block.lines(), block.before))
        square = adjacency_matrix.network(name, rows, found) if free else None
        if square is None:
            raise
        return square
    whole = len(first_blocks) == 1 and len(head.text) <= SAMPLE
    if free and whole and adjacency_matrix.is_small(sample, found):
        square = adjacency_matrix.network(name, iter(start.rows), found)
        if square is not None:
            return square
    found.width, found.weight = layout.width, layout.weight
    at = layout.weight
    values = [row[at] for row in sample[layout.header :] if at is not None and len(row) > at]
    if not wanted.decimal:  # a comma where semicolons separate and weights have one
        commas = found.separator == ";" and any("," in value for value in values)
        found.decimal = "," if commas else "."
    head = head.after(start.first - (not layout.header))
    edges = _Edges(name, found, layout, needed=wanted.needs_weights)
    by_arrow = plain_edges.is_worth(head)
    for block in chain([head], first_blocks[1:], blocks):
        columns = plain_edges.parse(block, found, layout, by_arrow=by_arrow)
        if columns is None:
            edges.add_lines(block)
        elif len(columns[0]):
            edges.add_columns(block, *columns)
    if not edges.lines:
        raise InputError(f"{start.place}: a header and no edge; expected one edge a line")
    for message in found.remarks(name):
        remark(message)
    return edges.network(sample[0])


def _start(name: str, head: text.Block, wanted: Wanted) -> _Start:
    """Dialect and first rows of a file that begins with this block."""
    cut = head.text.find(b"\n", SAMPLE) + 1
    lines = head._replace(text=head.text[: cut or None]).lines()
    found, begin = dialect_of(name, lines, wanted)
    rows = list(islice(found.rows(name, lines[begin:], begin), ROWS))
    first = rows[0][0] if rows else len(lines) + 1
    above = [(k, line.strip(" ")) for k, line in enumerate(lines[: first - 1], 1) if k > begin]
    comments = [(k, line) for k, line in above if line]
    if not rows:
        last = f"{name}:{max(head.n_lines, 1)}"
        if comments:
            raise AmbiguousFile(f"{last}: comments and no data; expected one edge a line", "rows")
        raise InputError(f"{last}: no data; expected one edge a line")
    if found.keys is not None:
        titles: list[str] | None = ["source", "target", *found.keys]
    else:
        titles = heading(name, comments, rows[0][1], found, wanted)
    adjacency = any(line.lstrip(" ").startswith("# GMT ") for line in lines)
    return _Start(f"{name}:{first}", first, found, rows, titles, adjacency)


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


class _Edges:
    """Edges of a file, in its order."""

    def __init__(self, name: str, found: Dialect, layout: Layout, *, needed: bool) -> None:
        self.name, self.found, self.layout, self.needed = name, found, layout, needed
        self.ends = Ends()
        self.lines: list[Sequence[int]] = []  # number of the line of each edge, by blocks
        self.weights = array("d")  # NaN where no number can be read
        self.reason = ""  # for the first of those

    def add_columns(self, block: text.Block, tails: Any, heads: Any, weights: Any) -> None:
        """Take a block of an edge a line."""
        self.ends.add(tails, heads)
        self.lines.append(range(block.before + 1, block.before + 1 + len(tails)))
        if weights is not None:
            self.weights.frombytes(np.ascontiguousarray(weights).data.cast("B"))

    def add_lines(self, block: text.Block) -> None:
        """Take a block of any lines, one by one."""
        found, layout, width = self.found, self.layout, self.layout.width
        tails: list[str] = []
        heads: list[str] = []
        lines = array("q")
        for number, row in found.rows(self.name, block.lines(), block.before):
            if len(row) != width:
                row = self._of_width(row, number)
            pair = row[layout.source], row[layout.target]
            pairs = [pair]
            if layout.direction is not None and self._is_undirected(row[layout.direction], number):
                pairs.append(pair[::-1])
            for tail, head in pairs:
                tails.append(tail)
                heads.append(head)
                lines.append(number)
                if layout.weight is not None:
                    self.weights.append(self._weight(row[layout.weight], number))
        if lines:
            self.ends.add(tails, heads)
            self.lines.append(lines)

    def _of_width(self, row: list[str], number: int) -> list[str]:
        """A row of another length: without weight, or with empty fields behind the last."""
        layout, width = self.layout, self.layout.width
        least = max(*layout.ends, layout.direction or 0) + 1
        lacks_weight = layout.short and len(row) == width - 1
        empty_end = len(row) > width and not any(row[width:])
        if len(row) < least or not (layout.by_number or lacks_weight or empty_end):
            found = f"{len(row)} columns; expected {width} as in the first line"
            raise InputError(f"{self.name}:{number}: {found}")
        return [*row, *[""] * (width - len(row))]

    def _is_undirected(self, kind: str, number: int) -> bool:
        """What Gephi says of an edge."""
        if kind.lower() not in DIRECTIONS:
            found = f"type {kind!r}; expected Directed or Undirected"
            raise InputError(f"{self.name}:{number}: {found}")
        return kind.lower() == "undirected"

    def _weight(self, field: str, number: int) -> float:
        try:
            return self.found.number(field)
        except ValueError:
            comma = self.found.decimal == "." and "," in field
            ways = ("decimal", "columns") if comma else ("columns",)
            found = f"{self.name}:{number}: weight {field!r}; expected a number"
            if self.needed:
                raise AmbiguousFile(found, *ways) from None
            self.reason = self.reason or found
            return np.nan

    def place(self, k: int) -> str:
        """Where an edge stands in the file."""
        return f"{self.name}:{next(islice(chain.from_iterable(self.lines), k, None))}"

    def network(self, first: Sequence[str]) -> Network:
        """Network of the edges; `first` are the fields of the first row."""
        names, tails, heads = self.ends.numbered()

        def weights() -> NDArray[np.float64]:
            if self.reason:
                raise InputError(self.reason)
            return np.frombuffer(self.weights)

        if "" in names:
            empty = names.index("")
            k = int(np.argmax((tails == empty) | (heads == empty)))
            raise InputError(f"{self.place(k)}: an empty name; expected a name for both nodes")
        if self.layout.unsure:
            self._check_first(names, tails, heads, first)
        if self.ends.are_texts:
            _tell_spellings(self.name, names)
        read = None if self.layout.weight is None else weights
        return weighted_network(tails, heads, names, self.place, read, needed=self.needed)

    def _check_first(
        self, names: Sequence[str], tails: NDArray[Any], heads: NDArray[Any], first: Sequence[str]
    ) -> None:
        """Refuse a first line that may be a header, and a header that may be an edge."""
        two = [first[end] for end in self.layout.ends]
        found = ""
        if self.layout.header:
            again = next((one for one in two if one in set(names)), None)
            if again is not None:
                found = f"the first line {two} may be a header, and {again!r} is a node as well"
                found = f"{self.name}: {found}"
        elif len(tails) > 1 and not any(map(is_number, two)):
            ahead = max(tails[0], heads[0])  # words are in order of appearance
            alone = min(tails[1:].min(), heads[1:].min()) > ahead
            numbered = all(map(INTEGER.fullmatch, names[ahead + 1 :]))
            if alone and (self.layout.weight is None or numbered):
                found = f"the names {two}, which no other line has: a header or an edge"
                found = f"{self.place(0)}: {found}"
        if found:
            known = f"{found}; expected a header with {KNOWN}"
            raise AmbiguousFile(known, "columns", "no header")


def _tell_spellings(name: str, names: Sequence[str]) -> None:
    """Remark where a number is the name of two nodes, in two spellings, as 1e+05 and 100000."""
    odd = list(filter(_ODD.fullmatch, names))
    known: dict[str, str] = {}  # by text: a file can choose numbers of one hash
    for one in chain(filter(INTEGER.fullmatch, names), odd) if odd else ():
        other = known.setdefault(str(_EXACT.normalize(Decimal(one))), one)
        if other != one:
            remark(
                f"{name}: {one!r} and {other!r} are two nodes, though one number; write it in one "
                "way if they are the same"
            )
            return
