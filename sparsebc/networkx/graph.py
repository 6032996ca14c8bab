"""Graph of the backend: CSR rows in the order of NetworkX's adjacency, node names and lengths.

NetworkX takes any numbers. Here a length is positive, finite and exact as a float, and so are sums
of lengths; calls with others are handed back to NetworkX before anything is drawn or consumed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, cast

import networkx as nx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputError
from ..matrix.edge_weights import MIN_LENGTH, WHOLE
from ..matrix.matrix_arrays import arrays_of, check_indices
from ..matrix.read_matrix import Adjacency, SparseMatrix
from ..measures.tolerance import LEAST

Weight = Hashable | Callable[..., Any]

INTEGERS = {int, bool, np.int64}
FLOATS = {float, np.float64}
# Paths are counted where the shortest length is at least this share of any distance, of which the
# scale E is at most twice the largest.
LEAST_SHARE = 2 * LEAST * np.finfo(np.float64).eps


def handed_back(reason: str) -> NotImplementedError:
    """Error that hands a call back to NetworkX, with the reason.

    If NetworkX chose this backend, NetworkX then computes itself. A caller who named the backend
    gets this error as the cause of one of NetworkX's: hence the remedy in the message.
    """
    return NotImplementedError(
        f"{reason}; for NetworkX's own function, leave backend='sparsebc' out"
    )


class Lengths(NamedTuple):
    """Lengths of all neighbour pairs (u, v), in the order of the adjacency."""

    pairs: NDArray[Any]  # float64, the least of parallel edges
    edges: NDArray[Any]  # each of the parallel edges; ``pairs`` itself if there are none
    integer: bool = True  # NetworkX's distances are Python ints
    whole: bool = True  # all are integers, if floats, so that sums up to 2**53 are exact
    refusal: str = ""  # why the arrays, which hold the unconverted values, are no lengths
    uncounted: str = ""  # why shortest paths are not counted by them


def _refused(values: list[Any], why: str) -> Lengths:
    """Lengths that are none, for a reason; values stay objects, as NetworkX may take them."""
    kept = np.fromiter(values, dtype=object, count=len(values))
    why = f"sparsebc does not compute with {why}"
    return Lengths(kept, kept, integer=False, whole=False, refusal=why)


def judged(values: list[Any], nodes: int, parallels: NDArray[np.int64] | None = None) -> Lengths:
    """Lengths from the values of all edges, and why they are none.

    No distance exceeds the sum of the n - 1 longest lengths, which decides whether sums are exact.
    """
    kinds = set(map(type, values))
    if odd := kinds - INTEGERS - FLOATS:
        return _refused(values, f"lengths of type {min(kind.__name__ for kind in odd)}")
    try:
        edges = np.array(values, dtype=np.float64)
    except OverflowError:
        return _refused(values, "lengths beyond floats")
    if not edges.size:
        return Lengths(edges, edges)
    shortest, longest = edges.min(), edges.max()
    if not 0 < shortest <= longest < np.inf:
        return _refused(values, "lengths that are zero, negative or not finite")
    if shortest < MIN_LENGTH or longest > np.finfo(np.float64).max / nodes:
        return _refused(values, "lengths whose sums or quotients may leave the range of floats")
    pairs = edges
    if parallels is not None and edges.size > parallels.size:
        pairs = np.minimum.reduceat(edges, np.cumsum(parallels) - parallels)
    most = min(nodes - 1, pairs.size)
    farthest = np.partition(pairs, -most)[-most:].sum() if most else 0.0
    whole = bool(longest < WHOLE and (pairs == np.rint(pairs)).all())
    if farthest >= WHOLE and (whole or kinds & INTEGERS):
        return _refused(values, "whole lengths whose sums may pass 2**53")
    is_lost = not whole and shortest < LEAST_SHARE * farthest
    why = "sparsebc counts no paths by lengths of which rounding may lose some beside others"
    return Lengths(pairs, edges, kinds <= INTEGERS, whole, uncounted=why if is_lost else "")


BY_DIRECTION = "sparsebc does not compute with lengths that differ with an edge's direction"


@dataclass(eq=False, repr=False)
class SparseGraph:
    """A graph for the NetworkX functions that this backend serves.

    `from_networkx` and `from_matrix` make one. It holds index arrays, lengths and node names, no
    dictionary for each node, and does not change. Its methods are those that NetworkX's dispatching
    needs. If ``nx.config.fallback_to_nx`` is True, all other functions take it too: NetworkX
    converts it.

    Parameters
    ----------
    names : list of hashable, length n
        Names of the nodes.
    indptr : ndarray, shape (n + 1,), dtype int64
        Index of each node's first neighbour in ``indices``.
    indices : ndarray, shape (pairs,), dtype int32
        Numbers of the neighbours, each once a row; an undirected edge is in two rows.
    directed : bool
        Whether edges have a direction.
    lengths : dict of hashable to Lengths
        Lengths by the name of the edge attribute.
    keys : list of list, optional
        Keys of the parallel edges of each neighbour pair, in a multigraph.
    original : NetworkX graph, optional
        Graph from which other lengths and node attributes are read whenever they are needed.
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
        """Whether edges have a direction."""
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
        """Number of edges, with each parallel edge and self loop."""
        return int(self.parallels[self.edge_pairs].sum())

    def __str__(self) -> str:
        """NetworkX's description of the graph, which is part of some of its error messages."""
        kind = f"{'Multi' * self.is_multigraph()}{'Di' * self.directed}Graph"
        named = f" named {self.name!r}" if self.name else ""
        return f"{kind}{named} with {len(self)} nodes and {self.number_of_edges()} edges"

    @property
    def _adj(self) -> dict[Any, int]:
        """Nodes, where ``nx.Graph.nbunch_iter`` looks them up."""
        return self.index

    nbunch_iter = nx.Graph.nbunch_iter

    @cached_property
    def index(self) -> dict[Any, int]:
        """Number (index) of each node by name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """First node of each neighbour pair."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.indptr))

    @cached_property
    def edge_pairs(self) -> NDArray[np.int64]:
        """Neighbour pairs that represent edges, in the order and orientation of ``G.edges``."""
        if self.directed:
            return np.arange(self.indices.size)
        return np.flatnonzero(self.indices >= self.rows)

    @cached_property
    def parallels(self) -> NDArray[np.int64]:
        """Number of edges of each neighbour pair."""
        if self.keys is None:
            return np.ones(self.indices.size, dtype=np.int64)
        return np.fromiter(map(len, self.keys), dtype=np.int64, count=self.indices.size)

    def numbers(self, nodes: Iterable[Any]) -> NDArray[np.int64]:
        """Number (index) of each of the nodes."""
        return np.array([self.index[node] for node in nodes], dtype=np.int64)

    def edges(self) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Edges in the order of ``G.edges``, each with its index in ``Lengths.edges``.

        An edge is (u, v), in a multigraph (u, v, key).
        """
        pairs, name, keys = self.edge_pairs, self.names.__getitem__, self.keys
        indices = pairs.tolist()
        tails, heads = (map(name, side[pairs].tolist()) for side in (self.rows, self.indices))
        ends = zip(tails, heads, strict=True)
        if keys is None:
            return zip(ends, indices, strict=True)
        first = np.cumsum(self.parallels) - self.parallels
        return (
            ((*both, key), index)
            for both, pair, at in zip(ends, indices, first[pairs].tolist(), strict=True)
            for index, key in enumerate(keys[pair], at)
        )

    def checked_lengths(self, weight: Weight | None) -> Lengths | None:
        """Lengths by the name of an edge attribute or a callable, checked; None for None.

        Raises
        ------
        NotImplementedError
            If the backend cannot compute with them, so that NetworkX takes over.
        ValueError
            If the graph was made without them.
        """
        if weight is None:
            return None
        found = None if callable(weight) else self.lengths.get(weight)
        if found is None and self.original is not None:
            found = self.lengths_by(self.original, weight)
        if found is None:
            there = ", ".join(map(repr, self.lengths)) or "none"
            raise InputError(
                f"weight={weight!r} is not among the lengths that this graph was made with "
                f"({there}): name it in from_networkx or from_matrix"
            )
        if found.refusal:
            raise handed_back(found.refusal)
        return found

    def lengths_by(self, G: Any, weight: Weight) -> Lengths:
        """Lengths of G, from which this graph was made, judged.

        In a multigraph, a callable gives the length of a pair of nodes, from all its edges, and
        that of each edge alone. Refused if an undirected edge has two lengths: a callable may tell
        directions apart, and an undirected view of a digraph does.
        """
        n, by_node = len(self), dict(G.adjacency())
        rows = [by_node[node] for node in self]
        if callable(weight):
            arcs = [
                (u, v, data) for u, row in zip(self, rows, strict=True) for v, data in row.items()
            ]
            try:
                found = judged([weight(*arc) for arc in arcs], n)
                if self.is_multigraph() and not found.refusal:
                    alone = [weight(u, v, {key: data[key]}) for u, v, data in arcs for key in data]
                    by_edge = judged(alone, n)
                    found = found._replace(edges=by_edge.edges, refusal=by_edge.refusal)
            except Exception as error:  # NetworkX may not meet that edge
                return _refused([], f"a function that raises {type(error).__name__}")
        else:
            data: Any = chain.from_iterable(row.values() for row in rows)
            if self.is_multigraph():
                data = chain.from_iterable(keyed.values() for keyed in data)
            parallels = self.parallels if self.is_multigraph() else None
            found = judged([attributes.get(weight, 1) for attributes in data], n, parallels)
        may_differ = callable(weight) or hasattr(G, "_graph")
        if may_differ and not self.directed and not found.refusal:
            by_pair = self.csr(found)
            if (by_pair != by_pair.T).nnz:
                return found._replace(refusal=BY_DIRECTION)
        return found

    def matrix(self, weight: Weight | None = None) -> scipy.sparse.csr_array:
        """Adjacency matrix of lengths, or of ones; column indices are not sorted.

        Parameters
        ----------
        weight : hashable, optional
            Name of the edge attribute that holds the lengths. Of parallel edges the shortest
            counts.

        Returns
        -------
        csr_array, shape (n, n), dtype float64

        Raises
        ------
        NotImplementedError, ValueError
            If lengths are not positive and finite, or the graph was made without them.
        """
        return self.csr(self.checked_lengths(weight))

    def adjacency(self, lengths: Lengths | None, *, reverse: bool = False) -> Adjacency:
        """Adjacency for functions of sparsebc: lengths, or a pattern; that of A' if ``reverse``."""
        if lengths is None and not (reverse and self.directed):
            return (self.indptr, self.indices, len(self))
        A = self.csr(lengths)
        return cast(SparseMatrix, scipy.sparse.csr_array(A.T) if reverse and self.directed else A)

    def csr(self, lengths: Lengths | None) -> scipy.sparse.csr_array:
        """CSR array of the length of each neighbour pair, or of ones."""
        values = np.ones(self.indices.size) if lengths is None else lengths.pairs
        return scipy.sparse.csr_array((values, self.indices, self.indptr), shape=(len(self),) * 2)

    def named(self, values: NDArray[Any]) -> dict[Any, Any]:
        """The values as Python numbers by node name, in the order of the nodes."""
        return dict(zip(self.names, values.tolist(), strict=True))
