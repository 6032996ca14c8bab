"""GraphML, GML and Pajek files, by the readers of NetworkX."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from .columns import WEIGHTS, Unclear
from .network import Network, assemble, both_ways
from .source import Source

FORMATS = {".graphml": "GraphML", ".gml": "GML", ".net": "Pajek", ".pajek": "Pajek"}
XML = b"<?xml", b"<graphml", b"\xef\xbb\xbf<"  # what a GraphML file begins with
# Attributes that call a node by a name, the identifier aside: igraph's, and GML's.
NAMES = ("name", "label")


def networkx_for(suffix: str) -> Any:
    """NetworkX; ImportError with the way out where it is not installed."""
    try:
        import networkx
    except ImportError as error:
        raise ImportError(
            f"{FORMATS[suffix]} files are read by NetworkX: 'python -m pip install networkx', or "
            "save an edge list"
        ) from error
    return networkx


def parse(file: Source, networkx: Any) -> Any:
    """Graph of NetworkX."""
    if file.suffix == ".graphml":
        return networkx.read_graphml(file.stream)
    if file.suffix == ".gml":
        return networkx.read_gml(file.stream, label=None)
    with io.TextIOWrapper(file.stream, "utf-8-sig") as text:
        return networkx.parse_pajek(text)


def network(place: str, graph: Any, weight: str | None) -> Network:
    """Network of such a graph: an undirected edge counts both ways."""
    nodes = list(graph)
    if not nodes:
        raise ValueError(f"{place}: no node; expected one at least")
    names = _names(graph, nodes)
    number = {node: k for k, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    title = _title(place, edges, weight)
    data = np.ones(len(edges))
    for k, (tail, head, attributes) in enumerate(edges if title else ()):
        found = attributes.get(title)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise ValueError(
                f"{place}: edge {names[number[tail]]!r} - {names[number[head]]!r}: {title} is "
                f"{found!r}; expected a number"
            )
        data[k] = found
    tails = np.array([number[tail] for tail, *_ in edges], dtype=np.int64)
    heads = np.array([number[head] for _, head, _ in edges], dtype=np.int64)
    if not graph.is_directed():
        tails, heads, data = both_ways(tails, heads, data)

    def where(k: int) -> str:
        return f"{place}: edge {names[tails[k]]!r} - {names[heads[k]]!r}"

    return Network(assemble(tails, heads, data, len(names), where), names)


def _names(graph: Any, nodes: list[Any]) -> tuple[str, ...]:
    """The first attribute of `NAMES` that tells all nodes apart, else their identifiers."""
    for title in NAMES:
        found = [graph.nodes[node].get(title) for node in nodes]
        if all(isinstance(name, str) and name for name in found) and len(set(found)) == len(found):
            return tuple(found)
    return tuple(map(str, nodes))


def _title(place: str, edges: list[Any], weight: str | None) -> str | None:
    """Attribute of the weights: that named, else the one that is there of the titles known."""
    titles = {title: None for *_, attributes in edges for title in attributes}
    if weight is not None:
        if weight not in titles:
            raise ValueError(
                f"{place}: no edge has an attribute {weight!r}; there are {list(titles)}"
            )
        return weight
    found = [title for title in WEIGHTS if title in titles]
    if len(found) > 1:
        raise Unclear(
            f"{place}: attributes {found}, more than one of them weights; expected one", "attribute"
        )
    return found[0] if found else None
