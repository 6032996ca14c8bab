"""Layout of a table: which columns hold ends, weights, times and directions."""

from itertools import chain

from ..plain_text import quoted
from .header_row import FirstRow
from .network import INTEGER
from .remarks import AmbiguousFile, fault, remark
from .titles import (
    DIRECTIONS,
    KNOWN,
    Wanted,
    ends_of,
    extra_among,
    is_position,
    kinds_at,
    named,
    title_of,
    weight_among,
    weights_of,
)


class Layout:
    """Columns of a table, by its first rows and by what the caller names.

    Attributes
    ----------
    row : FirstRow
        The first row, which may have titles.
    width : int
        Number of columns, without empty ones at the end.
    by_number : bool
        Whether the caller names the ends by number: lines may be longer than `width`.
    ends : (int, int)
        Indices of source and target: the columns that the caller names, else those of the only
        known pair of titles, else the first two of two or three columns.
    weight : int or None
        Index of the weights: the column that the caller names, else that of the only known title,
        else the third of three columns; None if every weight is 1.
    title : str
        Title of the weights.
    extras : list of int
        Indices of the `Wanted.extras` that the table has.
    direction : int or None
        Index of the column that says which edges are undirected.
    others, places : list of int
        Indices of the extras and the direction; of all columns, the weight behind the ends.
    nameless : tuple of str
        Fields that are no name of a node; among other columns, as of MITAB, a dash is none.
    """

    def __init__(self, row: FirstRow, wanted: Wanted) -> None:
        self.row, self.width, self._wanted, self.by_number = row, row.width, wanted, False
        self.weight: int | None = None
        known = [] if wanted.header is False else ends_of(row.titles)
        if wanted.source is not None and wanted.target is not None:
            told = wanted.source, wanted.target
            self.ends = self._at(told[0]), self._at(told[1])
            if self.ends[0] == self.ends[1]:
                raise fault(row.place, f"{told[0]!r} for both ends", "two columns")
            self.by_number = all(map(self._is_number, told))
            take = self._by_number if self.by_number else self._titled
        elif len(known) == 1:
            self.ends = known[0]
            for end in self.ends:  # no other column has the title
                named(row.titles[end], row.titles, row.place)
            row.check_titles()
            take = self._titled
        else:
            self.ends = 0, 1
            self._check_order()
            take = self._in_order
        if wanted.weight is not None:
            self.weight = self._at(wanted.weight)
        take()
        self.title, self.direction = "", None
        if row.is_header or row.commented:
            if self.weight is not None and self.weight < len(row.titles):
                self.title = title_of(row.titles, self.weight)
            at = kinds_at(row.titles)
            kinds = {one[at].lower() for one in row.rows if len(one) > at} if at is not None else ()
            self.direction = None if {*DIRECTIONS}.isdisjoint(kinds) else at
        self.extras = self._extras() if wanted.extras else []
        self.others = [*self.extras, *([] if self.direction is None else [self.direction])]
        self.places = [*self.ends, *self.others]
        if self.weight is not None:
            self.places.insert(2, self.weight)
        self.nameless = ("", "-") if self.width > 3 else ("",)

    def _is_number(self, name: str) -> bool:
        """Whether a name is the number of a column, not a title of digits.

        It is a title where the caller names another column by a title.
        """
        told = (one for one in (self._wanted.source, self._wanted.target) if one is not None)
        are_numbers = all(is_position(one) and int(one) <= self.width for one in told)
        by_title = self._wanted.header or not are_numbers
        return is_position(name) and not (by_title and name in self.row.titles)

    def _at(self, name: str) -> int:
        """Index of the column with a title or number."""
        if not self._is_number(name):
            return named(name, self.row.titles, self.row.place)
        if int(name) > self.width:
            expected = f"a number from 1 to {self.width}, or a title"
            raise fault(self.row.place, f"column {name}", expected)
        return int(name) - 1

    def _titled(self) -> None:
        """Take a table with titles, in its first row or in a comment above."""
        row, titles = self.row, self.row.titles
        if self.width > len(titles):
            found = f"{len(titles)} titles above {self.width} columns"
            raise fault(row.place, found, "a title for each")
        if self._wanted.weight is None:
            self.weight = weight_among(titles, self._wanted, row.place)
        if self.weight is None and self._wanted.weighted is None and len(titles) == 3:
            if sum(self.ends) == 1 and not weights_of(titles) and any(row.numbers(2)):
                self.weight = 2
        row.with_titles(self.ends[0])

    def _by_number(self) -> None:
        """Take columns that the caller names by number."""
        told, row = self._wanted.header, self.row
        titled = told is not False and bool(row.commented or told or ends_of(row.titles))
        if self._wanted.weight is None:
            titles = row.titles if titled else []
            self.weight = weight_among(titles, self._wanted, row.place)
        row.above_numbered(self.ends[0], self.weight, titled=titled)

    def _in_order(self) -> None:
        """Take a table without titles: source, target and optionally weight."""
        wanted = self._wanted
        self.row.without_titles()
        if self.width == 3:
            self._check_times()
            if wanted.weight is None and wanted.weighted is not False:
                self.weight = 2
        if self.weight is None and wanted.weighted:
            found = f"{self.width} columns and no weights; expected a third column of numbers"
            raise AmbiguousFile(f"{self.row.place}: {found}", "columns")

    def _extras(self) -> list[int]:
        """Indices of the extra columns; the first of them may show that there is a header."""
        row = self.row
        titles = row.titles if row.is_header or row.commented else []
        found = [
            extra_among(titles, role, row.place) if told is None else self._at(told)
            for role, told in self._wanted.extras.items()
        ]
        extras = [place for place in found if place is not None]
        if len({*self.ends, *extras}) < 2 + len(extras):
            numbers = [1 + place for place in (*self.ends, *extras)]
            raise row.ambiguous(f"columns {numbers} are named; expected each of them once")
        row.above_times(extras[0], by_number=self.by_number)
        return extras

    def _check_order(self) -> None:
        """Refuse a table without known titles but of two or three columns, alike in all rows."""
        wanted, titles, lengths = self._wanted, self.row.titles, list(map(len, self.row.rows))
        uneven = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
        if (
            wanted.header
            or wanted.extras  # whether the time comes first or last is not known
            or (wanted.weight is not None and not self._is_number(wanted.weight))
            or (self.row.commented and len(titles) > 2 and weights_of(titles) != [2])
            or (uneven is not None and all(map(INTEGER.fullmatch, chain(*self.row.rows))))
            or not 1 < self.width < 4
        ):
            expected = "source, target and optionally weight, as many on each line, or a header"
            expected += f" with {KNOWN}"
            if wanted.extras:
                expected = "a header with titles of source, target and time (docs: files)"
            if uneven is None:
                found = f"{self.width} columns {quoted(titles)}; expected {expected}"
                raise self.row.ambiguous(found)
            number, row = self.row.sample[uneven]
            found = f"lines of {min(lengths)} to {max(lengths)} columns, here {quoted(row)}"
            place = f"{self.row.place.rpartition(':')[0]}:{number}"
            raise self.row.ambiguous(f"{found}; expected {expected}", place)
        if wanted.header is None and self.row.has_corner:
            found = f"an unknown header {quoted(self.row.rows[0])}; expected {KNOWN}"
            raise self.row.ambiguous(found)

    def _check_times(self) -> None:
        """Refuse or note contacts 't i j' of SocioPatterns; remark on an index as first column.

        An edge list sorted by source, whose sources are no targets, looks alike, but then weights
        come again beside the same target only by chance.
        """
        rows = self.row.rows
        if not all(len(row) == 3 and all(map(INTEGER.fullmatch, row)) for row in rows):
            return
        times, *ends = ([int(row[k]) for row in rows] for k in range(3))
        shared = {*ends[0]} & {*ends[1]}
        are_nodes = bool(shared) and not any(map(int.__eq__, *ends)) and len(rows) > 2
        if times == sorted(times) and are_nodes and {*times}.isdisjoint({*ends[0], *ends[1]}):
            found = f"{self.row.place}: three columns of integers, of which the first ascends and "
            found += "shares none with the others"
            if len({*zip(*ends, strict=True)}) < len({*zip(times, *ends, strict=True)}):
                raise AmbiguousFile(
                    f"{found}: times of contacts, or sources; expected source, target and weight",
                    *("temporal", {"source": 1, "target": 2, "weight": 3}),
                )
            remark(f"{found}, is taken for the sources:", "temporal")
        alike = len(shared) >= len({*times} & {*ends[0]})
        if self.row.counts(0) and times[0] == times[1] - 1 and (times[0] == 0 or alike):
            found = "column 1 counts the lines, and is taken for the sources"
            way = {"source": 2, "target": 3}
            remark(f"{self.row.place}: {found}; if it is an index, give", way)
