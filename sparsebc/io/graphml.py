"""GraphML: what NetworkX, igraph, Gephi, Cytoscape and yEd read."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from .annotated import TYPES, Annotated, rows
from .texts import check

_SPACE = "http://graphml.graphdrawing.org/xmlns"
# As XML Schema spells the doubles that are no decimals, and booleans.
SPELT = {"inf": "INF", "-inf": "-INF", "nan": "NaN", "True": "true", "False": "false"}
# The words for what an attribute of the network is, in GraphML and CX2 alike.
KINDS = {str: "string", bool: "boolean", int: "long", float: "double"}


def lines(network: Annotated) -> Iterator[str]:
    """The document, a line at a time.

    The id of a node is its name, and so is its attribute ``name``: NetworkX looks at the one,
    igraph at the other.
    """
    check([*network.names, *network.nodes, *network.edges, *map(str, network.facts)], xml=True)
    n, m = len(network.names), len(network.tails)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_SPACE}">\n'
    yield '<key id="name" for="node" attr.name="name" attr.type="string"/>\n'
    keys = {}
    for what, columns in (("node", network.nodes), ("edge", network.edges)):
        for k, (title, column) in enumerate(columns.items()):
            keys[what, title] = f"{what}{k}"
            yield (
                f'<key id="{what}{k}" for="{what}" attr.name={quoteattr(title)} '
                f'attr.type="{TYPES[column.dtype.kind]}"/>\n'
            )
            if column.dtype.kind == "U":
                check(column.tolist(), xml=True)
    for k, (title, value) in enumerate(network.facts.items()):
        kind = KINDS[type(value)]
        yield (
            f'<key id="graph{k}" for="graph" attr.name={quoteattr(title)} attr.type="{kind}"/>\n'
        )
    yield f'<graph edgedefault="{"directed" if network.directed else "undirected"}">\n'
    for k, value in enumerate(network.facts.values()):
        yield f'<data key="graph{k}">{spell(value)}</data>\n'
    of_nodes = [f'<data key="{keys["node", title]}">' for title in network.nodes]
    for name, *values in rows([network.names, *network.nodes.values()], n):
        yield f'<node id={quoteattr(name)}><data key="name">{escape(name, _ENDS)}</data>'
        yield f"{_data(of_nodes, values)}</node>\n"
    of_edges = [f'<data key="{keys["edge", title]}">' for title in network.edges]
    for tail, head, *values in rows([network.tails, network.heads, *network.edges.values()], m):
        source, target = quoteattr(network.names[tail]), quoteattr(network.names[head])
        yield f"<edge source={source} target={target}>{_data(of_edges, values)}</edge>\n"
    yield "</graph>\n</graphml>\n"


_ENDS = {"\r": "&#13;"}  # else a reader takes it for the end of a line


def _data(begin: list[str], values: list[object]) -> str:
    return "".join(f"{tag}{spell(value)}</data>" for tag, value in zip(begin, values, strict=True))


def spell(value: object) -> str:
    """A number by its `repr`, which restores it exactly; text as XML has it."""
    if isinstance(value, str):
        return escape(value, _ENDS)
    text = repr(value)
    return SPELT.get(text, text)
