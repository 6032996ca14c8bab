"""Launches `per_source/weighted.cu`: paths by length, a block of threads to a source."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.edge_weights import Lengths, TooFar, TooShort
from ....graph.graph import Graph
from ...sums import needs_g_and_h
from ..runtime import BY_NODE, allow_shared, c_type, fetch, flags_of, kernels
from .layout import WEIGHTED
from .sssp import Search
from .workspace import PathSums, path_fixed_bytes, path_worker_bytes

# Sources of a group, no more than the batch of a host that counts them beyond floats has columns.
WIDTH = 64
NO_FAULT = np.uint64(2**64 - 1)


class WeightedWorkspace(PathSums):
    """Sums of paths over the sources of a block."""

    _struct = WEIGHTED

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        search = self._search = Search.of(graph, lengths)
        self._coded = search.codes > 0 and sums & {*BY_NODE} == {"dependency"}
        self._threads, self._shared = search.threads, search.shared + search.codes * self._coded
        super().__init__(
            graph,
            omega,
            dtype,
            sums,
            shares=graph.arcs,
            workers=search.most_workers,
            memory=memory - fixed_bytes(graph, search, dtype, sums),
            worker_bytes=worker_bytes(graph, search, dtype, sums),
            stop=stop,
        )
        self._kernel = self._compiled()
        allow_shared(self._kernel, self._shared)
        safe = min(lengths.safe_distance, lengths.limit)
        self._constants |= {
            **search.constants(),
            "rtol": lengths.rtol,
            "farthest": np.inf if search.whole else lengths.limit,
            "safe_distance": np.inf if search.whole else safe,
            "arcs": graph.arcs,
        }
        with self._stream:
            outgoing = search.upload(graph.outgoing, lengths.outgoing, self._pointer)
            incoming = (
                outgoing
                if graph.symmetric
                else search.upload(graph.incoming, lengths.incoming, self._pointer)
            )
            self._arrays |= {
                **dict(zip(("out_indptr", "out_arcs", "out_inline"), outgoing, strict=True)),
                **dict(zip(("in_indptr", "in_arcs", "in_inline"), incoming, strict=True)),
                "fault": cupy.full(1, NO_FAULT),
                "too_far": cupy.zeros(1, np.uint64),
            }
        self._stream.synchronize()

    def _compiled(self) -> Any:
        """The kernel."""
        of_search = self._search.types(self._pointer)
        flags = *self._search.flags, str(self._coded).lower()
        types = c_type(self._dtype), *of_search, flags_of(self._sums), *flags
        return kernels("per_source/weighted.cu", ("sweep",), *types)["sweep"]

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        return self._search.launches(self._graph.arcs, workers, count)

    def _check(self) -> None:
        fault = int(fetch(self._arrays["fault"])[0])  # device to host
        if self._arrays["too_far"].get()[0]:  # device to host
            raise TooFar
        if fault != NO_FAULT:
            raise TooShort(fault >> 32, fault & 0xFFFFFFFF)

    def _allocate(self, workers: int) -> dict[str, Any]:
        n = self._graph.n
        return {
            **super()._allocate(workers),
            **self._search.allocate(workers, n, self._dtype.itemsize),
            "h": cupy.empty(workers * n * needs_g_and_h(self._sums), self._dtype),
        }


def workspace_bytes(
    graph: Graph, lengths: Lengths, dtype: np.dtype[Any], sums: frozenset[str]
) -> int:
    """One worker."""
    search = Search.of(graph, lengths)
    return fixed_bytes(graph, search, dtype, sums) + worker_bytes(graph, search, dtype, sums)


def fixed_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """Device memory that does not depend on the workers."""
    arcs = search.graph_bytes(graph, both=True)
    return arcs + path_fixed_bytes(graph, dtype, sums, graph.arcs)


def worker_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """State of one worker."""
    distances = search.worker_bytes(graph, dtype.itemsize)
    return distances + path_worker_bytes(graph, dtype, sums, graph.arcs)
