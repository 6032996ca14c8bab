"""Networks of other libraries: igraph, graph-tool."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from . import texts
from .network import Network, assemble, both_ways


def from_igraph(graph: Any, weight: str | None = None) -> Network:
    """Network of a graph of igraph.

    Parameters
    ----------
    graph : igraph.Graph
        Directed or not; an undirected edge is an entry each way.
    weight : str, optional
        Edge attribute that holds the weights; by default every edge has weight 1, as in igraph's
        own functions.

    Returns
    -------
    Network
        Nodes in the order of igraph, named by the attribute ``name`` if they have it, else by
        number.

    Raises
    ------
    TypeError
        If `graph` is not an igraph graph, a name is not a string, or a weight not a real number.
    ValueError
        If edges lack the attribute, a weight is not finite, or parallel edges differ in weight.
        igraph counts parallel edges as several paths; here equal ones are merged.

    Notes
    -----
    O(n + m) time and memory, through lists of Python objects as igraph returns them.

    Examples
    --------
    >>> import igraph
    >>> from sparsebc import betweenness, io
    >>> graph = igraph.Graph(edges=[(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"]})
    >>> matrix, names = io.from_igraph(graph)
    >>> betweenness(matrix, directed=False), names
    (array([0., 1., 0.]), ('a', 'b', 'c'))
    """
    _check_type(graph, "graph must be an igraph.Graph", "get_edgelist", "vcount", "vs", "es")
    n = graph.vcount()
    names = tuple(map(str, range(n)))
    if "name" in graph.vs.attributes():
        names = tuple(graph.vs["name"])
        for name in names:
            if not isinstance(name, str):
                raise InputTypeError(f"graph.vs['name'] must hold strings, got {name!r}")
        texts.check_unique(names, "graph.vs['name']")
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    title, weights = "weight", None
    if weight is not None:
        if weight not in graph.es.attributes():
            raise InputError(
                f"graph has no attribute {weight!r} of edges; there are {graph.es.attributes()}"
            )
        title, weights = f"graph.es[{weight!r}]", graph.es[weight]
    return _network(ends.T, weights, names, title=title, directed=graph.is_directed())


def from_graph_tool(graph: Any, weight: Any = None) -> Network:
    """Network of a graph of graph-tool.

    Parameters
    ----------
    graph : graph_tool.Graph or GraphView
        Directed or not; an undirected edge is an entry each way. Vertices and edges that a view
        filters out are left out.
    weight : str or graph_tool.EdgePropertyMap, optional
        Scalar edge weights: a property map, or the name of an internal one (``graph.ep``); by
        default every edge has weight 1, as in graph-tool's own functions.

    Returns
    -------
    Network
        Nodes in the order of ``graph.get_vertices()``, named by the internal property map ``name``
        if that holds strings, else by vertex number.

    Raises
    ------
    TypeError
        If `graph` is not a graph-tool graph.
    ValueError
        If there is no such property, it does not hold numbers, a weight is not finite, a name
        occurs twice, or parallel edges differ in weight. graph-tool counts parallel edges as
        several paths; here equal ones are merged.

    Notes
    -----
    O(m log m) time, without a Python object per edge. ``graph_tool.spectral.adjacency`` also gives
    a matrix, but a transposed one in which a self-loop counts two.

    Examples
    --------
    >>> import graph_tool  # doctest: +SKIP
    >>> from sparsebc import betweenness, io
    >>> graph = graph_tool.Graph([(0, 1), (1, 2)], directed=False)  # doctest: +SKIP
    >>> matrix, names = io.from_graph_tool(graph)  # doctest: +SKIP
    >>> betweenness(matrix, directed=False)  # doctest: +SKIP
    array([0., 1., 0.])
    """
    _check_type(graph, "graph must be a graph_tool.Graph", "get_edges", "get_vertices", "vp", "ep")
    vertices = graph.get_vertices()
    names = tuple(map(str, vertices.tolist()))
    if "name" in graph.vp and graph.vp["name"].value_type() == "string":
        known = graph.vp["name"]
        names = tuple(known[v] for v in vertices.tolist())
        texts.check_unique(names, "graph.vp['name']")
    if isinstance(weight, str):
        if weight not in graph.ep:
            raise InputError(f"graph has no edge property {weight!r}; there are {list(graph.ep)}")
        weight = graph.ep[weight]
    table = graph.get_edges([] if weight is None else [weight])
    ends = np.searchsorted(vertices, table[:, :2].T.astype(np.int64))
    weights = None if weight is None else table[:, 2]
    return _network(ends, weights, names, directed=graph.is_directed())


def _check_type(given: Any, expected: str, *attributes: str) -> None:
    if not all(hasattr(given, attribute) for attribute in attributes):
        raise InputTypeError(f"{expected}, got {type(given).__name__}")


def _network(
    ends: NDArray[np.int64],
    weights: Any,
    names: tuple[str, ...],
    *,
    title: str = "weight",
    directed: bool = True,
) -> Network:
    """Network of the edges; an undirected edge is an entry each way."""
    tails, heads = ends
    data = np.ones(len(tails))
    if weights is not None:
        data = texts.as_values(title, weights, tails.shape, "the edges").astype(np.float64)
    if not directed:
        tails, heads, data = both_ways(tails, heads, data)

    def edge(k: int) -> str:
        return f"edge {names[tails[k]]!r} - {names[heads[k]]!r}"

    return Network(assemble(tails, heads, data, len(names), edge), names)
