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
from ..runtime.kernels import multiprocessors

# Threads of a block, which is a worker: waves have few nodes, but more workers than these would
# fill the cache. And where a source meets few nodes.
THREADS, WAVE_THREADS, BALL_THREADS = 512, 256, 128
RING, UNREACHED = SEARCH.RING, SEARCH.UNREACHED
# Buckets that are narrower than the shortest length, as on the CPU, while a ring of them will do.
NARROW = 0.75
# Width of what is near over the mean length otherwise.
NEAR = 8
# Types of lengths and distances, as the kernels name them.
UNSIGNED, DOUBLE = "unsigned", "double"


class Search(NamedTuple):
    """How distances are found: a pure function of the graph."""

    c_type: str  # of lengths and distances, as the kernels name it
    buckets: int  # of a ring; 0 where only near and far are told apart
    width: float  # of a bucket
    threads: int  # of a block
    cutoffs: tuple[float, ...]  # none if distances are not bounded

    @property
    def length_bytes(self) -> int:
        """Bytes of a distance, and of the node at the end of an arc."""
        return 8 if self.c_type == DOUBLE else 4

    @classmethod
    def of(cls, graph: Graph) -> Search:
        """Narrow buckets where they are few and no distance can be refused."""
        cutoffs, lengths = graph.cutoffs, graph.lengths
        assert lengths is not None
        if not lengths.outgoing.size:
            return cls(UNSIGNED, 0, 1.0, THREADS, cutoffs)
        longest = float(lengths.outgoing.max())
        small = lengths.whole and lengths.reach < UNREACHED
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

    def graph_bytes(self, graph: Graph, *, both: bool) -> int:
        """The arcs on the device, those of A' too for ``both``, and the sources."""
        patterns = 2 if both and not graph.symmetric else 1
        arcs = graph.arcs + SEARCH.SHORT * graph.n * self.waves
        return patterns * (2 * self.length_bytes * arcs + 8 * (graph.n + 1)) + 4 * graph.n

    def state(self, n: int, real_bytes: int = 0) -> dict[str, int]:
        """Bytes of the arrays that a worker needs to find distances, beside numbers of nodes."""
        node = self.length_bytes * (1 + self.waves) + real_bytes
        if real_bytes:
            node = max(8, 1 << (node - 1).bit_length())
        return {"nodes": n * node, "lists": 4 * n * (self.buckets or SEARCH.LISTS)}

    @property
    def most_workers(self) -> int:
        """Blocks that the current device runs at once."""
        return SEARCH.RESIDENT // self.threads * multiprocessors()

    def values(self, graph: Graph, pointer: np.dtype[Any], *, both: bool) -> dict[str, Any]:
        """Numbers, and arcs out of each node, into it too for ``both``, as kernels are told."""
        lengths = graph.lengths
        assert lengths is not None
        found: dict[str, Any] = {"width": self.width, "per_width": 1 / self.width}
        found["buckets"] = self.buckets
        there = self._arcs(graph.outgoing, lengths.outgoing, pointer)
        found |= {f"out_{name}": array for name, array in there.items()}
        if both and not graph.symmetric:
            there = self._arcs(graph.incoming, lengths.incoming, pointer)
        return found | {f"in_{name}": array for name, array in there.items() if both}

    def _arcs(
        self, pattern: CSR, lengths: NDArray[np.float64], pointer: np.dtype[Any]
    ) -> dict[str, Any]:
        """Row pointers, arcs, and for waves those of short rows, shape (n, SEARCH.SHORT, 2).

        An arc is a length and a node in two words of its size.
        """
        indptr = cupy.asarray(pattern.indptr.astype(pointer))
        indices, there = upload(pattern.indices), cupy.asarray(lengths)
        bits = there.astype(np.uint32) if self.length_bytes == 4 else there.view(np.uint64)
        arcs = cupy.stack((bits, indices.astype(bits.dtype)), axis=1)
        if not self.waves:
            return {"indptr": indptr, "arcs": arcs, "inline": None}
        low, high = indptr[:-1], indptr[1:]
        none, long_row = np.array([-1, LONG_ROW]).astype(arcs.dtype)
        inline = cupy.full((low.size, SEARCH.SHORT, 2), none)
        for j in range(SEARCH.SHORT if len(arcs) else 0):
            at = cupy.minimum(low + j, len(arcs) - 1)
            inline[:, j] = cupy.where((low + j < high)[:, None], arcs[at], none)
        is_long = high - low > SEARCH.SHORT
        inline[is_long] = none
        inline[is_long, 0, 1] = long_row
        return {"indptr": indptr, "arcs": arcs, "inline": inline}
