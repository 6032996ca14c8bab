"""Decay and demand on a device, for the kernels that take seeds (`seeds.cuh`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.graph import Graph
from ...base import Sweep
from ...decay import TABLE
from ..runtime.copies import upload_many
from .layout import PAIRS

NO_SEEDS: dict[str, Any] = {field.name: None if field.is_pointer else 0 for field in PAIRS}


def on_device(graph: Graph, sweep: Sweep) -> dict[str, Any]:
    """Fields of `PAIRS` by name; null where there are none."""
    if sweep.seeds is None:
        return NO_SEEDS
    decay, demand = sweep.seeds
    arrays: dict[str, Any] = {}
    if levels := _levels(graph):
        arrays["by_level"] = sweep.seeds.by_level(levels, graph.unit)
    if decay.kind == TABLE:
        arrays["knots"] = np.concatenate([decay.distances, decay.weights])
    if demand is not None:
        pattern, arrays["demand_values"] = demand
        arrays["demand_indptr"] = pattern.indptr.astype(np.int64)
        arrays["demand_indices"] = pattern.indices
    numbers = {
        "decay": decay.kind,
        "decay_parameter": decay.parameter,
        "knot_count": decay.distances.size,
    }
    return NO_SEEDS | numbers | upload_many(**arrays)


def nbytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of those on the device."""
    if sweep.seeds is None:
        return 0
    decay, demand = sweep.seeds
    size = 8 * _levels(graph) + 16 * decay.distances.size
    if demand is not None:
        size += 8 * (graph.n + 1) + 12 * demand.values.size
    return int(size)


def _levels(graph: Graph) -> int:
    """Levels that a search has at most by edges, 0 by length."""
    return 0 if graph.lengths else min(graph.n, int(graph.limits[-1])) + 1
