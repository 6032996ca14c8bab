"""DOT, the language of Graphviz: statements on nodes, edges and subgraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .columns import Wanted
from .graph_builder import GraphBuilder, LineNumbers, decoded, quoted
from .network import Network
from .source import Source

_SPACE = r"(?:\s++|//[^\n]*+|/\*.*?\*/|^#[^\n]*+)"
FIRST_LINES = re.compile(
    rf"{_SPACE}*+(?:strict\s+)?(?:di)?graph\b\s*(?:\"[^\"]*\"|[^\s{{\"]+)?\s*\{{",
    re.I | re.S | re.M,
)
_TOKEN = re.compile(
    rf"{_SPACE}|(->|--|[{{}}\[\];,=:+])|(-?(?:\.\d+|\d+(?:\.\d*)?)(?![\w.])|[^\W\d]\w*)"
    r'|"((?:[^"\\]|\\.)*)"|(<)',
    re.S | re.M,
)  # fmt: skip
Token = tuple[str, bool, int]  # text, whether it is a name, place


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a DOT file: nodes by their identifiers, and all edges, those of subgraphs too."""
    return _Parser(file.name, wanted, decoded(file, wanted.encoding)).network()


class _Parser:
    """The tokens of a text, one after the other."""

    def __init__(self, place: str, wanted: Wanted, text: str) -> None:
        self._builder = GraphBuilder(place, wanted, declares=False)
        self._text = text
        self._line = LineNumbers(text)
        self._tokens = self._split()
        self._advance()
        self._seen: set[str] = set()

    def network(self) -> Network:
        """Network of the one graph."""
        self._takes("strict")
        self._directed = self._takes("digraph")
        if not self._directed and not self._takes("graph"):
            raise self._error("a DOT file: graph or digraph")
        if self._name:
            self._identifier()
        self._statements({}, 0)
        if self._token:
            raise self._error("one graph a file")
        return self._builder.network(directed=self._directed)

    def _split(self) -> Iterator[Token]:
        text, at = self._text, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self._at = at
                raise self._builder.error(self._line(at), quoted(text[at:]), "a DOT file")
            end = match.end()
            if match[4]:  # a name in HTML: up to the bracket that closes this one
                depth = 1
                while depth and end < len(text):
                    depth += {"<": 1, ">": -1}.get(text[end], 0)
                    end += 1
                yield text[at:end], True, at
            elif match.lastindex:
                name = match[2] if match[3] is None else match[3].replace('\\"', '"')
                yield (name if match.lastindex > 1 else match[1]), match.lastindex > 1, at
            at = end

    def _error(self, expected: str) -> ValueError:
        found = quoted(self._token) if self._token or self._name else "the end"
        return self._builder.error(self._line(self._at), found, expected)

    def _advance(self) -> None:
        """Take the next token, which is "" at the end."""
        self._token, self._name, self._at = next(self._tokens, ("", False, len(self._text)))

    def _takes(self, *texts: str) -> bool:
        """Whether the token is one of these, then past it; keywords are of any case."""
        if self._token.lower() not in texts or self._text[self._at : self._at + 1] == '"':
            return False
        self._advance()
        return True

    def _needs(self, text: str) -> None:
        if not self._takes(text):
            raise self._error(f"{text!r} of a DOT file")

    def _identifier(self) -> str:
        if not self._name:
            raise self._error("a name")
        parts = [self._token]
        self._advance()
        while self._takes("+"):
            parts.append(self._token)
            self._advance()
        return "".join(parts)

    def _statements(self, defaults: dict[str, str], depth: int) -> list[str]:
        """Read what is between two braces; the nodes in it."""
        if depth > 100:
            raise self._error("fewer than 100 subgraphs in each other")
        self._needs("{")
        nodes: dict[str, None] = {}
        defaults = dict(defaults)
        while not self._takes("}"):
            if self._takes(";"):
                continue
            if self._takes("graph", "node"):
                self._attributes()
            elif self._takes("edge"):
                defaults.update(self._attributes())
            else:
                nodes.update(dict.fromkeys(self._chain(defaults, depth)))
        return list(nodes)

    def _chain(self, defaults: dict[str, str], depth: int) -> list[str]:
        """Read a node, a subgraph, edges between such, or the attribute of a graph; the nodes."""
        line = self._line(self._at)
        ends = [self._end(defaults, depth)]
        if len(ends[0]) == 1 and self._takes("="):
            self._identifier()
            return []
        while self._token in ("--", "->") and not self._name:
            if (self._token == "->") != self._directed:
                raise self._error("-> in a digraph, -- in a graph")
            self._advance()
            ends.append(self._end(defaults, depth))
        attributes = self._attributes()
        for node in (node for end in ends for node in end):
            if node not in self._seen:
                self._seen.add(node)
                self._builder.node(node, line)
        for tails, heads in pairwise(ends):
            for tail in tails:
                for head in heads:
                    self._builder.edge(tail, head, line, {**defaults, **attributes})
        return [node for end in ends for node in end]

    def _end(self, defaults: dict[str, str], depth: int) -> list[str]:
        """Nodes of one end of an edge."""
        if self._takes("subgraph") and self._name:
            self._identifier()
        if self._token == "{" and not self._name:
            return self._statements(defaults, depth + 1)
        node = self._identifier()
        while self._takes(":"):  # the port
            self._identifier()
        return [node]

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._takes("["):
            while not self._takes("]"):
                title = self._identifier()
                found[title] = self._identifier() if self._takes("=") else "true"
                self._takes(",", ";")
        return found
