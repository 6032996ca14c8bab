"""Launches `rows.cu`: distances and predecessors by length, a block of threads to a source."""

from itertools import chain
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR, Matrix
from ....matrix.read_matrix import graph_of
from ...common.base import Sweep
from ..common.results import on_device
from ..layout import ROWS as TYPES
from ..layout import Plan, pointer_type
from ..prepare.graph_ops import CUDAOps
from ..runtime.allocation import InFlight
from ..runtime.copies import begin_download, finish, upload
from ..runtime.kernels import kernels
from .layout import RING, ROWS, SHORT
from .sssp import Search

# Launches whose rows are on the device: one is searched while another is copied to the host.
TURNS = 2


class LengthRows:
    """The graph with its lengths on the device, and the state of some sources."""

    def __init__(self, matrix: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        indptr, indices, values = map(upload, (matrix.indptr, matrix.indices, matrix.data))
        pattern = CSR(indptr.astype(np.int64, copy=False), indices.astype(np.int32, copy=False))
        graph = graph_of(Matrix(pattern, values), CUDAOps(), sweep.directed)
        search, pointer = Search.of(graph, on_chip=False), pointer_type(graph.arcs)
        types = pointer, search.c_type, search.waves
        self._kernel = kernels("sssp/rows.cu", ("fill",), *types)["fill"]
        self._threads, self._n, self._stop = search.threads, graph.n, stop
        arrays, numbers = search.upload_both(graph, pointer), {"n": graph.n, "workers": 0}
        self._values = {**search.constants(), **numbers, **arrays, "cutoffs": None, "columns": 1}
        size = search.graph_bytes(graph, both=True) + (1 << 16)
        planned = Plan(size, {**search.state(graph.n), **row_bytes(graph.n)})
        self._most = planned.slots(memory, search.most_workers)
        self._held = InFlight(planned.sizes, "one source", graph.n)

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with the distances and predecessors from ``sources[i]``."""
        results: dict[str, Any] = {"distance": distances, "before": predecessors}
        begun: list[list[Any]] = [[] for _ in range(TURNS)]
        try:
            turns = self._held.turns(sources.size, self._most, self._stop)
            for number, rows in enumerate(turns):
                turn, count = number % TURNS, rows.stop - rows.start
                finish(begun[turn])
                there = {
                    name: out[rows] if on_device(out) else self._in_flight(name, turn)[:count]
                    for name, out in results.items()
                }
                self._search(sources[rows], there)
                begun[turn] = [
                    piece
                    for name, out in results.items()
                    if not on_device(out)
                    for piece in begin_download(there[name], out[rows])
                ]
                if not begun[turn]:  # the next launch may be stopped
                    cupy.cuda.get_current_stream().synchronize()
        finally:
            finish([*chain(*begun)])

    def _in_flight(self, name: str, turn: int) -> Any:
        """Rows of a turn, which the next one does not write to."""
        values = self._held.arrays[name].view(TYPES[name])
        return values.reshape(TURNS, -1, self._n)[turn]

    def _search(self, sources: NDArray[np.int32], rows: dict[str, Any]) -> None:
        """Launch a block of threads for each source."""
        values = {**self._values, **self._held.arrays, **rows, "sources": cupy.asarray(sources)}
        self._kernel((sources.size,), (self._threads,), (ROWS.pack(values),))


def plan(matrix: Any, sweep: Sweep) -> Plan:
    """At most: the arcs as reals both ways, and what sorts them; all lists of a source."""
    n, arcs = matrix.shape[0], 2 * matrix.nnz
    of_arcs = (16 + 3 * 16) * arcs + 2 * (16 * SHORT + 8) * (n + 1)
    return Plan(of_arcs + (1 << 17), {"nodes": 16 * n, "lists": 4 * n * RING, **row_bytes(n)})


def row_bytes(n: int) -> dict[str, int]:
    """Bytes of the rows of a source."""
    return {name: TURNS * n * TYPES[name].itemsize for name in ("distance", "before")}
