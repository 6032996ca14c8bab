"""Launches `shortest_paths.cu`: shortest paths along lengths on a GPU, by the Near-Far method."""

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR
from ...common.base import Sweep
from ..common.results import NO_PREDECESSOR, deliver
from ..layout import ROWS, WORD, Plan
from ..prepare.graph_ops import CUDAOps
from ..runtime.allocation import InFlight
from ..runtime.copies import clear, download, upload
from ..runtime.kernels import kernels, multiprocessors
from .layout import CHUNK, ITEM_THREADS, RELAXATION, STEP

# Of a node and source: predecessors before the last step, and a row in the order of the results.
TYPES = {
    "distance": np.float64,
    "before": np.int32,
    "had": np.int32,
    "result": np.float64,
    "waiting": np.uint32,
}
RESIDENT = 4  # blocks on a multiprocessor
# Steps launched between looks at whether distances have settled: a multiple of three.
LOOK = 48
# Mean lengths from the nearest distance that waits to the bound of those relaxed with it.
STRIDE = 16
# Words of sources that are searched together at most.
MOST_WORDS = 32
INFINITE = np.uint64(0x7FF0000000000000)
NONE = np.int32(0x7FFFFFFF)

PREDECESSOR = cupy.ElementwiseKernel(
    "int32 found, int32 nobody, int32 none",
    "int32 before",
    "before = found == nobody ? none : found",
    "predecessor_of_found",
)
# Whether some node has a distance, and no neighbour that makes it up.
IS_ORPHAN = cupy.ReductionKernel(
    "int32 before, float64 distance",
    "bool found",
    f"before == {NONE} && distance > 0 && isfinite(distance)",
    "a || b",
    "found = a",
    "false",
    "is_orphan",
)


class ShortestPaths:
    """The graph with its lengths on the device, and the state of some sources."""

    def __init__(self, matrix: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        self._stop, self._n = stop, matrix.shape[0]
        self._blocks = RESIDENT * multiprocessors()
        self._arrays = _upload(matrix, sweep.directed)
        self._items, lengths = self._arrays["item_row"].size, self._arrays["lengths"]
        self._stride = STRIDE * float(lengths.mean()) if self._items else 1.0
        steps = np.zeros(LOOK + 1, STEP.dtype)
        steps["far"] = INFINITE
        steps["bound"][0], steps["near"][0] = self._stride, True
        self._first_steps = cupy.asarray(steps.view(np.uint64).reshape(LOOK + 1, -1))
        self._kernels = kernels("sssp/shortest_paths.cu", ("relax", "predecessors"))
        self._plan = Plan(edge_bytes(self._n, lengths.size) + (1 << 16), state(self._n))
        self._most = self._plan.slots(memory, MOST_WORDS)
        self._words = InFlight(self._plan.sizes, f"{WORD} sources", self._n)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with the distances and predecessors from ``sources[i]``."""
        for words in self._words.turns(-(-sources.size // WORD), self._most, self._stop):
            rows = slice(WORD * words.start, WORD * words.stop)
            self._fill(sources[rows], distances[rows], predecessors[rows])

    def _fill(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        words = -(-sources.size // WORD)
        sizes = self._plan.sizes(words)
        arrays = {
            name: self._words.arrays[name][: sizes[name]].view(dtype)
            for name, dtype in TYPES.items()
        }
        state = self._state(sources, words, arrays)
        self._sssp(state)
        self._predecessors(state, arrays)
        for name, out in (("distance", distances), ("before", predecessors)):
            by_source = arrays[name].reshape(self._n, -1)[:, : sources.size].T
            there = arrays["result"].view(ROWS[name])[: by_source.size].reshape(by_source.shape)
            if name == "before":
                PREDECESSOR(by_source, NONE, NO_PREDECESSOR, there)
            else:
                there[:] = by_source
            deliver(there, out)

    def _state(
        self, sources: NDArray[np.int32], words: int, arrays: dict[str, Any]
    ) -> NDArray[Any]:
        """What the kernels get: each source at distance 0 of itself, and waiting."""
        columns = np.arange(sources.size)
        arrays["distance"].fill(np.inf)
        arrays["distance"][cupy.asarray(sources.astype(np.int64) * words * WORD + columns)] = 0
        places, place = np.unique(
            sources.astype(np.int64) * words + columns // WORD, return_inverse=True
        )
        bits = np.zeros(places.size, np.uint32)
        np.bitwise_or.at(bits, place, np.uint32(1) << (columns % WORD).astype(np.uint32))
        clear(arrays["waiting"])
        waiting = [*arrays["waiting"].reshape(3, -1)]
        waiting[1][cupy.asarray(places)] = cupy.asarray(bits)
        self._arrays["steps"] = self._first_steps.copy()
        return RELAXATION.pack(
            {
                **self._arrays,
                "distance": arrays["distance"],
                "waiting": waiting,
                "stride": self._stride,
                "items": self._items,
                "words": words,
            }
        )

    def _sssp(self, state: NDArray[Any]) -> None:
        """Relax edges until no node waits."""
        steps = self._arrays["steps"]
        while self._items and not self._stop[0]:
            for i in range(1, LOOK + 1):
                self._launch("relax", state, np.int32(i))
            last = download(steps[LOOK]).view(STEP.dtype)[0]  # device to host
            if not last["near"] and last["far"] == INFINITE:
                return
            steps[0] = steps[LOOK]
            steps[1:] = self._first_steps[1:]

    def _predecessors(self, state: NDArray[Any], arrays: dict[str, Any]) -> None:
        """Predecessor of each node, the smallest there is."""
        distance, before, had = (arrays[name] for name in ("distance", "before", "had"))
        before.fill(NONE)
        if not self._items:
            return
        self._launch("predecessors", state, np.bool_(False), before, before)
        while not self._stop[0]:
            if not IS_ORPHAN(before, distance):  # device to host
                return
            had[:] = before
            self._launch("predecessors", state, np.bool_(True), had, before)

    def _launch(self, name: str, state: NDArray[Any], *rest: Any) -> None:
        self._kernels[name]((self._blocks,), (ITEM_THREADS,), (state, *rest))


def plan(matrix: Any, sweep: Sweep) -> Plan:
    """The edges in both directions and what sorts them; state of a word of sources."""
    n, edges = matrix.shape[0], 2 * matrix.nnz
    return Plan(edge_bytes(n, edges) + 3 * 8 * edges + (1 << 16), state(n))


def edge_bytes(n: int, edges: int) -> int:
    """Edges with their lengths, and the items that they are cut into."""
    return 8 * (n + 1) + (8 + 4) * edges + (8 + 4) * (n + edges // CHUNK)


def state(n: int) -> dict[str, int]:
    """Bytes of a word of sources: `TYPES` of each, or bits for whether they wait."""
    row = {name: WORD * np.dtype(dtype).itemsize for name, dtype in TYPES.items()}
    return {name: n * size for name, size in {**row, "waiting": 3 * 4}.items()}


def _upload(matrix: Any, directed: bool) -> dict[str, Any]:
    """Edges with their lengths, in both directions if there is no other, and the items."""
    n = matrix.shape[0]
    indptr, indices, lengths = map(upload, (matrix.indptr, matrix.indices, matrix.data))
    indptr, indices = indptr.astype(np.int64, copy=False), indices.astype(np.int32, copy=False)
    if not directed:
        rows = CUDAOps().rows(CSR(indptr, indices))
        rows, indices = cupy.concatenate((rows, indices)), cupy.concatenate((indices, rows))
        order = cupy.argsort(rows)
        indices, lengths = indices[order], cupy.concatenate((lengths, lengths))[order]
        indptr = cupy.searchsorted(rows[order], cupy.arange(n + 1)).astype(np.int64)
    items = -(-cupy.diff(indptr) // CHUNK)
    ends = cupy.cumsum(items)
    number = cupy.arange(int(ends[-1]) if n else 0)
    row = cupy.searchsorted(ends, number, side="right")
    begin = indptr[row] + CHUNK * (number - (ends - items)[row])
    return {
        "indptr": indptr,
        "indices": indices,
        "lengths": lengths,
        "item_row": row.astype(np.int32),
        "item_begin": begin.astype(np.int64),
    }
