"""Launches `per_source/near.cu`: paths by length, a block of threads to 32 near sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ...contract import Group
from ..runtime import allow_shared, c_type, kernels
from .layout import BUCKETS, MOST_SLOTS, NEAR, NEAR_BLOCKS, NEAR_THREADS, NUMBER_BITS, WARP
from .sssp import UNSIGNED, Search
from .workspace import PathSums, path_fixed_bytes

# Groups of a worker in one launch: between two of them a run may be stopped.
LAUNCH_GROUPS = 16
# Most words of bits that are kept on the chip.
MOST_NODES = 1 << 20


class NearWorkspace(PathSums):
    """Sums of paths over the groups of a block."""

    _struct = NEAR

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
        search = self._search = Search.of(graph, lengths)._replace(threads=NEAR_THREADS)
        self._threads, self._slots = NEAR_THREADS, slots(graph)
        self._shared = 4 * max(BUCKETS, 2 * -(-graph.n // WARP) + 4 * WARP)
        multiprocessors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        super().__init__(
            graph,
            omega,
            dtype,
            sums,
            shares=0,
            workers=NEAR_BLOCKS * multiprocessors,
            memory=memory - fixed_bytes(graph, search, dtype, sums),
            worker_bytes=worker_bytes(graph, search, dtype),
            stop=stop,
        )
        types = c_type(dtype), c_type(self._pointer), str(self._slots)
        self._kernel = kernels("per_source/near.cu", ("near",), *types)["near"]
        allow_shared(self._kernel, self._shared)
        self._constants |= search.constants()
        with self._stream:
            outgoing = search.upload(graph.outgoing, lengths.outgoing, self._pointer)
            self._arrays |= dict(zip(("out_indptr", "out_arcs", "out_inline"), outgoing, strict=True))
            self._arrays["given"] = in_slots(*outgoing[:2], self._slots)
        self._stream.synchronize()

    def _search_groups(self, groups: Sequence[Group]) -> None:
        begins = np.cumsum([0, *(group.sources.size for group in groups)], dtype=np.int32)
        self._arrays["begins"] = cupy.asarray(begins)
        self._constants["groups"] = len(groups)
        super()._search_groups(groups)

    def _search_from(self, count: int) -> None:
        super()._search_from(int(self._constants["groups"]))

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        share = -(-count // workers)
        return [(k, min(k + LAUNCH_GROUPS, share)) for k in range(0, share, LAUNCH_GROUPS)]

    def _allocate(self, workers: int) -> dict[str, Any]:
        n = self._graph.n
        rows = workers * n * WARP
        return {
            "sums": cupy.empty(workers * n),
            **self._search.allocate(workers, n, 4),
            "arcs": cupy.empty(workers * n * self._slots, np.uint64),
            "tight": cupy.empty(workers * n * self._slots, np.uint32),
            "known": cupy.empty(workers * n, np.uint32),
            "distance": cupy.empty(rows, np.uint32),
            "sigma": cupy.empty(rows, self._dtype),
            "g": cupy.empty(rows, self._dtype),
            "order": cupy.empty(workers * n, np.int32),
            "place": cupy.empty(workers * n, np.int32),
        }


def slots(graph: Graph) -> int:
    """Arcs that a row has room for: a power of two, at least eight."""
    return max(8, 1 << (int(graph.outgoing.degrees.max()) - 1).bit_length())


def in_slots(indptr: Any, arcs: Any, size: int) -> Any:
    """Arcs of a symmetric graph, shape (n, size): the head with the slot of the reverse, length."""
    n = indptr.size - 1
    tail = cupy.searchsorted(indptr, cupy.arange(len(arcs)), side="right") - 1
    length, head = arcs[:, 0], arcs[:, 1].astype(np.int64)
    slot = cupy.arange(len(arcs)) - indptr[tail]
    back = cupy.empty_like(slot)
    back[cupy.argsort(head * n + tail)] = slot[cupy.argsort(tail * n + head)]
    there = cupy.full((n, size, 2), -1).astype(np.uint32)
    there[tail, slot, 0] = (head | back << NUMBER_BITS).astype(np.uint32)
    there[tail, slot, 1] = length
    return there


def fixed_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """Device memory that does not depend on the workers."""
    arcs = search.graph_bytes(graph, both=False) + 8 * slots(graph) * graph.n
    return arcs + path_fixed_bytes(graph, dtype, sums, 0)


def worker_bytes(graph: Graph, search: Search, dtype: np.dtype[Any]) -> int:
    """State of one worker."""
    row = 8 + 12 * slots(graph) + 4 + WARP * (4 + 2 * dtype.itemsize) + 8
    return search.worker_bytes(graph, 4) + row * graph.n


def takes(graph: Graph, lengths: Lengths) -> bool:
    """Whether distances are whole, rows short and bits of all nodes on the chip."""
    search = Search.of(graph, lengths)
    return (
        search.c_type == UNSIGNED
        and search.waves
        and not graph.cutoffs
        and graph.symmetric
        and graph.n <= MOST_NODES
        and int(graph.outgoing.degrees.max()) <= MOST_SLOTS
    )
