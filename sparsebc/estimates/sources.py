"""Sources as samples: nodes in random order, each with its dependencies.

A unit is a node of the graph as it was given; those of a tree that was folded are swept as one. A
node of weight alpha is copies = ceil(alpha / mean alpha) units, fewer than two for each node in the
mean, so that units are nearly alike. Which there are, and in which order they come, is a matter of
that graph, the weights and the seed alone, whatever an engine leaves out or renumbers. The row of a
unit is

    x = share * dependency / room,  scale = population * top * room
    share = (alpha / copies) / top,  top = the largest of alpha / copies

with room the weight of the targets that a source may reach through a node. In place of x**2 stands
share * (dependency / room)**2, which is no less.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reduce import reduce
from ..sweep.state_file import digest
from .bounds import Reals
from .sampler import Draws, Sampler

# Roundings of a mean: weights that are all equal are a unit each.
ROUNDING = 1e-12


class Sources(Sampler):
    """Units of a problem in random order: x is the share of the targets that they reach."""

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the order of the units."""
        problem = self._problem
        on_host = problem.graph.ops.on_host
        self._row: NDArray[np.int32] = on_host(rows_of(problem, problem.sources))
        alpha = np.where(self._row >= 0, self._question.alpha, 0.0)
        mean = alpha.sum() / max(np.count_nonzero(alpha), 1) or 1.0
        copies = np.maximum(np.ceil(alpha / mean * (1 - ROUNDING)), 1)
        top = (alpha / copies).max(initial=0.0) or 1.0
        self._share = alpha / copies / top
        order = np.repeat(np.arange(self.n), copies.astype(np.int64))
        order = order[draws.permutation(order.size)]
        self._order = order[alpha[order] > 0]
        self.population = self._order.size
        self._room = _room(problem, self._question.omega.dtype.kind != "f")
        self.scale = self.normalized(max(self.population, 1) * top * self._room)

    def seed(self) -> str:
        """The order of the units."""
        return f"order of the sources, blake2b {digest(self._order)}"

    def rows(self, count: int) -> reduce.Problem:
        """Problem of the sources that the next units are swept as, weighted by their shares."""
        nodes = self._order[self.drawn : self.drawn + count]
        sources, unit = np.unique(self._row[nodes], return_inverse=True)
        alpha: Any = np.bincount(unit, self._share[nodes])
        return replace(self._problem, sources=sources, alpha=alpha)

    def draws(self, sums: dict[str, Any]) -> Draws:
        """Dependencies over what they can be at most."""
        host, room = self._problem.graph.ops.on_host, self._room
        squares = host(sums["squares"]) / room**2 if "squares" in sums else np.empty(0)
        return Draws(host(sums["dependency"]) / room, squares)


def _room(problem: reduce.Problem, whole: bool) -> Reals:
    """Targets, by weight, that a source reaches through each row at most, at least 1.

    They are those of its component without the row's and, of whole weights, one of the source's.
    """
    label, omega = map(problem.graph.ops.on_host, (problem.graph.components, problem.omega))
    own = np.ones(problem.graph.n)
    np.minimum.at(own, label[problem.sources], omega[problem.sources])
    others = reduce.others(label, omega.astype(np.int64) if whole else omega)
    room: Reals = np.maximum(others - own[label], 1)
    return room


def rows_of(problem: reduce.Problem, rows: Any) -> Any:
    """Row, one of ``rows``, that each node of the given graph is swept as, shape (n,), or -1.

    A node of a folded tree is swept as the root of the tree. Isolated nodes and components that
    are trees have no row. The array is where the graph lives.
    """
    ops = problem.graph.ops
    row, rows = ops.xp.full(problem.through.size, -1, dtype=np.int32), ops.asarray(rows)
    row[problem.nodes[rows]] = rows
    return row if problem.trees is None else row[problem.trees.roots(ops.xp)]
