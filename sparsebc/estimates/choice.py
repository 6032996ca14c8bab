"""Choice of samples: sources, or paths.

A source takes all m arcs, a path between two nodes some multiple of sqrt(m) of them where levels
are wide (M. Borassi and E. Natale, arXiv:1604.08553). The first round of paths, which takes little,
tells by its variances how many there would have to be, T. A source is taken to tell FEWER times as
much as a path, and all N sources are enough for any estimate. So paths are sampled where

    T ARCS sqrt(m) < min(T / FEWER, N) m

and levels are wide.
"""

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arguments import generator, is_int
from ..engines.common.base import Engine, Task
from ..errors import InputError, InputTypeError
from ..matrix.read_matrix import Adjacency
from ..measures.reading import reading
from ..reduce import reduce
from ..reduce.prune import backbone
from ..reduce.reduce import Choice, Query
from ..sweep import options
from ..sweep.options import PathOptions
from .sampler import Paths, Sampler, Sources

Samples = Literal["sources", "paths"]
# Arcs that a thread scans in a second, where frontiers are large.
RATE = 5e8
# Arcs that all sources scan in a tenth of a second: below, paths are not tried.
SMALL = 1e8
# Arcs of sources that take the time of a path, over sqrt(m), and paths that tell as much as one.
ARCS, FEWER = 14, 4
# Seconds of a thread by which requested paths may exceed all sources.
LONGER = 10


class Goal(NamedTuple):
    """Error, probability of a larger one, and ranking that an estimate is to reach."""

    epsilon: float | None
    delta: float
    top: int | None

    def named(self) -> dict[str, str]:
        """Numbers of the goal as text, for a fingerprint."""
        return {
            name: str(value if value is None or is_int(value) else float(value))
            for name, value in self._asdict().items()
        }


def cheaper_paths(
    engine: Engine,
    problem: reduce.Problem,
    goal: Goal | None,
    seconds: float | None,
    paths: Callable[[], Paths],
) -> Paths | None:
    """Paths, where the engine has them and they are the cheaper way to a goal, or in some time.

    Their `known` holds the first round, if it was drawn for this choice.
    """
    graph, swept = problem.graph, problem.sources.size
    task = Task("path samples", graph)
    is_there = any(
        kernel.applies(task) and not (engine.devices and kernel.device == "cpu")
        for kernel in engine.kernels
    )
    every = swept * graph.arcs
    if goal is None or problem.high_diameter or not is_there or every < SMALL:
        return None
    if goal.epsilon is None:
        return paths() if every > RATE * (seconds or 0.0) else None
    sample = paths()
    intervals = sample.intervals(goal.epsilon, goal.delta)

    def are_cheaper(needed: int) -> bool:
        return needed * ARCS < min(needed / FEWER, swept) * math.sqrt(graph.arcs)

    count = intervals.plan(early=goal.top is not None)
    if not are_cheaper(intervals.expected):  # even if no score had a variance
        return None
    found = sample.draw(count, count, "")
    intervals.add(count, *found)
    intervals.plan()
    sample.drawn, sample.known = 0, (count, found)
    return sample if are_cheaper(intervals.expected) else None


def _check_paths(sample: Paths, goal: Goal | None, problem: reduce.Problem) -> None:
    """Refuse an error that paths do not come down to, whatever their variances.

    They would take `LONGER` than all sources, which have it.
    """
    if goal is None or goal.epsilon is None or goal.top is not None:
        return
    intervals = sample.intervals(goal.epsilon, goal.delta)
    intervals.plan()
    arcs = problem.graph.arcs
    if intervals.expected * ARCS * math.sqrt(arcs) > problem.sources.size * arcs + LONGER * RATE:
        raise InputError(
            f"samples='paths' takes at least {intervals.expected:.1g} paths for epsilon="
            f"{goal.epsilon:g}: epsilon is too small, or weights make most pairs begin or end at "
            "one node, whose score these do not estimate; leave out samples='paths'",
            "samples",
        )


def _problem(
    engine: Engine, query: Query, run: options.Run, samples: Samples | None
) -> reduce.Problem:
    """The problem with trees folded, as on the graph that was given, and then pruned.

    Folding decides what is estimated, the pairs that it does not count, and so comes first and on
    every engine alike. The other way round, engines that prune more would fold more. Blocks stay
    together and twins apart, so that a unit is one source. Paths are drawn in the order of the
    nodes, which is that of their degrees on every engine.
    """
    ends = query.alpha, query.omega
    near = engine.profile.wants_near if samples != "paths" else lambda _: False
    problem = reduce.reduced(query.graph, *ends, Choice({"trees"}), wants_near=near)
    if not query.omega.all():  # sources without a target in their component
        whole, on_host = problem.graph, problem.graph.ops.on_host
        label, omega = map(on_host, (whole.components, problem.omega))
        targets = np.bincount(label, omega * (on_host(whole.incoming.degrees) > 0))
        reach = targets[label[problem.sources]] > 0
        problem = replace(problem, sources=problem.sources[reach], alpha=problem.alpha[reach])
    if engine.profile.literal or "prune" not in run.reduce:
        return problem
    graph = backbone(problem.graph, problem.sources.size, engine.profile.relative_throughput)
    return replace(problem, graph=graph)


def _where_paths_are_drawn(run: options.Run, weighted: bool) -> options.Run:
    """The run options, on the CPU for paths by length unless another device is asked for."""
    device = run.device
    if device is None and weighted:
        return replace(run, device="cpu")  # whose edges are pruned for it
    if device != "cpu" and (weighted or device == "reference"):
        which = "paths by length" if weighted else "paths"
        raise InputError(
            f"device={device!r} draws no {which}: leave it out or give device='cpu', or leave out "
            "samples='paths'",
            "device",
        )
    return run


@contextmanager
def sampler(
    A: Adjacency,
    rng: Any,
    *,
    directed: bool,
    weighted: bool,
    run: Mapping[str, Any],
    samples: Samples | None = "sources",
    goal: Goal | None = None,
    seconds: float | None = None,
    known: type = PathOptions,
    **asked: Any,
) -> Iterator[Sampler]:
    """Sampler of all nodes of a graph, on the engine that the run options select.

    Samples of None are chosen for the ``goal``, or for the ``seconds``. ``known`` names
    the run options of the caller; ``asked`` are arguments of `reading.validate`.
    """
    given: dict[str, Any] = {**run}
    if "cutoff" in given:
        raise InputTypeError(
            f"cutoff={given['cutoff']!r:.60} is not supported by estimates in rounds: use "
            "betweenness(A, cutoff=..., k=...), which draws its sources once"
        )
    draws = generator(rng)
    settings = options.parse(run, known)
    if settings.checkpoint is not None and rng is None:
        raise InputError(
            f"checkpoint={str(settings.checkpoint)!r} needs rng, as a run that continues would "
            "draw other sources: give rng a seed",
            "checkpoint",
        )
    if samples == "paths":
        settings = _where_paths_are_drawn(settings, weighted)
    asked |= {"flags": {"directed": directed}, "measures": ("approximate_betweenness",)}
    with reading(A, settings, weighted=weighted, **asked) as (engine, query):
        if query.graph.lengths is not None and not query.graph.lengths.foldable:
            if samples == "paths":
                raise InputError(
                    "samples='paths' adds up each path in two halves, which tie_rtol=0, or whole "
                    "lengths that sum up to more than 2**53, cannot compare: leave out one of the "
                    "two",
                    "samples",
                )
            samples = "sources"
        problem, paths = _problem(engine, query, settings, samples), None
        # On two nodes no path has an inner node: path samples are all zero.
        if problem.sources.size and samples != "sources" and query.graph.n > 2:
            ahead = copy.deepcopy(draws)
            first = partial(Paths, engine, query, problem, ahead, settings)
            if samples == "paths":
                paths = first()
                if seconds is None:
                    _check_paths(paths, goal, problem)
            else:
                paths = cheaper_paths(engine, problem, goal, seconds, first)
        if paths is None:
            yield Sources(engine, query, problem, draws, settings)
            return
        draws.bit_generator.state = ahead.bit_generator.state
        if known is PathOptions or settings.checkpoint is not None or seconds is not None:
            paths.known = None  # a timed or checkpointed first round is drawn again
        yield paths
