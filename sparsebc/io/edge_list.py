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


class _Sample(NamedTuple):
    """What the first lines of a file tell."""

    place: str  # of the first row
    first: int  # number of its line
    found: Dialect
    numbered: list[tuple[int, list[str]]]  # the first rows, by the numbers of their lines
    titles: list[str] | None  # in a comment


def read(file: Source, wanted: Wanted) -> Network:
    """Network of an edge list, or of another table that stands for one."""
    blocks = text.blocks(file.name, file.stream, wanted.encoding)
    head = next(blocks, text.Block(b"", 0, 0))
    sample = _sample(file, head, wanted)
    found, rows = sample.found, [row for _, row in sample.numbered]
    free = (wanted.source, wanted.weight, wanted.header) == (None, None, None)
    try:
        if free and adjacency_matrix.has_labels(rows, found):
            raise AmbiguousFile(
                f"{sample.place}: names of nodes above and before numbers; expected an adjacency "
                "matrix, the rows of which are the nodes of its columns",
                "columns",
            )
        layout = Table(sample.place, rows, sample.titles, wanted, found).layout()
    except AmbiguousFile:
        every = chain([head.after(sample.first - 1)], blocks)
        lines = (row for one in every for row in found.rows(file.name, one.lines(), one.before))
        square = adjacency_matrix.network(file.name, lines, found) if free else None
        if square is None:
            raise
        return square
    if free and len(head.text) <= SAMPLE and adjacency_matrix.is_small(rows, found):
        square = adjacency_matrix.network(file.name, iter(sample.numbered), found)
        if square is not None:
            return square
    found.width, found.weight = layout.width, layout.weight
    if not wanted.decimal:  # a comma where semicolons separate and weights have one
        at = layout.width if layout.weight is None else layout.weight
        commas = any("," in row[at] for row in rows[layout.header :] if len(row) > at)
        found.decimal = "," if found.separator == ";" and commas else "."
    edges = _Edges(file.name, found, layout, needed=wanted.needs_weights)
    head = head.after(sample.first - (not layout.header))
    by_arrow = plain_edges.is_worth(head)
    for block in chain([head], blocks):
        columns = plain_edges.parse(block, found, layout, by_arrow=by_arrow)
        if columns is None:
            edges.add_lines(block)
        elif len(columns[0]):
            edges.add_columns(block, *columns)
    if not edges.lines:
        raise InputError(f"{sample.place}: a header and no edge; expected one edge a line")
    for message in found.remarks(file.name):
        remark(message)
    return edges.network([rows[0][end] for end in layout.ends] if layout.unsure else [])


def _sample(file: Source, head: text.Block, wanted: Wanted) -> _Sample:
    """Dialect and first rows of a file that begins with this block."""
    name, cut = file.name, head.text.find(b"\n", SAMPLE) + 1
    lines = head._replace(text=head.text[: cut or None]).lines()
    found, begin = dialect_of(name, lines, wanted)
    numbered = list(islice(found.rows(name, lines[begin:], begin), ROWS))
    first = numbered[0][0] if numbered else len(lines) + 1
    above = enumerate((line.strip(" ") for line in lines[begin : first - 1]), begin + 1)
    comments = [(number, line) for number, line in above if line]
    if not numbered:
        last = f"{name}:{max(head.n_lines, 1)}"
        if comments:
            raise AmbiguousFile(f"{last}: comments and no data; expected one edge a line", "rows")
        raise InputError(f"{last}: no data; expected one edge a line")
    if found.keys is not None:
        titles: list[str] | None = ["source", "target", *found.keys]
    else:
        titles = heading(name, comments, numbered[0][1], found, wanted)
    place = f"{name}:{first}"
    if wanted.source is None and file.suffix == ".sif":
        raise sif(place)
    by_networkx = any(line.lstrip(" ").startswith("# GMT ") for line in lines)
    if wanted.source is None and (file.suffix == ".adjlist" or by_networkx):
        raise AmbiguousFile(
            f"{place}: an adjacency list, as networkx.write_adjlist has them, which is not "
            "read; expected an edge list, as networkx.write_edgelist has them",
            "columns",
        )
    return _Sample(place, first, found, numbered, titles)


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
        found, layout = self.found, self.layout
        tails: list[str] = []
        heads: list[str] = []
        lines = array("q")
        for number, row in found.rows(self.name, block.lines(), block.before):
            if len(row) != layout.width:
                row = self._of_width(row, number)
            ends = row[layout.source], row[layout.target]
            both = layout.direction is not None and self._is_undirected(
                row[layout.direction], number
            )
            for tail, head in (ends, ends[::-1]) if both else (ends,):
                tails.append(tail)
                heads.append(head)
                lines.append(number)
                if layout.weight is not None:
                    self.weights.append(self._weight(row[layout.weight], number))
        if lines:
            self.ends.add(tails, heads)
            self.lines.append(lines)

    def _error(self, number: int, problem: str) -> InputError:
        return InputError(f"{self.name}:{number}: {problem}")

    def _of_width(self, row: list[str], number: int) -> list[str]:
        """A row of another length: without weight, or with empty fields behind the last."""
        layout, width = self.layout, self.layout.width
        least = max(*layout.ends, layout.direction or 0) + 1
        lacks_weight = layout.short and len(row) == width - 1
        empty_end = len(row) > width and not any(row[width:])
        if len(row) < least or not (layout.by_number or lacks_weight or empty_end):
            problem = f"{len(row)} columns; expected {width} as in the first line"
            raise self._error(number, problem)
        return [*row, *[""] * (width - len(row))]

    def _is_undirected(self, kind: str, number: int) -> bool:
        """What Gephi says of an edge."""
        if kind.lower() not in DIRECTIONS:
            raise self._error(number, f"type {kind!r}; expected Directed or Undirected")
        return kind.lower() == "undirected"

    def _weight(self, field: str, number: int) -> float:
        try:
            return self.found.number(field)
        except ValueError:
            problem = f"{self.name}:{number}: weight {field!r}; expected a number"
            if self.needed:
                comma = self.found.decimal == "." and "," in field
                ways = ("decimal", "columns") if comma else ("columns",)
                raise AmbiguousFile(problem, *ways) from None
            self.reason = self.reason or problem
            return np.nan

    def place(self, k: int) -> str:
        """Where an edge stands in the file."""
        return f"{self.name}:{next(islice(chain.from_iterable(self.lines), k, None))}"

    def network(self, first: Sequence[str]) -> Network:
        """Network of the edges; `first` are the ends in the first row."""
        names, tails, heads = self.ends.numbered()
        if "" in names:
            empty = names.index("")
            k = int(np.argmax((tails == empty) | (heads == empty)))
            raise InputError(f"{self.place(k)}: an empty name; expected a name for both nodes")
        if self.layout.unsure:
            self._check_first(names, tails, heads, first)
        if self.ends.are_texts:
            _tell_spellings(self.name, names)

        def weights() -> NDArray[np.float64]:
            if self.reason:
                raise InputError(self.reason)
            return np.frombuffer(self.weights)

        read = None if self.layout.weight is None else weights
        return weighted_network(tails, heads, names, self.place, read, needed=self.needed)

    def _check_first(
        self, names: Sequence[str], tails: NDArray[Any], heads: NDArray[Any], first: Sequence[str]
    ) -> None:
        """Refuse a first line that may be a header, and a header that may be an edge."""
        problem = ""
        if self.layout.header:
            again = next((one for one in first if one in set(names)), None)
            if again is not None:
                problem = f"{self.name}: the first line {first} may be a header, and {again!r} is a"
                problem += " node as well"
        elif len(tails) > 1 and not any(map(is_number, first)):
            ahead = max(tails[0], heads[0])  # words are in order of appearance
            alone = min(tails[1:].min(), heads[1:].min()) > ahead
            numbered = all(map(INTEGER.fullmatch, names[ahead + 1 :]))
            if alone and (self.layout.weight is None or numbered):
                problem = f"{self.place(0)}: the names {first}, which no other line has: a header "
                problem += "or an edge"
        if problem:
            expected = f"{problem}; expected a header with {KNOWN}"
            raise AmbiguousFile(expected, "columns", "no header")


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
