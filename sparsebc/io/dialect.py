"""Dialect of a table of text: separator of the fields, marks of comments, decimal point."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice

from ..errors import InputError
from ..plain_text import ascii_number
from .remarks import AmbiguousFile
from .source import Source, blocks, lines_of
from .titles import Wanted, ends_of, is_number, plain

Row = tuple[int, list[str]]  # line number and fields
MARKS = ("#", "%")  # first characters of comments
SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "spaces"}
UNPAIRED = "an unpaired quote; expected quoted fields that end on their line"
ROWS = 100  # first rows, from which the dialect and the columns are inferred
_SEP = re.compile(r'"?sep=(.|\\t)"?', re.IGNORECASE)  # a first line, for Excel
# A quoted field as any separator bounds it.
_QUOTED = re.compile(r'(?:(?<=[\t;,| ])|^)"(?:[^"]|"")*"(?=[\t;,| ]|$)')
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")


@dataclass
class Dialect:
    """Separator, comments and decimal point of a table: how a line is split into fields."""

    separator: str
    marks: tuple[str, ...] = ()  # of comments
    told: bool = False  # the caller gave the marks: no line that begins with one is a row
    decimal: str = "."
    widths: frozenset[int] = frozenset()  # numbers of fields of the first rows, once known
    weight: int | None = None
    doubted: list[tuple[int, str]] = field(default_factory=list)  # ambiguous lines: number, choice
    annotated: bool = False  # between tabs, a quote that opens a field and closes none is text

    @cached_property
    def _field(self) -> re.Pattern[str]:
        """Pattern of a field with the separator before it, quoted as a whole or not."""
        mark = "[ \t]" if self.separator == " " else re.escape(self.separator)
        more, space = ("+", "") if self.separator == " " else ("", " *")
        # No possessive quantifiers: those of groups are wrong in Python 3.11.2, Debian's.
        quoted = rf'{space}"([^"]*(?:""[^"]*)*)"{space}(?={mark}|\Z)'
        return re.compile(rf"(?:\A|{mark}{more})(?:{quoted}|((?:(?!{mark}).)*))", re.DOTALL)

    def split(self, line: str) -> list[str]:
        """Fields of a line; InputError if a field begins with a quote that does not end it.

        A quote inside a field is a character like others.
        """
        if self.separator == " ":
            line = line.strip(" \t")
        if '"' in line:
            row, is_text = [], self.annotated and self.separator == "\t"
            for quoted, text in self._field.findall(line):
                opens = text.lstrip(" ").startswith('"')
                if opens and text.count('"') % 2 and not is_text:
                    raise InputError(UNPAIRED)
                row.append(text.strip(" ") or quoted.replace('""', '"'))
            return row
        if self.separator == " ":
            return [one for one in line.replace("\t", " ").split(" ") if one]
        row = line.split(self.separator)
        return [one.strip(" ") for one in row] if " " in line else row

    def fields(self, line: str) -> list[str]:
        """Fields of a line; none if its quotes are malformed."""
        try:
            return self.split(line)
        except InputError:
            return []

    def number(self, text: str) -> float:
        """Value of a number; ValueError if the text is not a number."""
        if self.decimal == ",":
            if "." in text:
                raise InputError("a decimal point, where the decimal mark is a comma")
            text = text.replace(",", ".")
        return ascii_number(text)

    def is_number(self, text: str) -> bool:
        """Whether a field is a number."""
        return is_number(text.replace(",", ".", 1) if self.decimal == "," else text)

    def rows(self, name: str, lines: Sequence[str], before: int) -> Iterator[Row]:
        """Line number and fields of each row, without blank lines and comments.

        A line that begins with a mark is a row if it has as many fields as other rows, and a number
        as its weight.
        """
        for number, line in enumerate(lines, before + 1):
            text = line.strip(" ")
            if text.startswith(self.marks):
                fields = [] if self.told else self.fields(text)
                if len(fields) not in self.widths or self.is_apart(text):
                    continue
                is_row = self.weight is None or any(map(self.is_number, fields[self.weight :][:1]))
                self.doubted.append((number, "an edge" if is_row else "a comment"))
                if not is_row:
                    continue
            try:
                row = self.split(text)
            except InputError as error:
                raise InputError(f"{name}:{number}: {error}") from None
            if text and row:  # of tabs between spaces there is none
                yield number, row

    def is_apart(self, line: str) -> bool:
        """Whether the mark of a comment is a field of its own, in a table separated by spaces."""
        return self.separator == " " and line[1:2] in ("", " ", "\t")


def marks_of(wanted: Wanted) -> tuple[str, ...]:
    """First characters of comments."""
    if wanted.comment is None:
        return MARKS
    return (wanted.comment,) if wanted.comment else ()


def dialect_of(name: str, lines: Sequence[str], wanted: Wanted) -> tuple[Dialect, int]:
    """Dialect inferred from the first lines of a table, and the index of its first line."""
    marks, separator = marks_of(wanted), wanted.separator
    start = next((k for k, line in enumerate(lines) if line.strip()), len(lines))
    if start < len(lines) and (match := _SEP.fullmatch(lines[start].strip(" "))):
        start += 1
        separator = separator or match[1].replace("\\t", "\t")
    there = (line.strip(" ") for line in lines[start:] if line.strip())
    data = list(islice((line for line in there if not line.startswith(marks)), ROWS))
    dialect = Dialect(separator or _separator(name, data), marks, wanted.comment is not None)
    dialect.decimal = wanted.decimal or "."
    if dialect.separator == ";" and not wanted.decimal:
        for line in data:  # the last number with a mark tells: names may have some
            fields = [one for one in dialect.fields(line) if "," in one or "." in one]
            told = [one for one in fields if _COMMA_NUMBER.fullmatch(one) or is_number(one)]
            if told and "," in told[-1]:
                dialect.decimal = ","
    return dialect, start


def _separator(name: str, data: Sequence[str]) -> str:
    """Separator of a table: the first of these rules that finds one decides.

    1. It divides the first line into known titles of ends.
    2. It is the tab, or spaces where both divide numbers, as in files of KONECT.
    3. It is the only likely one of semicolons, commas and bars; spaces if neither of the first two
       is likely. Commas in numbers are decimal points; bars are parts of names, as in UniProt's,
       unless they divide lines into two fields, or three with a number at the end.
    4. Any that divides all lines alike, else any that occurs in the first line, else the space.
    """
    alike = {one: rows for one in SEPARATORS if (rows := _divided_alike(one, data))}
    for separator, rows in alike.items():
        if ends_of(rows[0]):
            return separator
    if "\t" in alike:
        blanks = alike.get(" ", [[""]])
        is_finer = len(blanks[0]) > len(alike["\t"][0])
        return " " if is_finer and all(map(is_number, chain(*blanks))) else "\t"
    other = next((one for one in ";| " if one in alike), None)
    if other:
        fields = ((k, field) for row in alike[other] for k, field in enumerate(row) if "," in field)
        if all(k > 1 and _COMMA_NUMBER.fullmatch(field) for k, field in fields):
            alike.pop(",", None)
    likely = [one for one in ";," if one in alike] or [one for one in " " if one in alike]
    bars = alike.get("|", [])
    if bars and (len(bars[0]) == 2 or all(len(row) == 3 and is_number(row[2]) for row in bars)):
        likely.append("|")
    if len(likely) > 1:
        names = " and ".join(SEPARATORS[one] for one in likely)
        found = f"{name}: {names} occur equally often in all lines"
        raise AmbiguousFile(f"{found}; expected one separator of fields", "separator")
    there = [one for one in "\t;, |" if data and one in data[0]]
    return [*likely, *alike, *there, " "][0]


def _divided_alike(separator: str, data: Sequence[str]) -> list[list[str]]:
    """Fields of lines that a separator divides alike; none if it does not, or divides a quoted one.

    The first line may lack the field of row names.
    """
    dialect = Dialect(separator)
    rows = list(map(dialect.fields, data))
    widths = {len(row) for row in rows[1:] or rows}
    if len(widths) != 1 or len(rows[0]) < 2 or max(widths) - len(rows[0]) not in (0, 1):
        return []
    for line, row in zip(data, rows, strict=True):
        if '"' in line and len(dialect.fields(_QUOTED.sub('"q"', line))) != len(row):
            return []
    return rows


def table(file: Source, wanted: Wanted) -> tuple[Dialect, list[Row]]:
    """Dialect and rows of a table of nodes, the first of which may have titles.

    A line that begins as a comment does is a row if it has as many fields as the others.
    """
    every = blocks(file.name, file.stream, wanted.encoding)
    lines = [line for text, _ in every for line in lines_of(text)]
    dialect, begin = dialect_of(file.name, lines, wanted)
    dialect.annotated = True  # as STRING's tables of proteins
    rows = dialect.rows(file.name, lines[begin:], begin)
    dialect.widths = frozenset([len(row) for _, row in islice(rows, ROWS)])
    return dialect, list(dialect.rows(file.name, lines[begin:], begin))


def heading(
    name: str,
    lines: Sequence[tuple[int, str]],
    first: Sequence[str],
    dialect: Dialect,
    wanted: Wanted,
) -> list[str] | None:
    """Titles in the last comment above the first row; None if it has none.

    `lines` are the comments with their line numbers, `first` the fields of the row. A comment that
    could be a row as well is refused.
    """
    if len(first) < 2:
        return None
    titles = dialect.fields(lines[-1][1].lstrip("".join(dialect.marks)).strip(" "))
    if len(titles) == len(first) and not any(map(dialect.is_number, titles)):
        told = {plain(one) for one in (wanted.source, wanted.target) if one is not None}
        many = len(titles) > 3 or (
            len(titles) == 3 and dialect.separator != " " and not dialect.told
        )
        if many or ends_of(titles) or (told and told <= set(map(plain, titles))):
            return titles
    for number, line in lines if not dialect.told else ():
        if len(dialect.fields(line)) != len(first) or dialect.is_apart(line):
            continue
        if line[1:2] not in (" ", "\t") and not all(map(is_number, first[:2])):
            raise AmbiguousFile(
                f"{name}:{number}: {line[:60]!r} begins as a comment does, and has as many fields "
                f"as the rows, {len(first)}",
                *("rows", "comments", "columns"),
            )
        dialect.doubted.append((number, "a comment"))
    return None
