"""Paths as samples: one shortest path, drawn at random, between two units drawn at random.

Units are those of `sources`. Of all pairs (s, t) of units in one component each is as likely, and
of the shortest paths from s to t each is. The row of a path is

    x(v) = 1 if v is inside of it, else 0,  scale = pairs of units

They are drawn with replacement, so that the population is infinite.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...engines.common.batch import PairSamples
from ...reduce import reduce
from .bounds import Reals
from .sampler import Sampler
from .sources import sweeps


class Paths(Sampler):
    """Paths between the units of a problem."""

    population = math.inf
    squares: frozenset[str] = frozenset()
    unit, least = "path", 2048

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the seed of the paths."""
        pairs = pair_samples(self._problem, draws.integers(2**64, dtype=np.uint64))
        self._problem = replace(self._problem, pairs=pairs)
        self._seed = pairs.seed
        self.scale = np.full(self._problem.graph.n, pairs.weight[-1] / self.pairs)

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


def pair_samples(problem: reduce.Problem, seed: np.uint64) -> PairSamples:
    """The pairs of units of a problem, component by component."""
    graph = problem.graph
    place = sweeps(problem)
    sources = targets = problem.sources[place[place >= 0]]
    if not graph.symmetric:
        targets = np.flatnonzero(graph.ops.on_host(graph.incoming.degrees)).astype(np.int32)
    label: Any = graph.ops.on_host(graph.components)
    both = np.stack([np.bincount(label[rows], minlength=graph.n) for rows in (sources, targets)])
    there: Any = both.all(axis=0)  # components where pairs are
    counts = both[:, there]
    ordered = [rows[there[label[rows]]] for rows in (sources, targets)]
    of_sources, of_targets = (rows[np.argsort(label[rows], kind="stable")] for rows in ordered)
    starts = np.zeros((2, counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, out=starts[:, 1:])
    weight = np.cumsum(counts.prod(axis=0, dtype=float))
    return PairSamples(seed, of_sources, of_targets, starts[0], starts[1], weight)
