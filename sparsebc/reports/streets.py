"""Streets for a report: a row and a line for each, parallel streets included."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from ..io import texts
from ..io.network_file import Annotated, annotate
from ..matrix.foreign import on_host
from ..matrix.network import by_node
from ..streets import Streets
from . import places
from .content import Picture


def annotated(
    city: Streets,
    nodes: Mapping[str, Any] | None,
    edges: Mapping[str, Any] | None,
    provenance: Mapping[str, Any] | None,
) -> Annotated:
    """Network of junctions, each named after its first node, and of streets with their scores."""
    _, first = np.unique(city.junction, return_index=True)
    names = [city.nodes[v] for v in first]
    columns = {}
    for title, values in texts.titled("nodes", {} if nodes is None else nodes).items():
        by_name = np.shape(values)[:1] == (len(city.nodes),)  # not by junction
        values = by_node(f"nodes[{title!r}]", values, city.nodes if by_name else names)
        columns[title] = np.asarray(on_host(values))[first] if by_name else values
    plain = [name if isinstance(name, (str, int, np.integer)) else str(name) for name in names]
    labels = texts.as_texts(plain)
    network = annotate(city.matrix, labels, columns, {}, provenance, directed=city.directed)
    by_street = {"weight": city.lengths}
    for title, scores in texts.titled("edges", {} if edges is None else edges).items():
        argument = f"edges[{title!r}]"
        column = city.on_edges(scores) if hasattr(scores, "tocsr") else scores
        if hasattr(column, "to_numpy"):
            column = by_node(argument, column, city.column(city.lengths))
        by_street[title] = texts.as_values(argument, column, city.lengths.shape, "streets", "biufU")
    tails, heads = city.ends.T
    return network._replace(tails=tails, heads=heads, edges=by_street)


def mapped(city: Streets, network: Annotated) -> tuple[Annotated, Picture | str]:
    """The network with the names of its streets, and its map, or a picture without coordinates."""
    try:
        lines = city.lines()
    except InputError:
        return network, places.picture(network, None, geographic=False)
    if any(lines.names) and "name" not in network.edges:
        network.edges["name"] = np.array(lines.names)
    points = places.project(lines.points) if lines.geographic else lines.points
    nodes = np.full((len(network.names), 2), np.nan)
    for end, at in ((1, lines.starts[1:] - 1), (0, lines.starts[:-1])):
        nodes[city.ends[:, end]] = points[at]
    kind = "globe" if lines.geographic else "plane"
    return network, Picture(kind, nodes, city.ends, points, lines.starts, arrows=False)
