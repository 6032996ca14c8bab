"""A block of threads to a source: what its launchers share, whatever a search finds."""

from collections.abc import Mapping, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.counts import EXTENDED, count_limit
from ...common.sums import Batch, sizes_of
from ..layout import BY_NODE, Plan, flags_of, has_small_balls, pointer_type
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
        self._reduce = kernels("common/totals.cu", ("reduce",))["reduce"]
        self._constants: dict[str, float] = {"n": graph.n, "columns": graph.limits.size}
        # These outlive a run.
        limits = graph.limits if graph.lengths else graph.limits.astype(np.int32)
        self._arrays: dict[str, Any] = {"cutoffs": cupy.asarray(limits) if graph.cutoffs else None}
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

    def _search(self, count: int) -> None:
        """Search from so many sources that are there, as many workers at once as fit."""
        for total in self._totals.values():
            clear(total)
        workers, first = min(self._workers, count), 0
        while first < workers and not self.stop[0]:
            resident = self._held.reserve(min(self._at_once, workers - first))
            held = self._held.arrays
            values = {**self._constants, **self._arrays, **held, "workers": workers}
            state = self._struct.pack(values)
            for name in self._totals:
                clear(held[name])
            for begin, end in self._launches(workers, count):
                if self.stop[0]:
                    return
                given = state, *map(np.int32, (first, begin, end))
                self._kernel((resident,), (self._threads,), given, shared_mem=self._shared)
                self._check()
            for name, total in self._totals.items():
                parts = held[name], np.uint64(total.size), np.uint32(resident)
                for_each(self._reduce, total.size, REDUCE_THREADS, *parts, total)
            first += resident


class PathSums(PerSource):
    """Sums of paths over sources: an attribute for each that is wanted."""

    _places: Any = slice(None)  # of the arcs among the shares of a worker

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
        for name, size in sizes_of(sweep.sums, graph).items():
            setattr(self, name, graph.ops.xp.zeros(size))
        self._arrays |= {
            **upload_many(omega=as_reals(sweep.omega, weights_type(sweep.dtype))),
            **seeds.on_device(graph, sweep),
            "max_sigma": cupy.zeros(1, np.uint64),
        }

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the sources of the batches, one after the other."""
        alpha = np.concatenate([batch.alpha for batch in batches]).astype(weights_type(self._dtype))
        sources = np.concatenate([batch.sources for batch in batches])
        self._arrays |= upload_many(alpha=alpha, sources=sources)
        clear(self._arrays["max_sigma"])
        self._search(sources.size)
        sums, by_node = {}, [name for name in BY_NODE if name in self._sums]
        if by_node:
            each = self._totals["sums"].reshape(-1, len(by_node)).T
            sums = dict(zip(by_node, each, strict=True))
        if "arcs" in self._sums:
            shares = self._totals["shares"].reshape(self._graph.limits.size, -1)
            sums["arcs"] = shares[:, self._places].ravel()
        for name, total in sums.items():
            values = getattr(self, name)  # device to host, if the graph is small
            values += download(total) if isinstance(values, np.ndarray) else total

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        return float(download(self._arrays["max_sigma"].view(np.float64))[0])


def order_bytes(graph: Graph, sweep: Sweep) -> dict[str, int]:
    """Bytes of the nodes of a worker, level by level, and of path counts for several columns."""
    n, several = graph.n, graph.limits.size > 1
    return {"order": 4 * n, "starts": 4 * (n + 2), "counts": several * n * sweep.dtype.itemsize}


def path_plan(
    graph: Graph, sweep: Sweep, shares: int, beside: int, state: Mapping[str, int]
) -> Plan:
    """Weights, results and totals, and so many bytes beside; of a worker its sums, and its state.

    The worker's own weights of targets, with seeds, are a number a node unless the state says so.
    """
    n, column, of_arcs = graph.n, 8 * graph.limits.size, "arcs" in sweep.sums
    weight = weights_type(sweep.dtype).itemsize
    own = {"sums": column * n * len(sweep.sums & {*BY_NODE}), "shares": column * shares * of_arcs}
    row = 2 * weight + column * len(sweep.sums)
    fixed = sum(own.values()) + column * graph.arcs * of_arcs + n * row + beside
    targets = {"seeds": n * weight * (sweep.seeds is not None)}
    return Plan(fixed + seeds.nbytes(graph, sweep) + (1 << 16), {**own, **targets, **state})


def weights_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the weights beside a type of path counts: that of a share of paths."""
    return np.dtype(np.float64) if dtype == EXTENDED else dtype
