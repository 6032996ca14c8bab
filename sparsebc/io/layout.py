"""Layout of a table: which columns hold ends and weights, and whether the first row has titles.

Both are inferred from the first rows (`Sample`) and from what the caller names (`Wanted`).
"""

import re
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

from ..plain_text import quoted
from .columns import (
    DIRECTIONS,
    ENDS,
    KNOWN,
    LETTERS,
    AmbiguousFile,
    Wanted,
    ends_of,
    fault,
    is_position,
    kinds_at,
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
    def others(self) -> list[int]:
        """Indices of the extras, and of the directions if there are any."""
        return [*self.extras, *([] if self.direction is None else [self.direction])]

    @property
    def places(self) -> list[int]:
        """Indices of all columns: the ends, the weight if there is one, and the others."""
        return [*self.ends, *([] if self.weight is None else [self.weight]), *self.others]

    @property
    def nameless(self) -> tuple[str, ...]:
        """Fields that are no name of a node; among other columns, as of MITAB, a dash is none."""
        return ("", "-") if self.width > 3 else ("",)


class Sample:
    """First rows of a table.

    Attributes
    ----------
    place : str
        File and line of the first row, for messages.
    numbered : list of Row
        All rows with their line numbers.
    rows, first, rest : list
        All rows, the first of them, and the others.
    dialect : Dialect
    commented : bool
        Whether titles stand in a comment above the rows.
    titles : list of str
        These titles, or the first row, whether it has titles or not.
    width : int
        Number of columns, without empty ones at the end.
    """

    def __init__(
        self, name: str, sample: Sequence[Row], commented: Sequence[str] | None, dialect: Dialect
    ) -> None:
        self.numbered, self.dialect = sample, dialect
        self.place, self.rows = f"{name}:{sample[0][0]}", [row for _, row in sample]
        self.first, self.rest = self.rows[0], self.rows[1:]
        self.commented = commented is not None
        self.titles = list(self.first if commented is None else commented)
        if not self.commented and self._has_row_names():
            self.titles.insert(0, "")
        # An empty field above an index, as pandas writes it.
        self.has_corner = not self.first[0] and all(row[0] for row in self.rest)
        self.width = max(map(len, self.rows))
        while self.width > 2 and not any("".join(row[self.width - 1 :]) for row in self.rows):
            self.width -= 1  # a column without title and values: each line ends with a separator
        del self.titles[self.width :]

    def _has_row_names(self) -> bool:
        """Whether rows begin with names 1, 2, ... that have no title, as R writes them."""
        if {len(row) - len(self.first) for row in self.rest} != {1}:
            return False
        counted = all(row[0] == str(k) for k, row in enumerate(self.rest, 1))
        return counted and (len(self.first) > 2 or not all(self.numbers(-1)))

    def numbers(self, column: int) -> list[bool]:
        """Mask of numbers in a column, over the rows below the first that have the column."""
        return [self.dialect.is_number(row[column]) for row in self.rest if len(row) > column]

    def counts(self, column: int) -> bool:
        """Whether a column counts the rows, as an index does."""
        fields = [row[column] for row in self.rest if len(row) > column]
        counted = (list(map(str, range(k, k + len(fields)))) for k in (0, 1, 2))
        return len(fields) > 1 and fields in counted

    def is_number(self, name: str, wanted: Wanted) -> bool:
        """Whether a name is the number of a column, not a title of digits.

        It is a title where the caller names another column by a title.
        """
        told = (one for one in (wanted.source, wanted.target) if one is not None)
        are_numbers = all(is_position(one) and int(one) <= self.width for one in told)
        by_title = wanted.header or not are_numbers
        return is_position(name) and not (by_title and name in self.titles)

    def at(self, name: str, wanted: Wanted) -> int:
        """Index of the column with a title or number."""
        if not self.is_number(name, wanted):
            return named(name, self.titles, self.place)
        if int(name) > self.width:
            expected = f"a number from 1 to {self.width}, or a title"
            raise fault(self.place, f"column {name}", expected)
        return int(name) - 1

    def ambiguous(self, problem: str, wanted: Wanted, place: str = "") -> AmbiguousFile:
        """Error whose way out names the likely columns."""
        likely = None
        if not wanted.extras:
            likely = self._titles_apart() if wanted.header is not False else None
            likely = likely or self._columns_alike()
        return AmbiguousFile(f"{place or self.place}: {problem}", likely or wanted.naming)

    def _titles_apart(self) -> dict[str, int | str] | None:
        """Titles that may be those of the ends: they differ in a word, as gene_a and gene_b."""
        if not self.commented and any(map(self.dialect.is_number, self.first)):
            if not self.has_corner:
                return None
        titles = self.titles[:_MANY]
        words = [tuple(map(str.lower, _WORD.findall(title))) for title in titles]
        for one, other in APART:
            for k, title in enumerate(words):
                turned = tuple(other if word == one else word for word in title)
                if turned != title and turned in words:
                    ends = titles_of_ends(titles[k], titles[words.index(turned)])
                    if ends is not None:
                        return ends
        return None

    def _columns_alike(self) -> dict[str, int | str] | None:
        """Numbers of the two columns with most values in common, none of which counts the rows."""
        rows = [row for row in self.rows if len(row) == self.width]
        columns = [{*column} - MISSING for column in list(zip(*rows, strict=True))[:_MANY]]
        pairs = [pair for pair in combinations(range(len(columns)), 2) if not self.counts(pair[0])]
        source, target = max(
            pairs, key=lambda pair: len(columns[pair[0]] & columns[pair[1]]), default=(0, 0)
        )
        if source == target or columns[source].isdisjoint(columns[target]):
            return None
        return {"source": source + 1, "target": target + 1}


def layout_of(sample: Sample, wanted: Wanted) -> Layout:
    """Layout of a table.

    The ends are the columns that the caller names, else those of the only known pair of titles,
    else the first two of two or three columns. The weights are the column that the caller names,
    else that of the only known title, else the third of three columns.
    """
    told = (wanted.source, wanted.target)
    if told[0] is not None and told[1] is not None:
        source, target = (sample.at(one, wanted) for one in told if one is not None)
        if source == target:
            raise fault(sample.place, f"{told[0]!r} for both ends", "two columns")
        by_number = all(sample.is_number(one, wanted) for one in told if one is not None)
        layout = (_by_number if by_number else _titled)(sample, wanted, (source, target))
    elif wanted.header is not False and len(known := ends_of(sample.titles)) == 1:
        for end in known[0]:  # no other column has the title
            named(sample.titles[end], sample.titles, sample.place)
        _check_titles(sample, wanted)
        layout = _titled(sample, wanted, known[0])
    else:
        _check_order(sample, wanted)
        layout = _in_order(sample, wanted)
    if layout.header or sample.commented:
        weight = layout.weight
        if weight is not None and weight < len(sample.titles):
            layout = layout._replace(title=title_of(sample.titles, weight))
        layout = layout._replace(direction=_direction(sample))
    return _with_extras(sample, wanted, layout) if wanted.extras else layout


def layout_of_konect(sample: Sample, wanted: Wanted) -> Layout:
    """Layout of a file of KONECT: source, target, and then weights and times if there are more."""
    wanted = wanted._replace(source="1", target="2", header=False)
    has_weights = sample.width > 2 and wanted.weighted is not False
    return layout_of(sample, wanted)._replace(weight=2 if has_weights else None)


def _titled(sample: Sample, wanted: Wanted, ends: tuple[int, int]) -> Layout:
    """Layout of a table with titles, in its first row or in a comment above.

    A row of two letters, as u and v, is a header unless one of them is a node as well.
    """
    titles, header = sample.titles, not sample.commented
    if sample.width > len(titles):
        found = f"{len(titles)} titles above {sample.width} columns"
        raise fault(sample.place, found, "a title for each")
    weight = _weight(sample, wanted, titles)
    if weight is None and wanted.weighted is None and len(titles) == 3 and sum(ends) == 1:
        is_other = not weights_of(titles) and any(sample.numbers(2))
        weight = 2 if is_other else None
    are_letters = len(titles) == 2 and len(titles[ends[0]]) == 1
    unsure = header and wanted.source is None and are_letters
    return Layout(sample.width, ends, weight, header=header, unsure=unsure)


def _by_number(sample: Sample, wanted: Wanted, ends: tuple[int, int]) -> Layout:
    """Layout of columns that the caller names by number.

    If the caller says nothing of a header, the first row is one if it has known titles, a word
    above the numbers of the weights, or an empty corner. The names in the other rows are to
    confirm that if its title of the source is a letter, and that the first row is an edge.
    """
    titled = wanted.header is not False and bool(
        sample.commented or wanted.header or ends_of(sample.titles)
    )
    weight = _weight(sample, wanted, sample.titles if titled else [])
    header, unsure = bool(wanted.header) and not sample.commented, False
    if wanted.header is None and not sample.commented:
        if titled:
            _check_titles(sample, wanted)
        above = [] if weight is None else sample.first[weight : weight + 1]
        is_word = not all(map(sample.dialect.is_number, above)) and any(sample.numbers(weight or 0))
        header = titled or is_word or sample.has_corner
        unsure = not header or (len(sample.titles[ends[0]]) == 1 and not sample.has_corner)
    return Layout(sample.width, ends, weight, header=header, unsure=unsure, by_number=True)


def _in_order(sample: Sample, wanted: Wanted) -> Layout:
    """Layout of a table without titles: source, target and optionally weight."""
    weight = None
    if sample.width == 3:
        third = [row[2] for row in sample.rows if len(row) > 2]
        title = third[0] if len(sample.first) > 2 else ""
        is_weight = sample.dialect.is_number(title) or title.lower() in MISSING
        have_digits = all(one[:1].isdigit() for one in third)  # dates: not weights, a warning
        if not (is_weight or have_digits or wanted.header is False):
            found = f"an unknown header {quoted(list(sample.first))}, or three columns of words, "
            found += f"as in SIF (node, relation, node), which ends in .sif; expected {KNOWN}"
            raise sample.ambiguous(found, wanted)
        _check_times(sample)
        weight = None if wanted.weighted is False else 2
    if wanted.weight is not None:
        weight = sample.at(wanted.weight, wanted)
    if weight is None and wanted.weighted:
        found = f"{sample.width} columns and no weights; expected a third column of numbers"
        raise AmbiguousFile(f"{sample.place}: {found}", "columns")
    unsure = wanted.header is None and not sample.commented
    return Layout(sample.width, (0, 1), weight, unsure=unsure)


def _with_extras(sample: Sample, wanted: Wanted, layout: Layout) -> Layout:
    """Layout with the extra columns; the first of them may show that there is a header."""
    titles, header = sample.titles if layout.header or sample.commented else [], layout.header
    found = [
        extra.place(titles, sample.place) if extra.told is None else sample.at(extra.told, wanted)
        for extra in wanted.extras
    ]
    extras = tuple(place for place in found if place is not None)
    if len({*layout.ends, *extras}) < 2 + len(extras):
        numbers = [1 + place for place in (*layout.ends, *extras)]
        problem = f"columns {numbers} are named; expected each of them once"
        raise sample.ambiguous(problem, wanted)
    if wanted.header is None and not sample.commented:  # a time has digits, and its title none
        fields = [row[extras[0]] for row in sample.rows if len(row) > extras[0]]
        digits = [any(map(str.isdigit, field)) for field in fields]
        header &= not (layout.by_number and fields[0].lstrip("+-")[:1].isdigit())
        header |= not digits[0] and any(digits[1:])
    return layout._replace(header=header, unsure=False, extras=extras)


def _weight(sample: Sample, wanted: Wanted, titles: Sequence[str]) -> int | None:
    """Index of the weights: of the column that the caller names, else of a known title."""
    if wanted.weight is not None:
        return sample.at(wanted.weight, wanted)
    return weight_among(titles, wanted, sample.place)


def _direction(sample: Sample) -> int | None:
    """Index of the column of `KINDS` if it says which edges are undirected."""
    at = kinds_at(sample.titles)
    values = {row[at].lower() for row in sample.rows if len(row) > at} if at is not None else ()
    return None if {*DIRECTIONS}.isdisjoint(values) else at


def _check_titles(sample: Sample, wanted: Wanted) -> None:
    """Refuse a first line with the titles of ends and otherwise only numbers: an edge may."""
    names = {*map(plain, chain(*ENDS, *LETTERS))}
    others = [title for title in sample.titles if title and plain(title) not in names]
    in_doubt = wanted.header is None and not sample.commented and not wanted.extras
    if in_doubt and others and all(map(sample.dialect.is_number, others)):
        problem = f"{sample.place}: a header or an edge {quoted(list(sample.first))}"
        raise AmbiguousFile(f"{problem}; expected titles in words", "titles", "no header")


def _check_order(sample: Sample, wanted: Wanted) -> None:
    """Refuse a table without known titles unless it has two or three columns, alike in all rows."""
    titles, lengths = sample.titles, [len(row) for row in sample.rows]
    uneven = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    if (
        wanted.header
        or wanted.extras  # whether the time comes first or last is not known
        or (wanted.weight is not None and not sample.is_number(wanted.weight, wanted))
        or (sample.commented and len(titles) > 2 and weights_of(titles) != [2])
        or (uneven is not None and all(map(INTEGER.fullmatch, chain(*sample.rows))))
        or not 1 < sample.width < 4
    ):
        expected = "a header with titles of source, target and time (docs: files)"
        if not wanted.extras:
            expected = "source, target and optionally weight, as many on each line, or a header "
            expected += f"with {KNOWN}"
        if uneven is not None:
            number, row = sample.numbered[uneven]
            found = f"lines of {min(lengths)} to {max(lengths)} columns, here {quoted(row)}"
            place = f"{sample.place.rpartition(':')[0]}:{number}"
            raise sample.ambiguous(f"{found}; expected {expected}", wanted, place)
        found = f"{sample.width} columns {quoted(titles)}; expected {expected}"
        raise sample.ambiguous(found, wanted)
    if wanted.header is None and sample.has_corner:
        found = f"an unknown header {quoted(list(sample.first))}; expected {KNOWN}"
        raise sample.ambiguous(found, wanted)


def _check_times(sample: Sample) -> None:
    """Refuse or note contacts 't i j' of SocioPatterns; remark on a first column that counts rows.

    An edge list sorted by source, whose sources are no targets, looks alike, but then weights come
    again beside the same target only by chance.
    """
    rows = sample.rows
    if not all(len(row) == 3 and all(map(INTEGER.fullmatch, row)) for row in rows):
        return
    times, *ends = ([int(row[k]) for row in rows] for k in range(3))
    shared = {*ends[0]} & {*ends[1]}
    are_nodes = bool(shared) and not any(map(int.__eq__, *ends)) and len(rows) > 2
    if times == sorted(times) and are_nodes and {*times}.isdisjoint({*ends[0], *ends[1]}):
        found = f"{sample.place}: three columns of integers, of which the first ascends and "
        found += "shares none with the others"
        if len({*zip(*ends, strict=True)}) < len({*zip(times, *ends, strict=True)}):
            raise AmbiguousFile(
                f"{found}: times of contacts, or sources; expected source, target and weight",
                *("temporal", {"source": 1, "target": 2, "weight": 3}),
            )
        remark(f"{found}, is taken for the sources:", "temporal")
    alike = len(shared) >= len({*times} & {*ends[0]})
    if sample.counts(0) and times[0] == times[1] - 1 and (times[0] == 0 or alike):
        remark(
            f"{sample.place}: column 1 counts the lines, and is taken for the sources; if it is "
            "an index, give",
            {"source": 2, "target": 3},
        )
