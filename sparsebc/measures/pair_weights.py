"""Weights alpha(s) omega(t) of pairs (s, t): as given, and scaled for the sums."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError
from ..matrix.network import by_node
from .arguments import array_of

# Products of two weights in this range neither overflow nor underflow, nor do their sums.
RANGE = (1e-100, 1e100)
# Most that integer-valued weights may sum to for exact folds: a product of two sums has 62 bits.
WHOLE_SUM = 2**31 - 1
# Largest ratio of the sum of weights to the least positive one: a larger sum would lose it.
SPREAD = 2.0**53
# Weights that are not integer-valued are scaled to at least this. Stress keeps integers below 256
# in bytes, and such weights are then never below 256. Path counts may be as large as the reciprocal
# of the least normal float: a weight divided by one does not underflow.
LEAST = 256.0


class Weights(NamedTuple):
    """Weights of nodes as sources, or as targets."""

    given: NDArray[np.float64]  # (n,)
    counted: NDArray[Any]  # (n,) mask, int64 if folds are exact, or float64; 0 if it does not count
    unit: float  # weight that 1 in ``counted`` stands for, a power of two


def read(
    name: str,
    values: ArrayLike | None,
    asked_for: NDArray[np.bool_],
    names: Sequence[str] | None = None,
) -> Weights:
    """Weights of an argument, by label if there are ``names``; None for 1 each, as a mask."""
    n = asked_for.size
    if values is None:
        return Weights(np.broadcast_to(1.0, n), asked_for, 1.0)
    given = checked(name, values, n, names)
    counted = np.where(asked_for, given, 0.0)
    if given.sum() <= WHOLE_SUM and (given == np.floor(given)).all():
        return Weights(given, counted.astype(np.int64), 1.0)
    least = given[given > 0].min()
    unit = 2.0 ** (np.floor(np.log2(least)) - np.log2(LEAST))
    return Weights(given, counted / unit, unit)


def of_kinds(
    name: str, values: ArrayLike | None, n: int, names: Sequence[str] | None
) -> NDArray[np.float64]:
    """Weights of places, shape (n,), or (n, q) of q kinds; None for 1 at each node."""
    if values is None:
        return np.ones(n)
    array = array_of(name, by_node(name, values, names), "biuf", "hold a number for each node")
    if array.ndim not in (1, 2) or array.shape[0] != n or array.shape[1:] == (0,):
        raise OptionError(
            f"{name} must hold a number for each of the {n} nodes, or such a column for each kind "
            f"of place, got shape {array.shape}",
            name,
        )
    given = array.astype(np.float64)
    wrong = ~((given >= 0) & (given <= RANGE[1]))
    if wrong.any():
        raise OptionError(
            f"{name} must lie in 0..{RANGE[1]:g}, got {given[wrong][0]} for node "
            f"{np.argwhere(wrong)[0][0]}",
            name,
        )
    return given


def of_pairs(
    alpha: NDArray[np.float64], omega: NDArray[np.float64], *, endpoints: bool
) -> NDArray[np.float64]:
    """Sum of alpha(s) omega(t) over the pairs s != t that could count each node, shape (n,).

    Pairs that begin or end at a node count it only with ``endpoints``.
    """
    both = np.stack((alpha, omega))
    before, after = _among_first(both), _among_first(both[:, ::-1])[:, ::-1]
    if endpoints:
        return np.full(alpha.size, before[0, -1])
    (pairs, starts, ends), (more, later_starts, later_ends) = before[:, :-1], after[:, 1:]
    total: NDArray[np.float64] = pairs + more + starts * later_ends + ends * later_starts
    return total


def _among_first(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over the first i nodes, i = 0..n, of pairs, alpha and omega, shape (3, n + 1).

    Node i has a pair with each node before it as source and as target.
    """
    sums = np.zeros((3, weights.shape[1] + 1))
    sums[1:, 1:] = np.cumsum(weights, axis=1)
    starts, ends = sums[1:, :-1]
    sums[0, 1:] = np.cumsum(weights[0] * ends + weights[1] * starts)
    return sums


def checked(
    name: str, values: ArrayLike, n: int, names: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """Weights as an array, shape (n,): from 0 on, not all 0, and none lost in a sum of floats."""
    values = by_node(name, values, names)
    array = array_of(name, values, "iuf", "hold a number for each node")
    if array.shape != (n,):
        raise OptionError(
            f"{name} must hold a number for each of the {n} nodes, got shape {array.shape}: give 0 "
            "to nodes that do not count",
            name,
        )
    given = array.astype(np.float64)
    wrong = ~((given >= 0) & (given < np.inf))
    if wrong.any():
        raise OptionError(
            f"{name} must be finite and not negative, got {given[wrong][0]} for node "
            f"{np.flatnonzero(wrong)[0]}",
            name,
        )
    if not n:
        return given
    if not given.any():
        raise OptionError(
            f"{name} are all zero, so that no pair counts: give some node a number above 0", name
        )
    least, largest = given[given > 0].min(), given.max()
    if least < RANGE[0] or largest > RANGE[1]:
        raise OptionError(
            f"{name} must lie in {RANGE[0]:g}..{RANGE[1]:g} or be 0, got {least:g} and "
            f"{largest:g}: divide all by a common factor",
            name,
        )
    if given.sum() > SPREAD * least:
        raise OptionError(
            f"{name} must not differ so much that the least, {least}, vanishes by rounding beside "
            f"their sum {given.sum()}: set the smallest to 0",
            name,
        )
    return given
