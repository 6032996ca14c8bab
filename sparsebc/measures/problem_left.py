"""A reduced problem whose nodes are removed one after the other, for as long as it serves.

A node that stayed in the reduced graph takes its row along, and what was folded into it. All others
keep their places and weights; of what is known in closed form, the pairs through each node change
with the totals of its component, and with nothing else. Leaves that come about are not folded, nor
are rows put in order again: so the problem is made anew every `STEPS` removals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import Matrix
from ..preprocess.reduce import Problem

STEPS = 16
# Share of the sources that are asked for, at least.
LEAST = 0.9


class ProblemLeft:
    """The problem of nodes that are left, of sums from some ``sources``, marked in a mask."""

    def __init__(self, problem: Problem, sources: NDArray[np.bool_]) -> None:
        reductions = problem.kept, problem.bridges, problem.groups, problem.twins
        symmetric = problem.graph.symmetric and problem.graph.lengths is None
        self._may_lose = symmetric and all(one is None for one in reductions)
        self._problem, self._sources, self._removed = problem, sources, 0
        self._row = np.full(sources.size, -1)  # of each node, -1 of those that were folded
        if self._may_lose:
            self._row[problem.graph.ops.on_host(problem.nodes)] = np.arange(problem.graph.n)

    def remove(self, node: int) -> bool:
        """Take a node away; False where this is of no more use."""
        row, problem = int(self._row[node]), self._problem
        self._removed += 1
        if row < 0 or not self._sources[node] or self._removed == STEPS:
            return False
        given, staying = problem.graph.outgoing, problem.sources != row
        left = problem.graph.ops.without(Matrix(given, None), given, row).pattern
        self._problem = replace(
            problem,
            graph=replace(problem.graph, outgoing=left, incoming=left),
            sources=problem.sources[staying],
            alpha=problem.alpha[staying],
        )
        return True

    def serves(self, sources: NDArray[np.bool_]) -> bool:
        """Whether nearly all sources are asked for."""
        return bool(np.count_nonzero(sources) >= LEAST * np.count_nonzero(self._sources))

    def among(self, label: Any) -> Problem:
        """The problem where components have these labels."""
        problem, trees = self._problem, self._problem.trees
        if not self._removed or trees is None:
            return problem
        ops = problem.graph.ops
        return replace(problem, through=trees.through(ops.totals(label, trees.own), ops))
