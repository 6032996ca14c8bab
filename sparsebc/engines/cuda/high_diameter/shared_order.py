"""Clustered sources, 64 to a block of threads: base of their launchers (`shared_order.cuh`)."""

import itertools
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from ....matrix.edge_weights import Lengths
from ....matrix.graph import Graph
from ...common.sums import Batch
from ..common.per_source import PerSource
from ..layout import MOST_PLACES, MOST_SLOTS, ORDER, WARP, has_small_balls
from ..runtime.kernels import multiprocessors
from ..sssp.sssp import UNREACHED, Search

# By edges most arcs per node: where more tie, nodes are looked at too often.
SPARSE = 4
# Nodes times batches of a worker in one launch: between two of them a run may be stopped. More
# where few nodes are met.
LAUNCH_NODES, BALL_LAUNCH_NODES = 1 << 22, 1 << 26
# Most bytes of a worker: a GPU of 140 GB has room for one to a multiprocessor, by length for one to
# four. The device at hand is not asked: the kernel fixes the bits.
MOST_BYTES_BY_EDGES, MOST_BYTES = 1 << 30, 4 << 30
assert MOST_BYTES // 8 <= MOST_PLACES  # of arcs, "tight" in `state`, are numbered in 32 bits
# Shared memory: counts of buckets, or bits of a window.
SHARED_BYTES = 4 * max(ORDER.BUCKETS, 2 * ORDER.WINDOW)


class SharedOrder(PerSource):
    """The batches of a block of threads, whose sources have nearly one order of nodes."""

    _shared = SHARED_BYTES

    def _upload(self) -> Any:
        """Arcs to the device; returns the place of each arc of A among those of either way."""
        graph, (lengths, search) = self._graph, in_waves(self._graph)
        self._constants |= search.constants()
        arrays = search.upload("out", graph.outgoing, lengths.outgoing, self._pointer)
        given, places = in_slots(graph, arrays["out_arcs"][:, 0], slots(graph))
        self._arrays |= {**arrays, "given": given}
        self._types = self._pointer, search.c_type, graph.symmetric
        self._rows = slots(graph), bool(graph.cutoffs)
        return places

    def _cut(self, batches: Sequence[Batch]) -> tuple[Any, ...]:
        """Batches of a block of threads each: all threads of a multiprocessor if they are few.

        Returns the template arguments that all kernels have.
        """
        ends = list(itertools.accumulate((batch.sources.size for batch in batches), initial=0))
        shares = (np.arange(*pair, ORDER.CLUSTERED_WIDTH) for pair in itertools.pairwise(ends))
        begins = np.concatenate([*shares, ends[-1:]]).astype(np.int32)
        self._arrays["begins"] = cupy.asarray(begins)
        self._constants["batches"] = begins.size - 1
        blocks = 1 if begins.size - 1 <= multiprocessors() else 2
        self._threads = ORDER.CLUSTERED_RESIDENT // blocks
        return *self._types, self._threads, *self._rows

    def _search(self, count: int) -> None:
        """Search from the batches, which workers share as others do sources."""
        super()._search(int(self._constants["batches"]))

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        """First and last of the batches of each worker's share, by launch."""
        nodes = BALL_LAUNCH_NODES if has_small_balls(self._graph) else LAUNCH_NODES
        share, size = -(-count // workers), max(1, nodes // self._graph.n)
        return [(begin, min(begin + size, share)) for begin in range(0, share, size)]


def takes(graph: Graph) -> bool:
    """Whether rows are short, and a device likely has room for enough workers.

    By length, whether no distance can be refused, and cutoffs are one at most; by edges, whether
    few paths tie, and there is none.
    """
    if not graph.arcs or len(graph.cutoffs) > (graph.lengths is not None):
        return False
    if graph.most_arcs > MOST_SLOTS or slots(graph) > MOST_SLOTS:
        return False
    if graph.lengths is None:
        few = graph.either_way.indices.size <= SPARSE * graph.n
        return few and _worker_bytes(graph) <= MOST_BYTES_BY_EDGES
    return graph.lengths.limit == np.inf and _worker_bytes(graph) <= MOST_BYTES


def _worker_bytes(graph: Graph) -> int:
    return sum(state(graph, np.dtype(np.float64).itemsize).values())


def in_waves(graph: Graph) -> tuple[Lengths, Search]:
    """Lengths of the arcs, and how a batch numbers its nodes by them."""
    lengths = graph.with_unit_lengths().lengths
    assert lengths is not None
    return lengths, Search.in_waves(graph, lengths)


def slots(graph: Graph) -> int:
    """Arcs that a row has room for: a power of two, at least eight."""
    return max(8, 1 << (int(graph.either_way.degrees.max()) - 1).bit_length())


def in_slots(graph: Graph, lengths: Any, size: int) -> tuple[Any, Any]:
    """Arcs of either way as `shared_order.cuh` has them, and the place of each arc of A among them.

    Of shape (n, size, words): lengths there, and back if the graph is not symmetric, then the head.
    ``lengths`` are those of the arcs of A, as bits.
    """
    ops, ways = graph.ops, graph.either_way
    tail, back = map(cupy.asarray, (ops.rows(ways), ops.counterparts(ways, ways)))
    indptr, head = map(cupy.asarray, (ways.indptr, ways.indices))
    place: Any = slice(None)
    if not graph.symmetric:
        place = ops.xp.searchsorted(ops.keys(ways), ops.keys(graph.outgoing))
        place = cupy.asarray(place)
    slot = cupy.arange(tail.size) - indptr[tail]
    none = np.uint32(UNREACHED) if lengths.itemsize == 4 else np.float64(np.inf).view(np.uint64)
    there = cupy.full(tail.size, none)
    there[place] = lengths
    both = (there,) if graph.symmetric else (there, there[back])
    given = cupy.zeros((graph.n, size, 2 * len(both)), there.dtype)
    given[:, :, len(both)] = ORDER.NO_ARC
    for word, values in enumerate((*both, head | slot[back] << ORDER.NUMBER_BITS)):
        given[tail, slot, word] = values
    return given, (tail * size + slot)[place]


def link_bytes(graph: Graph, search: Search) -> int:
    """Bytes of the arcs of either way that a row has room for: a length, or both, and the head."""
    return (1 if graph.symmetric else 2) * 2 * search.length_bytes * slots(graph)


def state(graph: Graph, real_bytes: int = 0) -> dict[str, int]:
    """Bytes of a worker: distances, arcs, numbers of nodes, and path counts of so many bytes."""
    n, (_, search) = graph.n, in_waves(graph)
    found = {
        **search.state(n),
        "arcs": n * link_bytes(graph, search),
        "distance": n * ORDER.CLUSTERED_WIDTH * search.length_bytes,
        "order": 4 * n,
        "place": 4 * n,
        "known": 8 * n,
        "bits": 2 * 4 * -(-n // WARP),
    }
    if real_bytes:
        found["tight"] = 8 * n * slots(graph)
        found["sigma"] = n * ORDER.CLUSTERED_WIDTH * real_bytes
        found["weights"] = n * real_bytes
    return found


def arc_bytes(graph: Graph) -> int:
    """Bytes of the arcs of the graph, one way and either way."""
    _, search = in_waves(graph)
    return search.graph_bytes(graph, both=False) + link_bytes(graph, search) * graph.n
