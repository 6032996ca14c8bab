"""A call of a function of NetworkX: its graph, the lengths of its edges, and its run options."""

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

# Distances in flight: rows of this many bytes, and no fewer than a search is made for.
ROWS_BYTES = 1 << 27
LEAST_ROWS = 64


class Call:
    """Call of a function: its graph, lengths and run options.

    Attributes
    ----------
    G : SparseGraph
        The graph.
    weight : hashable, callable or None
        NetworkX's ``weight`` or ``distance``; None for distances by edges.
    run : dict
        Run options by name, those that are not left to the default.
    settings : Run
        The same, checked.
    """

    def __init__(
        self, G: SparseGraph, weight: Weight | None, run: dict[str, Any], known: type
    ) -> None:
        self.G, self.weight, self.run = G, weight, run
        self.settings = options.parse(run, known)
        devices.select(self.settings.device)  # raises an error of the device

    @cached_property
    def lengths(self) -> Lengths | None:
        """Lengths of the edges, checked; None without a weight."""
        return self.G.checked_lengths(self.weight)

    @property
    def exact(self) -> bool:
        """Whether sums of distances are exact, in whatever order."""
        return self.lengths is None or self.lengths.whole

    def adjacency(self, *, reverse: bool = False) -> Adjacency:
        """Adjacency as the functions of sparsebc take it; for distances to a node, that of A'.

        NetworkX gives a callable the ends of the reversed edges there: that is left to it.
        """
        if reverse:
            self.refuse_reversed_callable()
        return self.G.adjacency(self.lengths, reverse=reverse)

    def refuse_reversed_callable(self) -> None:
        """Leave to NetworkX a callable that would get the edges of a reversed digraph."""
        if self.G.directed and callable(self.weight):
            raise handed_back("sparsebc does not turn around what a callable is given")

    @contextmanager
    def stepping_back(self) -> Iterator[None]:
        """Leave lengths to NetworkX that turn out to be none in use: lost beside a distance."""
        try:
            yield
        except (ValueError, OverflowError) as error:
            if self.lengths is None:
                raise
            raise handed_back(f"sparsebc: {error}") from error

    def scores(self, measure: Callable[..., Any], A: Any = None, **asked: Any) -> Any:
        """Scores by a function of sparsebc, not normalized.

        Paths by length tie as in NetworkX, where sums compare as they come out.
        """
        weighted = self.lengths is not None
        how: dict[str, Any] = {"weighted": weighted, "normalized": False} | asked | self.run
        if weighted:
            how["tie_rtol"] = 0.0
        A = self.adjacency() if A is None else A
        with self.stepping_back():
            return measure(A, **how)

    def sums(self, direction: str, sources: ArrayLike | None = None) -> DistanceSums:
        """Sums over the distances of each node from the sources; to them, for direction "out"."""
        asked: dict[str, Any] = {"sources": sources, "weighted": self.lengths is not None}
        asked["flags"] = {"directed": self.G.directed}
        found = reading(self.adjacency(), self.settings, **asked)
        with self.stepping_back(), found as (engine, query):
            sums = accumulate(engine, query, direction, self.settings)
            return DistanceSums(*(devices.deliver(part, None) for part in sums))

    def rows(
        self, sources: NDArray[np.int64], *, reverse: bool = False
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Each source with its distances to all nodes (from them, if ``reverse``), shape (n,).

        Sums run along the path from the source, as NetworkX's do; inf where there is no path.
        """
        A = self.adjacency(reverse=reverse)
        size = max(LEAST_ROWS, ROWS_BYTES // (8 * max(len(self.G), 1)))
        for first in range(0, sources.size, size):
            some = sources[first : first + size]
            with self.stepping_back():
                if self.lengths is None:
                    found = bfs(A, some, **self.run).astype(np.float64)
                    found[found < 0] = np.inf
                else:
                    found, _ = shortest_paths(A, some, weighted=True, **self.run)
            yield from zip(some.tolist(), found, strict=True)

    def number(self, value: Any) -> float:
        """A distance or a sum of them in the type that NetworkX gives it.

        It begins with an int, the 0 of the source itself.
        """
        fractions = self.lengths is not None and not self.lengths.integer
        return float(value) if value and fractions else int(value)

    def require(self, node: Any) -> int:
        """Number of a node; NetworkX's error where it is not there."""
        by_edges = self.lengths is None
        if node in self.G:
            return self.G.index[node]
        raise nx.NodeNotFound(
            f"Source {node} is not in G" if by_edges else f"Node {node} not found in graph"
        )

    def require_nodes(self) -> None:
        """Raise NetworkX's error where there is no node."""
        if not len(self.G):
            raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")

    def all_connected(self, sums: DistanceSums) -> bool:
        """Whether every node reaches every other."""
        return bool((sums.reached == len(self.G) - 1).all())
