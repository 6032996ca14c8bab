"""Writers of GraphML (for NetworkX, igraph, Gephi, Cytoscape, yEd) and GEXF 1.2 (for Gephi)."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from numpy.typing import NDArray

from .annotated import Annotated, rows
from .texts import check

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_GEXF = "http://www.gexf.net/1.2draft"
# Infinities, NaN and booleans as XML Schema spells them.
_SPELT = {"inf": "INF", "-inf": "-INF", "nan": "NaN", "True": "true", "False": "false"}
_ENDS = {"\r": "&#13;"}  # else a parser turns it into \n


def graphml(network: Annotated) -> Iterator[str]:
    """Text of a GraphML document, a line at a time.

    The name of a node is both its id, which NetworkX uses, and its attribute ``name``, which igraph
    uses.
    """
    _check(network)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_GRAPHML}">\n'
    yield '<key id="name" for="node" attr.name="name" attr.type="string"/>\n'
    for what, types in network.types.items():
        for k, (title, kind) in enumerate(types.items()):
            name = quoteattr(title)
            yield f'<key id="{what}{k}" for="{what}" attr.name={name} attr.type="{kind}"/>\n'
    yield f'<graph edgedefault="{"directed" if network.directed else "undirected"}">\n'
    yield _cells('<data key="graph{}">{}</data>\n', network.facts.values())
    cell = '<data key="node{}">{}</data>'
    for name, *values in rows([network.names, *network.nodes.values()], len(network.names)):
        yield f'<node id={quoteattr(name)}><data key="name">{_spell(name)}</data>'
        yield f"{_cells(cell, values)}</node>\n"
    cell = '<data key="edge{}">{}</data>'
    for source, target, *values in _edges(network, network.edges.values()):
        yield f"<edge source={source} target={target}>{_cells(cell, values)}</edge>\n"
    yield "</graph>\n</graphml>\n"


def gexf(network: Annotated) -> Iterator[str]:
    """Text of a GEXF document, a line at a time; weights are the format's own attribute."""
    _check(network)
    scores = {title: column for title, column in network.edges.items() if title != "weight"}
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="{_GEXF}" version="1.2">\n'
    if network.facts:  # a GEXF network has a description, but no attributes
        told = "; ".join(f"{title}: {value}" for title, value in network.facts.items())
        yield f"<meta><creator>sparsebc</creator><description>{escape(told)}</description></meta>\n"
    yield f'<graph defaultedgetype="{"directed" if network.directed else "undirected"}">\n'
    for what, columns in (("node", network.nodes), ("edge", scores)):
        for k, title in enumerate(columns):
            yield "" if k else f'<attributes class="{what}">\n'
            kind = network.types[what][title]
            yield f'<attribute id="{k}" title={quoteattr(title)} type="{kind}"/>\n'
        yield "</attributes>\n" if columns else ""
    yield "<nodes>\n"
    for name, *values in rows([network.names, *network.nodes.values()], len(network.names)):
        text = quoteattr(name)
        yield f"<node id={text} label={text}>{_attvalues(values)}</node>\n"
    yield "</nodes>\n<edges>\n"
    edges = _edges(network, [network.edges["weight"], *scores.values()])
    for number, (source, target, weight, *values) in enumerate(edges):
        yield f'<edge id="{number}" source={source} target={target} weight="{_spell(weight)}">'
        yield f"{_attvalues(values)}</edge>\n"
    yield "</edges>\n</graph>\n</gexf>\n"


def _check(network: Annotated) -> None:
    """Refuse text that an XML document cannot hold, before the first line is written."""
    check([*network.names, *network.nodes, *network.edges, *map(str, network.facts)], xml=True)
    for column in (*network.nodes.values(), *network.edges.values()):
        if column.dtype.kind == "U":
            check(column.tolist(), xml=True)


def _edges(network: Annotated, columns: Iterable[NDArray[Any]]) -> Iterator[tuple[Any, ...]]:
    """Quoted names of the ends of each edge, and its values in the columns."""
    names = network.names
    for tail, head, *values in rows([network.tails, network.heads, *columns], len(network.tails)):
        yield quoteattr(names[tail]), quoteattr(names[head]), *values


def _attvalues(values: Iterable[Any]) -> str:
    spelt = _cells('<attvalue for="{}" value={}/>', values, spell=_quoted)
    return spelt and f"<attvalues>{spelt}</attvalues>"


def _cells(cell: str, values: Iterable[Any], spell: Callable[[Any], str] | None = None) -> str:
    """XML elements of values, by the template `cell` of a value's index and text."""
    return "".join([cell.format(k, (spell or _spell)(value)) for k, value in enumerate(values)])


def _spell(value: object) -> str:
    """Value as XML text; a number by its `repr`, which restores it exactly."""
    if isinstance(value, str):
        return escape(value, _ENDS)
    text = repr(value)
    return _SPELT.get(text, text)


def _quoted(value: object) -> str:
    return quoteattr(value) if isinstance(value, str) else f'"{_spell(value)}"'
