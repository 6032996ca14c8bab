"""Compiled functions f of the distance, as `engines.common.decay.Decay.of`: scalar, and 8 lanes."""

import math

import numpy as np

from ....jit import inlined, subroutine
from ...common.decay import CONSTANT, EXPONENTIAL, GAUSSIAN, LEAST, LINEAR, POWER, TABLE
from .simd import LANES, load, power_of_two, select, store

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
    elif kind == POWER and parameter == 0:
        f = select(d > 0, f, 0)
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
