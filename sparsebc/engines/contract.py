"""What an engine is: groups of sources in, sums out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import Patterns
from ..graph.graph import Graph


class Group(NamedTuple):
    """Sources swept together, up to the engine's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    compact: bool  # the sources lie close together, measured in levels


class Workspace(Protocol):
    """Memory of the groups in flight, used again for the next; an attribute for each sum wanted.

    - ``dependency``, (n,): alpha * delta
    - ``squares``, (n,): alpha * delta**2; only with ``dependency``
    - ``arcs``, (arcs,): alpha * sigma(u) g(v) of each arc u -> v; only with ``dependency``, and
      where the patterns of the graph live, not on the host
    - ``stress``, (n,): alpha * sigma * lambda
    - ``arrivals``, (n,): alpha * sigma, but of the source itself; only with ``stress``
    - ``departures``, (n,): lambda of each source itself; only with ``arrivals``
    - ``ends``, (n,): pairs that begin or end at each node
    """

    stop: NDArray[np.uint8]

    def run(self, groups: Sequence[Group]) -> None:
        """Add what the groups contribute to the sums that are wanted.

        The order of the additions is that of the groups, however many are in flight.
        """

    def worst(self) -> float:
        """Largest number of paths met by the last run, at least."""


class Engine(Protocol):
    """A way to compute groups of sources."""

    name: str
    literal: bool  # computes on the graph as it was given: no folding, no renumbering
    near: bool  # the sources of a group should lie close together
    pace: int  # edges that it sweeps while the host looks at a pair of them

    @property
    def members(self) -> Sequence[Engine]:
        """One for each worker, if they have memory of their own; none if threads share it."""

    def here(self) -> AbstractContextManager[None]:
        """Work on the engine's device, for as long as the context lasts."""

    def patterns(self, entries: int) -> Patterns:
        """Where to keep a graph of so many entries."""

    def width(self, graph: Graph, deep: bool) -> int:
        """Sources of a group."""

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """Groups of a block, at least one; from the problem alone, since it fixes the bits."""

    def free_memory(self) -> int:
        """Bytes that are free where the engine keeps its state."""

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """Least memory that `workspace` can do with."""

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """Memory for groups of a width, in ``memory`` bytes; it stops once ``stop[0]`` is set."""


class Tally(NamedTuple):
    """Sums over sources of what their searches say about each node, the source itself left out.

    Arrays of NumPy or of CuPy.
    """

    reached: NDArray[np.int64]  # (n,) how many sources reach it
    total: NDArray[Any]  # (n,) sum of their distances
    harmonic: NDArray[np.float64]  # (n,) sum of one over their distances
    farthest: NDArray[Any]  # (n,) greatest of their distances

    @classmethod
    def zeros(cls, n: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np) -> Tally:
        """No sources yet; distances are counted in edges, or of a type."""
        return cls(*(xp.zeros(n, dtype=dtype) for dtype in (np.int64, distance, float, distance)))

    def merge(self, other: Tally) -> None:
        """Add the sources that come next."""
        for mine, theirs in zip(self[:3], other[:3], strict=True):
            np.add(mine, theirs, out=mine)
        np.maximum(self.farthest, other.farthest, out=self.farthest)

    def in_units(self, unit: float) -> Tally:
        """The same where an edge has another length than 1."""
        if unit == 1:
            return self
        return Tally(self.reached, self.total * unit, self.harmonic / unit, self.farthest * unit)


class Tallier(Protocol):
    """State of searches from sources, group after group."""

    def tally(self, groups: Sequence[Group]) -> Tally:
        """Sums over the sources of some groups, in their order, where the searches are."""


class Paths(Protocol):
    """A graph, by edges or with its lengths."""

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with what `scipy.sparse.csgraph.dijkstra` has for source i.

        Where it has a choice of predecessors, any of them; by edges, the smallest.
        """


class Search(Tallier, Paths, Protocol):
    """State of the searches of a group of sources, used again for the next."""

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source, shape (len(sources), n); -1 where there is no path."""


class Searcher(Protocol):
    """A way to search a graph from many sources."""

    name: str
    width: int  # sources of a group
    tally_width: int  # the same where there are more, and only sums over them are wanted
    length_width: int  # sources between two looks at the keyboard, along lengths
    near: bool  # along lengths, the sources of a group should lie close together
    pace: int  # edges that it searches while the host looks at a pair of them

    @property
    def members(self) -> Sequence[Searcher]:
        """One for each worker, if they have memory of their own; none if threads share it."""

    def here(self) -> AbstractContextManager[None]:
        """Work on the searcher's device, for as long as the context lasts."""

    def patterns(self, entries: int) -> Patterns:
        """Where to keep a graph of so many entries."""

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> Any:
        """Array to fill, on the searcher's own device if that is the ``home`` of the matrix."""

    def compact(self, deep: bool) -> bool:
        """Whether the sources of a group are to lie close together."""

    def block_size(self, graph: Graph, groups: int) -> int:
        """Groups whose sums are added up before they leave the device."""

    def free_memory(self) -> int:
        """Bytes that are free where the searcher keeps its state."""

    def search_bytes(self, graph: Graph, width: int) -> int:
        """Least memory that `search` can do with for such a group; with lengths, `by_length`."""

    def search(self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]) -> Search:
        """State of a search, on a deep graph or another, in ``memory`` bytes.

        It stops once ``stop[0]`` is set.
        """

    def by_length(self, graph: Graph, memory: int, stop: NDArray[np.uint8]) -> Tallier:
        """The same along the lengths of a graph."""

    def lengths(self, matrix: Any, directed: bool, stop: NDArray[np.uint8]) -> Paths:
        """Take a SciPy or CuPy matrix of lengths; stops once ``stop[0]`` is set."""

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, as `scipy.sparse.csgraph` numbers them."""


def both(sums: frozenset[str]) -> bool:
    """Whether both g and h are needed, so that one cannot take sigma's place."""
    return sums >= {"dependency", "stress"}


# More blocks of searches than this would only add to the cost of adding them up.
BLOCKS = 1024
