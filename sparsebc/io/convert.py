"""Networks of other libraries: igraph, graph-tool, PyTorch Geometric, GraphBLAS."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from ..graph.matrix_arrays import MOST_NODES, spelt
from ..host import array_of, on_host
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


def from_edge_index(
    edge_index: Any, n: int | None = None, weight: npt.ArrayLike | None = None
) -> Network:
    """Network of an edge index: two rows of node numbers, as in PyTorch Geometric.

    Parameters
    ----------
    edge_index : array of integers, shape (2, m)
        Sources and targets: a tensor of PyTorch, JAX or any library that supports DLPack, or an
        array of NumPy or CuPy. An array in GPU memory is copied to the host.
    n : int, optional
        Number of nodes; by default the largest number plus one, so that isolated nodes at the end
        are lost.
    weight : array of real numbers, shape (m,), optional
        Weights of the edges, as `edge_index`; 1 by default.

    Returns
    -------
    Network
        Edges lead from source to target. Nodes are named by their numbers, from 0.

    Raises
    ------
    TypeError
        If an array does not hold integers or real numbers, has a gradient or a dtype that NumPy
        lacks (bfloat16), or is in GPU memory and CuPy is not installed.
    ValueError
        If a shape does not fit, a number is negative or not below `n`, a weight is not finite, or
        an edge has two weights.

    Notes
    -----
    O(m log m) time; host tensors are read in place, and memory is that of the matrix and its sort.
    A sparse tensor, such as ``torch.sparse_coo_tensor(edge_index, weight)``, needs no conversion:
    functions take it as a matrix, on a GPU without a copy, and then return CuPy arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsebc import io
    >>> io.from_edge_index(np.array([[0, 1, 1], [1, 0, 2]]), n=4).matrix.toarray().astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0]])
    """
    ends = _host(edge_index, "edge_index")
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise InputError(f"edge_index has shape {ends.shape}; expected (2, m): use edge_index.T")
    if ends.dtype.kind not in "iu":
        raise InputTypeError(f"edge_index has dtype {ends.dtype}; expected integers")
    m = ends.shape[1]
    least = int(ends.max()) + 1 if m else 0
    try:
        n = least if n is None else operator.index(n)
    except TypeError:
        raise InputTypeError(f"n must be an integer, got {n!r}") from None
    if n < 0:
        raise InputError(f"n must be an integer from 0 on, got {n}")
    if n > MOST_NODES:
        raise InputError(f"n must be at most 2**31 - 1, got {spelt(n)}")
    if n < least or (m and ends.min() < 0):
        raise InputError(
            f"edge_index has nodes from {int(ends.min())} to {least - 1}; expected 0 to n - 1 = "
            f"{n - 1}"
        )
    weights = None if weight is None else _host(weight, "weight")
    return _network(ends.astype(np.int64), weights, tuple(map(str, range(n))))


def from_graphblas(matrix: Any) -> Network:
    """Network of a matrix of python-graphblas.

    Parameters
    ----------
    matrix : graphblas.Matrix, shape (n, n)
        Entry [i, j] is the edge from node i to node j.

    Returns
    -------
    Network
        Nodes are named by their numbers, from 0.

    Raises
    ------
    TypeError
        If `matrix` is not a GraphBLAS matrix, or holds anything but real numbers and booleans.
    ValueError
        If it is not square, or an entry is not finite.

    Notes
    -----
    Cost and memory are those of a copy.

    Examples
    --------
    >>> import graphblas  # doctest: +SKIP
    >>> from sparsebc import io
    >>> matrix = graphblas.Matrix.from_coo([0, 2], [1, 2], [0.5, 2.0])  # doctest: +SKIP
    >>> io.from_graphblas(matrix).matrix.nnz  # doctest: +SKIP
    2
    """
    _check_type(matrix, "matrix must be a graphblas.Matrix", "to_coo", "nrows", "ncols")
    if matrix.nrows != matrix.ncols:
        raise InputError(
            f"matrix has shape ({matrix.nrows}, {matrix.ncols}); expected a square one"
        )
    rows, columns, values = matrix.to_coo()
    names = tuple(map(str, range(int(matrix.nrows))))
    ends = np.stack((rows, columns)).astype(np.int64)
    return _network(ends, values, names, title="matrix")


def _check_type(given: Any, expected: str, *attributes: str) -> None:
    if not all(hasattr(given, attribute) for attribute in attributes):
        raise InputTypeError(f"{expected}, got {type(given).__name__}")


def _host(array: Any, title: str) -> NDArray[Any]:
    """NumPy array on the host; a DLPack tensor of the host is not copied."""
    return np.asarray(array_of(on_host(array, title), title))


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
