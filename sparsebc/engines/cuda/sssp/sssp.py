"""What `sssp.cuh` needs, for the kernels that count paths and for those that do not."""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR
from ....matrix.edge_weights import Lengths
from ....matrix.graph import Graph
from ..layout import LONG_ROW, SEARCH, WORD, has_small_balls
from ..runtime.copies import upload
from ..runtime.kernels import multiprocessors, shared_bytes

# Threads of a block, which is a worker: waves have few nodes, but more workers than these would
# fill the cache. And where a source meets few nodes.
THREADS, WAVE_THREADS, BALL_THREADS = 512, 256, 128
RING, TICKS, UNREACHED = SEARCH.RING, SEARCH.TICKS, SEARCH.UNREACHED
# Buckets that are narrower than the shortest length, as on the CPU, while a ring of them will do.
NARROW = 0.75
# Width of what is near over the mean length otherwise.
NEAR = 8
# Path counts are on the chip where at most one arc of so many is in a row that a warp shares.
FEW_LONG = 8
# Static shared memory of a block, and what the device keeps for itself.
STATIC_BYTES = 2048
# Types of lengths and distances, as the kernels name them.
CLOCK, UNSIGNED, DOUBLE = "Clock", "unsigned", "double"


class Search(NamedTuple):
    """How distances are found: a pure function of the graph."""

    c_type: str  # of lengths and distances, as the kernels name it
    buckets: int  # of a ring; 0 where only near and far are told apart
    width: float  # of a bucket
    threads: int  # of a block
    cutoffs: tuple[float, ...]  # none if distances are not bounded
    shared: int = 0  # bytes of distances on the chip
    codes: int = 0  # and of small path counts, if they have room there and rows are short

    @property
    def whole(self) -> bool:
        """Whether distances are integers that `c_type` holds."""
        return self.c_type != DOUBLE

    @property
    def length_bytes(self) -> int:
        """Bytes of a distance outside the chip."""
        return {CLOCK: 0, UNSIGNED: 4, DOUBLE: 8}[self.c_type]

    @property
    def arc_bytes(self) -> int:
        """An arc: its length and the node at its end."""
        return 2 * self.length_bytes or 4

    @classmethod
    def of(cls, graph: Graph, *, on_chip: bool = True) -> Search:
        """Narrow buckets where they are few and no distance can be refused."""
        n, cutoffs, lengths = graph.n, graph.cutoffs, graph.lengths
        assert lengths is not None
        if not lengths.outgoing.size:
            return cls(UNSIGNED, 0, 1.0, THREADS, cutoffs)
        longest = float(lengths.outgoing.max())
        small = lengths.whole and lengths.reach < UNREACHED
        clocks, codes = -(-n // 4) * 4, -(-n // 8) * 4
        threads = _threads_on_chip(clocks) if on_chip and small and graph.symmetric else 0
        if threads and not cutoffs and longest < min(RING, TICKS / 4):
            codes *= _threads_on_chip(clocks + codes) == threads and _has_short_rows(graph)
            ring = 1 << int(longest).bit_length()
            return cls(CLOCK, ring, 1.0, threads, cutoffs, clocks, codes)
        narrow = NARROW * lengths.shortest
        needed = int(min(longest / narrow, RING)) + 3  # the last for what is rounded up
        if needed <= RING and lengths.limit == np.inf:
            kind = UNSIGNED if small else DOUBLE
            threads = BALL_THREADS if has_small_balls(graph) else THREADS
            return cls(kind, 1 << (needed - 1).bit_length(), narrow, threads, cutoffs)
        return cls.in_waves(graph, lengths)

    @classmethod
    def in_waves(cls, graph: Graph, lengths: Lengths) -> Search:
        """Only near and far are told apart."""
        small = lengths.whole and lengths.reach < UNREACHED
        # A node has room for so many tails.
        few = int(graph.incoming.degrees.max()) < 1 << WORD - 2 * SEARCH.SHORT
        width = NEAR * float(lengths.outgoing.sum()) / lengths.outgoing.size
        width = min(np.ceil(width), UNREACHED / 4) if small else width
        threads = BALL_THREADS if has_small_balls(graph) else WAVE_THREADS
        return cls(UNSIGNED if small and few else DOUBLE, 0, width, threads, graph.cutoffs)

    @property
    def waves(self) -> bool:
        """Whether only near and far are told apart."""
        return not self.buckets

    def node_bytes(self, real_bytes: int = 0) -> int:
        """What a search keeps of a node, beside a number of so many bytes."""
        if self.shared:
            return 2 * real_bytes
        size = self.length_bytes * (1 + self.waves) + real_bytes
        return max(8, 1 << (size - 1).bit_length()) if real_bytes else size

    def graph_bytes(self, graph: Graph, *, both: bool) -> int:
        """The arcs on the device, those of A' too for ``both``, and the sources."""
        patterns = 2 if both and not graph.symmetric else 1
        arcs = graph.arcs + SEARCH.SHORT * graph.n * self.waves
        return patterns * (self.arc_bytes * arcs + 8 * (graph.n + 1)) + 4 * graph.n

    def state(self, n: int, real_bytes: int = 0) -> dict[str, int]:
        """Bytes of the arrays that a worker needs to find distances."""
        return {
            "nodes": n * self.node_bytes(real_bytes),
            "lists": 4 * n * (self.buckets or SEARCH.LISTS),
        }

    def constants(self) -> dict[str, float]:
        """What the kernels are told of it."""
        return {"per_width": 1 / self.width, "width": self.width, "buckets": self.buckets}

    @property
    def flags(self) -> tuple[bool, bool]:
        """Template arguments: whether there are cutoffs, and whether distances come in waves."""
        return bool(self.cutoffs), self.waves

    @property
    def most_workers(self) -> int:
        """Blocks that the current device runs at once."""
        return SEARCH.RESIDENT // self.threads * multiprocessors()

    def upload_both(self, graph: Graph, pointer: np.dtype[Any]) -> dict[str, Any]:
        """What `upload` has of the arcs out of each node and into it."""
        lengths = graph.lengths
        assert lengths is not None
        out = self.upload("out", graph.outgoing, lengths.outgoing, pointer)
        if graph.symmetric:
            return out | {name.replace("out", "in"): array for name, array in out.items()}
        return out | self.upload("in", graph.incoming, lengths.incoming, pointer)

    def upload(
        self, way: str, pattern: CSR, lengths: NDArray[np.float64], pointer: np.dtype[Any]
    ) -> dict[str, Any]:
        """Row pointers of the arcs "out" or "in", the arcs, and those of short rows for waves.

        An arc is a length and a node in two words of its size, or in one.
        """
        indptr = cupy.asarray(pattern.indptr.astype(pointer))
        indices = upload(pattern.indices)
        there = cupy.asarray(lengths)
        bits = there.astype(np.uint32) if self.whole else there.view(np.uint64)
        if self.c_type == CLOCK:
            arcs, inline = bits << SEARCH.NODE_BITS | indices.astype(np.uint32), None
        else:
            arcs = cupy.stack((bits, indices.astype(bits.dtype)), axis=1)
            inline = _inline(indptr, arcs) if self.waves else None
        return {f"{way}_indptr": indptr, f"{way}_arcs": arcs, f"{way}_inline": inline}


def _inline(indptr: Any, arcs: Any) -> Any:
    """Arcs of short rows, shape (n, SEARCH.SHORT, 2)."""
    low, high = indptr[:-1], indptr[1:]
    none, long_row = np.array([-1, LONG_ROW]).astype(arcs.dtype)
    inline = cupy.full((low.size, SEARCH.SHORT, 2), none)
    for j in range(SEARCH.SHORT if len(arcs) else 0):
        at = cupy.minimum(low + j, len(arcs) - 1)
        inline[:, j] = cupy.where((low + j < high)[:, None], arcs[at], none)
    is_long = high - low > SEARCH.SHORT
    inline[is_long] = none
    inline[is_long, 0, 1] = long_row
    return inline


def _has_short_rows(graph: Graph) -> bool:
    """Whether few arcs are in rows that a warp shares."""
    degrees = graph.outgoing.degrees
    return FEW_LONG * int(degrees[degrees > SEARCH.WARP_DEGREE].sum()) <= graph.arcs


def _threads_on_chip(size: int) -> int:
    """Threads of a block that has so many bytes on the chip; 0 where there is no room."""
    for threads in (SEARCH.RESIDENT // 2, SEARCH.RESIDENT):
        if size + STATIC_BYTES <= shared_bytes(threads / SEARCH.RESIDENT):
            return threads
    return 0
