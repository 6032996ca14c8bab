"""GEXF 1.2: what Gephi writes itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from numpy.typing import NDArray

from .annotated import TYPES, Annotated, rows
from .graphml import spell
from .texts import check

_SPACE = "http://www.gexf.net/1.2draft"


def lines(network: Annotated) -> Iterator[str]:
    """The document, a line at a time; the weight of an edge is that of the format."""
    check([*network.names, *network.nodes, *network.edges, *map(str, network.facts)], xml=True)
    n, m = len(network.names), len(network.tails)
    scores = {title: column for title, column in network.edges.items() if title != "weight"}
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="{_SPACE}" version="1.2">\n'
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
        yield f'<edge id="{number}" source={source} target={target} weight="{spell(weight)}">'
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
        if column.dtype.kind == "U":
            check(column.tolist(), xml=True)
    yield "</attributes>\n"


def _values(values: list[Any]) -> str:
    if not values:
        return ""
    spelt = (
        quoteattr(value) if isinstance(value, str) else f'"{spell(value)}"' for value in values
    )
    inner = "".join(f'<attvalue for="{k}" value={text}/>' for k, text in enumerate(spelt))
    return f"<attvalues>{inner}</attvalues>"
