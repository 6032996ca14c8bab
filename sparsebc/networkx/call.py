"""A call of a NetworkX function: its graph, edge lengths and run options."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.common.distances import DistanceSums
from ..graph.read_matrix import Adjacency
from ..measures.bfs import bfs
from ..measures.distance_sums import accumulate
from ..measures.query import reading
from ..measures.shortest_paths import shortest_paths
from ..run import options
from .graph import SparseGraph
from .lengths import Lengths, Weight, handed_back

# Distance rows held at a time: at most ROWS_BYTES, but at least the 64 sources of a batch.
ROWS_BYTES = 1 << 27
LEAST_ROWS = 64


class Call:
    """Call of a NetworkX function: its graph, edge lengths and run options.

    Attributes
    ----------
    G : SparseGraph
        The graph.
    weight : hashable, callable or None
        NetworkX's ``weight`` or ``distance``; None for unweighted distances.
    run : dict
        Run options by name, without those left at their default.
    settings : Run
        ``run``, checked.
    """

    def __init__(
        self, G: SparseGraph, weight: Weight | None, run: dict[str, Any], known: type
    ) -> None:
        self.G, self.weight, self.run = G, weight, run
        self.settings = options.parse(run, known)
        devices.select(self.settings.device)  # raises if the device cannot be used

    @cached_property
    def lengths(self) -> Lengths | None:
        """Lengths of the edges, checked; None without a weight."""
        return self.G.checked_lengths(self.weight)

    @property
    def exact(self) -> bool:
        """Whether sums of distances are exact in any order of addition."""
        return self.lengths is None or self.lengths.integer_valued

    def adjacency(self, *, reverse: bool = False) -> Adjacency:
        """Adjacency as the functions of sparsebc take it, or that of A'."""
        if reverse:
            self.refuse_reversed_callable()
        return self.G.adjacency(self.lengths, reverse=reverse)

    def refuse_reversed_callable(self) -> None:
        """Leave callable lengths of a digraph to NetworkX, which gives them the reversed edges."""
        if self.G.directed and callable(self.weight):
            raise handed_back("sparsebc does not reverse the edges that a callable is given")

    @contextmanager
    def handing_back(self) -> Iterator[None]:
        """Hand the call back to NetworkX if lengths fail in use, as one lost to rounding does."""
        try:
            yield
        except (ValueError, OverflowError) as error:
            if self.lengths is None:
                raise
            raise handed_back(f"sparsebc: {error}") from error

    def scores(self, measure: Callable[..., Any], A: Any = None, **asked: Any) -> Any:
        """Scores by a measure of sparsebc, not normalized.

        Weighted paths tie as in NetworkX, which compares rounded sums for equality.
        """
        weighted = self.lengths is not None
        how: dict[str, Any] = {"weighted": weighted, "normalized": False} | asked | self.run
        if weighted:
            how["tie_rtol"] = 0.0
        A = self.adjacency() if A is None else A
        with self.handing_back():
            return measure(A, **how)

    def sums(self, direction: str, sources: ArrayLike | None = None) -> DistanceSums:
        """Sums over each node's distances from the sources; to them for ``direction="out"``."""
        asked: dict[str, Any] = {"sources": sources, "weighted": self.lengths is not None}
        asked["flags"] = {"directed": self.G.directed}
        found = reading(self.adjacency(), self.settings, **asked)
        with self.handing_back(), found as (engine, query):
            sums = accumulate(engine, query, direction, self.settings)
            return DistanceSums(*(devices.deliver(part, None) for part in sums))

    def rows(
        self, sources: NDArray[np.int64], *, reverse: bool = False
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield each source with its distances to all nodes (from them if ``reverse``), shape (n,).

        Lengths are added along the path from the source, as in NetworkX; inf without a path.
        """
        A = self.adjacency(reverse=reverse)
        size = max(LEAST_ROWS, ROWS_BYTES // (8 * max(len(self.G), 1)))
        for first in range(0, sources.size, size):
            some = sources[first : first + size]
            with self.handing_back():
                if self.lengths is None:
                    found = bfs(A, some, **self.run).astype(np.float64)
                    found[found < 0] = np.inf
                else:
                    found, _ = shortest_paths(A, some, weighted=True, **self.run)
            yield from zip(some.tolist(), found, strict=True)

    def number(self, value: Any) -> float:
        """A distance or a sum of distances, in NetworkX's type: int for integer lengths and for 0.

        NetworkX's sums start at the int 0 of the source.
        """
        fractions = self.lengths is not None and not self.lengths.integer
        return float(value) if value and fractions else int(value)

    def require(self, node: Any) -> int:
        """Index of a node; raise NetworkX's error if it is not in the graph."""
        unweighted = self.lengths is None
        if node in self.G:
            return self.G.index[node]
        raise nx.NodeNotFound(
            f"Source {node} is not in G" if unweighted else f"Node {node} not found in graph"
        )

    def require_nodes(self) -> None:
        """Raise NetworkX's error if the graph has no nodes."""
        if not len(self.G):
            raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")

    def all_connected(self, sums: DistanceSums) -> bool:
        """Whether every node reaches every other."""
        return bool((sums.reached == len(self.G) - 1).all())
