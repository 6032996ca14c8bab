"""Launches `per_source/near.cu`: paths from near sources, 64 to a block of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...batch import Batch
from ..runtime import c_type, flags_of, kernels
from . import in_one_order
from .in_one_order import InOneOrder, in_waves, multiprocessors, slots
from .layout import NEAR, NEAR_WIDTH
from .sssp import Search
from .workspace import PathSums, path_fixed_bytes, sum_sizes

# What the kernel may sum.
SUMS = frozenset({"dependency", "arcs"})


class NearWorkspace(InOneOrder, PathSums):
    """Sums of paths over the groups of a block."""

    _struct = NEAR

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        lengths, search = in_waves(graph)
        self._search = search
        super().__init__(
            graph,
            omega,
            dtype,
            sums,
            shares=share_count(graph),
            workers=2 * multiprocessors(),
            memory=memory - fixed_bytes(graph, search, dtype, sums),
            worker_bytes=worker_bytes(graph, search, dtype, sums),
            stop=stop,
        )
        self._constants["rtol"] = lengths.rtol
        with self._stream:
            self._places = self._upload()
        self._stream.synchronize()

    def _compiled(self, *shape: str) -> Any:
        every = c_type(self._dtype), *shape, flags_of(self._sums)
        return kernels("per_source/near.cu", ("sweep",), *every)["sweep"]

    def _search_groups(self, groups: Sequence[Batch]) -> None:
        self._cut(groups)
        super()._search_groups(groups)

    def _by_arc(self, shares: Any) -> Any:
        return shares[self._places]

    def _allocate(self, workers: int) -> dict[str, Any]:
        nodes = workers * self._graph.n
        sizes = sum_sizes(self._graph, self._sums, self._shares)
        return super()._allocate(workers) | {
            **{name: cupy.empty(workers * size) for name, size in sizes.items()},
            "tight": cupy.empty(nodes * slots(self._graph), np.uint64),
            "sigma": cupy.empty(nodes * NEAR_WIDTH, self._dtype),
            "weights": cupy.empty(nodes, self._dtype),
        }


def share_count(graph: Graph) -> int:
    """Shares of arcs that a worker has: those that rows have room for."""
    return slots(graph) * graph.n


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """One worker."""
    _, search = in_waves(graph)
    return fixed_bytes(graph, search, dtype, sums) + worker_bytes(graph, search, dtype, sums)


def fixed_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """Device memory that does not depend on the workers."""
    own = path_fixed_bytes(graph, dtype, sums, share_count(graph))
    return own + in_one_order.fixed_bytes(graph, search)


def worker_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """State of one worker, and its sums."""
    own = sum(sum_sizes(graph, sums, share_count(graph)).values())
    return 8 * own + in_one_order.worker_bytes(graph, search, dtype.itemsize)
