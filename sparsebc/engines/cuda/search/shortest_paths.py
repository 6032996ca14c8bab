"""Shortest paths along lengths on a GPU: the kernels of `search/shortest_paths.cu`."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ..runtime import fetch, kernels, packed, stream

WORD, MOST_WORDS = 32, 32
ENTRY_BYTES = 24  # distance, predecessor, and what is made of them at the end
CHUNK, THREADS, RESIDENT = 256, 256, 4
# Steps launched between looks at whether distances have settled: a multiple of three.
LOOK = 48
# Mean lengths from the nearest distance that waits to the bound of those relaxed with it.
STRIDE = 16
INFINITE = np.uint64(0x7FF0000000000000)
NONE, NO_PREDECESSOR = np.int32(0x7FFFFFFF), -9999

POINTERS = (
    *("indptr", "indices", "lengths", "item_row", "item_begin", "distance"),
    *("waiting0", "waiting1", "waiting2", "steps"),
)
STATE = np.dtype(
    [(name, np.uint64) for name in POINTERS]
    + [("stride", np.float64), ("items", np.uint32), ("words", np.uint32)]
)
STEP = np.dtype([("far", np.uint64), ("bound", np.float64), ("near", np.uint32), ("_", np.uint32)])


def least_bytes(n: int, arcs: int) -> int:
    """The edges in both directions, what sorts them, and the state of one word of sources."""
    return 2 * arcs * (8 + 4 + 3 * 8) + n * (8 + WORD * ENTRY_BYTES + 3 * 4)


class CUDAPaths:
    """The graph with its lengths on the device, and the state of some sources."""

    def __init__(
        self, matrix: Any, directed: bool, index: int, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        self._device, self._stop = cupy.cuda.Device(index), stop
        with self._device:
            self._stream = stream(index)
            self._blocks = RESIDENT * self._device.attributes["MultiProcessorCount"]
            with self._stream:
                self._arrays = _upload(matrix, directed)
            self._stream.synchronize()
        self._kernels = kernels("search/shortest_paths.cu", ("relax", "precede"))
        self._n = matrix.shape[0]
        self._stride = STRIDE * float(matrix.data.mean()) if matrix.nnz else 1.0
        row = WORD * ENTRY_BYTES + 3 * 4
        self._most = int(min(MOST_WORDS, max(1, memory // (row * max(self._n, 1)))))

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with what there is from ``sources[i]``."""
        width = WORD * self._most
        with self._device, self._stream:
            for first in range(0, sources.size, width):
                rows = slice(first, first + width)
                self._fill(sources[rows], distances[rows], predecessors[rows])
            self._stream.synchronize()

    def _fill(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        state = self._state(sources)
        self._settle(state)
        before = self._precede(state)
        before[before == NONE] = NO_PREDECESSOR
        k, distance = sources.size, self._arrays["distance"]
        for there, out in ((distance, distances), (before, predecessors)):
            there = there.reshape(self._n, -1)[:, :k].T
            if isinstance(out, cupy.ndarray):
                out[:] = there
            else:
                fetch(there, out)  # device to host

    def _state(self, sources: NDArray[np.int32]) -> NDArray[Any]:
        """Each source at distance 0 of itself, and waiting."""
        words = -(-sources.size // WORD)
        columns = np.arange(sources.size)
        distance = cupy.full((self._n, words * WORD), np.inf)
        distance[cupy.asarray(sources), cupy.asarray(columns)] = 0
        waiting = np.zeros((self._n, words), np.uint32)
        np.bitwise_or.at(
            waiting, (sources, columns // WORD), np.uint32(1) << (columns % WORD).astype(np.uint32)
        )
        steps = np.zeros(LOOK + 1, STEP)
        steps["far"] = INFINITE
        self._first_steps = cupy.asarray(steps.view(np.uint64))
        steps[0] = (INFINITE, self._stride, 1, 0)
        self._arrays |= {
            "distance": distance,
            "waiting0": cupy.zeros((self._n, words), np.uint32),
            "waiting1": cupy.asarray(waiting),
            "waiting2": cupy.zeros((self._n, words), np.uint32),
            "steps": cupy.asarray(steps.view(np.uint64)),
        }
        state = np.zeros(1, dtype=STATE)
        for name in POINTERS:
            state[name] = self._arrays[name].data.ptr
        state["stride"], state["words"] = self._stride, words
        state["items"] = self._arrays["item_row"].size
        return state

    def _settle(self, state: NDArray[Any]) -> None:
        """Relax until nothing waits."""
        steps = self._arrays["steps"].reshape(LOOK + 1, 3)
        initial = self._first_steps.reshape(LOOK + 1, 3)
        while self._arrays["item_row"].size and not self._stop[0]:
            for i in range(1, LOOK + 1):
                self._launch("relax", state, np.int32(i))
            last = steps[LOOK].get().view(STEP)[0]  # device to host
            if not last["near"] and last["far"] == INFINITE:
                return
            steps[0] = steps[LOOK]
            steps[1:] = initial[1:]

    def _precede(self, state: NDArray[Any]) -> Any:
        """Predecessor of each node, the smallest there is."""
        distance = self._arrays["distance"]
        before = cupy.full(distance.shape, NONE, np.int32)
        if not self._arrays["item_row"].size:
            return before
        self._launch("precede", state, np.bool_(False), before, before)
        while not self._stop[0]:
            had = before.copy()
            left = (before == NONE) & (distance > 0) & (distance < np.inf)
            if not left.any():  # device to host
                break
            self._launch("precede", state, np.bool_(True), had, before)
        return before

    def _launch(self, name: str, state: NDArray[Any], *rest: Any) -> None:
        self._kernels[name]((self._blocks,), (THREADS,), (packed(state), *rest))


def _upload(matrix: Any, directed: bool) -> dict[str, Any]:
    """Edges with their lengths, in both directions if there is no other, and the items."""
    n = matrix.shape[0]
    indptr = cupy.asarray(matrix.indptr, np.int64)
    indices, lengths = cupy.asarray(matrix.indices, np.int32), cupy.asarray(matrix.data)
    if not directed:
        at = cupy.arange(indices.size)
        rows = cupy.searchsorted(indptr, at, side="right").astype(np.int32) - np.int32(1)
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
