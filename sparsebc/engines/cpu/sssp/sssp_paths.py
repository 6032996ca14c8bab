"""Distances and predecessors from one source after the other, by length."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....jit import kernel, stopped
from ..msbfs.msbfs import NO_PREDECESSOR
from .sssp_heap import sssp


@kernel
def run(search: Any, sources: Any, distances: Any, predecessors: Any) -> None:
    """Row j of both from ``sources[j]``, as `scipy.sparse.csgraph.dijkstra` returns them."""
    for j in range(sources.size):
        row, tree = distances[j], predecessors[j]
        tree[:] = NO_PREDECESSOR
        sssp(search, sources[j], None, tree)
        if stopped(search.stop):
            return
        for v in range(row.size):
            row[v] = search.distance[v]
            search.distance[v] = np.inf
