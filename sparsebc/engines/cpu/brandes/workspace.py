"""Betweenness on the CPU by edges: 64 sources at once where they lie close, else one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....brandes import EXTENDED
from ....graph.graph import Graph
from ...common.base import Sweep
from ...common.batch import Batch
from ...common.sums import needs_g_and_h
from ..common import seeds, short_rows, sums
from ..common.outcomes import ALONE
from ..common.simd import WIDTH
from ..common.sought import sought
from ..common.state import Sizes, allocated, nbytes_of
from ..common.workspace import KernelWorkspace, real_of
from . import brandes_batch, brandes_source
from .brandes_batch import BatchState
from .brandes_source import ROOM, Source


def least_bytes(graph: Graph, sweep: Sweep) -> int:
    """A batch's state, that of a single source for those that do not fit its level lists, sums."""
    batch = 0 if sweep.dtype == EXTENDED else nbytes_of(BatchState, batch_sizes(graph, sweep))
    return batch + source_bytes(graph, sweep)


def source_bytes(graph: Graph, sweep: Sweep) -> int:
    """The state of `one_source`, and sums."""
    source = nbytes_of(Source, source_sizes(graph, sweep))
    rows = short_rows.nbytes(graph.n, graph.arcs) + seeds.nbytes(graph, sweep)
    return source + rows + sums.nbytes(sweep.sums, graph)


def batch_sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Of a batch; g and h are kept apart where both are needed, from sigma if limits are."""
    n, stress, degrees = graph.n, "stress" in sweep.sums, (graph.outgoing, graph.incoming)
    return {
        "real": sweep.dtype,
        "n": n,
        "entries": n * WIDTH,
        "entries of g": n * WIDTH * (graph.limits.size > 1),
        "entries of h": n * WIDTH * needs_g_and_h(sweep.sums),
        "rows of stress": n * stress,
        "entries of stress": n * WIDTH * stress,
        "listed": brandes_batch.SPREAD * n + 2 * WIDTH,
        "steps": 2 * n + 2,
        "neighbors": 1 + max(int(one.degrees.max(initial=0)) for one in degrees),
    }


def source_sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Of a single source; of the two directions of an edge at most one is tight."""
    n, tight = graph.n, graph.arcs // (2 if graph.symmetric else 1) + 1
    return {
        "real": real_of(sweep.dtype),
        "n": n,
        "nodes of g": n * (graph.limits.size > 1),
        "nodes of h": n * ("stress" in sweep.sums),
        "exponents": n if sweep.dtype == EXTENDED else None,
        "levels": n + 2,
        "queue": n + ROOM,
        "tight": tight,
        "entries": tight * ("arcs" in sweep.sums),
    }


def one_source(
    graph: Graph, sweep: Sweep, added: Any, stop: NDArray[np.uint8], ends: bool = False
) -> Any:
    """State of no source; a search ``ends`` with the last target, or reaches all nodes."""
    omega = sweep.omega.astype(real_of(sweep.dtype))
    targets = seeds.targets(graph, sweep, omega)
    if sweep.seeds is not None:
        omega = np.zeros_like(omega)
    made = allocated(
        Source,
        source_sizes(graph, sweep),
        rows=short_rows.with_records(graph.outgoing),
        targets=targets,
        omega=omega,
        omega_h=omega,
        limits=graph.limits,
        sought=sought(sweep, targets) if ends else sought(),
        sums=added,
        stop=stop,
    )
    return made._replace(
        g=made.g if made.g.size else made.sigma, h=made.h if made.h.size else made.sigma
    )


class BrandesWorkspace(KernelWorkspace):
    """State of one batch and of one source, and the sums over batches."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        self._source, self._batch = one_source(graph, sweep, self.added, stop, True), None
        self.largest = [self._source.max_sigma]
        targets = self._source.targets
        if sweep.dtype != EXTENDED:
            made = allocated(
                BatchState,
                batch_sizes(graph, sweep),
                outgoing=graph.outgoing,
                incoming=graph.incoming,
                omega=targets.omega,
                by_level=targets.by_level,
                limits=graph.limits,
                sums=self.added,
                stop=stop,
            )
            g = made.g if made.g.size else made.sigma
            self._batch = made._replace(g=g, h=made.h if made.h.size else g)
            self.largest.append(made.max_sigma)

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """At once if its sources lie close together and floats hold the counts; or one by one."""
        alpha = batch.alpha.astype(self._source.alpha.dtype)
        if batch.clustered and self._batch is not None:
            self._batch.alpha[: alpha.size] = alpha
            self._batch.start[: alpha.size] = 0 if batch.starts is None else batch.starts
            yield brandes_batch.run, self._batch, batch.sources
            if self.outcome != ALONE:
                return
        yield brandes_source.run, self._source, batch.sources, alpha
