"""Weights of pairs, checked and scaled for the sums: alpha(s) omega(t) D(s, t) f(d(s, t)).

alpha and omega are weights of nodes, D is the argument ``demand``, f the argument ``decay``.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..arguments import array_of, by_node, is_number
from ..engines.common.decay import EXPONENTIAL, GAUSSIAN, LINEAR, POWER, TABLE, Decay, Seeds
from ..errors import InputError, InputTypeError
from ..foreign import adopted
from ..matrix.csr import CSR, Matrix
from ..matrix.matrix_arrays import Network, csr_of, matrix_of

# Products of two weights in this range neither overflow nor underflow, nor do their sums.
RANGE = (1e-100, 1e100)
# Most that integer-valued weights may sum to for exact folds: a product of two sums has 62 bits.
WHOLE_SUM = 2**31 - 1
# Largest ratio of the sum of weights to the least positive one: a larger sum would lose it.
SPREAD = 2.0**53
# Weights that are not integer-valued are scaled to at least this. On a GPU stress keeps integers
# below 256 in bytes, and such weights are then never below 256. Path counts may be as large as the
# reciprocal of the least normal float: a weight divided by one does not underflow.
LEAST = 256.0


def node_weights(
    name: str,
    values: ArrayLike | None,
    asked_for: NDArray[np.bool_],
    names: Sequence[str] | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any], float]:
    """Weights of nodes as given, those that count, 0 where they do not, and the unit of these.

    Weights of an argument are by label if there are ``names``; None is 1 each. Those that count are
    a mask, int64 if folds are exact, or float64. The unit, a power of two, is what 1 stands for.
    """
    n = asked_for.size
    if values is None:
        return np.broadcast_to(1.0, n), asked_for, 1.0
    given = checked(name, values, n, names)
    counted = np.where(asked_for, given, 0.0)
    if given.sum() <= WHOLE_SUM and (given == np.floor(given)).all():
        return given, counted.astype(np.int64), 1.0
    least = given[given > 0].min()
    unit = 2.0 ** (np.floor(np.log2(least)) - np.log2(LEAST))
    return given, counted / unit, unit


def of_kinds(
    name: str, values: ArrayLike | None, n: int, names: Sequence[str] | None
) -> NDArray[np.float64]:
    """Weights of places, shape (n,), or (n, q) of q kinds; None for 1 at each node."""
    if values is None:
        return np.ones(n)
    array = array_of(name, by_node(name, values, names), "biuf", "hold a number for each node")
    if array.ndim not in (1, 2) or array.shape[0] != n or array.shape[1:] == (0,):
        raise InputError(
            f"{name} must hold a number for each of the {n} nodes, or such a column for each kind "
            f"of place, got shape {array.shape}",
            name,
        )
    given = array.astype(np.float64)
    wrong = ~((given >= 0) & (given <= RANGE[1]))
    if wrong.any():
        raise InputError(
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
        raise InputError(
            f"{name} must hold a number for each of the {n} nodes, got shape {array.shape}: give 0 "
            "to nodes that do not count",
            name,
        )
    given = array.astype(np.float64)
    wrong = ~((given >= 0) & (given < np.inf))
    if wrong.any():
        raise InputError(
            f"{name} must be finite and not negative, got {given[wrong][0]} for node "
            f"{np.flatnonzero(wrong)[0]}",
            name,
        )
    if not n:
        return given
    if not given.any():
        raise InputError(
            f"{name} are all zero, so that no pair counts: give some node a number above 0", name
        )
    least, largest = given[given > 0].min(), given.max()
    if least < RANGE[0] or largest > RANGE[1]:
        raise InputError(
            f"{name} must lie in {RANGE[0]:g}..{RANGE[1]:g} or be 0, got {least:g} and "
            f"{largest:g}: divide all by a common factor",
            name,
        )
    if given.sum() > SPREAD * least:
        raise InputError(
            f"{name} must not differ so much that the least, {least}, vanishes by rounding beside "
            f"their sum {given.sum()}: set the smallest to 0",
            name,
        )
    return given


# Products of values in this range with weights of nodes neither overflow nor underflow.
DEMAND_RANGE = (1e-50, 1e50)
# Least value over the largest; the reason is in `engines.common.decay`.
DEMAND_SPREAD = 1e-50


def of_demanded_pairs(
    demand: Matrix,
    unit: float,
    alpha: NDArray[np.float64],
    omega: NDArray[np.float64],
    *,
    endpoints: bool,
) -> NDArray[np.float64]:
    """`of_pairs`, of alpha(s) omega(t) D(s, t), where D is ``demand`` times its ``unit``."""
    pattern, values = demand
    weights, others = pattern.matrix(values), np.ones(alpha.size)
    begun = alpha * (weights @ omega) * unit
    total = float(begun.sum())
    if endpoints:
        return np.full(alpha.size, total)
    touching = begun + omega * (weights.T @ alpha) * unit
    pairs: NDArray[np.float64] = total - touching
    # At most four nodes have half of the total or more; there a difference would lose digits.
    for v in np.flatnonzero(touching >= total / 2) if total else ():
        others[v] = 0
        pairs[v] = (others * alpha) @ (weights @ (others * omega)) * unit
        others[v] = 1
    return pairs


def demand_of(demand: Any, n: int, names: Sequence[str] | None = None) -> tuple[Matrix, float]:
    """The demand D(s, t) of an argument on a graph of n nodes, over a power of two, and that unit.

    There is a row for each source; values are above 0, the largest in [1, 2). ``names``, those of
    the nodes of the graph, order the rows and columns of a `Network`.
    """
    if isinstance(demand, Network):
        demand = _by_name(demand, names or ())
    if hasattr(demand, "columns"):  # its rows may be trips, and names in any order
        raise InputTypeError(
            "demand must be a sparse matrix, got a data frame: use frames.read(...) of the table "
            "of trips if A is a Network, else scipy.sparse.coo_array((trips, (rows, columns)), "
            "shape=A.shape), with the row of A of each origin and destination"
        )
    matrix = csr_of(adopted(demand), "demand")
    if matrix.shape != (n, n):
        raise InputError(
            f"demand must have the shape of A, ({n}, {n}), got {matrix.shape}: leave rows of nodes "
            "without trips empty",
            "demand",
        )
    matrix = matrix.astype(np.float64, copy=False)
    if not (matrix.data.min(initial=0) >= 0 and matrix.data.max(initial=0) < np.inf):
        place = np.flatnonzero(~((matrix.data >= 0) & (matrix.data < np.inf)))[0]
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        raise InputError(
            f"demand must be finite and not negative, got {matrix.data[place]} at "
            f"[{row}, {matrix.indices[place]}]",
            "demand",
        )
    if matrix.diagonal().any():
        matrix.data[np.repeat(np.arange(n), np.diff(matrix.indptr)) == matrix.indices] = 0
    matrix.eliminate_zeros()
    if n and not matrix.nnz:
        raise InputError(
            "demand is zero for all pairs of different nodes, so that no pair counts: leave it out",
            "demand",
        )
    least, most = matrix.data.min(initial=np.inf), matrix.data.max(initial=0.0)
    if n and (least < DEMAND_RANGE[0] or most > DEMAND_RANGE[1]):
        raise InputError(
            f"demand must lie in {DEMAND_RANGE[0]:g}..{DEMAND_RANGE[1]:g} or be 0, got {least:g} "
            f"and {most:g}: divide all by a common factor, or set the least to 0",
            "demand",
        )
    if n and least < DEMAND_SPREAD * most:
        raise InputError(
            f"demand must not differ by more than a factor of {1 / DEMAND_SPREAD:g}, got "
            f"{least:g} and {most:g}: set the smallest to 0",
            "demand",
        )
    unit = float(2.0 ** np.floor(np.log2(most))) if n else 1.0
    matrix.data /= unit
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    return Matrix(CSR(indptr, indices), matrix.data), unit


def pair_weights(
    of_sources: ArrayLike | None,
    of_targets: ArrayLike | None,
    demand: Any,
    decay: Decay | None,
    is_source: NDArray[np.bool_],
    is_target: NDArray[np.bool_],
    names: Sequence[str] | None,
) -> dict[str, Any]:
    """Fields of a `Query` with the weights of its pairs, by label if there are ``names``."""
    as_source, alpha, unit = node_weights("source_weights", of_sources, is_source, names)
    as_target, omega, unit_of_omega = node_weights("target_weights", of_targets, is_target, names)
    unit *= unit_of_omega
    trips: Matrix | None = None
    weight: Callable[..., NDArray[np.float64]] = of_pairs
    if demand is not None:
        trips, unit_of_trips = demand_of(demand, is_source.size, names)
        weight = partial(of_demanded_pairs, trips, unit_of_trips)
        alpha = alpha * (trips.pattern.degrees > 0)  # without the sources of no pair
        unit *= unit_of_trips
    weighs = any(given is not None for given in (of_sources, of_targets, demand))
    return {
        **{"alpha": alpha, "omega": omega, "unit": unit},
        "seeds": None if decay is None and trips is None else Seeds(decay or Decay(), trips),
        "weight_of_pairs": partial(weight, as_source, as_target) if weighs else None,
        "target_weights": as_target if weighs else None,
    }


def _by_name(demand: Network, names: Sequence[str]) -> Any:
    """Matrix of a demand with names, in the order of the graph's ``names``."""
    number = {name: v for v, name in enumerate(names)}
    unknown = [name for name in demand.names if name not in number]
    if unknown:
        raise InputError(
            f"demand has names that are not nodes of A, as {unknown[0]!r}: leave out the trips "
            "from and to these" + ", or give demand.matrix, if A has no names" * (not number),
            "demand",
        )
    trips = csr_of(matrix_of(demand), "demand").tocoo()
    row = np.array([number[name] for name in demand.names], dtype=np.int64)
    shape = (len(names), len(names))
    return scipy.sparse.coo_array((trips.data, (row[trips.row], row[trips.col])), shape=shape)


# Kind and name of the parameter, by the name of the function.
KINDS = {
    "exponential": (EXPONENTIAL, "beta"),
    "linear": (LINEAR, "range"),
    "power": (POWER, "exponent"),
    "gaussian": (GAUSSIAN, "scale"),
}
# Largest weight: neither products with weights of nodes and demand nor their sums overflow.
LARGEST_WEIGHT = 1e50
WANTED = (
    "decay must be ('exponential', beta), ('linear', range), ('power', exponent), ('gaussian', "
    "scale) or two arrays (distances, weights)"
)


def decay_of(decay: Any, tau: float = 0.0, shortest: float = 1.0) -> Decay:
    """The decay of an argument.

    Distances round, so a table extends beyond its last distance by ``tau``. A power is refused that
    exceeds `LARGEST_WEIGHT` at the ``shortest`` distance of two nodes.
    """
    if not isinstance(decay, (tuple, list)) or len(decay) != 2:
        raise InputTypeError(f"{WANTED}, got {decay!r:.60}")
    first, second = decay
    if not isinstance(first, str):
        return _table(first, second, tau)
    if first not in KINDS:
        raise InputError(f"{WANTED}, got {first!r}", "decay")
    kind, parameter = KINDS[first]
    if not is_number(second):
        raise InputTypeError(f"{parameter} of decay={first!r} must be a number, got {second!r}")
    if not 0 < second < np.inf:
        raise InputError(
            f"{parameter} of decay={first!r} must be a finite number above 0, got {second}", "decay"
        )
    if kind == POWER and -float(second) * np.log10(shortest) > np.log10(LARGEST_WEIGHT):
        raise InputError(
            f"decay=('power', {float(second):g}) exceeds {LARGEST_WEIGHT:g} at the shortest "
            f"length {shortest:g}: multiply all lengths by a common factor",
            "decay",
        )
    return Decay(kind, float(second))


def _table(distances: Any, weights: Any, tau: float) -> Decay:
    """The piecewise linear function of knots (distance, weight)."""
    x, y = _knots("distances", distances), _knots("weights", weights)
    if x.size != y.size or not x.size:
        raise InputError(
            f"decay must have a weight for each distance, got {x.size} distances and {y.size} "
            "weights",
            "decay",
        )
    if not (np.diff(x) > 0).all():
        place = np.flatnonzero(~(np.diff(x) > 0))[0]
        raise InputError(
            f"distances of decay must be ascending, got {x[place]} before {x[place + 1]}: for a "
            "step, give two distances that lie close together, or cutoff",
            "decay",
        )
    if y.max() > LARGEST_WEIGHT:
        raise InputError(
            f"weights of decay must be at most {LARGEST_WEIGHT:g}, got {y.max():g}: divide all "
            "by a common factor",
            "decay",
        )
    if y[-1] and x[-1] + tau > x[-1]:
        x, y = np.append(x, x[-1] + tau), np.append(y, y[-1])
    return Decay(TABLE, 1.0, x, y)


def _knots(what: str, values: Any) -> NDArray[np.float64]:
    """Array of the distances or the weights of the knots, finite and at least 0, shape (m,)."""
    array = array_of("decay", values, "iuf", f"have numbers for {what}").astype(np.float64)
    if array.ndim != 1:
        raise InputError(
            f"{what} of decay must be one-dimensional, got {array.ndim} dimensions", "decay"
        )
    wrong = ~((array >= 0) & (array < np.inf))
    if wrong.any():
        raise InputError(
            f"{what} of decay must be finite and not negative, got {array[wrong][0]}", "decay"
        )
    return array
