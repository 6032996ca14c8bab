"""CPU engine on a weighted graph: distances from 64 sources at once where these lie close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.edge_weights import Lengths, TooFar, TooShort
from ...graph.graph import Graph
from ..contract import Group
from .kernels import brandes_weighted, radix_sort, sssp_batch, sssp_buckets
from .kernels.simd import LANES

WIDTH = sssp_batch.WIDTH


def workspace_bytes(graph: Graph, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """State of one source with a queue of any kind, distances from a group, and the sums."""
    entries = graph.arcs + 1
    together = graph.n * (8 * WIDTH + 1 + 8 * LANES + 2 * 8 + 4)
    state = graph.n * (2 * dtype.itemsize + 8 + 4 + 8) + 4 * entries
    added = graph.n * 8 * (len(sums - {"arcs"}) + ("stress" in sums))
    arcs = 4 * 8 * entries if "arcs" in sums else 0
    return together + state + added + arcs + sssp_buckets.queue_bytes(graph.n, entries)


class WeightedWorkspace:
    """State of one source, and the sums over sources."""

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        n, entries = graph.n, graph.arcs + 1
        queue = sssp_buckets.queue(lengths.outgoing, n)
        beyond_floats = dtype == EXTENDED
        real = np.dtype(np.float64) if beyond_floats else dtype

        def wanted(name: str, size: int) -> NDArray[np.float64]:
            return np.zeros(size if name in sums else 0)

        self.dependency = wanted("dependency", n)
        self.squares = wanted("squares", n)
        self.stress = wanted("stress", n)
        self.arcs = wanted("arcs", graph.arcs)
        self.ends = wanted("ends", n)
        self.stop = stop
        # Width of the buckets to sort distances into, and state of a group that may be so sorted.
        self._width = sssp_buckets.WIDTH * lengths.shortest
        self._sortable = n * float(lengths.outgoing.max()) < radix_sort.MOST * self._width
        self._together: tuple[sssp_batch.Rows, radix_sort.Sorting] | None = None
        # Place in A' of each entry of A: the kernel sums by those, in the order in which it meets
        # tight edges.
        self._places = np.zeros(0, dtype=np.int64)
        if "arcs" in sums:
            numbered = graph.incoming.matrix(np.arange(graph.arcs))
            self._places = numbered.T.tocsr().data
        self._paths = brandes_weighted.Paths(
            *graph.outgoing,
            lengths.outgoing,
            *graph.incoming,
            lengths.incoming,
            rule=brandes_weighted.Rule(lengths.rtol, lengths.limit, lengths.safe_distance),
            queue=queue,
            counts=graph.symmetric and not queue.distances.size and not beyond_floats,
            omega=omega.astype(real),
            sigma=np.zeros(n, dtype=real),
            exponent=np.zeros(n if beyond_floats else 0, dtype=np.int64),
            distance=np.full(n, np.inf),
            order=np.empty(n, dtype=np.int32),
            tails=np.empty(entries, dtype=np.int32),
            entries=np.empty(entries if "arcs" in sums else 0, dtype=np.int64),
            starts=np.empty(n + 1, dtype=np.int64),
            beyond=wanted("stress", n),
            max_sigma=np.zeros(1),
            fault=np.zeros(2, dtype=np.int64),
            dependency=self.dependency,
            squares=self.squares,
            arcs=wanted("arcs", graph.arcs),
            stress=self.stress,
            stop=stop,
        )

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep source after source."""
        self._paths.max_sigma[:] = 0
        self._paths.arcs[:] = 0
        for group in groups:
            outcome = self._sweep(group)
            if outcome == brandes_weighted.TOO_FAR:
                raise TooFar
            if outcome == brandes_weighted.TOO_SHORT:
                raise TooShort(*self._paths.fault)
            if outcome == brandes_weighted.STOPPED:
                return
        self.arcs += self._paths.arcs[self._places]

    def _sweep(self, group: Group) -> int:
        """Sweep one group; sources that lie close together share the search for distances."""
        sources, alpha = group.sources, group.alpha
        if not (group.compact and self._sortable):
            return int(brandes_weighted.run(self._paths, sources, alpha, self.ends))
        if self._together is None:
            n = self._paths.order.size
            self._together = sssp_batch.empty_rows(n), radix_sort.sorting(n, self._width)
        return int(
            brandes_weighted.run_together(self._paths, *self._together, sources, alpha, self.ends)
        )

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        return float(self._paths.max_sigma[0])
