"""A block of threads to a source: what its launchers share, whatever a search finds."""

from collections.abc import Mapping, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import EXTENDED, Sweep, count_limit
from ...common.sums import Batch, sizes_of
from ..layout import BY_NODE, Plan, has_small_balls, pointer_type
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


class Workers:
    """The graph on the device, and the state of as many workers as the memory holds.

    A worker is a block of threads and its state. Worker k takes the sources k, k + workers, ...;
    the partial sums of the workers, for each name in ``totals`` an array of their state, are added
    up in their order. The source of the kernel is that of its argument, ``struct``.
    """

    shares = False  # whether a launch has places of each worker's share, else of all sources

    def __init__(
        self,
        struct: Struct,
        graph: Graph,
        plan: Plan,
        workers: int,
        memory: int,
        stop: NDArray[np.uint8],
    ) -> None:
        self.graph, self.pointer = graph, pointer_type(graph.arcs)
        self._struct, self._stop = struct, stop
        self._most = min(workers, MOST_WORKERS)
        self._at_once = plan.slots(memory, self._most)
        self._turns = BALL_LAUNCH if has_small_balls(graph) else LAUNCH_ARCS // max(graph.arcs, 1)
        self._reduce = kernels("common/totals.cu", ("reduce",))["reduce"]
        limits = graph.limits if graph.lengths else graph.limits.astype(np.int32)
        # Fields of the argument: numbers, and arrays that outlive a run.
        self.values: dict[str, Any] = {
            "n": graph.n,
            "columns": graph.limits.size,
            "cutoffs": cupy.asarray(limits) if graph.cutoffs else None,
            "too_far": None,
        }
        self.totals: dict[str, Any] = {
            name: cupy.zeros(size // 8)
            for name, size in plan.state.items()
            if name in ("sums", "shares") and size
        }
        self._held = InFlight(plan.sizes, "one source", graph.n)

    def compile(self, name: str, *arguments: Any, threads: int, shared: int = 0) -> None:
        """The kernel of a name for template arguments; its threads, and bytes of shared memory."""
        self._kernel = kernels(self._struct.file, (name,), *arguments)[name]
        self._threads, self._shared = threads, shared
        allow_shared(self._kernel, shared)

    def take(self, batches: Sequence[Batch], **weights: NDArray[Any]) -> int:
        """Upload the sources, and their weights; returns how many workers share."""
        sources = np.concatenate([batch.sources for batch in batches])
        self.values |= upload_many(sources=sources, **weights)
        return sources.size

    def search(self, batches: Sequence[Batch], **weights: NDArray[Any]) -> None:
        """Search from the sources of the batches, as many workers at once as fit."""
        count = self.take(batches, **weights)
        for total in self.totals.values():
            clear(total)
        workers, first, turns = min(self._most, count), 0, max(1, self._turns)
        while first < workers and not self._stop[0]:
            last, size = (-(-count // workers), turns) if self.shares else (count, workers * turns)
            resident = self._held.reserve(min(self._at_once, workers - first))
            held = self._held.arrays
            state = self._struct.pack({**self.values, **held, "workers": workers})
            for name in self.totals:
                clear(held[name])
            for begin in range(0, last, size):
                if self._stop[0]:
                    return
                given = state, *map(np.int32, (first, begin, min(begin + size, last)))
                self._kernel((resident,), (self._threads,), given, shared_mem=self._shared)
                if self.values["too_far"] is None:
                    cupy.cuda.get_current_stream().synchronize()  # the next one may be stopped
                elif download(self.values["too_far"])[0]:  # device to host
                    assert self.graph.lengths is not None
                    raise self.graph.lengths.too_far
            for name, total in self.totals.items():
                parts = held[name], np.uint64(total.size), np.uint32(resident)
                for_each(self._reduce, total.size, REDUCE_THREADS, *parts, total)
            first += resident


class PathSums:
    """Sums of paths over sources: an attribute for each that is wanted."""

    def __init__(self, workers: Workers, sweep: Sweep, places: Any = slice(None)) -> None:
        """``places`` has those of the arcs among the shares of a worker."""
        self._workers, self._places, self._sums = workers, places, sweep.sums
        self._real, graph = weights_type(sweep.dtype), workers.graph
        for name, size in sizes_of(sweep.sums, graph).items():
            setattr(self, name, graph.ops.xp.zeros(size))
        workers.values |= {
            **upload_many(omega=as_reals(sweep.omega, self._real)),
            **seeds.on_device(graph, sweep),
            "max_sigma": cupy.zeros(1, np.uint64),
            "limit": count_limit(sweep.dtype, sweep.seeds is not None),
        }

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the sources of the batches, one after the other."""
        alpha = np.concatenate([batch.alpha for batch in batches])
        clear(self._workers.values["max_sigma"])
        self._workers.search(batches, alpha=alpha.astype(self._real, copy=False))
        totals, by_node = self._workers.totals, [name for name in BY_NODE if name in self._sums]
        each = totals["sums"].reshape(-1, len(by_node)).T if by_node else ()
        sums = dict(zip(by_node, each, strict=True))
        if "arcs" in self._sums:
            shares = totals["shares"].reshape(self._workers.graph.limits.size, -1)
            sums["arcs"] = shares[:, self._places].ravel()
        for name, total in sums.items():
            values = getattr(self, name)  # device to host, if the graph is small
            values += download(total) if isinstance(values, np.ndarray) else total

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        return float(download(self._workers.values["max_sigma"].view(np.float64))[0])


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
