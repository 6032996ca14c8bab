"""The dialect of a table of text: what divides fields, begins comments, and is a number."""

from __future__ import annotations

import ast
import contextlib
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import InputError
from .columns import AmbiguousFile, Wanted, ends_of, is_number, plain
from .text import quoted

MARKS = ("#", "%")  # what comments begin with
SEPARATORS = "\t;, |"
ROWS = 100  # first rows that tell how the others are meant
_WITH_DICT = re.compile(r"\s*[^\s{][^{]*[\s,;|]\{.*\}\s*")
_SEP = re.compile(r'"?sep=(.|\\t)"?', re.IGNORECASE)  # a first line, for Excel
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")


@dataclass
class Dialect:
    """What a line means. Spaces around fields do not count; between ``" "`` are spaces and tabs."""

    separator: str
    marks: tuple[str, ...]  # of comments
    told: bool  # the caller named them: nothing that begins so is a row
    decimal: str = "."
    keys: tuple[str, ...] | None = None  # of the dict that ends each line, as NetworkX writes it
    width: int = 0  # fields of a row; 0 while that is not known
    weight: int | None = None
    doubted: list[int] = field(default_factory=list)  # lines with a mark that were taken for rows
    dropped: list[int] = field(default_factory=list)  # and those that look like rows, but are none

    def split(self, line: str) -> list[str]:
        """Fields of a line; csv.Error or ValueError where it has none."""
        if self.keys is not None:
            begin, _, rest = line.partition("{")
            values = _dict_of(rest)
            ends = replace(self, keys=None).split(begin.rstrip(f" {self.separator}"))
            return [*ends, *(str(values.get(key, "")) for key in self.keys)]
        if '"' in line:
            if line.count('"') % 2:
                raise csv.Error("an unpaired quote; expected quoted fields that end on their line")
            options: Any = {"delimiter": self.separator, "skipinitialspace": True, "strict": True}
            return next(csv.reader([line], **options))
        if self.separator == " ":
            return [one for one in line.replace("\t", " ").split(" ") if one]
        row = line.split(self.separator)
        return [one.strip(" ") for one in row] if " " in line else row

    def fields(self, line: str) -> list[str]:
        """Fields of a line that may be none of the table: then there are none."""
        with contextlib.suppress(csv.Error, ValueError):
            return self.split(line)
        return []

    def number(self, text: str) -> float:
        """Value of a number; ValueError where it is none."""
        if self.decimal == ",":
            if "." in text:
                raise InputError("a point, where commas are decimal")
            text = text.replace(",", ".")
        return float(text)

    def is_number(self, text: str) -> bool:
        """Whether a field is a number."""
        return is_number(text.replace(",", ".", 1) if self.decimal == "," else text)

    def rows(self, name: str, lines: Sequence[str], before: int) -> Iterator[tuple[int, list[str]]]:
        """Fields of each line that carries a row, and its number."""
        for number, line in enumerate(lines, before + 1):
            text = line.strip(" ")
            if text and not (text.startswith(self.marks) and self._is_comment(text, number)):
                try:
                    yield number, self.split(text)
                except (csv.Error, ValueError) as error:
                    more = (
                        "" if "; expected" in str(error) else "; expected fields quoted as in csv"
                    )
                    raise InputError(f"{name}:{number}: {error}{more}") from None

    def _is_comment(self, line: str, number: int) -> bool:
        """Whether a line that begins with a mark is a comment.

        One that has as many fields as the others is a row, unless the mark was named, or stands by
        itself between spaces, or there are no others before it.
        """
        if self.told or not self.width:
            return True
        fields = self.fields(line)
        row = len(fields) == self.width > 1 and not (is_apart(line) and self.separator == " ")
        if row and self.weight is not None:
            row = self.is_number(fields[self.weight])
        if row:
            self.doubted.append(number)
        elif not is_apart(line):
            self.dropped.append(number)
        return not row

    def remarks(self, name: str) -> Iterator[str]:
        """What to tell of lines that could be meant otherwise."""
        for numbers, taken in ((self.doubted, "an edge"), (self.dropped, "a comment")):
            if numbers:
                more = f", as are {len(numbers) - 1} more such lines" if len(numbers) > 1 else ""
                yield (
                    f"{name}:{numbers[0]}: begins with {' or '.join(self.marks)} and is taken for "
                    f"{taken}{more}; comment tells which lines are comments"
                )


def is_apart(line: str) -> bool:
    """Whether the mark of a comment stands by itself."""
    return line[1:2] in ("", " ", "\t")


def dialect_of(name: str, lines: Sequence[str], wanted: Wanted) -> tuple[Dialect, int]:
    """Dialect of a table with these first lines, and where its data begin among them."""
    marks = MARKS if wanted.comment is None else (wanted.comment,) if wanted.comment else ()
    start = next((k for k, line in enumerate(lines) if line.strip()), len(lines))
    separator = wanted.separator
    if start < len(lines) and (match := _SEP.fullmatch(lines[start].strip(" "))):
        start += 1
        separator = separator or match[1].replace("\\t", "\t")
    data = [line.strip(" ") for line in lines[start:] if line.strip()]
    data = [line for line in data if not line.startswith(marks)][:ROWS]
    found = Dialect(separator or " ", marks, wanted.comment is not None)
    begins = data
    if data and _WITH_DICT.fullmatch(data[0]):
        keys: dict[str, None] = {}
        for line in data:
            with contextlib.suppress(ValueError):
                keys |= dict.fromkeys(map(str, _dict_of(line.partition("{")[2])))
        found.keys = tuple(keys)
        begins = [line.partition("{")[0].rstrip(" ,;|\t") for line in data]
    found.separator = separator or _separator(name, replace(found, keys=None), begins)
    if found.separator == ";":
        fields = (one for line in data for one in found.fields(line))
        found.decimal = "," if any(map(_COMMA_NUMBER.fullmatch, fields)) else "."
    found.decimal = wanted.decimal or found.decimal
    return found, start


def _dict_of(rest: str) -> dict[Any, Any]:
    """Dict of Python that is spelt so behind its brace."""
    values = None
    with contextlib.suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        values = ast.literal_eval(f"{{{rest.strip()}")
    if not isinstance(values, dict):
        expected = "two nodes and a dict, as networkx.write_edgelist has them"
        raise InputError(f"{quoted('{' + rest)}; expected {expected}")
    return values


def _separator(name: str, found: Dialect, data: Sequence[str]) -> str:
    """What divides all of these lines into as many fields; the first may lack that of row names."""
    steady: dict[str, list[list[str]]] = {}
    for separator in SEPARATORS:
        rows = list(map(replace(found, separator=separator).fields, data))
        lengths = {len(row) for row in rows[1:] or rows}
        if len(lengths) == 1 and max(lengths) > 1 and len(rows[0]) > 1:
            if max(lengths) - len(rows[0]) in (0, 1):
                steady[separator] = rows
    titled = [separator for separator, rows in steady.items() if ends_of(rows[0])]
    marks = [] if titled or "\t" in steady else [one for one in ";," if one in steady]
    others = [one for one in "; |" if one in steady and "," in marks]  # or it is the decimal point
    for separator in others:
        fields = (item for row in steady[separator] for item in enumerate(row))
        if all(k > 1 and _COMMA_NUMBER.fullmatch(one) for k, one in fields if "," in one):
            return separator
        if separator == ";":
            raise _ambiguous(name, "commas and semicolons")
    edges = steady.get("|", [()])
    if marks and all(len(row) == 3 and is_number(row[2]) for row in edges):
        raise _ambiguous(name, f"{'semicolons' if marks[0] == ';' else 'commas'} and bars")
    there = (separator for separator in SEPARATORS if data and separator in data[0])
    chosen = next(iter([*titled, *steady, *there]), " ")
    if chosen == "\t" in steady and " " in steady:  # both divide numbers, as in files of KONECT
        blanks = steady[" "]
        if len(blanks[0]) > len(steady["\t"][0]) and all(
            is_number(one) for row in blanks for one in row
        ):
            return " "
    return chosen


def _ambiguous(name: str, marks: str) -> AmbiguousFile:
    found = f"{name}: {marks} in each line, as many in all; expected one of them between fields"
    return AmbiguousFile(found, "separator")


def heading(
    name: str,
    lines: Sequence[tuple[int, str]],
    first: Sequence[str],
    found: Dialect,
    wanted: Wanted,
) -> list[str] | None:
    """Titles in a commented line above the first row, whose fields are `first`; None without.

    `lines` are those that begin with a mark, and their numbers. Where they could be rows as well,
    that is refused.
    """
    if not lines:
        return None
    told = {plain(one) for one in (wanted.source, wanted.target) if one is not None}
    titles = found.fields(lines[-1][1].lstrip("".join(found.marks)).strip(" "))
    named = ends_of(titles) or (told and told <= set(map(plain, titles)))
    words = not any(map(found.is_number, titles))
    strange = len(titles) > 3 or (len(titles) == 3 and found.separator != " " and not found.told)
    if len(titles) == len(first) > 1 and words and (named or strange):
        return titles
    for number, line in lines if not found.told else ():
        fields = found.fields(line)
        if not len(fields) == len(first) > 1 or (is_apart(line) and found.separator == " "):
            continue
        if not is_apart(line) and not all(map(is_number, first[:2])):
            raise AmbiguousFile(
                f"{name}:{number}: {line[:60]!r} begins as a comment does, and has as many fields "
                f"as the rows, {len(fields)}",
                *("rows", "comments", "columns"),
            )
        found.dropped.append(number)
    return None
