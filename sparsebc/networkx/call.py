"""A call of a NetworkX function: its graph, edge lengths and run options."""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import networkx as nx
import numpy as np
from networkx.utils.backends import _registered_algorithms
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.common.distances import DistanceSums
from ..matrix.edge_weights import WHOLE
from ..matrix.read_matrix import Adjacency
from ..measures.distance_sums import accumulate
from ..measures.reading import reading
from ..measures.searches import bfs, shortest_paths
from ..sweep import options
from .convert import to_networkx
from .graph import SparseGraph, Weight, handed_back

# Distance rows held at a time: at most ROWS_BYTES, but at least the 64 sources of a batch.
ROWS_BYTES = 1 << 27
LEAST_ROWS = 64
BEYOND = "sparsebc does not add distances whose sums pass 2**53"


class Call:
    """Call of a NetworkX function: its graph, edge lengths and run options.

    Attributes
    ----------
    own : callable
        NetworkX's own function.
    G : SparseGraph
        The graph.
    lengths : Lengths or None
        Lengths of the edges by NetworkX's ``weight`` or ``distance``; None for unweighted
        distances.
    run : dict
        Run options by name, without those left at their default.
    settings : Run
        ``run``, checked.
    """

    def __init__(
        self, name: str, G: SparseGraph, weight: Weight | None, run: dict[str, Any], known: type
    ) -> None:
        self.own: Callable[..., Any] = _registered_algorithms[name].orig_func
        self.G, self.run = G, run
        self.settings = options.parse(run, known)
        devices.select(self.settings.device)  # raises if the device cannot be used
        self.lengths = G.checked_lengths(weight)

    def scores(self, measure: Callable[..., Any], A: Any = None, **asked: Any) -> Any:
        """Scores by a measure of sparsebc, not normalized.

        Weighted paths tie as in NetworkX, which compares rounded sums for equality.
        """
        weighted = self.lengths is not None
        how: dict[str, Any] = {"weighted": weighted, "normalized": False} | asked | self.run
        if weighted:
            how["tie_rtol"] = 0.0
        return measure(self.G.adjacency(self.lengths) if A is None else A, **how)

    def sums(self, direction: str, sources: ArrayLike | None = None) -> DistanceSums:
        """Sums over each node's distances from the sources; to them for ``direction="out"``."""
        asked: dict[str, Any] = {"sources": sources, "weighted": self.lengths is not None}
        asked |= {"flags": {"directed": self.G.directed}, "counts_paths": False}
        with reading(self.G.adjacency(self.lengths), self.settings, **asked) as (engine, query):
            sums = accumulate(engine, query, direction, self.settings)
            return DistanceSums(*(devices.deliver(part, None) for part in sums))

    def rows(
        self, sources: NDArray[np.int64], *, reverse: bool = False
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield each source with its distances to all nodes (from them if ``reverse``), shape (n,).

        Lengths are added along the path from the source, as in NetworkX; inf without a path.
        """
        A: Adjacency = self.G.adjacency(self.lengths, reverse=reverse)
        size = max(LEAST_ROWS, ROWS_BYTES // (8 * max(len(self.G), 1)))
        for first in range(0, sources.size, size):
            some = sources[first : first + size]
            if self.lengths is None:
                found = bfs(A, some, **self.run).astype(np.float64)
                found[found < 0] = np.inf
            else:
                found, _ = shortest_paths(A, some, weighted=True, **self.run)
            yield from zip(some.tolist(), found, strict=True)

    def total(self, totals: NDArray[Any]) -> float:
        """Sum of sums of distances in NetworkX's type: an exact int for integer lengths."""
        if self.lengths is not None and not self.lengths.integer:
            return float(totals.sum()) or 0  # NetworkX's sums start at the int 0 of the source
        if totals.max(initial=0) >= WHOLE:
            raise handed_back(BEYOND)
        return sum(map(int, totals.tolist()))

    def all_connected(self, sums: DistanceSums) -> bool:
        """Whether every node reaches every other."""
        return bool((sums.reached == len(self.G) - 1).all())

    def by_networkx(self, **asked: Any) -> Any:
        """NetworkX's own answer, for graphs and arguments that leave little to compute."""
        return self.own(to_networkx(self.G), **asked)

    def fail(self, **asked: Any) -> NoReturn:
        """Raise NetworkX's error for a graph of this kind: two other nodes without an edge."""
        kind = nx.DiGraph if self.G.directed else nx.Graph
        self.own(nx.empty_graph([object(), object()], create_using=kind), **asked)
        raise AssertionError(f"NetworkX answers {self.own.__name__}({asked})")
