"""What `sssp.cuh` needs, for the kernels that count paths and for those that do not."""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.csr import CSR
from ....graph.edge_weights import Lengths
from ....graph.graph import Graph
from ..runtime import c_type, upload
from .layout import BALL_THREADS, BLOCKS, LISTS, RING, THREADS, UNREACHED
from .workspace import is_near

# Buckets that are narrower than the shortest length, as on the CPU, while a ring of them will do.
NARROW = 0.75
# Width of what is near over the mean length otherwise.
NEAR = 8
# Arcs times sources of a worker in one launch: between two of them a run may be stopped. More where
# few arcs are met, so that all workers are busy most of the time.
LAUNCH_ARCS, NEAR_LAUNCH_ARCS = 1 << 24, 1 << 26


class Search(NamedTuple):
    """How distances are found: a pure function of the graph."""

    small: bool  # lengths fit 32 bits
    buckets: int  # of a ring; 0 where only near and far are told apart
    width: float  # of a bucket
    threads: int  # of a block
    cutoffs: tuple[float, ...]  # none if distances are not bounded

    @property
    def length_bytes(self) -> int:
        """A length, or a distance."""
        return 4 if self.small else 8

    @property
    def c_type(self) -> str:
        """Lengths, as the kernels name their type."""
        return "unsigned" if self.small else "double"

    @classmethod
    def of(cls, graph: Graph, lengths: Lengths) -> Search:
        """Narrow buckets where they are few and no distance can be refused."""
        n, cutoffs = graph.n, graph.cutoffs
        if not lengths.outgoing.size:
            return cls(True, 0, 1.0, THREADS, cutoffs)
        longest, total = float(lengths.outgoing.max()), float(lengths.outgoing.sum())
        small = lengths.whole and total < UNREACHED
        narrow = NARROW * lengths.shortest
        threads = BALL_THREADS if is_near(graph) else THREADS
        needed = int(min(longest / narrow, RING)) + 3  # the last for what is rounded up
        if needed <= RING and n * longest <= min(lengths.safe_distance, lengths.limit):
            return cls(small, 1 << (needed - 1).bit_length(), narrow, threads, cutoffs)
        near = NEAR * total / lengths.outgoing.size
        width = min(np.ceil(near), UNREACHED / 4) if small else near
        return cls(small, 0, width, threads, cutoffs)

    def graph_bytes(self, graph: Graph, *, both: bool) -> int:
        """The arcs on the device, those of A' too for ``both``, and the sources."""
        patterns = 2 if both and not graph.symmetric else 1
        return patterns * (2 * self.length_bytes * graph.arcs + 8 * (graph.n + 1)) + 4 * graph.n

    def worker_bytes(self, graph: Graph, node_bytes: int) -> int:
        """What a worker needs to find distances."""
        return graph.n * (node_bytes + 4 + 4 * (self.buckets or LISTS))

    def allocate(self, workers: int, n: int, node_bytes: int) -> dict[str, Any]:
        """The same, for so many workers; nothing is pending in between."""
        return {
            "nodes": cupy.empty(workers * n * node_bytes, np.uint8),
            "pending": cupy.zeros(workers * n, np.uint32),
            "lists": cupy.empty(workers * n * (self.buckets or LISTS), np.int32),
        }

    def constants(self) -> dict[str, float]:
        """What the kernels are told of it."""
        return {"per_width": 1 / self.width, "width": self.width, "buckets": self.buckets}

    @property
    def within(self) -> str:
        """Template parameter: whether there are cutoffs."""
        return str(bool(self.cutoffs)).lower()

    @property
    def most_workers(self) -> int:
        """Blocks that the current device runs at once."""
        each = BLOCKS * THREADS // self.threads
        return each * int(cupy.cuda.Device().attributes["MultiProcessorCount"])

    def launches(self, arcs: int, workers: int, count: int) -> list[tuple[int, int]]:
        """Runs of sources that are not too long, of a multiple of the workers."""
        most = NEAR_LAUNCH_ARCS if self.threads == BALL_THREADS else LAUNCH_ARCS
        size = workers * max(1, most // max(arcs, 1))
        return [(begin, min(begin + size, count)) for begin in range(0, count, size)]

    def types(self, pointer: np.dtype[Any]) -> tuple[str, str]:
        """Template parameters: row pointers and lengths."""
        return c_type(pointer), self.c_type

    def upload(
        self, pattern: CSR, lengths: NDArray[np.float64], pointer: np.dtype[Any]
    ) -> tuple[Any, Any]:
        """Row pointers, and the arcs: a length and a node in two words of its size."""
        indptr, indices = upload(pattern, pointer)
        there = cupy.asarray(lengths)
        bits = there.astype(np.uint32) if self.small else there.view(np.uint64)
        return indptr, cupy.stack((bits, indices.astype(bits.dtype)), axis=1)
