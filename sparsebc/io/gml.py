"""GML: keys with values, which are numbers, texts in quotes or lists of such between brackets."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import InputError
from .columns import Wanted
from .graph_builder import GraphBuilder, LineNumbers, decoded, quoted
from .network import Network
from .source import Source

FIRST_LINES = re.compile(
    r"(?:\s++|#[^\n]*+|(?:version|comment)\s++(?:\"[^\"]*\"|[^\s\"\[]++))*+"
    r"(?:creator\s+\"|graph\s*\[)",
    re.I,
)
_TOKEN = re.compile(r'\s+|#[^\n]*|"([^"]*)"|([][])|([^\s"[\]]+)')
_ENTITY = re.compile(r"&#?\w+;")
_KEY = re.compile(r"[^\W\d][\w.:-]*")


class Token(NamedTuple):
    """A key, a value or a bracket."""

    text: str
    kind: str  # "text" in quotes, "bracket" or "word"
    at: int  # its place in the file

    @property
    def opens(self) -> bool:
        """Whether a list begins."""
        return self.kind == "bracket" and self.text == "["


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a GML file; an edge without direction is an entry each way."""
    text = decoded(file, wanted.encoding)
    builder = GraphBuilder(file.name, wanted)
    parser = _Parser(builder, text)
    directed, graphs = False, 0
    for key, value in parser.pairs(0):
        if key.text.lower() != "graph" or not value.opens:
            parser.skip(value)
            continue
        graphs += 1
        if graphs > 1:
            raise parser.error(key, "a second graph", "one graph a file")
        for key, value in parser.pairs(1):
            kind = key.text.lower()
            if kind in ("node", "edge") and value.opens:
                record = parser.record()
                (_node if kind == "node" else _edge)(builder, record, parser.line(key))
            elif kind == "directed":
                directed = value.text == "1"
            else:
                parser.skip(value)
    if not graphs:
        raise InputError(f"{file.name}: no 'graph ['; expected a GML file")
    return builder.network(directed=directed)


def _node(builder: GraphBuilder, record: dict[str, str], line: int) -> None:
    if "id" not in record:
        raise builder.error(line, "a node without id", "an id")
    builder.node(record["id"], line, record)


def _edge(builder: GraphBuilder, record: dict[str, str], line: int) -> None:
    ends = [record.pop(end, None) for end in ("source", "target")]
    if None in ends:
        raise builder.error(line, "an edge without source or target", "both")
    record.pop("id", None)
    builder.edge(str(ends[0]), str(ends[1]), line, record)


def _unescaped(entity: re.Match[str]) -> str:
    return html.unescape(entity[0])


class _Parser:
    """The tokens of a text, one after the other."""

    def __init__(self, builder: GraphBuilder, text: str) -> None:
        self._builder, self._text = builder, text
        self._tokens = self._split()
        self._line = LineNumbers(text)

    def line(self, token: Token) -> int:
        return self._line(token.at)

    def error(self, token: Token, found: str, expected: str) -> ValueError:
        return self._builder.error(self.line(token), found, expected)

    def _split(self) -> Iterator[Token]:
        text, at = self._text, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:  # a quote without its end
                raise self.error(
                    Token("", "", at),
                    "a quote that does not end",
                    "a GML file",
                )
            if match.lastindex:
                kind = ("text", "bracket", "word")[match.lastindex - 1]
                value = match[match.lastindex]
                yield Token(_ENTITY.sub(_unescaped, value) if kind == "text" else value, kind, at)
            at = match.end()

    def pairs(self, depth: int) -> Iterator[tuple[Token, Token]]:
        """Keys and values of a list; of a value that is a list the bracket, for the caller."""
        for key in self._tokens:
            if depth and key.kind == "bracket" and not key.opens:
                return
            if key.kind != "word" or not _KEY.fullmatch(key.text):
                raise self.error(key, quoted(key.text), "the key of a GML file")
            value = next(self._tokens, None)
            if value is None or (value.kind == "bracket" and not value.opens):
                raise self.error(key, f"a key {quoted(key.text)} without value", "a GML file")
            yield key, value
        if depth:
            raise self._cut()

    def record(self) -> dict[str, str]:
        """Values of a list that are no lists themselves, the first of each key."""
        found: dict[str, str] = {}
        for key, value in self.pairs(2):
            if value.opens:
                self.skip(value)
                continue
            known = key.text.lower()
            found.setdefault(known if known in ("id", "source", "target") else key.text, value.text)
        return found

    def skip(self, value: Token) -> None:
        """Read past a value."""
        depth = int(value.opens)
        while depth:
            token = next(self._tokens, None)
            if token is None:
                raise self._cut()
            if token.kind == "bracket":
                depth += 1 if token.opens else -1

    def _cut(self) -> ValueError:
        return self.error(
            Token("", "", len(self._text)), "the end within a list", "a GML file that has its ]"
        )
