"""Weight of a distance on the CPU, as `engines.common.decay.Decay.of` has it."""

import math

import numpy as np

from ....jit import subroutine
from ...common.decay import EXPONENTIAL, GAUSSIAN, LEAST, LINEAR, POWER, TABLE


@subroutine
def weight_of(decay, distance):
    """f(d), 0 where it is below `LEAST`."""
    kind, parameter, f = decay.kind, decay.parameter, 1.0
    if kind == EXPONENTIAL:
        f = math.exp(-parameter * distance)
    elif kind == LINEAR:
        f = 1 - distance / parameter
    elif kind == GAUSSIAN:
        f = math.exp(-0.5 * (distance / parameter) * (distance / parameter))
    elif kind == POWER:
        f = distance**-parameter if distance > 0 else 0.0
    elif kind == TABLE:
        f = between_knots(decay.distances, decay.weights, distance)
    return f if f >= LEAST else 0.0


@subroutine
def between_knots(distances, weights, distance):
    """Linear between two knots, the first weight before all, 0 beyond the last."""
    k = np.searchsorted(distances, distance)  # the first knot that is not nearer
    if k == distances.size:
        return 0.0
    if k == 0 or distances[k] == distance:
        return weights[k]
    share = (distance - distances[k - 1]) / (distances[k] - distances[k - 1])
    return weights[k - 1] + share * (weights[k] - weights[k - 1])
