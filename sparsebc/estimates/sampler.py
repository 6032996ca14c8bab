"""Sampler: rows x of a population in random order, summed up round by round.

The rows lie in [0, 1] for every node, and

    score = through / pairs + scale * mean of x

is the exact one if the mean is over the whole population. ``through``, the weight of the pairs that
trees send through a node, is known beforehand, as is that of all pairs that could count it. Rows
are sources (`sources`), or paths (`paths`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine
from ..measures.normalize import Pairs
from ..reduce import reduce
from ..sweep import options
from ..sweep.checkpoint import Keeper
from ..sweep.fingerprint import Question, fingerprint
from ..sweep.progress import Report, reporting
from ..sweep.state_file import digest
from ..sweep.sweep import sum_blocks
from .bounds import ROUND, Intervals, Reals


class Draws(NamedTuple):
    """Sums of some rows, on the host, as `Intervals.add` takes them."""

    sums: Reals  # of x
    squares: Reals  # of x**2, or nothing
    nodes: NDArray[np.int64] | None = None  # of ``problem.graph``, if not all; others have zeros


class Sampler(ABC):
    """Rows x of a population in random order, and what their means are in scores."""

    population: float  # rows, infinite where they are drawn with replacement
    scale: Reals  # (problem.graph.n,) of means, in normalized scores; (1,) of paths
    squares: frozenset[str] = frozenset({"squares"})  # sums that x**2 needs
    unit = "source"  # what a row is called
    least = ROUND  # draws of a round, so that it takes a millisecond or more
    growth = 1  # most draws of a round, as a multiple of all earlier draws
    alike: int | None = None  # nodes that `Intervals` may take together, of one scale

    def __init__(
        self,
        engine: Engine,
        question: Question,
        problem: reduce.Problem,
        draws: np.random.Generator,
        run: options.Run,
        pairs: Pairs,
    ) -> None:
        self.n = problem.through.size
        self.pairs = pairs  # that could count a node, by their weights
        self.drawn = 0
        self._engine, self._question, self._problem = engine, question, problem
        self.run = run
        self._report: Report = lambda *_: None
        self.prepare(draws)

    @abstractmethod
    def prepare(self, draws: np.random.Generator) -> None:
        """Set the population, and draw the order of its rows or their seed."""

    @abstractmethod
    def seed(self) -> str:
        """Text that identifies the order of the rows."""

    @abstractmethod
    def rows(self, count: int) -> reduce.Problem:
        """The problem of the next rows."""

    @abstractmethod
    def draws(self, sums: dict[str, Any]) -> Draws:
        """Sums of x, and of x**2, from those of the problem, which live where its graph does."""

    def intervals(self, half_width: float | Reals, delta: float) -> Intervals:
        """Intervals of the means of x, for half-widths of the scores."""
        aim = half_width / self.scale
        return Intervals(self.population, aim, delta, self.least, self.growth, self.alike)

    def identity(self) -> dict[str, str]:
        """Fingerprint of the question and of the order of its rows."""
        identity = fingerprint(self._engine, self._question, self.run) | {"rng": self.seed()}
        if isinstance(self.pairs, float):
            return identity
        return identity | {"pairs": f"weights of nodes, blake2b {digest(self.pairs)}"}

    def normalized(self, weight: Any) -> Reals:
        """A weight of pairs as a share of those that could count each row."""
        if isinstance(self.pairs, float):
            share: Reals = weight / self.pairs
            return share
        pairs = self.pairs
        # Where no pair could count a row, the score is NaN and any divisor serves.
        some = np.where(pairs > 0, pairs, pairs.max(initial=0) or 1.0)
        nodes = self._problem.graph.ops.on_host(self._problem.nodes)
        return np.broadcast_to(weight / some[nodes], nodes.shape)

    @contextmanager
    def reporting(self, initial: int = 0) -> Iterator[None]:
        """Report draws to the user's ``progress``; ``initial`` of them were of an earlier run."""
        with reporting(self.run.progress, initial=initial, unit=self.unit) as self._report:
            yield

    def draw(
        self,
        count: int,
        expected: int,
        remark: str,
        *,
        squares: bool = False,
        check: Callable[[], object] = lambda: None,
        keeper: Keeper | None = None,
    ) -> Draws:
        """Sums over the next rows of x, and of x**2 if asked for.

        Where ``check``, called between blocks, raises an error, none of them is drawn. What a
        ``keeper`` has of the sums is not swept again.
        """
        before, count = self.drawn, int(min(count, self.population - self.drawn))

        def progress(done: int, total: int) -> None:
            self._report(before + done, expected, remark)
            if done < total:
                check()

        wanted = frozenset({"dependency"}) | (self.squares if squares else frozenset())
        rows = replace(self.rows(count), sums=wanted, dtype=self.run.real)
        sums = sum_blocks(self._engine, rows, replace(self.run, progress=progress), keeper)
        self.drawn += count
        return self.draws(sums)

    def halves(self, mean: Reals, low: Reals, high: Reals) -> Reals:
        """Half-widths of scores by column, from `Intervals.bounds`; 0 where the score is NaN."""
        half: Reals = self.scale * np.maximum(high - mean, mean - low)
        if not isinstance(self.pairs, float):
            half[self.pairs[self._problem.graph.ops.on_host(self._problem.nodes)] == 0] = 0
        return half

    def scores(self, mean: Reals, names: NDArray[np.int64] | None = None) -> Any:
        """Normalized scores of all nodes, from the means of x, where the graph lives.

        ``names`` are those that `Intervals` has for the means. NaN where no pair could count.
        """
        through, pairs = self._problem.through, self.pairs
        if not isinstance(pairs, float):
            pairs = self._problem.graph.ops.asarray(pairs)
        with np.errstate(invalid="ignore"):
            return self._expanded(through / pairs, self.scale * mean, names)

    def half_widths(self, half: Reals, names: NDArray[np.int64] | None = None) -> Any:
        """Half-widths of the scores of all nodes, where the graph lives, from those by column."""
        return self._expanded(self._problem.graph.ops.xp.zeros(self.n), half, names)

    def _expanded(self, known: Any, values: Reals, names: NDArray[np.int64] | None) -> Any:
        """Values of columns at all nodes, added to what is known beforehand."""
        problem, ops = self._problem, self._problem.graph.ops
        there = ops.asarray(values)
        if names is not None:
            there = ops.xp.full(problem.graph.n, values[0])
            there[ops.asarray(names)] = ops.asarray(values[1:])
        return ops.plus(known, problem.nodes, there)
