"""Sources in random order, swept round by round: what estimates of betweenness are made from.

A unit is a source that was given; those of a folded tree are swept as one. The shares
x = dependency / room of a unit's source lie in [0, 1] for every node, and

    score = (through + population * room * mean of x) / ((n - 1) (n - 2))

is the exact one if the mean is over all units. ``through``, the pairs that trees send through a
node, is known beforehand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..engines import devices
from ..engines.contract import Engine
from ..preprocess import reduce
from ..run import options
from ..run.blocks import sum_blocks
from ..run.progress import BAR_DELAY
from .arguments import generator
from .confidence import Reals
from .query import validate

# What to call with the sources sampled, those expected, and a remark.
Report = Callable[[int, int, str], object]


class Sampler:
    """Units of a problem in random order."""

    def __init__(
        self,
        engine: Engine,
        problem: reduce.Problem,
        draws: np.random.Generator,
        run: options.Run,
        report: Report,
    ) -> None:
        self.n = problem.through.size
        self.pairs = max((self.n - 1.0) * (self.n - 2.0), 1.0)
        self.drawn = 0
        units = np.repeat(np.arange(problem.sources.size), problem.alpha.astype(np.int64))
        self.population = int(units.size)
        self._units = draws.permutation(units)
        self._engine, self._problem, self._run, self._report = engine, problem, run, report
        # A source reaches through v, at most, the targets of its component without v's and its own.
        label = problem.graph.ops.on_host(problem.graph.components)
        inside = np.bincount(label, weights=problem.omega, minlength=1)[label]
        self._room = np.maximum(inside - problem.omega - 1, 1)
        self.scale = self.population * self._room / self.pairs  # of means, in scores

    def draw(
        self, count: int, expected: int, remark: str, *, squares: bool = False
    ) -> dict[str, Reals]:
        """Sums over the next units of x, shape (problem.graph.n,), and of x**2 if asked for."""
        chosen, times = np.unique(self._units[self.drawn : self.drawn + count], return_counts=True)
        part = replace(
            self._problem, sources=self._problem.sources[chosen], alpha=times.astype(float)
        )
        before = self.drawn

        def progress(done: int, _: int) -> None:
            self._report(before + done, expected, remark)

        sums = sum_blocks(
            self._engine,
            part,
            frozenset({"dependency", *(["squares"] if squares else [])}),
            replace(self._run, progress=progress),
        )
        self.drawn += int(times.sum())
        sums["dependency"] /= self._room
        if squares:
            sums["squares"] /= self._room**2
        return sums

    def scores(self, mean: Reals) -> Reals:
        """Normalized scores of all nodes, shape (n,), from the means of x."""
        scores: Reals = self._problem.through / self.pairs
        scores[self._problem.nodes] += self.scale * mean
        return scores


@contextmanager
def sampler(
    A: Any, rng: Any, *, directed: bool, weighted: bool, tie_rtol: float, run: dict[str, Any]
) -> Iterator[Sampler]:
    """All nodes of a graph as sources and targets, on the engine that the run options select."""
    draws = generator(rng)
    settings = options.parse(run)
    engine = devices.select(settings.device, devices.home(A))
    with engine.here(), _reporting(settings.progress) as report:
        query = validate(
            A,
            ops_for=engine.ops_for,
            flags={"directed": directed},
            weighted=weighted,
            tie_rtol=tie_rtol,
            sources=None,
            targets=None,
            k=None,
            rng=None,
        )
        asked = query.graph, query.is_source, query.is_target
        problem = (
            reduce.as_given(*asked)
            if engine.literal
            else reduce.reduced(*asked, relative_throughput=engine.relative_throughput)
        )
        yield Sampler(engine, problem, draws, settings, report)


@contextmanager
def _reporting(progress: bool | options.Progress) -> Iterator[Report]:
    """The caller's function, a bar, or nothing."""
    if callable(progress):
        yield lambda done, expected, _: progress(done, expected)
    elif progress:
        from tqdm import tqdm

        with tqdm(unit="source", file=sys.stderr, delay=BAR_DELAY) as bar:

            def show(done: int, expected: int, remark: str) -> None:
                bar.total = expected
                bar.set_postfix_str(remark, refresh=False)
                bar.update(done - bar.n)

            yield show
    else:
        yield lambda *_: None
