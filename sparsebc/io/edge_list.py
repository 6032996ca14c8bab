"""Edge lists: text, one edge a line."""

from __future__ import annotations

import csv
import itertools
import re
from array import array
from collections.abc import Iterator
from typing import TextIO

import numpy as np

from .columns import KNOWN, Unclear, Wanted, is_number, layout
from .network import INTEGER, Network, assemble, sort_names

_UNDECODED = re.compile("[\ud800-\udfff]")


class _Lines:
    """The lines of a text file that carry data; `number` is that of the last one given out."""

    def __init__(self, name: str, text: TextIO) -> None:
        self.name, self.text, self.number = name, text, 0

    def __iter__(self) -> Iterator[str]:
        for number, text in enumerate(self.text, 1):
            self.number = number
            line = text.rstrip(" \n")
            if not line or line[0] in "#%":
                continue
            if not line.isascii() and _UNDECODED.search(line):
                raise self.error("bytes that are not UTF-8", "UTF-8 text")
            if '"' in line and line.count('"') % 2:
                raise self.error("an unpaired quote", "quoted fields that end on their line")
            yield line

    def error(self, found: str, expected: str, number: int | None = None) -> ValueError:
        return ValueError(f"{self.place(number)}: {found}; expected {expected}")

    def place(self, number: int | None = None) -> str:
        """File and line, the last one given out by default."""
        return f"{self.name}:{number or self.number or 1}"


def parse(name: str, suffix: str, text: TextIO, wanted: Wanted) -> Network:
    """Network of an edge list; `name` and `suffix` are those of its file."""
    lines = _Lines(name, text)
    content = iter(lines)
    first = next(content, None)
    if first is None:
        raise lines.error("no data", "one edge a line")
    separators = ",\t " if suffix == ".csv" else "\t, "
    separator = next((s for s in separators if s in first), " ")
    rows = csv.reader(
        itertools.chain([first], content), delimiter=separator, skipinitialspace=True, strict=True
    )
    ids: dict[str, int] = {}
    sources, targets, weights, numbers = array("q"), array("q"), array("d"), array("q")
    try:
        fields = next(rows)
        if suffix == ".sif":
            raise _sif(lines.place())
        width = len(fields)
        source, target, weight, header = layout(fields, wanted, lines.place())
        if not header and weight is not None and not is_number(fields[weight]):
            raise _no_weight(fields, lines.place(), next(rows, None), wanted)
        for row in rows if header else itertools.chain([fields], rows):
            if len(row) != width:
                raise lines.error(f"{len(row)} columns", f"{width} as in the first line")
            sources.append(ids.setdefault(row[source], len(ids)))
            targets.append(ids.setdefault(row[target], len(ids)))
            numbers.append(lines.number)
            if weight is None:
                continue
            try:
                weights.append(float(row[weight]))
            except ValueError:
                raise lines.error(f"weight {row[weight]!r}", "a number") from None
    except csv.Error as error:
        raise lines.error(str(error), "fields quoted as in csv") from error
    if not numbers:
        raise lines.error("a header and no edge", "one edge a line")

    tails, heads = np.frombuffer(sources, np.int64), np.frombuffer(targets, np.int64)
    data = np.ones(len(tails)) if weight is None else np.frombuffer(weights, np.float64)
    if "" in ids:
        number = numbers[int(np.argmax((tails == ids[""]) | (heads == ids[""])))]
        raise lines.error("an empty name", "a name for both nodes", number)
    names = tuple(ids)
    is_integer = [INTEGER.fullmatch(name) is not None for name in names]
    if not header and wanted.header is None and len(tails) > 1:
        alone = min(tails[1:].min(), heads[1:].min()) > max(tails[0], heads[0])
        integers = all(is_integer[max(tails[0], heads[0]) + 1 :])
        if alone and not any(map(is_number, fields[:2])) and (weight is None or integers):
            raise Unclear(
                f"{lines.place(numbers[0])}: the names {fields[:2]}, which no other line has: a "
                f"header or an edge; expected a header with {KNOWN}",
                *("columns", "no header"),
            )
    if all(is_integer):
        names, tails, heads = sort_names(names, tails, heads)
    matrix = assemble(tails, heads, data, len(names), lambda k: lines.place(numbers[k]))
    return Network(matrix, names)


def _no_weight(
    fields: list[str], place: str, following: list[str] | None, wanted: Wanted
) -> ValueError:
    """What a first line is, the third column of which is no number."""
    if following and len(following) == 3 and not is_number(following[2]):
        return _sif(place)
    if wanted.header is False:
        return ValueError(f"{place}: weight {fields[2]!r}; expected a number")
    return Unclear(f"{place}: an unknown header {fields}; expected {KNOWN}", "columns")


def _sif(place: str) -> ValueError:
    return ValueError(
        f"{place}: three columns of words, as in SIF (node, relation, node), which is not read; "
        "expected source, target and optionally a number: keep the columns of nodes, as "
        "'cut -f 1,3' does"
    )
