"""Measures of distances: a table of formulas, and the scores."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.decay import POWER, Decay
from ..engines.common.distances import DistanceSums
from ..errors import RangeError
from ..matrix.network import check_flags
from ..matrix.read_matrix import Adjacency
from ..sweep import options
from ..sweep.options import DistanceOptions
from . import cutoffs
from .arguments import check_choice
from .distance_sums import ALL, accumulate, accumulate_access
from .query import Query, reading

Direction = Literal["in", "out"]


class DistanceMeasure(NamedTuple):
    """A measure of distances: default direction, and formula of the sums."""

    direction: Direction
    formula: Callable[..., NDArray[np.float64]]  # (DistanceSums, number of other sources, **flags)
    reads: frozenset[str] = ALL  # sums in the formula; fewer sums allow more reductions
    weighed: tuple[str, ...] = ()  # sums in the formula with target weights; empty: takes none
    flags: tuple[str, ...] = ()  # keyword arguments of the formula


def _closeness(
    sums: DistanceSums, others: NDArray[np.int64], wf_improved: bool = True
) -> NDArray[np.float64]:
    share = _ratio(sums.reached, others) if wf_improved else 1.0
    return _ratio(sums.reached, sums.total) * share


def _harmonic(sums: DistanceSums, others: NDArray[np.int64]) -> NDArray[np.float64]:
    return sums.harmonic


def _eccentricity(
    sums: DistanceSums,
    others: NDArray[np.int64],
    reachable_only: bool = False,
    reciprocal: bool = False,
) -> NDArray[np.float64]:
    farthest = sums.farthest.astype(np.float64)
    if not reachable_only:
        farthest[sums.reached < others] = np.inf
    return _ratio(1.0, farthest) if reciprocal else farthest


MEASURES = {
    "closeness": DistanceMeasure(
        "in", _closeness, frozenset({"reached", "total"}), ("reached", "total"), ("wf_improved",)
    ),
    "harmonic": DistanceMeasure("in", _harmonic, frozenset({"harmonic"}), weighed=("harmonic",)),
    "eccentricity": DistanceMeasure(
        *("out", _eccentricity, frozenset({"reached", "farthest"})),
        flags=("reachable_only", "reciprocal"),
    ),
}


# Functions of the distance whose weighted sums these are: 1, d and 1 / d, all 0 at d = 0.
FUNCTIONS = {
    "reached": Decay(POWER, 0.0),
    "total": Decay(POWER, -1.0),
    "harmonic": Decay(POWER, 1.0),
}
# Range of distances with target weights: `engines.common.decay.LEAST` exceeds neither d nor 1 / d.
RANGE = (1e-140, 1e140)


def scores(
    name: str,
    A: Adjacency,
    direction: Direction,
    run: DistanceOptions,
    *,
    directed: bool,
    **question: Any,
) -> NDArray[np.float64]:
    """Scores of a measure; ``question`` has its flags and the arguments of `query.validate`."""
    check_choice("direction", direction, get_args(Direction))
    measure, settings = MEASURES[name], options.parse(run, DistanceOptions)
    flags = {flag: question.pop(flag) for flag in measure.flags}
    check_flags(**flags)
    asked = measure._replace(direction=direction, formula=partial(measure.formula, **flags))
    question |= {"flags": {"directed": directed}, "counts_paths": False}
    with reading(A, settings, **question) as (engine, query):
        rows = from_one_traversal(engine, query, {name: asked}, settings)[name]
        delivered: NDArray[np.float64] = cutoffs.delivered(rows, query.columns, devices.home(A))
        return delivered


def from_one_traversal(
    engine: Engine, query: Query, asked: Mapping[str, DistanceMeasure], run: options.Run
) -> dict[str, list[NDArray[np.float64]]]:
    """Scores by name, an array for each cutoff, in the memory of the graph.

    Measures of one direction share a traversal; on an undirected graph all measures do.
    """
    found: dict[str, list[NDArray[np.float64]]] = {}
    for way in get_args(Direction):
        of_way = {
            name: measure
            for name, measure in asked.items()
            if ("in" if query.graph.symmetric else measure.direction) == way
        }
        if of_way:
            sums = _sums(engine, query, way, [*of_way.values()], run)
            rows = list(zip(*sums, strict=True)) if query.graph.cutoffs else [sums]
            for name, measure in of_way.items():
                found[name] = [measure.formula(DistanceSums(*row), query.others) for row in rows]
    return found


def _sums(
    engine: Engine, query: Query, way: str, asked: list[DistanceMeasure], run: options.Run
) -> DistanceSums:
    """Sums that the measures read; sums that none of them reads are undefined."""
    if not query.weighs_pairs:
        reads = frozenset[str]().union(*(measure.reads for measure in asked))
        return accumulate(engine, query, way, run, reads)
    places, functions = weighed(query, asked)
    found = accumulate_access(engine, query, places, tuple(functions.values()), way, run)[..., 0]
    found = found if query.graph.cutoffs else found[0]
    sums = {name: found[..., column] for column, name in enumerate(functions)}
    return DistanceSums(*(sums.get(name, found[..., 0]) for name in DistanceSums._fields))


def weighed(
    query: Query, asked: Iterable[DistanceMeasure]
) -> tuple[NDArray[np.float64], dict[str, Decay]]:
    """Weights of the sources, shape (n, 1), and functions of the distance by the names of sums."""
    graph = query.graph
    shortest = graph.lengths.shortest if graph.lengths else graph.unit
    longest = float(graph.lengths.outgoing.max()) if graph.lengths and graph.arcs else graph.unit
    if shortest < RANGE[0] or graph.n * longest > RANGE[1]:
        raise RangeError(
            f"distances with target_weights must lie in {RANGE[0]:g}..{RANGE[1]:g}, and lengths "
            f"begin at {shortest:g} and come to {graph.n * longest:g} at most: multiply all "
            "by a common factor"
        )
    read = dict.fromkeys(name for measure in asked for name in measure.weighed)
    return query.others_weights[:, np.newaxis], {name: FUNCTIONS[name] for name in read}


def _ratio(a: Any, b: NDArray[Any]) -> NDArray[np.float64]:
    """Quotient, 0 where the divisor is 0."""
    quotient: NDArray[np.float64] = a / np.where(b == 0, np.inf, b)
    return quotient
