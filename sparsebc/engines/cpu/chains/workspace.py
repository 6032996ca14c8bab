"""Workspaces of sweeps from the ends of chains, with all searches of a batch kept."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.sums import Batch, Chains
from ..brandes import workspace as unweighted
from ..brandes.brandes_source import Source
from ..brandes_weighted import workspace as weighted
from ..common.state import KernelWorkspace, Sizes, allocated, nbytes_of
from . import brandes_chains, chains, chains_weighted


def _sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Sizes of `Columns`."""
    sizes = {
        **unweighted.sizes(graph, sweep),
        "ends": sweep.width,
        "distance": np.int32,
        "nowhere": chains.NOWHERE,
        "nodes of stress": graph.n * ("stress" in sweep.sums),
        "rows": graph.n + 1,
    }
    if graph.lengths:
        sizes |= {"distance": np.float64, "nowhere": np.inf, "queue": graph.n}
        sizes |= {"tight": None, "entries": None}
    return sizes


def _ends(batch: Batch, columns: Any, places: NDArray[np.int64] | None = None) -> Any:
    """`Ends` of a batch; ``places``, if any, renumber the arcs of its chains."""
    own = batch.chains or Chains.none()
    if places is not None and places.size:
        own = own._replace(arcs=places[own.arcs])
    others = np.empty(0, dtype=np.int32) if batch.others is None else batch.others
    sizes = chains.sizes(int(np.diff(own.start).max(initial=0)), columns.distance.dtype)
    given = {"sources": batch.sources, "alpha": batch.alpha, "others": others, "chains": own}
    return allocated(chains.Ends, sizes, **given)


class ChainWorkspace(KernelWorkspace):
    """State of a batch of ends of chains, unweighted, and the sums."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the searches of a batch, of one source, of the longest chain, and of sums."""
        sizes = _sizes(graph, sweep)
        longest = chains.sizes(graph.n, sizes["distance"])
        needed = nbytes_of(sizes, chains.Columns) + nbytes_of(longest, chains.Ends)
        if graph.lengths:
            return needed + weighted.source_bytes(graph, sweep)
        return needed + unweighted.nbytes(graph, sweep, Source)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        source = unweighted.one_source(graph, sweep, self.added, stop)
        if "stress" in sweep.sums:
            source = source._replace(omega_h=source.omega.copy())
        self._source, self.largest = source, [source.max_sigma]
        self._columns = allocated(chains.Columns, _sizes(graph, sweep), omega=sweep.omega)

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """One kernel: all searches, then all backward phases."""
        ends = _ends(batch, self._columns)
        yield brandes_chains.run, self._source, self._columns, ends, self.added


class WeightedChainWorkspace(weighted.WeightedWorkspace):
    """State of a batch of ends of chains, weighted, and the sums."""

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep, stop)
        if "stress" in sweep.sums:
            self._paths = self._paths._replace(omega_h=self._paths.omega.copy())
        self._kept = allocated(chains.Columns, _sizes(graph, sweep), omega=sweep.omega)

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """All searches, then all backward phases."""
        ends, place = _ends(batch, self._kept, self._places), 0
        for some in (ends.sources, ends.others):
            yield chains_weighted.search, self._paths, self._kept, place, some
            place += some.size
        yield chains_weighted.accumulate, self._paths, self._kept, ends
