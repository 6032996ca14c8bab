"""LGL, NCOL and TGF: nodes and edges, a line each."""

from __future__ import annotations

from ..errors import InputError
from .columns import Wanted
from .graph_builder import GraphBuilder, decoded, numbered_lines, quoted
from .network import Network
from .source import Source


def lgl(file: Source, wanted: Wanted) -> Network:
    """Network of an LGL file: below ``# node`` its neighbors, each perhaps with a weight."""
    builder = GraphBuilder(file.name, wanted, declares=False)
    node = None
    for line, text in numbered_lines(decoded(file, wanted.encoding)):
        fields = text.split()
        if fields[0].startswith("#"):
            if len(fields := text.removeprefix("#").split()) != 1:
                raise builder.error(line, quoted(text), "an LGL file: '# node'")
            (node,) = fields
            builder.node(node, line)
        elif node is None or len(fields) > 2:
            raise builder.error(line, quoted(text), "an LGL file: '# node', then 'neighbor weight'")
        else:
            builder.edge(node, fields[0], line, dict(zip(("weight",), fields[1:], strict=False)))
    return builder.network(directed=False)


def ncol(file: Source, wanted: Wanted) -> Network:
    """Network of an NCOL file: two nodes a line, perhaps with a weight, without a direction."""
    builder = GraphBuilder(file.name, wanted, declares=False)
    for line, text in numbered_lines(decoded(file, wanted.encoding)):
        fields = text.split()
        if not 2 <= len(fields) <= 3:
            raise builder.error(line, quoted(text), "an NCOL file: 'node node weight'")
        builder.edge(fields[0], fields[1], line, dict(zip(("weight",), fields[2:], strict=False)))
    return builder.network(directed=False)


def tgf(file: Source, wanted: Wanted) -> Network:
    """Network of a TGF file: ``id label`` of nodes, ``#``, ``id id label`` of directed edges."""
    builder = GraphBuilder(file.name, wanted)
    nodes = True
    for line, text in numbered_lines(decoded(file, wanted.encoding)):
        fields = text.split(None, 1 if nodes else 2)
        if text == "#":
            if not nodes:
                raise builder.error(line, "a second '#'", "one, between nodes and edges")
            nodes = False
        elif nodes:
            builder.node(fields[0], line, {"label": fields[1]} if fields[1:] else None)
        elif len(fields) < 2:
            raise builder.error(line, quoted(text), "a TGF file: 'id id label' of an edge")
        else:
            builder.edge(
                fields[0], fields[1], line, dict(zip(("label",), fields[2:], strict=False))
            )
    if nodes:
        raise InputError(f"{file.name}: no line '#'; expected a TGF file: nodes, '#', edges")
    return builder.network(directed=True)
