"""Workspace of weighted betweenness: eight clustered sources at once, or single sources."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import EXTENDED, Sweep
from ...common.sums import Batch, sizes_of
from ..common.state import LEFT, KernelWorkspace, Sizes, allocated, nbytes_of
from ..common.targets import TARGET_BYTES, new_targets, sought
from ..sssp import sssp, sssp_high_diameter
from . import brandes_weighted, brandes_weighted_high_diameter


def source_bytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of the state of one source, whatever the queue, and of the sums."""
    made = _sizes(graph, sweep)
    state = nbytes_of(made, sssp.TightEdges, brandes_weighted.Paths)
    by_arc = 16 * graph.arcs * ("arcs" in sweep.sums)
    found = sssp.search_bytes(graph.n, graph.arcs) + 8 * sum(sizes_of(sweep.sums, graph).values())
    if sweep.seeds is not None:
        found += TARGET_BYTES * graph.n
    return state + by_arc + found


def _sizes(graph: Graph, sweep: Sweep) -> Sizes:
    n, tight = graph.n, graph.arcs + 1
    return {
        "n": n,
        "starts": n + 1,
        "tight": tight,
        "entries": tight * ("arcs" in sweep.sums),
        "exponents": n if sweep.dtype == EXTENDED else None,
        "nodes of sum_g": n * (graph.limits.size > 1),
        "nodes of h": n * ("stress" in sweep.sums),
    }


class WeightedWorkspace(KernelWorkspace):
    """States of single sources and of eight at once, and the sums."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the states of a source, and of eight at once on a high-diameter graph."""
        together = 0
        if _has_high_diameter(graph):
            of_eight = nbytes_of(
                brandes_weighted_high_diameter.sizes(graph, sweep),
                brandes_weighted_high_diameter.Columns,
            )
            together = of_eight + sssp_high_diameter.nbytes(graph)
        return together + source_bytes(graph, sweep)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        assert graph.lengths is not None
        self._graph, self._sweep = graph, sweep
        lengths, limits, extended = graph.lengths, graph.limits, sweep.dtype == EXTENDED
        by_arc = "arcs" in sweep.sums
        # Entry of A' of each entry of A: the kernel sums in the order of A', as it reads edges.
        self._arcs = np.zeros(limits.size * graph.arcs if by_arc else 0)
        self._places = np.zeros(0, dtype=np.int64)
        if by_arc:
            self._places = graph.ops.counterparts(graph.incoming, graph.outgoing)
        self._in_order = _has_high_diameter(graph) and not extended
        self._eight: Any = None  # state of eight sources in a shared order, made on first use
        made = _sizes(graph, sweep)
        weights = sweep.omega.copy()  # sweeps of chains write them
        targets = new_targets(graph, sweep, weights)
        until = sought(sweep, targets)
        search = sssp.search(*graph.outgoing, lengths.outgoing, stop, limits[-1], until)
        if targets is not None:
            weights = np.zeros_like(weights)
        paths = allocated(
            brandes_weighted.Paths,
            made,
            search=search,
            tight=allocated(
                sssp.TightEdges,
                made,
                as_found=graph.symmetric and not extended,
                tau=lengths.tau,
            ),
            limits=limits,
            incoming=graph.incoming,
            in_lengths=lengths.incoming,
            farthest=lengths.limit,
            targets=targets,
            omega=weights,
            omega_h=weights,
            sums=self.added._replace(arcs=self._arcs),
        )
        self._paths = paths if limits.size > 1 else paths._replace(sum_g=search.distance)
        self.largest = [paths.max_sigma]

    def run(self, batches: Sequence[Batch]) -> None:
        """Sweep the batches in order, then add the sums over arcs in the order of A."""
        self._arcs[:] = 0
        super().run(batches)
        columns = self._arcs.reshape(-1, max(self._places.size, 1))
        np.add(self.added.arcs, columns[:, self._places].ravel(), out=self.added.arcs)

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The kernel of clustered sources, then that of the single sources that it left over."""
        sources, alpha, first = batch.sources, batch.alpha, 0
        graph, paths = self._graph, self._paths
        if batch.clustered and self._in_order:
            if self._eight is None:
                order, incoming = sssp_high_diameter.shared_order(graph)
                same = "limits", "farthest", "targets", "omega", "sums", "max_sigma"
                self._eight = allocated(
                    brandes_weighted_high_diameter.Columns,
                    brandes_weighted_high_diameter.sizes(graph, self._sweep),
                    shared=order,
                    incoming=incoming,
                    symmetric=graph.symmetric,
                    places=self._places,
                    tau=paths.tight.tau,
                    order=paths.search.order,
                    **{name: getattr(paths, name) for name in same},
                )
            reverse = *paths.incoming, paths.in_lengths
            given = self._eight, paths.search, reverse, sources, alpha
            yield sssp.run, paths.search, sources
            yield brandes_weighted_high_diameter.run, *given
            first = self.outcome - LEFT
        if first >= 0:
            yield brandes_weighted.run, paths, sources[first:], alpha[first:]


def _has_high_diameter(graph: Graph) -> bool:
    """Whether the graph or its reverse has a high diameter."""
    ways = (graph,) if graph.symmetric else (graph, graph.reverse())
    return any(way.traits.high_diameter for way in ways)
