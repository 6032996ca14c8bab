"""Sampler: rows x of a population in random order, summed up round by round.

The rows lie in [0, 1] for every node, and

    score = through / pairs + scale * mean of x

is the exact one if the mean is over the whole population. ``through``, the weight of the pairs that
trees send through a node, is known beforehand, as is that of all pairs that could count it. Rows
are sources (`sources`), or paths (`paths`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ...engines.common.base import Engine
from ...reduce import reduce
from ...run import options
from ...run.checkpoint import Keeper
from ...run.fingerprint import Question, fingerprint
from ...run.progress import Report, reporting
from ...run.state_file import digest
from ...run.sweep import sum_blocks
from ..normalize import Pairs
from .bounds import ROUND, Reals


def _silent(*_: object) -> None:
    """Report of progress that goes nowhere."""


class Sampler(ABC):
    """Rows x of a population in random order, and what their means are in scores."""

    population: float  # rows, infinite where they are drawn with replacement
    scale: Reals  # (problem.graph.n,) of means, in normalized scores
    squares: frozenset[str] = frozenset({"squares"})  # sums that x**2 takes
    unit = "source"  # what a row is called
    least = ROUND  # draws of a round, so that it takes a millisecond or more

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
        self._report: Report = _silent
        self.prepare(draws)

    @abstractmethod
    def prepare(self, draws: np.random.Generator) -> None:
        """Set the population, and what decides the order of its rows."""

    @abstractmethod
    def seed(self) -> str:
        """What decides the order of the rows, as text."""

    @abstractmethod
    def rows(self, count: int) -> reduce.Problem:
        """The problem of the next rows."""

    @abstractmethod
    def shares(self, sums: dict[str, Any]) -> dict[str, Reals]:
        """Sums of x, and of x**2, from those of the problem."""

    def identity(self) -> dict[str, str]:
        """Fingerprint of the question and of the order of its rows."""
        identity = fingerprint(self._engine, self._question, self.run) | {"rng": self.seed()}
        if isinstance(self.pairs, float):
            return identity
        return identity | {"pairs": f"weights of nodes, blake2b {digest(self.pairs)}"}

    def normalized(self, weight: Any) -> Reals:
        """A weight of pairs as a share of those that could count each row, shape (graph.n,)."""
        pairs = np.asarray(self.pairs)
        # Where no pair could, scores are NaN, and any divisor does.
        some = np.where(pairs > 0, pairs, pairs.max(initial=0) or 1.0)
        nodes = self._problem.graph.ops.on_host(self._problem.nodes)
        return np.broadcast_to(weight / np.broadcast_to(some, self.n)[nodes], nodes.shape)

    @contextmanager
    def reporting(self, behind: int = 0) -> Iterator[None]:
        """Report draws to the caller's ``progress``; ``behind`` of them are of an earlier run."""
        with reporting(self.run.progress, behind=behind, unit=self.unit) as self._report:
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
    ) -> dict[str, Reals]:
        """Sums over the next rows of x, shape (problem.graph.n,), and of x**2 if asked for.

        Where ``check``, called between blocks, raises an error, none of them is drawn. What a
        ``keeper`` has of the sums is not swept again.
        """
        before, count = self.drawn, int(min(count, self.population - self.drawn))

        def progress(done: int, total: int) -> None:
            self._report(before + done, expected, remark)
            if done < total:
                check()

        sums = sum_blocks(
            self._engine,
            self.rows(count),
            frozenset({"dependency"}) | (self.squares if squares else frozenset()),
            replace(self.run, progress=progress),
            keeper,
        )
        self.drawn += count
        on_host = self._problem.graph.ops.on_host  # and the sums are the keeper's
        return self.shares({name: on_host(values) for name, values in sums.items()})

    def scores(self, mean: Reals) -> Reals:
        """Normalized scores of all nodes, shape (n,), from the means of x; NaN without any pair."""
        on_host = self._problem.graph.ops.on_host
        with np.errstate(invalid="ignore"):
            scores: Reals = on_host(self._problem.through) / self.pairs
        scores[on_host(self._problem.nodes)] += self.scale * mean
        return scores
