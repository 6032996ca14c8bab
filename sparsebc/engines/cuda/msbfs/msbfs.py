"""Launches `msbfs.cu`: MS-BFS on a GPU, many batches of 1024 sources at once."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.distances import DistanceSums
from ...common.sums import Batch
from ..layout import MS_BFS, ROWS, WORD, Plan
from ..layout import MS_BFS_LEVEL as LEVEL
from ..layout import MS_BFS_STATE as STATE
from ..runtime.allocation import InFlight
from ..runtime.copies import clear, download, upload_arcs, upload_many
from ..runtime.kernels import for_each, kernels, multiprocessors

COLUMNS, THREADS, HUB_THREADS = MS_BFS.COLUMNS, MS_BFS.THREADS, MS_BFS.HUB_THREADS
# Rows of more neighbours than this are shared by a block.
HUB = 256
MOST_SLOTS = 1 << 31
# Levels launched between looks at whether the search has ended, at least and at most.
FIRST_LOOK, LOOK = 8, 32
KERNELS = ("set_apart", "start", "advance", "advance_hubs", "reduce", "predecessors")

DISTANCE = cupy.ElementwiseKernel(
    "int32 level, float64 infinity",
    "float64 distance",
    "distance = level < 0 ? infinity : level",
    "distance_of_level",
)


class MSBFSSearch:
    """The graph on the device, and the state of as many batches as the memory holds."""

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        self._graph, self._memory, self._stop = graph, memory, stop
        self._words = -(-graph.n // WORD)
        self._kernels = kernels("msbfs/msbfs.cu", KERNELS)
        self._blocks = 8 * multiprocessors()
        self._arrays = self._upload()
        of_sums = plan(graph, sweep)
        # Slots are numbered in 32 bits.
        self._at_once = of_sums.slots(memory, max(1, MOST_SLOTS // (WORD * max(self._words, 1))))
        self._batches = InFlight(of_sums.sizes, f"one batch of {COLUMNS} sources", graph.n)
        self._rows: dict[tuple[str, ...], InFlight] = {}  # by the results that are in flight

    def levels(self, sources: NDArray[np.int32], out: Any) -> None:
        """Hops from each source, written by the search itself."""
        for rows, there in self._in_rows(sources, level=out):
            deliver(there["level"], out[rows])

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Levels, then a look at the edges into each node."""
        wanted = {"level": None, "before": predecessors, "distance": distances}
        for rows, there in self._in_rows(sources, **wanted):
            level, before = there["level"], there["before"]
            rows_into = self._arrays["in_indptr"], self._arrays["in_indices"]
            numbers = map(np.int32, (self._graph.n, before.shape[0]))
            kernel = self._kernels["predecessors"]
            for_each(kernel, before.size, THREADS, *rows_into, *numbers, level, before)
            deliver(before, predecessors[rows])
            DISTANCE(level, np.inf, there["distance"])
            deliver(there["distance"], distances[rows])

    def accumulate(self, batches: Sequence[Batch]) -> DistanceSums:
        """Sums over the sources of some batches, in their order, where the graph is."""
        columns = self._graph.limits.size
        numbers = cupy.zeros((len(DistanceSums._fields), columns * self._graph.n), np.int64)
        parts = [*zip(*(part.reshape(columns, -1) for part in numbers), strict=True)]
        for some in self._batches.turns(len(batches), self._at_once, self._stop):
            states = self._search(batches[some], self._batches.arrays)
            for state, part in zip(states, parts, strict=True):
                for_each(self._kernels["reduce"], self._graph.n, THREADS, state, *part)
        if self._graph.ops.xp is not cupy:
            numbers = download(numbers)
        sums = DistanceSums(*numbers)
        return sums._replace(harmonic=sums.harmonic.view(np.float64))

    def _in_rows(
        self, sources: NDArray[np.int32], **results: Any
    ) -> Iterator[tuple[slice, dict[str, Any]]]:
        """Search from the sources, as many at once as fit the memory: slices of rows, and values.

        ``results`` has arrays of all sources by name; values for arrays on the host are in
        flight.
        """
        names = tuple(name for name, out in results.items() if not isinstance(out, cupy.ndarray))
        n = self._graph.n
        fixed = fixed_bytes(n) + sum(mask_bytes(n).values())
        of_rows = Plan(fixed, {name: n * ROWS[name].itemsize for name in names})
        if names not in self._rows:
            what, masks = "the search from one source", mask_bytes(n)
            self._rows = {names: InFlight(lambda rows: of_rows.sizes(rows) | masks, what, n)}
        in_flight = self._rows[names]
        most = of_rows.slots(self._memory, COLUMNS) if names else COLUMNS
        for rows in in_flight.turns(sources.size, most, self._stop):
            size = rows.stop - rows.start
            there = {name: out[rows] for name, out in results.items() if name not in names}
            for name in names:
                values = in_flight.arrays[name].view(ROWS[name])
                there[name] = values.reshape(-1, n)[:size]
            there["level"].fill(-1)
            batch = Batch(sources[rows], np.ones(size), clustered=True)
            arrays = {name: in_flight.arrays[name] for name in mask_bytes(n)}
            self._search([batch], arrays, there["level"])
            yield rows, there

    def _upload(self) -> dict[str, Any]:
        """Arrays that outlive a launch."""
        graph = self._graph
        rows = upload_arcs(graph, np.int64)
        most = (graph.outgoing.indices.size + graph.incoming.indices.size) // (HUB + 1)
        apart, hubs = cupy.empty(self._words, np.uint32), cupy.empty(most, np.int32)
        found, levels = cupy.zeros(1, np.uint32), graph.n + 2 + LOOK
        pointers = rows["out_indptr"], rows["in_indptr"], np.uint32(graph.n), np.int64(HUB)
        kernel, size = self._kernels["set_apart"], WORD * self._words
        for_each(kernel, size, THREADS, *pointers, apart, hubs, found)
        count = int(download(found)[0]) if most else 0  # device to host
        return {
            **rows,
            "apart": apart,
            "hubs": hubs[:count],
            "levels": cupy.empty((levels, LEVEL.dtype.itemsize), np.uint8),
        }

    def _search(
        self, batches: Sequence[Batch], arrays: Any, level: Any = None
    ) -> list[NDArray[Any]]:
        """Search to the last level within all limits; sums, or rows of levels.

        Returns what the kernels got, with the sums of each limit: those of the levels beyond the
        limit before it.
        """
        states, limits = self._states(batches, arrays, level), self._graph.limits.tolist()
        hubs, warps = self._arrays["hubs"].size, THREADS // WORD
        rows = min(self._blocks, -(-len(batches) * self._words * 4 // warps))
        self._launch(
            "start", states[0], min(self._blocks, len(batches) * COLUMNS // warps), THREADS
        )
        depth = 0
        while depth < limits[-1] and not self._stop[0]:
            last = min(depth + min(max(depth, FIRST_LOOK), LOOK), limits[-1])
            for d in range(depth + 1, last + 1):
                state = states[bisect_left(limits, d)]
                if hubs:
                    blocks = min(self._blocks // 4, hubs * len(batches))
                    self._launch("advance_hubs", state, blocks, HUB_THREADS, np.int32(d))
                self._launch("advance", state, rows, THREADS, np.int32(d))
            depth = last
            found = download(self._arrays["levels"][depth]).view(LEVEL.dtype)[0]  # device to host
            if not found["fresh"]:
                break
        return states

    def _states(self, batches: Sequence[Batch], arrays: Any, level: Any) -> list[NDArray[Any]]:
        """What the kernels get, before level 0, with the sums of each limit or rows of levels."""
        sources = np.full((len(batches), COLUMNS), -1, dtype=np.int32)
        more = np.zeros_like(sources)
        for batch, row, rest in zip(batches, sources, more, strict=True):
            row[: batch.sources.size], rest[: batch.sources.size] = batch.sources, batch.alpha - 1
        live = np.packbits(sources >= 0, axis=1, bitorder="little")
        most_digits = int(more.max()).bit_length()
        self._arrays |= upload_many(sources=sources, more=more, live=live)
        self._arrays["digits"] = cupy.zeros((len(batches), most_digits, COLUMNS // 8), np.uint8)
        for array in (self._arrays["levels"], *arrays.values()):
            clear(array)
        marks = arrays["marks"].reshape(4, -1)
        values = {
            **self._arrays,
            "seen": arrays["seen"],
            "found": [*arrays["found"].reshape(3, -1)],
            "marked": [*marks[:3]],
            "done": marks[3],
            "level": level,
            "most_digits": most_digits,
            "n": self._graph.n,
            "words": self._words,
            "batches": len(batches),
            "hub_count": self._arrays["hubs"].size,
        }
        columns = [None]
        if level is None:
            columns = [*arrays["sums"].reshape(self._graph.limits.size, -1)]
        return [STATE.pack({**values, "sums": sums}) for sums in columns]

    def _launch(
        self, name: str, state: NDArray[Any], blocks: int, threads: int, *rest: Any
    ) -> None:
        self._kernels[name]((blocks,), (threads,), (state, *rest))


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """Marks of the rows and levels; of a batch its masks and sums."""
    sums = {"sums": MS_BFS.SUMS_BYTES * graph.limits.size * graph.n}
    return Plan(fixed_bytes(graph.n), {**mask_bytes(graph.n), **sums})


def fixed_bytes(n: int) -> int:
    """Marks and levels, the arguments of a batch, and a source in 1024 of each further one."""
    return n * (LEVEL.dtype.itemsize + 4 + 1 + 9) + 9 * COLUMNS + (1 << 16)


def mask_bytes(n: int) -> dict[str, int]:
    """Columns of the slots of a batch, in all and of three levels, and marks."""
    vectors = 16 * MS_BFS.VECTORS * n
    return {"seen": vectors, "found": 3 * vectors, "marks": 4 * 4 * -(-n // WORD)}


def deliver(values: Any, out: Any) -> None:
    """Copy an array of the device to where it is wanted, unless it is there."""
    if not isinstance(out, cupy.ndarray):
        download(values, out)  # device to host
    elif values.data.ptr != out.data.ptr:
        out[:] = values
