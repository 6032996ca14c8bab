"""Layout of a table: which columns hold ends and weights, and whether the first row has titles."""

import re
from collections.abc import Sequence
from itertools import chain, combinations

from ..plain_text import quoted
from .dialect import Dialect, Row
from .network import INTEGER
from .remarks import AmbiguousFile, fault, remark
from .titles import (
    DIRECTIONS,
    ENDS,
    KNOWN,
    LETTERS,
    Wanted,
    ends_of,
    extra_among,
    is_position,
    kinds_at,
    named,
    plain,
    title_of,
    titles_of_ends,
    weight_among,
    weights_of,
)

# Words in which the titles of two ends may differ, as gene_a and gene_b.
APART = (
    *(("source", "target"), ("from", "to"), ("start", "end"), ("a", "b"), ("i", "j"), ("u", "v")),
    *(("x", "y"), ("1", "2"), ("0", "1")),
)
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MANY = 50  # columns that are compared
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "."}


class Layout:
    """Columns of a table, by its first rows and by what the caller names.

    Attributes
    ----------
    width : int
        Number of columns, without empty ones at the end.
    titles : list of str
        Those of a comment above the rows, or the first row, whether it has titles or not.
    header : bool
        Whether the first row has titles.
    unsure : bool
        Whether the names in the other rows are to confirm that.
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

    def __init__(
        self,
        name: str,
        sample: Sequence[Row],
        commented: Sequence[str] | None,
        dialect: Dialect,
        wanted: Wanted,
        *,
        is_konect: bool,
    ) -> None:
        self._numbered, self._dialect = sample, dialect
        self._place, self._rows = f"{name}:{sample[0][0]}", [row for _, row in sample]
        self._first, self._rest = self._rows[0], self._rows[1:]
        self._commented = commented is not None
        self.titles = list(commented or self._first)
        if not self._commented and {len(row) - len(self._first) for row in self._rest} == {1}:
            # Rows may begin with names 1, 2, ... that have no title, as R writes them.
            counted = all(row[0] == str(k) for k, row in enumerate(self._rest, 1))
            if counted and (len(self._first) > 2 or not all(self._numbers(-1))):
                self.titles.insert(0, "")
        # An empty field above an index, as pandas writes it.
        self._has_corner = not self._first[0] and all(row[0] for row in self._rest)
        self.width = max(map(len, self._rows))
        while self.width > 2 and not any("".join(row[self.width - 1 :]) for row in self._rows):
            self.width -= 1  # a column without title and values: each line ends with a separator
        del self.titles[self.width :]
        if is_konect:  # source, target, and then weights and times if there are more
            has_weights = self.width > 2 and wanted.weighted is not False
            third = "3" if has_weights else None
            wanted = wanted._replace(source="1", target="2", weight=third, header=False)
        self._wanted = wanted
        self.header = self.unsure = self.by_number = False
        self.weight: int | None = None
        known = [] if wanted.header is False else ends_of(self.titles)
        if wanted.source is not None and wanted.target is not None:
            told = wanted.source, wanted.target
            self.ends = self._at(told[0]), self._at(told[1])
            if self.ends[0] == self.ends[1]:
                raise fault(self._place, f"{told[0]!r} for both ends", "two columns")
            self.by_number = all(map(self._is_number, told))
            take = self._by_number if self.by_number else self._titled
        elif len(known) == 1:
            self.ends = known[0]
            for end in self.ends:  # no other column has the title
                named(self.titles[end], self.titles, self._place)
            self._check_titles()
            take = self._titled
        else:
            self.ends = 0, 1
            self._check_order()
            take = self._in_order
        if wanted.weight is not None:
            self.weight = self._at(wanted.weight)
        take()
        self.title, self.direction = "", None
        if self.header or self._commented:
            if self.weight is not None and self.weight < len(self.titles):
                self.title = title_of(self.titles, self.weight)
            at = kinds_at(self.titles)
            kinds = (
                {row[at].lower() for row in self._rows if len(row) > at} if at is not None else ()
            )
            self.direction = None if {*DIRECTIONS}.isdisjoint(kinds) else at
        self.extras = self._extras() if wanted.extras else []
        self.others = [*self.extras, *([] if self.direction is None else [self.direction])]
        self.places = [*self.ends, *self.others]
        if self.weight is not None:
            self.places.insert(2, self.weight)
        self.nameless = ("", "-") if self.width > 3 else ("",)

    def _numbers(self, column: int) -> list[bool]:
        """Mask of numbers in a column, over the rows below the first that have the column."""
        return [self._dialect.is_number(row[column]) for row in self._rest if len(row) > column]

    def _counts(self, column: int) -> bool:
        """Whether a column counts the rows, as an index does."""
        fields = [row[column] for row in self._rest if len(row) > column]
        counted = (list(map(str, range(k, k + len(fields)))) for k in (0, 1, 2))
        return len(fields) > 1 and fields in counted

    def _is_number(self, name: str) -> bool:
        """Whether a name is the number of a column, not a title of digits.

        It is a title where the caller names another column by a title.
        """
        told = (one for one in (self._wanted.source, self._wanted.target) if one is not None)
        are_numbers = all(is_position(one) and int(one) <= self.width for one in told)
        by_title = self._wanted.header or not are_numbers
        return is_position(name) and not (by_title and name in self.titles)

    def _at(self, name: str) -> int:
        """Index of the column with a title or number."""
        if not self._is_number(name):
            return named(name, self.titles, self._place)
        if int(name) > self.width:
            expected = f"a number from 1 to {self.width}, or a title"
            raise fault(self._place, f"column {name}", expected)
        return int(name) - 1

    def _titled(self) -> None:
        """Take a table with titles, in its first row or in a comment above.

        A row of two letters, as u and v, is a header unless one of them is a node as well.
        """
        titles, self.header = self.titles, not self._commented
        if self.width > len(titles):
            found = f"{len(titles)} titles above {self.width} columns"
            raise fault(self._place, found, "a title for each")
        if self._wanted.weight is None:
            self.weight = weight_among(titles, self._wanted, self._place)
        if self.weight is None and self._wanted.weighted is None and len(titles) == 3:
            if sum(self.ends) == 1 and not weights_of(titles) and any(self._numbers(2)):
                self.weight = 2
        are_letters = len(titles) == 2 and len(titles[self.ends[0]]) == 1
        self.unsure = self.header and self._wanted.source is None and are_letters

    def _by_number(self) -> None:
        """Take columns that the caller names by number.

        If the caller says nothing of a header, the first row is one if it has known titles, a word
        above the numbers of the weights, or an empty corner. The names in the other rows are to
        confirm that if its title of the source is a letter, and that the first row is an edge.
        """
        told, is_open = self._wanted.header, not self._commented
        titled = told is not False and bool(self._commented or told or ends_of(self.titles))
        if self._wanted.weight is None:
            titles = self.titles if titled else []
            self.weight = weight_among(titles, self._wanted, self._place)
        self.header = bool(told) and is_open
        if told is None and is_open:
            if titled:
                self._check_titles()
            at = self.weight or 0
            above = [] if self.weight is None else self._first[at : at + 1]
            is_word = not all(map(self._dialect.is_number, above)) and any(self._numbers(at))
            self.header = titled or is_word or self._has_corner
            self.unsure = not self.header or (
                len(self.titles[self.ends[0]]) == 1 and not self._has_corner
            )

    def _in_order(self) -> None:
        """Take a table without titles: source, target and optionally weight."""
        wanted = self._wanted
        if self.width == 3:
            third = [row[2] for row in self._rows if len(row) > 2]
            title = third[0] if len(self._first) > 2 else ""
            is_weight = self._dialect.is_number(title) or title.lower() in MISSING
            have_digits = all(one[:1].isdigit() for one in third)  # dates: not weights, a warning
            if not (is_weight or have_digits or wanted.header is False):
                found = f"an unknown header {quoted(self._first)}, or three columns of words, as "
                found += f"in SIF (node, relation, node), which ends in .sif; expected {KNOWN}"
                raise self._ambiguous(found)
            self._check_times()
            if wanted.weight is None and wanted.weighted is not False:
                self.weight = 2
        if self.weight is None and wanted.weighted:
            found = f"{self.width} columns and no weights; expected a third column of numbers"
            raise AmbiguousFile(f"{self._place}: {found}", "columns")
        self.unsure = wanted.header is None and not self._commented

    def _extras(self) -> list[int]:
        """Indices of the extra columns; the first of them may show that there is a header."""
        wanted, titles = self._wanted, self.titles if self.header or self._commented else []
        found = [
            extra_among(titles, role, self._place) if told is None else self._at(told)
            for role, told in wanted.extras.items()
        ]
        extras = [place for place in found if place is not None]
        if len({*self.ends, *extras}) < 2 + len(extras):
            numbers = [1 + place for place in (*self.ends, *extras)]
            raise self._ambiguous(f"columns {numbers} are named; expected each of them once")
        if wanted.header is None and not self._commented:  # a time has digits, and its title none
            fields = [row[extras[0]] for row in self._rows if len(row) > extras[0]]
            digits = [any(map(str.isdigit, field)) for field in fields]
            self.header &= not (self.by_number and fields[0].lstrip("+-")[:1].isdigit())
            self.header |= not digits[0] and any(digits[1:])
        self.unsure = False
        return extras

    def _check_titles(self) -> None:
        """Refuse a first line with the titles of ends and otherwise only numbers: an edge may."""
        names = {*map(plain, chain(*ENDS, *LETTERS))}
        others = [title for title in self.titles if title and plain(title) not in names]
        in_doubt = self._wanted.header is None and not self._commented and not self._wanted.extras
        if in_doubt and others and all(map(self._dialect.is_number, others)):
            problem = f"{self._place}: a header or an edge {quoted(self._first)}"
            raise AmbiguousFile(f"{problem}; expected titles in words", "titles", "no header")

    def _check_order(self) -> None:
        """Refuse a table without known titles but of two or three columns, alike in all rows."""
        wanted, titles, lengths = self._wanted, self.titles, list(map(len, self._rows))
        uneven = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
        if (
            wanted.header
            or wanted.extras  # whether the time comes first or last is not known
            or (wanted.weight is not None and not self._is_number(wanted.weight))
            or (self._commented and len(titles) > 2 and weights_of(titles) != [2])
            or (uneven is not None and all(map(INTEGER.fullmatch, chain(*self._rows))))
            or not 1 < self.width < 4
        ):
            expected = "a header with titles of source, target and time (docs: files)"
            if not wanted.extras:
                expected = (
                    "source, target and optionally weight, as many on each line, or a header "
                )
                expected += f"with {KNOWN}"
            if uneven is None:
                found = f"{self.width} columns {quoted(titles)}; expected {expected}"
                raise self._ambiguous(found)
            number, row = self._numbered[uneven]
            found = f"lines of {min(lengths)} to {max(lengths)} columns, here {quoted(row)}"
            place = f"{self._place.rpartition(':')[0]}:{number}"
            raise self._ambiguous(f"{found}; expected {expected}", place)
        if wanted.header is None and self._has_corner:
            found = f"an unknown header {quoted(self._first)}; expected {KNOWN}"
            raise self._ambiguous(found)

    def _check_times(self) -> None:
        """Refuse or note contacts 't i j' of SocioPatterns; remark on an index as first column.

        An edge list sorted by source, whose sources are no targets, looks alike, but then weights
        come again beside the same target only by chance.
        """
        rows = self._rows
        if not all(len(row) == 3 and all(map(INTEGER.fullmatch, row)) for row in rows):
            return
        times, *ends = ([int(row[k]) for row in rows] for k in range(3))
        shared = {*ends[0]} & {*ends[1]}
        are_nodes = bool(shared) and not any(map(int.__eq__, *ends)) and len(rows) > 2
        if times == sorted(times) and are_nodes and {*times}.isdisjoint({*ends[0], *ends[1]}):
            found = f"{self._place}: three columns of integers, of which the first ascends and "
            found += "shares none with the others"
            if len({*zip(*ends, strict=True)}) < len({*zip(times, *ends, strict=True)}):
                raise AmbiguousFile(
                    f"{found}: times of contacts, or sources; expected source, target and weight",
                    *("temporal", {"source": 1, "target": 2, "weight": 3}),
                )
            remark(f"{found}, is taken for the sources:", "temporal")
        alike = len(shared) >= len({*times} & {*ends[0]})
        if self._counts(0) and times[0] == times[1] - 1 and (times[0] == 0 or alike):
            found = "column 1 counts the lines, and is taken for the sources"
            way = {"source": 2, "target": 3}
            remark(f"{self._place}: {found}; if it is an index, give", way)

    def _ambiguous(self, problem: str, place: str = "") -> AmbiguousFile:
        """Error whose way out names the likely columns."""
        problem = f"{place or self._place}: {problem}"
        if self._wanted.extras:
            return AmbiguousFile(problem, "contacts")
        # Titles that differ in a word, as gene_a and gene_b.
        titles = self.titles[:_MANY] if self._wanted.header is not False else []
        if not (self._commented or self._has_corner):
            if any(map(self._dialect.is_number, self._first)):
                titles = []
        words = [tuple(map(str.lower, _WORD.findall(title))) for title in titles]
        for one, other in APART:
            for title, split in zip(titles, words, strict=True):
                turned = tuple(other if word == one else word for word in split)
                if turned != split and turned in words:
                    ends = titles_of_ends(title, titles[words.index(turned)])
                    if ends is not None:
                        return AmbiguousFile(problem, ends)
        # Else the two columns with most values in common, none of which counts the rows.
        rows = [row for row in self._rows if len(row) == self.width]
        columns = [{*column} - MISSING for column in list(zip(*rows, strict=True))[:_MANY]]
        pairs = [pair for pair in combinations(range(len(columns)), 2) if not self._counts(pair[0])]
        shared = [len(columns[source] & columns[target]) for source, target in pairs]
        if not any(shared):
            return AmbiguousFile(problem, "columns")
        source, target = pairs[shared.index(max(shared))]
        return AmbiguousFile(problem, {"source": source + 1, "target": target + 1})
