"""Betweenness on the CPU by length: distances from 64 sources at once where these lie close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....brandes import EXTENDED
from ....graph.edge_weights import TooFar, TooShort
from ....graph.graph import Graph
from ...base import Sweep
from ...batch import Batch
from ...sums import SUMS
from ..common import sums
from ..common.simd import LANES
from ..sssp import radix_sort, sssp_batch, sssp_buckets, sssp_clustered
from . import brandes_clustered, brandes_weighted

WIDTH = sssp_batch.WIDTH


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """State of one source, and of a batch, by a batch or by eight in the order of one."""
    dtype, names = sweep.dtype, sweep.sums
    together = batch_bytes(graph)
    if _is_deep(graph):
        by_eight = brandes_clustered.nbytes(graph.n, graph.arcs, graph.symmetric, names, dtype)
        together = max(together, by_eight)
    return together + source_bytes(graph, dtype, names)


def batch_bytes(graph: Graph) -> int:
    """Distances from a batch that are found at once."""
    return graph.n * (8 * WIDTH + 1 + 8 * LANES + 2 * 8 + 4)


def source_bytes(graph: Graph, dtype: np.dtype[Any], names: frozenset[str]) -> int:
    """State of one source with a queue of any kind, and the sums."""
    n, entries = graph.n, graph.arcs + 1
    state = n * (2 * dtype.itemsize + 8 + 8 * (graph.limits.size > 1)) + 4 * entries
    added = sums.nbytes(names, graph) + 8 * n * ("stress" in names)
    by_arc = 3 * 8 * entries if "arcs" in names else 0
    return state + added + by_arc + sssp_buckets.search_bytes(n, graph.arcs)


class WeightedWorkspace:
    """State of one source and of a batch's distances, and the sums over sources."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        assert graph.lengths is not None
        lengths, dtype, names = graph.lengths, sweep.dtype, sweep.sums
        n, entries = graph.n, graph.arcs + 1
        limits = graph.limits
        most = limits[-1] if graph.cutoffs else None
        search = sssp_buckets.search(*graph.outgoing, lengths.outgoing, stop, most)
        extended = dtype == EXTENDED
        real = np.dtype(np.float64) if extended else dtype
        by_arc = "arcs" in names

        self.stop = stop
        self._graph, self._names = graph, names
        added = sums.wanted(names, graph)
        for name in SUMS:
            setattr(self, name, getattr(added, name))
        # Place in A' of each entry of A: the kernel sums by those, in the order in which it meets
        # tight edges.
        self._arcs = np.zeros(limits.size * graph.arcs if by_arc else 0)
        self._places = np.zeros(0, dtype=np.int64)
        if by_arc:
            self._places = graph.ops.counterparts(graph.incoming, graph.outgoing)
        # Width of the buckets to sort distances into, and state of a batch that may be so sorted.
        # Nodes within a cutoff are few, and a source alone meets no others.
        self._width = sssp_buckets.WIDTH * lengths.shortest
        farthest = n * float(lengths.outgoing.max())
        self._shared = not graph.cutoffs and farthest < radix_sort.MAX_BUCKETS * self._width
        weights = sweep.omega.astype(real)
        self._batch: tuple[sssp_batch.BatchState, radix_sort.Sorting] | None = None
        self._in_order = _is_deep(graph) and not extended
        self._rows: brandes_clustered.Columns | None = None
        self._paths = brandes_weighted.Paths(
            search,
            search.distance if limits.size == 1 else np.empty(n),
            limits,
            *graph.incoming,
            lengths.incoming,
            rule=brandes_weighted.Rule(lengths.limit, lengths.safe_distance),
            omega=weights,
            omega_h=weights,
            tight=sssp_buckets.TightEdges(
                as_found=graph.symmetric and not search.queue.distances.size and not extended,
                rtol=lengths.rtol,
                sigma=np.zeros(n, dtype=real),
                tails=np.empty(entries, dtype=np.int32),
                entries=np.empty(entries if by_arc else 0, dtype=np.int64),
                starts=np.empty(n + 1, dtype=np.int64),
            ),
            exponent=np.zeros(n, dtype=np.int64) if extended else None,
            sum_h=np.zeros(n if "stress" in names else 0),
            max_sigma=np.zeros(1),
            fault=np.zeros(2, dtype=np.int64),
            sums=added._replace(arcs=self._arcs),
        )

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that sweep such batches, without a sweep."""
        for batch in batches:
            kernel, *arguments = self._kernel(batch)
            kernel.compile_for(*arguments)

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep source after source."""
        self._paths.max_sigma[:] = 0
        self._arcs[:] = 0
        for batch in batches:
            outcome = self._sweep(batch)
            if outcome == brandes_weighted.TOO_FAR:
                raise TooFar
            if outcome == brandes_weighted.TOO_SHORT:
                raise TooShort(*self._paths.fault)
            if outcome == brandes_weighted.STOPPED:
                return
        columns = self._arcs.reshape(-1, max(self._places.size, 1))
        vars(self)["arcs"] += columns[:, self._places].ravel()

    def _sweep(self, batch: Batch) -> int:
        """Sweep one batch."""
        kernel, *arguments = self._kernel(batch)
        outcome = int(kernel(*arguments))
        first = outcome - brandes_weighted.ALONE
        if first < 0:
            return outcome
        return int(brandes_weighted.run(self._paths, batch.sources[first:], batch.alpha[first:]))

    def _kernel(self, batch: Batch) -> tuple[Any, ...]:
        """Kernel of a batch and its arguments; near sources share the search for distances."""
        sources, alpha = batch.sources, batch.alpha
        if batch.clustered and self._shared and self._in_order:
            return brandes_clustered.run, self._eight(), self._paths, self._places, sources, alpha
        if batch.clustered and self._shared and sources.size > LANES:
            return brandes_weighted.run_batch, self._paths, *self._together(), sources, alpha
        return brandes_weighted.run, self._paths, sources, alpha

    def _eight(self) -> brandes_clustered.Columns:
        """State of eight sources in the order of one, made when the first batch comes."""
        if self._rows is None:
            graph, rule, real = self._graph, self._paths.rule, self._paths.tight.sigma.dtype
            near = sssp_clustered.near(
                *(graph.n, graph.arcs, float(self._paths.in_lengths.max())),
                min(rule.limit, rule.safe_distance),
            )
            self._rows = brandes_clustered.columns(
                near, graph.arcs, graph.symmetric, self._names, real
            )
        return self._rows

    def _together(self) -> tuple[sssp_batch.BatchState, radix_sort.Sorting]:
        """State of a batch whose distances are found at once, made when the first one comes."""
        if self._batch is None:
            n = self._paths.omega.size
            self._batch = sssp_batch.empty_batch(n), radix_sort.sorting(n, self._width)
        return self._batch

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        return float(self._paths.max_sigma[0])


def _is_deep(graph: Graph) -> bool:
    """Whether a search takes many levels, one way or the other."""
    return graph.traits.deep or (not graph.symmetric and graph.reverse().traits.deep)
