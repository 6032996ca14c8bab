"""GML, Pajek, SIF and tables of Cytoscape; the builder of a network from nodes and edges."""

from __future__ import annotations

import html
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import ascii_number, quoted
from .dialect import Dialect
from .network import Edges, Network, check_size
from .remarks import fault, remark
from .source import SPACES, Source, is_whole, numbered_lines, whole
from .titles import Wanted, plain, weight_among, weights_of


@dataclass
class GraphBuilder:
    """Nodes and edges of a file, in file order."""

    place: str  # the file, for messages
    wanted: Wanted  # of which `weight` and `weighted` count
    default_weight: float | None = None  # of an edge without "weight", if the format has one
    declares: bool = True  # the format lists each node once; else edges name their nodes
    # Values by node of attributes; by default of those that may be names, of igraph and of others.
    kept: dict[str, dict[int, str]] = field(default_factory=lambda: {"name": {}, "label": {}})
    numbers: dict[str, int] = field(default_factory=dict)  # of the nodes, by identifier
    _declared: set[str] = field(default_factory=set)
    # Tail, head and line of each edge, and whether it is directed (-1: as the graph).
    _edges: array[int] = field(default_factory=partial(array, "q"))
    # Values by edge of the attributes that may be weights; None for other attributes.
    _attributes: dict[str, dict[int, Any] | None] = field(default_factory=dict)

    def error(self, line: int, found: str, expected: str) -> InputError:
        """Error of a line: what was found, and what was expected."""
        return fault(f"{self.place}:{line}", found, expected)

    def node(
        self, identifier: str | None, line: int, attributes: Mapping[str, str] | None = None
    ) -> None:
        """Add a node; InputError if it is declared twice, or has no identifier."""
        if identifier is None:
            raise self.error(line, "a node without id", "one")
        if identifier in self._declared and self.declares:
            raise self.error(line, f"node {quoted(identifier)} again", "each node once")
        self._declared.add(identifier)
        number = self.numbers.setdefault(identifier, len(self.numbers))
        for title, value in (attributes or {}).items():
            if (known := title.lower()) in self.kept:
                self.kept[known][number] = value

    def edge(
        self,
        tail: str | None,
        head: str | None,
        line: int,
        attributes: Mapping[str, Any],
        *,
        directed: bool | None = None,
    ) -> None:
        """Add an edge between identifiers; by default it is directed if the graph is."""
        if tail is None or head is None:
            found = f"an edge without {'source' if tail is None else 'target'}"
            raise self.error(line, found, "one")
        numbers, told = self.numbers, self.wanted.weight
        for title, value in attributes.items():
            if title not in self._attributes:
                may_be = plain(title) == plain(told) if told else weights_of([title])
                self._attributes[title] = {} if may_be else None
            column = self._attributes[title]
            if column is not None:
                column[len(self._edges) // 4] = value
        ends = (numbers.setdefault(end, len(numbers)) for end in (tail, head))
        self._edges.extend((*ends, line, -1 if directed is None else directed))

    def network(self, *, directed: bool) -> Network:
        """Network of the nodes and edges; an undirected edge is an entry each way."""
        if not self.numbers:
            raise fault(self.place, "no node", "one at least")
        tails, heads, lines, one_way = np.array(self._edges, dtype=np.int64).reshape(-1, 4).T
        identifiers = tuple(self.numbers)
        if self.declares and len(self._declared) < len(identifiers):
            v = next(v for v, name in enumerate(identifiers) if name not in self._declared)
            k = int(np.argmax((tails == v) | (heads == v)))
            found = f"an edge of {quoted(identifiers[v])}, which is not the id of a node"
            raise self.error(lines[k], found, "ids of nodes of the file")
        names = self._chosen_names(identifiers)
        titles = list(self._attributes)
        at = weight_among(titles, self.wanted, self.place, "attribute")
        title = ""
        weights: NDArray[np.float64] | Exception | None = None

        def place(k: int) -> str:
            ends = f"{quoted(names[tails[k]])} - {quoted(names[heads[k]])}"
            return f"{self.place}:{lines[k]}: edge {ends}"

        if at is not None:
            title, column = titles[at], self._attributes[titles[at]] or {}
            default = self.default_weight if plain(title) == "weight" else None
            numbers = [number_of(column.get(k, default)) for k in range(len(tails))]
            weights = np.array(numbers, dtype=np.float64)
            if None in numbers:
                value = column.get(k := numbers.index(None), default)
                found = f"no {title}" if value is None else f"{title} is {quoted(str(value))}"
                weights = fault(place(k), found, "a finite number")
        edges = Edges(names, tails, heads, place, title, weights)
        return edges.both_ways(one_way == 0 if directed else one_way < 1).network(self.wanted)

    def _chosen_names(self, identifiers: Sequence[str]) -> tuple[str, ...]:
        """Node names: the first attribute of `kept` with mostly distinct values, else identifiers.

        To a name that several nodes share, the identifier of each is appended.
        """
        n = len(identifiers)
        for names in self.kept.values():
            count = Counter(names.values())
            if len(names) < n or "" in count or 2 * len(count) <= n:
                continue
            told = tuple(
                names[v] if count[names[v]] == 1 else f"{names[v]} ({identifier})"
                for v, identifier in enumerate(identifiers)
            )
            if len(set(told)) == n:
                return told
        return tuple(identifiers)


def number_of(value: Any) -> float | None:
    """Finite number in a text; None if it is not one."""
    try:
        read = ascii_number(str(value))
    except ValueError:
        return None
    return read if math.isfinite(read) else None


_TOKEN = re.compile(
    r'\s+|#[^\n]*|"(?P<text>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<word>[^\s"[\]]+)|(?P<quote>")'
)
_ENTITY = re.compile(r"&#?\w+;")
_KEY = re.compile(r"[^\W\d][\w.:-]*")
_KNOWN = ("id", "source", "target", "directed")  # in any case


def read_gml(file: Source, wanted: Wanted) -> Network:
    """Network of a GML file."""
    graph, text = GraphBuilder(file.name, wanted), whole(file, wanted.encoding)
    directed, graphs, line = False, 0, 1
    lists: list[tuple[str, int, dict[str, str]]] = []  # open lists: key, line, first value by key
    key, at = "", 0  # a key whose value comes next, and its line
    for match in _TOKEN.finditer(text):
        kind, token, begun = match.lastgroup, match[match.lastgroup or 0], line
        line += match[0].count("\n")
        title = key.lower()
        if not kind:
            continue
        if kind == "quote":
            raise graph.error(begun, "an unclosed quote", "a GML file")
        if not key and kind == "close" and lists:
            title, at, values = lists.pop()
            around = [one for one, *_ in lists]
            if not around and title == "graph":
                directed = values.get("directed") == "1"
            elif around == ["graph"] and title == "node":
                graph.node(values.get("id"), at, values)
            elif around == ["graph"] and title == "edge":
                values.pop("id", None)
                graph.edge(values.pop("source", None), values.pop("target", None), at, values)
        elif not key:
            if kind != "word" or not _KEY.fullmatch(token):
                raise graph.error(begun, quoted(token), "the key of a GML file")
            key, at = token, begun
            continue
        elif kind == "close":
            break
        elif kind == "open":
            graphs += not lists and title == "graph"
            if graphs > 1:
                raise graph.error(at, "a second graph", "one graph a file")
            lists.append((title, at, {}))
        elif lists:
            if kind == "text":
                token = _ENTITY.sub(lambda entity: html.unescape(entity[0]), token)
            lists[-1][2].setdefault(title if title in _KNOWN else key, token)
        key = ""
    if key:
        raise graph.error(at, f"a key {quoted(key)} without value", "a GML file")
    if lists:
        last = 1 + text.count("\n")
        raise graph.error(last, "the end of the file within a list", "a ']'")
    if not graphs:
        raise fault(graph.place, "no 'graph ['", "a GML file")
    return graph.network(directed=directed)


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


def read_pajek(file: Source, wanted: Wanted) -> Network:
    """Network of a Pajek file, or the only one of a project.

    Arcs are directed, edges undirected; all relations of a file are merged. Vertices are named by
    their labels, else by their numbers.
    """
    graph = GraphBuilder(file.name, wanted, default_weight=1.0)
    sections = _sections(graph, whole(file, wanted.encoding))
    vertices = [section for section in sections if section.kind == "vertices"]
    ties = [section for section in sections if section.kind != "vertices"]
    if len(vertices) > 1:
        raise graph.error(vertices[1].line, "a second *Vertices", "one network a file")
    if vertices:
        n, n_rows, labels = _vertices(graph, vertices[0])
        check_size(graph.place, n, sum(len(section.lines) + 1 for section in sections))
        numbers = [*range(1, n + 1)]
    else:
        n, n_rows, labels = None, 0, {}
        ends = (pair for section in ties for _, *pair, _ in _ties(graph, section))
        numbers = sorted({int(v) for pair in ends for v in pair})
    for number in map(str, numbers):
        line, label = labels.get(number, (0, ""))
        graph.node(number, line, {"label": label or number})
    for section in ties:
        directed = section.kind.startswith("arcs") or (section.kind == "matrix" and not n_rows)
        for line, tail, head, attributes in _ties(graph, section, n, n_rows):
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
    return graph.network(directed=True)


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
        found = f"a project of {len(networks)} networks, {', '.join(networks[:5])}"
        raise fault(graph.place, found, "one: save the one to read as a .net file")
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
        first, *rest = SPACES.split(text, 1)
        number = _vertex(graph, line, first, n)
        if number in labels:
            raise graph.error(line, f"vertex {number} again", "each vertex once")
        label = "".join(rest)
        if label.startswith('"'):
            match = _QUOTED.match(label)
            escaped, after, plain, after_plain = match.groups() if match else (None, "", None, '"')
            if (after or after_plain or "").count('"') % 2:
                raise graph.error(line, f"label {quoted(label)}", "a label in quotes")
            label = re.sub(r'\\(["\\])', r"\1", escaped) if escaped is not None else plain or ""
        else:
            one, *more = SPACES.split(label)
            if more and not _AFTER.match(more[0]):
                found = f"label {quoted(label)} of several words"
                raise graph.error(line, found, "quotes around it")
            label = one
        labels[number] = line, re.sub(r"&#\d+;", lambda code: html.unescape(code[0]), label)
    return n, n_rows, labels


def _vertex(graph: GraphBuilder, line: int, text: str, n: int | None) -> str:
    """Number of a vertex, without leading zeros."""
    if not is_whole(text) or not 1 <= int(text) <= (int(text) if n is None else n):
        last = "on" if n is None else f"to {n}"
        raise graph.error(line, f"vertex {quoted(text)}", f"a number from 1 {last}")
    return str(int(text))


def _ties(
    graph: GraphBuilder, section: Section, n: int | None = None, n_rows: int = 0
) -> Iterator[tuple[int, str, str, dict[str, str]]]:
    """Line, tail, head and attributes of each arc or edge of a section.

    A matrix, whose lines may be wrapped, has one for each entry other than zero.
    """
    if section.kind == "matrix":
        if n is None:
            raise graph.error(section.line, "*Matrix before *Vertices", "*Vertices first")
        entries = [(line, field) for line, text in section.lines for field in text.split()]
        places = product(range(1, (n_rows or n) + 1), range(n_rows + 1, n + 1))
        if len(entries) != (size := (n_rows or n) * (n - n_rows)):
            found = f"a matrix of {len(entries)} numbers"
            raise graph.error(section.line, found, f"{size} numbers")
        for (line, field), (row, column) in zip(entries, places, strict=True):
            if (value := number_of(field)) is None:
                raise graph.error(line, quoted(field), "a finite number")
            if value:
                yield line, str(row), str(column), {"weight": field}
        return
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


def read_sif(file: Source, wanted: Wanted) -> Network:
    """Network of a SIF file of Cytoscape: node, relation and any number of targets a line.

    Tabs divide the fields if the file has one, else spaces. Relations are not kept; a line of one
    field is a node.
    """
    graph = GraphBuilder(file.name, wanted, declares=False)
    text = whole(file, wanted.encoding)
    mark = "\t" if "\t" in text else SPACES
    for number, line in numbered_lines(text):
        tail, *others = (field for one in re.split(mark, line) if (field := one.strip(" ")))
        if len(others) == 1:
            raise graph.error(number, quoted(line), "a node, a relation and its targets")
        graph.node(tail, number)
        for head in others[1:]:
            graph.edge(tail, head, number, {})
    return graph.network(directed=True)


def read_cytoscape(file: Source, wanted: Wanted) -> Network:
    """Network of an edge table of Cytoscape, whose names are ``source (relation) target``."""
    graph = GraphBuilder(file.name, wanted, declares=False)
    lines = whole(file, wanted.encoding).split("\n")
    mark = "\t" if "\t" in next(filter(str.strip, lines)) else ","
    (first, titles), *rows = Dialect(mark).rows(file.name, lines, 0)
    if not {"name", "interaction"} <= {*titles}:
        found = f"a table of Cytoscape with the columns {quoted(titles)}"
        raise graph.error(first, found, "its edge table, with name and interaction")
    remark(f"{file.name}: a table of Cytoscape: its column 'name' is split into source and target")
    for number, fields in rows:
        row = dict(zip(titles, fields, strict=False))
        name, relation = row.get("name", ""), row.get("interaction", "")
        tail, between, head = name.partition(f" ({relation}) ")
        if not between:  # neither end is empty: blanks around a cell are cut off
            raise graph.error(number, f"the name {quoted(name)}", "'source (interaction) target'")
        graph.edge(tail, head, number, row)
    return graph.network(directed=True)
