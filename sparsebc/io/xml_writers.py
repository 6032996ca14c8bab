"""GraphML, which NetworkX, igraph, Gephi, Cytoscape and yEd read, and GEXF 1.2, of Gephi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from numpy.typing import NDArray

from .annotated import KINDS, TYPES, Annotated, rows
from .texts import check

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_GEXF = "http://www.gexf.net/1.2draft"
# As XML Schema spells the doubles that are no decimals, and booleans.
_SPELT = {"inf": "INF", "-inf": "-INF", "nan": "NaN", "True": "true", "False": "false"}
_ENDS = {"\r": "&#13;"}  # else a reader takes it for the end of a line


def graphml(network: Annotated) -> Iterator[str]:
    """The document, a line at a time.

    The id of a node is its name, and so is its attribute ``name``: NetworkX looks at the one,
    igraph at the other.
    """
    _check(network)
    n, m = len(network.names), len(network.tails)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_GRAPHML}">\n'
    yield '<key id="name" for="node" attr.name="name" attr.type="string"/>\n'
    keys = {}
    for what, columns in (("node", network.nodes), ("edge", network.edges)):
        for k, (title, column) in enumerate(columns.items()):
            keys[what, title] = f"{what}{k}"
            yield (
                f'<key id="{what}{k}" for="{what}" attr.name={quoteattr(title)} '
                f'attr.type="{TYPES[column.dtype.kind]}"/>\n'
            )
    for k, (title, value) in enumerate(network.facts.items()):
        kind = KINDS[type(value)]
        yield (
            f'<key id="graph{k}" for="graph" attr.name={quoteattr(title)} attr.type="{kind}"/>\n'
        )
    yield f'<graph edgedefault="{"directed" if network.directed else "undirected"}">\n'
    for k, value in enumerate(network.facts.values()):
        yield f'<data key="graph{k}">{_spell(value)}</data>\n'
    of_nodes = [f'<data key="{keys["node", title]}">' for title in network.nodes]
    for name, *values in rows([network.names, *network.nodes.values()], n):
        yield f'<node id={quoteattr(name)}><data key="name">{escape(name, _ENDS)}</data>'
        yield f"{_data(of_nodes, values)}</node>\n"
    of_edges = [f'<data key="{keys["edge", title]}">' for title in network.edges]
    for tail, head, *values in rows([network.tails, network.heads, *network.edges.values()], m):
        source, target = quoteattr(network.names[tail]), quoteattr(network.names[head])
        yield f"<edge source={source} target={target}>{_data(of_edges, values)}</edge>\n"
    yield "</graph>\n</graphml>\n"


def gexf(network: Annotated) -> Iterator[str]:
    """The document, a line at a time; the weight of an edge is that of the format."""
    _check(network)
    n, m = len(network.names), len(network.tails)
    scores = {title: column for title, column in network.edges.items() if title != "weight"}
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="{_GEXF}" version="1.2">\n'
    if network.facts:  # a network has no attributes here, but a description
        told = "; ".join(f"{title}: {value}" for title, value in network.facts.items())
        yield f"<meta><creator>sparsebc</creator><description>{escape(told)}</description></meta>\n"
    yield f'<graph defaultedgetype="{"directed" if network.directed else "undirected"}">\n'
    yield from _declared("node", network.nodes)
    yield from _declared("edge", scores)
    yield "<nodes>\n"
    for name, *values in rows([network.names, *network.nodes.values()], n):
        text = quoteattr(name)
        yield f"<node id={text} label={text}>{_values(values)}</node>\n"
    yield "</nodes>\n<edges>\n"
    columns = [network.tails, network.heads, network.edges["weight"], *scores.values()]
    for number, (tail, head, weight, *values) in enumerate(rows(columns, m)):
        source, target = quoteattr(network.names[tail]), quoteattr(network.names[head])
        yield f'<edge id="{number}" source={source} target={target} weight="{_spell(weight)}">'
        yield f"{_values(values)}</edge>\n"
    yield "</edges>\n</graph>\n</gexf>\n"


def _declared(what: str, columns: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """Titles and types of the columns."""
    if not columns:
        return
    yield f'<attributes class="{what}">\n'
    for k, (title, column) in enumerate(columns.items()):
        yield (
            f'<attribute id="{k}" title={quoteattr(title)} type="{TYPES[column.dtype.kind]}"/>\n'
        )
    yield "</attributes>\n"


def _values(values: list[Any]) -> str:
    if not values:
        return ""
    spelt = (
        quoteattr(value) if isinstance(value, str) else f'"{_spell(value)}"' for value in values
    )
    inner = "".join(f'<attvalue for="{k}" value={text}/>' for k, text in enumerate(spelt))
    return f"<attvalues>{inner}</attvalues>"


def _check(network: Annotated) -> None:
    """Refuse, before the first line, text that no XML document can hold."""
    check([*network.names, *network.nodes, *network.edges, *map(str, network.facts)], xml=True)
    for column in (*network.nodes.values(), *network.edges.values()):
        if column.dtype.kind == "U":
            check(column.tolist(), xml=True)


def _data(begin: list[str], values: list[object]) -> str:
    return "".join(f"{tag}{_spell(value)}</data>" for tag, value in zip(begin, values, strict=True))


def _spell(value: object) -> str:
    """A number by its `repr`, which restores it exactly; text as XML has it."""
    if isinstance(value, str):
        return escape(value, _ENDS)
    text = repr(value)
    return _SPELT.get(text, text)
