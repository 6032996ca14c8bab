"""Sampler: rows x of a population in random order, summed up round by round.

The rows lie in [0, 1] for every node, and

    score = through / pairs + scale * mean of x

is the exact one if the mean is over the whole population. ``through``, the weight of the pairs that
trees send through a node, is known beforehand, as is that of all pairs that could count it. Rows
are those of sources (`Sources`), or of paths (`Paths`).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine
from ..engines.common.sums import PairSamples
from ..matrix.ops import GraphOps
from ..measures.centralities import Pairs, pairs_through
from ..reduce import reduce
from ..reduce.reduce import Query
from ..sweep import options
from ..sweep.checkpoint import Checkpoint, digest, fingerprint
from ..sweep.progress import Report, reporting
from ..sweep.sum_by_range import sum_blocks
from .confidence_intervals import ROUND, Intervals, Reals

# Sums over some rows of x, and if asked for of x**2, on the host, as `Intervals.add` takes them: of
# all nodes of ``problem.graph``, or of those that are given, where the others have zeros.
Draws = tuple[Reals, Reals, NDArray[np.int64] | None]


class Sampler(ABC):
    """Rows x of a population in random order, and what their means are in scores."""

    population: float  # rows, infinite where they are drawn with replacement
    scale: Reals  # (problem.graph.n,) of means, in normalized scores; (1,) of paths
    order: NDArray[Any]  # of the rows, or their seed
    squares: frozenset[str] = frozenset({"squares"})  # sums that x**2 needs
    unit = "source"  # what a row is called
    least = ROUND  # draws of a round, so that it takes a millisecond or more
    growth = 1  # most draws of a round, as a multiple of all earlier draws
    alike: int | None = None  # nodes that `Intervals` may take together, of one scale

    def __init__(
        self,
        engine: Engine,
        query: Query,
        problem: reduce.Problem,
        draws: np.random.Generator,
        run: options.Run,
    ) -> None:
        self.n = problem.through.size
        # Pairs that could count a node, by their weights as the sums count them.
        self.pairs: Pairs = max(float(pairs_through(self.n)), 1.0)
        if query.weight_of_pairs is not None and self.n >= 3:
            self.pairs = query.weight_of_pairs(endpoints=False) / query.unit
        self.drawn = 0
        self._engine, self._query, self._problem = engine, query, problem
        self.run = run
        self._report: Report = lambda *_: None
        self.prepare(draws)

    @abstractmethod
    def prepare(self, draws: np.random.Generator) -> None:
        """Set the population, and draw the ``order`` of its rows or their seed."""

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
        """Fingerprint of the query and of the order of its rows."""
        order = {"rng": f"{self.unit}s in an order, blake2b {digest(self.order)}"}
        identity = fingerprint(self._engine, self._query, self.run) | order
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
        checkpoint: Checkpoint | None = None,
    ) -> Draws:
        """Sums over the next rows of x, and of x**2 if asked for.

        Where ``check``, called between blocks, raises an error, none of them is drawn. What a
        ``checkpoint`` has of the sums is not swept again.
        """
        before, count = self.drawn, int(min(count, self.population - self.drawn))

        def progress(done: int, total: int) -> None:
            self._report(before + done, expected, remark)
            if done < total:
                check()

        wanted = frozenset({"dependency"}) | (self.squares if squares else frozenset())
        rows = replace(self.rows(count), sums=wanted, dtype=self.run.dtype)
        sums = sum_blocks(self._engine, rows, replace(self.run, progress=progress), checkpoint)
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
            return self.at_nodes(self.scale * mean, names, through / pairs)

    def at_nodes(
        self, values: Reals, names: NDArray[np.int64] | None = None, known: Any = None
    ) -> Any:
        """Values of columns at all nodes, where the graph lives, and what is known beforehand."""
        problem, ops = self._problem, self._problem.graph.ops
        there = ops.asarray(values)
        if names is not None:
            there = ops.xp.full(problem.graph.n, values[0])
            there[ops.asarray(names)] = ops.asarray(values[1:])
        total = ops.xp.zeros(self.n) if known is None else known.copy()
        total[problem.nodes] += there
        return total


# Rounding of a mean: weights this close to it are equal, and each is one unit.
EQUAL_WEIGHTS = 1e-12


class Sources(Sampler):
    """Nodes in random order, each with its dependencies: x is the share of its targets.

    A unit is a node of the graph as it was given; those of a tree that was folded are swept as one.
    A node of weight alpha is copies = ceil(alpha / mean alpha) units, fewer than two for each node
    in the mean, so that units are nearly alike. Which there are, and in which order they come, is a
    matter of that graph, the weights and the seed alone, whatever an engine leaves out or
    renumbers. The row of a unit is

        x = share * dependency / room,  scale = population * top * room
        share = (alpha / copies) / top,  top = the largest of alpha / copies

    with room the weight of the targets, at least 1, that a source may reach through a node. In
    place of x**2 stands share * (dependency / room)**2, which is no less.
    """

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the order of the units."""
        problem = self._problem
        on_host = problem.graph.ops.on_host
        self._row: NDArray[np.int32] = on_host(rows_of(problem, problem.sources))
        alpha = np.where(self._row >= 0, self._query.alpha, 0.0)
        mean = alpha.sum() / max(np.count_nonzero(alpha), 1) or 1.0
        copies = np.maximum(np.ceil(alpha / mean * (1 - EQUAL_WEIGHTS)), 1)
        top = (alpha / copies).max(initial=0.0) or 1.0
        self._share = alpha / copies / top
        order = np.repeat(np.arange(self.n), copies.astype(np.int64))
        order = order[draws.permutation(order.size)]
        self.order = order[alpha[order] > 0]
        self.population = self.order.size
        # The targets of a source's component, by weight, without the row's and, of whole weights,
        # one of the source's.
        label, omega = map(on_host, (problem.graph.components, problem.omega))
        least = np.ones(problem.graph.n)
        np.minimum.at(least, label[problem.sources], omega[problem.sources])
        is_whole = self._query.omega.dtype.kind != "f"
        others = reduce.others(label, omega.astype(np.int64) if is_whole else omega)
        self._room: Reals = np.maximum(others - least[label], 1)
        self.scale = self.normalized(max(self.population, 1) * top * self._room)

    def rows(self, count: int) -> reduce.Problem:
        """Problem of the sources that the next units are swept as, weighted by their shares."""
        nodes = self.order[self.drawn : self.drawn + count]
        sources, unit = np.unique(self._row[nodes], return_inverse=True)
        alpha: Any = np.bincount(unit, self._share[nodes])
        return replace(self._problem, sources=sources, alpha=alpha)

    def draws(self, sums: dict[str, Any]) -> Draws:
        """Dependencies over what they can be at most."""
        host, room = self._problem.graph.ops.on_host, self._room
        squares = host(sums["squares"]) / room**2 if "squares" in sums else np.empty(0)
        return host(sums["dependency"]) / room, squares, None


def rows_of(problem: reduce.Problem, rows: Any) -> Any:
    """Row, one of ``rows``, that each node of the given graph is swept as, shape (n,), or -1.

    A node of a folded tree is swept as the root of the tree. Isolated nodes and components that
    are trees have no row. The array is where the graph lives.
    """
    ops = problem.graph.ops
    row, rows = ops.xp.full(problem.through.size, -1, dtype=np.int32), ops.asarray(rows)
    row[problem.nodes[rows]] = rows
    return row if problem.trees is None else row[problem.trees.roots(ops.xp)]


class Paths(Sampler):
    """Shortest paths, each drawn at random between two nodes drawn at random.

    A pair (s, t) in one component is as likely as its weight alpha(s) omega(t) says, those of
    folded trees added up at their roots, and of the shortest paths from s to t each is as likely.
    The row of a path is

        x(v) = 1 if v is inside of it, else 0,  scale = weight of all those pairs

    They are drawn with replacement, so that the population is infinite.
    """

    # How many the first samples are, and they, from the choice of the kind of samples.
    known: tuple[int, Draws] | None = None
    population = math.inf
    squares: frozenset[str] = frozenset()
    unit, least, growth = "path", 2048, 3

    def prepare(self, draws: np.random.Generator) -> None:
        """Draw the seed of the paths."""
        seed = draws.integers(2**64, dtype=np.uint64)
        pairs = pair_samples(self._problem, self._query, seed)
        self._problem = replace(self._problem, kind="path samples", pairs=pairs)
        self.order = np.array([seed])
        self.scale = self.normalized(pairs.weight[-1:])
        if isinstance(self.pairs, float):
            self.alike = self._problem.graph.n

    def rows(self, count: int) -> reduce.Problem:
        """The next samples, by number."""
        numbers: Any = np.arange(self.drawn, self.drawn + count)
        return replace(self._problem, sources=numbers, alpha=np.broadcast_to(1.0, count))

    def draw(self, count: int, expected: int, remark: str, **how: Any) -> Draws:
        """Sums over the next rows, as `Sampler.draw`; what is known is not drawn again."""
        known, self.known = self.known, None
        if known is None or (self.drawn, count) != (0, known[0]):
            return super().draw(count, expected, remark, **how)
        self.drawn = count
        self._report(count, expected, remark)
        return known[1]

    def draws(self, sums: dict[str, Any]) -> Draws:
        """Paths through each node, or if ``alike`` only of nodes with some; x**2 = x."""
        ops, hits = self._problem.graph.ops, sums["dependency"]
        if self.alike is None:
            through = ops.on_host(hits)
            return through, through, None
        nodes = ops.xp.flatnonzero(hits)
        through = ops.on_host(hits[nodes])
        return through, through, ops.on_host(nodes)


def pair_samples(problem: reduce.Problem, query: Query, seed: np.uint64) -> PairSamples:
    """The pairs of a problem, component by component: of units, or of rows by their weights.

    Units are where the graph lives. Weights are added up by the host, so that their sums are the
    same to the last bit.
    """
    graph, ops = problem.graph, problem.graph.ops
    counts = query.alpha.dtype == query.omega.dtype == bool
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
    of_sources = here(problem.sources), problem.alpha if query.alpha.dtype != bool else None
    of_targets = targets, omega[targets] if query.omega.dtype != bool else None
    if of_sources[1] is None:
        of_sources = units(problem.sources, query.alpha), None
    if of_targets[1] is None and query.graph.symmetric:
        of_targets = units(targets, query.omega), None
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
