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
        number = self.found.is_number
        counted = all(row[0] == str(k) for k, row in enumerate(self.rest, 1))
        return counted and (len(self.first) > 2 or not all(number(row[-1]) for row in self.rest))

    def layout(self) -> Layout:
        """Columns of the table."""
        wanted, known = self.wanted, [plain(title) for title in self.titles]
        scores = {plain(title) for title in SCORES}
        if wanted.header is not False and known[0] == "node" and set(known) <= scores:
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
        if len(ends) > 1 or wanted.header or by_title or strange or len(self.first) < 2:
            raise self._unclear()
        return self._headless()

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

    def _may_be_names(self, ends: tuple[int, int]) -> bool:
        """Whether titles of one letter are rather names: other lines have them."""
        letters = {self.titles[end] for end in ends}
        return (
            not self.commented
            and len(self.first) == 2
            and max(map(len, letters)) == 1
            and any(letters & set(row[:2]) for row in self.rest)
        )

    def _titled(self, source: int, target: int) -> Layout:
        """Columns of a table with a header."""
        count = max(map(len, self.rest), default=0)
        if not self.commented and count > len(self.titles):
            raise InputError(
                f"{self.place}: {len(self.titles)} titles above {count} columns; expected a title "
                "for each"
            )
        weight = self._titled_weight(source, target)
        kinds = [k for k, title in enumerate(self.titles) if plain(title) == "type"]
        values = {row[kinds[0]].lower() for row in self.rest if kinds and len(row) > kinds[0]}
        return Layout(
            *(self.width, source, target, weight),
            direction=kinds[0] if values and values <= set(DIRECTIONS) else None,
            header=not self.commented,
            unsure=not self.commented and len(self.titles) == 2 and len(self.titles[source]) == 1,
            short=self.width - 1 in (weight, *weights_of(self.titles)),
        )

    def _titled_weight(self, source: int, target: int) -> int | None:
        wanted = self.wanted
        if wanted.weight is not None:
            return self._at(wanted.weight)
        weight = weight_among(self.titles, wanted, self.place)
        alone = len(self.titles) == 3 and source + target == 1 and not weights_of(self.titles)
        if weight is None and alone and wanted.weighted is None:  # the one other column
            values = [row[2] for row in self.rest if len(row) > 2]
            return 2 if any(map(self.found.is_number, values)) else None
        return weight

    def _by_number(self, source: int, target: int) -> Layout:
        """Columns that the caller has counted."""
        wanted, header = self.wanted, self.wanted.header
        weight = None
        if wanted.weight is not None:
            weight = self._at(wanted.weight)
        elif wanted.weighted:
            titles = self.titles if self.commented or header or ends_of(self.titles) else []
            weight = weight_among(titles, wanted, self.place)
        number = self.found.is_number
        if header is None and not self.commented:
            weights = [row[weight] for row in self.rows if weight is not None and len(row) > weight]
            headed = len(self.first) > (weight or 0) and not any(map(number, weights[:1]))
            headed = headed and any(map(number, weights[1:]))
            header = bool(ends_of(self.titles) or headed)
        return Layout(
            *(self.width, source, target, weight),
            header=bool(header),
            unsure=not header and self.wanted.header is None and not self.commented,
            by_number=True,
        )

    def _headless(self) -> Layout:
        """Columns of a table without header: source, target and perhaps weight."""
        lengths = {len(row) for row in self.rows}
        count = max(lengths)
        if len(lengths) > 1 and self.found.separator in " \t" and lengths not in ({2, 3}, {1, 2}):
            raise InputError(
                f"{self.place}: lines of {min(lengths)} to {count} columns, as in an adjacency "
                "list (networkx.write_adjlist), which is not read; expected the same number on "
                "each line, as networkx.write_edgelist has them"
            )
        if count > 3:
            raise self._unclear()
        if lengths == {2, 3} and self._may_be_adjacency():
            raise AmbiguousFile(
                f"{self.place}: lines of 2 and of 3 columns, all of them names: an adjacency list, "
                "or edges some of which have a weight; expected the same number on each line",
                "columns",
            )
        weight = self._third() if count == 3 else None
        if self.wanted.weighted is False:
            weight = None
        if self.wanted.weight is not None:
            weight = self._at(self.wanted.weight)
        if weight is None and self.wanted.weighted:
            raise AmbiguousFile(
                f"{self.place}: {count} columns and no weight; expected a third with numbers",
                "columns",
            )
        return Layout(
            *(self.width, 0, 1, weight),
            unsure=self.wanted.header is None and not self.commented,
            short=count == 3,
        )

    def _may_be_adjacency(self) -> bool:
        """Whether a third column has whole numbers, as the names of all nodes are."""
        return all(INTEGER.fullmatch(one) for row in self.rows for one in row)

    def _third(self) -> int | None:
        """Place of the weights, if the third column has them."""
        number = self.found.is_number
        values = [row[2] for row in self.rows if len(row) == 3]
        if len(self.first) < 3 or number(self.first[2]) or self.first[2].lower() in MISSING:
            return 2
        if self.wanted.header is False or all(value[:1].isdigit() for value in values):
            return 2  # dates and times, which are no weights, and told to be none
        if len(values) == 1 or any(map(number, values[1:])):
            raise AmbiguousFile(
                f"{self.place}: an unknown header {list(self.first)}; expected {KNOWN}", "columns"
            )
        raise sif(self.place)

    def _unclear(self) -> AmbiguousFile:
        count = len(self.titles)
        return AmbiguousFile(
            f"{self.place}: {count} columns {self.titles}; expected source, target and optionally "
            f"weight, or a header with {KNOWN}",
            "columns",
        )


def sif(place: str) -> AmbiguousFile:
    """Error for Cytoscape's SIF, the second column of which is no node."""
    return AmbiguousFile(
        f"{place}: three columns of words, as in SIF (node, relation, node), which is not read; "
        "expected source, target and optionally a number: keep the columns of nodes, as "
        "'cut -f 1,3' does",
        "columns",
    )
