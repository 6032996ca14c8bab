"""Edges of a table of text, by blocks; the end tells whether the first line was an edge."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import quoted
from . import adjacency_matrix, plain_lines
from .columns import DIRECTIONS, KNOWN, AmbiguousFile, Wanted, is_number, remark, titles_of_ends
from .dialect import ROWS, Dialect, dialect_of, heading, marks_of
from .layout import Layout, Sample, layout_of
from .network import INTEGER, Network, weighted_network
from .numbering import Column, Ends, Numbered
from .plain_lines import Columns
from .source import Block, Source, blocks

SAMPLE = 1 << 16  # bytes of the first lines, from which dialect and columns are inferred
# Numbers in any form but that of `INTEGER`.
_ODD = re.compile(
    rf"(?!(?:{INTEGER.pattern})\Z)[+-]?([0-9]{{1,99}}\.?[0-9]{{0,99}}|\.[0-9]{{1,99}})"
    r"([eE][+-]?[0-9]{1,3})?"
)
# The first line of a file of KONECT: two columns of nodes, then weights and times.
_KONECT = re.compile(r"%\s*(sym|asym|bip)\b")
_EXACT = Context(prec=200)


def read(file: Source, wanted: Wanted) -> Network:
    """Network of an edge list, or of an adjacency matrix."""
    found = edges(file, wanted)
    return found if isinstance(found, Network) else found.network()


def edges(file: Source, wanted: Wanted) -> Edges | Network:
    """Edges of a table, in file order; of an adjacency matrix, its network."""
    name = file.name
    every = blocks(name, file.stream, wanted.encoding)
    head, lines = _begun(every, wanted)
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
    free = (wanted.source, wanted.weight, wanted.header) == (None, None, None)
    konect = _KONECT.match(comments[0][1]) if comments and free and not wanted.extras else None
    if konect:
        wanted = wanted._replace(source="1", target="2", header=False)
    titles = None if konect else heading(name, comments, rows[0], dialect, wanted)
    if (
        free
        and not konect
        and titles is None
        and not wanted.extras
        and adjacency_matrix.fits(sample, dialect)
    ):
        rest = (one for block in every for one in dialect.rows(name, block.lines(), block.before))
        return adjacency_matrix.network(
            name, chain(dialect.rows(name, head.after(first - 1).lines(), first - 1), rest), dialect
        )
    table = Sample(name, sample, titles, dialect)
    layout = layout_of(table, wanted)
    if konect and table.width > 2 and wanted.weighted is not False:
        layout = layout._replace(weight=2)
    dialect.widths, dialect.weight = frozenset(map(len, rows)), layout.weight
    edges = Edges(name, dialect, layout, wanted)
    if konect and konect[1] == "bip":
        edges.modes = True
        remark(f"{name}: a network of two modes: its nodes are named a1, a2, ... and b1, b2, ...")
    head = head.after(first - (not layout.header))
    by_arrow = plain_lines.is_worth(head)
    for block in chain([head], every):
        columns = (
            None if edges.modes else plain_lines.parse(block, dialect, layout, by_arrow=by_arrow)
        )
        if columns is None:
            edges.add_lines(block)
        elif len(columns.ends[0]):
            edges.add_columns(block, columns)
    if not edges.lines:
        raise InputError(f"{name}:{first}: a header and no edge; expected one edge a line")
    if edges.nameless:
        remark(
            f"{name}:{edges.nameless[0]}: a node without a name; such rows are left out: "
            f"{len(edges.nameless)}"
        )
    dialect.remark(name)
    if layout.header or layout.unsure:
        above = table.titles if layout.header else rows[0]
        edges.first = [above[end] for end in layout.ends if max(layout.ends) < len(above)]
        edges.counts = not layout.header and above == list(map(str, range(len(above))))
    return edges


def _begun(blocks: Iterator[Block], wanted: Wanted) -> tuple[Block, list[str]]:
    """Beginning of a file; its comments above the data, and at least `ROWS` lines of data."""
    comment = "|".join(re.escape(mark) + "[^\n]*+" for mark in marks_of(wanted))
    above = re.compile(rf"(?: *(?:{comment})?\n)*+".encode())
    parts, begin = [b""], 0
    for block in blocks:
        parts.append(block.text)
        begin = above.match(block.text).end()  # type: ignore[union-attr]
        if begin < len(block.text):
            break
    head = Block(b"".join(parts))
    begin += len(head.text) - len(parts[-1])
    rows = re.compile(rb"(?:[^\n]*+\n){%d}" % ROWS).match(head.text, begin)
    end = max(head.text.find(b"\n", begin + SAMPLE) + 1, rows.end() if rows else 0)
    return head, Block(head.text[: end or None]).lines()


class Edges:
    """Edges of a file, in file order."""

    def __init__(self, name: str, dialect: Dialect, layout: Layout, wanted: Wanted) -> None:
        self.name, self.found, self.layout, self.wanted = name, dialect, layout, wanted
        self.first: list[str] = []  # ends in the first row, if it is or may be a header
        self.counts = False  # the first row is 0, 1, ... as pandas titles columns without titles
        self.modes = False  # whether sources and targets are numbered apart
        self.skipped = 0  # 1 if the first row turned out to be no edge
        self.nameless = array("q")  # lines of rows without a name
        self.ends = Ends()
        self.extras: list[list[Column]] = [[] for _ in layout.extras]  # by blocks
        self.lines: list[Sequence[int]] = []  # line number of each edge, by blocks
        self.weights = array("d")  # NaN for a field that is not a number
        self.reasons: dict[int, str] = {}  # error messages of the first such fields, by edge

    def add_columns(self, block: Block, columns: Columns) -> None:
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

    def add_lines(self, block: Block) -> None:
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
            if layout.width > 3 and {*ends} & {*layout.nameless}:
                self.nameless.append(number)
                continue
            if self.modes:
                ends = f"a{ends[0]}", f"b{ends[1]}"
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
            problem = f"type {quoted(kind)}; expected Directed or Undirected"
            raise InputError(f"{self.name}:{number}: {problem}")
        return kind.lower() == "undirected"

    def _weight(self, field: str, number: int) -> float:
        """Value of a weight; NaN if the field is not a number and weights are not needed."""
        try:
            return self.found.number(field)
        except ValueError:
            problem = f"{self.name}:{number}: weight {quoted(field)}; expected a number"
            if self.wanted.needs_weights:
                comma = self.found.decimal == "." and "," in field
                ways = ("decimal", "columns") if comma else ("columns",)
                raise AmbiguousFile(problem, *ways) from None
            if len(self.reasons) < 2:  # the first may be skipped
                self.reasons[len(self.weights)] = problem
            return np.nan

    def place(self, k: int) -> str:
        """File and line of an edge, for messages."""
        every = chain.from_iterable(self.lines)
        return f"{self.name}:{next(islice(every, k + self.skipped, None))}"

    def numbered(self) -> Numbered:
        """Names of the nodes, and the node index of each tail and head; names are checked."""
        names, tails, heads = self.ends.numbered()
        if "" in names:
            empty = names.index("")
            k = int(np.argmax((tails == empty) | (heads == empty)))
            raise InputError(f"{self.place(k)}: an empty name; expected a name for both nodes")
        if self.first:
            names, tails, heads = self._judged(names, tails, heads, self.first)
        if self.ends.are_texts:
            _warn_of_spellings(self.name, names)
        return names, tails, heads

    def network(self) -> Network:
        """Network of the edges."""
        names, tails, heads = self.numbered()

        def weights() -> NDArray[np.float64]:
            for reason in (self.reasons[k] for k in self.reasons if k >= self.skipped):
                raise InputError(reason)
            return np.frombuffer(self.weights)[self.skipped :]

        title = None if self.layout.weight is None else self.layout.title
        return weighted_network(tails, heads, names, self.place, weights, self.wanted, title)

    def _judged(
        self, names: tuple[str, ...], tails: NDArray[Any], heads: NDArray[Any], first: list[str]
    ) -> Numbered:
        """The edges without a first line that is none; refused if it may be a header.

        Refuse a header that may be an edge, and warn of an edge that repeats the header.
        """
        if self.layout.header and not self.layout.unsure:
            if {*first} <= {*names}:
                tail, head = map(names.index, first)
                if (again := (tails == tail) & (heads == head)).any():
                    remark(
                        f"{self.place(int(np.argmax(again)))}: the titles {quoted(first)} again, "
                        "taken for an edge; remove the line if it heads a file that was appended"
                    )
        elif self.layout.header:
            if again := {*first} & {*names}:
                found = f"the first line {quoted(first)} may be a header, and"
                raise self._doubted(self.name, f"{found} {quoted(min(again))} is a node as well")
        elif len(tails) > 1:
            return self._headless(names, tails, heads, first)
        return names, tails, heads

    def _headless(
        self, names: tuple[str, ...], tails: NDArray[Any], heads: NDArray[Any], first: list[str]
    ) -> Numbered:
        """The edges of a table whose first line has no known titles."""
        there = np.zeros(len(names), dtype=bool)  # nodes of the other lines
        there[tails[1:]] = there[heads[1:]] = True
        alone = [not there[end[0]] for end in (tails, heads)]
        others = [names[v] for v in np.flatnonzero(there)] if any(alone) else names
        what = ""
        if self._has_sizes(first, others, len(tails) - 1, int(there.sum())):
            what = "the numbers of nodes and edges"
        elif self.counts and all(alone) and not any(map(is_number, others)):
            what = "titles of columns"
        if what:
            remark(f"{self.place(0)}: {quoted(first)} is taken for {what}: give", "no header")
            self.skipped, rank = 1, np.cumsum(there) - 1
            names = tuple([name for name, is_there in zip(names, there, strict=True) if is_there])
            return names, rank[tails[1:]], rank[heads[1:]]
        if self.counts and any(alone) and self.found.separator != " ":
            rare = first[alone.index(True)]
            remark(
                f"{self.place(0)}: {first} is taken for an edge, and {rare!r} is on no other line; "
                "if they are titles, give",
                {"source": first[0], "target": first[1]},
            )
        elif all(alone) and self._may_be_titles(first, others):
            found = f"the names {quoted(first)}, which no other line has: a header or an edge"
            raise self._doubted(self.place(0), found)
        return names, tails, heads

    def _doubted(self, place: str, found: str) -> AmbiguousFile:
        """Error about a first line that may be a header."""
        way = titles_of_ends(*self.first) or "columns"
        return AmbiguousFile(f"{place}: {found}; expected a header with {KNOWN}", way, "no header")

    def _has_sizes(self, first: list[str], others: Sequence[str], m: int, n: int) -> bool:
        """Whether the first line has the numbers of nodes, n or more, and of the edges below, m."""
        if not all(map(INTEGER.fullmatch, first)) or int(first[1]) != m:
            return False
        most = int(first[0])
        return most == n or all(
            INTEGER.fullmatch(name) and 0 <= int(name) <= most for name in others
        )

    def _may_be_titles(self, first: list[str], others: Sequence[str]) -> bool:
        """Whether names that no other line has may be titles: of another kind than the names."""
        if any(map(is_number, first)):
            title = self.weights[0] if self.weights else 0.0
            return title.is_integer() and not any(map(is_number, others))
        return self.layout.weight is None or all(map(INTEGER.fullmatch, others))


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
