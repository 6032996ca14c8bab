"""Launches `path_samples.cu`: shortest paths drawn at random, a warp to a pair of nodes."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import Batch
from ..layout import PATH_SAMPLES, SAMPLES, WARP, Plan, pointer_type
from ..runtime.allocation import InFlight
from ..runtime.copies import clear, download, split_bytes, upload_arcs
from ..runtime.kernels import allow_shared, kernels, multiprocessors

# Slots of a table whose keys are on the chip, how many times as many the next one has, and slots
# for each node that it has room for.
ON_CHIP, GROWTH, SPACE = 2048, 32, 2
# Bytes that tables take where there is memory for them, and blocks of threads on a multiprocessor.
ENOUGH, BLOCKS = 1 << 31, 4
WARPS = SAMPLES.THREADS // WARP


class Table(NamedTuple):
    """Table of the nodes that a search finds."""

    capacity: int  # slots
    room: int  # nodes
    shift: int  # of a hash; 0 where each node has a slot of its own

    @property
    def state(self) -> dict[str, int]:
        """Bytes of its arrays, those of the widest items first."""
        return {
            "sigma": 8 * self.capacity,
            "ends": 8 * self.room,
            "keys": 4 * self.capacity * (not self.shared),
            "mark": 4 * self.capacity,
            "queue": 4 * self.room,
        }

    @property
    def shared(self) -> int:
        """Bytes of shared memory of a block of threads: its keys, if they are on the chip."""
        return 4 * WARPS * self.capacity if self.capacity <= ON_CHIP else 0

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays of a block of threads."""
        return WARPS * sum(self.state.values())


class PathSamplesWorkspace:
    """The graph on the device, tables, and how many of the paths passed each node."""

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        self.stop, self._graph = stop, graph
        pairs, pointer = sweep.pairs, pointer_type(graph.arcs)
        assert pairs is not None
        _, *given = pairs._asdict().items()  # the seed, then arrays
        arrays = {name: values for name, values in given if values.size}
        self.dependency = graph.ops.xp.zeros(graph.n)
        degrees = (int(each.degrees.max()) if graph.arcs else 1 for each in graph.patterns)
        self._values: dict[str, Any] = {
            **dict.fromkeys(pairs._fields),  # null: each counts one
            **upload_arcs(graph, pointer, **arrays),
            "dependency": cupy.zeros(graph.n),
            "counters": cupy.zeros(2, np.int32),
            "seed": int(pairs.seed),
            "components": pairs.weight.size,
            "growth": float(max(1, *degrees)),
        }
        self._tables = [*tables(graph.n)]
        self._draw = kernels("path_samples/path_samples.cu", ("draw",), pointer)["draw"]
        allow_shared(self._draw, max(table.shared for table in self._tables))
        of_searches = plan(graph, sweep)
        self._slot = of_searches.slot  # of a block of threads whose tables hold all nodes
        self._at_once = of_searches.slots(memory, max(1, ENOUGH // self._slot))
        self._blocks = BLOCKS * multiprocessors()
        self._held = InFlight(of_searches.sizes, "the search between two nodes", graph.n)

    def run(self, batches: Sequence[Batch]) -> None:
        """Draw the samples of the batches."""
        total = self._values["dependency"]
        clear(total)
        for batch in batches:
            if not self.stop[0]:
                self._draw_all(int(batch.sources[0]), batch.sources.size)
        on_host = isinstance(self.dependency, np.ndarray)
        self.dependency += download(total) if on_host else total

    def max_sigma(self) -> float:
        """Zero: counts are scaled, whatever their range."""
        return 0.0

    def _draw_all(self, first: int, count: int) -> None:
        """Draw samples from the first on; with larger tables those that a table does not hold."""
        again = None
        memory = self._held.reserve(self._at_once) * self._slot
        for table in self._tables:
            left = cupy.empty(count if table.shift else 0, np.int32)
            clear(self._values["counters"])
            blocks = min(self._blocks, memory // table.nbytes)
            sizes = {name: blocks * WARPS * size for name, size in table.state.items()}
            arrays = split_bytes(self._held.arrays["tables"], sizes)
            values = {**self._values, **table._asdict()}
            values |= {name: array if array.size else None for name, array in arrays.items()}
            values |= {"again": again, "left": left, "first": first, "count": count}
            grid, state = (min(blocks, -(-count // WARPS)),), PATH_SAMPLES.pack(values)
            taken = too_large = 0
            while taken < count:  # a launch that takes long leaves some to the next
                if self.stop[0]:
                    return
                self._draw(grid, (SAMPLES.THREADS,), (state,), shared_mem=table.shared)
                taken, too_large = download(self._values["counters"]).tolist()  # device to host
            count = too_large
            if not count:
                return
            again = left


def tables(n: int) -> Iterator[Table]:
    """Tables from small ones to one that holds all nodes."""
    capacity = ON_CHIP
    while capacity < n:
        yield Table(capacity, capacity // SPACE, 32 - (capacity.bit_length() - 1))
        capacity *= GROWTH
    yield Table(n, n, 0)


def plan(graph: Graph, sweep: Sweep) -> Plan:
    """Paths through each node, the pairs, and samples left to another launch; tables of a block."""
    pairs = sweep.pairs
    assert pairs is not None
    of_pairs = sum(values.nbytes for values in pairs[1:])
    fixed = 2 * 8 * graph.n + of_pairs + 2 * 4 * sweep.width
    return Plan(fixed + (1 << 16), {"tables": max(table.nbytes for table in tables(graph.n))})
