"""Sources as samples: nodes in random order, each with its dependencies.

A unit is a node of the graph as it was given; those of a tree that was folded are swept as one.
Which nodes are units, and in which order they come, is a matter of that graph and of the seed
alone, whatever an engine leaves out or renumbers. The row of a unit is

    x = dependency / room,  scale = population * room

with room the targets that a source may reach through a node.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...reduce import reduce
from ...run.state_file import digest
from .bounds import Reals
from .sampler import Sampler


class Sources(Sampler):
    """Units of a problem in random order: x is the share of the targets that they reach."""

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the order of the units."""
        problem = self._problem
        self._sweep = sweeps(problem)
        order = draws.permutation(self.n)
        self._order = order[self._sweep[order] >= 0]
        self.population = self._order.size
        # A source reaches through v, at most, the targets of its component without v's and its own.
        on_host = problem.graph.ops.on_host
        label, omega = on_host(problem.graph.components), on_host(problem.omega)
        inside = np.bincount(label, weights=omega, minlength=1)[label]
        self._room = np.maximum(inside - omega - 1, 1)
        self.scale = self.population * self._room / self.pairs

    def seed(self) -> str:
        """The order of the units."""
        return f"order of the sources, blake2b {digest(self._order)}"

    def rows(self, count: int) -> reduce.Problem:
        """Each source that some of the next units are swept as, weighted by their number."""
        nodes = self._order[self.drawn : self.drawn + count]
        chosen, times = np.unique(self._sweep[nodes], return_counts=True)
        return replace(
            self._problem, sources=self._problem.sources[chosen], alpha=times.astype(float)
        )

    def shares(self, sums: dict[str, Any]) -> dict[str, Reals]:
        """Dependencies over what they can be at most."""
        power = {"dependency": 1, "squares": 2}
        return {name: values / self._room ** power[name] for name, values in sums.items()}


def sweeps(problem: reduce.Problem) -> NDArray[np.int64]:
    """Place among the swept sources of the one that stands for each node, -1 for none.

    A node of a folded tree is swept as the root of it. Nothing is left of a node without an edge
    to start with, or of a component that is a tree.
    """
    place = np.full(problem.through.size, -1, dtype=np.int64)
    ops = problem.graph.ops
    place[ops.on_host(problem.nodes)[problem.sources]] = np.arange(problem.sources.size)
    if problem.trees is None:
        return place
    swept: NDArray[np.int64] = place[ops.on_host(problem.trees.roots(ops.xp))]
    return swept
