"""Pajek networks and projects: sections, each headed by a line that begins with ``*``."""

import html
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from ..errors import InputError
from ..plain_text import quoted
from .columns import remark
from .graph_builder import GraphBuilder
from .network import check_size
from .text import is_whole, numbered_lines, words

FIRST_LINE = r"(?i:(?:\s++|%[^\n]*+)*+\*(vertices|network|arcs|edges|arcslist|edgeslist|matrix)\b)"
# Sections of a project that are not networks; a *Vertices line inside one gives its length.
OTHERS = ("partition", "vector", "permutation", "cluster", "hierarchy")
_EDGE_KINDS = ("arcs", "edges", "arcslist", "edgeslist", "matrix")
# A quoted label, in which quotes may be escaped or inside a word, and the rest of its line.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.|"(?=\S))*)"(?=\s|$)(.*)|"([^"]*)"(?=\s|$)(.*)', re.ASCII)
# What may follow an unquoted label that is one word: a coordinate, a shape or a parameter.
_AFTER = re.compile(
    r"[-+.\d\[]|(ellipse|box|diamond|triangle|cross|empty|circle|house|man|woman|"
    r"[xy]_fact|phi|r|q|[bil]c|bw|l[arp]|lphi|fos|font|h[12]|k[12]|a[12p]?|[cpswl]|url)$", re.I
)  # fmt: skip
# Parameters of an arc or edge, which may stand in place of the weight.
_NO_WEIGHT = re.compile(r"\[|(c|p|s|w|l|lp|lr|lphi|lc|la|fos|font|h[12]|a[12p]?|k[12]|ap)$", re.I)

_TIMES = re.compile(r"(?<=\s)\[[0-9*][0-9*,; -]*\]$")  # at the end of a line


class Section(NamedTuple):
    """A line that begins with ``*``, and the lines below it."""

    line: int
    kind: str  # lower case, "arcs" of "*Arcs :2 "cites""
    rest: str
    lines: list[tuple[int, str]]


def parse(graph: GraphBuilder, text: str) -> bool:
    """Add the only network of a Pajek file or project; always True.

    Arcs are directed, edges undirected; all relations of a file are merged. Vertices are named by
    their labels, else by their numbers.
    """
    sections = _sections(graph, text)
    vertices = [section for section in sections if section.kind == "vertices"]
    ties = [section for section in sections if section.kind != "vertices"]
    if len(vertices) > 1:
        raise graph.error(vertices[1].line, "a second *Vertices", "one network a file")
    if vertices:
        n, n_rows, labels = _vertices(graph, vertices[0])
        check_size(graph.place, n, sum(len(section.lines) + 1 for section in sections))
        numbers = list(map(str, range(1, n + 1)))
    else:
        n, n_rows, labels = None, 0, {}
        ends = (pair for section in ties for _, *pair, _ in _ties(graph, section, n))
        numbers = sorted({v for pair in ends for v in pair}, key=int)
    for number in numbers:
        line, label = labels.get(number, (0, ""))
        graph.node(number, line, {"label": label or number})
    for section in ties:
        if section.kind == "matrix":
            rows, columns = (numbers[:n_rows], numbers[n_rows:]) if n_rows else (numbers, numbers)
            values = ((line, field) for line, row in section.lines for field in row.split())
            graph.matrix(values, rows, columns, section.line, directed=not n_rows)
        else:
            directed = section.kind.startswith("arcs")
            for line, tail, head, attributes in _ties(graph, section, n):
                graph.edge(tail, head, line, attributes, directed=directed)
    every = chain.from_iterable(section.lines for section in sections)
    for place in islice((place for place, row in every if _TIMES.search(row)), 1):
        remark(f"{graph.place}:{place}: times in brackets are ignored: all ties make one network")
    relations = sorted({s.rest for s in ties if s.rest.startswith(":") and s.lines})
    if len(relations) > 1:
        remark(
            f"{graph.place}: {len(relations)} relations, {', '.join(map(quoted, relations[:5]))}"
            f"{', ...' if len(relations) > 5 else ''}: their edges make one network"
        )
    return True


def _sections(graph: GraphBuilder, text: str) -> list[Section]:
    """Sections of the only network; sections of `OTHERS` are skipped with a warning."""
    sections: list[Section] = []
    networks: list[str] = []
    skipped: list[str] = []
    inside, section = True, None
    for number, line in numbered_lines(text):
        if line.startswith("*"):
            kind, _, rest = line[1:].replace("\t", " ").partition(" ")
            section = Section(number, kind.lower(), rest.strip(), [])
            if section.kind in OTHERS:
                inside = False
                skipped.append(quoted(f"*{section.kind.capitalize()} {section.rest}".strip()))
            elif section.kind == "network":
                inside = True
                networks.append(quoted(section.rest))
            elif inside and section.kind not in ("vertices", *_EDGE_KINDS):
                expected = "*Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist or *Matrix"
                raise graph.error(number, f"a section {quoted('*' + section.kind)}", expected)
            elif inside:
                sections.append(section)
        elif line.startswith("%"):
            continue
        elif section is None:
            raise graph.error(number, quoted(line), "a Pajek file: *Vertices")
        else:
            section.lines.append((number, line))
    if len(networks) > 1:
        raise InputError(
            f"{graph.place}: a project of {len(networks)} networks, {', '.join(networks[:5])}; "
            "expected one: save the one to read as a .net file"
        )
    if skipped:
        remark(f"{graph.place}: {', '.join(skipped)}: ignored")
    return sections


def _vertices(graph: GraphBuilder, section: Section) -> tuple[int, int, dict[str, tuple[int, str]]]:
    """Numbers of all and of first-mode vertices; line and label of each vertex that is listed."""
    counts = section.rest.split()
    if len(counts) not in (1, 2) or not all(map(is_whole, counts)):
        found = f"*Vertices {quoted(section.rest)}"
        raise graph.error(section.line, found, "the number of vertices")
    n, n_rows = int(counts[0]), int(counts[-1]) if len(counts) == 2 else 0
    if n_rows > n:
        raise graph.error(section.line, f"{n_rows} of {n} vertices", f"{n} at most")
    labels: dict[str, tuple[int, str]] = {}
    for line, text in section.lines:
        first, *rest = words(text, 1)
        number = _vertex(graph, line, first, n)
        if number in labels:
            raise graph.error(line, f"vertex {number} again", "each vertex once")
        labels[number] = line, _label(graph, line, "".join(rest))
    return n, n_rows, labels


def _vertex(graph: GraphBuilder, line: int, text: str, n: int | None) -> str:
    """Number of a vertex, without leading zeros."""
    if not is_whole(text) or not 1 <= int(text) <= (int(text) if n is None else n):
        last = "on" if n is None else f"to {n}"
        raise graph.error(line, f"vertex {quoted(text)}", f"a number from 1 {last}")
    return str(int(text))


def _label(graph: GraphBuilder, line: int, text: str) -> str:
    """Label of a vertex, at the beginning of the text after its number."""
    if text.startswith('"'):
        match = _QUOTED.match(text)
        escaped, after, plain, after_plain = match.groups() if match else (None, "", None, '"')
        if (after or after_plain or "").count('"') % 2:
            raise graph.error(line, f"label {quoted(text)}", "a label in quotes")
        label = re.sub(r'\\(["\\])', r"\1", escaped) if escaped is not None else plain or ""
    else:
        label, *after = words(text) or [""]
        if after and not _AFTER.match(after[0]):
            raise graph.error(line, f"label {quoted(text)} of several words", "quotes around it")
    return re.sub(r"&#\d+;", lambda code: html.unescape(code[0]), label)


def _ties(
    graph: GraphBuilder, section: Section, n: int | None
) -> Iterator[tuple[int, str, str, dict[str, str]]]:
    """Line, tail, head and attributes of each arc or edge of a section, except a matrix."""
    if section.kind == "matrix":
        raise graph.error(section.line, "*Matrix before *Vertices", "*Vertices first")
    for line, text in section.lines:
        fields = text.split()
        if len(fields) > 1 and fields[0].endswith(":"):  # the number of a relation
            del fields[0]
        if len(fields) < 2:
            raise graph.error(line, quoted(text), "two vertices")
        tail, heads, attributes = fields[0], fields[1:], {}
        if section.kind in ("arcs", "edges"):
            heads = fields[1:2]
            if len(fields) > 2 and not _NO_WEIGHT.match(fields[2]):
                attributes = {"weight": fields[2]}
        for head in heads:
            yield line, _vertex(graph, line, tail, n), _vertex(graph, line, head, n), attributes
