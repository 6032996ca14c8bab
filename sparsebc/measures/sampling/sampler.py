"""Sampler of sources: in random order, swept round by round.

A unit is a node of the graph as it was given; those of a tree that was folded are swept as one.
Which nodes are units, and in which order they come, is a matter of that graph and of the seed
alone, whatever an engine leaves out or renumbers. The shares x = dependency / room of a unit lie in
[0, 1] for every node, and

    score = (through + population * room * mean of x) / ((n - 1) (n - 2))

is the exact one if the mean is over all units. ``through``, the pairs that trees send through a
node, is known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engines.common.base import Engine
from ...errors import InputTypeError, OptionError
from ...graph.read_matrix import Adjacency
from ...reduce import reduce
from ...reduce.prune import backbone
from ...run import options
from ...run.checkpoint import Keeper
from ...run.fingerprint import Question, fingerprint
from ...run.options import RunOptions
from ...run.progress import Report, reporting
from ...run.state_file import digest
from ...run.sweep import sum_blocks
from ..arguments import generator
from ..query import Query, reading
from .bounds import Reals


def _silent(*_: object) -> None:
    """Report of progress that goes nowhere."""


class Sampler:
    """Units of a problem in random order."""

    _report: Report

    def __init__(
        self,
        engine: Engine,
        question: Question,
        problem: reduce.Problem,
        draws: np.random.Generator,
        run: options.Run,
    ) -> None:
        self.n = problem.through.size
        self.pairs = max((self.n - 1.0) * (self.n - 2.0), 1.0)
        self.drawn = 0
        self._sweep = _sweeps(problem)
        order = draws.permutation(self.n)
        self._order = order[self._sweep[order] >= 0]
        self.population = self._order.size
        self._engine, self._question, self._problem = engine, question, problem
        self.run, self._report = run, _silent
        # A source reaches through v, at most, the targets of its component without v's and its own.
        on_host = problem.graph.ops.on_host
        label, omega = on_host(problem.graph.components), on_host(problem.omega)
        inside = np.bincount(label, weights=omega, minlength=1)[label]
        self._room = np.maximum(inside - omega - 1, 1)
        self.scale = self.population * self._room / self.pairs  # of means, in scores

    def identity(self) -> dict[str, str]:
        """Fingerprint of the question and of the order of its sources."""
        named = fingerprint(self._engine, self._question, self.run)
        return {**named, "rng": f"order of the sources, blake2b {digest(self._order)}"}

    @contextmanager
    def reporting(self, behind: int = 0) -> Iterator[None]:
        """Report draws to the caller's ``progress``; ``behind`` of them are of an earlier run."""
        with reporting(self.run.progress, behind=behind) as self._report:
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
        """Sums over the next units of x, shape (problem.graph.n,), and of x**2 if asked for.

        Where ``check``, called between blocks, raises an error, none of them is drawn. What a
        ``keeper`` has of the sums is not swept again.
        """
        nodes = self._order[self.drawn : self.drawn + count]
        chosen, times = np.unique(self._sweep[nodes], return_counts=True)
        part = replace(
            self._problem, sources=self._problem.sources[chosen], alpha=times.astype(float)
        )
        before = self.drawn

        def progress(done: int, total: int) -> None:
            self._report(before + done, expected, remark)
            if done < total:
                check()

        sums = sum_blocks(
            self._engine,
            part,
            frozenset({"dependency", *(["squares"] if squares else [])}),
            replace(self.run, progress=progress),
            keeper,
        )
        self.drawn += int(times.sum())
        on_host = self._problem.graph.ops.on_host  # and the sums are the keeper's
        shares = {"dependency": on_host(sums["dependency"]) / self._room}
        if squares:
            shares["squares"] = on_host(sums["squares"]) / self._room**2
        return shares

    def scores(self, mean: Reals) -> Reals:
        """Normalized scores of all nodes, shape (n,), from the means of x."""
        on_host = self._problem.graph.ops.on_host
        scores: Reals = on_host(self._problem.through) / self.pairs
        scores[on_host(self._problem.nodes)] += self.scale * mean
        return scores


def _sweeps(problem: reduce.Problem) -> NDArray[np.int64]:
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


def _problem(engine: Engine, query: Query, run: options.Run) -> reduce.Problem:
    """The problem with trees folded, as on the graph that was given, and then pruned.

    Folding decides what is estimated, the pairs that it does not count, and so comes first and on
    every engine alike. The other way round, engines that prune more would fold more. Blocks stay
    together and twins apart, so that a unit is one source.
    """
    ends = query.is_source, query.is_target
    problem = reduce.reduced(query.graph, *ends, {"trees"}, wants_near=engine.profile.wants_near)
    if engine.profile.literal or "prune" not in run.reductions:
        return problem
    graph, _ = backbone(problem.graph, problem.sources.size, engine.profile.relative_throughput)
    return replace(problem, graph=graph)


@contextmanager
def sampler(
    A: Adjacency,
    rng: Any,
    *,
    directed: bool,
    weighted: bool,
    tie_rtol: float,
    run: RunOptions,
    keeps: bool = False,
) -> Iterator[Sampler]:
    """Sampler of all nodes of a graph, on the engine that the run options select.

    ``keeps`` says whether the caller has use for a checkpoint.
    """
    given: dict[str, Any] = {**run}
    if "cutoff" in given:
        raise InputTypeError(
            f"cutoff={given['cutoff']!r:.60} has no estimates in rounds: use "
            "betweenness(A, cutoff=..., k=...), which samples its sources once"
        )
    draws = generator(rng)
    settings = options.parse(run)
    if not keeps:
        settings.without_checkpoint("estimates of a few nodes")
    elif settings.directory is not None and rng is None:
        raise OptionError(
            f"checkpoint={str(settings.checkpoint)!r} is of no use without rng: whoever goes on "
            "would draw other sources; give rng a seed",
            f"checkpoint={str(settings.checkpoint)!r}",
        )
    flags = {"directed": directed}
    asked = reading(A, settings, flags=flags, weighted=weighted, tie_rtol=tie_rtol)
    with asked as (engine, query):
        everyone = query.is_source, query.is_target
        question = Question(query.graph, *everyone, ("approximate_betweenness",), False)
        yield Sampler(engine, question, _problem(engine, query, settings), draws, settings)
