"""Which columns a table has, by its first rows: no header is an edge, and no edge a header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InputError
from .columns import (
    DIRECTIONS,
    KNOWN,
    SCORES,
    AmbiguousFile,
    Wanted,
    ends_of,
    is_position,
    named,
    plain,
    weight_among,
    weights_of,
)
from .dialect import Dialect
from .network import INTEGER

MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "."}


@dataclass(frozen=True)
class Layout:
    """Places of the columns in a line."""

    width: int  # fields of a line
    source: int
    target: int
    weight: int | None = None  # None: every weight is 1
    direction: int | None = None  # column that says which edges are undirected
    header: bool = False  # the first row has titles, and is no edge
    unsure: bool = False  # that is so only if its two names are none of the other lines
    short: bool = False  # the last field, the weight, may be missing
    by_number: bool = False  # lines may be of any length that reaches the columns

    @property
    def ends(self) -> tuple[int, int]:
        """Places of the source and the target."""
        return self.source, self.target


class Table:
    """The first rows of a table, and what the caller says about it."""

    def __init__(
        self,
        place: str,
        rows: Sequence[Sequence[str]],
        commented: Sequence[str] | None,
        wanted: Wanted,
        found: Dialect,
    ) -> None:
        self.place, self.wanted, self.found = place, wanted, found
        lengths = {len(row) for row in rows[1:]}
        longer = lengths in ({len(rows[0]) + 1}, {2, 3})  # R's row names; weights here and there
        self.width = max(lengths) if longer else len(rows[0])
        used = self.width
        while used > 2 and all(len(row) < used or not row[used - 1] for row in rows):
            used -= 1  # a column without title and values: each line ends with a separator
        self.rows = [row[:used] for row in rows]
        self.first, self.rest = self.rows[0], self.rows[1:]
        self.commented = commented is not None
        titles = list(self.first if commented is None else commented)
        if not self.commented and self._has_row_names():
            titles.insert(0, "")
        self.titles = titles[:used]

    def _has_row_names(self) -> bool:
        """Whether the header lacks the title of row names 1, 2, ..., which R leaves out."""
        if not self.rest or {len(row) - len(self.first) for row in self.rest} != {1}:
            return False
        counted = all(row[0] == str(k) for k, row in enumerate(self.rest, 1))
        return counted and (len(self.first) > 2 or not all(self._numbers(-1)))

    def _numbers(self, column: int) -> list[bool]:
        """Which rows below the first have a number in a column, of those that reach it."""
        return [self.found.is_number(row[column]) for row in self.rest if len(row) > column]

    def layout(self) -> Layout:
        """Columns of the table."""
        wanted, known = self.wanted, [plain(title) for title in self.titles]
        if wanted.header is not False and known[0] == "node" and set(known) <= SCORES:
            raise InputError(
                f"{self.place}: the header {','.join(self.titles)} of a file of scores; expected "
                "edges, one a line: source, target and optionally weight"
            )
        if wanted.source is not None and wanted.target is not None:
            names = wanted.source, wanted.target
            source, target = map(self._at, names)
            if source == target:
                raise InputError(f"{self.place}: {names[0]!r} for both ends; expected two columns")
            counted = all(map(self._is_number, names))
            return self._by_number(source, target) if counted else self._titled(source, target)
        ends = [] if wanted.header is False else ends_of(self.titles)
        if len(ends) == 1 and not self._may_be_names(ends[0]):
            return self._titled(*(self._at(self.titles[end]) for end in ends[0]))
        by_title = wanted.weight is not None and not self._is_number(wanted.weight)
        strange = self.commented and len(self.titles) > 2 and weights_of(self.titles) != [2]
        lengths = {len(row) for row in self.rows}
        ragged = len(lengths) > 1 and self.found.separator in " \t"
        told = len(ends) > 1 or wanted.header or by_title or strange or len(self.first) < 2
        if not told and ragged and lengths not in ({2, 3}, {1, 2}):
            raise InputError(
                f"{self.place}: lines of {min(lengths)} to {max(lengths)} columns, as in an "
                "adjacency list (networkx.write_adjlist), which is not read; expected the same "
                "number on each line, as networkx.write_edgelist has them"
            )
        if told or max(lengths) > 3:
            raise self._ambiguous(
                f"{len(self.titles)} columns {self.titles}; expected source, target and optionally "
                f"weight, or a header with {KNOWN}"
            )
        return self._headless(lengths)

    def _ambiguous(self, problem: str) -> AmbiguousFile:
        return AmbiguousFile(f"{self.place}: {problem}", "columns")

    def _is_number(self, name: str) -> bool:
        """Whether a column is named by its number, not by a title that is one."""
        return is_position(name) and not (self.wanted.header and name in self.titles)

    def _at(self, name: str) -> int:
        """Place of a column that is named by its title or its number."""
        if not self._is_number(name):
            return named(name, self.titles, self.place)
        if int(name) > self.width:
            raise InputError(
                f"{self.place}: column {name}; expected a number from 1 to {self.width}, or a title"
            )
        return int(name) - 1

    def _weight(self, titles: Sequence[str]) -> int | None:
        """Place of the weights by the name that the caller gives, or else by a title."""
        if self.wanted.weight is not None:
            return self._at(self.wanted.weight)
        return weight_among(titles, self.wanted, self.place)

    def _may_be_names(self, ends: tuple[int, int]) -> bool:
        """Whether titles of one letter are rather names: other lines have them."""
        letters = {self.titles[end] for end in ends}
        single = not self.commented and len(self.first) == 2 and max(map(len, letters)) == 1
        return single and any(letters & set(row[:2]) for row in self.rest)

    def _titled(self, source: int, target: int) -> Layout:
        """Columns of a table with a header."""
        titles = self.titles
        count = max(map(len, self.rest), default=0)
        if not self.commented and count > len(titles):
            raise InputError(
                f"{self.place}: {len(titles)} titles above {count} columns; expected a title for "
                "each"
            )
        known, weight = weights_of(titles), self._weight(titles)
        alone = len(titles) == 3 and source + target == 1 and not known
        if weight is None and alone and self.wanted.weighted is None and any(self._numbers(2)):
            weight = 2  # the one other column
        kind = next((k for k, title in enumerate(titles) if plain(title) == "type"), self.width)
        values = {row[kind].lower() for row in self.rest if len(row) > kind}
        return Layout(
            *(self.width, source, target, weight),
            direction=kind if values and values <= set(DIRECTIONS) else None,
            header=not self.commented,
            unsure=not self.commented and len(titles) == 2 and len(titles[source]) == 1,
            short=self.width - 1 in (weight, *known),
        )

    def _by_number(self, source: int, target: int) -> Layout:
        """Columns that the caller has counted."""
        wanted = self.wanted
        titled = bool(self.commented or wanted.header or ends_of(self.titles))
        weight, header, unsure = None, bool(wanted.header), False
        if wanted.weight is not None or wanted.weighted:
            weight = self._weight(self.titles if titled else [])
        if wanted.header is None and not self.commented:
            place = weight or 0
            reached = len(self.first) > place and not self.found.is_number(self.first[place])
            header = titled or (weight is not None and reached and any(self._numbers(place)))
            unsure = not header
        return Layout(
            self.width, source, target, weight, header=header, unsure=unsure, by_number=True
        )

    def _headless(self, lengths: set[int]) -> Layout:
        """Columns of a table without header: source, target and perhaps weight."""
        count, wanted = max(lengths), self.wanted
        if lengths == {2, 3} and all(INTEGER.fullmatch(one) for row in self.rows for one in row):
            raise self._ambiguous(
                "lines of 2 and of 3 columns, all of them names: an adjacency list, or edges some "
                "of which have a weight; expected the same number on each line"
            )
        if count == 3:
            self._check_third()
        weight = 2 if count == 3 and wanted.weighted is not False else None
        if wanted.weight is not None:
            weight = self._at(wanted.weight)
        if weight is None and wanted.weighted:
            raise self._ambiguous(f"{count} columns and no weight; expected a third with numbers")
        unsure = wanted.header is None and not self.commented
        return Layout(self.width, 0, 1, weight, unsure=unsure, short=count == 3)

    def _check_third(self) -> None:
        """Refuse a third column that has no weights."""
        title = self.first[2] if len(self.first) == 3 else ""
        if title.lower() in MISSING or self.found.is_number(title):
            return
        values = [row[2] for row in self.rows if len(row) == 3]
        if self.wanted.header is False or all(value[:1].isdigit() for value in values):
            return  # dates and times, which are no weights, and told to be none
        if len(values) == 1 or any(self._numbers(2)):
            raise self._ambiguous(f"an unknown header {list(self.first)}; expected {KNOWN}")
        raise sif(self.place)


def sif(place: str) -> AmbiguousFile:
    """Error for Cytoscape's SIF, the second column of which is no node."""
    return AmbiguousFile(
        f"{place}: three columns of words, as in SIF (node, relation, node), which is not read; "
        "expected source, target and optionally a number: keep the columns of nodes, as "
        "'cut -f 1,3' does",
        "columns",
    )
