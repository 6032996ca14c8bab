"""Layout of a table, inferred from its first rows: which columns it has, and whether a header."""

import re
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

from ..errors import InputError
from ..plain_text import quoted
from .columns import (
    DIRECTIONS,
    ENDS,
    KINDS,
    KNOWN,
    LETTERS,
    AmbiguousFile,
    Wanted,
    ends_of,
    is_position,
    named,
    plain,
    remark,
    title_of,
    titles_of_ends,
    weight_among,
    weights_of,
)
from .dialect import Dialect, Row
from .network import INTEGER

HEADER = f"a header with {KNOWN}"
# Words in which the titles of two ends may differ, as gene_a and gene_b.
APART = (
    *(("source", "target"), ("from", "to"), ("start", "end"), ("a", "b"), ("i", "j"), ("u", "v")),
    *(("x", "y"), ("1", "2"), ("0", "1")),
)
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MANY = 50  # columns that are compared
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "."}


class Layout(NamedTuple):
    """Column indices of a table."""

    width: int  # fields of a line
    ends: tuple[int, int]  # source and target
    weight: int | None = None  # None: every weight is 1
    direction: int | None = None  # column that says which edges are undirected
    header: bool = False  # the first row has titles
    unsure: bool = False  # `header` is to be checked against the names in the other rows
    by_number: bool = False  # the caller names columns by number: lines may be longer than `width`
    title: str = ""  # of the weights
    extras: tuple[int, ...] = ()  # of the `Wanted.extras` that the table has

    @property
    def nameless(self) -> tuple[str, ...]:
        """Fields that are no name of a node; among other columns, as of MITAB, a dash is none."""
        return ("", "-") if self.width > 3 else ("",)


class Table:
    """First rows of a table with the caller's arguments, from which its layout is inferred."""

    def __init__(
        self,
        name: str,
        sample: Sequence[Row],
        commented: Sequence[str] | None,
        wanted: Wanted,
        dialect: Dialect,
    ) -> None:
        rows = [row for _, row in sample]
        number, self.other = next((one for one in sample if len(one[1]) != len(rows[0])), sample[0])
        self.place, self.uneven = f"{name}:{sample[0][0]}", f"{name}:{number}"
        self.wanted, self.dialect = wanted, dialect
        self.first, self.rest, self.commented = rows[0], rows[1:], commented is not None
        self.titles = list(self.first if commented is None else commented)
        if not self.commented and self._has_row_names():
            self.titles.insert(0, "")
        self.lengths = {len(row) for row in rows}
        self.width = max(self.lengths)
        while self.width > 2 and not any("".join(row[self.width - 1 :]) for row in rows):
            self.width -= 1  # a column without title and values: each line ends with a separator
        del self.titles[self.width :]

    def _has_row_names(self) -> bool:
        """Whether rows begin with names 1, 2, ... that have no title, as R writes them."""
        if {len(row) - len(self.first) for row in self.rest} != {1}:
            return False
        counted = all(row[0] == str(k) for k, row in enumerate(self.rest, 1))
        return counted and (len(self.first) > 2 or not all(self._numbers(-1)))

    def _numbers(self, column: int) -> list[bool]:
        """Mask of numbers in a column, over the rows below the first that have the column."""
        return [self.dialect.is_number(row[column]) for row in self.rest if len(row) > column]

    def layout(self) -> Layout:
        """Layout of the table."""
        layout = self._of_edges()
        titled, weight = layout.header or self.commented, layout.weight
        if titled and weight is not None and weight < len(self.titles):
            layout = layout._replace(title=title_of(self.titles, weight))
        return self._with_extras(layout) if self.wanted.extras else layout

    def _with_extras(self, layout: Layout) -> Layout:
        """Layout with the extra columns; the first of them may show that there is a header."""
        wanted, header = self.wanted, layout.header
        titles = self.titles if header or self.commented else []
        told = [None if one.told is None else self._at(one.told) for one in wanted.extras]
        found = [
            extra.place(titles, self.place) if place is None else place
            for extra, place in zip(wanted.extras, told, strict=True)
        ]
        extras = tuple(place for place in found if place is not None)
        if len({*layout.ends, *extras}) < 2 + len(extras):
            numbers = [1 + place for place in (*layout.ends, *extras)]
            raise self._ambiguous(f"columns {numbers} are named; expected each of them once")
        if wanted.header is None and not self.commented:  # a time has digits, and its title none
            fields = [row[extras[0]] for row in (self.first, *self.rest) if len(row) > extras[0]]
            digits = [any(map(str.isdigit, field)) for field in fields]
            header &= not (layout.by_number and fields[0].lstrip("+-")[:1].isdigit())
            header |= not digits[0] and any(digits[1:])
        return layout._replace(header=header, unsure=False, extras=extras)

    def _of_edges(self) -> Layout:
        """Layout of the ends and the weight."""
        wanted, titles = self.wanted, self.titles
        if wanted.source is not None and wanted.target is not None:
            names = wanted.source, wanted.target
            source, target = map(self._at, names)
            if source == target:
                raise InputError(f"{self.place}: {names[0]!r} for both ends; expected two columns")
            counted = all(map(self._is_number, names))
            return (self._by_number if counted else self._titled)((source, target))
        ends = [] if wanted.header is False else ends_of(titles)
        if len(ends) == 1:
            source, target = (named(titles[end], titles, self.place) for end in ends[0])
            self._check_titles()
            return self._titled((source, target))
        by_title = wanted.weight is not None and not self._is_number(wanted.weight)
        is_unknown = self.commented and len(titles) > 2 and weights_of(titles) != [2]
        fields = [one for row in (self.first, *self.rest) for one in row]
        either = len(self.lengths) > 1 and all(map(INTEGER.fullmatch, fields))
        is_unknown |= bool(wanted.extras)  # whether the time comes first or last is not known
        if wanted.header or by_title or is_unknown or either or not 1 < self.width < 4:
            expected = f"source, target and optionally weight, as many on each line, or {HEADER}"
            if wanted.extras:
                expected = "a header with titles of source, target and time (docs: files)"
            if len(self.lengths) > 1:
                found = f"lines of {min(self.lengths)} to {max(self.lengths)} columns"
                found += f", here {quoted(self.other)}"
                raise self._ambiguous(f"{found}; expected {expected}", self.uneven)
            raise self._ambiguous(f"{self.width} columns {quoted(titles)}; expected {expected}")
        if wanted.header is None and self._has_corner():
            raise self._ambiguous(f"an unknown header {quoted(list(self.first))}; expected {KNOWN}")
        return self._headless()

    def _has_corner(self) -> bool:
        """Whether the first row begins with an empty field, above an index, as pandas writes it."""
        return not self.first[0] and all(row[0] for row in self.rest)

    def _check_titles(self) -> None:
        """Refuse a first line with the titles of ends and otherwise only numbers: an edge may."""
        names = {*map(plain, chain(*ENDS, *LETTERS))}
        others = [title for title in self.titles if title and plain(title) not in names]
        in_doubt = self.wanted.header is None and not self.commented and not self.wanted.extras
        if in_doubt and others and all(map(self.dialect.is_number, others)):
            problem = f"{self.place}: a header or an edge {quoted(list(self.first))}"
            raise AmbiguousFile(f"{problem}; expected titles in words", "titles", "no header")

    def _ambiguous(self, problem: str, place: str = "") -> AmbiguousFile:
        likely = None if self.wanted.extras else self._likely()
        return AmbiguousFile(f"{place or self.place}: {problem}", likely or self.wanted.naming)

    def _likely(self) -> dict[str, int | str] | None:
        """Columns that may be the ends: titles that differ in a word, or most values in common."""
        may_be_titled = self.commented or not any(map(self.dialect.is_number, self.first))
        titled = self.titles[:_MANY] if may_be_titled or self._has_corner() else []
        words = [tuple(map(str.lower, _WORD.findall(title))) for title in titled]
        for one, other in APART:
            for k, title in enumerate(words):
                turned = tuple(other if word == one else word for word in title)
                if turned != title and turned in words:
                    ends = titles_of_ends(titled[k], titled[words.index(turned)])
                    if ends is not None:
                        return ends
        rows = [row for row in (self.first, *self.rest) if len(row) == self.width]
        columns = [{*column} - MISSING for column in list(zip(*rows, strict=True))[:_MANY]]
        pairs = [pair for pair in combinations(range(len(columns)), 2) if not self._counts(pair[0])]
        shared = [len(columns[k] & columns[j]) for k, j in pairs]
        if not any(shared):
            return None
        source, target = pairs[shared.index(max(shared))]
        return {"source": source + 1, "target": target + 1}

    def _counts(self, column: int) -> bool:
        """Whether a column counts the rows, as an index does."""
        fields = [row[column] for row in self.rest if len(row) > column]
        counted = (list(map(str, range(k, k + len(fields)))) for k in (0, 1, 2))
        return len(fields) > 1 and fields in counted

    def _is_number(self, name: str) -> bool:
        """Whether a name is the number of a column, not a title of digits.

        It is a title where the caller names another column by a title.
        """
        wanted = self.wanted
        told = [one for one in (wanted.source, wanted.target) if one is not None]
        by_title = wanted.header or not all(
            is_position(one) and int(one) <= self.width for one in told
        )
        return is_position(name) and not (by_title and name in self.titles)

    def _at(self, name: str) -> int:
        """Index of the column with a title or number."""
        if not self._is_number(name):
            return named(name, self.titles, self.place)
        if int(name) > self.width:
            raise InputError(
                f"{self.place}: column {name}; expected a number from 1 to {self.width}, or a title"
            )
        return int(name) - 1

    def _weight(self, titles: Sequence[str]) -> int | None:
        """Index of the weights: of the column that the caller names, else of a known title."""
        if self.wanted.weight is not None:
            return self._at(self.wanted.weight)
        return weight_among(titles, self.wanted, self.place)

    def _direction(self, titles: Sequence[str]) -> int | None:
        """Index of the column of `KINDS` if it says which edges are undirected."""
        kind = next((k for k, title in enumerate(titles) if plain(title) in KINDS), self.width)
        values = {row[kind].lower() for row in (self.first, *self.rest) if len(row) > kind}
        return kind if values & set(DIRECTIONS) else None

    def _titled(self, ends: tuple[int, int]) -> Layout:
        """Layout of a table with titles."""
        titles = self.titles
        if self.width > len(titles):
            raise InputError(
                f"{self.place}: {len(titles)} titles above {self.width} columns; expected a title "
                "for each"
            )
        weight = self._weight(titles)
        alone = len(titles) == 3 and sum(ends) == 1 and not weights_of(titles)
        if weight is None and alone and self.wanted.weighted is None and any(self._numbers(2)):
            weight = 2  # the only other column
        return Layout(
            *(self.width, ends, weight),
            direction=self._direction(titles),
            header=not self.commented,
            unsure=not self.commented
            and self.wanted.source is None
            and len(titles) == 2
            and len(titles[ends[0]]) == 1,
        )

    def _by_number(self, ends: tuple[int, int]) -> Layout:
        """Layout of columns that the caller names by number."""
        wanted = self.wanted
        titled = bool(self.commented or wanted.header or ends_of(self.titles))
        titled &= wanted.header is not False
        weight = self._weight(self.titles if titled else [])
        header, unsure = bool(wanted.header) and not self.commented, False
        if wanted.header is None and not self.commented:
            if titled:
                self._check_titles()
            words = self.first[weight or 0 :][:1]
            is_title = weight is not None and not all(map(self.dialect.is_number, words))
            header = titled or (is_title and any(self._numbers(weight or 0))) or self._has_corner()
            letter = len(self.titles[ends[0]]) == 1 and not self._has_corner()
            unsure = not header or letter
        direction = self._direction(self.titles if titled else [])
        return Layout(self.width, ends, weight, direction, header, unsure, by_number=True)

    def _headless(self) -> Layout:
        """Layout of a table without titles: source, target and optionally weight."""
        wanted, third = self.wanted, [row[2] for row in (self.first, *self.rest) if len(row) > 2]
        if self.width == 3:
            title = third[0] if len(self.first) > 2 else ""
            others = all(one[:1].isdigit() for one in third)  # dates, times: not weights, a warning
            is_weight = self.dialect.is_number(title) or title.lower() in MISSING
            if not (is_weight or others or wanted.header is False):
                raise self._ambiguous(
                    f"an unknown header {quoted(list(self.first))}, or three columns of words, as "
                    f"in SIF (node, relation, node), which is not read; expected {KNOWN}"
                )
            self._check_times()
        weight = 2 if self.width == 3 and wanted.weighted is not False else None
        if wanted.weight is not None:
            weight = self._at(wanted.weight)
        if weight is None and wanted.weighted:
            found = f"{self.width} columns and no weights; expected a third column of numbers"
            raise AmbiguousFile(f"{self.place}: {found}", "columns")
        unsure = wanted.header is None and not self.commented
        return Layout(self.width, (0, 1), weight, unsure=unsure)

    def _check_times(self) -> None:
        """Refuse contacts 't i j' of SocioPatterns; remark on a first column that counts rows."""
        rows = [self.first, *self.rest]
        if not all(len(row) == 3 and all(map(INTEGER.fullmatch, row)) for row in rows):
            return
        times, *ends = ([int(row[k]) for row in rows] for k in range(3))
        nodes = {*ends[0]} | {*ends[1]}
        are_nodes = bool({*ends[0]} & {*ends[1]}) and not any(map(int.__eq__, *ends))
        if times == sorted(times) and {*times}.isdisjoint(nodes) and are_nodes and len(rows) > 2:
            raise AmbiguousFile(
                f"{self.place}: three columns of integers, of which the first ascends and shares "
                "none with the others: times of contacts, or sources; expected source, target and "
                "weight",
                *("temporal", {"source": 1, "target": 2, "weight": 3}),
            )
        alike = len({*ends[0]} & {*ends[1]}) >= len({*times} & {*ends[0]})
        if self._counts(0) and times[0] == times[1] - 1 and (times[0] == 0 or alike):
            remark(
                f"{self.place}: column 1 counts the lines, and is taken for the sources; if it is "
                "an index, give",
                {"source": 2, "target": 3},
            )
