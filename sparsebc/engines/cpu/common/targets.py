"""Weights of targets for one source: omega_s(t) = omega(t) f(d(s, t)) D(s, t).

If omega is the same for all sources, an unweighted sweep has `Targets` of empty arrays, so that
kernels are compiled once; a weighted one has None, so that Numba does not compile the functions of
distances, which take a tenth more time.

`weight_of` and `weigh` are f, as `engines.common.decay.Decay.of`, of a number and of eight.

A search may end at the last of its targets (`Sought`): farther nodes add to no sum, and all nodes
on shortest paths to a target are nearer to the source, and complete before it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, subroutine
from ....matrix.csr import row_of
from ....matrix.graph import Graph
from ...common.base import Sweep
from ...common.decay import (
    CONSTANT,
    EXPONENTIAL,
    GAUSSIAN,
    LEAST,
    LINEAR,
    POWER,
    TABLE,
    Decay,
    Seeds,
)
from .simd import LANES, load, power_of_two, select, store
from .state import allocated, array

# Of `exp`: log2(e), and log(2) in two parts, the first of few digits; P and Q are the rational
# approximation of the Cephes library on [-log(2) / 2, log(2) / 2].
LOG2_E, LOG_2, LOG_2_REST = 1.4426950408889634, 6.93145751953125e-1, 1.42860682030941723212e-6
P = 1.26177193074810590878e-4, 3.02994407707441961300e-2, 9.99999999999999999910e-1
Q = 3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1, 2.0
NEAREST = 1.5 * 2.0**52  # adding and subtracting it rounds to the nearest integer
LOWEST = -700.0  # exp(x) < LEAST below


@subroutine
def weight_of(decay, distance):
    """f(d), 0 where it is below `LEAST`."""
    kind, parameter, f = decay.kind, decay.parameter, 1.0
    if kind == EXPONENTIAL:
        f = math.exp(-parameter * distance)
    elif kind == LINEAR:
        f = (parameter - distance) / parameter
    elif kind == GAUSSIAN:
        f = math.exp(-0.5 * (distance / parameter) * (distance / parameter))
    elif kind == POWER:
        f = distance**-parameter if distance > 0 else 0.0
    elif kind == TABLE:
        f = between_knots(decay.distances, decay.weights, distance)
    return f if f >= LEAST else 0.0


@subroutine
def weigh(decay, distances, at, weights, to):
    """Fill ``weights[to:to+8]`` with f of ``distances[at:at+8]``, 0 where they are infinite."""
    kind, parameter, d = decay.kind, decay.parameter, load(distances, at)
    f = select(d < np.inf, d * 0.0 + 1.0, 0)
    if kind == EXPONENTIAL:
        f = exp(d * -parameter)
    elif kind == LINEAR:
        f = (d * -1.0 + parameter) / parameter
    elif kind == GAUSSIAN:
        f = exp(d / parameter * (d / parameter) * -0.5)
    elif kind == POWER and parameter == 1:
        f = select(d > 0, f / d, 0)
    elif kind == POWER and parameter == -1:
        f = d
    elif kind != CONSTANT:
        for k in range(LANES):
            weights[to + k] = weight_of(decay, distances[at + k])
        f = load(weights, to)
    store(weights, to, select((f >= LEAST) & (d < np.inf), f, 0))


@inlined
def exp(x):
    """Exponential of each lane, for x <= 0, to 1.5 ulp."""
    x = select(x > LOWEST, x, LOWEST)
    k = x * LOG2_E + NEAREST - NEAREST
    x = x - k * LOG_2 - k * LOG_2_REST
    xx = x * x
    odd = x * ((xx * P[0] + P[1]) * xx + P[2])
    even = ((xx * Q[0] + Q[1]) * xx + Q[2]) * xx + Q[3]
    return (odd / (even - odd) * 2.0 + 1.0) * power_of_two(k)


@subroutine
def between_knots(distances, weights, distance):
    """Linear interpolation; the first weight before the first knot, 0 beyond the last."""
    k = np.searchsorted(distances, distance)  # the first knot at or beyond the distance
    if k == distances.size:
        return 0.0
    if k == 0:
        return weights[0]
    before, after, width = distances[k - 1], distances[k], distances[k] - distances[k - 1]
    near, far = (after - distance) / width, (distance - before) / width  # 0 and 1 at a knot
    return weights[k - 1] * near + weights[k] * far


# Bytes of a node in `Targets` and in omega_s; D is shared by all workers.
TARGET_BYTES = 24


class Targets(NamedTuple):
    """omega, f and D, the origin-destination matrix in csr form."""

    omega: NDArray[np.float64]  # (n,)
    decay: Decay  # f
    by_level: NDArray[np.float64]  # (levels,) f of each level, unweighted; or empty
    indptr: NDArray[np.int64]  # (n + 1,) of D; (1,) without D
    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    of_source: Any = array(np.float64, "nodes of demand")  # row of D; zero between two sources


def new_targets(graph: Graph, sweep: Sweep, omega: NDArray[Any]) -> Targets | None:
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
    sizes = {"nodes of demand": 0 if demand is None else graph.n}
    made: Targets = allocated(Targets, sizes, omega=omega, decay=decay, by_level=by_level, **given)
    return made


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
    """Fill omega_s for the nodes of a level; none lies beyond the last cutoff, nor its weight."""
    if nodes.size and targets.by_level.size:
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


# Targets common to all sources end searches if at most one node in ONE_IN is one: the last of more
# targets is as far as nearly all nodes.
ONE_IN = 16


class Sought(NamedTuple):
    """Targets, the nodes of weight above 0, and how many of them the search has still to reach."""

    weight: NDArray[np.float64]  # (n,), or (0,) where a search must reach all nodes
    total: int  # number of targets; 0 if each source has its own, -1 if all nodes are
    left: Any = array(np.int64, 1, fill=-1)  # targets not yet reached; below 0 between two searches


def sought(sweep: Sweep | None = None, targets: Any = None) -> Any:
    """The targets of a sweep that may end its searches; without a sweep, none."""
    weight, count = np.empty(0), -1
    if targets is not None and targets.of_source.size:
        weight, count = targets.of_source, 0
    elif sweep is not None:
        few = np.count_nonzero(sweep.omega)
        if 0 < ONE_IN * few <= sweep.omega.size:
            weight, count = sweep.omega.astype(np.float64, copy=False), int(few)
    return allocated(Sought, {}, weight=weight, total=count)


@subroutine
def seek_targets(sought, targets, source):
    """Count the targets of a source, and scatter its row of the origin-destination matrix."""
    sought.left[0] = sought.total
    if targets is not None and targets.of_source.size:
        for p in row_of(targets.indptr, source):
            t = targets.indices[p]
            if targets.omega[t] > 0:
                targets.of_source[t] = targets.values[p]
                sought.left[0] += 1


@subroutine
def end(sought, targets, source):
    """Stop counting, and clear the row of the origin-destination matrix."""
    sought.left[0] = -1
    if targets is not None and targets.of_source.size:
        for p in row_of(targets.indptr, source):
            targets.of_source[targets.indices[p]] = 0


@inlined
def meet(sought, v):
    """Count node v, which is complete, if it is a target."""
    if sought.weight.size:
        sought.left[0] -= sought.weight[v] > 0


@inlined
def all_met(sought):
    """Whether all targets are complete."""
    return sought.left[0] == 0
