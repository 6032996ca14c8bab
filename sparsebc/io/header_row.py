"""Whether the first line of a table is a header or an edge; refused if it may be either.

The caller, known titles and numbers below words decide it as columns are found; where they do not,
the names in the other lines, once all are read.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain, combinations, compress
from typing import Any

import numpy as np

from ..plain_text import quoted
from .dialect import Dialect, Row
from .network import INTEGER, Numbered
from .remarks import AmbiguousFile, remark
from .titles import ENDS, KNOWN, LETTERS, Wanted, is_number, plain, titles_of_ends

# Words in which the titles of two ends may differ, as gene_a and gene_b.
APART = (
    *(("source", "target"), ("from", "to"), ("start", "end"), ("a", "b"), ("i", "j"), ("u", "v")),
    *(("x", "y"), ("1", "2"), ("0", "1")),
)
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MANY = 50  # columns that are compared
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "."}


class FirstRow:
    """The first row of a table, by those below it and by what the caller says.

    Attributes
    ----------
    place : str
        File and line.
    sample, rows : list
        It and some more, with line numbers and without.
    width : int
        Number of columns, without empty ones at the end.
    titles : list of str
        Those of a comment above the rows, or the first row, whether it has titles or not.
    commented : bool
        Whether a comment has them.
    has_corner : bool
        Whether an empty field is above an index, as pandas writes it.
    is_header : bool
        Whether the first row has titles.
    unsure : bool
        Whether the names in the other rows are to confirm that.
    """

    def __init__(
        self, name: str, sample: list[Row], above: Sequence[str], dialect: Dialect, wanted: Wanted
    ) -> None:
        self._name, self._dialect, self._wanted, self.sample = name, dialect, wanted, sample
        self.place, self.rows = f"{name}:{sample[0][0]}", [row for _, row in sample]
        self._first, self._rest = self.rows[0], self.rows[1:]
        self.commented, self.is_header, self.unsure = bool(above), False, False
        self.titles = list(above or self._first)
        if not self.commented and {len(row) - len(self._first) for row in self._rest} == {1}:
            # Rows may begin with names 1, 2, ... that have no title, as R writes them.
            counted = all(row[0] == str(k) for k, row in enumerate(self._rest, 1))
            if counted and (len(self._first) > 2 or not all(self.numbers(-1))):
                self.titles.insert(0, "")
        self.has_corner = not self._first[0] and all(row[0] for row in self._rest)
        self.width = max(map(len, self.rows))
        while self.width > 2 and not any("".join(row[self.width - 1 :]) for row in self.rows):
            self.width -= 1  # a column without title and values: each line ends with a separator
        del self.titles[self.width :]

    def numbers(self, column: int) -> list[bool]:
        """Mask of numbers in a column, over the rows below the first that have the column."""
        return [self._dialect.is_number(row[column]) for row in self._rest if len(row) > column]

    def counts(self, column: int) -> bool:
        """Whether a column counts the rows, as an index does."""
        fields = [row[column] for row in self._rest if len(row) > column]
        counted = (list(map(str, range(k, k + len(fields)))) for k in (0, 1, 2))
        return len(fields) > 1 and fields in counted

    def with_titles(self, source: int) -> None:
        """Take titles for a header, two letters, as u and v, unless one is a node as well."""
        self.is_header = not self.commented
        are_letters = len(self.titles) == 2 and len(self.titles[source]) == 1
        self.unsure = self.is_header and self._wanted.source is None and are_letters

    def above_numbered(self, source: int, weight: int | None, *, titled: bool) -> None:
        """Decide on a row above columns that the caller names by number.

        If the caller says nothing of a header, it is one if it has known titles, a word above the
        numbers of the weights, or an empty corner. The names in the other rows are to confirm that
        if its title of the source is a letter, and that it is an edge.
        """
        told, is_open = self._wanted.header, not self.commented
        self.is_header = bool(told) and is_open
        if told is None and is_open:
            if titled:
                self.check_titles()
            at = weight or 0
            above = [] if weight is None else self._first[at : at + 1]
            is_word = not all(map(self._dialect.is_number, above)) and any(self.numbers(at))
            self.is_header = titled or is_word or self.has_corner
            self.unsure = not self.is_header or (
                len(self.titles[source]) == 1 and not self.has_corner
            )

    def without_titles(self) -> None:
        """Take a row without known titles for an edge; refuse a word above a third column."""
        if self.width == 3:
            third = [row[2] for row in self.rows if len(row) > 2]
            title = third[0] if len(self._first) > 2 else ""
            is_weight = self._dialect.is_number(title) or title.lower() in MISSING
            have_digits = all(one[:1].isdigit() for one in third)  # dates: not weights, a warning
            if not (is_weight or have_digits or self._wanted.header is False):
                found = f"an unknown header {quoted(self._first)}, or three columns of words, as "
                found += f"in SIF (node, relation, node), which ends in .sif; expected {KNOWN}"
                raise self.ambiguous(found)
        self.unsure = self._wanted.header is None and not self.commented

    def above_times(self, column: int, *, by_number: bool) -> None:
        """Decide by a column of times, which have digits where their title has none."""
        if self._wanted.header is None and not self.commented:
            fields = [row[column] for row in self.rows if len(row) > column]
            digits = [any(map(str.isdigit, field)) for field in fields]
            self.is_header &= not (by_number and fields[0].lstrip("+-")[:1].isdigit())
            self.is_header |= not digits[0] and any(digits[1:])
        self.unsure = False

    def check_titles(self) -> None:
        """Refuse a first line with the titles of ends and otherwise only numbers: an edge may."""
        names = {*map(plain, chain(*ENDS, *LETTERS))}
        others = [title for title in self.titles if title and plain(title) not in names]
        in_doubt = self._wanted.header is None and not self.commented and not self._wanted.extras
        if in_doubt and others and all(map(self._dialect.is_number, others)):
            problem = f"{self.place}: a header or an edge {quoted(self._first)}"
            raise AmbiguousFile(f"{problem}; expected titles in words", "titles", "no header")

    def ambiguous(self, problem: str, place: str = "") -> AmbiguousFile:
        """Error whose way out names the likely columns."""
        problem = f"{place or self.place}: {problem}"
        if self._wanted.extras:
            return AmbiguousFile(problem, "contacts")
        # Titles that differ in a word, as gene_a and gene_b.
        titles = self.titles[:_MANY] if self._wanted.header is not False else []
        is_open = not (self.commented or self.has_corner)
        if is_open and any(map(self._dialect.is_number, self._first)):
            titles = []
        words = [tuple(map(str.lower, _WORD.findall(title))) for title in titles]
        for one, other in APART:
            for title, split in zip(titles, words, strict=True):
                turned = tuple(other if word == one else word for word in split)
                if turned != split and turned in words:
                    if ends := titles_of_ends(title, titles[words.index(turned)]):
                        return AmbiguousFile(problem, ends)
        # Else the two columns with most values in common, none of which counts the rows.
        rows = [row for row in self.rows if len(row) == self.width]
        columns = [{*column} - MISSING for column in list(zip(*rows, strict=True))[:_MANY]]
        pairs = [pair for pair in combinations(range(len(columns)), 2) if not self.counts(pair[0])]
        shared = [len(columns[source] & columns[target]) for source, target in pairs]
        if not any(shared):
            return AmbiguousFile(problem, "columns")
        source, target = pairs[shared.index(max(shared))]
        return AmbiguousFile(problem, {"source": source + 1, "target": target + 1})

    def settled(
        self, ends: tuple[int, int], nodes: Numbered, weight: Any, place: Callable[[int], str]
    ) -> Numbered:
        """The nodes of all edges, of which the first is left out if it turns out to be none.

        ``ends`` are columns, ``weight`` that of the first edge, None if none is read; ``place(k)``
        is the file and line of edge k.
        """
        names, tails, heads = nodes
        above = self.titles if self.is_header else self._first
        first = [above[end] for end in ends] if max(ends) < len(above) else []
        if self.is_header and first and (also := {*first} & {*names}):
            if self.unsure:
                found = f"the first line {quoted(first)} may be a header, and {quoted(min(also))}"
                raise _doubted(first, f"{self._name}: {found} is a node as well")
            tail, head = (names.index(title) if title in names else -1 for title in first)
            if (again := (tails == tail) & (heads == head)).any():
                remark(
                    f"{place(int(np.argmax(again)))}: the titles {quoted(first)} again, taken for "
                    "an edge; remove the line if it heads a file that was appended"
                )
        elif self.unsure and not self.is_header and first and len(tails) > 1:
            there = np.zeros(len(names), dtype=bool)  # nodes of the other lines
            there[tails[1:]] = there[heads[1:]] = True
            alone = [not there[end[0]] for end in (tails, heads)]
            others = tuple(compress(names, there)) if any(alone) else names
            if what := self._found_above(first, alone, others, len(tails) - 1, weight, place(0)):
                remark(f"{place(0)}: {quoted(first)} is taken for {what}: give", "no header")
                rank = np.cumsum(there) - 1
                return others, rank[tails[1:]], rank[heads[1:]]
        return nodes

    def _found_above(
        self, ends: list[str], alone: list[bool], names: Sequence[str], m: int, weight: Any, at: str
    ) -> str:
        """What the ends of a first line without known titles are, if it is none of the edges.

        ``alone`` tells which are on none of the `m` other lines, whose names are `names`.
        """
        if all(map(INTEGER.fullmatch, ends)) and int(ends[1]) == m:
            most = int(ends[0])
            is_within = (INTEGER.fullmatch(one) and 0 <= int(one) <= most for one in names)
            if most == len(names) or all(is_within):
                return "the numbers of nodes and edges"
        counts = self._first == list(map(str, range(len(self._first))))  # as pandas titles columns
        if counts and all(alone) and not any(map(is_number, names)):
            return "titles of columns"
        if counts and any(alone) and self._dialect.separator != " ":
            remark(
                f"{at}: {ends} is taken for an edge, and {ends[alone.index(True)]!r} is on no "
                "other line; if they are titles, give",
                {"source": ends[0], "target": ends[1]},
            )
        elif all(alone):  # titles may be of another kind than the names
            may_be = weight is None or all(map(INTEGER.fullmatch, names))
            if any(map(is_number, ends)):
                is_whole = weight is None or weight.is_integer()
                may_be = is_whole and not any(map(is_number, names))
            if may_be:
                found = f"the names {quoted(ends)}, which no other line has: a header or an edge"
                raise _doubted(ends, f"{at}: {found}")
        return ""


def _doubted(first: list[str], found: str) -> AmbiguousFile:
    """Error about a first line that may be a header."""
    way = titles_of_ends(*first) or "columns"
    return AmbiguousFile(f"{found}; expected a header with {KNOWN}", way, "no header")
