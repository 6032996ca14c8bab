"""Launches `per_source/near.cu`: a block of threads to 64 near sources."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ...contract import Group
from ..runtime import allow_shared, c_type, flags_of, kernels
from .layout import (
    BUCKETS,
    MOST_SLOTS,
    NEAR,
    NEAR_BLOCKS,
    NEAR_THREADS,
    NEAR_WIDTH,
    NO_ARC,
    NUMBER_BITS,
    WARP,
    WINDOW,
)
from .sssp import Search
from .workspace import PathSums, is_near, path_fixed_bytes, sum_sizes

# Sources of a group. Within a cutoff so many that are next to each other in the order of the nodes,
# of which a block takes 64 after 64: the host has few groups to make.
WIDTH, WITHIN = NEAR_WIDTH, 1 << 10
# What the kernel may sum.
SUMS = frozenset({"dependency", "arcs"})
# By edges most arcs per node: where more tie, nodes are looked at too often.
SPARSE = 4
# Nodes times groups of a worker in one launch: between two of them a run may be stopped. More where
# few nodes are met.
LAUNCH_NODES, NEAR_LAUNCH_NODES = 1 << 22, 1 << 26
# Workers to a multiprocessor that a device must have room for: with fewer, sources that are alone
# take less time, and little memory.
ROOM, ROOM_BY_EDGES = 1 / 4, 1
# Shared memory: counts of buckets, or bits of a window.
SHARED_BYTES = 4 * max(BUCKETS, 2 * WINDOW)


class NearWorkspace(PathSums):
    """Sums of paths over the groups of a block, whose sources have nearly one order of nodes."""

    _struct = NEAR
    _threads, _shared = NEAR_THREADS, SHARED_BYTES

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
        self._slots = slots(graph)
        super().__init__(
            graph,
            omega,
            dtype,
            sums,
            shares=share_count(graph),
            workers=NEAR_BLOCKS * int(cupy.cuda.Device().attributes["MultiProcessorCount"]),
            memory=memory - fixed_bytes(graph, search, dtype, sums),
            worker_bytes=worker_bytes(graph, search, dtype, sums),
            stop=stop,
        )
        types = c_type(dtype), *search.types(self._pointer)
        shape = str(self._slots), search.flags[0], flags_of(sums)
        self._kernel = kernels("per_source/near.cu", ("sweep",), *types, *shape)["sweep"]
        allow_shared(self._kernel, self._shared)
        self._constants |= {**search.constants(), "rtol": lengths.rtol}
        with self._stream:
            indptr, arcs, inline = search.upload(graph.outgoing, lengths.outgoing, self._pointer)
            self._arrays |= {
                "out_indptr": indptr,
                "out_arcs": arcs,
                "out_inline": inline,
                "given": in_slots(indptr, arcs, self._slots),
            }
            if "arcs" in sums:
                tail, slot = rows_and_slots(indptr, graph.arcs)
                self._places = tail * self._slots + slot
        self._stream.synchronize()

    def _search_groups(self, groups: Sequence[Group]) -> None:
        ends = list(itertools.accumulate((group.sources.size for group in groups), initial=0))
        shares = (np.arange(*pair, WIDTH) for pair in itertools.pairwise(ends))
        begins = np.concatenate([*shares, ends[-1:]]).astype(np.int32)
        self._arrays["begins"] = cupy.asarray(begins)
        self._constants["groups"] = begins.size - 1
        super()._search_groups(groups)

    def _search_from(self, count: int) -> None:
        super()._search_from(int(self._constants["groups"]))

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        """Runs of the groups of each worker."""
        nodes = NEAR_LAUNCH_NODES if is_near(self._graph) else LAUNCH_NODES
        share, size = -(-count // workers), max(1, nodes // self._graph.n)
        return [(begin, min(begin + size, share)) for begin in range(0, share, size)]

    def _by_arc(self, shares: Any) -> Any:
        return shares[self._places]

    def _allocate(self, workers: int) -> dict[str, Any]:
        nodes = workers * self._graph.n
        arcs, rows = nodes * self._slots, nodes * NEAR_WIDTH
        search = self._search
        sizes = sum_sizes(self._graph, self._sums, self._shares)
        return {
            **{name: cupy.empty(workers * size) for name, size in sizes.items()},
            **search.allocate(workers, self._graph.n, 4),
            "arcs": cupy.empty(arcs * search.arc_bytes, np.uint8),
            "tight": cupy.empty(arcs, np.uint64),
            "known": cupy.empty(nodes, np.uint64),
            "distance": cupy.empty(rows * search.length_bytes, np.uint8),
            "sigma": cupy.empty(rows, self._dtype),
            "bits": cupy.empty(workers * 2 * words(self._graph.n), np.uint32),
            "weights": cupy.empty(nodes, self._dtype),
            "order": cupy.empty(nodes, np.int32),
            "place": cupy.empty(nodes, np.int32),
        }


def takes(graph: Graph) -> bool:
    """Whether rows are short, and a device has room for enough workers.

    By length, whether no edge can be refused, and cutoffs are one at most; by edges, whether few
    paths tie, and there is none.
    """
    if not graph.symmetric or not graph.arcs or len(graph.cutoffs) > (graph.lengths is not None):
        return False
    if int(graph.outgoing.degrees.max()) > MOST_SLOTS:
        return False
    if graph.lengths is None:
        return graph.arcs <= SPARSE * graph.n and _has_room(graph, ROOM_BY_EDGES)
    return graph.lengths.safe and _has_room(graph, ROOM)


def _has_room(graph: Graph, share: float) -> bool:
    """Whether the current device can hold so many workers to a multiprocessor."""
    there: int = cupy.cuda.runtime.memGetInfo()[1]
    each = worker_bytes(graph, in_waves(graph)[1], np.dtype(np.float64), frozenset())
    workers = share * int(cupy.cuda.Device().attributes["MultiProcessorCount"])
    return workers * each <= there


def in_waves(graph: Graph) -> tuple[Lengths, Search]:
    """Lengths of the arcs, and how a group numbers its nodes by them."""
    lengths = graph.with_unit_lengths().lengths
    assert lengths is not None
    return lengths, Search.in_waves(graph, lengths)


def slots(graph: Graph) -> int:
    """Arcs that a row has room for: a power of two, at least eight."""
    return max(8, 1 << (int(graph.outgoing.degrees.max()) - 1).bit_length())


def words(n: int) -> int:
    """Of a bit for each number."""
    return -(-n // WARP)


def share_count(graph: Graph) -> int:
    """Shares of arcs that a worker has: those that rows have room for."""
    return slots(graph) * graph.n


def rows_and_slots(indptr: Any, arcs: int) -> tuple[Any, Any]:
    """Of each arc the row, and the place in it."""
    arc = cupy.arange(arcs)
    tail = cupy.searchsorted(indptr, arc, side="right") - 1
    return tail, arc - indptr[tail]


def in_slots(indptr: Any, arcs: Any, size: int) -> Any:
    """Arcs of a symmetric graph as near.cu has them, shape (n, size, 2)."""
    n = indptr.size - 1
    tail, slot = rows_and_slots(indptr, len(arcs))
    length, head = arcs[:, 0], arcs[:, 1].astype(np.int64)
    back = cupy.empty_like(slot)
    back[cupy.argsort(head * n + tail)] = slot[cupy.argsort(tail * n + head)]
    there = cupy.zeros((n, size, 2), arcs.dtype)
    there[:, :, 1] = NO_ARC
    there[tail, slot, 0] = length
    there[tail, slot, 1] = head | back << NUMBER_BITS
    return there


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """One worker."""
    _, search = in_waves(graph)
    return fixed_bytes(graph, search, dtype, sums) + worker_bytes(graph, search, dtype, sums)


def fixed_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """Device memory that does not depend on the workers."""
    arcs = search.graph_bytes(graph, both=False) + search.arc_bytes * slots(graph) * graph.n
    return arcs + path_fixed_bytes(graph, dtype, sums, share_count(graph))


def worker_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """State of one worker: rows of distances and path counts, arcs, and what nodes have."""
    rows = NEAR_WIDTH * (search.length_bytes + dtype.itemsize)
    node = rows + (search.arc_bytes + 8) * slots(graph) + dtype.itemsize + 8 + 2 * 4
    own = sum(sum_sizes(graph, sums, share_count(graph)).values())
    return search.worker_bytes(graph, 4) + node * graph.n + 8 * words(graph.n) + 8 * own
