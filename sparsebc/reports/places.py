"""Where nodes are drawn: at coordinates given, laid out by igraph or NetworkX, or along streets."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arguments import by_node
from ..errors import InputError, InputTypeError
from ..foreign import on_host
from ..io.names import as_texts, as_values, titled
from ..io.network_file import Annotated, annotate
from ..streets import Streets

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NODES_DRAWN, EDGES_DRAWN = 500, 5_000  # most of a network that is laid out
RADIUS = 6378137.0  # of the Web Mercator sphere, in metres
NORTH = 85.0  # largest latitude of the projection, north and south, in degrees


class Picture(NamedTuple):
    """Coordinates of the nodes, and a line for each edge."""

    kind: str  # "drawn" by `lay_out`, or "plane" or "globe" for given coordinates
    nodes: Floats  # shape (n, 2)
    ends: Integers  # nodes of each edge, shape (m, 2)
    points: Floats  # coordinates of all lines, concatenated; shape (p, 2)
    starts: Integers  # index of each line's first point, and p


def picture(network: Annotated, positions: Any, *, geographic: bool) -> Picture | str:
    """Picture of a network, or a sentence that says why there is none."""
    n, m = len(network.names), len(network.tails)
    ends = np.column_stack((network.tails, network.heads))
    if positions is not None:
        kind = "globe" if geographic else "plane"
        places = _given(positions, network.names, geographic=geographic)
    elif geographic:
        raise InputError("geographic=True has an effect only with positions: give positions")
    elif not 0 < n <= NODES_DRAWN or m > EDGES_DRAWN:
        return (
            f"It is not drawn: without positions of the nodes, a page draws 1 to {NODES_DRAWN:,} "
            f"nodes and up to {EDGES_DRAWN:,} edges."
        )
    else:
        found = lay_out(n, ends)
        if found is None:
            return (
                "It is not drawn: neither igraph nor NetworkX, which lay out nodes, is installed."
            )
        kind, places = "drawn", found
    points, starts = places[ends.ravel()], 2 * np.arange(m + 1)
    return Picture(kind, places, ends, points, starts)


def lay_out(n: int, ends: Integers) -> Floats | None:
    """Coordinates by igraph, else NetworkX, the longer axis across; None without either."""
    if find_spec("igraph"):
        import igraph

        places = np.array(igraph.Graph(n, ends.tolist()).layout("kamada_kawai").coords)
    elif find_spec("networkx"):
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(ends.tolist())
        places = np.array([*nx.spring_layout(graph, seed=0).values()])
    else:
        return None
    centred = places - places.mean(axis=0)
    turned: Floats = centred @ np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    return turned


def project(degrees: Floats) -> Floats:
    """Longitude and latitude in degrees, shape (n, 2), as metres of the Web Mercator projection."""
    longitude, latitude = np.radians(degrees).T
    latitude = np.clip(latitude, -np.radians(NORTH), np.radians(NORTH))
    metres = RADIUS * np.column_stack((longitude, np.log(np.tan(np.pi / 4 + latitude / 2))))
    return np.round(metres, 2)


def _given(positions: Any, names: Any, *, geographic: bool) -> Floats:
    """Checked coordinates, in metres if geographic."""
    given, n = by_node("positions", positions, names), len(names)
    try:
        places = np.asarray(on_host(given), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"positions must hold real numbers, x and y ({error})") from error
    if places.shape != (n, 2):
        raise InputError(f"positions has shape {places.shape}; expected ({n}, 2): x, y")
    expected, wrong = "finite numbers", ~np.isfinite(places)
    if geographic and not wrong.any():
        expected = "longitude from -180 to 180 and latitude from -90 to 90, or geographic=False"
        wrong = abs(places) > (180, 90)
    if wrong.any():
        v = int(np.flatnonzero(wrong.any(axis=1))[0])
        raise InputError(f"positions[{v}] is {places[v].tolist()}; expected {expected}")
    return project(places) if geographic else places


def of_streets(
    city: Streets,
    nodes: Mapping[str, Any] | None,
    edges: Mapping[str, Any] | None,
    provenance: Mapping[str, Any] | None,
) -> tuple[Annotated, Picture | str]:
    """Network of junctions, each named after its first node, and its map, if it has coordinates."""
    _, first = np.unique(city.junction, return_index=True)
    names = [city.nodes[v] for v in first]
    columns = {}
    for title, values in titled("nodes", {} if nodes is None else nodes).items():
        by_name = np.shape(values)[:1] == (len(city.nodes),)  # not by junction
        values = by_node(f"nodes[{title!r}]", values, city.nodes if by_name else names)
        columns[title] = np.asarray(on_host(values))[first] if by_name else values
    plain = [name if isinstance(name, (str, int, np.integer)) else str(name) for name in names]
    labels = as_texts(plain)
    network = annotate(city.matrix, labels, columns, {}, provenance, directed=city.directed)
    by_street = {"weight": city.lengths}
    for title, scores in titled("edges", {} if edges is None else edges).items():
        argument = f"edges[{title!r}]"
        column = city.on_edges(scores) if hasattr(scores, "tocsr") else scores
        if hasattr(column, "to_numpy"):
            column = by_node(argument, column, city.column(city.lengths))
        by_street[title] = as_values(argument, column, city.lengths.shape, "streets", "biufU")
    tails, heads = city.ends.T
    network = network._replace(tails=tails, heads=heads, edges=by_street)
    try:
        lines = city.lines()
    except InputError:
        return network, picture(network, None, geographic=False)
    if any(lines.names) and "name" not in network.edges:
        network.edges["name"] = np.array(lines.names)
    points = project(lines.points) if lines.geographic else lines.points
    places = np.full((len(labels), 2), np.nan)
    for end, at in ((1, lines.starts[1:] - 1), (0, lines.starts[:-1])):
        places[city.ends[:, end]] = points[at]
    kind = "globe" if lines.geographic else "plane"
    return network, Picture(kind, places, city.ends, points, lines.starts)
