"""DOT, the language of Graphviz: statements on nodes, edges and subgraphs."""

import re
from itertools import pairwise, product

from ..plain_text import quoted
from .graph_builder import GraphBuilder, Token

_SPACE = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/|(?m:^)#[^\n]*+)"
FIRST_LINES = rf"(?i:{_SPACE}*+(?:strict\s+)?(?:di)?graph\b\s*(?:\"[^\"]*\"|[^\s{{\"]+)?\s*\{{)"
_TOKEN = re.compile(
    rf"{_SPACE}|(?P<mark>->|--|[{{}}\[\];,=:+])"
    r"|(?P<name>-?(?:\.\d+|\d+(?:\.\d*)?)(?![\w.])|[^\W\d]\w*)"
    r'|"(?P<text>(?:[^"\\]|\\.)*)"|(?P<html><(?:[^<>]|<[^<>]*>)*>)',
    re.S,
)


def parse(graph: GraphBuilder, text: str) -> bool:
    """Add the nodes and edges of a DOT file and its subgraphs; whether it is directed."""
    return _Parser(graph, text).graph()


class _Parser:
    """Recursive-descent parser of the tokens of a text."""

    def __init__(self, graph: GraphBuilder, text: str) -> None:
        self._graph = graph
        self._tokens = graph.tokens(text, _TOKEN, "a DOT file")
        self._token = next(self._tokens)
        self._seen: set[str] = set()

    def graph(self) -> bool:
        """Parse the graph of the file; whether it is directed."""
        self._accept("strict")
        self._directed = self._accept("digraph")
        if not self._directed and not self._accept("graph"):
            raise self._error("a DOT file: graph or digraph")
        if self._token.kind not in ("mark", "end"):
            self._identifier()
        self._statements({}, 0)
        if self._token.kind != "end":
            raise self._error("one graph a file")
        return self._directed

    def _error(self, expected: str) -> ValueError:
        found = "the end" if self._token.kind == "end" else quoted(self._token.text)
        return self._graph.error(self._token.line, found, expected)

    def _advance(self) -> Token:
        """Consume and return the next token."""
        token = self._token
        self._token = next(self._tokens, token)
        return token

    def _accept(self, *texts: str) -> bool:
        """Whether one of these marks or keywords, in any case, is next; then it is consumed."""
        found = self._token.kind in ("mark", "name") and self._token.text.lower() in texts
        if found:
            self._advance()
        return found

    def _identifier(self) -> str:
        """Parse an identifier, whose parts may be joined by +."""
        parts: list[str] = []
        while not parts or self._accept("+"):
            if self._token.kind in ("mark", "end"):
                raise self._error("a name")
            token = self._advance()
            parts.append(token.text.replace('\\"', '"') if token.kind == "text" else token.text)
        return "".join(parts)

    def _statements(self, defaults: dict[str, str], depth: int) -> list[str]:
        """Parse statements in braces; return their nodes."""
        if depth > 100:
            raise self._error("fewer than 100 nested subgraphs")
        if not self._accept("{"):
            raise self._error("'{' of a DOT file")
        nodes: dict[str, None] = {}
        defaults = dict(defaults)
        while not self._accept("}"):
            if self._accept("graph", "node"):
                self._attributes()
            elif self._accept("edge"):
                defaults.update(self._attributes())
            elif not self._accept(";"):
                nodes.update(dict.fromkeys(self._chain(defaults, depth)))
        return list(nodes)

    def _chain(self, defaults: dict[str, str], depth: int) -> list[str]:
        """Parse a node, a subgraph, edges between these or a graph attribute; return the nodes."""
        line = self._token.line
        ends = [self._end(defaults, depth)]
        if len(ends[0]) == 1 and self._accept("="):
            self._identifier()
            return []
        while self._token.kind == "mark" and self._token.text in ("--", "->"):
            if not self._accept("->" if self._directed else "--"):
                raise self._error("-> in a digraph, -- in a graph")
            ends.append(self._end(defaults, depth))
        attributes = {**defaults, **self._attributes()}
        nodes = [node for end in ends for node in end]
        for node in nodes:
            if node not in self._seen:
                self._seen.add(node)
                self._graph.node(node, line)
        for tails, heads in pairwise(ends):
            for pair in product(tails, heads):
                self._graph.edge(*pair, line, attributes)
        return nodes

    def _end(self, defaults: dict[str, str], depth: int) -> list[str]:
        """Parse an end of an edge, a node or a subgraph; return its nodes."""
        if self._accept("subgraph") and self._token.kind not in ("mark", "end"):
            self._identifier()
        if self._token.kind == "mark" and self._token.text == "{":
            return self._statements(defaults, depth + 1)
        node = self._identifier()
        while self._accept(":"):  # the port
            self._identifier()
        return [node]

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._accept("["):
            while not self._accept("]"):
                title = self._identifier()
                found[title] = self._identifier() if self._accept("=") else "true"
                self._accept(",", ";")
        return found
