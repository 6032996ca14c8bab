"""Clustered sources, 64 to a block of threads: base of their launchers (`shared_order.cuh`)."""

import itertools
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.sums import Batch
from ..common.per_source import Workers
from ..layout import MOST_PLACES, MOST_SLOTS, ORDER, WARP, Plan, has_small_balls
from ..runtime.kernels import multiprocessors
from ..runtime.source import Struct
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


class SharedOrder(Workers):
    """The batches of a block of threads, whose sources have nearly one order of nodes."""

    shares = True

    def __init__(
        self, struct: Struct, graph: Graph, plan: Plan, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        super().__init__(struct, graph, plan, 2 * multiprocessors(), memory, stop)
        of_lengths, self._search = in_waves(graph)
        nodes = BALL_LAUNCH_NODES if has_small_balls(graph) else LAUNCH_NODES
        self._turns = nodes // graph.n
        self.values |= self._search.values(of_lengths, self.pointer, both=False)
        arcs = self.values["out_arcs"]
        # The places are those of the arcs of A among those of either way.
        self.values["given"], self.places = in_slots(graph, arcs[:, 0], slots(graph))

    def choose(self, name: str, *types: Any, last: Any) -> None:
        """A kernel, with template arguments before and after those that all kernels have."""
        graph, length = self.graph, self._search.c_type
        self._types = name, *types, self.pointer, length, graph.symmetric
        self._rest = slots(graph), bool(graph.cutoffs), last

    def take(self, batches: Sequence[Batch], **weights: NDArray[Any]) -> int:
        """Batches of a block of threads each: all threads of a multiprocessor if they are few."""
        super().take(batches, **weights)
        ends = list(itertools.accumulate((batch.sources.size for batch in batches), initial=0))
        shares = (np.arange(*pair, ORDER.CLUSTERED_WIDTH) for pair in itertools.pairwise(ends))
        begins = np.concatenate([*shares, ends[-1:]]).astype(np.int32)
        count = begins.size - 1
        self.values |= {"begins": cupy.asarray(begins), "batches": count}
        threads = ORDER.CLUSTERED_RESIDENT // (1 if count <= multiprocessors() else 2)
        self.compile(*self._types, threads, *self._rest, threads=threads, shared=SHARED_BYTES)
        return count


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
        fits, most = graph.either_way.indices.size <= SPARSE * graph.n, MOST_BYTES_BY_EDGES
    else:
        fits, most = graph.lengths.limit == np.inf, MOST_BYTES
    return fits and sum(state(graph, np.dtype(np.float64).itemsize).values()) <= most


def in_waves(graph: Graph) -> tuple[Graph, Search]:
    """The graph with lengths, and how a batch numbers its nodes by them."""
    there = graph.with_unit_lengths()
    assert there.lengths is not None
    return there, Search.in_waves(graph, there.lengths)


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
