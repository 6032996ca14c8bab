"""GML: keys with values, which are numbers, quoted strings or lists of keys in brackets."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import InputError
from ..plain_text import quoted
from .graph_builder import GraphBuilder

FIRST_LINES = (
    r"(?i:(?:\s++|#[^\n]*+|(?:version|comment)\s++(?:\"[^\"]*\"|[^\s\"\[]++))*+"
    r"(?:creator\s+\"|graph\s*\[))"
)
_TOKEN = re.compile(
    r'\s+|#[^\n]*|"(?P<text>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<word>[^\s"[\]]+)'
)
_ENTITY = re.compile(r"&#?\w+;")
_KEY = re.compile(r"[^\W\d][\w.:-]*")
_KNOWN = ("id", "source", "target", "directed")  # in any case


class Token(NamedTuple):
    """A token of a text."""

    kind: str  # name of the group that matched; "end" after the last token
    text: str
    line: int


def parse(graph: GraphBuilder, text: str) -> bool:
    """Add the nodes and edges of a GML file; whether it is directed."""
    directed, graphs = False, 0
    lists: list[tuple[str, int, dict[str, str]]] = []  # open lists: key, line, first value by key
    key: Token | None = None
    for token in _tokens(graph, text):
        if key is None and token.kind == "close" and lists:
            title, line, values = lists.pop()
            if [known for known, *_ in lists] == ["graph"]:
                _add(graph, title, line, values)
            elif not lists and title == "graph":
                directed = values.get("directed") == "1"
        elif key is None and token.kind != "end":
            if token.kind != "word" or not _KEY.fullmatch(token.text):
                raise graph.error(token.line, quoted(token.text), "the key of a GML file")
            key = token
        elif key is not None:
            title = key.text.lower()
            if token.kind in ("close", "end"):
                raise graph.error(key.line, f"a key {quoted(key.text)} without value", "a GML file")
            if token.kind == "open":
                graphs += not lists and title == "graph"
                if graphs > 1:
                    raise graph.error(key.line, "a second graph", "one graph a file")
                lists.append((title, key.line, {}))
            elif lists:
                value = token.text
                if token.kind == "text":
                    value = _ENTITY.sub(lambda entity: html.unescape(entity[0]), value)
                lists[-1][2].setdefault(title if title in _KNOWN else key.text, value)
            key = None
    if lists:
        raise graph.error(token.line, "the end of the file within a list", "a ']'")
    if not graphs:
        raise InputError(f"{graph.place}: no 'graph ['; expected a GML file")
    return directed


def _tokens(graph: GraphBuilder, text: str) -> Iterator[Token]:
    """Tokens of a text, then a token "end"."""
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:  # any other character is part of some token
            raise graph.error(line, "an unclosed quote", "a GML file")
        if match.lastgroup:
            yield Token(match.lastgroup, match[match.lastgroup], line)
        line += text.count("\n", at, match.end())
        at = match.end()
    yield Token("end", "", line)


def _add(graph: GraphBuilder, title: str, line: int, values: dict[str, str]) -> None:
    """Add the node or edge of a list that has ended; lists of other keys are ignored."""
    needed = {"node": ("id",), "edge": ("source", "target")}.get(title, ())
    for key in needed:
        if key not in values:
            raise graph.error(
                line, f"{'a' if title == 'node' else 'an'} {title} without {key}", "one"
            )
    if title == "node":
        graph.node(values["id"], line, values)
    elif title == "edge":
        ends = values.pop("source"), values.pop("target")
        values.pop("id", None)
        graph.edge(*ends, line, values)
