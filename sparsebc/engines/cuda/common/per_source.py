"""A block of threads to a source: what its launchers share, whatever a search finds."""

from collections.abc import Mapping, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.brandes import EXTENDED
from ...common.sums import SUMS, Batch, count_limit
from ..layout import BY_NODE, WHOLE, Plan, flags_of, has_small_balls, pointer_type
from ..runtime.allocation import InFlight
from ..runtime.copies import as_reals, clear, download, upload_many
from ..runtime.kernels import allow_shared, for_each, kernels
from ..runtime.source import Struct
from . import seeds

REDUCE_THREADS = 256
MOST_WORKERS = 1 << 20  # that share the sources, and so decide on the order of additions

# Arcs times sources of a worker in one launch, of which some tenths of a second are enough: between
# two a run may be stopped. Where a search ends near its source, sources alone.
LAUNCH_ARCS, BALL_LAUNCH = 1 << 26, 128


class PerSource:
    """The graph on the device, and the state of as many workers as the memory holds.

    A worker is a block of threads and its state. Worker k takes the sources k, k + workers, ...;
    the partial sums of the workers, for each name in ``_totals`` an array of their state, are added
    up in their order.
    """

    _file: str  # source of the kernel
    _struct: Struct  # its argument
    _kernel: Any
    _threads: int  # of a block
    _shared = 0  # bytes of shared memory, beside what the kernel has declared

    def __init__(
        self, graph: Graph, plan: Plan, workers: int, memory: int, stop: NDArray[np.uint8]
    ) -> None:
        self.stop, self._graph, self._pointer = stop, graph, pointer_type(graph.arcs)
        self._workers = min(workers, MOST_WORKERS)
        self._at_once = plan.slots(memory, self._workers)
        self._reduce = kernels("common/reduce.cu", ("reduce",))["reduce"]
        self._constants: dict[str, float] = {"n": graph.n, "columns": graph.limits.size}
        # These outlive a run.
        self._arrays: dict[str, Any] = {"cutoffs": _cutoffs(graph)}
        self._totals: dict[str, Any] = {
            name: cupy.zeros(size // 8)
            for name, size in plan.state.items()
            if name in ("sums", "shares") and size
        }
        self._held = InFlight(plan.sizes, "one source", graph.n)

    def _instance(self, name: str, *arguments: Any) -> Any:
        """The kernel of a name for template arguments, with shared memory enough."""
        kernel = kernels(self._file, (name,), *arguments)[name]
        allow_shared(kernel, self._shared)
        return kernel

    def _check(self) -> None:
        """Wait for a launch, as the next may be stopped; raise the error that it has met."""
        cupy.cuda.get_current_stream().synchronize()

    def _launches(self, workers: int, count: int) -> list[tuple[int, int]]:
        """First and last place of the sources of each launch, which all workers share."""
        graph = self._graph
        turns = BALL_LAUNCH if has_small_balls(graph) else LAUNCH_ARCS // max(graph.arcs, 1)
        size = workers * max(1, turns)
        return [(begin, min(begin + size, count)) for begin in range(0, count, size)]

    def _search_all(self, count: int) -> None:
        """Search from so many sources that are there, one after the other by each worker."""
        for total in self._totals.values():
            clear(total)
        self._search_from(count)

    def _search_from(self, count: int) -> None:
        """Search from so many sources, as many workers at once as fit; adds to the totals."""
        workers = min(self._workers, count)
        first = 0
        while first < workers and not self.stop[0]:
            resident = self._held.reserve(min(self._at_once, workers - first))
            self._search_some(first, resident, workers, count)
            first += resident

    def _search_some(self, first: int, resident: int, workers: int, count: int) -> None:
        """Search from the sources of the workers from the first on."""
        held = self._held.arrays
        state = self._state(workers)
        for name in self._totals:
            clear(held[name])
        for begin, end in self._launches(workers, count):
            if self.stop[0]:
                return
            numbers = map(np.int32, (first, begin, end))
            self._kernel((resident,), (self._threads,), (state, *numbers), shared_mem=self._shared)
            self._check()
        for name, total in self._totals.items():
            parts = held[name], np.uint64(total.size), np.uint32(resident)
            for_each(self._reduce, total.size, REDUCE_THREADS, *parts, total)

    def _state(self, workers: int) -> NDArray[Any]:
        """Argument of a kernel."""
        values = {**self._constants, **self._arrays, **self._held.arrays, "workers": workers}
        return self._struct.pack(values)


class PathSums(PerSource):
    """Sums of paths over sources: an attribute for each that is wanted."""

    def __init__(
        self,
        graph: Graph,
        sweep: Sweep,
        plan: Plan,
        workers: int,
        memory: int,
        stop: NDArray[np.uint8],
    ) -> None:
        super().__init__(graph, plan, workers, memory, stop)
        self._dtype, self._sums = sweep.dtype, sweep.sums
        self._flags = flags_of(sweep.sums, seeded=sweep.seeds is not None)
        self._constants["limit"] = count_limit(sweep.dtype, sweep.seeds is not None)
        for name in sweep.sums:
            setattr(self, name, graph.ops.xp.zeros(sum_size(graph, name)))
        each = graph.n * graph.limits.size
        self._arrays |= {
            **upload_many(omega=as_reals(sweep.omega, weights_type(sweep.dtype))),
            **seeds.on_device(graph, sweep),
            "max_sigma": cupy.zeros(1, np.uint64),
            "departures": cupy.zeros(each if "departures" in sweep.sums else 0),
        }

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the sources of the batches."""
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


def sum_size(graph: Graph, name: str) -> int:
    """Numbers of a sum of `engines.common.sums`."""
    return graph.limits.size * (graph.arcs if SUMS[name].by_arc else graph.n)


def sum_bytes(graph: Graph, sums: frozenset[str], shares: int) -> dict[str, int]:
    """Bytes of what a worker sums, with so many shares of arcs."""
    each = {"sums": graph.n * len(sums & {*BY_NODE}), "shares": shares * ("arcs" in sums)}
    return {name: 8 * graph.limits.size * size for name, size in each.items()}


def order_bytes(graph: Graph, sweep: Sweep) -> dict[str, int]:
    """Bytes of the nodes of a worker, level by level, and of path counts for several columns."""
    n, several = graph.n, graph.limits.size > 1
    return {"order": 4 * n, "starts": 4 * (n + 2), "counts": several * n * sweep.dtype.itemsize}


def path_plan(graph: Graph, sweep: Sweep, shares: int, state: Mapping[str, int]) -> Plan:
    """Weights, results and totals, beside the sums of a worker and the other state that it has.

    The worker's own weights of targets, with seeds, are a number a node unless the state says so.
    """
    own = sum_bytes(graph, sweep.sums, shares)
    columns = graph.limits.size
    by_arc = 8 * columns * graph.arcs * ("arcs" in sweep.sums)
    weight = weights_type(sweep.dtype).itemsize
    row = 2 * weight + 8 * len(sweep.sums) * columns
    fixed = sum(own.values()) + by_arc + graph.n * row + seeds.nbytes(graph, sweep)
    targets = {"seeds": graph.n * weight * (sweep.seeds is not None)}
    return Plan(fixed + (1 << 16), {**own, **targets, **state})


def _cutoffs(graph: Graph) -> Any:
    """Cutoffs of a graph on the device, levels or lengths; None where it has none."""
    if not graph.cutoffs:
        return None
    return cupy.asarray(graph.limits if graph.lengths else graph.limits.astype(np.int32))


def weights_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the weights beside a type of path counts: that of a share of paths."""
    return np.dtype(np.float64) if dtype == EXTENDED else dtype
