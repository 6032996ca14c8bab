"""GraphML and GEXF files, read by the XML parser of the standard library (expat)."""

from __future__ import annotations

import io
from typing import NamedTuple
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import quoted
from .graph_files import GraphBuilder, number_of
from .network import Network
from .remarks import AmbiguousFile, remark
from .source import Source, whole
from .titles import Wanted

DEPTH = 100  # most elements in each other
_OF_TEXT = ("data", "default", "NodeLabel")  # elements whose text is kept
_KINDS = {"directed": True, "undirected": False}
# Whether an edge is directed, by its attribute `directed` (GraphML) or `type` (GEXF).
_EDGES = {**_KINDS, "mutual": False, "true": True, "1": True, "false": False, "0": False}


class Element(NamedTuple):
    """An XML element: its attributes, texts and child elements."""

    tag: str
    attributes: dict[str, str]
    line: int
    texts: list[str]
    children: list[Element]

    def all(self, tag: str) -> list[Element]:
        """Descendants with a tag, children first."""
        within = [one for child in self.children for one in child.all(tag)]
        return [child for child in self.children if child.tag == tag] + within


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a GraphML or GEXF file, told apart by the root element.

    Documents that declare entities are refused; external resources are never loaded.
    """
    document = _parsed(file, wanted, GraphBuilder(file.name, wanted))
    return document.graph.network(directed=bool(document.directed))


def positions(file: Source, encoding: str | None) -> tuple[NDArray[np.float64], str] | None:
    """Attributes x and y of the nodes of a GraphML file, shape (n, 2), and its attribute ``crs``.

    None unless all nodes have numbers there and the graph a ``crs``, as in files of osmnx.
    """
    wanted = Wanted(encoding=encoding)
    graph = GraphBuilder(file.name, wanted, kept={"x": {}, "y": {}})
    crs = _parsed(file, wanted, graph).facts.get("crs")
    n, columns = len(graph.numbers), graph.kept.values()
    axes = [[number_of(values.get(v)) for v in range(n)] for values in columns]
    found = np.array(axes, dtype=np.float64).T  # NaN for None
    return (found, crs) if crs and found.size and np.isfinite(found).all() else None


def _parsed(file: Source, wanted: Wanted, graph: GraphBuilder) -> _Document:
    """The parsed document, whose nodes and edges are in the builder."""
    document, stream = _Document(graph, wanted.encoding), file.stream
    if wanted.encoding:  # in place of the one that the file declares
        stream = io.BytesIO(whole(file, wanted.encoding).encode())
    try:
        document.parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise graph.error(error.lineno, expat.ErrorString(error.code), "XML") from None
    except InputError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that is declared
        raise AmbiguousFile(f"{file.name}: {error}; expected XML in UTF-8", "encoding") from None
    return document


class _Document:
    """State of parsing a document; GraphML and GEXF differ in the names of tags and attributes."""

    def __init__(self, graph: GraphBuilder, encoding: str | None) -> None:
        self.graph, self.is_gexf, self.has_groups = graph, False, False
        self.open: list[Element] = []
        self.directed: bool | None = None  # default of the edges; None before the graph element
        self.titles: dict[tuple[str, str], str] = {}  # of attributes, by owner's tag and id
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}, "graph": {}}
        self.facts: dict[str, str] = {}  # attributes of the graph
        self.parser = expat.ParserCreate("utf-8" if encoding else None, namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.entity

    def text(self, data: str) -> None:
        """Add text to the innermost element."""
        if self.open[-1].tag in _OF_TEXT:
            self.open[-1].texts.append(data)

    def entity(self, name: str, *_: object) -> None:
        """Refuse the declaration of an entity."""
        found = f"the document declares an entity {quoted(name)}"
        raise self.graph.error(self.parser.CurrentLineNumber, found, "none")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open an element; the graph element sets whether edges are directed by default."""
        tag, line = name.rpartition(" ")[2], self.parser.CurrentLineNumber
        depth = len(self.open)
        if depth > DEPTH:
            raise self.graph.error(line, f"{depth} nested elements", f"{DEPTH} at most")
        if not self.open:
            if tag not in ("graphml", "gexf"):
                expected = "graphml or gexf: a GraphML file or a GEXF file"
                raise self.graph.error(line, f"XML with the root {quoted(tag)}", expected)
            self.is_gexf = tag == "gexf"
            self.graph.default_weight = 1.0 if self.is_gexf else None
        elif tag == "graph" and self.open[-1].tag == "node" and not self.is_gexf:
            if not self.has_groups:
                where = f"{self.graph.place}:{line}"
                remark(f"{where}: a group of nodes, as of yEd, is a node, beside its members")
            self.has_groups = True
        elif tag == "graph":
            if self.directed is not None:
                found = "a second graph, or a nested one"
                raise self.graph.error(line, found, "one graph a file: save the one to read")
            kind = attributes.get("edgedefault", "")
            if self.is_gexf:
                kind = attributes.get("defaultedgetype", "undirected")
            kind = kind.lower().replace("mutual", "undirected")
            if kind not in _KINDS:
                found = f"edges that are {quoted(kind)} by default"
                raise self.graph.error(line, found, str(list(_KINDS)))
            self.directed = _KINDS[kind]
            if attributes.get("mode") == "dynamic":
                remark(f"{self.graph.place}: a dynamic graph: its times are ignored")
        elif tag == "hyperedge":
            raise self.graph.error(line, "a hyperedge", "edges of two ends")
        elif tag == "node" and self.is_gexf and any(outer.tag == "node" for outer in self.open):
            raise self.graph.error(line, "a node within a node", "nodes without a hierarchy")
        self.open.append(Element(tag, attributes, line, [], []))

    def end(self, _: str) -> None:
        """Close the innermost element: add a node, edge or declaration; a parent keeps others."""
        element = self.open.pop()
        if element.tag == "graph" and len(self.open) == 1:
            self.facts = self._values(element)
        elif element.tag == "node":
            values = self._values(element)
            if self.is_gexf:
                values["label"] = element.attributes.get("label", "")
            for label in element.all("NodeLabel")[:1]:  # of yEd, within data
                values.setdefault("label", "".join(label.texts).strip())
            self.graph.node(element.attributes.get("id"), element.line, values)
        elif element.tag == "edge":
            self._edge(element)
        elif element.tag == ("attribute" if self.is_gexf else "key"):
            self._declare(element)
        elif self.open:
            self.open[-1].children.append(element)

    def _declare(self, element: Element) -> None:
        """Record the declaration of an attribute, with its default if it has one."""
        if "id" not in element.attributes:
            raise self.graph.error(element.line, f"an element {element.tag!r} without id", "one")
        identifier = element.attributes["id"]
        title = element.attributes.get("title" if self.is_gexf else "attr.name", identifier)
        within = self.open[-1].attributes.get("class", "all")
        what = element.attributes.get("for", within)
        for kind in ("node", "edge") if what == "all" else (what,):
            self.titles[kind, identifier] = title
            for default in element.all("default"):
                self.defaults.setdefault(kind, {})[title] = "".join(default.texts)

    def _values(self, element: Element) -> dict[str, str]:
        """Values of the attributes of a node, an edge or the graph, by title, with the defaults."""
        told = dict(self.defaults[element.tag])
        tag, key = ("attvalue", "for") if self.is_gexf else ("data", "key")
        for one in element.all(tag):
            identifier = one.attributes.get(key, one.attributes.get("id", ""))
            title = self.titles.get((element.tag, identifier), identifier)
            told[title] = one.attributes.get("value", "".join(one.texts))
        return told

    def _edge(self, element: Element) -> None:
        told, title = element.attributes, "type" if self.is_gexf else "directed"
        kind = told.get(title, "").strip().lower()
        if kind not in _EDGES and (kind or (title in told and not self.is_gexf)):
            found = f"an edge whose attribute {title} is {quoted(kind)}"
            raise self.graph.error(element.line, found, f"one of {', '.join(_EDGES)}")
        values = self._values(element)
        if "weight" in told:  # of GEXF
            values = {t: v for t, v in values.items() if t.lower() != "weight"}
            values["weight"] = told["weight"]
        ends = told.get("source"), told.get("target")
        self.graph.edge(*ends, element.line, values, directed=_EDGES.get(kind))
