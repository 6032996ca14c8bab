"""Searches on the CPU: Numba kernels for hops, SciPy for lengths and components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ..graph import Graph
from . import Group, Tally
from .kernels import masks
from .kernels.tally import tally


class CPUSearcher:
    """Searches of 64 sources at once, one group a thread."""

    name = "cpu"
    width = masks.WIDTH
    single = False

    def search(self, graph: Graph, deep: bool, stop: NDArray[np.uint8]) -> CPUSearch:
        """Allocate the state of one group."""
        return CPUSearch(graph, deep, stop)

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Tarjan's or a breadth-first search, SciPy's."""
        count, labels = csgraph.connected_components(
            graph.outgoing.matrix(), connection="strong" if strong else "weak"
        )
        return int(count), labels

    def lengths(
        self, matrix: Any, sources: NDArray[np.int32], directed: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Dijkstra's algorithm with a Fibonacci heap, SciPy's."""
        distances, predecessors = csgraph.dijkstra(
            matrix, directed=directed, indices=sources, return_predecessors=True
        )
        return distances, predecessors


class CPUSearch:
    """State of one group of sources."""

    def __init__(self, graph: Graph, deep: bool, stop: NDArray[np.uint8]) -> None:
        self._state = masks.masks(graph, stop)
        self._n = graph.n
        self._levels = masks.levels_by_queue if deep else masks.levels

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source."""
        self._levels(self._state, sources, out)

    def predecessors(self, levels: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Of the predecessors on shortest paths, the one with the smallest number."""
        masks.predecessors(self._state, levels, out)

    def tally(self, groups: Sequence[Group]) -> Tally:
        """Sums over the sources of some groups, in their order."""
        sums = Tally.zeros(self._n)
        for group in groups:
            tally(self._state, group.sources, sums)
        return sums
