"""Workspaces of unweighted betweenness: 64 clustered sources at once, or single sources."""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import EXTENDED, Sweep
from ...common.sums import Batch, needs_g_and_h, sizes_of
from ..common import short_rows
from ..common.simd import WIDTH
from ..common.state import LEFT, KernelWorkspace, Sizes, allocated, nbytes_of
from ..common.targets import TARGET_BYTES, new_targets, sought
from . import brandes_batch, brandes_source
from .brandes_batch import BatchState
from .brandes_source import Source


def nbytes(graph: Graph, sweep: Sweep, *kinds: Any) -> int:
    """Bytes of states, of the records and targets of `one_source`, and of the sums."""
    needed = nbytes_of(sizes(graph, sweep), *kinds) + 8 * sum(sizes_of(sweep.sums, graph).values())
    if sweep.seeds is not None:
        needed += TARGET_BYTES * graph.n
    return needed + short_rows.nbytes(graph.n, graph.arcs)


def sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Sizes of `BatchState` and of `Source`.

    In a batch with one cutoff g overwrites sigma, and h an unused g. Of the two arcs of an edge at
    most one is tight.
    """
    n, tight, cutoffs = graph.n, graph.arcs // (2 if graph.symmetric else 1) + 1, len(graph.cutoffs)
    longest = max(int(np.diff(pattern.indptr).max()) for pattern in graph.patterns) if n else 0
    return {
        "n": n,
        "cells": n * WIDTH,
        "cells of g": n * WIDTH * (cutoffs > 1),
        "cells of h": n * WIDTH * needs_g_and_h(sweep.sums),
        "listed": brandes_batch.SPREAD * n + 2 * WIDTH,
        "steps": 2 * n + 2,
        "neighbors": 1 + longest,
        "nodes of g": n * (cutoffs > 1),
        "nodes of h": n * ("stress" in sweep.sums),
        "exponents": n if sweep.dtype == EXTENDED else None,
        "levels": n + 2,
        "queue": n + short_rows.ROOM,
        "tight": tight,
        "entries": tight * ("arcs" in sweep.sums),
    }


def one_source(
    graph: Graph, sweep: Sweep, added: Any, stop: NDArray[np.uint8], ends: bool = False
) -> Any:
    """Initial state of `Source`; if ``ends``, a search may end at its last target."""
    omega = sweep.omega.copy()  # sweeps of chains write it
    targets = new_targets(graph, sweep, omega)
    if sweep.seeds is not None:
        omega = np.zeros_like(omega)
    made = allocated(
        Source,
        sizes(graph, sweep),
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
    """State of a batch, that of a single source (made on first use), and the sums."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the states of a batch and of a single source, its fallback, and of the sums."""
        return nbytes(graph, sweep, Source, *([BatchState] if sweep.dtype != EXTENDED else []))

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        self._given = graph, sweep, self.added, stop
        self._batch: Any = None
        if sweep.dtype != EXTENDED:
            targets: Any = new_targets(graph, sweep, sweep.omega)
            made = allocated(
                BatchState,
                sizes(graph, sweep),
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

    @functools.cached_property
    def _source(self) -> Any:
        made = one_source(*self._given, ends=True)
        self.largest.append(made.max_sigma)
        return made

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The batch kernel for clustered sources, unless counts are extended; or single sources."""
        if batch.clustered and self._batch is not None:
            self._batch.alpha[: batch.alpha.size] = batch.alpha
            self._batch.start[: batch.alpha.size] = 0 if batch.starts is None else batch.starts
            yield brandes_batch.run, self._batch, batch.sources
            if self.outcome != LEFT:
                return
        yield brandes_source.run, self._source, batch.sources, batch.alpha
