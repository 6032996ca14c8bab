"""GraphML and GEXF files, by the parser of XML of the standard library (expat)."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from ..errors import InputError
from .columns import Wanted, remark
from .graph_builder import GraphBuilder, quoted
from .network import Network
from .source import Source


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a GraphML or GEXF file, told apart by the root of the document.

    Documents that declare entities are refused; nothing outside of the document is looked at.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    document: _GraphML | _GEXF | None = None

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal document
        name = tag.rpartition(" ")[2]
        if document is None:
            if name not in _ROOTS:
                raise InputError(
                    f"{file.name}:{parser.CurrentLineNumber}: XML with the root {quoted(name)}; "
                    "expected graphml or gexf: a GraphML file or a GEXF file"
                )
            document = _ROOTS[name](file.name, wanted, parser)
        else:
            document.start(name, attributes)

    def end(tag: str) -> None:
        if document is not None:
            document.end(tag.rpartition(" ")[2])

    def text(data: str) -> None:
        if document is not None and document.text is not None:
            document.text.append(data)

    def entity(name: str, *_: Any) -> None:
        raise InputError(
            f"{file.name}:{parser.CurrentLineNumber}: the document declares an entity "
            f"{quoted(name)}; expected none"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    try:
        parser.ParseFile(file.stream)
    except expat.ExpatError as error:
        raise InputError(
            f"{file.name}:{error.lineno}: {expat.ErrorString(error.code)}; expected XML"
        ) from None
    except LookupError as error:
        raise InputError(f"{file.name}: {error}; expected XML in UTF-8") from None
    assert document is not None  # a document without a root is an ExpatError
    return document.network()


class _Document:
    """What is known of a document while it is read."""

    def __init__(self, place: str, wanted: Wanted, parser: Any, **options: Any) -> None:
        self.builder = GraphBuilder(place, wanted, **options)
        self.parser = parser
        self.text: list[str] | None = None  # collected where it is looked at
        self.directed: bool | None = None  # the default of the graph, once there is one
        self.values: dict[str, str] = {}  # attributes of the present node or edge
        self.line = 0  # of that
        self.element: dict[str, str] = {}  # its own
        self.inside = ""  # "node" or "edge"

    def error(self, found: str, expected: str) -> ValueError:
        return self.builder.error(self.parser.CurrentLineNumber, found, expected)

    def open(self, default: str | None, known: dict[str, bool]) -> None:
        """Begin the one graph."""
        if self.directed is not None:
            raise self.error(
                "a second graph, or one within another", "one graph a file: save the one to read"
            )
        if default not in known:
            raise self.error(f"edges that are {quoted(str(default))} by default", str(list(known)))
        self.directed = known[default]

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin a node, an edge or the declaration of an attribute."""
        for title in ("source", "target") if tag == "edge" else ("id",):
            if title not in attributes:
                raise self.error(f"an element without {title!r}", "one")
        self.element, self.values, self.line = attributes, {}, self.parser.CurrentLineNumber
        if tag in ("node", "edge"):
            self.inside = tag

    def edge(self, values: dict[str, str], *, directed: bool | None) -> None:
        """End the present edge, which has these attributes."""
        ends = self.element["source"], self.element["target"]
        self.builder.edge(*ends, self.line, values, directed=directed)

    def taken(self) -> str:
        """The text collected."""
        text, self.text = "".join(self.text or ()), None
        return text

    def network(self) -> Network:
        return self.builder.network(directed=bool(self.directed))


class _GraphML(_Document):
    """Keys declare attributes; ``data`` in a node or an edge tells its value of a key."""

    def __init__(self, place: str, wanted: Wanted, parser: Any) -> None:
        super().__init__(place, wanted, parser)
        self.titles: dict[tuple[str, str], str] = {}  # of keys, by what they are for and their id
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "key":
            self.begin(tag, attributes)
            what = attributes.get("for", "all")
            title = attributes.get("attr.name") or attributes["id"]
            for kind in ("node", "edge") if what == "all" else (what,):
                self.titles[kind, attributes["id"]] = title
        elif tag == "graph":
            self.open(attributes.get("edgedefault"), {"directed": True, "undirected": False})
        elif tag in ("node", "edge"):
            self.begin(tag, attributes)
        elif tag == "hyperedge":
            raise self.error("a hyperedge", "edges of two ends")
        elif tag in ("data", "default", "NodeLabel"):
            self.text = []
            if tag == "data":
                self.data = attributes.get("key", "")

    def end(self, tag: str) -> None:
        if tag == "default":
            value = self.taken()
            for (kind, identifier), title in self.titles.items():
                if identifier == self.element["id"] and kind in self.defaults:
                    self.defaults[kind][title] = value
        elif tag == "NodeLabel":  # of yEd, within data
            self.values.setdefault("label", self.taken().strip())
        elif tag == "data" and self.inside and self.text is not None:
            self.values[self.titles.get((self.inside, self.data), self.data)] = self.taken()
        elif tag in ("node", "edge") and self.inside == tag:
            values = {**self.defaults[tag], **self.values}
            if tag == "node":
                self.builder.node(self.element["id"], self.line, values)
            else:
                directed = _truth(self.element.get("directed"))
                if "directed" in self.element and directed is None:
                    raise self.error(
                        f"directed is {quoted(self.element['directed'])}", "true or false"
                    )
                self.edge(values, directed=directed)
            self.inside = ""


def _truth(text: str | None) -> bool | None:
    return {"true": True, "1": True, "false": False, "0": False}.get((text or "").strip().lower())


class _GEXF(_Document):
    """Nodes have a label, edges a type and a weight; other attributes are values for a title."""

    def __init__(self, place: str, wanted: Wanted, parser: Any) -> None:
        super().__init__(place, wanted, parser, default_weight=1.0)
        self.what = ""  # what attributes are declared for
        self.titles: dict[str, str] = {}  # of the attributes of edges, by their id
        self.defaults: dict[str, str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "graph":
            kind = attributes.get("defaultedgetype", "undirected").lower()
            self.open(kind, _TYPES)
            if attributes.get("mode") == "dynamic":
                remark(f"{self.builder.place}: a dynamic graph: its times are not looked at")
        elif tag == "attributes":
            self.what = attributes.get("class", "")
        elif tag == "attribute" and self.what == "edge":
            self.begin(tag, attributes)
            self.titles[attributes["id"]] = attributes.get("title") or attributes["id"]
        elif tag == "default":
            self.text = []
        elif tag in ("node", "edge"):
            if tag == "node" and self.inside:
                raise self.error("a node within a node", "nodes without a hierarchy")
            self.begin(tag, attributes)
        elif tag == "attvalue" and self.inside == "edge":
            identifier = attributes.get("for", attributes.get("id", ""))
            title = self.titles.get(identifier, identifier)
            self.values[title] = attributes.get("value", "")

    def end(self, tag: str) -> None:
        if tag == "default":
            value = self.taken()
            if self.what == "edge":
                self.defaults[self.titles[self.element["id"]]] = value
        elif tag == "attributes":
            self.what = ""
        elif tag == "node":
            label = self.element.get("label", "")
            self.builder.node(self.element["id"], self.line, {"label": label})
            self.inside = ""
        elif tag == "edge":
            kind = self.element.get("type", "").lower()
            if kind and kind not in _TYPES:
                raise self.error(f"an edge of type {quoted(kind)}", str(list(_TYPES)))
            values = {**self.defaults, **self.values}
            if "weight" in self.element:
                values = {t: v for t, v in values.items() if t.lower() != "weight"}
                values["weight"] = self.element["weight"]
            self.edge(values, directed=_TYPES.get(kind))
            self.inside = ""


_TYPES = {"directed": True, "undirected": False, "mutual": False}
_ROOTS: dict[str, Any] = {"graphml": _GraphML, "gexf": _GEXF}
