"""Graphs of the backend: rows in the order of NetworkX's adjacency, and names of the nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, cast

import networkx as nx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputError
from ..graph.matrix_arrays import arrays_of, check_indices
from ..graph.read_matrix import Adjacency, SparseMatrix
from .lengths import Lengths, Weight, handed_back, read


@dataclass(eq=False, repr=False)
class SparseGraph:
    """A graph that NetworkX's functions take where this backend serves them.

    `from_networkx` and `from_matrix` make one. It holds index arrays, lengths and the names of the
    nodes, no dictionary for each node, and does not change. Its methods are those that NetworkX's
    dispatching needs; functions that the backend does not serve take it where
    ``nx.config.fallback_to_nx`` is True, as a NetworkX graph made of it.

    Parameters
    ----------
    names : list of hashable, length n
        Names of the nodes.
    indptr : ndarray, shape (n + 1,), dtype int64
        Where the neighbours of each node begin.
    indices : ndarray, shape (pairs,), dtype int32
        The neighbours, each once, by number; an undirected edge is in both rows.
    directed : bool
        Whether an edge has a direction.
    lengths : dict of hashable to Lengths
        Lengths by the name of the edge attribute.
    keys : list of list, optional
        Keys of the parallel edges of each neighbour pair, of a multigraph.
    original : NetworkX graph, optional
        Where lengths that are not there can be read.
    name : str, default ""
        Name of the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from sparsebc.networkx import from_networkx
    >>> H = from_networkx(nx.path_graph(["a", "b", "c"]))
    >>> print(H)
    Graph with 3 nodes and 2 edges
    >>> nx.betweenness_centrality(H)
    {'a': 0.0, 'b': 1.0, 'c': 0.0}
    """

    __networkx_backend__ = "sparsebc"

    names: Sequence[Hashable]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    _: KW_ONLY
    directed: bool
    lengths: dict[Any, Lengths]
    keys: list[list[Hashable]] | None = None
    original: Any = None
    name: str = ""

    def __post_init__(self) -> None:
        check_indices(arrays_of((self.indptr, self.indices, len(self.names))))

    def is_directed(self) -> bool:
        """Whether an edge has a direction."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Whether edges may be parallel, and have keys."""
        return self.keys is not None

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.index
        except TypeError:
            return False

    def number_of_nodes(self) -> int:
        """Number of nodes."""
        return len(self)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """Number of edges, parallel ones and self loops each counted."""
        return int(self.parallels[self.edge_pairs].sum())

    @property
    def kind(self) -> str:
        """Name of NetworkX's class of such graphs."""
        return f"{'Multi' * self.is_multigraph()}{'Di' * self.directed}Graph"

    def __str__(self) -> str:
        """The words that NetworkX has for such a graph: they are part of some of its errors."""
        named = f" named {self.name!r}" if self.name else ""
        return f"{self.kind}{named} with {len(self)} nodes and {self.number_of_edges()} edges"

    @property
    def _adj(self) -> dict[Any, int]:
        """Nodes, where NetworkX's own method looks for them."""
        return self.index

    nbunch_iter = nx.Graph.nbunch_iter

    @cached_property
    def index(self) -> dict[Any, int]:
        """Number of each node."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """First node of each neighbour pair."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.indptr))

    @cached_property
    def edge_pairs(self) -> NDArray[np.int64]:
        """Neighbour pairs that stand for the edges, in the order and orientation of ``G.edges``."""
        if self.directed:
            return np.arange(self.indices.size)
        return np.flatnonzero(self.indices >= self.rows)

    @cached_property
    def parallels(self) -> NDArray[np.int64]:
        """Number of edges of each neighbour pair."""
        if self.keys is None:
            return np.ones(self.indices.size, dtype=np.int64)
        return np.fromiter(map(len, self.keys), dtype=np.int64, count=self.indices.size)

    @cached_property
    def first_edge(self) -> NDArray[np.int64]:
        """Place of the first edge of each neighbour pair."""
        return np.cumsum(self.parallels) - self.parallels

    @cached_property
    def pair(self) -> NDArray[np.int64]:
        """Neighbour pair of each edge."""
        return np.repeat(np.arange(self.indices.size), self.parallels)

    def numbers(self, nodes: Iterable[Any]) -> NDArray[np.int64]:
        """Numbers of nodes."""
        return np.array([self.index[node] for node in nodes], dtype=np.int64)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Degree of each node, loops counted twice; undirected, without parallel edges."""
        loops = self.indices == self.rows
        return np.diff(self.indptr) + np.bincount(self.rows[loops], minlength=len(self))

    def edges(self) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Edges in the order of ``G.edges``, as they are there, and their places among all edges.

        An edge is (u, v), in a multigraph (u, v, key).
        """
        pairs, name = self.edge_pairs, self.names.__getitem__
        places = pairs.tolist()
        tails, heads = (map(name, side[pairs].tolist()) for side in (self.rows, self.indices))
        ends = zip(tails, heads, strict=True)
        if self.keys is None:
            return zip(ends, places, strict=True)
        return (
            ((*both, key), place)
            for both, pair in zip(ends, places, strict=True)
            for place, key in enumerate(self.keys[pair], int(self.first_edge[pair]))
        )

    def edges_with_data(self) -> Iterator[tuple[Any, ...]]:
        """Edges in the order of ``G.edges``, with their lengths by name."""
        known = {
            name: (found.edges.astype(np.int64) if found.integer else found.edges).tolist()
            for name, found in self.lengths.items()
            if not callable(name)
        }
        for edge, place in self.edges():
            yield *edge, {name: values[place] for name, values in known.items()}

    def checked_lengths(self, weight: Weight | None) -> Lengths | None:
        """Lengths by the name of an edge attribute or a callable, checked; None for None.

        Raises
        ------
        NotImplementedError
            If they are none by which this backend computes, so that NetworkX takes over.
        ValueError
            If the graph was made without them.
        """
        if weight is None:
            return None
        found = self.lengths.get(weight)
        if found is None:
            if self.original is None:
                there = ", ".join(map(repr, self.lengths)) or "none"
                raise InputError(
                    f"weight={weight!r} is not among the lengths that this graph was made with "
                    f"({there}): name it in from_networkx or from_matrix"
                )
            found = self.read(self.original, weight)
        if found.refusal:
            raise handed_back(f"sparsebc does not compute with {found.refusal}")
        return found

    def node_values(self, attribute: Any, *, default: Any) -> dict[Any, Any]:
        """An attribute of the nodes of the NetworkX graph that this one was made of.

        Raises
        ------
        ValueError
            If the graph was made without them.
        """
        if self.original is None:
            raise InputError(
                f"attribute={attribute!r} is not there: this graph was made without attributes of "
                "nodes; give states"
            )
        values: dict[Any, Any] = nx.get_node_attributes(self.original, attribute, default=default)
        return values

    def read(self, G: Any, weight: Weight) -> Lengths:
        """Keep the lengths of a NetworkX graph; those of a callable may depend on the direction."""
        found = read(G, weight, self.first_edge)
        if callable(weight) and not self.directed and not found.refusal:
            there = self._with(found.pairs)
            if (there != there.T).nnz:
                found = found._replace(refusal="lengths that differ with an edge's direction")
        self.lengths[weight] = found
        return found

    def matrix(self, weight: Weight | None = None) -> scipy.sparse.csr_array:
        """Adjacency matrix: lengths, or ones; its rows are not sorted.

        Parameters
        ----------
        weight : hashable or callable, optional
            Name of the edge attribute that holds the lengths, or a function of u, v and its data;
            the least of parallel edges counts.

        Returns
        -------
        csr_array, shape (n, n), dtype float64

        Raises
        ------
        NotImplementedError, ValueError
            If lengths are not positive and finite, or the graph was made without them.
        """
        lengths = self.checked_lengths(weight)
        return self._with(np.ones(self.indices.size) if lengths is None else lengths.pairs)

    def adjacency(self, lengths: Lengths | None, *, reverse: bool = False) -> Adjacency:
        """Adjacency for functions of sparsebc: a matrix of lengths or a pattern, or that of A'."""
        if reverse and self.directed:
            ones = np.ones(self.indices.size, dtype=np.int8)
            turned = self._with(ones if lengths is None else lengths.pairs).T
            return cast(SparseMatrix, scipy.sparse.csr_array(turned))
        if lengths is None:
            return (self.indptr, self.indices, len(self))
        return cast(SparseMatrix, self._with(lengths.pairs))

    def _with(self, values: NDArray[Any]) -> scipy.sparse.csr_array:
        return scipy.sparse.csr_array((values, self.indices, self.indptr), shape=(len(self),) * 2)

    def named(self, values: NDArray[Any]) -> dict[Any, Any]:
        """A dictionary from nodes to Python numbers, in the order of the nodes."""
        return dict(zip(self.names, values.tolist(), strict=True))
