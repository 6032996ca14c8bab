"""Which samples are drawn: sources, or paths.

A source takes all m arcs, a path between two nodes some 4 sqrt(m) of them where levels are wide
(M. Borassi and E. Natale, arXiv:1604.08553), at the same time for each. To within epsilon that are
about L / (8 epsilon**2) paths, for the largest scores of usual networks, L = log(2 n / delta); and
all N sources are enough for any estimate. So paths cost less than half of those where

    L < epsilon**2 N sqrt(m)

and levels are wide. Both kinds of samples are needed in proportion to 1 / epsilon**2. Where all
pairs weigh r times those that could count some node, that takes r times as many paths if r > 1, of
which only a share 1 / r can pass it, and r**2 if r < 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ...engines.common.base import Engine, Task, stands_in
from ...errors import InputTypeError, OptionError
from ...graph.read_matrix import Adjacency
from ...reduce import reduce
from ...reduce.prune import backbone
from ...run import options
from ...run.fingerprint import Question
from ...run.options import RunOptions
from ..arguments import generator
from ..normalize import Pairs, pairs_through
from ..pair_weights import of_pairs
from ..query import Query, reading
from .paths import Paths
from .sampler import Sampler
from .sources import Sources
from .stopping import Goal

Samples = Literal["sources", "paths"]
# Arcs that a thread looks at in a second, where levels are wide.
RATE = 5e8
# Arcs that all sources look at in a tenth of a second: not worth a choice.
SMALL = 1e8


def cheapest(
    engine: Engine,
    problem: reduce.Problem,
    goal: Goal | None,
    seconds: float | None,
    ratio: float = 1.0,
) -> Samples:
    """Paths, where the engine has them and they are the cheaper way to a goal, or in some time."""
    graph, swept = problem.graph, problem.sources.size
    task = Task("path samples", graph)
    is_there = any(
        kernel.applies(task) and not stands_in(engine, kernel) for kernel in engine.kernels
    )
    every = swept * graph.arcs
    if goal is None or problem.deep or not is_there or every < SMALL:
        return "sources"
    if goal.epsilon is None:
        fewer = every > RATE * (seconds or 0.0)
    else:
        level = math.log(2 * graph.n / goal.delta) * ratio * min(ratio, 1.0)
        fewer = level < goal.epsilon**2 * swept * math.sqrt(graph.arcs)
    return "paths" if fewer else "sources"


def _problem(
    engine: Engine, query: Query, run: options.Run, samples: Samples | None
) -> reduce.Problem:
    """The problem with trees folded, as on the graph that was given, and then pruned.

    Folding decides what is estimated, the pairs that it does not count, and so comes first and on
    every engine alike. The other way round, engines that prune more would fold more. Blocks stay
    together and twins apart, so that a unit is one source. Paths are drawn in the order of the
    nodes, which is that of their degrees on every engine.
    """
    ends = query.alpha.counted, query.omega.counted
    near = engine.profile.wants_near if samples != "paths" else lambda _: False
    problem = reduce.reduced(query.graph, *ends, {"trees"}, wants_near=near)
    if not query.omega.counted.all():  # sources without a target in their component
        whole, on_host = problem.graph, problem.graph.ops.on_host
        label, omega = map(on_host, (whole.components, problem.omega))
        targets = np.bincount(label, omega * (on_host(whole.incoming.degrees) > 0))
        reach = targets[label[problem.sources]] > 0
        problem = replace(problem, sources=problem.sources[reach], alpha=problem.alpha[reach])
    if engine.profile.literal or "prune" not in run.reductions:
        return problem
    graph, _ = backbone(problem.graph, problem.sources.size, engine.profile.relative_throughput)
    return replace(problem, graph=graph)


def _pairs(query: Query) -> Pairs:
    """Pairs that could count a node, by their weights as the sums count them."""
    n = query.graph.n
    if not query.weighs_pairs or n < 3:
        return max(float(pairs_through(n)), 1.0)
    return of_pairs(query.alpha.given, query.omega.given, endpoints=False) / query.unit


def _ratio(query: Query, problem: reduce.Problem, pairs: Pairs) -> float:
    """Weight of all pairs over the least weight of those that could count a node."""
    if query.alpha.counted.dtype == query.omega.counted.dtype == bool:
        share = query.is_source.mean() * query.is_target.mean()
        return float(share)
    on_host = problem.graph.ops.on_host
    whole = problem.alpha.sum() * on_host(problem.omega).sum()
    each = np.broadcast_to(pairs, problem.through.shape)[on_host(problem.nodes)]
    return float(whole / each.min(initial=np.inf, where=each > 0))


@contextmanager
def sampler(
    A: Adjacency,
    rng: Any,
    *,
    directed: bool,
    weighted: bool,
    run: RunOptions,
    samples: Samples | None = "sources",
    goal: Goal | None = None,
    seconds: float | None = None,
    keeps: bool = False,
    **asked: Any,
) -> Iterator[Sampler]:
    """Sampler of all nodes of a graph, on the engine that the run options select.

    Paths by length are drawn on the CPU, whose edges are pruned for it.

    Samples of None are chosen for the ``goal``, or for the ``seconds``. ``keeps`` says whether the
    caller has use for a checkpoint; ``asked`` are arguments of `query.validate`.
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
    if samples == "paths" and (weighted or str(settings.device).startswith("reference")):
        settings = replace(settings, device="cpu")
    flags = {"directed": directed}
    with reading(A, settings, flags=flags, weighted=weighted, **asked) as (engine, query):
        ends = query.alpha.counted, query.omega.counted
        question = Question(query.graph, *ends, ("approximate_betweenness",), False)
        problem, pairs = _problem(engine, query, settings, samples), _pairs(query)
        kind: type[Sources] | type[Paths] = Sources
        if problem.sources.size:
            ratio = _ratio(query, problem, pairs)
            if (samples or cheapest(engine, problem, goal, seconds, ratio)) == "paths":
                kind = Paths
        yield kind(engine, question, problem, draws, settings, pairs)
