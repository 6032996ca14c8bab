"""GraphML and GEXF files, by the parser of XML of the standard library (expat)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from xml.parsers import expat

from ..errors import InputError
from .columns import Wanted, remark
from .graph_builder import GraphBuilder
from .network import Network
from .source import Source
from .text import quoted

TYPES = {"directed": True, "undirected": False, "mutual": False}  # of edges
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_OF_TEXT = ("data", "default", "NodeLabel")  # elements whose text is looked at


class Element(NamedTuple):
    """An element of a document: its own attributes, its texts and the elements in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    texts: list[str]
    children: list[Element]

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(self.texts)

    def all(self, tag: str) -> list[Element]:
        """Elements of a tag in it, at any depth."""
        within = [one for child in self.children for one in child.all(tag)]
        return [child for child in self.children if child.tag == tag] + within


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a GraphML or GEXF file, told apart by the root of the document.

    Documents that declare entities are refused; nothing outside of the document is looked at.
    """
    graph = GraphBuilder(file.name, wanted)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    inside: list[Element] = []  # elements that are open
    document: _Document

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal document
        name = tag.rpartition(" ")[2]
        element = Element(name, attributes, parser.CurrentLineNumber, [], [])
        if inside:
            document.start(element, inside)
        elif name in _ROOTS:
            document = _ROOTS[name](graph)
        else:
            expected = "graphml or gexf: a GraphML file or a GEXF file"
            raise graph.error(element.line, f"XML with the root {quoted(name)}", expected)
        inside.append(element)

    def end(_: str) -> None:
        element = inside.pop()
        if not document.end(element) and inside:
            inside[-1].children.append(element)

    def text(data: str) -> None:
        if inside[-1].tag in _OF_TEXT:
            inside[-1].texts.append(data)

    def entity(name: str, *_: object) -> None:
        found = f"the document declares an entity {quoted(name)}"
        raise graph.error(parser.CurrentLineNumber, found, "none")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    try:
        parser.ParseFile(file.stream)
    except expat.ExpatError as error:
        raise graph.error(error.lineno, expat.ErrorString(error.code), "XML") from None
    except LookupError as error:
        raise InputError(f"{file.name}: {error}; expected XML in UTF-8") from None
    return graph.network(directed=bool(document.directed))


class _Document:
    """What is known of a document while it is read."""

    default_key, default = "edgedefault", ""  # attribute that says what edges are by default
    kinds: Mapping[str, bool] = {"directed": True, "undirected": False}  # of edges

    def __init__(self, graph: GraphBuilder) -> None:
        self.graph = graph
        self.directed: bool | None = None  # by default, once there is a graph
        self.titles: dict[tuple[str, str], str] = {}  # of attributes, by what they are of and id
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}

    def start(self, element: Element, inside: list[Element]) -> None:
        """Begin an element in others; the one graph tells what edges are by default."""
        if element.tag != "graph":
            return
        if self.directed is not None:
            found = "a second graph, or one within another"
            raise self.graph.error(element.line, found, "one graph a file: save the one to read")
        default = element.attributes.get(self.default_key, self.default).lower()
        if default not in self.kinds:
            found = f"edges that are {quoted(default)} by default"
            raise self.graph.error(element.line, found, str(list(self.kinds)))
        self.directed = self.kinds[default]

    def end(self, element: Element) -> bool:
        """Take an element; whether it is done with."""
        raise NotImplementedError

    def needed(self, element: Element, *titles: str) -> list[str]:
        """Values of attributes that an element must have."""
        for title in titles:
            if title not in element.attributes:
                raise self.graph.error(element.line, f"an element without {title!r}", "one")
        return [element.attributes[title] for title in titles]

    def declare(self, what: str, identifier: str, title: str | None, element: Element) -> None:
        """Take the declaration of an attribute, perhaps with a default."""
        self.titles[what, identifier] = title or identifier
        for default in element.all("default"):
            self.defaults.setdefault(what, {})[title or identifier] = default.text

    def values(self, element: Element, tag: str, key: str) -> dict[str, str]:
        """Values of the attributes of a node or an edge, which elements of a tag tell by a key."""
        told = dict(self.defaults[element.tag])
        for one in element.all(tag):
            identifier = one.attributes.get(key, one.attributes.get("id", ""))
            title = self.titles.get((element.tag, identifier), identifier)
            told[title] = one.attributes.get("value", one.text)
        return told


class _GraphML(_Document):
    """Keys declare attributes; ``data`` in a node or an edge tells its value of a key."""

    def start(self, element: Element, inside: list[Element]) -> None:
        super().start(element, inside)
        if element.tag == "hyperedge":
            raise self.graph.error(element.line, "a hyperedge", "edges of two ends")

    def end(self, element: Element) -> bool:
        told = element.attributes
        if element.tag == "key":
            (identifier,) = self.needed(element, "id")
            what = told.get("for", "all")
            for kind in ("node", "edge") if what == "all" else (what,):
                self.declare(kind, identifier, told.get("attr.name"), element)
        elif element.tag == "node":
            (identifier,) = self.needed(element, "id")
            values = self.values(element, "data", "key")
            for label in element.all("NodeLabel")[:1]:  # of yEd, within data
                values.setdefault("label", label.text.strip())
            self.graph.node(identifier, element.line, values)
        elif element.tag == "edge":
            directed = _TRUTH.get(told.get("directed", "").strip().lower())
            if "directed" in told and directed is None:
                found = f"directed is {quoted(told['directed'])}"
                raise self.graph.error(element.line, found, "true or false")
            tail, head = self.needed(element, "source", "target")
            values = self.values(element, "data", "key")
            self.graph.edge(tail, head, element.line, values, directed=directed)
        return element.tag in ("key", "node", "edge")


class _GEXF(_Document):
    """Nodes have a label, edges a type and a weight; other attributes are values for a title."""

    default_key, default = "defaultedgetype", "undirected"
    kinds = TYPES

    def __init__(self, graph: GraphBuilder) -> None:
        super().__init__(graph)
        graph.default_weight = 1.0

    def start(self, element: Element, inside: list[Element]) -> None:
        super().start(element, inside)
        if element.tag == "graph" and element.attributes.get("mode") == "dynamic":
            remark(f"{self.graph.place}: a dynamic graph: its times are not looked at")
        if element.tag == "node" and any(outer.tag == "node" for outer in inside):
            raise self.graph.error(
                element.line, "a node within a node", "nodes without a hierarchy"
            )

    def end(self, element: Element) -> bool:
        told = element.attributes
        if element.tag == "attributes":
            for one in element.all("attribute"):
                (identifier,) = self.needed(one, "id")
                self.declare(told.get("class", ""), identifier, one.attributes.get("title"), one)
        elif element.tag == "node":
            (identifier,) = self.needed(element, "id")
            self.graph.node(identifier, element.line, {"label": told.get("label", "")})
        elif element.tag == "edge":
            kind = told.get("type", "").lower()
            if kind and kind not in TYPES:
                found = f"an edge of type {quoted(kind)}"
                raise self.graph.error(element.line, found, str(list(TYPES)))
            values = self.values(element, "attvalue", "for")
            if "weight" in told:
                values = {t: v for t, v in values.items() if t.lower() != "weight"}
                values["weight"] = told["weight"]
            tail, head = self.needed(element, "source", "target")
            self.graph.edge(tail, head, element.line, values, directed=TYPES.get(kind))
        return element.tag in ("attributes", "node", "edge")


_ROOTS: dict[str, type[_Document]] = {"graphml": _GraphML, "gexf": _GEXF}
