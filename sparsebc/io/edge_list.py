"""Edge lists: text with one edge per line."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from . import adjacency_matrix, plain_edges, text
from .columns import DIRECTIONS, KNOWN, AmbiguousFile, Wanted, is_number, remark
from .dialect import ROWS, Dialect, dialect_of, heading
from .layout import Layout, Table
from .network import INTEGER, Network, weighted_network
from .numbering import Column, Ends, Numbered
from .source import Source

SAMPLE = 1 << 16  # bytes of the first lines, from which dialect and columns are inferred
# Numbers in any form but that of `INTEGER`.
_ODD = re.compile(
    rf"(?!(?:{INTEGER.pattern})\Z)[+-]?([0-9]{{1,99}}\.?[0-9]{{0,99}}|\.[0-9]{{1,99}})"
    r"([eE][+-]?[0-9]{1,3})?"
)
_EXACT = Context(prec=200)


def read(file: Source, wanted: Wanted) -> Network:
    """Network of an edge list, or of an adjacency matrix."""
    found = edges(file, wanted)
    return found if isinstance(found, Network) else found.network()


def edges(file: Source, wanted: Wanted) -> Edges | Network:
    """Edges of a table, in file order; of an adjacency matrix, its network."""
    name = file.name
    blocks = text.blocks(name, file.stream, wanted.encoding)
    head = next(blocks, text.Block(b""))
    lines = head._replace(text=head.text[: head.text.find(b"\n", SAMPLE) + 1 or None]).lines()
    dialect, begin = dialect_of(name, lines, wanted)
    sample = list(islice(dialect.rows(name, lines[begin:], begin), ROWS))
    begun = enumerate(lines[begin : sample[0][0] - 1 if sample else None], begin + 1)
    comments = [(number, line.strip(" ")) for number, line in begun if line.strip(" ")]
    if not sample:
        last, expected = f"{name}:{max(len(lines), 1)}", "expected one edge a line"
        if comments:
            raise AmbiguousFile(f"{last}: comments and no data; {expected}", "rows")
        raise InputError(f"{last}: no data; {expected}")
    first, rows = sample[0][0], [row for _, row in sample]
    titles = heading(name, comments, rows[0], dialect, wanted)
    free = (wanted.source, wanted.weight, wanted.header) == (None, None, None)
    if free and titles is None and not wanted.extras and adjacency_matrix.fits(sample, dialect):
        rest = (one for block in blocks for one in dialect.rows(name, block.lines(), block.before))
        return adjacency_matrix.network(
            name, chain(dialect.rows(name, head.after(first - 1).lines(), first - 1), rest), dialect
        )
    table = Table(f"{name}:{first}", rows, titles, wanted, dialect)
    layout = table.layout()
    dialect.widths, dialect.weight = frozenset(map(len, rows)), layout.weight
    edges = Edges(name, dialect, layout, wanted)
    head = head.after(first - (not layout.header))
    by_arrow = plain_edges.is_worth(head)
    for block in chain([head], blocks):
        columns = plain_edges.parse(block, dialect, layout, by_arrow=by_arrow)
        if columns is None:
            edges.add_lines(block)
        elif len(columns.ends[0]):
            edges.add_columns(block, columns)
    if not edges.lines:
        raise InputError(f"{name}:{first}: a header and no edge; expected one edge a line")
    dialect.remark(name)
    if layout.header or layout.unsure:
        above = table.titles if layout.header else rows[0]
        edges.first = [above[end] for end in layout.ends if max(layout.ends) < len(above)]
    return edges


class Edges:
    """Edges of a file, in file order."""

    def __init__(self, name: str, dialect: Dialect, layout: Layout, wanted: Wanted) -> None:
        self.name, self.found, self.layout, self.wanted = name, dialect, layout, wanted
        self.first: list[str] = []  # ends in the first row, if it is or may be a header
        self.ends = Ends()
        self.extras: list[list[Column]] = [[] for _ in layout.extras]  # by blocks
        self.lines: list[Sequence[int]] = []  # line number of each edge, by blocks
        self.weights = array("d")  # NaN for a field that is not a number
        self.reason = ""  # error message of the first such field

    def add_columns(self, block: text.Block, columns: plain_edges.Columns) -> None:
        """Add the edges of a block of plain lines."""
        self.ends.add(*columns.ends)
        self.lines.append(range(block.before + 1, block.before + 1 + len(columns.ends[0])))
        if columns.weights is not None:
            self.weights.frombytes(np.ascontiguousarray(columns.weights).data.cast("B"))
        self._add_extras(columns.extras)

    def _add_extras(self, columns: Sequence[Column]) -> None:
        """Add the extra columns of a block."""
        for extra, column in zip(self.extras, columns, strict=True):
            extra.append(column)

    def add_lines(self, block: text.Block) -> None:
        """Add the edges of a block that is parsed line by line."""
        dialect, layout = self.found, self.layout
        (source, target), weight, direction = layout.ends, layout.weight, layout.direction
        tails: list[str] = []
        heads: list[str] = []
        extras: list[list[str]] = [[] for _ in layout.extras]
        lines = array("q")
        for number, row in dialect.rows(self.name, block.lines(), block.before):
            if len(row) != layout.width:
                row = self._of_width(row, number)
            ends = row[source], row[target]
            both = direction is not None and self._is_undirected(row[direction], number)
            for tail, head in (ends, ends[::-1]) if both else (ends,):
                tails.append(tail)
                heads.append(head)
                lines.append(number)
                if weight is not None:
                    self.weights.append(self._weight(row[weight], number))
                for extra, place in zip(extras, layout.extras, strict=True):
                    extra.append(row[place])
        if lines:
            self.ends.add(tails, heads)
            self.lines.append(lines)
            self._add_extras(extras)

    def _of_width(self, row: list[str], number: int) -> list[str]:
        """Row padded to the width of the table; refused if too short or with data beyond."""
        layout = self.layout
        is_longer = any(row[layout.width :]) and not layout.by_number
        if is_longer or len(row) <= max(*layout.ends, layout.direction or 0, *layout.extras):
            problem = f"{len(row)} columns; expected {layout.width} as in the first line"
            raise InputError(f"{self.name}:{number}: {problem}")
        return [*row, *[""] * (layout.width - len(row))]

    def _is_undirected(self, kind: str, number: int) -> bool:
        """Whether a value of the column of `KINDS` says that an edge is undirected."""
        if kind.lower() not in DIRECTIONS:
            problem = f"type {kind!r}; expected Directed or Undirected"
            raise InputError(f"{self.name}:{number}: {problem}")
        return kind.lower() == "undirected"

    def _weight(self, field: str, number: int) -> float:
        """Value of a weight; NaN if the field is not a number and weights are not needed."""
        try:
            return self.found.number(field)
        except ValueError:
            problem = f"{self.name}:{number}: weight {field!r}; expected a number"
            if self.wanted.needs_weights:
                comma = self.found.decimal == "." and "," in field
                ways = ("decimal", "columns") if comma else ("columns",)
                raise AmbiguousFile(problem, *ways) from None
            self.reason = self.reason or problem
            return np.nan

    def place(self, k: int) -> str:
        """File and line of an edge, for messages."""
        return f"{self.name}:{next(islice(chain.from_iterable(self.lines), k, None))}"

    def numbered(self) -> Numbered:
        """Names of the nodes, and the node index of each tail and head; names are checked."""
        names, tails, heads = self.ends.numbered()
        if "" in names:
            empty = names.index("")
            k = int(np.argmax((tails == empty) | (heads == empty)))
            raise InputError(f"{self.place(k)}: an empty name; expected a name for both nodes")
        if self.first:
            self._check_first(names, tails, heads, self.first)
        if self.ends.are_texts:
            _warn_of_spellings(self.name, names)
        return names, tails, heads

    def network(self) -> Network:
        """Network of the edges."""
        names, tails, heads = self.numbered()

        def weights() -> NDArray[np.float64]:
            if self.reason:
                raise InputError(self.reason)
            return np.frombuffer(self.weights)

        title = None if self.layout.weight is None else self.layout.title
        return weighted_network(tails, heads, names, self.place, weights, self.wanted, title)

    def _check_first(
        self, names: Sequence[str], tails: NDArray[Any], heads: NDArray[Any], first: Sequence[str]
    ) -> None:
        """Refuse a first line that may be a header, and a header that may be an edge.

        Warn of an edge that repeats the header.
        """
        problem = ""
        if self.layout.header and not self.layout.unsure:
            if {*first} <= {*names}:
                tail, head = map(names.index, first)
                if (again := (tails == tail) & (heads == head)).any():
                    remark(
                        f"{self.place(int(np.argmax(again)))}: the titles {first} again, taken for "
                        "an edge; remove the line if it is the header of a file that was appended"
                    )
        elif self.layout.header:
            again = {*first} & {*names}
            if again:
                problem = f"{self.name}: the first line {first} may be a header, and "
                problem += f"{min(again)!r} is a node as well"
        elif len(tails) > 1 and not any(map(is_number, first)):
            ahead = max(tails[0], heads[0])  # names are numbered in order of appearance
            alone = min(tails[1:].min(), heads[1:].min()) > ahead
            numbered = all(map(INTEGER.fullmatch, names[ahead + 1 :]))
            if alone and (self.layout.weight is None or numbered):
                problem = f"{self.place(0)}: the names {first}, which no other line has: a header "
                problem += "or an edge"
        if problem:
            expected = f"{problem}; expected a header with {KNOWN}"
            raise AmbiguousFile(expected, "columns", "no header")


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
