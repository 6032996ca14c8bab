"""The dialect of a table of text: what divides fields, begins comments, and is a number."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import InputError
from .columns import AmbiguousFile, Wanted, ends_of, is_number, plain

MARKS = ("#", "%")  # what comments begin with
ROWS = 100  # first rows that tell how the others are meant
_WITH_DICT = re.compile(r"\s*[^\s{][^{]*[\s,;|]\{.*\}\s*")
_SEP = re.compile(r'"?sep=(.|\\t)"?', re.IGNORECASE)  # a first line, for Excel
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
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
            return self._with_dict(line)
        if '"' in line:
            options: Any = {"delimiter": self.separator, "skipinitialspace": True, "strict": True}
            return next(csv.reader([line], **options))
        if self.separator == " ":
            return [one for one in line.replace("\t", " ").split(" ") if one]
        row = line.split(self.separator)
        return [one.strip(" ") for one in row] if " " in line else row

    def fields(self, line: str) -> list[str]:
        """Fields of a line that may be none of the table: then there are none."""
        try:
            return self.split(line)
        except (csv.Error, ValueError):
            return []

    def _with_dict(self, line: str) -> list[str]:
        """Two nodes and the values of a dict: a line of `networkx.write_edgelist`."""
        begin, _, rest = line.partition("{")
        names = replace(self, keys=None).split(begin.rstrip(f" {self.separator}"))
        values = _dict_of(rest)
        return [*names, *(str(values.get(key, "")) for key in self.keys or ())]

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

    def is_comment(self, line: str, number: int) -> bool:
        """Whether a line below the first row is a comment, if it begins with a mark.

        One that has as many fields as the others is a row, unless the mark was named, or stands by
        itself between spaces.
        """
        if self.told:
            return True
        apart = line[1:2] in ("", " ", "\t")
        fields = self.fields(line)
        row = len(fields) == self.width > 1 and not (apart and self.separator == " ")
        if row and self.weight is not None:
            row = self.is_number(fields[self.weight])
        if row:
            self.doubted.append(number)
        elif not apart:
            self.dropped.append(number)
        return not row


def dialect_of(name: str, lines: Sequence[str], wanted: Wanted) -> tuple[Dialect, int]:
    """Dialect of a table with these first lines, and where its data begin among them."""
    marks = MARKS if wanted.comment is None else (wanted.comment,) if wanted.comment else ()
    start, separator = 0, wanted.separator
    while start < len(lines) and not lines[start].strip():
        start += 1
    match = _SEP.fullmatch(lines[start].strip(" ")) if start < len(lines) else None
    if match:
        start += 1
        separator = separator or match[1].replace("\\t", "\t")
    data = [
        line for line in lines[start:] if line.strip() and not line.lstrip(" ").startswith(marks)
    ][:ROWS]
    found = Dialect(separator or " ", marks, wanted.comment is not None)
    if data and _WITH_DICT.fullmatch(data[0]):
        found = _with_keys(found, name, lines, data, separator)
    elif separator is None:
        found = replace(found, separator=_separator(name, found, data))
    fields = (one for line in data for one in found.fields(line))
    comma = found.separator == ";" and any(map(_COMMA_NUMBER.fullmatch, fields))
    return replace(found, decimal=wanted.decimal or ("," if comma else ".")), start


def _with_keys(
    found: Dialect, name: str, lines: Sequence[str], data: Sequence[str], separator: str | None
) -> Dialect:
    """Dialect of lines that end with a dict."""
    keys: dict[str, None] = {}
    for line in data:
        try:
            keys |= dict.fromkeys(map(str, _dict_of(line.partition("{")[2])))
        except ValueError as error:
            raise InputError(f"{name}:{lines.index(line) + 1}: {error}") from None
    begins = [line.partition("{")[0].rstrip(" ,;|\t") for line in data]
    separator = separator or _separator(name, found, begins)
    return replace(found, keys=tuple(keys), separator=separator)


def _dict_of(rest: str) -> dict[Any, Any]:
    """Dict of Python that is spelt so behind its brace."""
    try:
        values = ast.literal_eval("{" + rest.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        values = None
    if not isinstance(values, dict):
        raise InputError(
            f"{'{' + rest[:60]!r}; expected two nodes and a dict, as networkx.write_edgelist has "
            "them"
        )
    return values


def _separator(name: str, found: Dialect, data: Sequence[str]) -> str:
    """What divides all of these lines into as many fields; the first may lack that of row names."""
    order = "\t;, |"
    counts: dict[str, int] = {}  # of fields, where lines have the same
    rows: dict[str, list[list[str]]] = {}
    for separator in order:
        by = replace(found, separator=separator)
        rows[separator] = [by.fields(line.strip(" ")) for line in data]
        lengths = {len(row) for row in rows[separator][1:]} or {
            len(row) for row in rows[separator][:1]
        }
        first = len(rows[separator][0]) if data else 0
        if len(lengths) == 1 and max(lengths) > 1 and first > 1 and max(lengths) - first in (0, 1):
            counts[separator] = max(lengths)
    for separator in counts:
        if len(rows[separator][0]) <= counts[separator] and ends_of(rows[separator][0]):
            return _numeric_blanks(separator, rows)
    if "," in counts and "\t" not in counts:  # it may be the decimal point
        for separator in (one for one in "; " if one in counts):
            commas = [
                (k, one) for row in rows[separator] for k, one in enumerate(row) if "," in one
            ]
            if all(k > 1 and _COMMA_NUMBER.fullmatch(one) for k, one in commas):
                return separator
            if separator == ";":
                raise AmbiguousFile(
                    f"{name}: commas and semicolons in each line, as many in all; expected one of "
                    "them between fields",
                    "separator",
                )
    steady = next((one for one in order if one in counts), None)
    if steady:
        return _numeric_blanks(steady, rows)
    return next((one for one in order if data and one in data[0]), " ")


def _numeric_blanks(separator: str, rows: dict[str, list[list[str]]]) -> str:
    """Spaces and tabs where both divide numbers, as in files of KONECT; else the separator."""
    blanks = rows.get(" ", [])
    both = separator == "\t" and len(set(map(len, blanks))) == 1 < len(blanks[0])
    more = both and len(blanks[0]) > len(rows["\t"][0])
    return (
        " " if more and all(map(is_number, (one for row in blanks for one in row))) else separator
    )


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
    number, last = lines[-1]
    told = [plain(one) for one in (wanted.source, wanted.target) if one is not None]
    titles = found.fields(last.lstrip("".join(found.marks)).strip(" "))
    named = ends_of(titles) or (told and set(told) <= set(map(plain, titles)))
    words = not any(map(found.is_number, titles))
    strange = len(titles) > 3 or (len(titles) == 3 and found.separator != " " and not found.told)
    if len(titles) == len(first) > 1 and words and (named or strange):
        return titles
    if found.told:
        return None
    for number, line in lines:
        fields = found.fields(line)
        apart = line[1:2] in ("", " ", "\t")
        if not len(fields) == len(first) > 1 or (apart and found.separator == " "):
            continue
        if apart or all(map(is_number, first[:2])):
            found.dropped.append(number)
            continue
        raise AmbiguousFile(
            f"{name}:{number}: {line[:60]!r} begins as a comment does, and has as many fields as "
            f"the rows, {len(fields)}",
            *("rows", "comments", "columns"),
        )
    return None


def fields_at(name: str, number: int, text: str, found: Dialect) -> list[str]:
    """Fields of a line, or an error that names it."""
    try:
        if '"' in text and text.count('"') % 2:
            raise csv.Error("an unpaired quote; expected quoted fields that end on their line")
        return found.split(text)
    except (csv.Error, ValueError) as error:
        more = "" if "; expected" in str(error) else "; expected fields quoted as in csv"
        raise InputError(f"{name}:{number}: {error}{more}") from None


def rows_of(
    name: str, lines: Sequence[str], before: int, found: Dialect
) -> Iterator[tuple[int, list[str]]]:
    """Fields of each line that carries a row, and its number."""
    for number, line in enumerate(lines, before + 1):
        text = line.strip(" ")
        if text and not (text.startswith(found.marks) and found.is_comment(text, number)):
            yield number, fields_at(name, number, text, found)


def remarks(name: str, found: Dialect) -> Iterator[str]:
    """What to tell of lines that could be meant otherwise."""
    for numbers, taken in ((found.doubted, "an edge"), (found.dropped, "a comment")):
        if numbers:
            more = f", as are {len(numbers) - 1} more such lines" if len(numbers) > 1 else ""
            yield (
                f"{name}:{numbers[0]}: begins with {' or '.join(found.marks)} and is taken for "
                f"{taken}{more}; comment tells which lines are comments"
            )
