"""Conversions to a `SparseGraph`, from NetworkX graphs and matrices, and back to NetworkX."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

from ..arguments import check_flags
from ..errors import InputError, InputTypeError
from ..io.network import assemble, both_ways
from ..matrix.matrix_arrays import csr_of, matrix_of, names_of
from .graph import BY_DIRECTION, SparseGraph, Weight, handed_back, judged


class Kept(SparseGraph):
    """The conversion that NetworkX keeps with its graph: copied or pickled with it, it is None.

    NetworkX then converts again, and a pickled graph loads where sparsebc is not installed.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def from_networkx(G: Any, weight: Hashable | None = None) -> SparseGraph:
    """A NetworkX graph as index arrays, for several NetworkX calls or for functions of sparsebc.

    ``nx.betweenness_centrality(G, backend="sparsebc")`` converts by itself.

    Parameters
    ----------
    G : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        The graph. It is not modified, and its later changes have no effect.
    weight : hashable, optional
        Name of the edge attribute that holds the lengths, 1 where it is missing. Of parallel edges
        the shortest counts.

    Returns
    -------
    SparseGraph
        Nodes and neighbours in the order of G. The functions of sparsebc take its
        ``matrix(weight)``, with nodes numbered as in ``list(G)``.

    Raises
    ------
    TypeError
        If G is not a graph of NetworkX, or ``weight`` a function.

    See Also
    --------
    from_matrix : From a sparse matrix.

    Notes
    -----
    Lengths that are not positive and finite are kept: functions that use them leave the call to
    NetworkX, as in `from_matrix`. Cost is O(n + edges), some 0.3 s for a million undirected edges,
    and memory 12 bytes a neighbour and 8 for its length.

    Examples
    --------
    >>> import networkx as nx
    >>> from sparsebc import betweenness
    >>> from sparsebc.networkx import from_networkx
    >>> G = nx.MultiGraph()
    >>> _ = G.add_edge("a", "b", km=5), G.add_edge("a", "b", km=2), G.add_edge("b", "c", km=1)
    >>> H = from_networkx(G, weight="km")
    >>> H.matrix("km").toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    >>> betweenness(H.matrix("km"), directed=False, weighted=True)
    array([0., 1., 0.])
    """
    if not isinstance(G, nx.Graph):
        raise InputTypeError(
            f"G must be a graph of NetworkX, got {type(G).__name__}: use from_matrix for a matrix"
        )
    if callable(weight):
        raise InputTypeError(
            f"weight must be the name of an edge attribute, got {weight!r}: nx.set_edge_attributes "
            "sets one from what a function gives"
        )
    return converted(G, [] if weight is None else [weight])


def converted(
    G: nx.Graph, weights: Iterable[Weight], *, kind: type[SparseGraph] = SparseGraph, **more: Any
) -> SparseGraph:
    """Graph of class ``kind`` with the edges of G and the lengths ``weights``."""
    names = list(G)
    index = dict(zip(names, range(len(names)), strict=True))
    by_node = dict(G.adjacency())  # its order is another where a subclass sorts nodes or rows
    rows = [by_node[node] for node in names]
    indptr = np.zeros(len(names) + 1, dtype=np.int64)
    # A view of parallel edges counts neighbours in its length whose edges are all filtered out.
    size = (lambda row: sum(1 for _ in row)) if hasattr(G, "_graph") else len
    np.cumsum(np.fromiter(map(size, rows), dtype=np.int64, count=len(names)), out=indptr[1:])
    numbers = map(index.__getitem__, chain.from_iterable(rows))
    indices = np.fromiter(numbers, dtype=np.int32, count=int(indptr[-1]))
    keys = [list(edges) for row in rows for edges in row.values()] if G.is_multigraph() else None
    about = {"directed": G.is_directed(), "name": str(G.name)}
    graph = kind(names, indptr, indices, lengths={}, keys=keys, **about, **more)
    graph.index = index
    graph.lengths.update({weight: graph.lengths_by(G, weight) for weight in weights})
    return graph


def from_matrix(
    A: Any,
    names: Iterable[Hashable] | None = None,
    *,
    directed: bool = True,
    weight: Hashable | None = "weight",
) -> SparseGraph:
    """A graph for NetworkX's functions from a sparse matrix, without a dictionary for each node.

    Parameters
    ----------
    A : sparse array or sparse matrix, Network or ndarray, shape (n, n)
        Of SciPy, CuPy or NumPy. A stored entry [i, j], even a zero, is an edge from node i to node
        j, on the diagonal a self loop. Repeated entries are summed. A is never modified.
    names : iterable of hashable, length n, optional
        Names of the nodes; by default those of a `Network`, else 0 to n - 1.
    directed : bool, default True
        If False, a stored [i, j] or [j, i] is an edge in both directions, of the smaller length if
        both are stored.
    weight : hashable, default "weight"
        Name by which NetworkX's functions find the stored values as lengths; None drops them.

    Returns
    -------
    SparseGraph

    Raises
    ------
    TypeError
        If A is not a matrix, or `directed` not a bool.
    ValueError
        If A is malformed or not square (see `sparsebc.betweenness`), or ``names`` does not hold n
        different names.

    See Also
    --------
    from_networkx : From a NetworkX graph.

    Notes
    -----
    Cost is that of sorting the entries. Lengths that are not positive and finite are kept:
    functions that use them raise NotImplementedError, or leave the call to NetworkX if
    ``nx.config.fallback_to_nx`` is True.

    Examples
    --------
    >>> import networkx as nx
    >>> import scipy.sparse
    >>> from sparsebc.networkx import from_matrix
    >>> A = scipy.sparse.csr_array([[0, 1, 5], [0, 0, 1], [0, 0, 0]])
    >>> nx.betweenness_centrality(from_matrix(A, "abc"), weight="weight", normalized=False)
    {'a': 0.0, 'b': 1.0, 'c': 0.0}
    """
    check_flags(directed=directed)
    names = names_of(A) if names is None else names
    matrix = csr_of(matrix_of(A))
    n = matrix.shape[0]
    listed = list(range(n) if names is None else names)
    if len(listed) != n or len(set(listed)) != n:
        raise InputError(
            f"names must hold n = {n} different names, got {len(listed)}, "
            f"{len(set(listed))} of them different"
        )
    if not directed:
        coo = matrix.tocoo()
        entries = both_ways(coo.row, coo.col, coo.data)
        matrix = assemble(*entries, n, str, shortest=True, finite=False)
    lengths = {} if weight is None else {weight: judged(matrix.data.tolist(), n)}
    return SparseGraph(
        *(listed, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)),
        directed=bool(directed),
        lengths=lengths,
    )


def to_networkx(graph: SparseGraph) -> nx.Graph:
    """The NetworkX graph of a `SparseGraph`, with its lengths as edge attributes."""
    if graph.original is not None:
        return graph.original
    if any(lengths.refusal == BY_DIRECTION for lengths in graph.lengths.values()):
        raise handed_back(BY_DIRECTION)  # that of an undirected view: a graph would hold one of two
    kind = f"{'Multi' * graph.is_multigraph()}{'Di' * graph.directed}Graph"
    G = getattr(nx, kind)(**({"name": graph.name} if graph.name else {}))
    G.add_nodes_from(graph)
    by_name = {
        name: (lengths.edges.astype(np.int64) if lengths.integer else lengths.edges).tolist()
        for name, lengths in graph.lengths.items()
    }
    for edge, index in graph.edges():
        data = {name: values[index] for name, values in by_name.items()}
        G.add_edges_from([(*edge, data)])
    for number, (_, row) in enumerate(G.adjacency()):  # undirected, not in the order of the edges
        first, last = graph.indptr[number : number + 2]
        neighbours = [graph.names[at] for at in graph.indices[first:last].tolist()]
        row |= [(node, row.pop(node)) for node in neighbours]
    return G
