"""Paths as samples: one shortest path, drawn at random, between two nodes drawn at random.

A pair (s, t) in one component is as likely as its weight alpha(s) omega(t) says, those of folded
trees added up at their roots, and of the shortest paths from s to t each is as likely. The row of a
path is

    x(v) = 1 if v is inside of it, else 0,  scale = weight of all those pairs

They are drawn with replacement, so that the population is infinite.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engines.common.batch import PairSamples
from ...reduce import reduce
from ...run.fingerprint import Question
from .bounds import Reals
from .sampler import Sampler
from .sources import rows_of


class Paths(Sampler):
    """Paths between the sources and the targets of a problem."""

    population = math.inf
    squares: frozenset[str] = frozenset()
    unit, least = "path", 2048

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the seed of the paths."""
        seed = draws.integers(2**64, dtype=np.uint64)
        pairs = pair_samples(self._problem, self._question, seed)
        self._problem = replace(self._problem, pairs=pairs)
        self._seed = pairs.seed
        self.scale = self.normalized(pairs.weight[-1])

    def seed(self) -> str:
        """The seed of the paths."""
        return f"paths of seed {self._seed}"

    def rows(self, count: int) -> reduce.Problem:
        """The next samples, by number."""
        numbers: Any = np.arange(self.drawn, self.drawn + count)
        return replace(self._problem, sources=numbers, alpha=np.broadcast_to(1.0, count))

    def shares(self, sums: dict[str, Any]) -> dict[str, Reals]:
        """Paths through each node; x**2 = x."""
        return {"dependency": sums["dependency"], "squares": sums["dependency"]}


def pair_samples(problem: reduce.Problem, question: Question, seed: np.uint64) -> PairSamples:
    """The pairs of a problem, component by component: of units, or of rows by their weights."""
    graph = problem.graph
    label, omega, arriving = map(
        graph.ops.on_host, (graph.components, problem.omega, graph.incoming.degrees)
    )
    targets = np.flatnonzero((omega > 0) & (arriving > 0)).astype(np.int32)
    of_sources = problem.sources, problem.alpha if question.alpha.dtype != bool else None
    of_targets = targets, omega[targets] if question.omega.dtype != bool else None
    if of_sources[1] is None:
        of_sources = _units(problem, problem.sources, question.alpha), None
    if of_targets[1] is None and question.graph.symmetric:
        of_targets = _units(problem, targets, question.omega), None
    sides = of_sources, of_targets
    both = np.stack([np.bincount(label[rows], each, graph.n) for rows, each in sides])
    there: Any = both.all(axis=0)  # components where pairs are
    weight = np.cumsum(both[:, there].prod(axis=0, dtype=float))
    (sources, source_start, source_ends), (targets, target_start, target_ends) = (
        _by_component(rows, each, label, there) for rows, each in sides
    )
    ends = source_start, target_start, source_ends, target_ends
    return PairSamples(seed, sources, targets, *ends, weight)


def _units(
    problem: reduce.Problem, rows: NDArray[np.int32], marked: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """The row, one of some, that each of the nodes marked is swept as, if there is one."""
    row = rows_of(problem, rows)
    return row[marked & (row >= 0)]


def _by_component(
    rows: NDArray[np.int32], each: Reals | None, label: NDArray[Any], there: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64], Reals]:
    """Rows of some components one after the other, their starts, and weights of rows so far."""
    kept = np.flatnonzero(there[label[rows]])
    kept = kept[np.argsort(label[rows[kept]], kind="stable")]
    counts = np.bincount(label[rows], minlength=there.size)[there]
    start = np.concatenate(([0], np.cumsum(counts)))
    return rows[kept], start, np.empty(0) if each is None else np.cumsum(each[kept])
