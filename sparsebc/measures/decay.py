"""The argument ``decay``, the weight of a pair by its distance: checked, as a `Decay`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.decay import EXPONENTIAL, GAUSSIAN, LINEAR, POWER, TABLE, Decay
from ..errors import InputTypeError, OptionError
from .arguments import array_of, is_number

# Kind and name of the parameter, by the name of the function.
KINDS = {
    "exponential": (EXPONENTIAL, "beta"),
    "linear": (LINEAR, "range"),
    "power": (POWER, "exponent"),
    "gaussian": (GAUSSIAN, "scale"),
}
# Largest weight: neither products with weights of nodes and demand nor their sums overflow.
LARGEST = 1e50
WANTED = (
    "decay must be ('exponential', beta), ('linear', range), ('power', exponent), ('gaussian', "
    "scale) or two arrays (distances, weights)"
)


def read(decay: Any, tau: float = 0.0) -> Decay:
    """The decay of an argument; for None the constant 1.

    Distances round, so a table extends beyond its last distance by ``tau``.
    """
    if decay is None:
        return Decay()
    if not isinstance(decay, (tuple, list)) or len(decay) != 2:
        raise InputTypeError(f"{WANTED}, got {decay!r:.60}")
    first, second = decay
    if not isinstance(first, str):
        return _table(first, second, tau)
    if first not in KINDS:
        raise OptionError(f"{WANTED}, got {first!r}", "decay")
    kind, parameter = KINDS[first]
    if not is_number(second):
        raise InputTypeError(f"{parameter} of decay={first!r} must be a number, got {second!r}")
    if not 0 < second < np.inf:
        raise OptionError(
            f"{parameter} of decay={first!r} must be a finite number above 0, got {second}", "decay"
        )
    return Decay(kind, float(second))


def check_largest(decay: Decay, shortest: float) -> None:
    """Refuse a power that exceeds `LARGEST` at the shortest distance of two nodes."""
    if decay.kind == POWER and -decay.parameter * np.log10(shortest) > np.log10(LARGEST):
        raise OptionError(
            f"decay=('power', {decay.parameter:g}) exceeds {LARGEST:g} at the shortest length "
            f"{shortest:g}: multiply all lengths by a common factor",
            "decay",
        )


def _table(distances: Any, weights: Any, tau: float) -> Decay:
    """The piecewise linear function of knots (distance, weight)."""
    x, y = _knots("distances", distances), _knots("weights", weights)
    if x.size != y.size or not x.size:
        raise OptionError(
            f"decay must have a weight for each distance, got {x.size} distances and {y.size} "
            "weights",
            "decay",
        )
    if not (np.diff(x) > 0).all():
        place = np.flatnonzero(~(np.diff(x) > 0))[0]
        raise OptionError(
            f"distances of decay must be ascending, got {x[place]} before {x[place + 1]}: for a "
            "step, give two distances that lie close together, or cutoff",
            "decay",
        )
    if y.max() > LARGEST:
        raise OptionError(
            f"weights of decay must be at most {LARGEST:g}, got {y.max():g}: divide all by a "
            "common factor",
            "decay",
        )
    if y[-1] and x[-1] + tau > x[-1]:
        x, y = np.append(x, x[-1] + tau), np.append(y, y[-1])
    return Decay(TABLE, 1.0, x, y)


def _knots(what: str, values: Any) -> NDArray[np.float64]:
    """Array of the distances or the weights of the knots, finite and at least 0, shape (m,)."""
    array = array_of("decay", values, "iuf", f"have numbers for {what}").astype(np.float64)
    if array.ndim != 1:
        raise OptionError(
            f"{what} of decay must be one-dimensional, got {array.ndim} dimensions", "decay"
        )
    wrong = ~((array >= 0) & (array < np.inf))
    if wrong.any():
        raise OptionError(
            f"{what} of decay must be finite and not negative, got {array[wrong][0]}", "decay"
        )
    return array
