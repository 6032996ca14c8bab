"""Weights of targets for one source: omega_s(t) = omega(t) f(d(s, t)) D(s, t).

If omega is the same for all sources, an unweighted sweep has `Targets` of empty arrays, so that
kernels are compiled once; a weighted one has None, so that Numba does not compile the functions of
distances, which take a tenth more time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import subroutine
from ....matrix.csr import row_of
from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.decay import Decay, Seeds
from .decay import weigh, weight_of
from .simd import LANES, load, store
from .state import Sizes, allocated, array, nbytes_of


class Targets(NamedTuple):
    """omega, f and D, the origin-destination matrix in csr form."""

    omega: NDArray[np.float64]  # (n,)
    decay: Decay  # f
    by_level: NDArray[np.float64]  # (levels,) f of each level, unweighted; or empty
    indptr: NDArray[np.int64]  # (n + 1,) of D; (1,) without D
    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    of_source: Any = array(np.float64, "nodes of demand")  # row of D; zero between two sources


def targets(graph: Graph, sweep: Sweep, omega: NDArray[Any]) -> Targets | None:
    """The targets of a sweep; None if it is weighted and omega the same for all sources."""
    seeds, levels = sweep.seeds, 0
    if graph.lengths and seeds is None:
        return None
    if seeds is not None and not graph.lengths:
        levels = min(graph.n, int(graph.limits[-1])) + 1
    decay, demand = seeds or Seeds()
    rows = (np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    if demand is not None:
        rows = (*demand.pattern, demand.values)
    by_level = Seeds(decay).by_level(levels, graph.unit)
    given = dict(zip(("indptr", "indices", "values"), rows, strict=True))
    made: Targets = allocated(
        Targets, _sizes(graph, sweep), omega=omega, decay=decay, by_level=by_level, **given
    )
    return made


def nbytes(graph: Graph, sweep: Sweep) -> int:
    """Bytes of `Targets` and of omega_s; D is shared by all workers."""
    if sweep.seeds is None:
        return 0
    return 16 * graph.n + nbytes_of(Targets, _sizes(graph, sweep))


def _sizes(graph: Graph, sweep: Sweep) -> Sizes:
    return {
        "nodes of demand": graph.n * (sweep.seeds is not None and sweep.seeds.demand is not None)
    }


@subroutine
def seed_by_distance(targets, source, order, distance, omega):
    """Fill omega_s for the nodes in ``order``, those that the source reached."""
    if targets is not None:
        if targets.indptr.size == 1:
            for v in order:
                omega[v] = targets.omega[v] * weight_of(targets.decay, distance[v])
        else:
            for v in order:
                omega[v] = 0
            for p in row_of(targets.indptr, source):
                t = targets.indices[p]
                if distance[t] < np.inf:
                    weight = targets.omega[t] * weight_of(targets.decay, distance[t])
                    omega[t] = weight * targets.values[p]


@subroutine
def seed_columns(targets, sources, order, shared, omega):
    """Fill omega_s of eight sources, (rows of ``order``, 8), by distances of the same shape."""
    if targets is not None:
        if targets.indptr.size == 1:
            for i in range(order.size):
                row = LANES * i
                weigh(targets.decay, shared.distance, row, omega, row)
                store(omega, row, load(omega, row) * targets.omega[order[i]])
        else:
            omega[: LANES * order.size] = 0
            for j in range(sources.size):
                for p in row_of(targets.indptr, sources[j]):
                    t = targets.indices[p]
                    entry = LANES * np.int64(shared.place[t]) + j
                    if entry >= 0:
                        weight = targets.omega[t] * weight_of(targets.decay, shared.distance[entry])
                        omega[entry] = weight * targets.values[p]


@subroutine
def seed_level(targets, level, nodes, omega):
    """Fill omega_s for the nodes of a level."""
    if targets.by_level.size:
        weight = targets.by_level[level]
        for v in nodes:
            omega[v] = targets.omega[v] * weight
        if targets.of_source.size:
            for v in nodes:
                omega[v] *= targets.of_source[v]


@subroutine
def decayed(by_level, level, omega):
    """Product omega f(level), without D."""
    return omega * (by_level[level] if by_level.size else 1.0)
