"""Pajek networks and projects, by sections: what stands below each line that begins with ``*``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from ..errors import InputError
from .columns import Wanted, remark
from .graph_builder import (
    GraphBuilder,
    decoded,
    is_whole,
    matrix_entries,
    numbered_lines,
    quoted,
)
from .network import Network, check_size
from .source import Source

Line = tuple[int, str]

FIRST_LINE = re.compile(r"\*(vertices|network|arcs|edges|arcslist|edgeslist|matrix)\b", re.I)
# Sections of a project that are no network; *Vertices below one counts its values.
OTHERS = ("partition", "vector", "permutation", "cluster", "hierarchy")
# A label: quoted, perhaps with quotes in it that are escaped or inside of a word, or one word.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.|"(?=\S))*)"(?=\s|$)(.*)|"([^"]*)"(?=\s|$)(.*)')
# What may follow an unquoted label that is one word: a coordinate, a shape or a parameter.
_AFTER = re.compile(
    r"[-+.\d\[]|(ellipse|box|diamond|triangle|cross|empty|circle|house|man|woman|"
    r"[xy]_fact|phi|r|q|[bil]c|bw|l[arp]|lphi|fos|font|h[12]|k[12]|a[12p]?|[cpswl]|url)$", re.I
)  # fmt: skip
# The parameters of a line that may stand in place of the weight.
_NO_WEIGHT = re.compile(r"\[|(c|p|s|w|l|lp|lr|lphi|lc|la|fos|font|h[12]|a[12p]?|k[12]|ap)$", re.I)


class Section(NamedTuple):
    """A line that begins with ``*`` and those below it."""

    line: int
    kind: str  # lower case, "arcs" of "*Arcs :2 "cites""
    rest: str
    lines: list[Line]


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a Pajek file.

    Arcs lead one way and edges both; the relations of a file are put together. Vertices are named
    by their labels, else by their numbers. A project of several networks is refused.
    """
    place = file.name
    sections = _network_of(place, list(_sections(place, decoded(file, wanted.encoding))))
    builder = GraphBuilder(place, wanted, default_weight=1.0)
    vertices = next((s for s in sections if s.kind == "vertices"), None)
    ties = [section for section in sections if section.kind != "vertices"]
    n, n_rows, labels = _vertices(builder, vertices) if vertices else (None, 0, {})
    if n is not None:
        check_size(place, n, sum(len(section.lines) + 1 for section in sections))
    entries = [entry for section in ties for entry in _entries(builder, section, n, n_rows)]
    named = range(1, n + 1) if n is not None else sorted({v for e in entries for v in e[1:3]})
    for number in named:
        line, label = labels.get(number, (0, ""))
        builder.node(str(number), line, {"label": label or str(number)})
    for line, tail, head, weight, directed in entries:
        attributes = {} if weight is None else {"weight": weight}
        builder.edge(str(tail), str(head), line, attributes, directed=directed)
    relations = sorted({s.rest for s in ties if s.rest.startswith(":") and s.lines})
    if len(relations) > 1:
        remark(
            f"{place}: {len(relations)} relations, {', '.join(map(quoted, relations[:5]))}"
            f"{', ...' if len(relations) > 5 else ''}: their edges are taken together"
        )
    return builder.network(directed=True)


def _sections(place: str, text: str) -> Iterator[Section]:
    section = None
    for number, line in numbered_lines(text):
        if line.startswith("%"):
            continue
        if line.startswith("*"):
            if section:
                yield section
            kind, _, rest = line[1:].replace("\t", " ").partition(" ")
            section = Section(number, kind.lower(), rest.strip(), [])
        elif section is None:
            raise InputError(f"{place}:{number}: {quoted(line)}; expected a Pajek file: *Vertices")
        else:
            section.lines.append((number, line))
    if section:
        yield section


def _network_of(place: str, sections: list[Section]) -> list[Section]:
    """Sections of the one network."""
    names = [section for section in sections if section.kind == "network"]
    if len(names) > 1:
        raise InputError(
            f"{place}: a project of {len(names)} networks, "
            f"{', '.join(quoted(section.rest) for section in names[:5])}; expected one: save the "
            "one to read as a .net file"
        )
    found: list[Section] = []
    skipped: list[str] = []
    inside = True
    for section in sections:
        if section.kind in OTHERS:
            inside = False
            skipped.append(f"*{section.kind.capitalize()} {section.rest}".strip())
        elif section.kind == "network":
            inside = True
        elif not inside:
            continue
        elif section.kind not in ("vertices", *_TIES):
            raise InputError(
                f"{place}:{section.line}: a section {quoted('*' + section.kind)}; expected "
                "*Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist or *Matrix"
            )
        elif section.kind == "vertices" and any(other.kind == "vertices" for other in found):
            raise InputError(
                f"{place}:{section.line}: a second *Vertices; expected one network a file"
            )
        else:
            found.append(section)
    if skipped:
        remark(f"{place}: {', '.join(map(quoted, skipped))} not read")
    return found


def _vertices(
    builder: GraphBuilder, section: Section
) -> tuple[int, int, dict[int, tuple[int, str]]]:
    """Number of the vertices, number of those of the first mode, line and label of each told."""
    counts = section.rest.split()
    if len(counts) not in (1, 2) or not all(map(is_whole, counts)):
        raise builder.error(
            section.line, f"*Vertices {quoted(section.rest)}", "the number of vertices"
        )
    n, n_rows = int(counts[0]), int(counts[-1]) if len(counts) == 2 else 0
    if n_rows > n:
        raise builder.error(section.line, f"{n_rows} of {n} vertices", "a first mode within them")
    labels: dict[int, tuple[int, str]] = {}
    for line, text in section.lines:
        first, _, rest = text.replace("\t", " ").partition(" ")
        number = _vertex(builder, line, first, n)
        if number in labels:
            raise builder.error(line, f"vertex {number} once more", "each vertex once")
        labels[number] = line, _label(builder, line, rest.strip())
    return n, n_rows, labels


def _vertex(builder: GraphBuilder, line: int, text: str, n: int | None) -> int:
    """Number of a vertex."""
    if not is_whole(text) or not 1 <= int(text) <= (int(text) if n is None else n):
        last = "on" if n is None else f"to {n}"
        raise builder.error(line, f"vertex {quoted(text)}", f"a number from 1 {last}")
    return int(text)


def _label(builder: GraphBuilder, line: int, text: str) -> str:
    """Label at the beginning of the rest of a line."""
    if text.startswith('"'):
        match = _QUOTED.match(text)
        escaped, after, plain, after_plain = match.groups() if match else (None, "", None, '"')
        if (after or after_plain or "").count('"') % 2:
            raise builder.error(line, f"label {quoted(text)}", "a label between two quotes")
        return re.sub(r'\\(["\\])', r"\1", escaped) if escaped is not None else plain or ""
    label, _, after = text.partition(" ")
    if after.strip() and not _AFTER.match(after.split()[0]):
        raise builder.error(line, f"label {quoted(text)} of several words", "it in quotes")
    return label


Entry = tuple[int, int, int, str | None, bool]  # line, tail, head, weight, directed


def _entries(
    builder: GraphBuilder, section: Section, n: int | None, n_rows: int
) -> Iterator[Entry]:
    """Arcs and edges of a section."""
    kind = section.kind
    if kind == "matrix":
        yield from _matrix(builder, section, n, n_rows)
        return
    directed = kind.startswith("arcs")
    for line, text in section.lines:
        fields = text.split(None, 3) if kind in ("arcs", "edges") else text.split()
        if len(fields) > 1 and fields[0].endswith(":"):  # the number of a relation
            fields = text.split(None, 4)[1:] if kind in ("arcs", "edges") else fields[1:]
        if len(fields) < 2:
            raise builder.error(line, quoted(text), "two vertices")
        tail = _vertex(builder, line, fields[0], n)
        if kind in ("arcs", "edges"):
            weight = fields[2] if len(fields) > 2 and not _NO_WEIGHT.match(fields[2]) else None
            yield line, tail, _vertex(builder, line, fields[1], n), weight, directed
        else:
            for field in fields[1:]:
                yield line, tail, _vertex(builder, line, field, n), None, directed


_TIES = ("arcs", "edges", "arcslist", "edgeslist", "matrix")


def _matrix(builder: GraphBuilder, section: Section, n: int | None, n_rows: int) -> Iterator[Entry]:
    """Entries of a matrix that are not 0: arcs, or edges between two modes."""
    if n is None:
        raise builder.error(section.line, "*Matrix before *Vertices", "the number of vertices")
    rows, columns = (n_rows, n - n_rows) if n_rows else (n, n)
    values = ((line, field) for line, text in section.lines for field in text.split())
    places = product(range(rows), range(columns))
    for line, row, column, value in matrix_entries(
        builder, values, places, rows * columns, section.line
    ):
        yield line, row + 1, n_rows + column + 1, value, not n_rows
