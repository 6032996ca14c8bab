"""Edge lists: text, one edge a line."""

from __future__ import annotations

import csv
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import IO

import numpy as np

from . import edge_blocks, numbering
from .columns import KNOWN, Layout, Unclear, Wanted, is_number, layout
from .edge_blocks import Blocks, Edges
from .network import INTEGER, Network, assemble
from .numbering import Register, Texts

_UNDECODED = re.compile("[\ud800-\udfff]")


class _Lines:
    """The lines of a block that carry data; `number` is that of the last one given out."""

    def __init__(self, name: str, block: bytes, before: int) -> None:
        self.name, self.number = name, before
        self._lines = block.decode("utf-8", "surrogateescape").split("\n")

    def __iter__(self) -> Iterator[str]:
        for number, text in enumerate(self._lines, self.number + 1):
            self.number = number
            line = text.rstrip(" ")
            if not line or line[0] in "#%":
                continue
            if not line.isascii() and _UNDECODED.search(line):
                raise self.error("bytes that are not UTF-8", "UTF-8 text")
            if '"' in line and line.count('"') % 2:
                raise self.error("an unpaired quote", "quoted fields that end on their line")
            yield line

    def rows(self, separator: str) -> Iterator[list[str]]:
        """Fields of each line."""
        try:
            yield from csv.reader(self, delimiter=separator, skipinitialspace=True, strict=True)
        except csv.Error as error:
            raise self.error(str(error), "fields quoted as in csv") from error

    def error(self, found: str, expected: str) -> ValueError:
        return ValueError(f"{self.name}:{self.number}: {found}; expected {expected}")


def parse(name: str, suffix: str, stream: IO[bytes], wanted: Wanted) -> Network:
    """Network of an edge list; `name` and `suffix` are those of its file."""
    blocks = Blocks(stream)
    line, text = _first(name, blocks)
    separators = ",\t " if suffix == ".csv" else "\t, "
    separator = next((s for s in separators if s in text), " ")
    before = blocks.lines - 1
    fields = next(_Lines(name, line, before).rows(separator))
    place = f"{name}:{blocks.lines}"
    if suffix == ".sif":
        raise _sif(place)
    columns = layout(fields, wanted, place)
    block = blocks.block()
    if not columns.header and columns.weight is not None and not is_number(fields[columns.weight]):
        following = next(_Lines(name, block, before + 1).rows(separator), None)
        raise _no_weight(fields, place, following, wanted)
    if columns.header:
        before += 1
    else:
        block = b"%s\n%s" % (line, block)
    register = edge_blocks.register_for(block)
    known = (separator, len(fields), columns, register or Register())
    parts, weights = [], array("d")  # an array grows where it is
    while block:
        numbers = range(before + 1, blocks.lines + 1)
        part = edge_blocks.parse(block, numbers, *known) if register else None
        part = part or _one_by_one(name, block, before, *known)
        if part.weight is not None:
            weights.frombytes(part.weight.view(np.uint8).data)
        parts.append(part._replace(weight=None))
        before = blocks.lines
        block = blocks.block()
    if not any(len(part.lines) for part in parts):
        raise ValueError(f"{name}:{before}: a header and no edge; expected one edge a line")
    told = columns.header or wanted.header is not None
    del register, known  # the names are in the parts, which _network frees
    return _network(name, parts, weights, None if told else fields)


def _first(name: str, blocks: Blocks) -> tuple[bytes, str]:
    """The first line that carries data, as it stands and as text."""
    while (line := blocks.line()) is not None:
        text = next(iter(_Lines(name, line, blocks.lines - 1)), None)
        if text is not None:
            return line, text
    raise ValueError(f"{name}:{blocks.lines or 1}: no data; expected one edge a line")


def _one_by_one(
    name: str,
    block: bytes,
    before: int,
    separator: str,
    width: int,
    columns: Layout,
    register: Register,
) -> Edges:
    """Edges of a block of lines, those before it being so many: of any lines there may be."""
    lines = _Lines(name, block, before)
    sources: list[str] = []
    targets: list[str] = []
    weights, numbers = array("d"), array("q")
    for row in lines.rows(separator):
        if len(row) != width:
            raise lines.error(f"{len(row)} columns", f"{width} as in the first line")
        sources.append(row[columns.source])
        targets.append(row[columns.target])
        numbers.append(lines.number)
        if columns.weight is None:
            continue
        try:
            weights.append(float(row[columns.weight]))
        except ValueError:
            raise lines.error(f"weight {row[columns.weight]!r}", "a number") from None
    tails, heads = register.pairs(sources, targets)
    return Edges(
        Texts(tails, register),
        Texts(heads, register),
        None if columns.weight is None else np.frombuffer(weights, np.float64),
        numbers,
    )


def _network(
    name: str, parts: list[Edges], weights: array[float], unclear: Sequence[str] | None
) -> Network:
    """Network of the edges; the fields of a first line that may be a header are `unclear`."""
    lines = [part.lines for part in parts]
    ends = list(accumulate(map(len, lines)))

    def place(k: int) -> str:
        part = bisect_right(ends, k)
        return f"{name}:{lines[part][k - ends[part]]}"

    columns = [part.source for part in parts], [part.target for part in parts]
    parts.clear()  # what is put together below takes their room
    data = np.frombuffer(weights) if weights else np.ones(ends[-1])
    names, tails, heads = numbering.number(*columns)
    del columns
    if "" in names:
        empty = names.index("")
        k = int(np.argmax((tails == empty) | (heads == empty)))
        raise ValueError(f"{place(k)}: an empty name; expected a name for both nodes")
    if unclear and len(tails) > 1 and not any(map(is_number, unclear[:2])):
        ahead = max(tails[0], heads[0])  # words are in order of appearance
        alone = min(tails[1:].min(), heads[1:].min()) > ahead
        if alone and (not weights or all(map(INTEGER.fullmatch, names[ahead + 1 :]))):
            raise Unclear(
                f"{place(0)}: the names {unclear[:2]}, which no other line has: a header or an "
                f"edge; expected a header with {KNOWN}",
                *("columns", "no header"),
            )
    return Network(assemble(tails, heads, data, len(names), place), names)


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
