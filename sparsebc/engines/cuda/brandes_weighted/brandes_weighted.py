"""Launches `brandes_weighted.cu`: paths by length, a block of threads to a source."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.edge_weights import TooFar, TooShort
from ....graph.graph import Graph
from ...base import Sweep
from ...sums import needs_g_and_h
from ..common.layout import BY_NODE
from ..common.per_source import Needs, PathSums, path_needs
from ..common.sums import flags_of
from ..runtime.copies import download
from ..runtime.kernels import allow_shared, c_type, kernels
from ..sssp.search import Search
from .layout import WEIGHTED

NO_FAULT = np.uint64(2**64 - 1)


class WeightedWorkspace(PathSums):
    """Sums of paths over the sources of a block."""

    _struct = WEIGHTED

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        lengths, sums = graph.lengths, sweep.sums
        assert lengths is not None
        search = self._search = Search.of(graph, lengths)
        self._coded = search.codes > 0 and sums & {*BY_NODE} == {"dependency"}
        self._threads, self._shared = search.threads, search.shared + search.codes * self._coded
        super().__init__(
            graph,
            sweep,
            memory,
            stop,
            shares=graph.arcs,
            workers=search.most_workers,
            needs=_needs(graph, search, sweep),
        )
        of_search = search.types(self._pointer)
        flags = flags_of(sums), *search.flags, str(self._coded).lower()
        types = c_type(sweep.dtype), *of_search, *flags
        self._kernel = kernels("brandes_weighted/brandes_weighted.cu", ("sweep",), *types)["sweep"]
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

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        return self._search.launches(self._graph.arcs, workers, count)

    def _check(self) -> None:
        fault = int(download(self._arrays["fault"])[0])  # device to host
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


def needs(graph: Graph, sweep: Sweep) -> Needs:
    """Device memory of a sweep."""
    assert graph.lengths is not None
    return _needs(graph, Search.of(graph, graph.lengths), sweep)


def _needs(graph: Graph, search: Search, sweep: Sweep) -> Needs:
    fixed, worker = path_needs(graph, sweep, graph.arcs)
    arcs = search.graph_bytes(graph, both=True)
    return Needs(arcs + fixed, search.worker_bytes(graph, sweep.dtype.itemsize) + worker)
