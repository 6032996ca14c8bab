"""Paths as samples: one shortest path, drawn at random, between two nodes drawn at random.

A pair (s, t) in one component is as likely as its weight alpha(s) omega(t) says, those of folded
trees added up at their roots, and of the shortest paths from s to t each is as likely. The row of a
path is

    x(v) = 1 if v is inside of it, else 0,  scale = weight of all those pairs

They are drawn with replacement, so that the population is infinite.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.batch import PairSamples
from ..matrix.ops import GraphOps
from ..reduce import reduce
from ..sweep.fingerprint import Question
from .bounds import Reals
from .sampler import Draws, Sampler
from .sources import rows_of


class Known(NamedTuple):
    """The first samples, drawn already."""

    samples: int
    draws: Draws


class Paths(Sampler):
    """Paths between the sources and the targets of a problem."""

    known: Known | None = None  # from the choice of the kind of samples

    population = math.inf
    squares: frozenset[str] = frozenset()
    unit, least, growth = "path", 2048, 3

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the seed of the paths."""
        seed = draws.integers(2**64, dtype=np.uint64)
        pairs = pair_samples(self._problem, self._question, seed)
        self._problem = replace(self._problem, kind="path samples", pairs=pairs)
        self._seed = pairs.seed
        self.scale = self.normalized(pairs.weight[-1:])
        if isinstance(self.pairs, float):
            self.alike = self._problem.graph.n

    def seed(self) -> str:
        """The seed of the paths."""
        return f"paths of seed {self._seed}"

    def rows(self, count: int) -> reduce.Problem:
        """The next samples, by number."""
        numbers: Any = np.arange(self.drawn, self.drawn + count)
        return replace(self._problem, sources=numbers, alpha=np.broadcast_to(1.0, count))

    def draw(self, count: int, expected: int, remark: str, **how: Any) -> Draws:
        """Sums over the next rows, as `Sampler.draw`; what is known is not drawn again."""
        known, self.known = self.known, None
        if known is None or (self.drawn, count) != (0, known.samples):
            return super().draw(count, expected, remark, **how)
        self.drawn = count
        self._report(count, expected, remark)
        return known.draws

    def draws(self, sums: dict[str, Any]) -> Draws:
        """Paths through each node, or if ``alike`` only of nodes with some; x**2 = x."""
        ops, hits = self._problem.graph.ops, sums["dependency"]
        if self.alike is None:
            through = ops.on_host(hits)
            return Draws(through, through)
        nodes = ops.xp.flatnonzero(hits)
        through = ops.on_host(hits[nodes])
        return Draws(through, through, ops.on_host(nodes))


def pair_samples(problem: reduce.Problem, question: Question, seed: np.uint64) -> PairSamples:
    """The pairs of a problem, component by component: of units, or of rows by their weights.

    Units are where the graph lives. Weights are added up by the host, so that their sums are the
    same to the last bit.
    """
    graph, ops = problem.graph, problem.graph.ops
    counts = question.alpha.dtype == question.omega.dtype == bool
    xp, here = (ops.xp, ops.asarray) if counts else (np, ops.on_host)
    sorted_by = (ops if counts else GraphOps()).sorted_by
    label, omega, arriving = map(here, (graph.components, problem.omega, graph.incoming.degrees))

    def units(rows: Any, marked: NDArray[np.bool_]) -> Any:
        """Row, one of ``rows``, that each marked node is swept as, if there is one."""
        row = here(rows_of(problem, rows))
        return row[here(marked) & (row >= 0)]

    def by_component(rows: Any, each: Reals | None) -> tuple[Any, NDArray[np.int64], Any]:
        """Rows sorted by component, starts of components, and prefix sums of weights.

        The sums of all are rounded: by no more than 2**-53 of the pairs that could count.
        """
        kept = xp.flatnonzero(there[label[rows]])
        if components > 1:
            kept = kept[sorted_by(label[rows[kept]], graph.n)]
        count = ops.on_host(xp.bincount(label[rows], minlength=graph.n)[there])
        ends = np.empty(0) if each is None else np.cumsum(each[kept])
        return rows[kept], np.concatenate(([0], np.cumsum(count))), ends

    targets = xp.flatnonzero((omega > 0) & (arriving > 0)).astype(np.int32)
    of_sources = here(problem.sources), problem.alpha if question.alpha.dtype != bool else None
    of_targets = targets, omega[targets] if question.omega.dtype != bool else None
    if of_sources[1] is None:
        of_sources = units(problem.sources, question.alpha), None
    if of_targets[1] is None and question.graph.symmetric:
        of_targets = units(targets, question.omega), None
    sides = of_sources, of_targets
    both = xp.stack([xp.bincount(label[rows], each, graph.n) for rows, each in sides])
    there = both.all(axis=0)  # components that have pairs
    weight = np.cumsum(ops.on_host(both[:, there]).prod(axis=0, dtype=float))
    components = weight.size
    (sources, source_start, source_ends), (targets, target_start, target_ends) = (
        by_component(*side) for side in sides
    )
    ends = source_start, target_start, source_ends, target_ends
    return PairSamples(seed, sources, targets, *ends, weight)
