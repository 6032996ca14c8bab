"""A block of threads to a source: what its launchers share, whatever a search finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

from ....brandes import EXTENDED, count_limit
from ....graph.csr import CSR
from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ...sums import needs_g_and_h
from ..runtime.copies import as_reals, clear, download, upload_many
from ..runtime.kernels import kernels, pointer_type
from ..runtime.memory import InFlight
from ..runtime.streams import stream
from ..runtime.structs import Struct
from .layout import BALL, BY_NODE, WHOLE
from .sums import add_results

REDUCE_THREADS = 256


class Needs(NamedTuple):
    """Bytes of device memory, the patterns apart."""

    fixed: int  # whatever the number of workers
    worker: int  # state of one


class PerSource(ABC):
    """The graph on the device, and the state of as many workers as the memory holds.

    A worker is a block of threads and its state. Worker k takes the sources k, k + workers, ...;
    what the workers have of each sum in ``_totals`` is an array of their state of that name, and is
    added up in their order.
    """

    _struct: Struct  # what the kernel is passed
    _kernel: Any
    _threads: int  # of a block
    _shared = 0  # bytes of shared memory, beside what the kernel has declared
    _totals: Mapping[str, Any]

    def __init__(
        self, graph: Graph, workers: int, memory: int, needs: Needs, stop: NDArray[np.uint8]
    ) -> None:
        self.stop = stop
        self._device = cupy.cuda.Device()
        self._stream = stream(self._device.id)
        self._graph, self._pointer = graph, pointer_type(graph.arcs)
        self._workers = workers
        self._at_once = int(np.clip((memory - needs.fixed) // needs.worker, 1, workers))
        self._reduce = kernels("common/reduce.cu", ("reduce",))["reduce"]
        self._constants: dict[str, float] = {"n": graph.n, "columns": graph.limits.size}
        with self._stream:
            # These outlive a run.
            self._arrays: dict[str, Any] = {"cutoffs": _cutoffs(graph)}
        self._held = InFlight(self._allocate, "one source", graph.n)

    @abstractmethod
    def _allocate(self, workers: int) -> dict[str, Any]:
        """State of so many workers."""

    def _check(self) -> None:  # noqa: B027 - some launches meet nothing to raise
        """After a launch: raise what it has met."""

    def _launches(self, workers: int, count: int) -> Sequence[tuple[int, int]]:
        """Runs of sources, each of a multiple of the workers."""
        return [(0, count)]

    def _search_all(self, count: int) -> None:
        """Search from so many sources that are there, one after the other by each worker."""
        for total in self._totals.values():
            clear(total)
        self._search_from(count)

    def _search_from(self, count: int) -> None:
        """The same, with as many workers as fit at once; adds to the totals."""
        workers = min(self._workers, count)
        first = 0
        while first < workers and not self.stop[0]:
            resident = self._held.reserve(min(self._at_once, workers - first))
            self._search_some(first, resident, workers, count)
            first += resident

    def _search_some(self, first: int, resident: int, workers: int, count: int) -> None:
        """Search from the sources of the workers from the first on."""
        held = self._held.arrays
        values = {**self._constants, **self._arrays, **held, "workers": workers}
        state = self._struct.pack(values)
        for name in self._totals:
            clear(held[name])
        for begin, end in self._launches(workers, count):
            if self.stop[0]:
                return
            numbers = map(np.int32, (first, begin, end))
            self._kernel((resident,), (self._threads,), (state, *numbers), shared_mem=self._shared)
            self._check()
        for name, total in self._totals.items():
            self._reduce(
                (-(-total.size // REDUCE_THREADS),),
                (REDUCE_THREADS,),
                (held[name], np.uint64(total.size), np.uint32(resident), total),
            )


class PathSums(PerSource):
    """The same of kernels that count paths: an attribute for each sum that is wanted."""

    def __init__(
        self,
        graph: Graph,
        sweep: Sweep,
        memory: int,
        stop: NDArray[np.uint8],
        *,
        shares: int,
        workers: int,
        needs: Needs,
        patterns: Mapping[str, CSR] | None = None,
    ) -> None:
        """Patterns go to the device with the weights: their row pointers and indices, by name."""
        super().__init__(graph, workers, memory, needs, stop)
        given = {"omega": as_reals(sweep.omega, weights_type(sweep.dtype))}
        for name, pattern in (patterns or {}).items():
            given[f"{name}_indptr"] = pattern.indptr.astype(self._pointer)
            given[f"{name}_indices"] = pattern.indices
        self._dtype, self._sums, self._shares = sweep.dtype, sweep.sums, shares
        self._constants["limit"] = count_limit(sweep.dtype)
        with self._stream:
            add_results(self, graph, sweep.sums)
            each = graph.n * graph.limits.size
            self._arrays |= {
                **upload_many(**given),
                "max_sigma": cupy.zeros(1, np.uint64),
                "departures": cupy.zeros(each if "departures" in sweep.sums else 0),
            }
            sizes = sum_sizes(graph, sweep.sums, shares)
            self._totals = {name: cupy.zeros(size) for name, size in sizes.items() if size}

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the sources of the batches."""
        with self._device, self._stream:
            for name in (*WHOLE, "max_sigma"):
                clear(self._arrays[name])
            self._search_batches(batches)
            for name, total in self._summed().items():
                values = getattr(self, name)  # device to host, if the graph is small
                values += download(total) if isinstance(values, np.ndarray) else total

    def _search_batches(self, batches: Sequence[Batch]) -> None:
        """Search from the sources of all batches, one after the other."""
        alpha = np.concatenate([batch.alpha for batch in batches]).astype(weights_type(self._dtype))
        sources = np.concatenate([batch.sources for batch in batches])
        self._arrays |= upload_many(alpha=alpha, sources=sources)
        self._search_all(sources.size)

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        with self._device, self._stream:
            return float(download(self._arrays["max_sigma"].view(np.float64))[0])

    def _summed(self) -> dict[str, Any]:
        """Sums over all batches, on the device."""
        by_node = [name for name in BY_NODE if name in self._sums]
        sums = {name: self._arrays[name] for name in WHOLE if name in self._sums}
        if by_node:
            each = self._totals["sums"].reshape(-1, len(by_node)).T
            sums |= dict(zip(by_node, each, strict=True))
        if "arcs" in self._sums:
            sums["arcs"] = self._by_arc(self._totals["shares"])
        return sums

    def _by_arc(self, shares: Any) -> Any:
        """Shares in the order of the arcs."""
        return shares

    def _allocate(self, workers: int) -> dict[str, Any]:
        n = self._graph.n
        sizes = sum_sizes(self._graph, self._sums, self._shares)
        kept = n if self._graph.limits.size > 1 else 0
        return {
            **{name: cupy.empty(workers * size) for name, size in sizes.items()},
            "counts": cupy.empty(workers * kept * self._dtype.itemsize, np.uint8),
            "order": cupy.empty(workers * n, np.int32),
            "starts": cupy.empty(workers * (n + 2), np.int32),
        }


def has_small_balls(graph: Graph) -> bool:
    """Whether all cutoffs are so near that a source meets few nodes, by edges or mean lengths."""
    total = float(graph.lengths.outgoing.sum()) if graph.lengths else graph.arcs
    return bool(graph.cutoffs) and graph.cutoffs[-1] * graph.arcs <= BALL * total


def sum_sizes(graph: Graph, sums: frozenset[str], shares: int) -> dict[str, int]:
    """What a worker sums, of so many shares of arcs: arrays of its state, and their sizes."""
    each = {"sums": graph.n * len(sums & {*BY_NODE}), "shares": shares * ("arcs" in sums)}
    return {name: graph.limits.size * size for name, size in each.items()}


def path_needs(graph: Graph, sweep: Sweep, shares: int) -> Needs:
    """Weights, results and totals; of a worker its sums, and what `PathSums` allocates with h."""
    n, columns, (sums, dtype) = graph.n, graph.limits.size, (sweep.sums, sweep.dtype)
    own = sum(sum_sizes(graph, sums, shares).values())
    totals = own + columns * graph.arcs * ("arcs" in sums)
    each = 2 * weights_type(dtype).itemsize + 8 * len(sums) * columns
    reals = needs_g_and_h(sums) + (columns > 1)
    return Needs(
        8 * totals + n * each + (1 << 16),
        8 * own + 4 * n + 4 * (n + 2) + dtype.itemsize * reals * n,
    )


def _cutoffs(graph: Graph) -> Any:
    """Those of a graph on the device, levels or lengths; None where it has none."""
    if not graph.cutoffs:
        return None
    return cupy.asarray(graph.limits if graph.lengths else graph.limits.astype(np.int32))


def weights_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the weights beside a type of path counts: that of a share of paths."""
    return np.dtype(np.float64) if dtype == EXTENDED else dtype
