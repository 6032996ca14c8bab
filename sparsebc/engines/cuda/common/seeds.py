"""Decay and demand on a device, for the kernels that take seeds (`seeds.cuh`)."""

from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.decay import Decay
from ..layout import PAIR_WEIGHTS
from ..runtime.copies import upload_many


def on_device(graph: Graph, sweep: Sweep) -> dict[str, Any]:
    """Arrays of the field ``of_pairs`` of a state, by name; null where there are none."""
    arrays: dict[str, Any] = {}
    if sweep.seeds is not None:
        decay, demand = sweep.seeds
        arrays["decay"] = encoded(decay)
        if levels := _levels(graph):
            arrays["by_level"] = sweep.seeds.by_level(levels, graph.unit)
        if demand is not None:
            pattern, arrays["demand_values"] = demand
            arrays["demand_indptr"] = pattern.indptr.astype(np.int64)
            arrays["demand_indices"] = pattern.indices
    there = upload_many(**arrays)
    return {f"of_pairs.{name}": there.get(name) for name, *_ in PAIR_WEIGHTS.fields}


def nbytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of those on the device."""
    if sweep.seeds is None:
        return 0
    decay, demand = sweep.seeds
    size = encoded(decay).nbytes + 8 * _levels(graph)
    if demand is not None:
        size += 8 * (graph.n + 1) + 12 * demand.values.size
    return int(size)


def encoded(*decays: Decay) -> NDArray[np.float64]:
    """Functions as `decay.cuh` has them, of one size: shape (functions, size)."""
    each = [
        np.concatenate([[kind, parameter, distances.size], distances, weights])
        for kind, parameter, distances, weights in decays
    ]
    return np.array(list(zip_longest(*each, fillvalue=0.0))).T.copy()


def _levels(graph: Graph) -> int:
    """Levels that a search has at most by edges, 0 by length."""
    return 0 if graph.lengths else min(graph.n, int(graph.limits[-1])) + 1
