"""Launches `rows.cu`: distances and predecessors by length, a block of threads to a source."""

from itertools import chain
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR, Matrix
from ....matrix.read_matrix import graph_of
from ...common.base import Sweep
from ..layout import LENGTH_ROWS, SEARCH, Plan, pointer_type
from ..layout import ROWS as TYPES
from ..prepare.graph_ops import CUDAOps
from ..runtime.allocation import InFlight
from ..runtime.copies import begin_download, finish, upload
from ..runtime.kernels import kernels
from .sssp import Search

# Launches whose rows are on the device: one is searched while another is copied to the host.
TURNS = 2


class LengthRows:
    """The graph with its lengths on the device, and the state of some sources."""

    def __init__(self, matrix: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        indptr, indices, values = map(upload, (matrix.indptr, matrix.indices, matrix.data))
        pattern = CSR(indptr.astype(np.int64, copy=False), indices.astype(np.int32, copy=False))
        graph = graph_of(Matrix(pattern, values), CUDAOps(), sweep.directed)
        search, pointer = Search.of(graph), pointer_type(graph.arcs)
        types = pointer, search.c_type, search.waves
        self._kernel = kernels("sssp/rows.cu", ("fill",), *types)["fill"]
        self._threads, self._n, self._stop = search.threads, graph.n, stop
        numbers = {"n": graph.n, "workers": 0, "cutoffs": None, "columns": 1}
        self._values = {**search.values(graph, pointer, both=True), **numbers}
        size, state = search.graph_bytes(graph, both=True) + (1 << 16), search.state(graph.n)
        # Of rows that go to the host, and of those whose place is on the device.
        plans = Plan(size, {**state, **row_bytes(graph.n)}), Plan(size, state)
        self._most = [planned.slots(memory, search.most_workers) for planned in plans]
        self._held = [InFlight(planned.sizes, "one source", graph.n) for planned in plans]

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with the distances and predecessors from ``sources[i]``."""
        results: dict[str, Any] = {"distance": distances, "before": predecessors}
        stay = isinstance(distances, cupy.ndarray)
        held, begun = self._held[stay], [list[Any]() for _ in range(TURNS)]
        try:
            turns = held.turns(sources.size, self._most[stay], self._stop)
            for number, rows in enumerate(turns):
                turn, there = number % TURNS, {name: out[rows] for name, out in results.items()}
                size, found = rows.stop - rows.start, dict(there)
                if not stay:  # on their way to the host, which the next turn does not write to
                    finish(begun[turn])
                    for name in there:
                        values = held.arrays[name].view(TYPES[name]).reshape(TURNS, -1, self._n)
                        found[name] = values[turn, :size]
                given = {**self._values, **held.arrays, **found}
                given["sources"] = cupy.asarray(sources[rows])
                self._kernel((size,), (self._threads,), (LENGTH_ROWS.pack(given),))
                if stay:
                    cupy.cuda.get_current_stream().synchronize()  # the next one may be stopped
                    continue
                copies = (begin_download(found[name], out) for name, out in there.items())
                begun[turn] = [*chain(*copies)]
        finally:
            finish([*chain(*begun)])


def plan(matrix: Any, sweep: Sweep) -> Plan:
    """At most: the arcs as reals both ways, and what sorts them; all lists of a source."""
    n, arcs = matrix.shape[0], 2 * matrix.nnz
    of_arcs = (16 + 3 * 16) * arcs + 2 * (16 * SEARCH.SHORT + 8) * (n + 1)
    return Plan(
        of_arcs + (1 << 17), {"nodes": 16 * n, "lists": 4 * n * SEARCH.RING, **row_bytes(n)}
    )


def row_bytes(n: int) -> dict[str, int]:
    """Bytes of the rows of a source."""
    return {name: TURNS * n * TYPES[name].itemsize for name in ("distance", "before")}
