"""Searches on the CPU: Numba kernels for hops, SciPy for lengths and components."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...graph.csr import Host, Patterns
from ...graph.graph import Graph
from ..contract import BLOCKS, Group, Tally
from ..host_memory import free_memory
from . import distance_sums
from .kernels import msbfs
from .kernels.bitset import NARROW, WIDE
from .kernels.msbfs_sums import tally, tally_by_queue

# A row takes as long for the masks of a level as for so many sources one by one. Masks of sources
# that lie apart visit a row on nearly every level.
VISIT = 3


class CPUSearcher:
    """Searches of 64 sources at once, or 512 that are only counted; one group a thread."""

    name = "cpu"
    width = NARROW
    tally_width = WIDE
    length_width = 8
    members = ()
    near = True
    pace = 1

    def here(self) -> AbstractContextManager[None]:
        """Nothing to do: the host is where all is."""
        return nullcontext()

    def patterns(self, entries: int) -> Patterns:
        """The host."""
        return Host()

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> NDArray[Any]:
        """Array of the host, wherever the matrix lives."""
        return np.empty(shape, dtype)

    def compact(self, deep: bool) -> bool:
        """Always: a level that few rows hold is pushed."""
        return True

    def block_size(self, graph: Graph, groups: int) -> int:
        """One, unless there are so many that adding them up would cost."""
        return -(-groups // BLOCKS) or 1

    def free_memory(self) -> int:
        """What is free on the host."""
        return free_memory()

    def search_bytes(self, graph: Graph, width: int) -> int:
        """Masks of one group; along lengths, the state of one source."""
        if graph.lengths:
            return distance_sums.search_bytes(graph)
        return graph.n * msbfs.row_bytes(width)

    def search(self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]) -> CPUSearch:
        """Allocate the state of one group."""
        return CPUSearch(graph, deep, stop)

    def by_length(
        self, graph: Graph, memory: int, stop: NDArray[np.uint8]
    ) -> distance_sums.LengthSearch:
        """Allocate the state of one group."""
        return distance_sums.LengthSearch(graph, stop)

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Tarjan's or a breadth-first search, SciPy's."""
        count, labels = csgraph.connected_components(
            graph.outgoing.matrix(), connection="strong" if strong else "weak"
        )
        return int(count), labels

    def lengths(self, matrix: Any, directed: bool, stop: NDArray[np.uint8]) -> CPUPaths:
        """A matrix of the host."""
        return CPUPaths(matrix.get() if hasattr(matrix, "get") else matrix, directed)


class CPUPaths:
    """Dijkstra's algorithm with a Fibonacci heap, SciPy's."""

    def __init__(self, matrix: Any, directed: bool) -> None:
        self._matrix, self._directed = matrix, directed

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Copy what SciPy returns."""
        distances[:], predecessors[:] = csgraph.dijkstra(
            self._matrix, directed=self._directed, indices=sources, return_predecessors=True
        )


class CPUSearch:
    """State of one group of sources, narrow until a wide one comes."""

    def __init__(self, graph: Graph, deep: bool, stop: NDArray[np.uint8]) -> None:
        self._graph, self._stop = graph, stop
        self._state = msbfs.masks(graph, stop, NARROW)
        self._levels = msbfs.levels_by_queue if deep else msbfs.levels

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source."""
        self._levels(self._state, sources, out)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Levels, then a look at the edges into each node."""
        levels = np.empty(distances.shape, dtype=np.int32)
        self.levels(sources, levels)
        msbfs.predecessors(self._state, levels, predecessors)
        distances[:] = levels
        distances[levels == msbfs.UNREACHED] = np.inf

    def tally(self, groups: Sequence[Group]) -> Tally:
        """Sums over the sources of some groups, in their order."""
        sums = Tally.zeros(self._graph.n)
        for group in groups:
            sources = group.sources
            if not group.compact:
                levels = tally_by_queue(self._state, sources[:1], sums)
                sources = sources[1:]
                if sources.size < VISIT * levels:
                    tally_by_queue(self._state, sources, sums)
                    continue
            if sources.size > msbfs.capacity(self._state):
                self._state = msbfs.masks(self._graph, self._stop, WIDE)
            tally(self._state, sources, sums)
        return sums
